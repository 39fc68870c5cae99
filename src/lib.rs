//! Longan, a UCI chess engine.

#![warn(missing_docs)]

pub mod types;
