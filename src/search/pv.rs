//! The principal variation, collected in a triangular table: row `ply` holds the best line
//! from that ply on.

#![forbid(unsafe_code)]

use arrayvec::ArrayVec;

use crate::types::{MAX_PLY, Move};

type Line = ArrayVec<Move, MAX_PLY>;

/// The best lines of all plies.
pub(super) struct PvTable(Box<[Line]>);

impl PvTable {
    pub fn new() -> Self {
        Self(vec![Line::new(); MAX_PLY + 2].into_boxed_slice())
    }

    /// Forgets the line of `ply`, where a new node begins.
    #[inline]
    pub fn clear(&mut self, ply: usize) {
        self.0[ply].clear();
    }

    /// Sets the line of `ply` to `mv` and what is best after it.
    pub fn update(&mut self, ply: usize, mv: Move) {
        let [line, next, ..] = &mut self.0[ply..] else { return };
        line.clear();
        line.push(mv);
        line.extend(next.iter().copied().take(MAX_PLY - 1));
    }

    /// The line of `ply`.
    pub fn line(&self, ply: usize) -> &[Move] {
        &self.0[ply]
    }
}
