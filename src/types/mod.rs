//! The vocabulary of chess: colours, pieces, squares, sets of squares, moves and scores.
//!
//! Nothing here knows a rule. Every type is a plain value with a dense index, so that tables
//! can be arrays.

mod bitboard;
mod castling;
mod color;
mod key;
mod movelist;
mod moves;
mod piece;
mod score;
mod square;

pub use bitboard::Bitboard;
pub use castling::{CastlingRights, Wing};
pub use color::{ByColor, Color};
pub use key::Key;
pub use movelist::{MAX_MOVES, MoveList};
pub use moves::{Move, MoveKind};
pub use piece::Piece;
pub use score::{
    INFINITE, MATE, MAX_EVAL, MAX_PLY, Score, TB_WIN, is_decisive, is_mate, mate_distance, mate_in, mated_in,
};
pub use square::{File, Rank, Square};
