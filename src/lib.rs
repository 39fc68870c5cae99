//! Longan, a UCI chess engine.

#![warn(missing_docs)]

pub mod attacks;
pub mod board;
pub mod eval;
pub mod search;
pub mod tools;
pub mod tt;
pub mod types;
