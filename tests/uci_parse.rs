//! What the UCI parser makes of text, first of all of the lines that `vampirc-uci` 0.11.1 reads
//! wrongly, in part, or with a panic. The numbers in brackets count those lines.

use longan::search::{Clock, Limits};
use longan::types::{ByColor, MAX_PLY};
use longan::uci::{Command, Parsed, parse};
use proptest::prelude::*;

/// The command of a line that must be understood whole.
fn clean(line: &str) -> Command {
    let Parsed { command, notes } = parse(line.as_bytes());
    assert!(notes.is_empty(), "{line:?}: {notes:?}");
    command.unwrap_or_else(|| panic!("{line:?} is not understood"))
}

/// The command of a line of which something must be skipped with a note.
fn noted(line: &str) -> Command {
    let Parsed { command, notes } = parse(line.as_bytes());
    assert!(!notes.is_empty(), "{line:?} must leave a note");
    command.unwrap_or_else(|| panic!("{line:?} is not understood"))
}

/// The note of a line that makes no sense.
fn refused(line: &str) -> String {
    let Parsed { command, notes } = parse(line.as_bytes());
    assert_eq!(command, None, "{line:?}");
    notes.first().unwrap_or_else(|| panic!("{line:?} must leave a note")).clone()
}

fn ignored(line: &[u8]) {
    assert_eq!(parse(line), Parsed::default(), "{line:?}");
}

fn go(limits: Limits) -> Command {
    Command::Go { limits, search_moves: Vec::new() }
}

fn infinite() -> Limits {
    Limits { infinite: true, ..Limits::default() }
}

fn clocks(white: (i64, i64), black: (i64, i64)) -> Limits {
    let clock = |(remaining, increment)| Some(Clock { remaining, increment });
    Limits { clocks: ByColor([clock(white), clock(black)]), ..Limits::default() }
}

fn depth(depth: u32) -> Command {
    go(Limits::depth(depth))
}

fn nodes(nodes: u64) -> Command {
    go(Limits::nodes(nodes))
}

fn start(moves: &[&str]) -> Command {
    Command::Position { fen: None, moves: strings(moves) }
}

fn fen(fen: &str, moves: &[&str]) -> Command {
    Command::Position { fen: Some(fen.to_string()), moves: strings(moves) }
}

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(ToString::to_string).collect()
}

fn option(name: &str, value: Option<&str>) -> Command {
    Command::SetOption { name: name.to_string(), value: value.map(str::to_string) }
}

#[test]
fn plain_commands() {
    assert_eq!(clean("uci"), Command::Uci);
    assert_eq!(clean("debug on"), Command::Debug(true));
    assert_eq!(clean("debug off"), Command::Debug(false));
    assert_eq!(clean("isready"), Command::IsReady);
    assert_eq!(clean("register later"), Command::Register);
    assert_eq!(clean("ucinewgame"), Command::UciNewGame);
    assert_eq!(clean("stop"), Command::Stop);
    assert_eq!(clean("ponderhit"), Command::PonderHit);
    assert_eq!(clean("quit"), Command::Quit);
    assert_eq!(clean("setoption name Hash value 64"), option("Hash", Some("64")));
    assert_eq!(clean("position startpos moves e2e4 e7e5"), start(&["e2e4", "e7e5"]));
    assert_eq!(clean("position startpos moves"), start(&[]));
    assert_eq!(clean("go infinite"), go(infinite()));
    assert_eq!(clean("d"), Command::Display);
    assert_eq!(clean("eval"), Command::Eval);
    assert_eq!(clean("bench"), Command::Bench);
}

#[test]
fn go_with_blanks_and_large_numbers() {
    // [1]
    for line in ["go depth 5 ", "go\tdepth\t5\t", "  go   depth  5", "go depth 5 \r\n"] {
        assert_eq!(clean(line), depth(5), "{line:?}");
    }
    assert_eq!(clean("go "), go(infinite()));
    assert_eq!(clean("go"), go(infinite()));
    // [2], [3]
    assert_eq!(clean("go depth 256"), depth(256));
    assert_eq!(clean("go depth 999"), depth(999));
    assert_eq!(clean("go depth 1000"), depth(1000));
    assert_eq!(clean("go mate 300"), go(Limits { mate: Some(300), ..Limits::default() }));
    let control = |moves| Limits { moves_to_go: Some(moves), ..clocks((1, 0), (1, 0)) };
    assert_eq!(clean("go wtime 1 btime 1 movestogo 256"), go(control(256)));
    assert_eq!(clean("go wtime 1 btime 1 movestogo 1000"), go(control(1000)));
    // [4]
    assert_eq!(clean("go nodes 1000000000000"), nodes(1_000_000_000_000));
    assert_eq!(clean("go nodes 9223372036854775807"), nodes(i64::MAX as u64));
    assert_eq!(clean("go nodes 99999999999999999999999"), nodes(i64::MAX as u64));
    // [5], [6]: a clock beyond 34 years is as good as one of 34 years.
    assert_eq!(clean("go wtime 9999999999999 btime 1"), go(clocks((1 << 40, 0), (1, 0))));
    assert_eq!(clean("go wtime 999999999999 btime 1"), go(clocks((999_999_999_999, 0), (1, 0))));
    assert_eq!(clean("go wtime -50 btime +1000"), go(clocks((-50, 0), (1000, 0))));
    let at_once = Limits { move_time: Some(0), ..Limits::default() };
    assert_eq!(clean("go movetime -1"), go(at_once));
}

#[test]
fn go_skips_what_it_cannot_use_and_keeps_the_rest() {
    // [7]
    assert_eq!(noted("go btime 1000 wtime 1000.5 winc 5"), go(clocks((1000, 5), (1000, 0))));
    assert_eq!(clean("go wtime 1000 btime 900 movestogo -1 winc 5"), go(clocks((1000, 5), (900, 0))));
    // [8], [9]
    assert_eq!(noted("go wtime 1000 btime 900 foo 3 winc 10"), go(clocks((1000, 10), (900, 0))));
    assert_eq!(noted("go depth 5 foo"), depth(5));
    assert_eq!(noted("go infinite foo depth 5"), go(Limits { depth: Some(5), ..infinite() }));
    assert_eq!(noted("go nodes 100 softnodes 5000"), nodes(100));
    assert_eq!(noted("go foo depth 5"), depth(5));
    assert_eq!(noted("go rtime 5"), go(infinite()));
    assert_eq!(clean("go perft 5"), Command::Perft { depth: 5 });
    // [12]: there is an answer to every go.
    assert_eq!(clean("go depth -1"), depth(1));
    assert_eq!(clean("go depth 0"), depth(1));
    assert_eq!(clean("go nodes -5"), nodes(1));
    assert_eq!(clean("go mate -2"), go(Limits { mate: Some(1), ..Limits::default() }));
    for line in ["go depth", "go movetime", "go wtime", "go nodes many"] {
        assert_eq!(noted(line), go(infinite()), "{line}");
    }
    // One clock is taken for both sides.
    assert_eq!(noted("go wtime btime 1000"), go(clocks((1000, 0), (1000, 0))));
    assert_eq!(clean("go winc 10 binc 10"), go(infinite()));
}

#[test]
fn go_keeps_all_limits() {
    // [10]
    let ponder = Limits { ponder: true, ..clocks((1000, 0), (900, 0)) };
    assert_eq!(clean("go ponder wtime 1000 btime 900"), go(ponder.clone()));
    assert_eq!(clean("go wtime 1000 btime 900 ponder"), go(ponder));
    // [11]
    let both = Limits { move_time: Some(500), ..clocks((1000, 0), (900, 0)) };
    assert_eq!(clean("go movetime 500 wtime 1000 btime 900"), go(both));
    assert_eq!(clean("go movetime 500 infinite"), go(Limits { move_time: Some(500), ..infinite() }));
    let all = Limits { depth: Some(60), nodes: Some(7), move_time: Some(200), ..Limits::default() };
    assert_eq!(clean("go depth 60 movetime 200 nodes 7"), go(all));
}

#[test]
fn go_searchmoves() {
    // [13]: whether the words are moves is for the board to say.
    let search = |limits, moves: &[&str]| Command::Go { limits, search_moves: strings(moves) };
    assert_eq!(clean("go searchmoves"), search(infinite(), &[]));
    assert_eq!(clean("go searchmoves foo"), search(infinite(), &["foo"]));
    assert_eq!(clean("go searchmoves e2e4 0000"), search(infinite(), &["e2e4", "0000"]));
    assert_eq!(clean("go searchmoves e2e4 d2d4 depth 3"), search(Limits::depth(3), &["e2e4", "d2d4"]));
    assert_eq!(clean("go depth 3 searchmoves e2e4"), search(Limits::depth(3), &["e2e4"]));
}

#[test]
fn perft_depth_is_kept_in_range() {
    assert_eq!(clean("go perft 0"), Command::Perft { depth: 0 });
    assert_eq!(clean("go perft -3"), Command::Perft { depth: 0 });
    assert_eq!(clean("go perft 99999"), Command::Perft { depth: MAX_PLY as u32 });
    assert_eq!(noted("go perft"), go(infinite()));
}

const SHORT_FEN: &str = "4k3/8/8/3p4/8/8/4P3/4K3 w - -";

#[test]
fn position_with_any_blanks_and_any_fen() {
    // [14], [20]
    for line in ["position startpos moves  e2e4", "position\tstartpos  moves\te2e4\r\n"] {
        assert_eq!(clean(line), start(&["e2e4"]), "{line:?}");
    }
    let blanks = "position fen   4k3/8/8/3p4/8/8/4P3/4K3   b   -   -   0   1   moves   d5d4";
    assert_eq!(clean(blanks), fen("4k3/8/8/3p4/8/8/4P3/4K3 b - - 0 1", &["d5d4"]));
    // [15] to [19]: the words are kept; whether they are a position is for the board to say.
    for text in [
        SHORT_FEN,
        "4k3/8/8/3p4/8/8/4P3/4K3 w - - 3",
        "hello",
        "8/8",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1",
        "nrkbbqrn/pppp1p1p/6p1/4p3/2P5/6N1/PP1PPPPP/NRKBBQR1 w GBgb - 0 3",
        "4k3/8/8/8/8/8/8/4K3 w - - -1 0",
        "4k3/8/8/8/8/8/8/4K3 w - - 0 12345",
        "4k3/8/8/8/8/8/8/4K3 w - e9 0 1",
        "88888888/8/8/8/8/8/8/4K2k w - - 0 1",
        "4k3/8/8/8/8/8/8/4K3 W KKKK - 0 1",
    ] {
        assert_eq!(clean(&format!("position fen {text}")), fen(text, &[]));
        assert_eq!(clean(&format!("position fen {text} moves e1e2")), fen(text, &["e1e2"]));
    }
    assert_eq!(clean("position fen"), fen("", &[]));
}

#[test]
fn position_keeps_every_move() {
    // [21], [22], [23]
    for word in
        ["0000", "(none)", "xyz", "O-O", "e2-e4", "e2e9", "e7e8k", "e7e8p", "e7e8=q", "e7e8Q", "e2e4e7e5"]
    {
        let line = format!("position startpos moves e2e4 {word} d2d4");
        assert_eq!(clean(&line), start(&["e2e4", word, "d2d4"]));
    }
    assert_eq!(clean("POSITION STARTPOS MOVES E2E4"), start(&["E2E4"]));
    // [48]
    let moves = ["g1f3", "g8f6", "f3g1", "f6g8"].repeat(5000);
    assert_eq!(clean(&format!("position startpos moves {}", moves.join(" "))), start(&moves));
}

#[test]
fn position_skips_unknown_words() {
    // [24]: the crate reads the second line as if there were a blank before `moves`.
    assert!(refused("position startposmoves e2e4").contains("startpos"));
    let glued = noted(&format!("position fen {SHORT_FEN} 0 1moves e1e2"));
    assert_eq!(glued, fen(&format!("{SHORT_FEN} 0 1moves"), &[]));
    // [25]
    assert_eq!(noted("position startpos e2e4"), start(&[]));
    assert_eq!(noted("position foo startpos bar moves e2e4"), start(&["e2e4"]));
    assert_eq!(noted("position startpos moves e2e4 moves e7e5"), start(&["e2e4", "e7e5"]));
    assert_eq!(noted(&format!("position fen {SHORT_FEN} 0 1 e1e2")), fen(&format!("{SHORT_FEN} 0 1"), &[]));
    for line in ["position", "position e2e4", "position moves e2e4"] {
        assert!(refused(line).contains("startpos"), "{line}");
    }
}

#[test]
fn words_that_only_begin_like_commands() {
    // [24]
    for line in ["isreadyx", "ucinewgamex", "ponderhitfoo", "ucix", "stopx", "quitx", "godepth 5", "dd"] {
        assert!(refused(line).contains("unknown word"), "{line}");
    }
    assert!(refused("debug onx").contains("debug"));
}

#[test]
fn setoption_names_and_values() {
    // [26] to [29]
    assert_eq!(clean("setoption name Clear Hash"), option("Clear Hash", None));
    for line in ["setoption name X value", "setoption name X value ", "setoption name X value <empty>"] {
        assert_eq!(clean(line), option("X", Some("")), "{line:?}");
    }
    assert_eq!(clean("setoption name Hash value 128 "), option("Hash", Some("128")));
    assert_eq!(clean("setoption name Ponder value TRUE\r\n"), option("Ponder", Some("TRUE")));
    // [30], [31]
    assert_eq!(clean("setoption name ValueScale value 3"), option("ValueScale", Some("3")));
    assert_eq!(clean("setoption name Use Values value 3"), option("Use Values", Some("3")));
    assert!(refused("setoption name value 3").contains("no option"));
    // [32]
    assert_eq!(clean("setoption  name  Clear  Hash"), option("Clear Hash", None));
    let blanks = "setoption   name   Move   Overhead   value   50  ";
    assert_eq!(clean(blanks), option("Move Overhead", Some("50")));
    // [33]
    let path = r"C:\tables\3  4;D:\more value tables";
    assert_eq!(clean(&format!("setoption name SyzygyPath value {path}")), option("SyzygyPath", Some(path)));
    let long = "x".repeat(100_000);
    assert_eq!(clean(&format!("setoption name Book value {long}")), option("Book", Some(&long)));
    assert_eq!(clean("SETOPTION NAME Hash VALUE 7"), option("Hash", Some("7")));
    for line in ["setoption", "setoption name", "setoption name ", "setoption Hash value 64"] {
        assert!(refused(line).contains("setoption"), "{line:?}");
    }
    assert_eq!(clean("setoption name Hash 64"), option("Hash 64", None));
}

#[test]
fn unknown_words_around_commands_are_skipped() {
    // [34], [35]
    assert_eq!(noted("joho debug on"), Command::Debug(true));
    assert_eq!(noted("foo uci"), Command::Uci);
    assert_eq!(noted("uci foo"), Command::Uci);
    assert_eq!(noted("stop now"), Command::Stop);
    assert_eq!(noted("isready x"), Command::IsReady);
    assert!(refused("hello world").contains("hello"));
    // [36]
    assert_eq!(clean("\u{feff}uci"), Command::Uci);
    assert_eq!(clean("uci\0"), Command::Uci);
    for line in [&b""[..], b"\n", b"  \t \r\n", b"\0\0"] {
        ignored(line);
    }
    // [37]
    for line in ["register name A", "register code 1", "register", "register name A code 1"] {
        assert_eq!(clean(line), Command::Register, "{line}");
    }
    for line in ["debug", "debug maybe"] {
        assert!(refused(line).contains("debug"), "{line}");
    }
    assert_eq!(clean("debug ON"), Command::Debug(true));
    // [38], [39] and the other lines that only engines send.
    for line in ["bestmove e2e4", "info depth 256", "option name X type check", "readyok", "id name X"] {
        assert!(refused(line).contains("unknown word"), "{line}");
    }
}

#[test]
fn bytes_that_are_no_text() {
    assert_eq!(parse(b"go depth 5\xff").command, Some(go(infinite())));
    assert_eq!(parse(b"\xff\xfe uci").command, Some(Command::Uci));
    assert_eq!(parse(b"position startpos moves e2e4 \xc3").command, Some(start(&["e2e4", "\u{fffd}"])));
}

#[test]
fn notes_are_few_and_short() {
    let line = "go ".to_string() + &"depth x foo ".repeat(100_000);
    let notes = parse(line.as_bytes()).notes;
    assert!(notes.len() <= 4 && notes.iter().all(|note| note.len() < 200), "{notes:?}");
    let note = refused(&"\u{1b}[31m".repeat(1000));
    assert!(!note.contains('\u{1b}') && note.len() < 500, "{note}");
}

const WORDS: &[&str] = &[
    "uci",
    "debug",
    "on",
    "off",
    "isready",
    "setoption",
    "name",
    "value",
    "register",
    "later",
    "code",
    "ucinewgame",
    "position",
    "startpos",
    "fen",
    "moves",
    "go",
    "searchmoves",
    "ponder",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "infinite",
    "stop",
    "ponderhit",
    "quit",
    "perft",
    "e2e4",
    "e7e8q",
    "0000",
    "-1",
    "256",
    "99999999999999999999",
    "1.5",
    "<empty>",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
    "w",
    "KQkq",
    "-",
    "é",
    "\0",
    "\u{feff}",
];

/// Lines made of words of the protocol and noise, where most accidents happen.
fn word_soup() -> impl Strategy<Value = String> {
    const BLANKS: &[&str] = &[" ", "  ", "\t", "\r\n", ""];
    let pair = (proptest::sample::select(WORDS), proptest::sample::select(BLANKS));
    proptest::collection::vec(pair, 0..30)
        .prop_map(|pairs| pairs.into_iter().flat_map(|(word, blank)| [word, blank]).collect())
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes: Vec<u8>) {
        parse(&bytes);
    }

    #[test]
    fn no_words_panic(line in word_soup()) {
        parse(line.as_bytes());
    }

    #[test]
    fn blanks_never_matter(moves in proptest::collection::vec("[a-h][1-8][a-h][1-8][qrbn]?", 0..20)) {
        let plain = format!("position startpos moves {}", moves.join(" "));
        let spread = format!("\t position  startpos\tmoves   {} \r\n", moves.join("  "));
        prop_assert_eq!(parse(plain.as_bytes()), parse(spread.as_bytes()));
        prop_assert_eq!(
            parse(plain.as_bytes()).command,
            Some(Command::Position { fen: None, moves })
        );
    }

    #[test]
    fn numbers_are_kept(depth in 1..=u32::MAX, nodes in 1..=i64::MAX, time in 0..1_i64 << 40) {
        let line = format!("go depth {depth} nodes {nodes} movetime {time}");
        let limits = Limits {
            depth: Some(depth), nodes: Some(nodes as u64), move_time: Some(time), ..Limits::default()
        };
        prop_assert_eq!(parse(line.as_bytes()).command, Some(go(limits)));
    }
}
