//! The inputs of the network: one for each man on each square, as a side sees it.
//!
//! This is the only place that turns men into input numbers; engine, data generator and trainer
//! share it. Each side has its own view of 768 inputs: own men first, ranks counted from its own
//! first rank, and files mirrored when its own king stands on e to h, so that the king is
//! always on a to d. ("Horizontally mirrored" inputs, a halved form of the king buckets of
//! Y. Nasu, "Efficiently Updatable Neural-Network-based Evaluation Function for computer Shogi",
//! 2018.)

#![forbid(unsafe_code)]

use arrayvec::ArrayVec;

use crate::board::Position;
use crate::types::{Color, File, Piece, Square};

/// How many inputs a side's view has: 2 colours, 6 kinds of men, 64 squares.
pub const INPUTS: usize = 768;

/// The most men a legal position has.
pub const MAX_MEN: usize = 32;

/// The inputs of one view that are set.
pub type FeatureList = ArrayVec<u16, MAX_MEN>;

/// Whether the view of the side whose king stands on `king` has its files mirrored.
#[inline]
pub fn is_mirrored(king: Square) -> bool {
    king.file() >= File::E
}

/// The input, 0 to 767, of a man of `color` in the view of `viewer`; `mirrored` is
/// [`is_mirrored`] of the viewer's king.
#[inline]
pub fn index(viewer: Color, mirrored: bool, color: Color, piece: Piece, square: Square) -> u16 {
    let square = square.relative_to(viewer);
    let square = if mirrored { square.flip_file() } else { square };
    let enemy = usize::from(color != viewer);
    (enemy * 384 + piece.index() * 64 + square.index()) as u16
}

/// The inputs set in the view of `viewer`, in order of kind and square of the men.
///
/// # Panics
/// If there are more than [`MAX_MEN`] men, which no `Position` has.
pub fn active(position: &Position, viewer: Color) -> FeatureList {
    let mirrored = is_mirrored(position.king(viewer));
    let mut list = FeatureList::new();
    for color in Color::ALL {
        for piece in Piece::ALL {
            let squares = position.pieces(color, piece).into_iter();
            list.extend(squares.map(|square| index(viewer, mirrored, color, piece, square)));
        }
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_are_numbered_by_side_kind_and_square() {
        let white = |mirrored, color, piece, square| index(Color::White, mirrored, color, piece, square);
        assert_eq!(white(false, Color::White, Piece::Pawn, Square::A2), 8);
        assert_eq!(white(false, Color::White, Piece::King, Square::C1), 322);
        assert_eq!(white(true, Color::White, Piece::King, Square::F1), 322);
        assert_eq!(white(false, Color::Black, Piece::Pawn, Square::A2), 392);
        assert_eq!(white(true, Color::Black, Piece::Queen, Square::H8), 384 + 256 + 56);
        assert_eq!(index(Color::Black, false, Color::Black, Piece::Pawn, Square::A7), 8);
        assert_eq!(index(Color::Black, true, Color::White, Piece::Knight, Square::G1), 384 + 64 + 57);
        assert!(!is_mirrored(Square::D8) && is_mirrored(Square::E1) && is_mirrored(Square::H4));
    }

    #[test]
    fn every_input_is_used_once() {
        for (viewer, mirrored) in Color::ALL.into_iter().flat_map(|c| [(c, false), (c, true)]) {
            let mut used = [0; INPUTS];
            for color in Color::ALL {
                for (piece, square) in Piece::ALL.into_iter().flat_map(|p| Square::ALL.map(|s| (p, s))) {
                    used[usize::from(index(viewer, mirrored, color, piece, square))] += 1;
                }
            }
            assert_eq!(used, [1; INPUTS]);
        }
    }
}
