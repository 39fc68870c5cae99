//! How long an evaluation takes: hand-written, and with random networks of several widths.
//!
//! The figures are for one pass over the lines below: every move of every position of a game is
//! made, evaluated and taken back, as a search does at its leaves. "make only" is the share of
//! the board.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use longan::board::{BoardObserver, Position};
use longan::eval::network::{Network, Parameters};
use longan::eval::{EvalSource, Evaluator};
use longan::tools::bootstrap;
use longan::types::{Move, Score};

/// Every position of a game and all its moves.
fn game() -> Vec<(Position, Vec<Move>)> {
    let mut random = random_numbers(2026);
    let mut position = Position::startpos();
    let mut game = Vec::new();
    for _ in 0..120 {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        game.push((position, moves.to_vec()));
        position.play(moves[random(moves.len())]);
    }
    game
}

/// Splitmix64, to a bound.
fn random_numbers(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed;
    move |bound| {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (state ^ state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ mixed >> 31) % bound as u64) as usize
    }
}

fn network(hidden: usize) -> Arc<Network> {
    let mut random = random_numbers(hidden as u64);
    let mut numbers = |count: usize| (0..count).map(|_| random(61) as i16 - 30).collect::<Vec<_>>();
    let parameters = Parameters {
        hidden,
        buckets: 1,
        qb: 64,
        scale: 400,
        feature_weights: numbers(768 * hidden),
        feature_biases: numbers(hidden),
        output_weights: numbers(2 * hidden),
        output_biases: vec![0],
    };
    Arc::new(Network::new(&parameters).expect("small numbers keep all limits"))
}

/// Makes and evaluates every move.
fn walk(game: &[(Position, Vec<Move>)], evaluator: &mut Evaluator) -> Score {
    let mut sum = 0;
    for (position, moves) in game {
        evaluator.refresh(position);
        for &mv in moves {
            let mut child = *position;
            child.play_with(mv, evaluator);
            sum += evaluator.evaluate(&child);
            evaluator.pop();
        }
    }
    sum
}

/// The same without evaluation.
fn make_only(game: &[(Position, Vec<Move>)], observer: &mut impl BoardObserver) -> u64 {
    let mut sum = 0;
    for (position, moves) in game {
        for &mv in moves {
            let mut child = *position;
            child.play_with(mv, observer);
            sum ^= child.key();
        }
    }
    sum
}

fn benchmark(criterion: &mut Criterion) {
    let game = game();
    let mut group = criterion.benchmark_group("eval");
    group.throughput(Throughput::Elements(game.iter().map(|(_, moves)| moves.len() as u64).sum()));
    group.bench_function("make only", |bencher| bencher.iter(|| make_only(black_box(&game), &mut ())));
    let networks = [32, 64, 128, 256, 512].map(network);
    let sources =
        networks.map(|network| (format!("network {}", network.hidden()), EvalSource::Network(network)));
    for (name, source) in
        [("hand-written".to_owned(), EvalSource::Function(bootstrap::evaluate))].into_iter().chain(sources)
    {
        let mut evaluator = Evaluator::new(source);
        group.bench_function(&name, |bencher| bencher.iter(|| walk(black_box(&game), &mut evaluator)));
    }
    group.finish();
}

criterion_group!(benches, benchmark);
criterion_main!(benches);
