//! What makes a move legal: the tests that the generator, `is_legal` and `play` share.

use super::Position;
use crate::attacks;
use crate::types::{Bitboard, Piece, Square};

/// The square of the pawn that is taken when a pawn takes en passant on `target`.
#[inline]
pub(super) fn en_passant_victim(target: Square) -> Square {
    // The target is on the third or sixth rank, its victim on the fourth or fifth.
    Square::from_index(target.index() ^ 8)
}

impl Position {
    /// Whether the side to move has a legal en passant capture with this target.
    pub(super) fn can_capture_en_passant(&self, target: Square) -> bool {
        self.en_passant_capturers(target).any()
    }

    /// The pawns of the side to move that can legally take en passant on `target`.
    ///
    /// Two men leave their lines at once, so pins tell too little: the king may be opened to a
    /// rook along the rank, or to a bishop through the taken pawn. The capture is tried out.
    pub(super) fn en_passant_capturers(&self, target: Square) -> Bitboard {
        let (us, them) = (self.side, !self.side);
        let victim = Bitboard::from(en_passant_victim(target));
        let candidates = attacks::pawn(them, target) & self.pieces(us, Piece::Pawn);
        let safe = |&from: &Square| {
            let occupied = (self.occupied() ^ victim ^ from.into()) | target.into();
            let attackers = self.attackers_to(self.king(us), occupied) & self.color(them);
            attackers.without(victim).is_empty()
        };
        candidates.into_iter().filter(safe).collect()
    }
}
