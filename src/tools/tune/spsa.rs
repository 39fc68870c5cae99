//! Simultaneous perturbation stochastic approximation: a search for the best parameters when all
//! that can be had is a noisy comparison of two sets of them.
//!
//! Each iteration moves all parameters at once by one step, each up or down at random, and
//! compares this set with the opposite one. All parameters then go a little towards the better
//! set. A parameter that matters is pushed the same way every time; the pushes on the others
//! cancel out (J. C. Spall, "Multivariate Stochastic Approximation Using a Simultaneous
//! Perturbation Gradient Approximation", 1992; the schedule is from "Implementation of the
//! Simultaneous Perturbation Algorithm for Stochastic Optimization", 1998).
//!
//! Parameters are measured in steps of their own, so that one rate fits them all. An iteration
//! depends on its number and on the values alone: a stopped run continues as if it had not been.

#![forbid(unsafe_code)]

use crate::rng::Rng;
use crate::search::Tunable;

/// Exponent with which the rate falls, Spall's practical value.
const RATE_EXPONENT: f64 = 0.602;
/// Exponent with which the perturbation falls, Spall's practical value.
const PERTURBATION_EXPONENT: f64 = 0.101;
/// Share of the iterations that holds the rate down at the beginning.
const STABILITY: f64 = 0.1;

/// How fast the values move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// How many iterations are planned.
    pub iterations: u64,
    /// How many steps a parameter moves in the first iteration if one set wins all games.
    pub rate: f64,
    /// Other seeds give other perturbations.
    pub seed: u64,
}

/// The state of a search for better parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Spsa {
    schedule: Schedule,
    tunables: Vec<Tunable>,
    /// Finished iterations.
    iteration: u64,
    /// The best values so far, within their ranges but not whole numbers.
    values: Vec<f64>,
}

impl Spsa {
    /// Starts from the defaults.
    pub fn new(tunables: Vec<Tunable>, schedule: Schedule) -> Self {
        let values = tunables.iter().map(|tunable| tunable.default).collect();
        Self { schedule, tunables, iteration: 0, values }
    }

    /// Goes on from the values, one for each tunable, that so many iterations had led to.
    pub fn resume(&mut self, iteration: u64, values: Vec<f64>) {
        assert_eq!(values.len(), self.tunables.len());
        self.iteration = iteration;
        self.values = values;
    }

    /// Finished iterations.
    pub fn iteration(&self) -> u64 {
        self.iteration
    }

    /// Whether all planned iterations are finished.
    pub fn is_finished(&self) -> bool {
        self.iteration >= self.schedule.iterations
    }

    /// What is tuned.
    pub fn tunables(&self) -> &[Tunable] {
        &self.tunables
    }

    /// The best values so far, in the order of the tunables.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Does one iteration. `compare` gets two sets of values and tells by how much the first is
    /// better than the second, from -1 to 1.
    ///
    /// # Errors
    /// Those of `compare`; the iteration does not count then.
    pub fn step<E>(&mut self, compare: impl FnOnce(&[f64], &[f64]) -> Result<f64, E>) -> Result<f64, E> {
        let mut rng = Rng::stream(self.schedule.seed, 0, self.iteration);
        let count = self.iteration as f64;
        let perturbation = (count + 1.0).powf(-PERTURBATION_EXPONENT);
        let delay = STABILITY * self.schedule.iterations as f64 + 1.0;
        let rate = self.schedule.rate * (delay / (delay + count)).powf(RATE_EXPONENT) / perturbation;
        let signs: Vec<f64> =
            self.values.iter().map(|_| if rng.below(2) == 0 { 1.0 } else { -1.0 }).collect();

        let difference = compare(&self.moved(&signs, perturbation), &self.moved(&signs, -perturbation))?;
        self.values = self.moved(&signs, rate * difference);
        self.iteration += 1;
        Ok(difference)
    }

    /// The values after so many steps in the direction of the signs, as far as their ranges allow.
    fn moved(&self, signs: &[f64], steps: f64) -> Vec<f64> {
        let parts = self.tunables.iter().zip(&self.values).zip(signs);
        parts
            .map(|((tunable, value), sign)| {
                (value + sign * steps * tunable.step).clamp(tunable.min, tunable.max)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    const TUNABLES: [Tunable; 3] = [
        Tunable { name: "narrow", default: 8.0, min: 0.0, max: 16.0, step: 1.0 },
        Tunable { name: "wide", default: 2000.0, min: 0.0, max: 9000.0, step: 100.0 },
        Tunable { name: "at_the_edge", default: 50.0, min: 0.0, max: 60.0, step: 10.0 },
    ];
    /// The last one is out of reach: the best value in range is 60.
    const BEST: [f64; 3] = [12.0, 1500.0, 75.0];

    fn spsa(seed: u64) -> Spsa {
        Spsa::new(TUNABLES.to_vec(), Schedule { iterations: 3000, rate: 0.5, seed })
    }

    /// A noisy comparison of two players whose strength falls with the square of the distance
    /// from the best values, in steps.
    fn compare(plus: &[f64], minus: &[f64], rng: &mut Rng) -> f64 {
        let loss = |values: &[f64]| -> f64 {
            (0..3).map(|i| ((values[i] - BEST[i]) / TUNABLES[i].step).powi(2)).sum()
        };
        let noise = 0.4 * (rng.unit() - 0.5);
        (0.01 * (loss(minus) - loss(plus)) + noise).clamp(-1.0, 1.0)
    }

    fn run(spsa: &mut Spsa, until: u64) {
        while spsa.iteration() < until {
            let mut noise = Rng::stream(9, 9, spsa.iteration());
            let result = spsa.step(|plus, minus| Ok::<_, Infallible>(compare(plus, minus, &mut noise)));
            assert!(result.is_ok_and(|difference| difference.abs() <= 1.0));
        }
    }

    #[test]
    fn noise_does_not_hide_the_optimum() {
        for seed in 0..8 {
            let mut spsa = spsa(seed);
            run(&mut spsa, 3000);
            assert!(spsa.is_finished());
            for (i, best) in [12.0, 1500.0, 60.0].into_iter().enumerate() {
                let distance = (spsa.values()[i] - best).abs() / TUNABLES[i].step;
                assert!(distance < 1.0, "seed {seed}: {} is {} steps off", TUNABLES[i].name, distance);
            }
        }
    }

    #[test]
    fn without_a_difference_nothing_moves() {
        let mut spsa = spsa(1);
        for _ in 0..100 {
            assert_eq!(spsa.step(|_, _| Ok::<_, Infallible>(0.0)), Ok(0.0));
        }
        assert_eq!(spsa.values(), [8.0, 2000.0, 50.0]);
    }

    #[test]
    fn both_sets_are_one_step_away_on_opposite_sides() {
        spsa(1)
            .step(|plus, minus| {
                assert_eq!(
                    [plus[0] + minus[0], plus[1] + minus[1], plus[2] + minus[2]],
                    [16.0, 4000.0, 100.0]
                );
                assert_eq!([0, 1, 2].map(|i| (plus[i] - minus[i]).abs()), [2.0, 200.0, 20.0]);
                Ok::<_, Infallible>(0.0)
            })
            .unwrap();
    }

    #[test]
    fn a_win_moves_towards_the_winner() {
        let mut spsa = spsa(1);
        let mut winner = Vec::new();
        spsa.step(|plus, _| {
            winner = plus.to_vec();
            Ok::<_, Infallible>(1.0)
        })
        .unwrap();
        // At a rate of one half, half the way.
        let expected: Vec<f64> =
            [8.0, 2000.0, 50.0].iter().zip(&winner).map(|(old, new)| (old + new) / 2.0).collect();
        assert_eq!(spsa.values(), expected);
    }

    #[test]
    fn a_resumed_run_ends_like_an_unbroken_one() {
        let (mut unbroken, mut first, mut second) = (spsa(5), spsa(5), spsa(5));
        run(&mut unbroken, 200);
        run(&mut first, 80);
        second.resume(first.iteration(), first.values().to_vec());
        run(&mut second, 200);
        assert_eq!(second, unbroken);
    }
}
