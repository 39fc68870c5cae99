//! What makes a move legal: the tests that the generator, `is_legal` and `play` share.
//!
//! A move of a man other than the king is legal when it respects two sets of squares: the check
//! mask (where a check is answered) and, for a pinned man, the line of its pin. King moves,
//! castling and en passant are tested one by one.

use super::Position;
use super::makemove::castled_squares;
use crate::attacks;
use crate::types::{Bitboard, Color, File, Move, MoveKind, Piece, Rank, Square, Wing};

/// The square of the pawn that is taken when a pawn takes en passant on `target`.
#[inline]
pub(super) fn en_passant_victim(target: Square) -> Square {
    // The target is on the third or sixth rank, its victim on the fourth or fifth.
    Square::from_index(target.index() ^ 8)
}

impl Position {
    /// The man that a move of this position moves.
    ///
    /// # Panics
    /// If nothing stands where the move starts.
    #[inline]
    pub fn moved_piece(&self, mv: Move) -> Piece {
        self.mailbox[mv.from().index()].expect("a man stands where a legal move starts")
    }

    /// The man that a legal move takes.
    #[inline]
    pub fn captured(&self, mv: Move) -> Option<Piece> {
        match mv.kind() {
            MoveKind::EnPassant => Some(Piece::Pawn),
            MoveKind::Castling => None,
            _ => self.mailbox[mv.to().index()],
        }
    }

    /// Whether a legal move takes something; castling does not.
    #[inline]
    pub fn is_capture(&self, mv: Move) -> bool {
        self.captured(mv).is_some()
    }

    /// Whether a legal move is of the class that [`Position::noisy_moves`] gives: promotions
    /// to a queen, and captures that do not promote.
    #[inline]
    pub fn is_noisy(&self, mv: Move) -> bool {
        match mv.promoted() {
            Some(piece) => piece == Piece::Queen,
            None => self.is_capture(mv),
        }
    }

    /// Whether this is a legal move here. Any of the 2¹⁶ encodings may be asked, as moves from
    /// the transposition table belong to unknown positions.
    pub fn is_legal(&self, mv: Move) -> bool {
        let (from, to, us) = (mv.from(), mv.to(), self.side);
        let Some(piece) = self.mailbox[from.index()].filter(|_| self.color(us).contains(from)) else {
            return false;
        };
        // Only promotions use the bits of the promoted man.
        if mv.kind() != MoveKind::Promotion && mv.bits() >> 12 & 3 != 0 {
            return false;
        }
        match mv.kind() {
            MoveKind::Castling => {
                piece == Piece::King
                    && self.castling_rooks().contains(to)
                    && self.castling_path(to).is_some_and(|path| self.safe_for_king(path) == path)
            }
            MoveKind::EnPassant => {
                piece == Piece::Pawn && self.ep == Some(to) && self.en_passant_capturers(to).contains(from)
            }
            MoveKind::Normal | MoveKind::Promotion if self.color(us).contains(to) => false,
            MoveKind::Normal if piece == Piece::King => {
                attacks::king(from).contains(to) && self.is_safe_for_king(to)
            }
            MoveKind::Normal | MoveKind::Promotion => {
                let promotes = piece == Piece::Pawn && to.rank().relative_to(us) == Rank::Eighth;
                promotes == (mv.kind() == MoveKind::Promotion)
                    && self.check_mask().contains(to)
                    && (!self.pinned.contains(from) || attacks::line(self.king(us), from).contains(to))
                    && self.reaches(piece, from, to)
            }
        }
    }

    /// Whether a man of the side to move on `from` can go to `to`, which none of its own side
    /// occupies: no en passant, no castling, king safety aside.
    #[inline]
    pub(super) fn reaches(&self, piece: Piece, from: Square, to: Square) -> bool {
        if piece != Piece::Pawn {
            return attacks::piece(piece, self.side, from, self.occupied()).contains(to);
        }
        if self.occupied().contains(to) {
            return attacks::pawn(self.side, from).contains(to);
        }
        let steps = to.relative_to(self.side).index().wrapping_sub(from.relative_to(self.side).index());
        steps == 8
            || steps == 16
                && from.rank().relative_to(self.side) == Rank::Second
                && (attacks::between(from, to) & self.occupied()).is_empty()
    }

    /// Where a man other than the king may go in view of checks: everywhere when there is none,
    /// between king and checker or onto the checker when there is one, nowhere when there are two.
    #[inline]
    pub(super) fn check_mask(&self) -> Bitboard {
        match self.checkers.first() {
            None => Bitboard::ALL,
            Some(_) if self.checkers.many() => Bitboard::EMPTY,
            Some(checker) => attacks::between(self.king(self.side), checker) | checker.into(),
        }
    }

    /// Whether a side attacks a square when `occupied` squares block sliders.
    #[inline]
    pub(super) fn is_attacked(&self, square: Square, by: Color, occupied: Bitboard) -> bool {
        (attacks::pawn(!by, square) & self.pieces(by, Piece::Pawn)
            | attacks::knight(square) & self.pieces(by, Piece::Knight)
            | attacks::king(square) & self.pieces(by, Piece::King)
            | attacks::bishop(square, occupied) & self.diagonal_sliders(by)
            | attacks::rook(square, occupied) & self.straight_sliders(by))
        .any()
    }

    /// Whether the king of the side to move would not be attacked on `square`.
    #[inline]
    fn is_safe_for_king(&self, square: Square) -> bool {
        // The king is lifted: it cannot hide behind itself.
        let occupied = self.occupied() ^ self.pieces(self.side, Piece::King);
        !self.is_attacked(square, !self.side, occupied)
    }

    /// Those of `squares` where the king of the side to move would not be attacked.
    #[inline]
    pub(super) fn safe_for_king(&self, squares: Bitboard) -> Bitboard {
        match squares.first() {
            // Most kings are shut in: all attacks are found only for those with a choice.
            // (Perft: 10 % faster in middle games than always, 20 % than square by square.)
            Some(square) if !squares.many() => {
                if self.is_safe_for_king(square) {
                    squares
                } else {
                    Bitboard::EMPTY
                }
            }
            Some(_) => squares.without(self.attacked_by(!self.side)),
            None => Bitboard::EMPTY,
        }
    }

    /// The rook of a castling right.
    #[inline]
    pub(super) fn castling_rook(&self, color: Color, wing: Wing) -> Option<Square> {
        let file: File = self.castling.get(color, wing)?;
        Some(Square::new(file, Rank::First.relative_to(color)))
    }

    /// The rooks with which the side to move may still castle and which nothing separates from
    /// their king; none in check.
    ///
    /// In Chess960 a rook may shield its king until it jumps away. Such a rook is pinned, and
    /// the slider behind it stands beyond the king's target, so a pinned rook can never castle.
    #[inline]
    pub(super) fn castling_rooks(&self) -> Bitboard {
        if !self.castling.any(self.side) || self.in_check() {
            return Bitboard::EMPTY;
        }
        let king = self.king(self.side);
        let open = |&rook: &Square| (attacks::between(king, rook) & self.occupied()).is_empty();
        let rooks = Wing::ALL.into_iter().filter_map(|wing| self.castling_rook(self.side, wing));
        rooks.filter(open).collect::<Bitboard>().without(self.pinned)
    }

    /// The squares that must not be attacked when the king castles with one of the
    /// [`Position::castling_rooks`], or `None` if others stand where king and rook go.
    #[inline]
    pub(super) fn castling_path(&self, rook: Square) -> Option<Bitboard> {
        let king = self.king(self.side);
        let (king_to, rook_to) = castled_squares(king, rook);
        let king_path = attacks::between(king, king_to) | king_to.into();
        let rook_path = attacks::between(rook, rook_to) | rook_to.into();
        let others = self.occupied() ^ king.into() ^ rook.into();
        ((king_path | rook_path) & others).is_empty().then_some(king_path)
    }

    /// Whether the side to move has a legal en passant capture with this target.
    #[inline]
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

    /// Whether a legal move gives check.
    pub fn gives_check(&self, mv: Move) -> bool {
        let (from, to, us) = (mv.from(), mv.to(), self.side);
        let king = self.king(!us);
        let mut occupied = self.occupied() ^ from.into();
        let mut straight = self.straight_sliders(us).without(from.into());
        let diagonal = self.diagonal_sliders(us).without(from.into());
        match mv.kind() {
            MoveKind::Castling => {
                let (king_to, rook_to) = castled_squares(from, to);
                straight = straight.without(to.into()) | rook_to.into();
                occupied = (occupied ^ to.into()) | king_to.into() | rook_to.into();
            }
            kind => {
                occupied |= to.into();
                let piece = mv.promoted().unwrap_or_else(|| self.moved_piece(mv));
                if attacks::piece(piece, us, to, occupied).contains(king) {
                    return true;
                }
                if kind == MoveKind::EnPassant {
                    occupied ^= en_passant_victim(to).into();
                } else if attacks::line(king, from).is_empty() {
                    // No line to open.
                    return false;
                }
            }
        }
        (attacks::bishop(king, occupied) & diagonal | attacks::rook(king, occupied) & straight).any()
    }
}
