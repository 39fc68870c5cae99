#!/usr/bin/env bash
# Runs one fuzz target of fuzz/, from seeds made of the tests' data and whatever earlier runs found.
#
#   scripts/fuzz.sh TARGET [SECONDS=600] [ARGUMENTS OF LIBFUZZER ...]
#
# Needs the nightly toolchain and cargo-fuzz. LONGAN_SYZYGY names a folder of tablebases, from which
# the seeds of the target `syzygy` are made. SANITIZER=address looks for bad memory accesses too.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${1:?a target: uci_text uci_session fen moves network book games syzygy} seconds=${2:-600}
shift $(($# < 2 ? $# : 2))
seeds=fuzz/corpus/$target
mkdir -p "$seeds"

# Writes each line of the input to a file of its own, behind the given bytes.
each_line() {
    local number=0
    while IFS= read -r line; do
        number=$((number + 1))
        printf "$1%s" "$line" >"$seeds/seed-$number"
    done
}
data() { grep -hv '^#' "$@"; }
fields() { tr '|' '\n' | sed 's/^ *//; s/ *$//; /^$/d' | sort -u; }

case $target in
uci_text | uci_session)
    each_line '' <<'EOF'
uci
isready
position startpos moves e2e4 0000 d2d4
position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 moves e1g1
go wtime 1000 btime -5 winc 10 binc 10 movestogo 40
go depth 3 nodes 500 movetime 20 mate 2 searchmoves e2e4 d2d4
go infinite
go ponder depth 2
go perft 2
setoption name Hash value 1
setoption name Threads value 2
setoption name MultiPV value 3
setoption name UCI_LimitStrength value true
setoption name UCI_Chess960 value true
setoption name Clear Hash
stop
ponderhit
ucinewgame
debug on
register later
eval
d
quit
EOF
    if [[ $target == uci_session ]]; then
        printf 'uci\nsetoption name Threads value 2\nposition startpos moves e2e4\ngo depth 3\nisready\nstop\n' >"$seeds/session-1"
        printf 'go ponder depth 2\nponderhit\nucinewgame\ngo infinite\nposition startpos\ngo nodes 300\neval\nd\n' >"$seeds/session-2"
    fi
    ;;
fen) { data perft-suites/*.epd | cut -d';' -f1; data tests/data/fen_forms.txt | fields; } | each_line '' ;;
moves) data tests/data/notation.txt tests/data/notation_reject.txt | cut -d'|' -f2- | fields | grep -v / | each_line 'A' ;;
network)
    header='LNGN\1\0\0\0\0\3\0\0\40\0\0\0\1\0\0\0\1\0\0\0\377\0\0\0\100\0\0\0\220\1\0\0'
    zeros='\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'
    printf "$header$zeros\\1\\0\\377\\377\\5\\0" >"$seeds/seed-1"
    printf "$header$zeros\\177\\0\\201\\377" >"$seeds/seed-2"
    ;;
book) cp tests/data/lasker-trap.bin "$seeds" ;;
games)
    # The start position with 1. e4 for half a hundredth of a pawn, as tests/viriformat.rs has it.
    start='\377\377\0\0\0\0\377\377\26\102\45\141\0\0\0\0\210\210\210\210\236\312\255\351\100\0\1\0\0\0\2\0'
    printf "$start\\14\\7\\376\\377\\0\\0\\0\\0" >"$seeds/seed-1"
    printf "$start\\14\\7\\376\\377\\0\\0\\0\\0$start\\14\\7\\1\\0\\0\\0\\0\\0" >"$seeds/seed-2"
    ;;
syzygy)
    number=0
    for name in KQvK KPvK KNNvK KPvKP KPPvK KRvKN; do
        files=("${LONGAN_SYZYGY:-/nowhere}/$name".rtb{w,z})
        if [[ -f ${files[0]} && -f ${files[1]} ]] && (($(cat "${files[@]}" | wc -c) < 60000)); then
            length=$(wc -c <"${files[0]}")
            printf "$(printf '\\x%02x' "$number" $((length & 255)) $((length >> 8)))" | cat - "${files[@]}" >"$seeds/$name"
        fi
        number=$((number + 1))
    done
    ;;
*) echo "there is no target $target" && exit 1 ;;
esac

RUSTFLAGS="-C target-cpu=native ${RUSTFLAGS:-}" exec cargo +nightly fuzz run "$target" --sanitizer "${SANITIZER:-none}" \
    "$seeds" -- -max_total_time="$seconds" -timeout=60 -rss_limit_mb=4096 -print_final_stats=1 "$@"
