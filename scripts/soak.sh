#!/usr/bin/env bash
# Fast games of one program against itself, one side with two threads, the table changing its size
# before each game, in two processes that live through all games: no crash, no illegal move, no
# disconnect, no memory that grows. Then one endless search with the smallest table, which must
# answer `isready` to the end.
#
#   scripts/soak.sh LONGAN BOOK.epd [GAMES=5000] [SECONDS=1200] [NODES=400]
#
# Needs Python and fastchess on the PATH. Ends with 1 if anything is wrong.
set -euo pipefail
longan=$(realpath "${1:?the program}") book=$(realpath "${2:?a book of EPD lines}")
games=${3:-5000} seconds=${4:-1200} nodes=${5:-400}
folder=$(mktemp -d)
cd "$folder"
echo "logs in $folder"
faults=0
fault() { echo "FAULT: $*"; faults=$((faults + 1)); }

# Stands between fastchess and the engine: notes the size of the table and the resident KiB after
# each game, and changes the table before the next.
cat >between.py <<'EOF'
#!/usr/bin/env python3
import re, subprocess, sys
program, side = sys.argv[1:]
engine = subprocess.Popen([program], stdin=subprocess.PIPE)
open(f"started-{side}-{engine.pid}", "w").close()
sizes, game = [1, 16, 64, 4], 0
with open(f"memory-{side}", "a", buffering=1) as memory:
    for line in iter(sys.stdin.buffer.readline, b""):
        if line.startswith(b"ucinewgame"):
            if game > 0:
                status = open(f"/proc/{engine.pid}/status").read()
                print(game, sizes[(game - 1) % 4], re.search(r"VmRSS:\s+(\d+)", status)[1], file=memory)
            engine.stdin.write(b"setoption name Hash value %d\n" % sizes[game % 4])
            game += 1
        engine.stdin.write(line)
        engine.stdin.flush()
        if line.strip() == b"quit":
            break
engine.stdin.close()
sys.exit(engine.wait())
EOF
chmod +x between.py

fastchess -engine cmd=./between.py args="$longan one" name=one option.Threads=1 \
    -engine cmd=./between.py args="$longan two" name=two option.Threads=2 \
    -each tc=600 nodes="$nodes" -openings file="$book" format=epd order=random \
    -rounds $((games / 2)) -repeat -concurrency 1 -pgnout file=games.pgn -log file=fastchess.log level=warn >match.txt 2>&1
tail -n 12 match.txt
bad=$(cat match.txt fastchess.log games.pgn | grep -ciE 'illegal|disconnect|stall|crash|loses on time|time forfeit' || true)
played=$(grep -c '^Finished game' match.txt || true)
# fastchess counts its crashes in the summary; a line of zeros is none.
bad=$((bad - $(grep -cE '^ *(Crashed|Timeouts): *0,?$' match.txt || true)))
echo "$played games, $bad faults"
((bad <= 0)) || fault "in the games"
((played >= games)) || fault "only $played games"
(($(find . -name 'started-*' | wc -l) == 2)) || fault "an engine was started again"
for side in one two; do
    # The peaks of both halves of the games, for each size of the table: as threads end and start
    # with each new table, the memory that the system's allocator keeps for them goes up and down.
    for size in 1 16 64 4; do
        peak() { awk -v size="$size" '$2 == size { print $3 }' | sort -n | tail -n 1; }
        start=$(head -n $((games / 2)) "memory-$side" | peak)
        end=$(tail -n +$((games / 2 + 1)) "memory-$side" | peak)
        echo "$side, table of $size MiB: at most $start KiB in the first half, $end KiB in the second"
        ((end * 100 <= start * 105)) || fault "memory grew"
    done
done

# The search goes on while its memory is read: resident KiB after a tenth of the time, when it has
# touched what it needs, and at the end.
mkfifo input
"$longan" <input >output.txt &
engine=$!
exec 3>input
printf 'setoption name Hash value 1\ngo infinite\n' >&3
sleep $((seconds / 10 + 1))
rss() { awk '/^VmRSS/ { print $2 }' "/proc/$engine/status"; }
start=$(rss) asked=0 slow=0
for ((end = SECONDS + seconds; SECONDS < end; )); do
    printf 'isready\n' >&3
    asked=$((asked + 1))
    sleep 1
    (($(grep -c '^readyok' output.txt) == asked)) || slow=$((slow + 1))
done
last=$(rss)
printf 'stop\nquit\n' >&3
exec 3>&-
wait "$engine" || fault "the engine failed"
answered=$(grep -c '^readyok' output.txt)
echo "memory: $start KiB, then $last KiB; $asked isready, $answered readyok, $slow later than a second"
tail -n 1 output.txt
((answered == asked && slow == 0)) || fault "isready was not answered within a second"
((last * 100 <= start * 105)) || fault "memory grew"
((faults == 0))
