//! Where a position of king and pawn against king stands in the table. `build.rs` writes the table and
//! the engine reads it by this file alone, so squares are indices here.
//!
//! White has the pawn, on the files a to d: the other half of the board is its mirror image.

/// Squares of the pawn: four files, ranks two to seven.
const PAWNS: usize = 24;

/// Sets of black kings in the table.
pub const SIZE: usize = 2 * PAWNS * 64;

/// The place of the set for the side to move, the squares of the pawn and of the white king.
pub fn place(white_to_move: bool, pawn: usize, white: usize) -> usize {
    let pawn = (pawn / 8 - 1) * 4 + pawn % 8;
    (usize::from(!white_to_move) * PAWNS + pawn) * 64 + white
}
