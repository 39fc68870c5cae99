//! Attacks of sliders by one multiplication and one table look-up: the occupied squares that
//! matter, times a "magic" number, have a distinct index in their top bits. `build.rs` finds
//! the numbers and computes the tables.

use super::tables::{BISHOP_MAGICS, ROOK_MAGICS, SLIDES};
use crate::types::{Bitboard, Square};

/// How the occupied squares around one slider become an index into the common table.
pub(super) struct Magic {
    /// The squares that can block the slider.
    pub mask: u64,
    pub multiplier: u64,
    pub shift: u32,
    /// Where this square's part of the table starts.
    pub offset: usize,
}

impl Magic {
    #[inline]
    fn attacks(&self, occupied: Bitboard) -> Bitboard {
        let relevant = occupied.0 & self.mask;
        let index = self.offset + (relevant.wrapping_mul(self.multiplier) >> self.shift) as usize;
        Bitboard(SLIDES[index])
    }
}

/// What a bishop attacks when `occupied` squares block it; the blockers are attacked too.
#[inline]
pub fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    BISHOP_MAGICS[square.index()].attacks(occupied)
}

/// What a rook attacks when `occupied` squares block it; the blockers are attacked too.
#[inline]
pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    ROOK_MAGICS[square.index()].attacks(occupied)
}
