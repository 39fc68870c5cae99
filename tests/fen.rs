//! FENs read and written, and every reason to refuse one.

mod common;

use common::{records, suite_positions};
use longan::board::{Board, FenError, Position, Setup, SetupError};
use longan::types::{CastlingRights, Color, File, Piece, Square, Wing};
use proptest::prelude::*;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

fn position(fen: &str) -> Position {
    *Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}")).position()
}

fn message(fen: &str) -> String {
    match Board::from_fen(fen) {
        Ok(board) => panic!("{fen} was taken as {}", board.fen()),
        Err(error) => error.to_string(),
    }
}

#[test]
fn fens_are_written_as_python_chess_writes_them() {
    for [found, x_fen, shredder_fen] in records(include_str!("data/fen_forms.txt")) {
        for text in [found, x_fen, shredder_fen] {
            let mut position = position(text);
            assert_eq!(position.shredder_fen(), shredder_fen);
            position.set_chess960(true);
            assert_eq!(position.fen(), shredder_fen);
            position.set_chess960(false);
            assert_eq!(position.fen(), x_fen);
        }
    }
}

#[test]
fn positions_of_the_perft_suites_read_back_as_themselves() {
    for fen in suite_positions() {
        let position = position(fen);
        let again = self::position(&position.fen());
        assert_eq!((again.fen(), again.key()), (position.fen(), position.key()), "{fen}");
        assert_eq!(again.is_chess960(), position.is_chess960(), "{fen}");
    }
}

#[test]
fn chess960_arrays_have_scharnagls_numbers() {
    let data = include_str!("data/chess960.txt").lines().filter(|line| !line.starts_with('#'));
    let arrays: Vec<_> = data.flat_map(str::split_whitespace).collect();
    assert_eq!(arrays.len(), Setup::START_ARRAYS);
    for (number, array) in arrays.iter().enumerate() {
        let fen = Position::from_setup(Setup::chess960(number).unwrap()).unwrap().fen();
        assert_eq!(fen.split('/').next(), Some(*array), "{number}");
    }
}

#[test]
fn double_chess960_starts_are_written_with_file_letters() {
    let position = Position::from_setup(Setup::double(0, 959).unwrap()).unwrap();
    assert_eq!(position.fen(), "rkrnnqbb/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFca - 0 1");
}

#[test]
fn the_standard_start_is_the_same_from_everywhere() {
    let start = Position::from_setup(Setup::startpos()).unwrap();
    assert_eq!(start.fen(), START);
    assert_eq!(Board::startpos().fen(), START);
    assert_eq!(Setup::from_fen(START).unwrap(), Setup::startpos());
}

#[test]
fn short_fens_and_any_white_space_are_read() {
    let expected = "4k3/8/8/3p4/8/8/4P3/4K3 b - - 0 1";
    assert_eq!(position("4k3/8/8/3p4/8/8/4P3/4K3 b - -").fen(), expected);
    assert_eq!(position("4k3/8/8/3p4/8/8/4P3/4K3 b - - 0").fen(), expected);
    assert_eq!(position("  4k3/8/8/3p4/8/8/4P3/4K3 \t b  -\u{a0}-   0 \n 1 \r\n").fen(), expected);
}

#[test]
fn clocks_are_kept_in_range() {
    let clocks = |text: &str| {
        let position = position(&format!("4k3/8/8/8/8/8/8/4K2R w - - {text}"));
        (position.halfmove_clock(), position.fullmove())
    };
    assert_eq!(clocks("99 80"), (99, 80));
    assert_eq!(clocks("-1 0"), (0, 1));
    assert_eq!(clocks("00000 12345"), (0, 12_345));
    assert_eq!(clocks("70000 99999999999999999999"), (65_535, 65_535));
}

#[test]
fn castling_letters_mean_the_outermost_rook_or_a_file() {
    let rights = |fen: &str| {
        let castling = position(fen).castling();
        [Color::White, Color::Black].map(|color| Wing::ALL.map(|wing| castling.get(color, wing)))
    };
    let (a, b, f, h) = (Some(File::A), Some(File::B), Some(File::F), Some(File::H));
    assert_eq!(rights("rr2k2r/8/8/8/8/8/8/R3KR1R w KQkq - 0 1"), [[h, a], [h, a]]);
    assert_eq!(rights("rr2k2r/8/8/8/8/8/8/R3KR1R w FAb - 0 1"), [[f, a], [None, b]]);
    assert_eq!(rights("rr2k2r/8/8/8/8/8/8/R3KR1R w qQ - 0 1"), [[None, a], [None, a]]);
}

#[test]
fn only_positions_that_need_it_are_chess960() {
    for (fen, chess960) in [
        (START, false),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w HAha - 0 1", true),
        ("bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1", true),
        ("bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w - - 0 1", false),
        ("4k3/8/8/8/8/8/8/4K1R1 w K - 0 1", true),
    ] {
        assert_eq!(position(fen).is_chess960(), chess960, "{fen}");
    }
}

#[test]
fn rights_of_kqkq_without_king_or_rook_are_dropped() {
    for (rights, kept) in [
        ("4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w KQkq - 0 1", "-"),
        ("r3k3/8/8/8/8/8/8/4K2R w KQkq - 0 1", "Kq"),
        ("r6r/4k3/8/8/8/8/4K3/R6R w KQkq - 0 1", "-"),
        ("4k2b/8/8/8/8/8/8/4K2r w Kk - 0 1", "-"),
    ] {
        // White is in check from the rook on h1 in the last one, which is no reason to refuse it.
        assert_eq!(position(rights).fen().split(' ').nth(2), Some(kept), "{rights}");
    }
}

#[test]
fn en_passant_squares_without_a_legal_capture_are_dropped() {
    for (fen, kept) in [
        ("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1", "-"),
        ("8/6bk/8/K2pP2r/8/8/8/8 w - d6 0 1", "-"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "d6"),
    ] {
        assert_eq!(position(fen).fen().split(' ').nth(3), Some(kept), "{fen}");
    }
}

#[test]
fn what_cannot_be_read_is_refused_with_its_reason() {
    for (fen, expected) in [
        ("", "the FEN ends before its board"),
        ("hello", "the board has 1 ranks instead of 8"),
        ("8/8", "the board has 2 ranks instead of 8"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1", "the board has 7 ranks instead of 8"),
        ("8/8/8/8/8/8/8/4K2k/ w - - 0 1", "the board has 9 ranks instead of 8"),
        ("rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "rank 7 has more than 8 squares"),
        ("rnbqkbnr/pppppppp/7/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "rank 6 has fewer than 8 squares"),
        ("88888888/8/8/8/8/8/8/4K2k w - - 0 1", "rank 8 has more than 8 squares"),
        ("4k3/9/8/8/8/8/8/4K3 w - - 0 1", "`9` on the board is neither a man nor a number from 1 to 8"),
        ("4k3/8/8/8/8/8/8/4K2X w - - 0 1", "`X` on the board is neither a man nor a number from 1 to 8"),
        ("4k3/8/8/8/8/8/8/4K3", "the FEN ends before its side to move"),
        ("4k3/8/8/8/8/8/8/4K3 x - - 0 1", "the side to move is `x` instead of `w` or `b`"),
        ("4k3/8/8/8/8/8/8/4K3 w", "the FEN ends before its castling rights"),
        (
            "4k3/8/8/8/8/8/8/4K3 w KX - 0 1",
            "`X` is no castling right (`-`, K, Q, k, q, or the letters of the rooks' files)",
        ),
        ("4k3/8/8/8/8/8/8/4K2R w KHK - 0 1", "the castling field `KHK` grants one right twice"),
        ("4k3/8/8/8/8/8/8/4K3 w -", "the FEN ends before its en-passant square"),
        ("4k3/8/8/8/8/8/8/4K3 w - e9 0 1", "the en-passant field `e9` is neither `-` nor a square"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0.5 1", "the half-move clock `0.5` is not a whole number"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 one", "the move number `one` is not a whole number"),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1 e2e4", "the FEN goes on after the move number with `e2e4`"),
    ] {
        assert_eq!(message(fen), expected, "{fen}");
    }
    let long = message(&format!("4k3/8/8/8/8/8/8/4K3 {} - - 0 1", "\u{1b}ä".repeat(50_000)));
    assert!(long.len() < 250 && !long.contains('\u{1b}'), "{long}");
}

#[test]
fn what_cannot_exist_is_refused_with_its_reason() {
    for (fen, expected) in [
        ("8/8/8/3k4/8/8/4P3/8 w - - 0 1", "White has no king"),
        ("8/8/8/8/8/8/4P3/4K3 w - - 0 1", "Black has no king"),
        ("4k3/8/8/8/8/8/8/K3K3 w - - 0 1", "White has 2 kings"),
        (
            "P3k3/8/8/8/8/8/8/4K2p w - - 0 1",
            "a pawn stands on a8, but pawns are never on the first or last rank",
        ),
        (
            "4k3/8/8/8/8/8/8/4K2p w - - 0 1",
            "a pawn stands on h1, but pawns are never on the first or last rank",
        ),
        ("rnbqkbnr/pppppppp/8/8/8/N7/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "White has 17 men, more than 16"),
        ("4k3/8/8/8/8/P7/PPPPPPPP/4K3 w - - 0 1", "White has 9 pawns, more than 8"),
        (
            "q1qqk3/pppppppp/8/8/8/8/8/4K3 b - - 0 1",
            "Black has 8 pawns and at least 2 promoted pieces, together more than 8",
        ),
        (
            "4k3/8/8/8/8/8/PPPPPPPP/B1B1K3 w - - 0 1",
            "White has 8 pawns and at least 1 promoted pieces, together more than 8",
        ),
        (
            "4k3/8/8/8/8/8/8/4K3 w H - 0 1",
            "White has the right to castle with a rook on h1, but none of its rooks is there",
        ),
        (
            "4k2R/8/8/8/8/8/8/4K3 b h - 0 1",
            "Black has the right to castle with a rook on h8, but none of its rooks is there",
        ),
        (
            "4k3/8/8/8/8/8/4K3/7R w H - 0 1",
            "White has a castling right, but its king is not on its first rank",
        ),
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq e6 0 1",
            "the en-passant square is e6, but no pawn has just jumped over it",
        ),
        (
            "rnbqkbnr/pppp1ppp/8/4p3/8/8/PPPPPPPP/RNBQKBNR w KQkq e3 0 2",
            "the en-passant square e3 is not on the rank the opponent's pawns jump over",
        ),
        (
            "4k3/4p3/8/3Pp3/8/8/8/4K3 w - e6 0 1",
            "the en-passant square is e6, but it or the square the pawn came from is occupied",
        ),
        (
            "4k3/8/4n3/3Pp3/8/8/8/4K3 w - e6 0 1",
            "the en-passant square is e6, but it or the square the pawn came from is occupied",
        ),
        ("4k3/8/8/8/8/8/8/4RK2 w - - 0 1", "Black is in check, but it is not Black's turn"),
        ("8/8/8/8/8/8/3k4/4K3 b - - 0 1", "White is in check, but it is not White's turn"),
        (
            "4k3/8/3N4/1B6/8/8/8/4R1K1 b - - 0 1",
            "3 men give check, but no move gives check with more than two",
        ),
    ] {
        assert_eq!(message(fen), expected, "{fen}");
    }
}

#[test]
fn unreachable_but_playable_positions_are_taken() {
    for fen in [
        "B6b/8/8/8/2K5/5k2/8/b6B b - - 0 1",
        "Kbnn1kb1/PP1q4/q4q2/2q4q/4q3/1q4q1/3q4/r6r b - - 0 1",
        "1QqQ1q2/Q1Q2q2/3Q2qq/8/Q2qQ3/4q3/QK1k4/4qQ1q w - - 0 1",
        "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    ] {
        assert_eq!(position(fen).fen(), fen);
    }
}

#[test]
fn setups_made_by_code_are_judged_too() {
    let mut setup = Setup::empty();
    assert_eq!(Position::from_setup(setup.clone()).unwrap_err(), SetupError::NoKing(Color::White));
    setup.put(Square::E1, Color::White, Piece::King);
    setup.put(Square::H1, Color::White, Piece::Rook);
    setup.put(Square::E8, Color::Black, Piece::King);
    let error =
        |castling: CastlingRights| Position::from_setup(Setup { castling, ..setup.clone() }).unwrap_err();
    let mut castling = CastlingRights::default();
    castling.set(Color::White, Wing::Queen, Some(File::H));
    assert_eq!(
        error(castling).to_string(),
        "White has the right to castle to the queen's wing, but the rook on h1 is on the other side of the king"
    );
    castling = CastlingRights::default();
    castling.set(Color::White, Wing::King, Some(File::G));
    assert_eq!(error(castling), SetupError::CastlingRook { color: Color::White, rook: Square::G1 });
    castling.set(Color::White, Wing::King, Some(File::H));
    let position = Position::try_from(Setup { castling, ..setup.clone() }).unwrap();
    assert_eq!(position.fen(), "4k3/8/8/8/8/8/8/4K2R w K - 0 1");
}

#[test]
fn errors_of_reading_and_of_rules_can_be_told_apart() {
    let error = Board::from_fen("8/8/8/3k4/8/8/4P3/8 w - - 0 1").unwrap_err();
    assert_eq!(error, FenError::Setup(SetupError::NoKing(Color::White)));
}

/// A FEN of which a few characters have been changed, taken out or put in.
fn damaged_fen() -> impl Strategy<Value = String> {
    let fens = prop::sample::select(vec![
        START,
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "4k3/8/8/2pPp3/8/8/8/4K3 w - c6 0 1",
        "qbbnrkr1/p1pppppp/1p4n1/8/2P5/6N1/PPNPPPPP/1BRKBRQ1 b FCge - 1 3",
    ]);
    let change = (any::<prop::sample::Index>(), "[KQRBNPkqrbnp1-8/ wHAha-]{0,2}", any::<bool>());
    (fens, prop::collection::vec(change, 1..4)).prop_map(|(fen, changes)| {
        let mut fen = fen.to_string();
        for (place, text, replace) in changes {
            let start = place.index(fen.len());
            let end = if replace { (start + text.len().max(1)).min(fen.len()) } else { start };
            fen.replace_range(start..end, &text);
        }
        fen
    })
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in "\\PC{0,80}") {
        let _ = Board::from_fen(&text);
    }

    #[test]
    fn what_is_taken_reads_back_and_can_be_played(fen in damaged_fen()) {
        if let Ok(board) = Board::from_fen(&fen) {
            let again = Board::from_fen(&board.fen()).unwrap();
            prop_assert_eq!(again.key(), board.key());
            prop_assert_eq!(again.fen(), board.fen());
            for &mv in &board.legal_moves() {
                let mut next = *board.position();
                next.play(mv);
                prop_assert!(Board::from_fen(&next.fen()).is_ok(), "{} after {}", board.fen(), board.uci(mv));
            }
        }
    }
}
