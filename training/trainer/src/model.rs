//! The network `(768 -> H) x 2 -> 1` with SCReLU, in 32-bit floats.
//!
//! Its parameters stand in rows of [`LANES`] columns, so that every loop of the training passes
//! has a constant length and the processor's vectors fit: the hidden layer is cut into blocks of
//! [`LANES`] units, and a block's feature weights (one row a feature) are what the caches have to
//! hold at a time. Gradients and the optimiser's moments have the same shape.

use std::ops::Range;

use longan::eval::features::{INPUTS, MAX_MEN};
use longan::eval::network::QA;

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

/// The parameters of a network, or one number for each of them (gradient, moments).
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    rows: Vec<Row>,
    blocks: usize,
}

impl Model {
    /// All zeros, for `hidden` units.
    ///
    /// # Panics
    /// If `hidden` is no positive multiple of [`LANES`].
    pub fn zeros(hidden: usize) -> Self {
        assert!(hidden > 0 && hidden.is_multiple_of(LANES), "hidden units come in multiples of {LANES}");
        let blocks = hidden / LANES;
        Self { rows: vec![Row::ZERO; blocks * (FEATURES + 3) + 1], blocks }
    }

    /// Random weights to start training from: the deviation of the feature weights fits the
    /// largest number of men on the board, that of the output weights follows K. He et al. (2015);
    /// biases are 0.
    pub fn random(hidden: usize, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let mut model = Self::zeros(hidden);
        let mut fill = |rows: &mut [Row], deviation: f32| {
            rows.iter_mut().flat_map(|row| &mut row.0).for_each(|weight| *weight = deviation * rng.normal());
        };
        for block in 0..model.blocks {
            fill(model.features_mut(block), 1.0 / (2.0 * MAX_MEN as f32).sqrt());
        }
        let outputs = model.output_rows();
        fill(&mut model.rows[outputs], (1.0 / hidden as f32).sqrt());
        model
    }

    /// Hidden units of a side's view.
    pub fn hidden(&self) -> usize {
        self.blocks * LANES
    }

    /// Blocks of [`LANES`] hidden units.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// Everything, row by row: feature weights, hidden biases, output weights, output bias.
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

    /// The output weights of a block; `side` 0 is the side to move, 1 its opponent.
    pub fn output(&self, side: usize, block: usize) -> &Row {
        &self.rows[self.output_row(side, block)]
    }

    /// As [`Self::output`], to change.
    pub fn output_mut(&mut self, side: usize, block: usize) -> &mut Row {
        let row = self.output_row(side, block);
        &mut self.rows[row]
    }

    /// Which of the rows are output weights.
    pub fn output_rows(&self) -> Range<usize> {
        self.output_row(0, 0)..self.output_row(2, 0)
    }

    /// The output's bias.
    pub fn output_bias(&self) -> f32 {
        self.rows[self.rows.len() - 1].0[0]
    }

    /// As [`Self::output_bias`], to change. The rest of its row stays 0.
    pub fn output_bias_mut(&mut self) -> &mut f32 {
        let last = self.rows.len() - 1;
        &mut self.rows[last].0[0]
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

    fn output_row(&self, side: usize, block: usize) -> usize {
        self.blocks * (FEATURES + 1 + side) + block
    }
}

/// The logistic function.
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}
