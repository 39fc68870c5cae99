//! The network `(768 -> H) x 2 -> B` with SCReLU, in 32-bit floats.
//!
//! Its parameters stand in rows of [`LANES`] columns, so that every loop of the training passes
//! has a constant length and the processor's vectors fit: the hidden layer is cut into blocks of
//! [`LANES`] units, and a block's feature weights (one row a feature) are what the caches have to
//! hold at a time. Gradients and the optimiser's moments have the same shape.

use std::ops::Range;

use longan::eval::features::{INPUTS, MAX_MEN};
use longan::eval::network::{MAX_BUCKETS, QA};

use crate::rng::Rng;

/// Hidden units in one row.
pub const LANES: usize = 32;
/// Inputs of a side's view, and so rows of a block's feature weights.
pub const FEATURES: usize = INPUTS;

/// A row of parameters, aligned to a cache line.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Row(pub [f32; LANES]);

impl Row {
    /// A row of zeros.
    pub const ZERO: Self = Self([0.0; LANES]);

    /// Adds another row.
    #[inline]
    pub fn add(&mut self, row: &Self) {
        for lane in 0..LANES {
            self.0[lane] += row.0[lane];
        }
    }
}

/// How large a network is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Hidden units of a side's view: a multiple of [`LANES`].
    pub hidden: usize,
    /// Outputs, of which the number of men chooses one: at most [`MAX_BUCKETS`].
    pub buckets: usize,
}

/// The parameters of a network, or one number for each of them (gradient, moments).
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    rows: Vec<Row>,
    blocks: usize,
    buckets: usize,
}

// The output biases share a row.
const _: () = assert!(MAX_BUCKETS <= LANES);

impl Model {
    /// All zeros.
    ///
    /// # Panics
    /// If no network has this shape.
    pub fn zeros(Shape { hidden, buckets }: Shape) -> Self {
        assert!(hidden > 0 && hidden.is_multiple_of(LANES), "hidden units come in multiples of {LANES}");
        assert!((1..=MAX_BUCKETS).contains(&buckets), "from 1 to {MAX_BUCKETS} buckets");
        let blocks = hidden / LANES;
        Self { rows: vec![Row::ZERO; blocks * (FEATURES + 1 + 2 * buckets) + 1], blocks, buckets }
    }

    /// Random weights to start training from: the deviation of the feature weights fits the
    /// largest number of men on the board, that of the output weights follows K. He et al. (2015);
    /// biases are 0.
    pub fn random(shape: Shape, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let mut model = Self::zeros(shape);
        let mut fill = |rows: &mut [Row], deviation: f32| {
            rows.iter_mut().flat_map(|row| &mut row.0).for_each(|weight| *weight = deviation * rng.normal());
        };
        for block in 0..model.blocks {
            fill(model.features_mut(block), 1.0 / (2.0 * MAX_MEN as f32).sqrt());
        }
        let outputs = model.output_rows();
        fill(&mut model.rows[outputs], (1.0 / shape.hidden as f32).sqrt());
        model
    }

    /// The same function in a larger shape: new hidden units are random, but no output reads them yet,
    /// and new buckets are copies, so that training starts where this model ended (after T. Chen,
    /// I. Goodfellow and J. Shlens, "Net2Net: Accelerating Learning via Knowledge Transfer", 2016).
    ///
    /// # Panics
    /// If the shape has fewer hidden units, other buckets than this model though it has several, or is
    /// none of a network.
    pub fn widened(&self, shape: Shape, seed: u64) -> Self {
        let mut wide = Self::random(shape, seed);
        assert!(wide.blocks >= self.blocks, "a model cannot lose units");
        assert!([1, shape.buckets].contains(&self.buckets), "buckets do not fit into others");
        let outputs = wide.output_rows();
        wide.rows[outputs].fill(Row::ZERO);
        for block in 0..self.blocks {
            wide.features_mut(block).copy_from_slice(self.features(block));
            *wide.bias_mut(block) = *self.bias(block);
        }
        for bucket in 0..shape.buckets {
            let from = bucket.min(self.buckets - 1);
            for side in [0, 1] {
                for block in 0..self.blocks {
                    *wide.output_mut(bucket, side, block) = *self.output(from, side, block);
                }
            }
            *wide.output_bias_mut(bucket) = self.output_bias(from);
        }
        wide
    }

    /// The mean of models of one shape, number by number. Runs that left the same weights lie in one valley
    /// of the loss, and their middle can be better than each (M. Wortsman et al., "Model soups", 2022).
    ///
    /// # Panics
    /// If there is no model, or if the shapes differ.
    pub fn mean(models: &[Self]) -> Self {
        let mut mean = Self::zeros(models[0].shape());
        for model in models {
            assert_eq!(model.shape(), mean.shape());
            mean.rows.iter_mut().zip(&model.rows).for_each(|(sum, row)| sum.add(row));
        }
        mean.rows.iter_mut().flat_map(|row| &mut row.0).for_each(|sum| *sum /= models.len() as f32);
        mean
    }

    /// How large it is.
    pub fn shape(&self) -> Shape {
        Shape { hidden: self.blocks * LANES, buckets: self.buckets }
    }

    /// Blocks of [`LANES`] hidden units.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// Everything, row by row: feature weights, hidden biases, output weights, output biases.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Everything, to change.
    pub fn rows_mut(&mut self) -> &mut [Row] {
        &mut self.rows
    }

    /// The weights between the features and a block: one row a feature.
    pub fn features(&self, block: usize) -> &[Row] {
        &self.rows[block * FEATURES..][..FEATURES]
    }

    /// As [`Self::features`], to change.
    pub fn features_mut(&mut self, block: usize) -> &mut [Row] {
        &mut self.rows[block * FEATURES..][..FEATURES]
    }

    /// The biases of a block's hidden units.
    pub fn bias(&self, block: usize) -> &Row {
        &self.rows[self.bias_row(block)]
    }

    /// As [`Self::bias`], to change.
    pub fn bias_mut(&mut self, block: usize) -> &mut Row {
        let row = self.bias_row(block);
        &mut self.rows[row]
    }

    /// A bucket's output weights of a block; `side` 0 is the side to move, 1 its opponent.
    pub fn output(&self, bucket: usize, side: usize, block: usize) -> &Row {
        &self.rows[self.output_row(bucket, side, block)]
    }

    /// As [`Self::output`], to change.
    pub fn output_mut(&mut self, bucket: usize, side: usize, block: usize) -> &mut Row {
        let row = self.output_row(bucket, side, block);
        &mut self.rows[row]
    }

    /// Which of the rows are output weights.
    pub fn output_rows(&self) -> Range<usize> {
        self.output_row(0, 0, 0)..self.output_row(self.buckets, 0, 0)
    }

    /// A bucket's output bias.
    pub fn output_bias(&self, bucket: usize) -> f32 {
        self.rows[self.rows.len() - 1].0[bucket]
    }

    /// As [`Self::output_bias`], to change. The rest of its row stays 0.
    pub fn output_bias_mut(&mut self, bucket: usize) -> &mut f32 {
        let last = self.rows.len() - 1;
        &mut self.rows[last].0[bucket]
    }

    /// Rounds the feature weights and hidden biases to the engine's unit, 1/QA.
    pub fn round_hidden_layer(&mut self) {
        let rows = self.blocks * (FEATURES + 1);
        for weight in self.rows[..rows].iter_mut().flat_map(|row| &mut row.0) {
            *weight = (*weight * QA as f32).round_ties_even() / QA as f32;
        }
    }

    fn bias_row(&self, block: usize) -> usize {
        self.blocks * FEATURES + block
    }

    fn output_row(&self, bucket: usize, side: usize, block: usize) -> usize {
        self.blocks * (FEATURES + 1 + 2 * bucket + side) + block
    }
}

/// The logistic function.
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Views;
    use crate::reference;
    use crate::testing::random_records;

    #[test]
    fn the_mean_lies_between() {
        let shape = Shape { hidden: 32, buckets: 2 };
        let models = [1, 2, 3].map(|seed| Model::random(shape, seed));
        let mean = Model::mean(&models);
        for (row, lane) in (0..mean.rows().len()).flat_map(|row| [(row, 0), (row, 31)]) {
            let sum: f32 = models.iter().map(|model| model.rows()[row].0[lane]).sum();
            assert!((3.0 * mean.rows()[row].0[lane] - sum).abs() < 1e-6, "row {row}, {lane}");
        }
    }

    #[test]
    fn a_widened_model_computes_the_same() {
        let mut narrow = Model::random(Shape { hidden: 64, buckets: 1 }, 4);
        *narrow.output_bias_mut(0) = 0.25;
        narrow.bias_mut(1).0[3] = -0.5;
        let wide = narrow.widened(Shape { hidden: 160, buckets: 8 }, 9);
        assert_eq!(narrow.widened(narrow.shape(), 9), narrow);
        let views = Views::new();
        for record in random_records(200, 5) {
            let [before, after] = [&narrow, &wide].map(|model| reference::output(model, &views, &record));
            assert!((before - after).abs() < 1e-9, "{before} {after}");
        }
        // The new units must be able to learn something.
        assert!(wide.features(4).iter().all(|row| row.0.iter().any(|&weight| weight != 0.0)));
    }
}
