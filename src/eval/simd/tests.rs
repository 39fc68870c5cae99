//! Every instruction set of this processor against plain arithmetic.

use super::*;
use crate::eval::features::INPUTS;
use crate::eval::network::QA;
use crate::eval::testing::{around_zero, random_network};
use crate::rng::Rng;

const WIDTHS: [usize; 7] = [32, 64, 96, 128, 256, 544, 1024];

fn note_missing_sets() {
    if Kernels::available().len() < 3 {
        eprintln!("this processor lacks AVX2 or AVX-512 VNNI: only {:?} tested", Kernels::available());
    }
}

/// Thousands of rows summed in arbitrary order wrap around 16 bits in the same way everywhere.
#[test]
fn all_sets_accumulate_alike() {
    note_missing_sets();
    let mut rng = Rng::new(1);
    for hidden in WIDTHS {
        let network = random_network(hidden, 1, hidden as u64);
        for _ in 0..200 {
            let mut rows = |count| (0..count).map(|_| rng.below(INPUTS) as u16).collect::<Vec<_>>();
            let (add, sub) = (rows(5), rows(3));
            let mut expected = network.feature_biases.clone();
            for (unit, sum) in expected.iter_mut().flat_map(|block| &mut block.0).enumerate() {
                let weight = |&row: &u16| {
                    let at = usize::from(row) * hidden + unit;
                    i64::from(network.feature_weights[at / LANES].0[at % LANES])
                };
                let change: i64 = add.iter().map(weight).sum::<i64>() - sub.iter().map(weight).sum::<i64>();
                *sum = (i64::from(*sum) + change) as i16;
            }
            for kernels in Kernels::available() {
                let mut target = vec![Block::ZERO; hidden / LANES];
                kernels.accumulate(
                    &mut target,
                    &network.feature_biases,
                    &network.feature_weights,
                    &add,
                    &sub,
                );
                assert_eq!(target, expected, "{} {hidden}", kernels.name());
            }
        }
    }
}

fn output_in_64_bits(own: &[Block], other: &[Block], weights: &[Block]) -> i64 {
    let lanes = |blocks: &[Block]| blocks.iter().flat_map(|block| block.0).collect::<Vec<_>>();
    let values = [lanes(own), lanes(other)].concat();
    let product = |(value, weight): (i16, i16)| {
        let value = i64::from(value).clamp(0, i64::from(QA));
        value * value * i64::from(weight)
    };
    values.into_iter().zip(lanes(weights)).map(product).sum()
}

#[test]
fn all_sets_give_the_same_output() {
    note_missing_sets();
    let mut rng = Rng::new(2);
    for hidden in WIDTHS {
        let network = random_network(hidden, 1, 7);
        for bound in [300, 1_000, 32_767] {
            for _ in 0..200 {
                let mut view = || {
                    let mut blocks = vec![Block::ZERO; hidden / LANES];
                    blocks
                        .iter_mut()
                        .flat_map(|block| &mut block.0)
                        .for_each(|x| *x = around_zero(&mut rng, bound));
                    blocks
                };
                let (own, other) = (view(), view());
                let expected = output_in_64_bits(&own, &other, &network.output_weights);
                for kernels in Kernels::available() {
                    let found = kernels.output(&own, &other, &network.output_weights);
                    assert_eq!(i64::from(found), expected, "{} {hidden} {bound}", kernels.name());
                }
            }
        }
    }
}

/// Full activation with weights of one sign reaches the largest sum a network may have.
#[test]
fn the_largest_sum_fits() {
    let full = vec![Block([i16::MAX; LANES]); 8];
    for sign in [1, -1] {
        let mut weights = vec![Block([127 * sign; LANES]); 16];
        // 260 weights of 127 make 33,020 of the 33,025 allowed; the rest are zero.
        weights.iter_mut().flat_map(|block| &mut block.0).skip(260).for_each(|weight| *weight = 0);
        for kernels in Kernels::available() {
            let expected = 33_020 * 255 * 255 * i32::from(sign);
            assert_eq!(kernels.output(&full, &full, &weights), expected, "{}", kernels.name());
        }
    }
}

#[test]
#[should_panic(expected = "<= weights.len()")]
fn rows_outside_the_weights_are_refused() {
    let network = random_network(32, 1, 3);
    let mut target = [Block::ZERO];
    Kernels::detect().accumulate(
        &mut target,
        &network.feature_biases,
        &network.feature_weights,
        &[INPUTS as u16],
        &[],
    );
}
