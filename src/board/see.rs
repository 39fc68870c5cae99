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
    ///
    /// ```
    /// use longan::board::Board;
    ///
    /// // The pawn is guarded: the rook would be lost for it.
    /// let board = Board::from_fen("4k3/8/3p4/4p3/8/8/8/4R1K1 w - - 0 1").unwrap();
    /// let takes = board.parse_san("Rxe5").unwrap();
    /// assert!(board.see_at_least(takes, -400) && !board.see_at_least(takes, -399));
    /// ```
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;
    use crate::types::{Color, Square};

    /// The value of the exchange, found by asking for every threshold.
    fn see(fen: &str, mv: &str) -> Score {
        let board = Board::from_fen(fen).unwrap();
        let mv = board.parse_uci(mv).unwrap();
        let reached: Vec<_> = (-2000..=2000).filter(|&score| board.see_at_least(mv, score)).collect();
        let best = *reached.last().unwrap();
        assert_eq!(reached.len() as Score, best + 2001, "a threshold is reached, but not a lower one");
        best
    }

    #[test]
    fn worked_exchanges() {
        // A free pawn.
        assert_eq!(see("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "e1e5"), 100);
        // Knight for pawn: NxP NxN RxN BxR loses more, so White stops after the knight is lost.
        assert_eq!(see("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "d3e5"), -200);
        // Rook takes a pawn that a pawn guards.
        assert_eq!(see("4k3/8/3p4/4p3/8/8/8/4RK2 w - - 0 1", "e1e5"), -400);
        // A second rook behind the first does not help against a pawn, but against a king.
        assert_eq!(see("4k3/8/3p4/4p3/8/8/4R3/4RK2 w - - 0 1", "e2e5"), -300);
        assert_eq!(see("8/8/4k3/4p3/8/8/4R3/4RK2 w - - 0 1", "e2e5"), 100);
        // A king takes back only what nobody guards.
        assert_eq!(see("8/8/4k3/4p3/8/8/4R3/5K2 w - - 0 1", "e2e5"), -400);
        // Equal trades.
        assert_eq!(see("4k3/8/2n5/4n3/8/5N2/8/4K3 w - - 0 1", "f3e5"), 0);
        assert_eq!(see("3qk3/8/8/8/8/8/8/3QK3 w - - 0 1", "d1d8"), 0);
    }

    #[test]
    fn special_moves_exchange_what_they_take_and_become() {
        let fen = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
        assert_eq!(see(fen, "e5d6"), 100);
        // The rook takes the pawn back.
        assert_eq!(see("3rk3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "e5d6"), 0);
        assert_eq!(see("8/3P2k1/8/8/8/8/8/4K3 w - - 0 1", "d7d8q"), 800);
        assert_eq!(see("8/3P4/8/8/8/8/4K1k1/2r5 w - - 0 1", "d7d8n"), 200);
        // The new queen is lost to the rook.
        assert_eq!(see("2r5/3P2k1/8/8/8/8/8/4K3 w - - 0 1", "d7d8q"), -100);
        assert_eq!(see("2r5/3P2k1/8/8/8/8/8/4K3 w - - 0 1", "d7c8q"), 1300);
        assert_eq!(see("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1"), 0);
        // A quiet move to a guarded square.
        assert_eq!(see("6k1/8/3p4/8/8/8/8/4R1K1 w - - 0 1", "e1e5"), -500);
    }

    /// What the side to move wins by taking the man worth `prize` on `to` or leaving it, with
    /// all attackers found anew at each step.
    fn best(position: &Position, to: Square, occupied: Bitboard, side: Color, prize: Score) -> Score {
        let attackers = position.attackers_to(to, occupied) & occupied;
        let least = Piece::ALL
            .into_iter()
            .find_map(|piece| Some((piece, (attackers & position.pieces(side, piece)).first()?)));
        let Some((piece, from)) = least else { return 0 };
        if piece == Piece::King && (attackers & position.color(!side)).any() {
            return 0;
        }
        let rest = best(position, to, occupied ^ from.into(), !side, value(piece));
        (prize - rest).max(0)
    }

    #[test]
    fn thresholds_agree_with_a_full_exchange() {
        let suite = include_str!("../../perft-suites/standard.epd");
        let mut moves = 0;
        for line in suite.lines().filter(|line| !line.starts_with('#')) {
            let board = Board::from_fen(line.split(';').next().unwrap()).unwrap();
            for mv in board.legal_moves().into_iter().filter(|mv| !mv.is_castling()) {
                let mut occupied = board.occupied() ^ mv.from().into();
                if mv.is_en_passant() {
                    occupied ^= en_passant_victim(mv.to()).into();
                }
                let moved = board.moved_piece(mv);
                let arrived = mv.promoted().unwrap_or(moved);
                let gain = board.captured(mv).map_or(0, value) + value(arrived) - value(moved);
                let us = board.side_to_move();
                let score = gain - best(&board, mv.to(), occupied, !us, value(arrived));
                assert!(board.see_at_least(mv, score), "{mv:?} is worth {score} in {line}");
                assert!(!board.see_at_least(mv, score + 1), "{mv:?} is worth {score} in {line}");
                moves += 1;
            }
        }
        assert!(moves > 1000);
    }
}
