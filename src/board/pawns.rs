//! Pawn moves, for all pawns of a side at once.
//!
//! A pinned pawn may still move along the line of its pin. Forward that is the king's file; a
//! capture stays on a diagonal through the king exactly when it starts and ends on one of the
//! king's bishop rays. So pins need no loop either.

use super::Position;
use super::movegen::Sink;
use crate::attacks;
use crate::types::{Bitboard, Color, Move, Piece, Rank};

/// Gives the pawn moves to `sink`. `NOISY` and `QUIET` choose the classes of
/// [`Position::noisy_moves`] and [`Position::quiet_moves`].
#[inline]
pub(super) fn generate<const NOISY: bool, const QUIET: bool>(
    position: &Position,
    check_mask: Bitboard,
    sink: &mut impl Sink,
) {
    match position.side_to_move() {
        Color::White => pushes_and_captures::<true, NOISY, QUIET>(position, check_mask, sink),
        Color::Black => pushes_and_captures::<false, NOISY, QUIET>(position, check_mask, sink),
    }
    if NOISY && let Some(target) = position.en_passant() {
        for from in position.en_passant_capturers(target) {
            sink.one(Move::en_passant(from, target));
        }
    }
}

/// The colour is known at compile time, so that every shift is by a constant.
#[inline]
fn pushes_and_captures<const WHITE: bool, const NOISY: bool, const QUIET: bool>(
    position: &Position,
    check_mask: Bitboard,
    sink: &mut impl Sink,
) {
    let us = if WHITE { Color::White } else { Color::Black };
    let up = if WHITE { 1 } else { -1 };
    let king = position.king(us);
    let last_rank = Bitboard::rank(Rank::Eighth.relative_to(us));
    let pawns = position.pieces(us, Piece::Pawn);
    let free = pawns.without(position.pinned());
    let pinned = pawns & position.pinned();

    let empty = !position.occupied();
    let straight = free | pinned & Bitboard::file(king.file());
    let single = straight.shift_ranks(up) & empty;
    let third_rank = Bitboard::rank(Rank::Third.relative_to(us));
    let double = (single & third_rank).shift_ranks(up) & empty & check_mask;
    let single = single & check_mask;
    if QUIET {
        sink.pawns(single.without(last_rank), up * 8);
        sink.pawns(double, up * 16);
    }
    promotions::<NOISY, QUIET>(single & last_rank, up * 8, sink);

    let rays = attacks::bishop_rays(king);
    let free = free.shift_ranks(up);
    let pinned = (pinned & rays).shift_ranks(up);
    let targets = position.color(!us) & check_mask;
    let east = (free.shift_east() | pinned.shift_east() & rays) & targets;
    let west = (free.shift_west() | pinned.shift_west() & rays) & targets;
    if NOISY {
        sink.pawns(east.without(last_rank), up * 8 + 1);
        sink.pawns(west.without(last_rank), up * 8 - 1);
    }
    promotions::<NOISY, QUIET>(east & last_rank, up * 8 + 1, sink);
    promotions::<NOISY, QUIET>(west & last_rank, up * 8 - 1, sink);
}

#[inline]
fn promotions<const NOISY: bool, const QUIET: bool>(targets: Bitboard, step: i32, sink: &mut impl Sink) {
    if targets.any() {
        if NOISY {
            sink.promotions(targets, step, &[Piece::Queen]);
        }
        if QUIET {
            sink.promotions(targets, step, &[Piece::Rook, Piece::Bishop, Piece::Knight]);
        }
    }
}
