//! When a match may stop: the generalised sequential probability ratio test.
//!
//! The test weighs two hypotheses, that the difference is `elo0` or `elo1` in normalised Elo. A
//! hypothesis fixes only one figure of the distribution of the results of pairs, so each is
//! represented by the distribution that explains the results best among those it allows (maximum
//! likelihood, under its constraint). The match stops when the logarithm of the ratio of both
//! likelihoods leaves the bounds that A. Wald gave ("Sequential Tests of Statistical
//! Hypotheses", 1945).
//!
//! The mathematics is from M. Van den Bergh, "A practical introduction to the GSPRT" and
//! "Comments on normalized Elo".

#![forbid(unsafe_code)]

use std::f64::consts::SQRT_2;

use thiserror::Error;

use super::stats::{NORMALISED_SCALE, Pentanomial};

/// Stands for results that never occurred: with zeros some hypotheses would be impossible.
const RARE: f64 = 1e-3;
/// The distributions settle in a few rounds; results as lopsided as never occur in matches need
/// some more.
const MAX_ROUNDS: usize = 100;
/// No probability changes by more in the last round.
const TOLERANCE: f64 = 1e-10;
/// As many as a number has bits.
const BISECTIONS: usize = 64;
/// Hypotheses lie within this distance of 0, in normalised Elo. Far beyond any that is worth a
/// test, the constraints would allow no distribution.
const MAX_ELO: f64 = 200.0;

/// A test of two hypotheses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    elo0: f64,
    elo1: f64,
    alpha: f64,
    beta: f64,
}

/// What a test decided for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hypothesis {
    /// The difference is `elo0` or less.
    H0,
    /// The difference is `elo1` or more.
    H1,
}

/// Why there is no such test.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum SprtError {
    /// The hypotheses are equal, in the wrong order, or too far apart.
    #[error("a test needs two Elo values from -{MAX_ELO} to {MAX_ELO}, the smaller first, not {0} and {1}")]
    Elo(f64, f64),
    /// The probabilities of an error are none, or too great for a test.
    #[error("alpha and beta of a test must be above 0 and below 0.5, not {0} and {1}")]
    Error(f64, f64),
}

impl Sprt {
    /// A test of `elo0` against `elo1` (normalised Elo) that errs with probability `alpha` when
    /// the difference is `elo0` and with `beta` when it is `elo1`.
    ///
    /// ```
    /// use longan::tools::tune::sprt::{Hypothesis, Sprt};
    /// use longan::tools::tune::stats::Pentanomial;
    ///
    /// let test = Sprt::new(0.0, 5.0, 0.05, 0.05)?;
    /// assert_eq!(test.verdict(&Pentanomial([5, 20, 40, 20, 15])), None);
    /// assert_eq!(test.verdict(&Pentanomial([500, 2000, 4000, 2000, 1500])), Some(Hypothesis::H1));
    /// # Ok::<(), longan::tools::tune::sprt::SprtError>(())
    /// ```
    ///
    /// # Errors
    /// When `elo0` is not below `elo1`, one is beyond ±200, or a probability is not within 0 and 0.5.
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Self, SprtError> {
        let is_possible = |error: f64| error > 0.0 && error < 0.5;
        if !(-MAX_ELO <= elo0 && elo0 < elo1 && elo1 <= MAX_ELO) {
            return Err(SprtError::Elo(elo0, elo1));
        }
        if !(is_possible(alpha) && is_possible(beta)) {
            return Err(SprtError::Error(alpha, beta));
        }
        Ok(Self { elo0, elo1, alpha, beta })
    }

    /// The log-likelihood ratios at which the test decides for H0 and for H1.
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The log-likelihood ratio of the results so far: positive if they speak for H1.
    pub fn llr(&self, counts: &Pentanomial) -> f64 {
        if counts.pairs() == 0 {
            return 0.0;
        }
        let counts = counts.0.map(|count| if count == 0 { RARE } else { count as f64 });
        let total: f64 = counts.iter().sum();
        let observed = counts.map(|count| count / total);
        let [p0, p1] = [self.elo0, self.elo1].map(|elo| most_likely(&observed, elo));
        (0..5).map(|i| counts[i] * (p1[i] / p0[i]).ln()).sum()
    }

    /// The decision, once there is one.
    pub fn verdict(&self, counts: &Pentanomial) -> Option<Hypothesis> {
        let llr = self.llr(counts);
        let (lower, upper) = self.bounds();
        if llr >= upper {
            Some(Hypothesis::H1)
        } else if llr <= lower {
            Some(Hypothesis::H0)
        } else {
            None
        }
    }

    /// The test as text, with the log-likelihood ratio of the results so far.
    pub fn describe(&self, counts: &Pentanomial) -> String {
        let (lower, upper) = self.bounds();
        let Self { elo0, elo1, .. } = self;
        format!("LLR {:+.2} ({lower:+.2}, {upper:+.2}) for [{elo0}, {elo1}] normalised Elo", self.llr(counts))
    }
}

/// The score of a pair with so many half points.
fn score(half_points: usize) -> f64 {
    half_points as f64 / 4.0
}

/// Among the distributions of pairs whose normalised Elo is `elo`, the most likely one.
///
/// The constraint, mean - 1/2 = t · deviation, is not linear in the probabilities. It is replaced
/// by its tangent at the last distribution, for which the solution is known, until nothing
/// changes.
fn most_likely(observed: &[f64; 5], elo: f64) -> [f64; 5] {
    // A pair's score, the mean of two games, deviates less than a game's.
    let t = SQRT_2 * elo / NORMALISED_SCALE;
    let mut distribution = [0.2; 5];
    for _ in 0..MAX_ROUNDS {
        let mean: f64 = (0..5).map(|i| distribution[i] * score(i)).sum();
        let variance: f64 = (0..5).map(|i| distribution[i] * (score(i) - mean).powi(2)).sum();
        let deviation = variance.sqrt();
        let tangent = |i| score(i) - 0.5 - t * (deviation + (score(i) - mean).powi(2) / deviation) / 2.0;
        let next = most_likely_with_mean_zero(observed, std::array::from_fn(tangent));
        let change = (0..5).map(|i| (next[i] - distribution[i]).abs()).fold(0.0, f64::max);
        distribution = next;
        if change < TOLERANCE {
            break;
        }
    }
    distribution
}

/// Among the distributions in which `values` have the mean 0, the most likely one. By Lagrange
/// it is observed / (1 + θ · value), where θ makes the mean 0.
fn most_likely_with_mean_zero(observed: &[f64; 5], values: [f64; 5]) -> [f64; 5] {
    let distribution = |theta: f64| std::array::from_fn(|i| observed[i] / (1.0 + theta * values[i]));
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // Between these ends all probabilities are positive, and the mean falls from +∞ to -∞.
    let (mut low, mut high) = (-1.0 / most, -1.0 / least);
    for _ in 0..BISECTIONS {
        let theta = (low + high) / 2.0;
        let probabilities: [f64; 5] = distribution(theta);
        let mean: f64 = (0..5).map(|i| probabilities[i] * values[i]).sum();
        if mean > 0.0 {
            low = theta;
        } else {
            high = theta;
        }
    }
    distribution((low + high) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn llr(elo0: f64, elo1: f64, counts: [u64; 5]) -> f64 {
        Sprt::new(elo0, elo1, 0.05, 0.05).unwrap().llr(&Pentanomial(counts))
    }

    fn assert_near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-9, "{value} is not {expected}");
    }

    #[test]
    fn ratio_of_a_published_test() {
        // Test 69d3c8dc7c5b3724e29d2712 of the public instance montytest.muzhen.org:
        // "Normalized (exact) -0.54912" for the bounds 0 and 4.
        assert!((llr(0.0, 4.0, [13, 37, 50, 25, 3]) + 0.54912).abs() < 5e-6);
    }

    /// The expected values come from another way to the same maximum, in Python: the likelihood
    /// for every pair of mean and variance that meets the constraint, maximised over the mean.
    #[test]
    fn ratios_as_computed_by_another_method() {
        assert_near(llr(0.0, 5.0, [101, 1010, 2100, 1170, 119]), 3.903_578_122_5);
        assert_near(llr(-10.0, -2.0, [50, 400, 1000, 400, 50]), 1.511_148_549_0);
    }

    /// Results that did not occur count as a thousandth; see the test above.
    #[test]
    fn degenerate_results_have_finite_ratios() {
        assert_eq!(llr(0.0, 5.0, [0; 5]), 0.0);
        assert_near(llr(0.0, 5.0, [0, 0, 500, 0, 0]), -0.201_549_856_2);
        assert_near(llr(0.0, 5.0, [0, 0, 0, 0, 40]), 0.805_757_604_2);
        assert_near(llr(0.0, 5.0, [0, 0, 10, 30, 0]), 0.490_498_480_9);
        assert_near(llr(-3.0, 3.0, [30, 0, 0, 0, 30]), 0.0);
        assert!(llr(-MAX_ELO, MAX_ELO, [0, 0, 0, 0, 100_000]).is_finite());
    }

    #[test]
    fn the_mirrored_test_of_the_mirrored_results_has_the_opposite_ratio() {
        let (mut counts, ratio) = ([3, 25, 50, 37, 13], llr(-1.0, 6.0, [3, 25, 50, 37, 13]));
        counts.reverse();
        assert_near(llr(-6.0, 1.0, counts), -ratio);
    }

    #[test]
    fn the_test_decides_at_the_bounds() {
        let test = Sprt::new(0.0, 5.0, 0.05, 0.1).unwrap();
        // ln(0.1 / 0.95) and ln(0.9 / 0.05).
        assert!((test.bounds().0 + 2.251_292).abs() < 1e-6 && (test.bounds().1 - 2.890_372).abs() < 1e-6);
        let verdict = |counts| test.verdict(&Pentanomial(counts));
        assert_eq!(verdict([101, 1010, 2100, 1170, 119]), Some(Hypothesis::H1));
        assert_eq!(verdict([119, 1170, 2100, 1010, 101]), Some(Hypothesis::H0));
        assert_eq!(verdict([13, 37, 50, 25, 3]), None);
    }

    #[test]
    fn impossible_tests_are_refused() {
        let is_refused = |elo0, elo1, alpha, beta| Sprt::new(elo0, elo1, alpha, beta).is_err();
        assert!(is_refused(5.0, 5.0, 0.05, 0.05) && is_refused(5.0, 0.0, 0.05, 0.05));
        assert!(is_refused(0.0, f64::NAN, 0.05, 0.05) && is_refused(0.0, 201.0, 0.05, 0.05));
        assert!(is_refused(0.0, 5.0, 0.0, 0.05) && is_refused(0.0, 5.0, 0.05, 0.5));
        assert!(!is_refused(-5.0, 0.0, 0.01, 0.1));
    }
}
