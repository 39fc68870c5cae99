//! Perft: counts the leaves of the tree of legal moves, the classic test of a move generator.

#![forbid(unsafe_code)]

use crate::board::Position;

/// How many lines of `depth` legal moves begin at a position. The last ply is counted without
/// playing its moves.
pub fn perft(position: &Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_legal(),
        _ => position
            .legal_moves()
            .into_iter()
            .map(|mv| {
                let mut child = *position;
                child.play(mv);
                perft(&child, depth - 1)
            })
            .sum(),
    }
}
