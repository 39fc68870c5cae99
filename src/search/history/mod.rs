//! What the search learns from its own cut-offs, one table for each kind of context.
//!
//! All entries follow the same rule, the "gravity" of the history heuristic: a bonus moves an
//! entry towards its limit, the less the nearer it is (J. Schaeffer, "The history heuristic
//! and alpha-beta search enhancements in practice", 1989; the decay is common knowledge of
//! engine authors, see chessprogramming.org, "History Heuristic").

#![forbid(unsafe_code)]

mod capture;
mod continuation;
mod correction;
mod quiet;

pub(super) use capture::CaptureHistory;
pub(super) use continuation::{ContinuationHistory, PieceTo};
pub(super) use correction::CorrectionHistory;
pub(super) use quiet::{PawnHistory, QuietHistory};

/// The limit of move histories; sums of several tables stay far from overflowing.
const LIMIT: i32 = 8192;

/// Moves `entry` towards `bonus`, which is at most the limit.
#[inline]
fn gravity(entry: &mut i16, bonus: i32) {
    let bonus = bonus.clamp(-LIMIT, LIMIT);
    *entry += (bonus - i32::from(*entry) * bonus.abs() / LIMIT) as i16;
}

/// An array on the heap that never stood on the stack.
fn filled<T: Clone, const N: usize>(fill: T) -> Box<[T; N]> {
    match vec![fill; N].try_into() {
        Ok(array) => array,
        Err(_) => unreachable!("the vector has N elements"),
    }
}

/// All histories of one worker.
pub(super) struct Histories {
    pub quiet: QuietHistory,
    pub pawn: PawnHistory,
    pub capture: CaptureHistory,
    pub continuation: ContinuationHistory,
    pub correction: CorrectionHistory,
}

impl Histories {
    pub fn new() -> Self {
        Self {
            quiet: QuietHistory::new(),
            pawn: PawnHistory::new(),
            capture: CaptureHistory::new(),
            continuation: ContinuationHistory::new(),
            correction: CorrectionHistory::new(),
        }
    }

    /// Forgets everything, for a new game.
    pub fn clear(&mut self) {
        self.quiet.clear();
        self.pawn.clear();
        self.capture.clear();
        self.continuation.clear();
        self.correction.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gravity_stays_within_its_limit() {
        let mut entry = 0;
        for _ in 0..1000 {
            gravity(&mut entry, 2 * LIMIT);
            assert!(i32::from(entry) <= LIMIT);
        }
        assert_eq!(i32::from(entry), LIMIT);
        gravity(&mut entry, -LIMIT / 2);
        assert_eq!(i32::from(entry), 0, "a malus of half the limit halves twice what is there");
    }
}
