#!/usr/bin/env bash
# Games with very little time while other work keeps all cores busy: nobody may lose on time.
#
#   scripts/clock.sh LONGAN BOOK.epd [GAMES=2000] [GAMES_WITH_CONTROLS=200] [OVERHEAD=10]
#
# Needs fastchess on the PATH. Ends with 1 after a loss on time or another fault.
set -euo pipefail
longan=$(realpath "${1:?the program}") book=$(realpath "${2:?a book of EPD lines}")
games=${3:-2000} controls=${4:-200} overhead=${5:-10}
folder=$(mktemp -d)
cd "$folder"
echo "logs in $folder"

# The other work: a search on every core, with the priority of the games but in a session of its
# own, as other programs are.
setsid bash -c "(printf 'setoption name Threads value $(nproc)\ngo infinite\n'; sleep 1000000) | '$longan' >/dev/null" &
loader=$!
trap 'kill -- "-$loader"' EXIT

play() {
    fastchess -engine cmd="$longan" name=a -engine cmd="$longan" name=b -each "tc=$2" option.Hash=8 \
        option.Move\ Overhead="$overhead" -openings file="$book" format=epd order=random -rounds $(($1 / 2)) \
        -repeat -concurrency 1 -pgnout file="games-$3.pgn" >"match-$3.txt" 2>&1
    tail -n 12 "match-$3.txt"
}
play "$games" 0.2+0.002 increment
play "$controls" 60/0.5 controls

faults=$(cat match-*.txt games-*.pgn | grep -ciE 'loses on time|time forfeit|illegal|disconnect|stall' || true)
echo "losses on time and other faults: $faults"
((faults == 0))
