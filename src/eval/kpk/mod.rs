//! King and pawn against king: the result of every position, from a table of 24 KiB that `build.rs`
//! solves (see `solver.rs`).

#![forbid(unsafe_code)]

mod layout;

use crate::board::Position;
use crate::types::{Color, Square};

mod table {
    include!(concat!(env!("OUT_DIR"), "/kpk.rs"));
}

const _: () = assert!(table::WON.len() == layout::SIZE);

/// Whether `strong` wins with its `pawn`; only for a king and a pawn against a king.
pub fn is_won(position: &Position, strong: Color, pawn: Square) -> bool {
    debug_assert_eq!(position.occupied().count(), 3);
    let mirror = pawn.file().index() >= 4;
    let seen = |square: Square| {
        let square = square.relative_to(strong);
        if mirror { square.flip_file() } else { square }.index()
    };
    let (white, black) = (seen(position.king(strong)), seen(position.king(!strong)));
    let place = layout::place(position.side_to_move() == strong, seen(pawn), white);
    table::WON[place] >> black & 1 != 0
}
