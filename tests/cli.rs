//! The commands of the program: what they print, and the exit code.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use longan::board::Board;

struct Run {
    code: Option<i32>,
    output: String,
    errors: String,
}

fn longan(arguments: &[&str]) -> Run {
    let output = Command::new(env!("CARGO_BIN_EXE_longan")).args(arguments).stdin(Stdio::null()).output();
    let output = output.expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("the program writes UTF-8");
    Run { code: output.status.code(), output: text(output.stdout), errors: text(output.stderr) }
}

/// The output of a command that must succeed.
fn good(arguments: &[&str]) -> String {
    let run = longan(arguments);
    assert!(run.code == Some(0) && run.errors.is_empty(), "{arguments:?}: {}", run.errors);
    run.output
}

/// The message of a command that must fail with this code.
fn bad(code: i32, arguments: &[&str]) -> String {
    let run = longan(arguments);
    assert_eq!(run.code, Some(code), "{arguments:?}: {}{}", run.output, run.errors);
    run.errors
}

/// A file of this test program, with a name no other test uses.
fn file(name: &str, text: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, text).unwrap();
    path
}

#[test]
fn perft_counts() {
    assert!(good(&["perft", "4"]).starts_with("Nodes searched: 197281\nTime: "));
    assert!(good(&["perft", "0"]).starts_with("Nodes searched: 1\n"));
    let fen = "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1";
    assert!(
        good(&["perft", "5", "--fen", fen, "--threads", "2", "--hash", "1"])
            .starts_with("Nodes searched: 674624\n")
    );
}

#[test]
fn perft_divides_in_the_wanted_notation() {
    let castle = ["perft", "1", "--divide", "--fen", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"];
    let standard = good(&castle);
    assert!(standard.contains("e1g1: 1\n") && standard.contains("\n\nNodes searched: 15\n"), "{standard}");
    let chess960 = good(&[&castle[..], &["--chess960"]].concat());
    assert!(chess960.contains("e1h1: 1\n") && !chess960.contains("e1g1"), "{chess960}");
}

#[test]
fn perft_suites_are_checked() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let right = file("right.epd", &format!("# source: rules\n\n{start} ;D1 20 ;D2 400 ;D3 8902\n"));
    let right = right.to_str().unwrap();
    assert!(good(&["perft", "--suite", right]).ends_with("1 counts, 0 wrong, 8902 nodes\n"));
    assert!(
        good(&["perft", "--suite", right, "--max-nodes", "400"]).ends_with("1 counts, 0 wrong, 400 nodes\n")
    );
    let wrong = file("wrong.epd", &format!("{start} ;D1 20 ;D2 401\n"));
    let run = longan(&["perft", "--suite", wrong.to_str().unwrap()]);
    assert_eq!((run.code, run.errors.as_str()), (Some(1), "error: 1 of the counts are wrong\n"));
    assert!(run.output.starts_with("line 1: depth 2 has 400 leaves, not 401: "), "{}", run.output);
    let noise = file("noise.epd", &format!("{start} ;D1 20\nhello\n"));
    assert!(bad(1, &["perft", "--suite", noise.to_str().unwrap()]).contains("line 2"));
    assert!(bad(1, &["perft", "--suite", "no/such/file"]).contains("no/such/file"));
    let deep = file("deep.epd", &format!("{start} ;D1 20\n{start} ;D99999 20\n"));
    assert!(bad(1, &["perft", "--suite", deep.to_str().unwrap()]).contains("line 2"));
    // What is left out must be a position all the same, and nothing checked is no success.
    let hidden = file("hidden.epd", &format!("{start} ;D1 20\n8/8/8 w - - 0 1 ;D1 20\n"));
    assert!(bad(1, &["perft", "--suite", hidden.to_str().unwrap(), "--max-nodes", "5"]).contains("line 2"));
    assert!(bad(1, &["perft", "--suite", right, "--max-nodes", "5"]).contains("nothing to check"));
    let empty = file("empty.epd", "# nothing\n");
    assert!(bad(1, &["perft", "--suite", empty.to_str().unwrap()]).contains("nothing to check"));
    let bench = ["bench", "--nodes", "100", "--epd", empty.to_str().unwrap()];
    assert!(bad(1, &bench).contains("nothing to check"));
}

#[test]
fn bench_is_deterministic_and_ends_with_its_nodes() {
    let nodes = |arguments: &[&str]| {
        let output = good(arguments);
        let last = output.lines().last().unwrap();
        let words: Vec<_> = last.split(' ').collect();
        assert!(matches!(words[..], [_, "nodes", _, "nps"]), "{last}");
        words[0].parse::<u64>().unwrap()
    };
    let first = nodes(&["bench", "--depth", "5"]);
    assert_eq!(first, nodes(&["bench", "--depth", "5"]));
    let shallow = nodes(&["bench", "--depth", "3", "--hash", "1"]);
    assert!(shallow < first);
    // The second thread searches on until the first one is done.
    assert!(nodes(&["bench", "--depth", "3", "--threads", "2", "--hash", "1"]) > shallow);
}

#[test]
fn bench_counts_solved_positions() {
    let suite = file(
        "suite.epd",
        "7k/8/6K1/8/8/8/8/R7 w - - bm Ra8#; id \"mate\";\n\
         7k/8/6K1/8/8/8/8/R7 w - - am Ra8#; id \"anything else\";\n",
    );
    let output = good(&["bench", "--epd", suite.to_str().unwrap(), "--nodes", "2000"]);
    let lines: Vec<_> = output.lines().collect();
    assert_eq!(lines[..3], ["line 1: Ra8# solved", "line 2: Ra8# missed", "1 of 2 solved"]);
    assert!(lines[3].ends_with(" nps"));
}

#[test]
fn eval_is_from_whites_view() {
    let score = |arguments: &[&str]| {
        let text = good(arguments);
        let line = text.lines().find_map(|line| line.strip_prefix("Scaled score: ")).expect("a score");
        line.trim().parse::<f64>().unwrap()
    };
    assert!(score(&["eval", "--fen", "4k3/8/8/8/8/8/3QP3/4K3 w - - 0 1"]) > 5.0);
    assert!(score(&["eval", "--fen", "4k3/3qp3/8/8/8/8/8/4K3 w - - 0 1"]) < -5.0);
    assert!(score(&["eval", "--fen", "4k3/8/8/8/8/8/3QP3/4K3 b - - 0 1"]) > 5.0);
    assert!(score(&["eval"]).abs() < 1.0);
}

/// The FENs of `genfens`, given as one argument with the `quit` of OpenBench behind it.
fn genfens(words: &str) -> Vec<String> {
    let output = good(&[words, "quit"]);
    let fens = output.lines().map(|line| line.strip_prefix("info string genfens ").expect(line).to_string());
    fens.collect()
}

#[test]
fn genfens_gives_each_seed_its_own_openings() {
    let first = genfens("genfens 4 seed 7 book None");
    assert_eq!(first, genfens("genfens 4 seed 7 book None"));
    // Behind the book OpenBench gives words of the test, which change nothing.
    assert_eq!(
        first[..2],
        genfens("genfens 2 seed 7 book None dfrc"),
        "the first do not depend on the number"
    );
    let other = genfens("genfens 4 seed 8 book None");
    let all: HashSet<_> = first.iter().chain(&other).collect();
    assert_eq!(all.len(), 8);
    for fen in all {
        let board = Board::from_fen(fen).unwrap();
        assert!(board.has_legal_move() && (3..=6).contains(&board.fullmove()), "{fen}");
    }
}

#[test]
fn genfens_goes_on_from_the_lines_of_a_book() {
    let line = "rnbqkbnr/1ppppppp/8/p7/8/7P/PPPPPPP1/RNBQKBNR w KQkq - 0 20";
    let book = file("book.epd", &format!("{line}\n"));
    let fens = genfens(&format!("genfens 3 seed 1 book {}", book.display()));
    assert_eq!(fens.len(), 3);
    for fen in fens {
        let fullmove = Board::from_fen(&fen).unwrap().fullmove();
        assert!((22..=23).contains(&fullmove), "four or five plies after the line: {fen}");
    }
    let lost = file("lost.epd", "4k3/8/8/8/8/8/4P3/QQQ1K3 w - - 0 1\n");
    let lost = format!("genfens 1 seed 1 book {}", lost.display());
    assert!(bad(1, &[&lost]).contains("leaves both sides a game"));
}

#[test]
fn genfens_tells_what_is_wrong() {
    assert!(bad(1, &["genfens 1 seed 1 book no/such/file", "quit"]).contains("no/such/file"));
    for words in ["genfens x seed 1 book None", "genfens 1 seed 1", "genfens 1 seed -1 book None"] {
        assert!(bad(1, &[words]).contains(words), "{words}");
    }
    assert!(bad(2, &["genfens"]).starts_with("error: "));
}

#[test]
fn the_version_names_the_build() {
    assert_eq!(good(&["-V"]), concat!("longan ", env!("CARGO_PKG_VERSION"), "\n"));
    let long = good(&["--version"]);
    let words: Vec<_> = long.lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(words, ["longan", "commit", "target", "kernels"], "{long}");
}

#[test]
fn wrong_arguments_are_told() {
    assert!(good(&["--help"]).contains("perft"));
    assert!(bad(1, &["eval", "--fen", "8/8/8/8/8/8/8/8 w - - 0 1"]).contains("king"));
    assert!(bad(1, &["perft", "2", "--fen", "hello"]).starts_with("error: "));
    for arguments in [
        &["play"][..],
        &["perft"],
        &["perft", "many"],
        &["perft", "-1"],
        &["perft", "3", "--threads", "0"],
        &["bench", "--depth", "0"],
        &["bench", "--epd", "x.epd"],
        &["bench", "--nodes", "5"],
    ] {
        assert!(bad(2, arguments).starts_with("error: "), "{arguments:?}");
    }
}

#[test]
fn a_closed_output_is_no_error() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_longan"));
    let command = command.args(["perft", "3", "--divide"]).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}
