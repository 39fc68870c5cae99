//! The inner loops in plain Rust.

#![forbid(unsafe_code)]

use super::{Block, LANES};
use crate::eval::network::QA;

/// See [`Kernels::accumulate`](super::Kernels::accumulate).
pub fn accumulate(target: &mut [Block], source: &[Block], weights: &[Block], add: &[u16], sub: &[u16]) {
    let width = target.len();
    target.copy_from_slice(source);
    let row = |index: u16| &weights[usize::from(index) * width..][..width];
    for &index in add {
        for (sum, block) in target.iter_mut().zip(row(index)) {
            for lane in 0..LANES {
                sum.0[lane] = sum.0[lane].wrapping_add(block.0[lane]);
            }
        }
    }
    for &index in sub {
        for (sum, block) in target.iter_mut().zip(row(index)) {
            for lane in 0..LANES {
                sum.0[lane] = sum.0[lane].wrapping_sub(block.0[lane]);
            }
        }
    }
}

/// See [`Kernels::output`](super::Kernels::output).
pub fn output(own: &[Block], other: &[Block], weights: &[Block]) -> i32 {
    let values = own.iter().chain(other).flat_map(|block| block.0);
    let weights = weights.iter().flat_map(|block| block.0);
    values
        .zip(weights)
        .map(|(value, weight)| {
            let value = i32::from(value).clamp(0, QA);
            value * value * i32::from(weight)
        })
        .sum()
}
