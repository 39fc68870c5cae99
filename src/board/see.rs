//! Static exchange evaluation: does a sequence of captures on one square pay?
//!
//! Both sides take with their least valuable man and may stop at any time; sliders behind
//! others join in. Pins and checks are ignored, except that a king never takes a guarded man.
//! The question is only whether a threshold is reached, so most exchanges end early.

use super::Position;
use super::legal::en_passant_victim;
use crate::attacks;
use crate::types::{Bitboard, Move, Piece, Score};

/// What a man is worth in an exchange, in centipawns. A king is never lost, so it costs nothing.
const VALUES: [Score; 6] = [100, 300, 300, 500, 900, 0];

#[inline]
const fn value(piece: Piece) -> Score {
    VALUES[piece.index()]
}

impl Position {
    /// Whether a legal move wins at least `threshold` centipawns by the exchange it begins on
    /// its target square, with best play of both sides. Castling exchanges nothing.
    pub fn see_at_least(&self, mv: Move, threshold: Score) -> bool {
        if mv.is_castling() {
            return threshold <= 0;
        }
        let to = mv.to();
        let moved = self.moved_piece(mv);
        let arrived = mv.promoted().unwrap_or(moved);
        let gain = self.captured(mv).map_or(0, value) + value(arrived) - value(moved);

        // `balance` is what the side that took last has beyond its aim if it stops now, or,
        // after the subtraction, if it then loses the man it took with.
        let mut balance = gain - threshold;
        if balance < 0 {
            return false;
        }
        balance -= value(arrived);
        if balance >= 0 {
            return true;
        }

        let mut occupied = self.occupied() ^ mv.from().into();
        if mv.is_en_passant() {
            occupied ^= en_passant_victim(to).into();
        }
        let diagonal = self.piece(Piece::Bishop) | self.piece(Piece::Queen);
        let straight = self.piece(Piece::Rook) | self.piece(Piece::Queen);
        let mut attackers = self.attackers_to(to, occupied);
        let mut side = self.side;
        loop {
            side = !side;
            attackers &= occupied;
            let own = attackers & self.color(side);
            let least = Piece::ALL.into_iter().map(|piece| (piece, own & self.piece(piece)));
            let Some((piece, from)) = least.into_iter().find_map(|(piece, set)| Some((piece, set.first()?)))
            else {
                break;
            };
            balance = -balance - 1 - value(piece);
            if balance >= 0 {
                // The aim is reached even if this man is lost. A king must not be.
                if piece == Piece::King && (attackers & self.color(!side)).any() {
                    side = !side;
                }
                side = !side;
                break;
            }
            occupied ^= Bitboard::from(from);
            if matches!(piece, Piece::Pawn | Piece::Bishop | Piece::Queen) {
                attackers |= attacks::bishop(to, occupied) & diagonal;
            }
            if matches!(piece, Piece::Rook | Piece::Queen) {
                attackers |= attacks::rook(to, occupied) & straight;
            }
        }
        // `side` is the one that could not, or need not, go on.
        side != self.side
    }
}
