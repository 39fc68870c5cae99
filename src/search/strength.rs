//! Playing at a chosen strength.
//!
//! A weaker player looks less far and is less exact about what it sees. So a level has a number
//! of nodes, which is the same at any time control, and a tolerance: among the best moves that
//! the short search found, one is chosen at random, and a move that seems worse by the tolerance
//! is chosen less often by a factor of e. Most moves are as good as the level can see, because
//! the tolerance is drawn anew for each move, from none to twice its mean; what the level
//! overlooks, it overlooks as people do, beyond its horizon. A mate or a hanging queen is far
//! above every tolerance.
//!
//! The numbers come from matches between neighbouring levels: see `training/STRENGTH.md`.

#![forbid(unsafe_code)]

use crate::rng::Rng;
use crate::types::Score;

/// The ratings that can be chosen, in Elo.
pub const ELO: std::ops::RangeInclusive<i32> = LEVELS[0].elo..=LEVELS[LEVELS.len() - 1].elo;
/// The skill level that limits nothing.
pub const FULL_SKILL: i32 = 20;

/// A player that is weaker than the engine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Strength {
    /// Nodes of a search.
    pub nodes: u64,
    /// How much worse a move may seem and still be played, in centipawns.
    pub tolerance: f64,
    /// Where the random numbers of this search begin.
    pub seed: u64,
}

/// A measured level.
struct Level {
    elo: i32,
    nodes: f64,
    tolerance: f64,
}

const fn level(elo: i32, nodes: f64, tolerance: f64) -> Level {
    Level { elo, nodes, tolerance }
}

/// The levels, each 200 Elo above the one before.
const LEVELS: [Level; 10] = [
    level(1000, 50.0, 194.0),
    level(1200, 180.0, 87.0),
    level(1400, 670.0, 43.0),
    level(1600, 1_540.0, 27.0),
    level(1800, 2_900.0, 20.0),
    level(2000, 5_750.0, 14.0),
    level(2200, 11_000.0, 10.0),
    level(2400, 20_500.0, 7.0),
    level(2600, 42_000.0, 4.5),
    level(2800, 90_000.0, 2.8),
];
/// Moves that are weighed against each other.
const CANDIDATES: usize = 6;
/// A larger difference between scores is this one: the choice is clear anyway.
const CLEAR: Score = 2_000;

impl Strength {
    /// The player of a rating, which is clamped to [`ELO`].
    pub fn of_elo(elo: i32, seed: u64) -> Self {
        let elo = elo.clamp(*ELO.start(), *ELO.end());
        let upper = LEVELS.iter().position(|level| elo <= level.elo).unwrap_or(0).max(1);
        let (low, high) = (&LEVELS[upper - 1], &LEVELS[upper]);
        let share = f64::from(elo - low.elo) / f64::from(high.elo - low.elo);
        // Both change by factors from level to level.
        let between = |low: f64, high: f64| low * (high / low).powf(share);
        Self {
            nodes: between(low.nodes, high.nodes).round() as u64,
            tolerance: between(low.tolerance, high.tolerance),
            seed,
        }
    }

    /// The rating of a skill level below [`FULL_SKILL`].
    pub fn elo_of_skill(skill: i32) -> i32 {
        let (least, most) = (*ELO.start(), *ELO.end());
        least + (most - least) * skill.clamp(0, FULL_SKILL - 1) / (FULL_SKILL - 1)
    }

    /// How many moves are to be searched as lines of their own.
    pub(super) fn candidates(self) -> usize {
        CANDIDATES
    }

    /// The place of the move to play among moves with these scores, the best first. There must
    /// be one.
    pub(super) fn choose(self, scores: &[Score]) -> usize {
        let mut rng = Rng::stream(self.seed, 0, 0);
        let tolerance = (2.0 * self.tolerance * rng.unit()).max(f64::MIN_POSITIVE);
        let weights: Vec<f64> = scores
            .iter()
            .map(|&score| (-f64::from((scores[0] - score).clamp(0, CLEAR)) / tolerance).exp())
            .collect();
        let mut place = rng.unit() * weights.iter().sum::<f64>();
        for (number, weight) in weights.iter().enumerate() {
            if place < *weight {
                return number;
            }
            place -= weight;
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_rise_and_measured_ones_are_met() {
        for pair in LEVELS.windows(2) {
            assert_eq!(pair[1].elo - pair[0].elo, 200);
            assert!(pair[0].nodes < pair[1].nodes && pair[0].tolerance > pair[1].tolerance);
        }
        for level in &LEVELS {
            let strength = Strength::of_elo(level.elo, 0);
            assert_eq!(strength.nodes, level.nodes as u64);
            assert!((strength.tolerance - level.tolerance).abs() < 1e-9);
        }
        assert_eq!(Strength::of_elo(-5, 0), Strength::of_elo(*ELO.start(), 0));
        assert_eq!(Strength::of_elo(9000, 0), Strength::of_elo(*ELO.end(), 0));
        assert!((0..FULL_SKILL).map(Strength::elo_of_skill).is_sorted());
        assert_eq!([0, 19].map(Strength::elo_of_skill), [*ELO.start(), *ELO.end()]);
    }

    #[test]
    fn worse_moves_are_chosen_less_often_and_blunders_never() {
        let shares = |elo: i32, scores: &[Score]| {
            let mut counts = vec![0_u32; scores.len()];
            (0..4000).for_each(|seed| counts[Strength::of_elo(elo, seed).choose(scores)] += 1);
            counts
        };
        let weak = shares(1000, &[50, 40, -50, -2000]);
        assert!(weak.is_sorted_by(|a, b| a >= b) && weak[2] > 200 && weak[3] == 0, "{weak:?}");
        let strong = shares(2800, &[50, 40, -50, -2000]);
        assert!(strong[0] > weak[0] && strong[2] == 0, "{strong:?}");
        assert!(shares(1000, &[31_999, 300, 200])[0] > 3_950, "a mate is played");
        assert_eq!(shares(1000, &[-500]), [4000]);
    }
}
