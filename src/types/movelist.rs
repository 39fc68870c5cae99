//! Lists of moves on the stack.

#![forbid(unsafe_code)]

use arrayvec::ArrayVec;

use super::Move;

/// Room for the moves of any legal position: the most known is 218 (N. Petrović, 1964); the
/// rest covers positions that a game cannot reach.
pub const MAX_MOVES: usize = 256;

/// The moves of one position, without allocation.
pub type MoveList = ArrayVec<Move, MAX_MOVES>;
