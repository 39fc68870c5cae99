//! Castling rights, kept as the file of the rook, so that Chess960 needs no second form.

#![forbid(unsafe_code)]

use super::{ByColor, Color, File};

/// The side of the board a king castles towards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Wing {
    /// To the g-file (short).
    King,
    /// To the c-file (long).
    Queen,
}

impl Wing {
    /// Both, king's wing first.
    pub const ALL: [Self; 2] = [Self::King, Self::Queen];

    /// 0 for the king's wing, 1 for the queen's.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Where the king stands after castling.
    #[inline]
    pub const fn king_file(self) -> File {
        match self {
            Self::King => File::G,
            Self::Queen => File::C,
        }
    }

    /// Where the rook stands after castling.
    #[inline]
    pub const fn rook_file(self) -> File {
        match self {
            Self::King => File::F,
            Self::Queen => File::D,
        }
    }
}

/// For each side and wing, the file of the rook that may still castle; king and rook stand on
/// the side's first rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CastlingRights(ByColor<[Option<File>; 2]>);

impl CastlingRights {
    /// The rook's file, if this right is held.
    #[inline]
    pub fn get(self, color: Color, wing: Wing) -> Option<File> {
        self.0[color][wing.index()]
    }

    /// Grants (`Some`) or takes away (`None`) one right.
    #[inline]
    pub fn set(&mut self, color: Color, wing: Wing, rook: Option<File>) {
        self.0[color][wing.index()] = rook;
    }

    /// Takes away both rights of a side.
    #[inline]
    pub fn clear(&mut self, color: Color) {
        self.0[color] = [None; 2];
    }

    /// Whether a side holds a right.
    #[inline]
    pub fn any(self, color: Color) -> bool {
        self.0[color] != [None; 2]
    }

    /// Whether nobody may castle any more.
    #[inline]
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// The rights as bits, for tables of 16: white king's wing 1, queen's 2, black 4 and 8.
    #[inline]
    pub fn bits(self) -> usize {
        let bit = |color: Color, wing: Wing| {
            usize::from(self.get(color, wing).is_some()) << (2 * color.index() + wing.index())
        };
        Color::ALL.into_iter().flat_map(|c| Wing::ALL.map(|w| bit(c, w))).sum()
    }
}
