//! Random numbers, networks and games for the tests of this module.

use super::features::{INPUTS, MAX_MEN};
use super::network::{MAX_OUTPUT_SUM, MAX_OUTPUT_WEIGHT, Network, Parameters};
use crate::board::Position;
use crate::rng::Rng;
use crate::types::{CastlingRights, Color, Piece, Square};

/// A number from `-bound` to `bound`.
pub fn around_zero(rng: &mut Rng, bound: i32) -> i16 {
    (rng.below(2 * bound as usize + 1) as i32 - bound) as i16
}

/// Random numbers that use the limits of a network fully: for some positions every hidden unit
/// comes near the end of 16 bits, and the output near the end of 32.
pub fn random_parameters(hidden: usize, buckets: usize, seed: u64) -> Parameters {
    let mut rng = Rng::new(seed);
    let largest_bias = 767;
    let largest_weight = (i32::from(i16::MAX) - largest_bias) / MAX_MEN as i32;
    let mut numbers = |count, bound| (0..count).map(|_| around_zero(&mut rng, bound)).collect::<Vec<_>>();
    let mean_output = (MAX_OUTPUT_SUM / (2 * hidden as i64)) as i32;
    Parameters {
        hidden,
        buckets,
        qb: 64,
        scale: 400,
        feature_weights: numbers(INPUTS * hidden, largest_weight),
        feature_biases: numbers(hidden, largest_bias),
        output_weights: numbers(2 * hidden * buckets, mean_output.min(MAX_OUTPUT_WEIGHT)),
        output_biases: (0..buckets as i32).map(|bucket| 1234 - 100 * bucket).collect(),
    }
}

/// The network of [`random_parameters`].
pub fn random_network(hidden: usize, buckets: usize, seed: u64) -> Network {
    Network::new(&random_parameters(hidden, buckets, seed)).expect("the numbers keep the limits")
}

/// Calls `visit` with every position of random games from `start`.
pub fn random_games(start: Position, games: usize, seed: u64, mut visit: impl FnMut(&Position)) {
    let mut rng = Rng::new(seed);
    for _ in 0..games {
        let mut position = start;
        for _ in 0..200 {
            visit(&position);
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position.play(moves[rng.below(moves.len())]);
        }
    }
}

/// The same position with the sides exchanged.
pub fn flip_colors(position: &Position) -> Position {
    let men = Square::ALL.map(|square| {
        let from = square.flip_rank();
        position.color_at(from).map(|color| !color).zip(position.piece_at(from))
    });
    rebuild(&men, !position.side_to_move(), position)
}

/// The same position seen in a mirror.
pub fn mirror_files(position: &Position) -> Position {
    let men = Square::ALL.map(|square| {
        let from = square.flip_file();
        position.color_at(from).zip(position.piece_at(from))
    });
    rebuild(&men, position.side_to_move(), position)
}

fn rebuild(men: &[Option<(Color, Piece)>; 64], side: Color, like: &Position) -> Position {
    Position::from_parts(men, side, CastlingRights::default(), None, like.halfmove_clock(), 1, false)
}
