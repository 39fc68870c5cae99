//! Perft against cozy-chess, both bulk counted on one thread, and two threads against one.

use std::hint::black_box;
use std::sync::atomic::AtomicBool;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use longan::board::Board;
use longan::tools::perft::{Perft, perft};

/// Name, FEN, depth and leaves.
const POSITIONS: [(&str, &str, u32, u64); 6] = [
    ("startpos", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 5, 4_865_609),
    ("kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 4, 4_085_603),
    ("endgame", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 5, 674_624),
    ("promotions", "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 4, 422_333),
    ("closed", "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 4, 3_894_594),
    ("chess960", "r1k1r2q/p1ppp1pp/8/8/8/8/P1PPP1PP/R1K1R2Q w KQkq - 0 1", 4, 285_754),
];

fn cozy_perft(board: &cozy_chess::Board, depth: u32) -> u64 {
    let mut leaves = 0;
    board.generate_moves(|moves| {
        if depth == 1 {
            leaves += moves.len() as u64;
        } else {
            for mv in moves {
                let mut child = board.clone();
                child.play_unchecked(mv);
                leaves += cozy_perft(&child, depth - 1);
            }
        }
        false
    });
    leaves
}

fn against_cozy_chess(criterion: &mut Criterion) {
    for (name, fen, depth, leaves) in POSITIONS {
        let longan = *Board::from_fen(fen).unwrap().position();
        // Its FENs name Chess960 rooks by their files.
        let cozy = cozy_chess::Board::from_fen(&longan.shredder_fen(), true).unwrap();
        assert_eq!((perft(&longan, depth), cozy_perft(&cozy, depth)), (leaves, leaves), "{name}");

        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(leaves));
        group.bench_function("longan", |bencher| bencher.iter(|| perft(black_box(&longan), depth)));
        group.bench_function("cozy-chess", |bencher| bencher.iter(|| cozy_perft(black_box(&cozy), depth)));
        group.finish();
    }
}

fn threads(criterion: &mut Criterion) {
    let board = Board::startpos();
    let mut group = criterion.benchmark_group("startpos, depth 6");
    group.throughput(Throughput::Elements(119_060_324)).sample_size(10);
    for threads in [1, 2] {
        let stop = AtomicBool::new(false);
        let perft = Perft::new(threads, 0, &stop).expect("no table is asked for");
        group.bench_function(format!("threads: {threads}"), |bencher| {
            bencher.iter(|| perft.count(black_box(board.position()), 6))
        });
    }
    group.finish();
}

criterion_group!(benches, against_cozy_chess, threads);
criterion_main!(benches);
