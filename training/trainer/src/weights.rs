//! A model together with the fixed-point copy of its feature layer that the fast pass reads.
//!
//! The copy holds just the integers that the engine will compute with, so what is trained is the
//! rounded layer; its gradient is applied to the floats behind it ("straight-through estimator",
//! Y. Bengio et al., 2013).

use longan::eval::network::QA;

use crate::model::{FEATURES, LANES, Model, Row};

/// What 1.0 is in fixed point.
const ONE: f32 = QA as f32;

/// A row of fixed-point numbers. Weights and biases are at most 1.98, so no sum of 32 men comes
/// near the 128 where 16 bits end.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct FixedRow([i16; LANES]);

impl FixedRow {
    /// A row of zeros.
    pub const ZERO: Self = Self([0; LANES]);

    fn set(&mut self, row: &Row) {
        for (fixed, weight) in self.0.iter_mut().zip(&row.0) {
            *fixed = (weight * ONE).round_ties_even() as i16;
        }
    }

    /// Adds another row.
    #[inline]
    pub fn add(&mut self, row: &Self) {
        for lane in 0..LANES {
            self.0[lane] = self.0[lane].saturating_add(row.0[lane]);
        }
    }

    /// A number of the row.
    #[inline]
    pub fn get(&self, lane: usize) -> f32 {
        f32::from(self.0[lane]) * (1.0 / ONE)
    }
}

/// The model being trained. The copy is renewed after every change.
#[derive(Clone, Debug)]
pub struct Weights {
    model: Model,
    features: Vec<FixedRow>,
    biases: Vec<FixedRow>,
}

impl Weights {
    /// Takes a model over.
    pub fn new(model: Model) -> Self {
        let blocks = model.blocks();
        let features = vec![FixedRow::ZERO; blocks * FEATURES];
        let mut weights = Self { model, features, biases: vec![FixedRow::ZERO; blocks] };
        weights.change(|_| {});
        weights
    }

    /// The model in floats.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Changes the model.
    pub fn change(&mut self, change: impl FnOnce(&mut Model)) {
        change(&mut self.model);
        for block in 0..self.model.blocks() {
            let fixed = &mut self.features[block * FEATURES..][..FEATURES];
            fixed.iter_mut().zip(self.model.features(block)).for_each(|(fixed, row)| fixed.set(row));
            self.biases[block].set(self.model.bias(block));
        }
    }

    /// A block's feature rows and its biases in fixed point.
    pub fn fixed(&self, block: usize) -> (&[FixedRow; FEATURES], &FixedRow) {
        let rows = &self.features[block * FEATURES..][..FEATURES];
        (rows.try_into().expect("a block has one row a feature"), &self.biases[block])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::quantise;
    use crate::model::Shape;

    #[test]
    fn fixed_point_holds_the_integers_of_the_engine() {
        let model = Model::random(Shape { hidden: 64, buckets: 1 }, 8);
        let mut weights = Weights::new(Model::zeros(model.shape()));
        weights.change(|zeros| *zeros = model.clone());
        let mut rounded = model;
        rounded.round_hidden_layer();
        let parameters = quantise(&rounded, 400);
        for unit in 0..64 {
            let (rows, bias) = weights.fixed(unit / LANES);
            assert_eq!(bias.0[unit % LANES], parameters.feature_biases[unit]);
            for (input, row) in rows.iter().enumerate() {
                assert_eq!(row.0[unit % LANES], parameters.feature_weights[input * 64 + unit]);
            }
        }
    }
}
