#!/usr/bin/env bash
# Bullet games of one program against itself, one side with two threads, tables of three sizes: no
# crash, no illegal move, no disconnect, no memory that grows. Then one endless search with the
# smallest table, which must answer `isready` to the end.
#
#   scripts/soak.sh LONGAN BOOK.epd [GAMES=5000] [SECONDS=1200]
#
# Needs fastchess on the PATH. Ends with 1 if anything is wrong.
set -euo pipefail
longan=$(realpath "${1:?the program}") book=$(realpath "${2:?a book of EPD lines}")
games=${3:-5000} seconds=${4:-1200}
folder=$(mktemp -d)
cd "$folder"
echo "logs in $folder"

hash=(1 16 64)
for size in "${hash[@]}"; do
    fastchess -engine cmd="$longan" name=one option.Threads=1 -engine cmd="$longan" name=two option.Threads=2 \
        -each tc=1+0.01 option.Hash="$size" -openings file="$book" format=epd order=random \
        -rounds $((games / ${#hash[@]} / 2)) -repeat -concurrency 1 -pgnout file="games-$size.pgn" \
        -log file="fastchess-$size.log" level=warn >"match-$size.txt" 2>&1
    tail -n 12 "match-$size.txt"
done
faults=$(cat match-*.txt fastchess-*.log games-*.pgn | grep -ciE 'illegal|disconnect|stall|crash|loses on time|time forfeit' || true)
echo "faults in the games: $faults"

# The search goes on while its memory is read: resident KiB at the start and at the end.
mkfifo input
"$longan" <input >output.txt &
engine=$!
exec 3>input
printf 'setoption name Hash value 1\ngo infinite\n' >&3
sleep 5
rss() { awk '/^VmRSS/ { print $2 }' "/proc/$engine/status"; }
start=$(rss) asked=0
for ((end = SECONDS + seconds; SECONDS < end; )); do
    printf 'isready\n' >&3
    asked=$((asked + 1))
    sleep 1
    if (($(grep -c '^readyok' output.txt) < asked)); then echo "no readyok within a second"; faults=$((faults + 1)); fi
done
last=$(rss)
printf 'stop\nquit\n' >&3
exec 3>&-
wait "$engine"
echo "memory: $start KiB, then $last KiB; $asked isready; $(tail -n 1 output.txt)"
((last * 100 <= start * 105)) || { echo "memory grew"; faults=$((faults + 1)); }
((faults == 0))
