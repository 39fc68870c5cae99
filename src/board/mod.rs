//! The rules of chess: the only owner of what is legal, what a move does and when a game ends.
//!
//! - [`Position`] is one position without its past (`position`); `zobrist` gives it its keys.
//! - `legal`, `movegen` and `pawns` find the legal moves, `makemove` plays them, `see` weighs
//!   captures.
//! - [`Setup`] is a position nobody has checked yet; `fen` reads and writes it, `validate` lets
//!   it in. `notation` reads and writes moves.
//! - [`Board`] is a position with its past, which the rules about repetition need (`draw`).

#![forbid(unsafe_code)]

mod draw;
mod fen;
mod legal;
mod makemove;
mod movegen;
mod notation;
mod pawns;
mod position;
mod see;
mod setup;
mod validate;
mod zobrist;

use std::ops::Deref;

pub use draw::Outcome;
pub use fen::FenError;
pub(crate) use fen::excerpt;
pub use makemove::BoardObserver;
pub use notation::NotationError;
pub use position::Position;
pub use setup::Setup;
pub use validate::SetupError;

use crate::types::Move;

/// A position and the positions that led to it. It can be read like its [`Position`] and
/// changes only by making and unmaking moves.
///
/// ```
/// use longan::board::{Board, Outcome};
/// use longan::types::Color;
///
/// let mut board = Board::from_fen("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1")?;
/// assert_eq!(board.legal_moves().len(), 16);
/// let mate = board.parse_san("Rd8")?;
/// assert_eq!((board.uci(mate), board.san(mate)), ("d1d8".to_string(), "Rd8#".to_string()));
/// board.make(mate);
/// assert_eq!(board.outcome(), Some(Outcome::Checkmate { winner: Color::White }));
/// board.unmake();
/// assert_eq!(board.fen(), "6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Board {
    position: Position,
    past: Vec<Position>,
}

impl Board {
    /// The start of a game of standard chess.
    pub fn startpos() -> Self {
        Self::from_position(Position::startpos())
    }

    /// A game that begins here.
    pub fn from_position(position: Position) -> Self {
        Self { position, past: Vec::new() }
    }

    /// The present position.
    #[inline]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Sets how castling is written, see [`Position::set_chess960`].
    pub fn set_chess960(&mut self, chess960: bool) {
        self.position.set_chess960(chess960);
    }

    /// Plays a legal move.
    #[inline]
    pub fn make(&mut self, mv: Move) {
        self.make_with(mv, &mut ());
    }

    /// Plays a legal move and tells `observer` what changes.
    #[inline]
    pub fn make_with<O: BoardObserver>(&mut self, mv: Move, observer: &mut O) {
        self.past.push(self.position);
        self.position.play_with(mv, observer);
    }

    /// Takes the last move back.
    ///
    /// # Panics
    /// If no move has been made.
    #[inline]
    pub fn unmake(&mut self) {
        self.position = self.past.pop().expect("a move was made");
    }

    /// Lets the side to move pass; it must not be in check.
    #[inline]
    pub fn make_null(&mut self) {
        self.past.push(self.position);
        self.position.play_null();
    }

    /// Takes a null move back.
    ///
    /// # Panics
    /// If no move has been made.
    #[inline]
    pub fn unmake_null(&mut self) {
        self.unmake();
    }
}

impl Deref for Board {
    type Target = Position;

    #[inline]
    fn deref(&self) -> &Position {
        &self.position
    }
}
