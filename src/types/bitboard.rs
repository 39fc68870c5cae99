//! Sets of squares, one bit each.

#![forbid(unsafe_code)]

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

use super::{Color, File, Rank, Square};

/// A set of squares; bit n is the square of index n.
///
/// ```
/// use longan::types::{Bitboard, File, Square};
///
/// let corners: Bitboard = [Square::A1, Square::H8].into_iter().collect();
/// assert!(corners.contains(Square::H8));
/// assert_eq!((corners | Bitboard::file(File::A)).count(), 9);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct Bitboard(pub u64);

impl Bitboard {
    /// No square.
    pub const EMPTY: Self = Self(0);
    /// All 64 squares.
    pub const ALL: Self = Self(!0);
    /// The squares coloured like a1.
    pub const DARK: Self = Self(0xAA55_AA55_AA55_AA55);
    /// The squares coloured like h1.
    pub const LIGHT: Self = Self(!Self::DARK.0);

    /// All squares of a file.
    #[inline]
    pub const fn file(file: File) -> Self {
        Self(0x0101_0101_0101_0101 << file as u8)
    }

    /// All squares of a rank.
    #[inline]
    pub const fn rank(rank: Rank) -> Self {
        Self(0xFF << (rank as u8 * 8))
    }

    /// Whether no square is in the set.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether some square is in the set.
    #[inline]
    pub const fn any(self) -> bool {
        self.0 != 0
    }

    /// Whether at least two squares are in the set.
    #[inline]
    pub const fn many(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// How many squares are in the set.
    #[inline]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether `square` is in the set.
    #[inline]
    pub const fn contains(self, square: Square) -> bool {
        self.0 >> square as u8 & 1 != 0
    }

    /// The square of the lowest index, or `None` when empty.
    #[inline]
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square::from_index(self.0.trailing_zeros() as usize)) }
    }

    /// The set moved up (positive) or down by whole ranks; what leaves the board is lost.
    #[inline]
    pub const fn shift_ranks(self, ranks: i32) -> Self {
        if ranks >= 0 { Self(self.0 << (ranks * 8)) } else { Self(self.0 >> (-ranks * 8)) }
    }

    /// The set moved one rank in the direction of `color`'s pawns.
    #[inline]
    pub const fn forward(self, color: Color) -> Self {
        match color {
            Color::White => self.shift_ranks(1),
            Color::Black => self.shift_ranks(-1),
        }
    }

    /// The set moved one file towards h; the h-file is lost.
    #[inline]
    pub const fn shift_east(self) -> Self {
        Self((self.0 & !Self::file(File::H).0) << 1)
    }

    /// The set moved one file towards a; the a-file is lost.
    #[inline]
    pub const fn shift_west(self) -> Self {
        Self((self.0 & !Self::file(File::A).0) >> 1)
    }

    /// The squares of this set that are not in `other`.
    #[inline]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl From<Square> for Bitboard {
    #[inline]
    fn from(square: Square) -> Self {
        Self(1 << square as u8)
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        squares.into_iter().fold(Self::EMPTY, |set, square| set | square.into())
    }
}

/// Visits the squares from a1 to h8.
#[derive(Clone)]
pub struct Squares(u64);

impl Iterator for Squares {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        let square = Bitboard(self.0).first()?;
        self.0 &= self.0 - 1;
        Some(square)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.0.count_ones() as usize;
        (count, Some(count))
    }
}

impl ExactSizeIterator for Squares {}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;

    #[inline]
    fn into_iter(self) -> Squares {
        Squares(self.0)
    }
}

macro_rules! operator {
    ($($trait:ident $method:ident $assign_trait:ident $assign:ident $op:tt),*) => {$(
        impl $trait for Bitboard {
            type Output = Self;
            #[inline]
            fn $method(self, other: Self) -> Self {
                Self(self.0 $op other.0)
            }
        }
        impl $assign_trait for Bitboard {
            #[inline]
            fn $assign(&mut self, other: Self) {
                *self = *self $op other;
            }
        }
    )*};
}
operator!(BitAnd bitand BitAndAssign bitand_assign &, BitOr bitor BitOrAssign bitor_assign |,
          BitXor bitxor BitXorAssign bitxor_assign ^);

impl Not for Bitboard {
    type Output = Self;

    #[inline]
    fn not(self) -> Self {
        Self(!self.0)
    }
}

impl fmt::Debug for Bitboard {
    /// Eight lines of `X` and `.`, the eighth rank on top.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for rank in Rank::ALL.into_iter().rev() {
            for file in File::ALL {
                f.write_str(if self.contains(Square::new(file, rank)) { "X" } else { "." })?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}
