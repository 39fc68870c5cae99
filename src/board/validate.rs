//! The one gate from a described [`Setup`] to a playable [`Position`].
//!
//! What passes keeps the promises the rest of the board relies on: one king a side, no pawn on
//! a last rank, castling rights with king and rook at home, an en-passant square that a double
//! step can have left, nobody to move while the opponent stands in check. Counts that no game
//! can reach are refused too, since tables are made for them.
//!
//! It does not ask whether a game leads to the position. Studies and test suites contain
//! unreachable pawn structures and double checks, and they play like any other position.

#![forbid(unsafe_code)]

use thiserror::Error;

use super::{Position, Setup};
use crate::types::{Bitboard, Color, Piece, Rank, Square, Wing};

/// Why a described position cannot exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[allow(missing_docs)] // The fields are what the messages say they are.
pub enum SetupError {
    /// A side has no king.
    #[error("{0:?} has no king")]
    NoKing(Color),
    /// A side has several kings.
    #[error("{color:?} has {kings} kings")]
    ManyKings { color: Color, kings: usize },
    /// A side has more men than it started with.
    #[error("{color:?} has {men} men, more than 16")]
    ManyMen { color: Color, men: usize },
    /// A side has more pawns than it started with.
    #[error("{color:?} has {pawns} pawns, more than 8")]
    ManyPawns { color: Color, pawns: usize },
    /// A side has pieces that pawns must have become, but too few pawns are gone.
    #[error("{color:?} has {pawns} pawns and at least {promoted} promoted pieces, together more than 8")]
    ManyPromoted { color: Color, pawns: usize, promoted: usize },
    /// A pawn where it never stands.
    #[error("a pawn stands on {0}, but pawns are never on the first or last rank")]
    PawnOnLastRank(Square),
    /// A castling right, but the king has moved.
    #[error("{0:?} has a castling right, but its king is not on its first rank")]
    CastlingKing(Color),
    /// A castling right with a rook that is not there.
    #[error("{color:?} has the right to castle with a rook on {rook}, but none of its rooks is there")]
    CastlingRook { color: Color, rook: Square },
    /// A castling right to one wing with a rook on the other.
    #[error(
        "{color:?} has the right to castle to the {} wing, but the rook on {rook} is on the other side of the king",
        match .wing { Wing::King => "king's", Wing::Queen => "queen's" }
    )]
    CastlingWing { color: Color, wing: Wing, rook: Square },
    /// An en-passant square on a rank that the opponent's pawns do not jump over.
    #[error("the en-passant square {0} is not on the rank the opponent's pawns jump over")]
    EnPassantRank(Square),
    /// An en-passant square without the pawn that is to be taken.
    #[error("the en-passant square is {0}, but no pawn has just jumped over it")]
    EnPassantPawn(Square),
    /// An en-passant square, but the pawn's way was blocked.
    #[error("the en-passant square is {0}, but it or the square the pawn came from is occupied")]
    EnPassantBlocked(Square),
    /// The side that is not to move could lose its king.
    #[error("{0:?} is in check, but it is not {0:?}'s turn")]
    OpponentInCheck(Color),
    /// More pieces give check than one move can bring to it.
    #[error("{0} men give check, but no move gives check with more than two")]
    ManyCheckers(u32),
}

impl Position {
    /// The position a setup describes. An en-passant square that nobody can take on is dropped.
    ///
    /// # Errors
    /// Says why the position cannot exist.
    pub fn from_setup(setup: Setup) -> Result<Self, SetupError> {
        for color in Color::ALL {
            check_men(&setup, color)?;
        }
        for color in Color::ALL {
            check_castling(&setup, color)?;
        }
        if let Some(square) = setup.ep {
            check_en_passant(&setup, square)?;
        }
        let Setup { mailbox, side, castling, ep, halfmove_clock, fullmove, chess960 } = setup;
        let position = Self::from_parts(&mailbox, side, castling, ep, halfmove_clock, fullmove, chess960);
        check_checks(&position)?;
        Ok(position)
    }
}

impl TryFrom<Setup> for Position {
    type Error = SetupError;

    fn try_from(setup: Setup) -> Result<Self, SetupError> {
        Self::from_setup(setup)
    }
}

fn check_men(setup: &Setup, color: Color) -> Result<(), SetupError> {
    let count = |piece| setup.squares(color, piece).count();
    match count(Piece::King) {
        0 => return Err(SetupError::NoKing(color)),
        1 => {}
        kings => return Err(SetupError::ManyKings { color, kings }),
    }
    let last_ranks = [Rank::First, Rank::Eighth];
    if let Some(pawn) = setup.squares(color, Piece::Pawn).find(|pawn| last_ranks.contains(&pawn.rank())) {
        return Err(SetupError::PawnOnLastRank(pawn));
    }
    let men = Piece::ALL.into_iter().map(count).sum();
    if men > 16 {
        return Err(SetupError::ManyMen { color, men });
    }
    let pawns = count(Piece::Pawn);
    if pawns > 8 {
        return Err(SetupError::ManyPawns { color, pawns });
    }
    let light =
        setup.squares(color, Piece::Bishop).filter(|&square| Bitboard::LIGHT.contains(square)).count();
    let dark = count(Piece::Bishop) - light;
    let promoted =
        [(light, 1), (dark, 1), (count(Piece::Knight), 2), (count(Piece::Rook), 2), (count(Piece::Queen), 1)]
            .into_iter()
            .map(|(now, at_start): (usize, usize)| now.saturating_sub(at_start))
            .sum();
    if pawns + promoted > 8 {
        return Err(SetupError::ManyPromoted { color, pawns, promoted });
    }
    Ok(())
}

fn check_castling(setup: &Setup, color: Color) -> Result<(), SetupError> {
    let home = Rank::First.relative_to(color);
    for wing in Wing::ALL {
        let Some(file) = setup.castling.get(color, wing) else { continue };
        let rook = Square::new(file, home);
        let Some(king) = setup.squares(color, Piece::King).find(|king| king.rank() == home) else {
            return Err(SetupError::CastlingKing(color));
        };
        if setup.mailbox[rook.index()] != Some((color, Piece::Rook)) {
            return Err(SetupError::CastlingRook { color, rook });
        }
        if (rook > king) != (wing == Wing::King) {
            return Err(SetupError::CastlingWing { color, wing, rook });
        }
    }
    Ok(())
}

fn check_en_passant(setup: &Setup, square: Square) -> Result<(), SetupError> {
    if square.rank() != Rank::Sixth.relative_to(setup.side) {
        return Err(SetupError::EnPassantRank(square));
    }
    let man_on = |rank: Rank| setup.mailbox[Square::new(square.file(), rank.relative_to(setup.side)).index()];
    if man_on(Rank::Fifth) != Some((!setup.side, Piece::Pawn)) {
        return Err(SetupError::EnPassantPawn(square));
    }
    if man_on(Rank::Sixth).is_some() || man_on(Rank::Seventh).is_some() {
        return Err(SetupError::EnPassantBlocked(square));
    }
    Ok(())
}

fn check_checks(position: &Position) -> Result<(), SetupError> {
    let side = position.side_to_move();
    let attackers = position.attackers_to(position.king(!side), position.occupied());
    if (attackers & position.color(side)).any() {
        return Err(SetupError::OpponentInCheck(!side));
    }
    match position.checkers().count() {
        0..=2 => Ok(()),
        checkers => Err(SetupError::ManyCheckers(checkers)),
    }
}
