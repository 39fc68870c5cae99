//! The rules of chess.

#![forbid(unsafe_code)]

mod legal;
mod position;
mod zobrist;

pub use position::Position;
