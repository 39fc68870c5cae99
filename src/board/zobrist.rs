//! The random numbers of the Zobrist keys, fixed at compile time, so that a position has the
//! same key in every build (keys stand in books and test vectors).

use crate::rng::Rng;
use crate::types::{Color, File, Key, Piece, Square};

struct Numbers {
    men: [[[Key; 64]; 6]; 2],
    castling: [[Key; 8]; 2],
    en_passant: [Key; 8],
    black_to_move: Key,
}

static NUMBERS: Numbers = Numbers::generate(0x4C6F_6E67_616E);

impl Numbers {
    const fn generate(seed: u64) -> Self {
        let mut random = Rng::new(seed);
        let mut numbers = Self {
            men: [[[0; 64]; 6]; 2],
            castling: [[0; 8]; 2],
            en_passant: [0; 8],
            black_to_move: random.bits(),
        };
        let mut i = 0;
        while i < 2 * 6 * 64 {
            numbers.men[i / 384][i / 64 % 6][i % 64] = random.bits();
            i += 1;
        }
        let mut i = 0;
        while i < 16 {
            numbers.castling[i / 8][i % 8] = random.bits();
            i += 1;
        }
        let mut i = 0;
        while i < 8 {
            numbers.en_passant[i] = random.bits();
            i += 1;
        }
        numbers
    }
}

/// A man on a square.
#[inline]
pub(super) fn man(color: Color, piece: Piece, square: Square) -> Key {
    NUMBERS.men[color.index()][piece.index()][square.index()]
}

/// The right of `color` to castle with the rook on `file`. The wing needs no number: the king
/// has not moved, so the file tells it.
#[inline]
pub(super) fn castling(color: Color, file: File) -> Key {
    NUMBERS.castling[color.index()][file.index()]
}

/// An en passant capture is legal on this file.
#[inline]
pub(super) fn en_passant(file: File) -> Key {
    NUMBERS.en_passant[file.index()]
}

/// Black is to move.
#[inline]
pub(super) fn black_to_move() -> Key {
    NUMBERS.black_to_move
}
