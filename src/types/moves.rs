//! Moves in 16 bits.

#![forbid(unsafe_code)]

use std::fmt;
use std::num::NonZeroU16;

use super::{Piece, Square};

/// What a move does beside going from one square to another. Captures are not marked: the
/// board knows what stands on the target square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum MoveKind {
    /// A plain move or capture, a pawn's double step too.
    Normal,
    /// A pawn takes en passant.
    EnPassant,
    /// The king castles; the target is the square of its own rook, in standard chess as well.
    Castling,
    /// A pawn reaches the last rank.
    Promotion,
}

/// A move: bits 0–5 from, 6–11 to, 12–13 promotion (knight 0 to queen 3), 14–15 kind.
///
/// Never zero (a1 to a1 is no move), so that `Option<Move>` takes two bytes. The layout equals
/// that of the viriformat game files.
///
/// ```
/// use longan::types::{Move, Piece, Square};
///
/// let mv = Move::promotion(Square::E7, Square::E8, Piece::Queen);
/// assert_eq!((mv.from(), mv.to(), mv.promoted()), (Square::E7, Square::E8, Some(Piece::Queen)));
/// assert_eq!(Move::from_bits(mv.bits()), Some(mv));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Move(NonZeroU16);

impl Move {
    /// A plain move or capture.
    ///
    /// # Panics
    /// If both squares are a1; no legal move stays where it is.
    #[inline]
    pub const fn normal(from: Square, to: Square) -> Self {
        Self::pack(from, to, MoveKind::Normal, 0)
    }

    /// A pawn takes en passant; `to` is the square behind the taken pawn.
    #[inline]
    pub const fn en_passant(from: Square, to: Square) -> Self {
        Self::pack(from, to, MoveKind::EnPassant, 0)
    }

    /// The king on `king` castles with the rook on `rook`.
    #[inline]
    pub const fn castling(king: Square, rook: Square) -> Self {
        Self::pack(king, rook, MoveKind::Castling, 0)
    }

    /// A pawn becomes `piece`: a knight, bishop, rook or queen.
    #[inline]
    pub const fn promotion(from: Square, to: Square, piece: Piece) -> Self {
        debug_assert!(!matches!(piece, Piece::Pawn | Piece::King));
        Self::pack(from, to, MoveKind::Promotion, piece as u16 - 1)
    }

    #[inline]
    const fn pack(from: Square, to: Square, kind: MoveKind, piece: u16) -> Self {
        let bits = from as u16 | (to as u16) << 6 | piece << 12 | (kind as u16) << 14;
        match NonZeroU16::new(bits) {
            Some(bits) => Self(bits),
            None => panic!("a1a1 is not a move"),
        }
    }

    /// The 16 bits.
    #[inline]
    pub const fn bits(self) -> u16 {
        self.0.get()
    }

    /// The move of these bits, `None` for 0. Any other pattern gives a value; only
    /// `Position::is_legal` tells whether it is a move of a position.
    #[inline]
    pub const fn from_bits(bits: u16) -> Option<Self> {
        match NonZeroU16::new(bits) {
            Some(bits) => Some(Self(bits)),
            None => None,
        }
    }

    /// Where the man starts.
    #[inline]
    pub const fn from(self) -> Square {
        Square::from_index(self.bits() as usize & 63)
    }

    /// Where it lands; for castling, the square of the own rook.
    #[inline]
    pub const fn to(self) -> Square {
        Square::from_index(self.bits() as usize >> 6 & 63)
    }

    /// What kind of move it is.
    #[inline]
    pub const fn kind(self) -> MoveKind {
        match self.bits() >> 14 {
            0 => MoveKind::Normal,
            1 => MoveKind::EnPassant,
            2 => MoveKind::Castling,
            _ => MoveKind::Promotion,
        }
    }

    /// Whether the king castles.
    #[inline]
    pub const fn is_castling(self) -> bool {
        matches!(self.kind(), MoveKind::Castling)
    }

    /// Whether a pawn takes en passant.
    #[inline]
    pub const fn is_en_passant(self) -> bool {
        matches!(self.kind(), MoveKind::EnPassant)
    }

    /// What the pawn becomes, for promotions.
    #[inline]
    pub const fn promoted(self) -> Option<Piece> {
        match self.kind() {
            MoveKind::Promotion => Some(match self.bits() >> 12 & 3 {
                0 => Piece::Knight,
                1 => Piece::Bishop,
                2 => Piece::Rook,
                _ => Piece::Queen,
            }),
            _ => None,
        }
    }
}

impl fmt::Debug for Move {
    /// King-takes-rook UCI text, for messages of tests.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}{}", self.from(), self.to())?;
        self.promoted().map_or(Ok(()), |piece| write!(f, "{}", piece.letter()))
    }
}
