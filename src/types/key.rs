//! Zobrist keys.

#![forbid(unsafe_code)]

/// A 64-bit Zobrist hash (A. L. Zobrist, "A New Hashing Method with Application for Game
/// Playing", 1970).
pub type Key = u64;
