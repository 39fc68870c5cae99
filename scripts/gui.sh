#!/usr/bin/env bash
# Longan in a real GUI, on a virtual screen: adds it as a person would, lets it play a game against
# itself to the end, lets it analyse a position, and takes a picture.
#
#   scripts/gui.sh LONGAN PICTURE.png [SECONDS=40]
#
# The GUI is Cute Chess if `cutechess` is on the PATH, else XBoard through Polyglot. Debian:
# apt-get install xvfb openbox xdotool imagemagick procps xboard polyglot. Ends with 1 if the game is
# not played to its end or nothing is analysed.
set -euo pipefail
longan=$(realpath "${1:?the program}") picture=$(realpath -m "${2:?a file for the picture}") seconds=${3:-40}
PATH=$PATH:/usr/games
position='r1bq1rk1/4bppp/p2p1n2/npp1p3/3PP3/2P2N1P/PPB2PP1/RNBQR1K1 b - - 0 11'
folder=$(mktemp -d)
export HOME=$folder
unset XDG_CONFIG_HOME
cd "$folder"

exec 4>display
Xvfb -displayfd 4 -screen 0 1160x800x24 2>/dev/null &
screen=$!
trap 'kill "$screen"' EXIT
until [[ -s display ]]; do sleep 0.2; done
DISPLAY=:$(cat display)
export DISPLAY
openbox 2>/dev/null &

# Waits for a window. Others may vanish during the search, which is then repeated.
window() {
    local found i
    for ((i = 0; i < 200; i++)); do
        found=$(xdotool search --onlyvisible --name "$1" 2>/dev/null | head -n 1) || true
        [[ -z $found ]] || { echo "$found"; return; }
        sleep 0.3
    done
    { echo "there is no window '$1'"; cat log; } >&2
    return 1
}
played() { grep -E '^\[Result "(1-0|0-1|1/2-1/2)"\]' game.pgn; }
# Clicks in a window, at its own coordinates.
click() { xdotool mousemove --window "$1" "$2" "$3" click 1 sleep 1; }
drag() {
    xdotool mousemove --window "$1" "$2" "$3" sleep 0.5 mousedown 1 sleep 0.5 \
        mousemove --window "$1" "$4" "$5" sleep 0.5 mouseup 1 sleep 1
}

# Starts Cute Chess with what a person would choose in the dialog of a new game: milliseconds for
# all moves, 0 for time without end.
start_cutechess() {
    mkdir -p .config/cutechess
    {
        printf '%s\n' '[ui]' 'close_unused_initial_tab=false' '[games]' "default_pgn_output_file=$folder/game.pgn" "opening_suite\\fen=$position"
        for side in '' 'second_time_control\'; do
            printf '%s\n' "${side}time_control\\moves_per_tc=0" "${side}time_control\\time_per_tc=$1"
            (($1)) || echo "${side}time_control\\infinite=true"
        done
    } >.config/cutechess/cutechess.ini
    cutechess >log 2>&1 &
    gui=$!
    main=$(window 'Human vs Human')
    xdotool windowactivate --sync "$main" windowsize --sync "$main" 1150 560 windowmove --sync "$main" 2 20 sleep 1
}

in_cutechess() {
    start_cutechess 10000
    # Tools > Settings > Engines > plus.
    xdotool key alt+o sleep 1 key Return
    dialog=$(window '^Settings$')
    click "$dialog" 118 24
    click "$dialog" 34 619
    window '^Add Engine$' >/dev/null
    xdotool key alt+n type Longan
    xdotool key alt+m type "$longan"
    xdotool sleep 1 key Return sleep 2
    # Closed by Escape, the dialog would not save the engine.
    xdotool key alt+F4 sleep 2
    grep -F "$longan" .config/cutechess/engines.json

    # Game > New, both sides CPU.
    xdotool key ctrl+n
    dialog=$(window '^New Game$')
    click "$dialog" 31 78
    click "$dialog" 225 78
    xdotool key Return
    for ((i = 0; i < 120; i++)); do ! played || break; sleep 1; done
    played
    kill "$gui"

    # Black thinks without end. Only the moves and its lines stay beside the board.
    start_cutechess 0
    xdotool key ctrl+n
    dialog=$(window '^New Game$')
    click "$dialog" 225 78
    xdotool key Return
    main=$(window 'Human vs Longan')
    # The clock shows that the time is infinite only after another tab was looked at; that one goes.
    xdotool sleep 2 key ctrl+shift+Tab sleep 1 key ctrl+w sleep 2
    click "$main" 1142 432
    click "$main" 1142 30
    drag "$main" 629 250 460 250
    drag "$main" 806 250 560 250
}

in_xboard() {
    engine=(-fcp "$longan" -fUCI -fNoOwnBookUCI -fd "$folder" -polyglotDir "$folder" -size 58)
    # XBoard ends by itself after a match, not always with success.
    xboard "${engine[@]}" -scp "$longan" -sUCI -sNoOwnBookUCI -sd "$folder" -mg 1 -tc 0:10 -inc 0 -sgf game.pgn >log 2>&1 || true
    played

    echo "$position" >position.fen
    xboard "${engine[@]}" -initialMode analysis -lpf position.fen -engineOutputUp true >log 2>&1 &
    gui=$!
    output=$(window 'Engine output')
    board=$(window 'position.fen')
    xdotool windowmove "$board" 8 8 windowmove "$output" 500 8 windowsize "$output" 640 560
}

if command -v cutechess >/dev/null; then in_cutechess; else in_xboard; fi
sleep "$seconds"
# The frame may not stand where it was put, so the picture is cut. Few colours make a small file.
import -window root -strip -trim -colors 128 "$picture"
thought=$(ps -C "$(basename "$longan")" -o cputimes= | sort -n | tail -n 1)
kill "$gui"
echo "thought for ${thought:-0} seconds"
[[ ${thought:-0} -gt 0 && -s $picture ]]
ls -l "$picture"
