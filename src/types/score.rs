//! Scores in centipawns, with mates and tablebase wins at the ends of the range.

#![forbid(unsafe_code)]

/// A score in centipawns from the view of the side to move; mates as [`mate_in`] makes them.
/// All values fit in 16 bits.
pub type Score = i32;

/// The deepest line a search follows, in plies.
pub const MAX_PLY: usize = 246;
/// Beyond every score.
pub const INFINITE: Score = 32_500;
/// Giving mate in 0 plies.
pub const MATE: Score = 32_000;
/// A win by tablebase at the root; `TB_WIN - ply` deeper in the tree. Below every mate.
pub const TB_WIN: Score = MATE - 2 * MAX_PLY as Score;
/// The largest evaluation, below every tablebase win.
pub const MAX_EVAL: Score = TB_WIN - MAX_PLY as Score - 1;

/// The score of giving mate `ply` plies from the root.
#[inline]
pub const fn mate_in(ply: usize) -> Score {
    MATE - ply as Score
}

/// The score of being mated `ply` plies from the root.
#[inline]
pub const fn mated_in(ply: usize) -> Score {
    ply as Score - MATE
}

/// Whether the score says that one side is mated by force.
#[inline]
pub const fn is_mate(score: Score) -> bool {
    score.abs() >= MATE - MAX_PLY as Score
}

/// Whether the score says that one side wins by force: a mate or a tablebase win.
#[inline]
pub const fn is_decisive(score: Score) -> bool {
    score.abs() > MAX_EVAL
}

/// The distance of a mate score in full moves, as UCI counts: positive when the side to move
/// mates, negative when it is mated. Zero when it is mated already.
///
/// ```
/// use longan::types::{mate_distance, mate_in, mated_in};
///
/// assert_eq!((mate_distance(mate_in(3)), mate_distance(mated_in(4))), (2, -2));
/// ```
pub const fn mate_distance(score: Score) -> i32 {
    if score > 0 { (MATE - score + 1) / 2 } else { -(MATE + score) / 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mate_scores_count_full_moves() {
        assert_eq!(mate_distance(mate_in(1)), 1);
        assert_eq!(mate_distance(mate_in(3)), 2);
        assert_eq!(mate_distance(mated_in(0)), 0);
        assert_eq!(mate_distance(mated_in(2)), -1);
        assert_eq!(mate_distance(mated_in(4)), -2);
    }

    #[test]
    fn the_kinds_of_score_do_not_overlap() {
        assert!(!is_decisive(MAX_EVAL) && is_decisive(TB_WIN - MAX_PLY as Score));
        assert!(!is_mate(TB_WIN) && is_mate(mate_in(MAX_PLY)) && is_mate(mated_in(MAX_PLY)));
        assert!(INFINITE < Score::from(i16::MAX));
    }
}
