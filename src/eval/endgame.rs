//! Endgames whose result does not follow from counting: which material cannot win, and how to
//! drive a bare king to mate.
//!
//! The mop-up idea (enemy king to the edge, own king near it) is D. Slate and L. Atkin's of
//! Chess 4.5, 1977. Rules are few and safe: what they do not know is left to the search.

#![forbid(unsafe_code)]

use super::kpk;
use crate::board::Position;
use crate::types::{Bitboard, Color, Piece, Rank, Score, Square};

/// The scale of a lead that counts in full, see [`drawish`].
pub const FULL_SCALE: i32 = 64;

/// The least score of a win that is known, far below [`MAX_EVAL`](crate::types::MAX_EVAL).
const KNOWN_WIN: Score = 3_000;

/// The score, for the side to move, of endgames whose result and plan are known: a bare king
/// against pieces or one pawn, and queen against rook. `None` in all other positions.
pub fn known(position: &Position) -> Option<Score> {
    if position.piece(Piece::Pawn).any() {
        return king_and_pawn(position);
    }
    bare_king(position).or_else(|| queen_against_rook(position))
}

/// Whether a score is that of a [`known`] win, or as high. Nothing must be added to it: the drive to
/// mate would get lost.
#[inline]
pub fn is_known_win(score: Score) -> bool {
    score.abs() >= KNOWN_WIN
}

/// A score of the strong side, for the side to move.
fn for_side_to_move(position: &Position, strong: Color, score: Score) -> Score {
    if position.side_to_move() == strong { score } else { -score }
}

/// King and pawn against king: won or drawn for certain. The pawn advances where that keeps the win.
fn king_and_pawn(position: &Position) -> Option<Score> {
    if position.occupied().count() != 3 {
        return None;
    }
    let pawn = position.piece(Piece::Pawn).first()?;
    let strong = position.color_at(pawn)?;
    if !kpk::is_won(position, strong, pawn) {
        return Some(0);
    }
    let steps = pawn.relative_to(strong).rank().index() as Score;
    Some(for_side_to_move(position, strong, KNOWN_WIN + 100 + 20 * steps))
}

/// Queen against rook: won but for tactics, which the search sees. The lone king is driven to the
/// edge, the own king near it.
fn queen_against_rook(position: &Position) -> Option<Score> {
    let (queen, rook) = (position.piece(Piece::Queen), position.piece(Piece::Rook));
    if position.occupied().count() != 4 || queen.count() != 1 || rook.count() != 1 {
        return None;
    }
    let strong = position.color_at(queen.first()?)?;
    if (rook & position.color(strong)).any() {
        return None;
    }
    let (king, weak) = (position.king(strong), position.king(!strong));
    let closeness = 7 - king.distance(weak) as i32;
    let score = KNOWN_WIN + 25 * edge_distance_from_center(weak) + 20 * closeness;
    Some(for_side_to_move(position, strong, score))
}

/// The score of a bare king against pieces without pawns; `None` in all other positions.
fn bare_king(position: &Position) -> Option<Score> {
    let weak = Color::ALL.into_iter().find(|&color| !position.color(color).many())?;
    let strong = !weak;
    if !can_mate(position, strong) {
        return Some(0);
    }
    let king = position.king(weak);
    let bishops = position.pieces(strong, Piece::Bishop);
    let minor_mate =
        (position.pieces(strong, Piece::Rook) | position.pieces(strong, Piece::Queen)).is_empty();
    // Bishop and knight mate only in a corner of the bishop's colour.
    let drive = if minor_mate && bishops.count() == 1 {
        let corners = match (bishops & Bitboard::DARK).any() {
            true => [Square::A1, Square::H8],
            false => [Square::A8, Square::H1],
        };
        let walk = corners.map(|corner| steps_to(king, corner)).into_iter().min().unwrap_or(0);
        200 * (7 - walk)
    } else {
        25 * edge_distance_from_center(king)
    };
    let closeness = 7 - position.king(strong).distance(king) as i32;
    let material: i32 = [(Piece::Knight, 300), (Piece::Bishop, 320), (Piece::Rook, 500), (Piece::Queen, 900)]
        .into_iter()
        .map(|(piece, value)| position.pieces(strong, piece).count() as i32 * value)
        .sum();
    let score = KNOWN_WIN + material + drive + 12 * closeness;
    Some(for_side_to_move(position, strong, score))
}

/// How much of a lead counts, of [`FULL_SCALE`], if `strong` can hardly turn it into a win: too little material without
/// pawns, or a bishop that does not control the corner where its pawns promote.
pub fn drawish(position: &Position, strong: Color) -> Option<i32> {
    let pawns = position.pieces(strong, Piece::Pawn);
    if pawns.any() {
        return wrong_bishop(position, strong, pawns).then_some(2);
    }
    let own = force(position, strong);
    // Not even a rook can never win; a minor piece more seldom does.
    if own < 5 {
        return Some(0);
    }
    (own - force(position, !strong) <= 3).then_some(8)
}

/// Whether a side without pawns can mate a bare king at all.
fn can_mate(position: &Position, color: Color) -> bool {
    let count = |piece| position.pieces(color, piece);
    let bishops = count(Piece::Bishop);
    let both_shades = (bishops & Bitboard::LIGHT).any() && (bishops & Bitboard::DARK).any();
    (count(Piece::Rook) | count(Piece::Queen)).any()
        || both_shades
        || (bishops.any() && count(Piece::Knight).any())
        || count(Piece::Knight).count() > 2
}

/// Pieces without pawns and king, a minor piece being 3, a rook 5 and a queen 9.
pub(crate) fn force(position: &Position, color: Color) -> i32 {
    [(Piece::Knight, 3), (Piece::Bishop, 3), (Piece::Rook, 5), (Piece::Queen, 9)]
        .into_iter()
        .map(|(piece, value)| position.pieces(color, piece).count() as i32 * value)
        .sum()
}

/// Pawns on one rook's file, no piece but a bishop that cannot take the corner from a king that
/// is there.
fn wrong_bishop(position: &Position, strong: Color, pawns: Bitboard) -> bool {
    let Some(pawn) = pawns.first() else { return false };
    let file = Bitboard::file(pawn.file());
    let edge = file.shift_east().is_empty() || file.shift_west().is_empty();
    let bishops = position.pieces(strong, Piece::Bishop);
    if !edge || pawns.without(file).any() || force(position, strong) != 3 * bishops.count() as i32 {
        return false;
    }
    let last = Bitboard::rank(Rank::Eighth.relative_to(strong));
    let corner = file & last;
    let shade = if (corner & Bitboard::DARK).any() { Bitboard::DARK } else { Bitboard::LIGHT };
    let near = corner.first().is_some_and(|corner| position.king(!strong).distance(corner) <= 1);
    near && (bishops & shade).is_empty()
}

/// 0 in the centre to 6 in a corner: files and ranks from the middle four squares.
fn edge_distance_from_center(square: Square) -> i32 {
    let from_middle = |line: usize| if line < 4 { 3 - line as i32 } else { line as i32 - 4 };
    from_middle(square.file().index()) + from_middle(square.rank().index())
}

/// Files plus ranks between two squares, at most 7 for the nearer of two opposite corners.
fn steps_to(a: Square, b: Square) -> i32 {
    let files = a.file().index().abs_diff(b.file().index());
    let ranks = a.rank().index().abs_diff(b.rank().index());
    (files + ranks) as i32
}
