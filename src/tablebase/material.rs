//! Which men stand on the board, the name of the table that knows them, and what a table's
//! name says.

#![forbid(unsafe_code)]

use crate::board::Position;
use crate::types::{Color, Piece};

/// The kinds of men besides the king, in the order of table names.
const NAMED: [Piece; 5] = [Piece::Queen, Piece::Rook, Piece::Bishop, Piece::Knight, Piece::Pawn];
/// The most men a table is made for.
pub(super) const MAX_MEN: usize = 7;

/// How many men of each kind, besides the king, the two sides have: the first and the second
/// of a table's name, or White and Black.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Material([[u8; 5]; 2]);

impl Material {
    /// The material of a position, White's first.
    pub fn of(position: &Position) -> Self {
        Self([Color::White, Color::Black].map(|color| {
            let mut counts = [0; 5];
            for (count, piece) in counts.iter_mut().zip(Piece::ALL) {
                *count = position.pieces(color, piece).count() as u8;
            }
            counts
        }))
    }

    /// The material of a table's name, such as `KQPvKR`; `None` if it is not one.
    pub fn from_name(name: &str) -> Option<Self> {
        let side = |text: &str| {
            let mut counts = [0; 5];
            for letter in text.strip_prefix('K')?.chars() {
                let piece = NAMED.into_iter().find(|piece| piece.letter().to_ascii_uppercase() == letter)?;
                counts[piece.index()] += 1;
            }
            Some(counts)
        };
        let (first, second) = name.split_once('v')?;
        let material = Self([side(first)?, side(second)?]);
        (3..=MAX_MEN).contains(&material.men()).then_some(material)
    }

    /// The same with the sides exchanged.
    pub fn swapped(self) -> Self {
        Self([self.0[1], self.0[0]])
    }

    /// All men, kings included.
    pub fn men(self) -> usize {
        2 + self.0.iter().flatten().map(|&count| usize::from(count)).sum::<usize>()
    }

    /// How many pawns each side has.
    pub fn pawns(self) -> [usize; 2] {
        self.0.map(|counts| counts[Piece::Pawn.index()].into())
    }

    /// Whether the kings are the only men that have no twin.
    pub fn only_kings_are_single(self) -> bool {
        self.0.iter().flatten().all(|&count| count != 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    #[test]
    fn names_and_positions_agree() {
        let board = Board::from_fen("8/8/2k5/8/3r4/8/3QP3/4K3 w - - 0 1").unwrap();
        let named = Material::from_name("KQPvKR").unwrap();
        assert_eq!(Material::of(board.position()), named);
        assert_eq!(Material::from_name("KRvKQP"), Some(named.swapped()));
        assert_eq!((named.men(), named.pawns()), (5, [1, 0]));
        assert!(!named.only_kings_are_single());
        assert!(Material::from_name("KRRvK").unwrap().only_kings_are_single());
    }

    #[test]
    fn other_file_names_are_not_tables() {
        for name in ["", "KvK", "KQ", "QvK", "KQvKX", "KQQQQvKRR", "kqvk", "KQvKv", "KKvK"] {
            assert_eq!(Material::from_name(name), None, "{name}");
        }
    }
}
