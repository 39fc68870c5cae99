//! Continuation history: how well a move follows an earlier one, one, two, four or six plies
//! before it (chessprogramming.org, "Countermove heuristic" and "History heuristic").

#![forbid(unsafe_code)]

use super::{filled, gravity};
use crate::types::{Color, Piece, Square};

/// A man of a colour and the square it goes to: the context and the object of histories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PieceTo(u16);

impl PieceTo {
    /// How many there are, with one place for "no move".
    pub const COUNT: usize = 12 * Square::COUNT + 1;

    /// No move: before the root, or a null move.
    pub const NONE: Self = Self(Self::COUNT as u16 - 1);

    #[inline]
    pub fn new(color: Color, piece: Piece, to: Square) -> Self {
        Self(((color.index() * 6 + piece.index()) * Square::COUNT + to.index()) as u16)
    }

    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Rows by the earlier move, columns by the present one.
pub(crate) struct ContinuationHistory(Box<[[i16; PieceTo::COUNT]; PieceTo::COUNT]>);

impl ContinuationHistory {
    /// How many plies back the earlier moves lie.
    pub const PLIES: [usize; 4] = [1, 2, 4, 6];

    pub fn new() -> Self {
        Self(filled([0; PieceTo::COUNT]))
    }

    pub fn clear(&mut self) {
        self.0.fill([0; PieceTo::COUNT]);
    }

    #[inline]
    pub fn get(&self, earlier: PieceTo, piece_to: PieceTo) -> i32 {
        i32::from(self.0[earlier.index()][piece_to.index()])
    }

    /// The row of an earlier move, for scoring many present ones.
    #[inline]
    pub fn row(&self, earlier: PieceTo) -> &[i16; PieceTo::COUNT] {
        &self.0[earlier.index()]
    }

    #[inline]
    pub fn update(&mut self, earlier: PieceTo, piece_to: PieceTo, bonus: i32) {
        if earlier != PieceTo::NONE {
            gravity(&mut self.0[earlier.index()][piece_to.index()], bonus);
        }
    }
}
