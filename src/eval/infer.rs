//! From accumulators to centipawns, and the slow, obvious form of the whole network.

#![forbid(unsafe_code)]

use super::features::active;
use super::network::{Network, QA, output_bucket};
use super::simd::{Block, Kernels, LANES};
use crate::board::Position;
use crate::types::{MAX_EVAL, Score};

impl Network {
    /// The score in centipawns, within [`MAX_EVAL`], from the accumulators of the side to move
    /// and of its opponent, with so many men on the board.
    #[inline]
    pub(super) fn forward(&self, kernels: Kernels, own: &[Block], other: &[Block], men: usize) -> Score {
        let bucket = output_bucket(self.buckets(), men);
        let weights = &self.output_weights[2 * own.len() * bucket..][..2 * own.len()];
        clamp(self.centipawns(bucket, i64::from(kernels.output(own, other, weights))))
    }

    /// What the network says of a position, for the side to move, computed from nothing with
    /// plain 64-bit arithmetic: what the fast way must equal.
    pub fn evaluate_reference(&self, position: &Position) -> Score {
        let stm = position.side_to_move();
        let number = |blocks: &[Block], at: usize| i64::from(blocks[at / LANES].0[at % LANES]);
        let hidden = self.hidden();
        let bucket = output_bucket(self.buckets(), position.occupied().count() as usize);
        let mut sum = 0;
        for (half, viewer) in [stm, !stm].into_iter().enumerate() {
            let inputs = active(position, viewer);
            for unit in 0..hidden {
                let weight = |&input: &u16| number(&self.feature_weights, usize::from(input) * hidden + unit);
                let value = number(&self.feature_biases, unit) + inputs.iter().map(weight).sum::<i64>();
                let value = value.clamp(0, i64::from(QA));
                sum += value * value * number(&self.output_weights, (2 * bucket + half) * hidden + unit);
            }
        }
        clamp(self.centipawns(bucket, sum))
    }
}

fn clamp(score: i64) -> Score {
    score.clamp(-i64::from(MAX_EVAL), i64::from(MAX_EVAL)) as Score
}
