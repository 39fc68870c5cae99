//! The fast training pass: loss and gradient of many positions.
//!
//! A position switches on some 15 to 32 of the 768 inputs of each view, so nearly all the time
//! goes into adding rows of weights (forward) and rows of gradients (backward). Hence:
//!
//! - forward, the weights are a 16-bit fixed-point copy ([`Weights`]): half the bytes that have
//!   to come out of the cache;
//! - backward, a chunk of positions is first sorted by feature (a counting sort), and each
//!   feature's gradient is summed in registers and written once, instead of reading and writing
//!   up to 64 rows for each position;
//! - all of it goes block by block of [`LANES`] hidden units, so that the rows in use stay in
//!   the first two levels of cache.
//!
//! The loops are plain Rust over arrays of constant length, which the compiler turns into vector
//! code. [`reference`](crate::reference) is the same mathematics without any of this; the tests
//! compare the two.

use longan::eval::features::MAX_MEN;
use longan::eval::network::{MAX_BUCKETS, output_bucket};

use crate::model::{FEATURES, LANES, Model, Row, Shape, sigmoid};
use crate::objective::Objective;
use crate::record::{Record, Views};
use crate::weights::{FixedRow, Weights};

/// Positions handled together. Large enough that most features occur several times, small enough
/// that a block's gradient rows (two a position) stay in the second level of cache.
const CHUNK: usize = 512;

// Places in the sorted list of occurrences are 16-bit numbers.
const _: () = assert!(2 * CHUNK * MAX_MEN <= u16::MAX as usize);

/// Partial sums of an output: as many as a vector register has floats.
type Sums = [f32; 8];

/// The working memory of a pass; each thread has its own.
pub struct Pass {
    views: Views,
    /// The positions of the chunk.
    records: Vec<Record>,
    /// Their inputs, the side to move's view first, and how many each view has.
    inputs: Vec<[[u16; MAX_MEN]; 2]>,
    men: Vec<usize>,
    /// The output that counts for each of them.
    buckets: Vec<usize>,
    /// The hidden layer before activation, block by block.
    hidden: Vec<[FixedRow; 2]>,
    outputs: Vec<f32>,
    /// The derivative of the loss by the outputs, and by one block of the hidden layer: two rows
    /// a position.
    errors: Vec<f32>,
    slopes: Vec<Row>,
    /// The rows in which each feature occurs, feature after feature ...
    occurrences: Vec<u16>,
    /// ... and where those of each feature start; the last entry is their number.
    starts: [u16; FEATURES + 1],
}

impl Pass {
    /// Memory for a model of this shape.
    pub fn new(shape: Shape) -> Self {
        Self {
            views: Views::new(),
            records: Vec::with_capacity(CHUNK),
            inputs: vec![[[0; MAX_MEN]; 2]; CHUNK],
            men: vec![0; CHUNK],
            buckets: vec![0; CHUNK],
            hidden: vec![[FixedRow::ZERO; 2]; CHUNK * shape.hidden / LANES],
            outputs: vec![0.0; CHUNK],
            errors: vec![0.0; CHUNK],
            slopes: vec![Row::ZERO; 2 * CHUNK],
            occurrences: vec![0; 2 * CHUNK * MAX_MEN],
            starts: [0; FEATURES + 1],
        }
    }

    /// The summed loss of the picked positions.
    pub fn loss(
        &mut self,
        weights: &Weights,
        records: &[Record],
        picks: &[u32],
        objective: &Objective,
    ) -> f64 {
        picks.chunks(CHUNK).map(|picks| self.forward(weights, records, picks, objective)).sum()
    }

    /// The summed loss of the picked positions; adds its gradient to `gradient`.
    pub fn learn(
        &mut self,
        weights: &Weights,
        records: &[Record],
        picks: &[u32],
        objective: &Objective,
        gradient: &mut Model,
    ) -> f64 {
        let mut loss = 0.0;
        for picks in picks.chunks(CHUNK) {
            loss += self.forward(weights, records, picks, objective);
            for (&bucket, error) in self.buckets.iter().zip(&self.errors[..picks.len()]) {
                *gradient.output_bias_mut(bucket) += error;
            }
            self.sort_inputs();
            for block in 0..weights.model().blocks() {
                self.backward(block, weights.model(), gradient);
                self.sum_by_feature(gradient.features_mut(block));
            }
        }
        loss
    }

    /// The loss of one chunk; leaves its hidden layer, outputs and errors behind.
    fn forward(
        &mut self,
        weights: &Weights,
        records: &[Record],
        picks: &[u32],
        objective: &Objective,
    ) -> f64 {
        // The picks are scattered over gigabytes. Copying them in a loop that does nothing else
        // lets the processor wait for many of them at once.
        let model = weights.model();
        self.records.clear();
        self.records.extend(picks.iter().map(|&pick| records[pick as usize]));
        for (n, record) in self.records.iter().enumerate() {
            let [own, other] = &mut self.inputs[n];
            self.men[n] = record.inputs(&self.views, own, other);
            self.buckets[n] = output_bucket(model.shape().buckets, self.men[n]);
            self.outputs[n] = model.output_bias(self.buckets[n]);
        }
        for block in 0..model.blocks() {
            self.forward_block(block, weights);
        }
        let mut loss = 0.0;
        for (n, record) in self.records.iter().enumerate() {
            let guess = sigmoid(self.outputs[n]);
            let miss = guess - objective.target(record);
            self.errors[n] = 2.0 * miss * guess * (1.0 - guess);
            loss += f64::from(miss * miss);
        }
        loss
    }

    fn forward_block(&mut self, block: usize, weights: &Weights) {
        let (features, bias) = weights.fixed(block);
        let hidden = &mut self.hidden[CHUNK * block..][..self.records.len()];
        for (n, hidden) in hidden.iter_mut().enumerate() {
            let [own, other] = &self.inputs[n];
            let men = self.men[n];
            *hidden = hidden_layer(features, bias, &own[..men], &other[..men]);
            let mut sums = Sums::default();
            for (side, hidden) in hidden.iter().enumerate() {
                add_output(&mut sums, hidden, weights.model().output(self.buckets[n], side, block));
            }
            self.outputs[n] += sums.iter().sum::<f32>();
        }
    }

    /// Lists the occurrences of every feature by a counting sort.
    fn sort_inputs(&mut self) {
        // Until the end, the entry after a feature's own first counts and then points to the place
        // of its next occurrence; when all are placed, that is where the next feature starts.
        self.starts.fill(0);
        let positions = self.inputs.iter().zip(&self.men).take(self.records.len());
        for (views, &men) in positions.clone() {
            for inputs in views {
                for &input in &inputs[..men] {
                    self.starts[usize::from(input) + 1] += 1;
                }
            }
        }
        let mut places = 0;
        for start in &mut self.starts[1..] {
            places += std::mem::replace(start, places);
        }
        for (n, (views, &men)) in positions.enumerate() {
            for (side, inputs) in views.iter().enumerate() {
                for &input in &inputs[..men] {
                    let place = &mut self.starts[usize::from(input) + 1];
                    self.occurrences[usize::from(*place)] = (2 * n + side) as u16;
                    *place += 1;
                }
            }
        }
    }

    /// The gradient of one block's output weights and biases, and of its hidden layer.
    fn backward(&mut self, block: usize, model: &Model, gradient: &mut Model) {
        let hidden = &self.hidden[CHUNK * block..][..self.records.len()];
        let (slopes, _) = self.slopes.as_chunks_mut::<2>();
        for side in 0..2 {
            let mut by_weight = [Row::ZERO; MAX_BUCKETS];
            let mut by_bias = Row::ZERO;
            let errors = self.errors.iter().zip(&self.buckets);
            for ((hidden, slopes), (&error, &bucket)) in hidden.iter().zip(slopes.iter_mut()).zip(errors) {
                let slopes = &mut slopes[side];
                let weights = model.output(bucket, side, block);
                let by_weight = &mut by_weight[bucket];
                for lane in 0..LANES {
                    let sum = hidden[side].get(lane);
                    let clamped = sum.clamp(0.0, 1.0);
                    // Outside of 0 to 1 the activation is flat.
                    let slope = if sum == clamped { 2.0 * sum } else { 0.0 };
                    slopes.0[lane] = error * weights.0[lane] * slope;
                    by_weight.0[lane] += error * clamped * clamped;
                    by_bias.0[lane] += slopes.0[lane];
                }
            }
            for (bucket, by_weight) in by_weight.iter().enumerate().take(model.shape().buckets) {
                gradient.output_mut(bucket, side, block).add(by_weight);
            }
            gradient.bias_mut(block).add(&by_bias);
        }
    }

    /// The gradient of one block's feature weights.
    fn sum_by_feature(&self, gradient: &mut [Row]) {
        for (gradient, range) in gradient.iter_mut().zip(self.starts.windows(2)) {
            let mut sum = *gradient;
            for &row in &self.occurrences[usize::from(range[0])..usize::from(range[1])] {
                sum.add(&self.slopes[usize::from(row)]);
            }
            *gradient = sum;
        }
    }
}

/// Both views' part of the hidden layer: they have equally many inputs.
fn hidden_layer(
    features: &[FixedRow; FEATURES],
    bias: &FixedRow,
    own: &[u16],
    other: &[u16],
) -> [FixedRow; 2] {
    let mut sums = [*bias; 2];
    for (&own, &other) in own.iter().zip(other) {
        sums[0].add(&features[usize::from(own)]);
        sums[1].add(&features[usize::from(other)]);
    }
    sums
}

fn add_output(sums: &mut Sums, hidden: &FixedRow, weights: &Row) {
    for first in (0..LANES).step_by(sums.len()) {
        for (lane, sum) in sums.iter_mut().enumerate() {
            let value = hidden.get(first + lane).clamp(0.0, 1.0);
            *sum += value * value * weights.0[first + lane];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference;
    use crate::testing::random_records;

    /// A model that fixed point represents as it is.
    fn rounded_model(shape: Shape, seed: u64) -> Model {
        let mut model = Model::random(shape, seed);
        model.round_hidden_layer();
        model
    }

    fn largest_difference(a: &Model, b: &Model) -> f32 {
        let numbers = |model: &Model| model.rows().iter().flat_map(|row| row.0).collect::<Vec<f32>>();
        let pairs = numbers(a).into_iter().zip(numbers(b));
        pairs.map(|(a, b)| (a - b).abs() / (1e-3 + a.abs().max(b.abs()))).fold(0.0, f32::max)
    }

    #[test]
    fn the_fast_pass_equals_the_reference() {
        // More than two chunks, the last of them incomplete.
        let records = random_records(2 * CHUNK + 77, 1);
        let picks: Vec<u32> = (0..records.len() as u32).rev().collect();
        let objective = Objective { lambda: 0.4, k: 300.0 };
        for (hidden, buckets) in [(32, 8), (96, 1)] {
            let shape = Shape { hidden, buckets };
            let mut model = rounded_model(shape, 2);
            (0..buckets).for_each(|bucket| *model.output_bias_mut(bucket) = 0.1 * bucket as f32 - 0.4);
            let weights = Weights::new(model.clone());
            let mut gradient = Model::zeros(shape);
            let mut pass = Pass::new(shape);
            let loss = pass.learn(&weights, &records, &picks, &objective, &mut gradient);
            let expected = reference::loss(&model, &records, &objective);
            assert!((loss - expected).abs() < 1e-5 * expected, "loss {loss}, not {expected}");
            let difference =
                largest_difference(&gradient, &reference::gradient(&model, &records, &objective));
            assert!(difference < 1e-3, "{hidden} wide: gradients differ by {difference}");
            assert_eq!(pass.loss(&weights, &records, &picks, &objective), loss);
        }
    }

    #[test]
    fn a_pass_adds_to_the_gradient_and_leaves_nothing_behind() {
        let records = random_records(CHUNK, 8);
        let objective = Objective { lambda: 0.4, k: 300.0 };
        let shape = Shape { hidden: 32, buckets: 4 };
        let weights = Weights::new(Model::random(shape, 3));
        let mut pass = Pass::new(shape);
        let all: Vec<u32> = (0..CHUNK as u32).collect();
        let mut once = Model::zeros(shape);
        pass.learn(&weights, &records, &all, &objective, &mut once);
        // A full chunk first, then short ones: what the full one left must not count again.
        let mut parts = Model::zeros(shape);
        for picks in [&all[..100], &all[100..101], &all[101..]] {
            pass.learn(&weights, &records, picks, &objective, &mut parts);
        }
        assert!(largest_difference(&once, &parts) < 1e-4);
    }
}
