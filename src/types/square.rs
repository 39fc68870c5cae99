//! Squares, files and ranks.

use std::fmt;
use std::str::FromStr;

use super::Color;

macro_rules! line {
    ($(#[$doc:meta])* $name:ident { $($variant:ident),* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        #[allow(missing_docs)]
        pub enum $name { $($variant),* }

        impl $name {
            /// All eight, in order.
            pub const ALL: [Self; 8] = [$(Self::$variant),*];

            /// 0 to 7.
            #[inline]
            pub const fn index(self) -> usize {
                self as usize
            }
        }
    };
}

line! {
    /// A column of the board, `a` to `h`.
    File { A, B, C, D, E, F, G, H }
}
line! {
    /// A row of the board, `1` to `8`.
    Rank { First, Second, Third, Fourth, Fifth, Sixth, Seventh, Eighth }
}

impl File {
    /// The letter `a` to `h`.
    pub const fn letter(self) -> char {
        (b'a' + self as u8) as char
    }
}

impl Rank {
    /// This rank as `color` counts it: the first rank is where its pieces start.
    #[inline]
    pub const fn relative_to(self, color: Color) -> Self {
        match color {
            Color::White => self,
            Color::Black => Self::ALL[7 - self as usize],
        }
    }
}

/// One of the 64 squares; a1 = 0, b1 = 1, h8 = 63.
///
/// ```
/// use longan::types::Square;
///
/// let square: Square = "e4".parse().unwrap();
/// assert_eq!((square.index(), square.flip_rank()), (28, Square::E5));
/// assert_eq!((square.offset(1, 2), square.offset(4, 0)), (Some(Square::F6), None));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[rustfmt::skip]
#[allow(missing_docs)]
pub enum Square {
    A1, B1, C1, D1, E1, F1, G1, H1,
    A2, B2, C2, D2, E2, F2, G2, H2,
    A3, B3, C3, D3, E3, F3, G3, H3,
    A4, B4, C4, D4, E4, F4, G4, H4,
    A5, B5, C5, D5, E5, F5, G5, H5,
    A6, B6, C6, D6, E6, F6, G6, H6,
    A7, B7, C7, D7, E7, F7, G7, H7,
    A8, B8, C8, D8, E8, F8, G8, H8,
}

impl Square {
    /// How many there are.
    pub const COUNT: usize = 64;

    /// All squares, a1 to h8.
    #[rustfmt::skip]
    pub const ALL: [Self; 64] = {
        use Square::*;
        [
            A1, B1, C1, D1, E1, F1, G1, H1, A2, B2, C2, D2, E2, F2, G2, H2,
            A3, B3, C3, D3, E3, F3, G3, H3, A4, B4, C4, D4, E4, F4, G4, H4,
            A5, B5, C5, D5, E5, F5, G5, H5, A6, B6, C6, D6, E6, F6, G6, H6,
            A7, B7, C7, D7, E7, F7, G7, H7, A8, B8, C8, D8, E8, F8, G8, H8,
        ]
    };

    /// The square where a file and a rank meet.
    #[inline]
    pub const fn new(file: File, rank: Rank) -> Self {
        Self::from_index(rank as usize * 8 + file as usize)
    }

    /// The square of an index; only its low six bits count.
    #[inline]
    pub const fn from_index(index: usize) -> Self {
        // Every loop over a set of squares comes through here: a look-up in `ALL`, which the
        // compiler does not see through, costs perft 5 to 10 %.
        // SAFETY: the enum has a value for each number from 0 to 63.
        unsafe { std::mem::transmute((index & 63) as u8) }
    }

    /// 0 (a1) to 63 (h8).
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The file it stands on.
    #[inline]
    pub const fn file(self) -> File {
        File::ALL[self as usize & 7]
    }

    /// The rank it stands on.
    #[inline]
    pub const fn rank(self) -> Rank {
        Rank::ALL[self as usize >> 3]
    }

    /// The same file, ranks mirrored: a1 becomes a8.
    #[inline]
    pub const fn flip_rank(self) -> Self {
        Self::from_index(self as usize ^ 56)
    }

    /// The same rank, files mirrored: a1 becomes h1.
    #[inline]
    pub const fn flip_file(self) -> Self {
        Self::from_index(self as usize ^ 7)
    }

    /// This square as `color` sees it: unchanged for White, ranks mirrored for Black.
    #[inline]
    pub const fn relative_to(self, color: Color) -> Self {
        match color {
            Color::White => self,
            Color::Black => self.flip_rank(),
        }
    }

    /// King steps to another square, 0 to 7.
    #[inline]
    pub const fn distance(self, other: Self) -> u32 {
        let files = self.file().index().abs_diff(other.file().index());
        let ranks = self.rank().index().abs_diff(other.rank().index());
        if files > ranks { files as u32 } else { ranks as u32 }
    }

    /// The square `files` to the right and `ranks` up, or `None` off the board.
    pub const fn offset(self, files: i32, ranks: i32) -> Option<Self> {
        let file = (self as i32 & 7) + files;
        let rank = (self as i32 >> 3) + ranks;
        if file < 0 || file > 7 || rank < 0 || rank > 7 {
            return None;
        }
        Some(Self::from_index((rank * 8 + file) as usize))
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}{}", self.file().letter(), self.rank().index() + 1)
    }
}

impl FromStr for Square {
    type Err = ();

    /// Reads `e4`; anything else is an error.
    fn from_str(text: &str) -> Result<Self, ()> {
        match text.as_bytes() {
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => {
                Ok(Self::from_index((rank - b'1') as usize * 8 + (file - b'a') as usize))
            }
            _ => Err(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_index_ignores_all_but_six_bits() {
        for (index, square) in Square::ALL.into_iter().enumerate() {
            assert_eq!(square.index(), index);
            assert_eq!(Square::from_index(index), square);
            assert_eq!(Square::from_index(index + 192), square);
            assert_eq!(Square::from_index(index.wrapping_sub(64)), square);
        }
    }
}
