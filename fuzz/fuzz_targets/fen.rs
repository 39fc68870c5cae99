//! FENs: what is read can be written and read again, all its moves can be made, taken back and
//! written; what is refused has a reason that fits on a line.

#![no_main]

use libfuzzer_sys::fuzz_target;
use longan::board::Board;
use longan::tools::perft::SuiteLine;

fuzz_target!(|text: &str| {
    let _ = SuiteLine::parse(text);
    let mut board = match Board::from_fen(text) {
        Ok(board) => board,
        Err(error) => {
            let reason = error.to_string();
            assert!(!reason.is_empty() && reason.len() < 300 && !reason.contains('\n'), "{reason:?}");
            return;
        }
    };
    for fen in [board.fen(), board.shredder_fen()] {
        let again = Board::from_fen(&fen).expect("what is written can be read");
        assert_eq!((again.key(), again.shredder_fen()), (board.key(), board.shredder_fen()));
        assert_eq!(again.legal_moves(), board.legal_moves());
    }
    let moves = board.legal_moves();
    assert_eq!(moves.len(), board.count_legal() as usize);
    let before = (board.shredder_fen(), board.key());
    for mv in moves {
        assert!(board.is_legal(mv));
        for written in [board.uci(mv), board.san(mv), board.lan(mv)] {
            assert_eq!(board.parse_move(&written), Ok(mv), "{written} in {}", before.0);
        }
        board.make(mv);
        assert!(Board::from_fen(&board.fen()).is_ok(), "a legal move leads to a position");
        board.unmake();
        assert_eq!((board.shredder_fen(), board.key()), before);
    }
});
