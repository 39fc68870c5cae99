#!/usr/bin/env bash
# Measures the levels of UCI_Elo: each plays against the one 200 below. Prints a table for
# STRENGTH.md; a score outside 68 to 84 % is marked.
#   training/strength.sh ENGINE OPENINGS.epd [GAMES] [LOWEST] [HIGHEST]
# needs fastchess (https://github.com/Disservin/fastchess). Levels are limited by nodes, so the
# time control only has to be long enough.
set -euo pipefail
engine=$(realpath "$1") openings=$(realpath "$2") games=${3:-100} lowest=${4:-1000} highest=${5:-2800}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

player() { echo "-engine cmd=$engine name=$1 option.UCI_LimitStrength=true option.UCI_Elo=$1"; }

echo "| Levels | Games | Wins, losses, draws of the higher | Score |"
echo "|---|---|---|---|"
for ((level = lowest + 200; level <= highest; level += 200)); do
    # shellcheck disable=SC2046 # words are wanted
    fastchess $(player "$level") $(player $((level - 200))) -each tc=60+1 option.Hash=16 \
        -openings file="$openings" format=epd order=random -srand "$level" \
        -rounds $((games / 2)) -games 2 -repeat -concurrency "${CONCURRENCY:-2}" >log 2>&1
    tac log | awk -v level="$level" '
        /^Games:/ && !seen {
            seen = 1
            gsub(/[(),%]/, "")
            for (i = 1; i < NF; i++) value[$i] = $(i + 1)
            score = 100 * value["Points:"] / value["Games:"]
            mark = score < 68 || score > 84 ? " (outside)" : ""
            printf "| %d and %d | %d | +%d −%d =%d | %.1f %%%s |\n", level, level - 200, value["Games:"],
                value["Wins:"], value["Losses:"], value["Draws:"], score, mark
        }'
done
