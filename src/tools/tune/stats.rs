//! What the results of games say about a difference in strength.
//!
//! Games are counted in pairs: one opening, played with both colours. The two games of a pair
//! depend on each other, as most openings favour a side, so only pairs are independent samples.
//! A pair has five results, which gives the pentanomial model its name (M. Van den Bergh,
//! "Comments on normalized Elo"; "Fishtest mathematics" in the Stockfish documentation).

#![forbid(unsafe_code)]

use std::f64::consts::LN_10;
use std::fmt;

/// Quantile of the normal distribution: 95 % lie this near to the mean, in standard deviations.
const CONFIDENCE_95: f64 = 1.959_963_984_540_054;
/// Normalised Elo for one standard deviation of a game: small differences of even players that
/// never draw have the same value in both scales.
pub const NORMALISED_SCALE: f64 = 800.0 / LN_10;

/// How many pairs of games ended with 0, half a point, 1, 1½ and 2 points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pentanomial(pub [u64; 5]);

/// An estimate with its error: the value lies within the error with 95 % confidence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Most likely value; infinite if one side won all games.
    pub value: f64,
    /// Half the width of the confidence interval.
    pub error: f64,
}

impl Pentanomial {
    /// Counts a pair with so many half points (0 to 4) for the player.
    pub fn add(&mut self, half_points: usize) {
        self.0[half_points] += 1;
    }

    /// How many pairs were counted.
    pub fn pairs(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Points a game, 0 to 1; one half if there are no games.
    pub fn score(&self) -> f64 {
        self.expect(|score| score).unwrap_or(0.5)
    }

    /// Variance of the score of a pair, the mean of its two games.
    pub fn variance(&self) -> f64 {
        let mean = self.score();
        self.expect(|score| (score - mean).powi(2)).unwrap_or(0.0)
    }

    /// The difference in Elo: the logistic scale, where 400 points make odds of ten to one.
    ///
    /// ```
    /// use longan::tools::tune::stats::Pentanomial;
    ///
    /// // 200 games with 110 points.
    /// let elo = Pentanomial([5, 20, 40, 20, 15]).elo();
    /// assert_eq!(elo.value.round(), 35.0);
    /// ```
    pub fn elo(&self) -> Estimate {
        let (score, pairs) = (self.score(), self.pairs());
        if pairs == 0 {
            return Estimate { value: 0.0, error: f64::INFINITY };
        }
        let margin = CONFIDENCE_95 * (self.variance() / pairs as f64).sqrt();
        let value = elo(score);
        let error =
            if value.is_finite() { (elo(score + margin) - elo(score - margin)) / 2.0 } else { f64::INFINITY };
        Estimate { value, error }
    }

    /// The difference in normalised Elo, which measures the score in standard deviations of a
    /// game. How many games it takes to find a difference depends on this value alone, not on
    /// how many games are drawn.
    pub fn normalised_elo(&self) -> Estimate {
        let games = 2.0 * self.pairs() as f64;
        let advantage = self.score() - 0.5;
        // The mean of two games varies half as much as a game.
        let deviation = (2.0 * self.variance()).sqrt();
        // Without any variance the quotient is not a number where nothing else was seen.
        let value = if advantage == 0.0 { 0.0 } else { NORMALISED_SCALE * advantage / deviation };
        // The error of the standard deviation is neglected: it matters for huge differences only.
        Estimate { value, error: CONFIDENCE_95 * NORMALISED_SCALE / games.sqrt() }
    }

    /// The mean of a function of the scores of all pairs.
    fn expect(&self, value: impl Fn(f64) -> f64) -> Option<f64> {
        let sum: f64 = (0..5).map(|i| self.0[i] as f64 * value(i as f64 / 4.0)).sum();
        (self.pairs() > 0).then(|| sum / self.pairs() as f64)
    }
}

/// The difference in Elo that gives this expected score; infinite from 0 down and from 1 up.
fn elo(score: f64) -> f64 {
    let score = score.clamp(0.0, 1.0);
    400.0 * (score / (1.0 - score)).log10()
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:+.1} ± {:.1}", self.value, self.error)
    }
}

impl fmt::Display for Pentanomial {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let [n0, n1, n2, n3, n4] = self.0;
        write!(f, "[{n0}, {n1}, {n2}, {n3}, {n4}]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 5e-4, "{value} is not {expected}");
    }

    #[test]
    fn figures_of_a_published_test() {
        // Test 69d3c8dc7c5b3724e29d2712 of the public instance montytest.muzhen.org, which gives
        // score, variance, Elo and normalised Elo.
        let counts = Pentanomial([13, 37, 50, 25, 3]);
        assert_eq!(counts.pairs(), 128);
        assert_eq!(counts.score(), 0.4375);
        assert_near(counts.variance(), 0.05762);
        assert_near(counts.elo().value, -43.6578);
        assert!((counts.normalised_elo().value + 63.97).abs() < 0.005);
    }

    #[test]
    fn errors_as_computed_in_python() {
        let counts = Pentanomial([101, 1010, 2100, 1170, 119]);
        assert_near(counts.elo().value, 7.567_571);
        assert_near(counts.elo().error, 4.181_778);
        assert_near(counts.normalised_elo().value, 12.994_365);
        assert_near(counts.normalised_elo().error, 7.177_962);
        assert_eq!(counts.elo().to_string(), "+7.6 ± 4.2");
    }

    #[test]
    fn elo_is_logistic() {
        // Ten points to one are 400 Elo, by definition.
        assert_near(elo(10.0 / 11.0), 400.0);
        // Three points of four: 400 log10(3).
        assert_near(Pentanomial([0, 0, 0, 8, 0]).elo().value, 190.848_5);
    }

    #[test]
    fn extreme_results_give_sane_estimates() {
        let nothing = Pentanomial::default();
        assert_eq!((nothing.score(), nothing.variance()), (0.5, 0.0));
        assert_eq!(nothing.elo().to_string(), "+0.0 ± inf");
        assert_eq!(nothing.normalised_elo().to_string(), "+0.0 ± inf");

        let even = Pentanomial([0, 0, 9, 0, 0]);
        assert_eq!(even.elo(), Estimate { value: 0.0, error: 0.0 });
        assert_eq!(even.normalised_elo().value, 0.0);

        let (won, lost) = (Pentanomial([0, 0, 0, 0, 9]), Pentanomial([9, 0, 0, 0, 0]));
        assert_eq!(won.elo().to_string(), "+inf ± inf");
        assert_eq!(lost.elo().to_string(), "-inf ± inf");
        assert_eq!(
            (won.normalised_elo().value, lost.normalised_elo().value),
            (f64::INFINITY, f64::NEG_INFINITY)
        );

        // The upper end of the interval lies above 100 %.
        let nearly_won = Pentanomial([0, 0, 0, 1, 9]).elo();
        assert!(nearly_won.value.is_finite() && nearly_won.error == f64::INFINITY);
    }
}
