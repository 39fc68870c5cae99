#!/usr/bin/env bash
# Longan in a real GUI, on a virtual screen: XBoard, through Polyglot, plays a game of the program
# against itself, then analyses a position and is photographed.
#
#   scripts/gui.sh LONGAN PICTURE.png [SECONDS=40]
#
# Debian: apt-get install xvfb openbox xboard polyglot xdotool imagemagick. Ends with 1 if the game
# is not played to its end or the engine's output does not appear.
set -euo pipefail
longan=$(realpath "${1:?the program}") picture=$(realpath -m "${2:?a file for the picture}") seconds=${3:-40}
PATH=$PATH:/usr/games
folder=$(mktemp -d)
export HOME=$folder
cd "$folder"

exec 4>display
Xvfb -displayfd 4 -screen 0 1160x630x24 2>/dev/null &
screen=$!
trap 'kill "$screen"' EXIT
until [[ -s display ]]; do sleep 0.2; done
DISPLAY=:$(cat display)
export DISPLAY
openbox 2>/dev/null &

engine=(-fcp "$longan" -fUCI -fNoOwnBookUCI -fd "$folder" -polyglotDir "$folder" -size 58)
# XBoard ends by itself after a match.
xboard "${engine[@]}" -scp "$longan" -sUCI -sNoOwnBookUCI -sd "$folder" -mg 1 -tc 0:10 -inc 0 -sgf game.pgn >/dev/null 2>&1
grep -E '^\[Result "(1-0|0-1|1/2-1/2)"\]' game.pgn

echo 'r1bq1rk1/4bppp/p2p1n2/npp1p3/3PP3/2P2N1P/PPB2PP1/RNBQR1K1 b - - 0 11' >position.fen
xboard "${engine[@]}" -initialMode analysis -lpf position.fen -engineOutputUp true >/dev/null 2>&1 &
xboard=$!
output=$(xdotool search --sync --onlyvisible --name 'Engine output' | head -n 1)
board=$(xdotool search --sync --onlyvisible --name 'position.fen' | head -n 1)
xdotool windowmove "$board" 8 8 windowmove "$output" 500 8 windowsize "$output" 640 560
sleep "$seconds"
# Few colours make a small file.
import -window root -strip -colors 128 "$picture"
title=$(xdotool getwindowname "$output")
kill "$xboard"
[[ $title == "Engine output" && -s $picture ]]
ls -l "$picture"
