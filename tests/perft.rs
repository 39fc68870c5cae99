//! The generator against known counts: every line of the perft suites, as deep as time allows.

use longan::board::Board;
use longan::tools::perft::{SuiteLine, perft};

/// Enough for four plies of all middle games.
const MAX_NODES: u64 = 5_000_000;

fn check(suite: &str, positions: usize) {
    let lines: Vec<_> = suite.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(lines.len(), positions);
    for line in lines {
        let known = SuiteLine::parse(line).unwrap_or_else(|| panic!("not a suite line: {line}"));
        let board = Board::from_fen(&known.fen).unwrap_or_else(|error| panic!("{line}: {error}"));
        let (depth, count) = known.deepest(MAX_NODES).unwrap_or_else(|| panic!("no depth: {line}"));
        assert_eq!(perft(board.position(), depth), count, "depth {depth} of {line}");
    }
}

#[test]
fn standard_suite() {
    check(include_str!("../perft-suites/standard.epd"), 114);
}

#[test]
fn chess960_suite() {
    check(include_str!("../perft-suites/chess960.epd"), 202);
}

#[test]
fn tricky_suite() {
    check(include_str!("../perft-suites/tricky.epd"), 133);
}
