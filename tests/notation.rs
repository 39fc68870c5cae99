//! Moves as text, against the answers of python-chess, and every way there and back.

mod common;

use common::{board, random_games, records, suite_positions};
use longan::board::{Board, NotationError, Position, Setup};
use longan::types::Move;
use proptest::prelude::*;

#[test]
fn moves_are_read_and_written_in_every_notation() {
    for [topic, fen, uci, san, lan, also] in records(include_str!("data/notation.txt")) {
        let chess960 = if topic.starts_with("chess960") { "chess960 " } else { "" };
        let board = board(&format!("{chess960}{fen}"));
        let mv = board.parse_uci(uci).unwrap_or_else(|error| panic!("{topic}, {fen}: {error}"));
        assert_eq!(board.uci(mv), uci, "{fen}");
        assert_eq!(board.san(mv), san, "{fen}");
        assert_eq!(board.lan(mv), lan, "{fen}");
        let marked = format!(" {san}!? ");
        for text in also.split_whitespace().chain([uci, san, lan, &marked]) {
            assert_eq!(board.parse_move(text), Ok(mv), "{text} in {fen}");
        }
    }
}

#[test]
fn what_is_no_move_is_refused_for_the_right_reason() {
    for [fen, text, kind] in records(include_str!("data/notation_reject.txt")) {
        let found = match board(fen).parse_san(text) {
            Ok(_) => "legal",
            Err(NotationError::Invalid { .. }) => "invalid",
            Err(NotationError::Illegal { .. }) => "illegal",
            Err(NotationError::Ambiguous { .. }) => "ambiguous",
        };
        assert_eq!(found, kind, "{text} in {fen}");
    }
}

#[test]
fn all_legal_moves_have_the_names_that_python_chess_gives_them() {
    for [fen, expected] in records(include_str!("data/all_moves.txt")) {
        let board = board(fen);
        let name = |&mv: &Move| format!("{}={}", board.uci(mv), board.san(mv));
        let mut names: Vec<_> = board.legal_moves().iter().map(name).collect();
        names.sort();
        assert_eq!(names.join(" "), expected, "{fen}");
    }
}

#[test]
fn whole_games_are_read_as_their_scores_give_them() {
    for [name, start, score, uci, last] in records(include_str!("data/games.txt")) {
        let mut board = board(start);
        assert_eq!(score.split(' ').count(), uci.split(' ').count(), "{name}");
        for (text, uci) in score.split(' ').zip(uci.split(' ')) {
            // One score passes: its author shows what the opponent threatened.
            if uci == "0000" {
                assert!(matches!(board.parse_move(text), Err(NotationError::Invalid { .. })));
                board.make_null();
                continue;
            }
            let mv = board.parse_move(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(board.uci(mv), uci, "{name}");
            board.make(mv);
        }
        let mut position = *board.position();
        position.set_chess960(false);
        assert_eq!(position.fen(), last, "{name}");
    }
}

#[test]
fn castling_is_read_in_both_forms() {
    let standard = board("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1");
    for (king_to, king_takes) in [("e1g1", "e1h1"), ("e1c1", "e1a1")] {
        let mv = standard.parse_uci(king_to).unwrap();
        assert_eq!(standard.parse_uci(king_takes), Ok(mv));
        assert_eq!(standard.uci(mv), king_to);
        let chess960 = board("chess960 r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1");
        assert_eq!(chess960.parse_uci(king_to), Ok(mv));
        assert_eq!(chess960.uci(mv), king_takes);
    }
    // The king can step to g1, so f1g1 is a step; c1 is a rook's square, so b1c1 castles short.
    let step = board("chess960 4k3/8/8/8/8/8/8/5K1R w H - 0 1");
    assert!(!step.parse_uci("f1g1").unwrap().is_castling());
    assert_eq!(step.san(step.parse_uci("f1h1").unwrap()), "O-O");
    let close = board("chess960 4k3/8/8/8/8/8/8/RKR5 w CA - 0 1");
    assert_eq!(close.san(close.parse_uci("b1c1").unwrap()), "O-O");
    assert_eq!(
        close.parse_uci("b1a1").unwrap_err().to_string(),
        "`b1a1` is illegal: the king cannot castle there now"
    );
}

#[test]
fn promotion_letters_may_be_capitals_and_may_not_be_missing() {
    let board = board("4k3/P7/8/8/8/8/7p/4K3 w - - 0 1");
    assert_eq!(board.parse_uci("a7a8Q"), board.parse_uci("a7a8q"));
    assert_eq!(board.parse_move("a8=q"), board.parse_uci("a7a8q"));
    let message = |text| board.parse_move(text).unwrap_err().to_string();
    assert_eq!(message("a7a8"), "`a7a8` is illegal: the piece that the pawn becomes is missing");
    assert_eq!(message("a7a8k"), "`a7a8k` is illegal: a pawn becomes a queen, rook, bishop or knight");
    assert_eq!(message("a8"), "`a8` is illegal: the piece that the pawn becomes is missing");
    assert_eq!(message("e1e2q"), "`e1e2q` is illegal: only a pawn on its last step becomes another piece");
}

#[test]
fn en_passant_and_marks_are_read() {
    let board = board("rnbqkbnr/ppp1p1pp/8/3pPp2/8/8/PPPP1PPP/RNBQKBNR w KQkq f6 0 3");
    let mv = board.parse_uci("e5f6").unwrap();
    assert!(mv.is_en_passant());
    for text in
        ["exf6", "exf6e.p.", "exf6 e.p.", "e5xf6 ep!", "e5f6", "exf6+", "exf6 ep.", "ef6", "e:f6", "Pexf6"]
    {
        assert_eq!(board.parse_san(text), Ok(mv), "{text}");
    }
    assert!(
        matches!(board.parse_san("f6"), Err(NotationError::Illegal { .. })),
        "a pawn that takes names its file"
    );
}

#[test]
fn errors_say_what_is_wrong() {
    let fen = "r3k2r/8/8/8/1b2q3/2N2n2/P7/R3K2R w KQkq - 0 1";
    for (text, message) in [
        ("", "`` is not a move: nothing stands there"),
        ("hello", "`hello` is not a move: it ends neither with a square nor with a piece"),
        ("Xf3", "`Xf3` is not a move: its first letter is no piece"),
        ("Nd9", "`Nd9` is not a move: it does not end with a square"),
        ("Nz4d5", "`Nz4d5` is not a move: what stands before the target is no square, file or rank"),
        ("0000", "`0000` is not a move: it does not end with a square"),
        ("e2e4", "`e2e4` is illegal: no man stands on the first square"),
        ("e8d8", "`e8d8` is illegal: the man on the first square is the opponent's"),
        ("c3a2", "`c3a2` is illegal: an own man stands on the target square"),
        ("a2a5", "`a2a5` is illegal: that man does not move there"),
        ("c3d5", "`c3d5` is illegal: the king would still be in check"),
        ("Nd5", "`Nd5` is illegal: the king would still be in check"),
        ("e1g1", "`e1g1` is illegal: the king cannot castle there now"),
        ("O-O-O", "`O-O-O` is illegal: castling to that wing is not possible now"),
        ("Qd5", "`Qd5` is illegal: there is no such man"),
        ("Ng6", "`Ng6` is illegal: no such man can go there"),
    ] {
        assert_eq!(board(fen).parse_move(text).unwrap_err().to_string(), message, "{text}");
    }
    let long = board(fen).parse_move(&"e4".repeat(50_000)).unwrap_err().to_string();
    assert!(long.len() < 120, "{long}");
}

/// Every legal move reads back from each notation as itself, and no two have one name.
fn check_names(board: &Board) {
    let moves = board.legal_moves();
    let mut names = Vec::new();
    for &mv in &moves {
        for text in [board.uci(mv), board.san(mv), board.lan(mv)] {
            assert_eq!(board.parse_move(&text), Ok(mv), "{text} in {}", board.fen());
        }
        assert_eq!(board.parse_uci(&board.uci(mv)), Ok(mv));
        assert_eq!(board.parse_san(&board.san(mv)), Ok(mv));
        assert_eq!(board.parse_san(&board.lan(mv)), Ok(mv));
        names.push(board.san(mv));
    }
    names.sort();
    names.dedup();
    assert_eq!(names.len(), moves.len(), "{}", board.fen());
}

#[test]
fn names_are_unique_and_read_back_in_random_games() {
    random_games(&Board::startpos(), 4, 150, |board, _| check_names(board));
    for (white, black) in [(0, 959), (37, 680), (518, 518), (902, 3)] {
        let start = Position::from_setup(Setup::double(white, black).unwrap()).unwrap();
        random_games(&Board::from_position(start), 2, 60, |board, _| check_names(board));
    }
}

#[test]
fn names_are_unique_and_read_back_in_the_perft_suites() {
    for fen in suite_positions() {
        let mut position = *Board::from_fen(fen).unwrap().position();
        for chess960 in [true, false] {
            position.set_chess960(chess960);
            check_names(&Board::from_position(position));
        }
    }
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in "\\PC{0,12}") {
        let _ = Board::startpos().parse_move(&text);
    }

    /// Texts made of what moves are made of come much closer to being moves.
    #[test]
    fn what_is_read_is_legal(text in "[KQRBNPX]?[a-i]?[0-9]?[x:-]?[a-i][0-9](=?[QRBNKPqrbnkp])?( ?e\\.p\\.)?[+#!?]{0,2}") {
        for fen in ["n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
                    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
                    "4k3/8/8/2pPp3/8/8/8/4K3 w - c6 0 1"] {
            let board = board(fen);
            if let Ok(mv) = board.parse_move(&text) {
                prop_assert!(board.legal_moves().contains(&mv), "{} in {}", text, fen);
                let square = mv.to().to_string();
                prop_assert!(mv.is_castling() || text.contains(&square), "{} in {}", text, fen);
            }
        }
    }

    #[test]
    fn coordinates_mean_what_they_say(from in 0_usize..64, to in 0_usize..64, piece in "[qrbnkp]?") {
        use longan::types::Square;
        let board = board("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
        let text = format!("{}{}{piece}", Square::from_index(from), Square::from_index(to));
        let named = board.legal_moves().iter().any(|&mv| board.uci(mv) == text || format!("{mv:?}") == text);
        prop_assert_eq!(board.parse_uci(&text).is_ok(), named, "{}", text);
    }
}
