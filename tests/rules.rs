//! The rules of chess, asked one by one: see `data/rules.txt`.

mod common;

use common::{board, records};
use longan::board::{Board, Outcome};
use longan::types::{Piece, Square};

/// The answer that the library gives to a question, in the words of the data file.
fn answer(question: &str, board: &Board, argument: &str) -> String {
    match question {
        "legal" => board.parse_uci(argument).is_ok().to_string(),
        "moves_from" => {
            let from: Square = argument.parse().unwrap();
            let moves = board.legal_moves();
            let mut texts: Vec<_> =
                moves.iter().filter(|mv| mv.from() == from).map(|&mv| board.uci(mv)).collect();
            texts.sort();
            texts.join(" ")
        }
        "count" => board.count_legal().to_string(),
        "king_only" => {
            let moves = board.legal_moves();
            moves.iter().all(|&mv| board.moved_piece(mv) == Piece::King).to_string()
        }
        "fen_after" => board.fen(),
        "repetition" => (board.repetitions() + 1).to_string(),
        "dead" => board.has_insufficient_material().to_string(),
        "status" => match board.outcome() {
            Some(Outcome::Checkmate { .. }) => "checkmate",
            Some(Outcome::Stalemate) => "stalemate",
            Some(Outcome::DeadPosition) => "dead",
            Some(Outcome::SeventyFiveMoves) => "seventyfive",
            Some(Outcome::FiftyMoves) => "fifty",
            Some(Outcome::ThreefoldRepetition | Outcome::FivefoldRepetition) | None => "none",
        }
        .to_string(),
        _ => panic!("nobody knows the question {question}"),
    }
}

#[test]
fn every_question_gets_its_answer() {
    let mut asked = 0;
    for [id, question, fen, moves, argument, expected, note] in records(include_str!("data/rules.txt")) {
        // Blockades would take a search of the whole game tree; the engine does not claim them.
        if question == "dead_exhaustive" {
            continue;
        }
        let (question, fen) = match question.strip_suffix(" 960") {
            Some(question) => (question, format!("chess960 {fen}")),
            None => (question, fen.to_string()),
        };
        let mut board = board(&fen);
        for text in moves.split_whitespace() {
            let mv = board.parse_uci(text).unwrap_or_else(|error| panic!("{id}: {error}"));
            board.make(mv);
        }
        assert_eq!(
            answer(question, &board, argument),
            expected,
            "{id}: {question} {argument} in {fen} ({note})"
        );
        asked += 1;
    }
    assert_eq!(asked, 105);
}

#[test]
fn a_repetition_is_remembered_until_a_move_that_cannot_be_undone() {
    let mut board = Board::startpos();
    let mut play = |moves: &str| {
        for mv in moves.split(' ') {
            board.make(board.parse_uci(mv).unwrap());
        }
        board.has_repeated()
    };
    assert!(!play("g1f3 g8f6 f3g1"));
    assert!(play("f6g8"), "the start position again");
    assert!(play("b1c3"), "still since the same pawn move");
    assert!(!play("e7e5"));
    assert!(!play("c3b1 b8c6 b1c3"));
    assert!(play("c6b8"));
}
