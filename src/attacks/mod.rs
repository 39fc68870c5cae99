//! Which squares a man attacks from a square. Nothing here knows a position: sliders are given
//! the occupied squares.
//!
//! All answers come from tables that `build.rs` computes with the plain walks of `slow`; the
//! tests compare the two.

#![forbid(unsafe_code)]

mod magic;
#[cfg(test)]
mod slow;

pub use magic::{bishop, rook};

use crate::types::{Bitboard, Color, Piece, Square};

mod tables {
    use super::magic::Magic;

    include!(concat!(env!("OUT_DIR"), "/attacks.rs"));
}

/// What a knight attacks.
#[inline]
pub fn knight(square: Square) -> Bitboard {
    Bitboard(tables::KNIGHT[square.index()])
}

/// What a king attacks.
#[inline]
pub fn king(square: Square) -> Bitboard {
    Bitboard(tables::KING[square.index()])
}

/// What a pawn of `color` attacks: its captures, not its steps forward.
#[inline]
pub fn pawn(color: Color, square: Square) -> Bitboard {
    Bitboard(tables::PAWN[color.index()][square.index()])
}

/// What a queen attacks when `occupied` squares block it; the blockers are attacked too.
#[inline]
pub fn queen(square: Square, occupied: Bitboard) -> Bitboard {
    bishop(square, occupied) | rook(square, occupied)
}

/// What any man attacks.
///
/// ```
/// use longan::attacks;
/// use longan::types::{Bitboard, Color, Piece, Square};
///
/// let blocked = attacks::piece(Piece::Rook, Color::White, Square::A1, Square::A2.into());
/// assert_eq!(blocked, attacks::rook_rays(Square::A1).without(Bitboard(!0xFF)) | Square::A2.into());
/// ```
#[inline]
pub fn piece(piece: Piece, color: Color, square: Square, occupied: Bitboard) -> Bitboard {
    match piece {
        Piece::Pawn => pawn(color, square),
        Piece::Knight => knight(square),
        Piece::Bishop => bishop(square, occupied),
        Piece::Rook => rook(square, occupied),
        Piece::Queen => queen(square, occupied),
        Piece::King => king(square),
    }
}

/// What a bishop attacks on an empty board.
#[inline]
pub fn bishop_rays(square: Square) -> Bitboard {
    Bitboard(tables::BISHOP_RAYS[square.index()])
}

/// What a rook attacks on an empty board.
#[inline]
pub fn rook_rays(square: Square) -> Bitboard {
    Bitboard(tables::ROOK_RAYS[square.index()])
}

/// The squares strictly between two squares of one rank, file or diagonal, else none.
#[inline]
pub fn between(a: Square, b: Square) -> Bitboard {
    Bitboard(tables::BETWEEN[a.index()][b.index()])
}

/// The whole rank, file or diagonal through two different squares, with both and up to the
/// edges; none if they share no such line.
#[inline]
pub fn line(a: Square, b: Square) -> Bitboard {
    Bitboard(tables::LINE[a.index()][b.index()])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Xorshift64: occupations of any density.
    fn random(state: &mut u64) -> u64 {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        *state
    }

    #[test]
    fn sliders_agree_with_plain_walks() {
        let mut state = 0x9E37_79B9_7F4A_7C15;
        for square in Square::ALL {
            for density in 0..3000 {
                let occupied = match density % 3 {
                    0 => random(&mut state),
                    1 => random(&mut state) & random(&mut state),
                    _ => random(&mut state) & random(&mut state) & random(&mut state),
                };
                let slow_bishop = slow::slider(square.index(), &slow::BISHOP, occupied);
                let slow_rook = slow::slider(square.index(), &slow::ROOK, occupied);
                assert_eq!(bishop(square, Bitboard(occupied)).0, slow_bishop);
                assert_eq!(rook(square, Bitboard(occupied)).0, slow_rook);
                assert_eq!(queen(square, Bitboard(occupied)).0, slow_bishop | slow_rook);
            }
            let ignored = Bitboard(!slow::relevant(square.index(), &slow::ROOK));
            assert_eq!(rook(square, ignored), rook_rays(square));
            assert_eq!(bishop_rays(square), bishop(square, Bitboard::EMPTY));
            assert_eq!(rook_rays(square), rook(square, Bitboard::EMPTY));
        }
    }

    #[test]
    fn leapers_agree_with_plain_steps() {
        for square in Square::ALL {
            let (files, ranks) = (square.file().index() as i32, square.rank().index() as i32);
            let near = |df: i32, dr: i32| df.max(dr) == 1;
            let jump = |df: i32, dr: i32| df * dr == 2;
            let set = |rule: &dyn Fn(i32, i32) -> bool| -> Bitboard {
                let distance = |to: &Square| {
                    let df = (to.file().index() as i32 - files).abs();
                    rule(df, (to.rank().index() as i32 - ranks).abs())
                };
                Square::ALL.into_iter().filter(distance).collect()
            };
            assert_eq!(king(square), set(&near));
            assert_eq!(king(square).0, slow::leaper(square.index(), &slow::KING));
            assert_eq!(knight(square), set(&jump));
            assert_eq!(knight(square).0, slow::leaper(square.index(), &slow::KNIGHT));
            let diagonal: Bitboard =
                [(-1, 1), (1, 1)].into_iter().filter_map(|(f, r)| square.offset(f, r)).collect();
            assert_eq!(pawn(Color::White, square), diagonal);
            assert_eq!(diagonal.0, slow::leaper(square.index(), &slow::PAWN));
            assert_eq!(pawn(Color::Black, square.flip_rank()).0, diagonal.0.swap_bytes());
        }
    }

    #[test]
    fn lines_are_whole_and_between_excludes_the_ends() {
        use Square::*;
        assert_eq!(between(A1, D4), Bitboard::from_iter([B2, C3]));
        assert_eq!(between(H5, E5), Bitboard::from_iter([F5, G5]));
        assert_eq!(between(A1, B3), Bitboard::EMPTY);
        assert_eq!(between(C3, C4), Bitboard::EMPTY);
        assert_eq!(line(B1, C2), Bitboard::from_iter([B1, C2, D3, E4, F5, G6, H7]));
        assert_eq!(line(A1, B3), Bitboard::EMPTY);
        for a in Square::ALL {
            for b in Square::ALL.into_iter().filter(|&b| b != a) {
                let aligned = queen(a, Bitboard::EMPTY).contains(b);
                assert_eq!(line(a, b).contains(a) && line(a, b).contains(b), aligned);
                assert_eq!(between(b, a).0, slow::between(a.index(), b.index()));
                assert_eq!(line(b, a).0, slow::line(a.index(), b.index()));
            }
        }
    }
}
