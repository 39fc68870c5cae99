//! Playing moves: the only place where a position changes.
//!
//! `play` trusts its move to be legal; moves of unknown origin pass through `is_legal` first.

use super::legal::en_passant_victim;
use super::{Position, zobrist};
use crate::types::{Color, Key, Move, Piece, Square, Wing};

/// Is told how the men on the board change when a move is played, so that what is computed
/// from them (an evaluation's accumulator) can follow move by move.
pub trait BoardObserver {
    /// A move is about to be played. Null moves are not announced: they change no man.
    fn on_make(&mut self) {}

    /// A man leaves its square.
    fn on_remove(&mut self, color: Color, piece: Piece, square: Square);

    /// A man arrives on a square.
    fn on_add(&mut self, color: Color, piece: Piece, square: Square);
}

/// Nobody looks.
impl BoardObserver for () {
    #[inline]
    fn on_remove(&mut self, _: Color, _: Piece, _: Square) {}

    #[inline]
    fn on_add(&mut self, _: Color, _: Piece, _: Square) {}
}

impl Position {
    /// Plays a legal move.
    #[inline]
    pub fn play(&mut self, mv: Move) {
        self.play_with(mv, &mut ());
    }

    /// Plays a legal move but leaves keys and mailbox as they are: enough to count the moves
    /// that follow, which needs only the bitboards. Nothing else may be asked of the position
    /// afterwards.
    #[inline]
    pub(crate) fn play_to_count(&mut self, mv: Move) {
        self.advance::<false, ()>(mv, &mut ());
    }

    /// Plays a legal move and tells `observer` about every man that leaves or arrives: first
    /// [`BoardObserver::on_make`], then all removals and arrivals in no set order.
    pub fn play_with<O: BoardObserver>(&mut self, mv: Move, observer: &mut O) {
        self.advance::<true, O>(mv, observer);
    }

    /// Plays a move; keys and mailbox only if `FULL`.
    #[inline]
    fn advance<const FULL: bool, O: BoardObserver>(&mut self, mv: Move, observer: &mut O) {
        let (from, to, us) = (mv.from(), mv.to(), self.side);
        let piece = self.moved_piece(mv);
        let mut ep = None;

        observer.on_make();
        self.clear_en_passant();
        self.halfmove_clock = self.halfmove_clock.saturating_add(1);
        self.reversible_plies = self.reversible_plies.saturating_add(1);

        if mv.is_castling() {
            let (king_to, rook_to) = castled_squares(from, to);
            self.remove::<FULL, O>(us, Piece::King, from, observer);
            self.remove::<FULL, O>(us, Piece::Rook, to, observer);
            self.add::<FULL, O>(us, Piece::King, king_to, observer);
            self.add::<FULL, O>(us, Piece::Rook, rook_to, observer);
        } else {
            if let Some(victim) = self.mailbox[to.index()] {
                self.remove::<FULL, O>(!us, victim, to, observer);
                self.start_clocks();
                if victim == Piece::Rook {
                    self.lose_rook_right(!us, to);
                }
            }
            self.remove::<FULL, O>(us, piece, from, observer);
            self.add::<FULL, O>(us, mv.promoted().unwrap_or(piece), to, observer);
        }

        match piece {
            Piece::Pawn => {
                self.start_clocks();
                if mv.is_en_passant() {
                    self.remove::<FULL, O>(!us, Piece::Pawn, en_passant_victim(to), observer);
                } else if from.index() ^ to.index() == 16 {
                    ep = Some(Square::from_index((from.index() + to.index()) / 2));
                }
            }
            Piece::Rook => self.lose_rook_right(us, from),
            Piece::King => Wing::ALL.into_iter().for_each(|wing| self.lose_right(us, wing)),
            _ => {}
        }

        self.pass_the_turn();
        if let Some(square) = ep.filter(|&square| self.can_capture_en_passant(square)) {
            self.ep = Some(square);
            self.keys.full ^= zobrist::en_passant(square.file());
        }
    }

    /// Lets the side to move pass. It must not be in check.
    pub fn play_null(&mut self) {
        debug_assert!(!self.in_check());
        self.clear_en_passant();
        self.halfmove_clock = self.halfmove_clock.saturating_add(1);
        self.reversible_plies = 0;
        self.pass_the_turn();
    }

    /// About the key after a move, for prefetching: wrong after castling, promotions, en passant
    /// captures, and when castling rights or en passant captures come or go.
    #[inline]
    pub fn key_after(&self, mv: Move) -> Key {
        let (from, to, us) = (mv.from(), mv.to(), self.side);
        let piece = self.moved_piece(mv);
        let taken = self.mailbox[to.index()].map_or(0, |victim| zobrist::man(!us, victim, to));
        let moved = zobrist::man(us, piece, from) ^ zobrist::man(us, piece, to);
        self.keys.full ^ moved ^ taken ^ zobrist::black_to_move()
    }

    #[inline]
    fn remove<const FULL: bool, O: BoardObserver>(
        &mut self,
        color: Color,
        piece: Piece,
        square: Square,
        observer: &mut O,
    ) {
        self.toggle_man(color, piece, square);
        if FULL {
            self.keys.toggle(color, piece, square);
            self.mailbox[square.index()] = None;
        }
        observer.on_remove(color, piece, square);
    }

    #[inline]
    fn add<const FULL: bool, O: BoardObserver>(
        &mut self,
        color: Color,
        piece: Piece,
        square: Square,
        observer: &mut O,
    ) {
        self.toggle_man(color, piece, square);
        if FULL {
            self.keys.toggle(color, piece, square);
            self.mailbox[square.index()] = Some(piece);
        }
        observer.on_add(color, piece, square);
    }

    /// The move is a capture or a pawn's: the fifty-move rule counts from here.
    #[inline]
    fn start_clocks(&mut self) {
        self.halfmove_clock = 0;
        self.reversible_plies = 0;
    }

    #[inline]
    fn clear_en_passant(&mut self) {
        if let Some(square) = self.ep.take() {
            self.keys.full ^= zobrist::en_passant(square.file());
        }
    }

    /// A rook left `square`, or was taken there.
    #[inline]
    fn lose_rook_right(&mut self, color: Color, square: Square) {
        for wing in Wing::ALL {
            if self.castling_rook(color, wing) == Some(square) {
                self.lose_right(color, wing);
            }
        }
    }

    #[inline]
    fn lose_right(&mut self, color: Color, wing: Wing) {
        if let Some(file) = self.castling.get(color, wing) {
            self.castling.set(color, wing, None);
            self.keys.full ^= zobrist::castling(color, file);
            // No later position can have this right again.
            self.reversible_plies = 0;
        }
    }

    #[inline]
    fn pass_the_turn(&mut self) {
        self.fullmove = self.fullmove.saturating_add(self.side.index() as u16);
        self.side = !self.side;
        self.keys.full ^= zobrist::black_to_move();
        self.update_checkers_and_pins();
    }
}

/// Where king and rook stand after the king on `king` has castled with the rook on `rook`.
#[inline]
pub(super) fn castled_squares(king: Square, rook: Square) -> (Square, Square) {
    let wing = if king < rook { Wing::King } else { Wing::Queen };
    let rank = king.rank();
    (Square::new(wing.king_file(), rank), Square::new(wing.rook_file(), rank))
}
