//! King and pawn against king: the result of every position, from a table of 24 KiB that `build.rs`
//! solves (see `solver.rs`).

#![forbid(unsafe_code)]

use crate::board::Position;
use crate::types::{Color, Piece, Square};

mod table {
    include!(concat!(env!("OUT_DIR"), "/kpk.rs"));
}

/// Whether the side with the pawn wins; only for a king and a pawn against a king.
pub fn is_won(position: &Position, strong: Color) -> bool {
    debug_assert_eq!(position.occupied().count(), 3);
    let Some(pawn) = position.piece(Piece::Pawn).first() else { return false };
    let mirror = pawn.file().index() >= 4;
    let seen = |square: Square| {
        let square = square.relative_to(strong);
        if mirror { square.flip_file() } else { square }.index()
    };
    let (pawn, white, black) = (seen(pawn), seen(position.king(strong)), seen(position.king(!strong)));
    // Four files of the ranks from the second on.
    let pawn = (pawn / 8 - 1) * 4 + pawn % 8;
    let white_to_move = position.side_to_move() == strong;
    table::WON[(usize::from(!white_to_move) * 24 + pawn) * 64 + white] >> black & 1 != 0
}
