//! What the transposition table keeps of a position, packed into one 64-bit word.

#![forbid(unsafe_code)]

use crate::types::{MAX_PLY, Move, Score, TB_WIN};

/// How a stored score relates to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Bound {
    /// No score is known, only a move or an evaluation.
    None,
    /// The true score is at most this one (no move reached alpha).
    Upper,
    /// The true score is at least this one (a move reached beta).
    Lower,
    /// The score is exact.
    Exact,
}

impl Bound {
    const ALL: [Self; 4] = [Self::None, Self::Upper, Self::Lower, Self::Exact];

    /// Whether a score with this bound proves that the true one lies at or above `beta`, or
    /// below `beta` respectively, when `score` does.
    #[inline]
    pub fn proves(self, score: Score, beta: Score) -> bool {
        let wanted = if score >= beta { Self::Lower } else { Self::Upper };
        self as u8 & wanted as u8 != 0
    }
}

/// A found or stored position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The best move, if one was found. It comes from a hash and must pass `is_legal`.
    pub mv: Option<Move>,
    /// Score in centipawns; mates count from this position, not from the root.
    pub score: Score,
    /// Static evaluation in centipawns, `None` in check.
    pub eval: Option<Score>,
    /// Depth searched below it, in plies, 0 to 255.
    pub depth: i32,
    /// What the score proves.
    pub bound: Bound,
    /// Whether the position has ever been on a principal variation.
    pub pv: bool,
}

/// The bit pattern that stands for "no evaluation".
const NO_EVAL: i16 = i16::MIN;

/// The number of generations before their counter starts anew.
pub(super) const GENERATIONS: u8 = 32;

/// Move 0–15, score 16–31, evaluation 32–47, depth 48–55, bound 56–57, pv 58, generation 59–63.
#[inline]
pub(super) fn pack(entry: &Entry, generation: u8) -> u64 {
    let eval = entry.eval.map_or(NO_EVAL, |eval| eval as i16);
    u64::from(entry.mv.map_or(0, Move::bits))
        | u64::from(entry.score as i16 as u16) << 16
        | u64::from(eval as u16) << 32
        | u64::from(entry.depth.clamp(0, 255) as u8) << 48
        | (entry.bound as u64) << 56
        | u64::from(entry.pv) << 58
        | u64::from(generation) << 59
}

/// The entry of a word that [`pack`] made.
#[inline]
pub(super) fn unpack(word: u64) -> Entry {
    let eval = (word >> 32) as i16;
    Entry {
        mv: Move::from_bits(word as u16),
        score: Score::from((word >> 16) as i16),
        eval: (eval != NO_EVAL).then_some(Score::from(eval)),
        depth: depth(word),
        bound: Bound::ALL[(word >> 56 & 3) as usize],
        pv: word >> 58 & 1 != 0,
    }
}

/// The depth of a packed entry.
#[inline]
pub(super) fn depth(word: u64) -> i32 {
    (word >> 48 & 255) as i32
}

/// The generation of a packed entry.
#[inline]
pub(super) fn generation(word: u64) -> u8 {
    (word >> 59) as u8
}

/// Turns a score that counts mates from the root into one that counts them from the position
/// `ply` plies below it, as the table stores it.
#[inline]
pub fn score_to_table(score: Score, ply: usize) -> Score {
    match score {
        s if s >= TB_WIN - MAX_PLY as Score => s + ply as Score,
        s if s <= MAX_PLY as Score - TB_WIN => s - ply as Score,
        s => s,
    }
}

/// The reverse of [`score_to_table`].
#[inline]
pub fn score_from_table(score: Score, ply: usize) -> Score {
    match score {
        s if s >= TB_WIN - MAX_PLY as Score => s - ply as Score,
        s if s <= MAX_PLY as Score - TB_WIN => s + ply as Score,
        s => s,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Square, mate_in, mated_in};

    #[test]
    fn packing_keeps_every_field() {
        let mv = Some(Move::normal(Square::E2, Square::E4));
        for bound in Bound::ALL {
            for (score, eval, depth, pv) in
                [(-31_999, None, 0, true), (31_999, Some(-3), 255, false), (17, Some(29_000), 12, true)]
            {
                let entry = Entry { mv, score, eval, depth, bound, pv };
                let word = pack(&entry, 31);
                assert_eq!(unpack(word), entry);
                assert_eq!(generation(word), 31);
            }
        }
    }

    #[test]
    fn mate_scores_are_counted_from_the_position() {
        assert_eq!(score_to_table(mate_in(7), 4), mate_in(3));
        assert_eq!(score_from_table(mated_in(3), 4), mated_in(7));
        assert_eq!(score_to_table(120, 9), 120);
    }

    #[test]
    fn a_bound_proves_only_its_side() {
        assert!(Bound::Lower.proves(50, 40) && !Bound::Lower.proves(30, 40));
        assert!(Bound::Upper.proves(30, 40) && !Bound::Upper.proves(50, 40));
        assert!(Bound::Exact.proves(50, 40) && Bound::Exact.proves(30, 40));
        assert!(!Bound::None.proves(50, 40) && !Bound::None.proves(30, 40));
    }
}
