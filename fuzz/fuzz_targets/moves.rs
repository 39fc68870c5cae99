//! Texts of moves in many positions: what is taken is legal, and what is written for it reads as
//! the same move; what is refused has a reason that fits on a line.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use longan::board::Board;

static POSITIONS: LazyLock<Vec<Board>> = LazyLock::new(|| {
    let suites = [
        include_str!("../../perft-suites/tricky.epd"),
        include_str!("../../perft-suites/chess960.epd"),
        include_str!("../../perft-suites/standard.epd"),
    ];
    let lines = suites.into_iter().flat_map(|suite| suite.lines().filter(|line| !line.starts_with('#')));
    lines.filter_map(|line| Board::from_fen(line.split(';').next()?).ok()).take(256).collect()
});

fuzz_target!(|input: (u8, &str)| {
    let (number, text) = input;
    let board = &POSITIONS[usize::from(number) % POSITIONS.len()];
    for read in [board.parse_uci(text), board.parse_san(text), board.parse_move(text)] {
        match read {
            Ok(mv) => {
                assert!(board.is_legal(mv) && board.legal_moves().contains(&mv));
                assert_eq!(board.parse_uci(&board.uci(mv)), Ok(mv));
                assert_eq!(board.parse_san(&board.san(mv)), Ok(mv));
                assert_eq!(board.parse_san(&board.lan(mv)), Ok(mv));
            }
            Err(error) => {
                let reason = error.to_string();
                assert!(!reason.is_empty() && reason.len() < 500 && !reason.contains('\n'), "{reason:?}");
            }
        }
    }
});
