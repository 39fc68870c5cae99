//! Generating the legal moves.
//!
//! Every move that comes out is legal: checks and pins limit the targets before a move exists
//! (see `legal`). One walk over the men serves lists of moves and their number alike; a
//! [`Sink`] takes what it finds in whole sets of targets.

use super::{Position, pawns};
use crate::attacks;
use crate::types::{Bitboard, Move, MoveList, Piece, Square};

/// Takes the moves that the generator finds.
pub(super) trait Sink {
    /// A man other than a pawn goes from one square to each of the others.
    fn piece(&mut self, from: Square, targets: Bitboard);

    /// Pawns arrive on `targets`, each from `step` squares before.
    fn pawns(&mut self, targets: Bitboard, step: i32);

    /// Pawns arrive on `targets` and become each of `pieces`.
    fn promotions(&mut self, targets: Bitboard, step: i32, pieces: &[Piece]);

    /// A single move.
    fn one(&mut self, mv: Move);
}

/// Where a pawn came from that made `step` to `to`.
#[inline]
fn origin(to: Square, step: i32) -> Square {
    Square::from_index((to.index() as i32 - step) as usize)
}

impl Sink for MoveList {
    #[inline]
    fn piece(&mut self, from: Square, targets: Bitboard) {
        for to in targets {
            self.push(Move::normal(from, to));
        }
    }

    #[inline]
    fn pawns(&mut self, targets: Bitboard, step: i32) {
        for to in targets {
            self.push(Move::normal(origin(to, step), to));
        }
    }

    #[inline]
    fn promotions(&mut self, targets: Bitboard, step: i32, pieces: &[Piece]) {
        for to in targets {
            for &piece in pieces {
                self.push(Move::promotion(origin(to, step), to, piece));
            }
        }
    }

    #[inline]
    fn one(&mut self, mv: Move) {
        self.push(mv);
    }
}

/// Counts moves without making them.
struct Counter(u64);

impl Sink for Counter {
    #[inline]
    fn piece(&mut self, _: Square, targets: Bitboard) {
        self.0 += u64::from(targets.count());
    }

    #[inline]
    fn pawns(&mut self, targets: Bitboard, _: i32) {
        self.0 += u64::from(targets.count());
    }

    #[inline]
    fn promotions(&mut self, targets: Bitboard, _: i32, pieces: &[Piece]) {
        self.0 += u64::from(targets.count()) * pieces.len() as u64;
    }

    #[inline]
    fn one(&mut self, _: Move) {
        self.0 += 1;
    }
}

impl Position {
    /// All legal moves.
    ///
    /// ```
    /// use longan::board::Position;
    ///
    /// let position = Position::startpos();
    /// assert_eq!(position.legal_moves().iter().filter(|mv| position.uci(**mv).starts_with("g1")).count(), 2);
    /// ```
    pub fn legal_moves(&self) -> MoveList {
        let mut moves = MoveList::new();
        self.generate::<true, true>(&mut moves);
        moves
    }

    /// Adds the legal moves that change the material at once: captures and promotions to a
    /// queen. Promotions to lesser men are quiet, even when they capture.
    pub fn noisy_moves(&self, moves: &mut MoveList) {
        self.generate::<true, false>(moves);
    }

    /// Adds the legal moves that [`Position::noisy_moves`] leaves out.
    pub fn quiet_moves(&self, moves: &mut MoveList) {
        self.generate::<false, true>(moves);
    }

    /// How many legal moves there are.
    pub fn count_legal(&self) -> u64 {
        let mut counter = Counter(0);
        self.generate::<true, true>(&mut counter);
        counter.0
    }

    /// Whether there is a legal move: if not, the game is over.
    pub fn has_legal_move(&self) -> bool {
        self.count_legal() != 0
    }

    #[inline]
    fn generate<const NOISY: bool, const QUIET: bool>(&self, sink: &mut impl Sink) {
        let (us, them) = (self.side, !self.side);
        let king = self.king(us);
        let occupied = self.occupied();
        let class = match (NOISY, QUIET) {
            (true, true) => !self.color(us),
            (true, false) => self.color(them),
            _ => !occupied,
        };

        let reached = attacks::king(king) & class;
        let rooks = if QUIET { self.castling_rooks() } else { Bitboard::EMPTY };
        let asked = if rooks.any() { Bitboard::ALL } else { reached };
        let safe = self.safe_for_king(asked);
        sink.piece(king, reached & safe);
        if self.checkers.many() {
            return;
        }

        let check_mask = self.check_mask();
        let targets = class & check_mask;
        pawns::generate::<NOISY, QUIET>(self, check_mask, sink);
        // A pinned knight always leaves its line.
        for from in self.pieces(us, Piece::Knight).without(self.pinned) {
            sink.piece(from, attacks::knight(from) & targets);
        }
        let along_pin = |from| {
            if self.pinned.contains(from) { attacks::line(king, from) } else { Bitboard::ALL }
        };
        // Queens come twice, once for each of their ways to move.
        for from in self.diagonal_sliders(us) {
            sink.piece(from, attacks::bishop(from, occupied) & targets & along_pin(from));
        }
        for from in self.straight_sliders(us) {
            sink.piece(from, attacks::rook(from, occupied) & targets & along_pin(from));
        }
        for rook in rooks {
            if self.castling_path(rook).is_some_and(|path| path.without(safe).is_empty()) {
                sink.one(Move::castling(king, rook));
            }
        }
    }
}
