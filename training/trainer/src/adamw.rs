//! The optimiser: Adam with decoupled weight decay (D. Kingma and J. Ba, 2015; I. Loshchilov and
//! F. Hutter, 2019), and the learning rate over time.

use std::f32::consts::PI;

use crate::model::{LANES, Model, Row, Shape};

/// How long the mean gradient remembers.
const BETA_MEAN: f32 = 0.9;
/// How long the mean squared gradient remembers.
const BETA_SQUARE: f32 = 0.999;
/// Keeps the step finite where the gradient has always been 0.
const EPSILON: f32 = 1e-8;
/// The share of a weight that is lost each step, times the learning rate.
const DECAY: f32 = 0.01;
/// Weights are kept within this bound: 32 men then cannot overflow the engine's 16-bit sums.
const CLIP: f32 = 1.98;
/// Output weights stay within this, so that their unit can be fine: the largest one decides it.
const OUTPUT_CLIP: f32 = 0.99;

/// The running means of the gradient and its square.
#[derive(Clone, Debug, PartialEq)]
pub struct AdamW {
    mean: Model,
    square: Model,
    steps: u64,
}

impl AdamW {
    /// An optimiser that has seen no gradient.
    pub fn new(shape: Shape) -> Self {
        Self { mean: Model::zeros(shape), square: Model::zeros(shape), steps: 0 }
    }

    /// One that goes on after `steps` steps.
    pub fn resume(mean: Model, square: Model, steps: u64) -> Self {
        Self { mean, square, steps }
    }

    /// The running means of the gradient and of its square.
    pub fn moments(&self) -> [&Model; 2] {
        [&self.mean, &self.square]
    }

    /// How many steps were done.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Moves the model against the gradient, which is the sum over `positions` of them.
    pub fn step(&mut self, model: &mut Model, gradient: &Model, positions: usize, rate: f32) {
        self.steps += 1;
        let correction = |beta: f32| 1.0 / (1.0 - f64::from(beta).powf(self.steps as f64)) as f32;
        let update = Update {
            gradient_unit: 1.0 / positions as f32,
            mean_correction: correction(BETA_MEAN),
            square_correction: correction(BETA_SQUARE),
            rate,
        };
        let outputs = model.output_rows();
        let moments = self.mean.rows_mut().iter_mut().zip(self.square.rows_mut());
        let rows = model.rows_mut().iter_mut().zip(gradient.rows());
        for (number, ((row, gradient), (mean, square))) in rows.zip(moments).enumerate() {
            let bound = if outputs.contains(&number) { OUTPUT_CLIP } else { CLIP };
            update.apply(row, gradient, mean, square, bound);
        }
    }
}

/// What is the same for all weights in a step.
struct Update {
    gradient_unit: f32,
    mean_correction: f32,
    square_correction: f32,
    rate: f32,
}

impl Update {
    fn apply(&self, row: &mut Row, gradient: &Row, mean: &mut Row, square: &mut Row, bound: f32) {
        for lane in 0..LANES {
            let gradient = gradient.0[lane] * self.gradient_unit;
            mean.0[lane] = BETA_MEAN * mean.0[lane] + (1.0 - BETA_MEAN) * gradient;
            square.0[lane] = BETA_SQUARE * square.0[lane] + (1.0 - BETA_SQUARE) * gradient * gradient;
            let deviation = (square.0[lane] * self.square_correction).sqrt() + EPSILON;
            let step = mean.0[lane] * self.mean_correction / deviation;
            let weight = row.0[lane] * (1.0 - self.rate * DECAY) - self.rate * step;
            row.0[lane] = weight.clamp(-bound, bound);
        }
    }
}

/// The learning rate over a run: it rises for the first steps, then falls along a cosine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// The highest rate.
    pub peak: f32,
    /// All steps of the run.
    pub steps: u64,
}

impl Schedule {
    /// Steps of the rise, in runs that are long enough; else a tenth of the run.
    const WARM_UP: u64 = 200;
    /// The rate at the end, as a share of the peak.
    const END: f32 = 0.0081;

    /// The rate of a step, counted from 0.
    pub fn rate(&self, step: u64) -> f32 {
        let warm_up = Self::WARM_UP.min(self.steps / 10);
        if step < warm_up {
            return self.peak * (step + 1) as f32 / warm_up as f32;
        }
        let progress = (step - warm_up) as f32 / (self.steps - warm_up).max(1) as f32;
        let share = (1.0 + (PI * progress).cos()) / 2.0;
        self.peak * (Self::END + (1.0 - Self::END) * share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: Shape = Shape { hidden: LANES, buckets: 1 };

    #[test]
    fn the_first_steps_have_the_size_of_the_rate() {
        // With one gradient seen, mean / deviation is the gradient's sign; the later values are
        // worked out by hand from the definition: m = 0.9 * 2 * 0.1 - 1 * 0.1 and so on.
        let mut model = Model::zeros(SMALL);
        let mut gradient = Model::zeros(SMALL);
        gradient.rows_mut()[0].0[..2].copy_from_slice(&[20.0, -0.5]);
        let mut adam = AdamW::new(SMALL);
        adam.step(&mut model, &gradient, 10, 0.01);
        let weights = &model.rows()[0].0;
        assert!((weights[0] + 0.01).abs() < 1e-7 && (weights[1] - 0.01).abs() < 1e-7, "{weights:?}");
        assert_eq!(weights[2], 0.0);
        gradient.rows_mut()[0].0[0] = -10.0;
        adam.step(&mut model, &gradient, 10, 0.01);
        let (mean, square) = ((0.18 - 0.1) / 0.19, (0.999 * 0.004 + 0.001) / 0.001_999);
        let expected = -0.01 * (1.0 - 0.000_1) - 0.01 * mean / f32::sqrt(square);
        assert!((model.rows()[0].0[0] - expected).abs() < 1e-6, "{} {expected}", model.rows()[0].0[0]);
    }

    #[test]
    fn weights_decay_and_stay_within_their_bound() {
        let mut model = Model::zeros(SMALL);
        model.rows_mut()[0].0[..2].copy_from_slice(&[1.5, -1.97]);
        let mut gradient = Model::zeros(SMALL);
        gradient.rows_mut()[0].0[1] = 1.0;
        model.output_mut(0, 1, 0).0[3] = 1.5;
        *model.output_bias_mut(0) = 1.5;
        AdamW::new(SMALL).step(&mut model, &gradient, 1, 0.1);
        let decayed = 1.5 * (1.0 - 0.1 * 0.01);
        assert_eq!(model.rows()[0].0[..2], [decayed, -1.98]);
        assert_eq!((model.output(0, 1, 0).0[3], model.output_bias(0)), (0.99, decayed));
    }

    #[test]
    fn the_rate_rises_and_falls() {
        let schedule = Schedule { peak: 1e-3, steps: 2_200 };
        assert!((schedule.rate(0) - 5e-6).abs() < 1e-11);
        assert_eq!(schedule.rate(199), 1e-3);
        assert_eq!(schedule.rate(200), 1e-3);
        assert!((schedule.rate(1_200) - 0.5 * (1e-3 + 8.1e-6)).abs() < 1e-8);
        assert!((schedule.rate(2_199) - 8.1e-6).abs() < 1e-8);
        assert_eq!(Schedule { peak: 1.0, steps: 1 }.rate(0), 1.0);
    }
}
