//! Tests of the whole evaluation: symmetry, and that all ways to compute the network agree.

use std::sync::Arc;

use super::accumulator::Accumulators;
use super::network::{Network, Parameters};
use super::simd::Kernels;
use super::testing::*;
use super::*;
use crate::board::Board;
use crate::rng::Rng;
use crate::types::MoveList;

/// Positions with all kinds of moves: castling both ways, en passant, promotions with and
/// without capture, kings beside the middle.
const WALKS: [&str; 8] = [
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "8/8/3kp3/3Pp3/3PK3/8/8/8 w - - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1",
    // Chess960: castling kings that stay, cross the middle, or pass their rook.
    "1rk3r1/pppppppp/8/8/8/8/PPPPPPPP/1RK3R1 w GBgb - 0 1",
    "rk5r/8/8/3pP3/8/8/8/R4K1R w HAha d6 0 1",
];

fn board(fen: &str) -> Board {
    Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

fn sources() -> [EvalSource; 2] {
    [EvalSource::default(), EvalSource::Network(Arc::new(random_network(64, 8, 11)))]
}

/// The evaluation of a position that has no past.
fn fresh(source: &EvalSource, position: &Position) -> Score {
    let mut evaluator = Evaluator::new(source.clone());
    evaluator.refresh(position);
    evaluator.evaluate(position)
}

#[test]
fn colours_and_wings_do_not_matter() {
    for source in sources() {
        for walk in WALKS {
            random_games(*board(walk).position(), 10, 3, |position| {
                let score = fresh(&source, position);
                assert!(score.abs() <= MAX_EVAL);
                assert_eq!(fresh(&source, &flip_colors(position)), score, "{}", position.fen());
                assert_eq!(fresh(&source, &mirror_files(position)), score, "{}", position.fen());
            });
        }
    }
}

/// The fast way with every instruction set against plain 64-bit arithmetic on a whole position.
#[test]
fn all_sets_equal_the_reference_on_games() {
    let mut count = 0;
    for (hidden, buckets, games) in [(32, 8, 80), (64, 1, 40), (96, 3, 10), (256, 8, 5)] {
        let network = Arc::new(random_network(hidden, buckets, hidden as u64));
        let mut accumulators: Vec<_> = Kernels::available()
            .into_iter()
            .map(|kernels| Accumulators::new(network.clone(), kernels))
            .collect();
        for (seed, walk) in WALKS.into_iter().enumerate() {
            random_games(*board(walk).position(), games, seed as u64, |position| {
                count += 1;
                let expected = network.evaluate_reference(position);
                for accumulators in &mut accumulators {
                    accumulators.refresh(position);
                    assert_eq!(accumulators.evaluate(position), expected, "{}", position.fen());
                }
            });
        }
    }
    assert!(count >= 100_000, "only {count} positions");
}

/// Walks all lines of some depth and checks after every make and unmake.
struct Walk {
    /// Evaluated at every node: each step follows from the one before.
    eager: Accumulators,
    /// Evaluated at leaves and after unmaking them: several plies are made up for at once.
    lazy: Accumulators,
    /// Started anew for every position.
    rebuilt: Accumulators,
}

impl Walk {
    fn new(network: &Arc<Network>) -> Self {
        let new = || Accumulators::new(network.clone(), Kernels::detect());
        Self { eager: new(), lazy: new(), rebuilt: new() }
    }

    fn start(&mut self, position: &Position) {
        self.eager.refresh(position);
        self.lazy.refresh(position);
    }

    fn check(&mut self, position: &Position, leaf: bool) {
        self.rebuilt.refresh(position);
        let expected = self.rebuilt.sums();
        self.eager.evaluate(position);
        assert_eq!(self.eager.sums(), expected, "{}", position.fen());
        if leaf {
            self.lazy.evaluate(position);
            assert_eq!(self.lazy.sums(), expected, "{}", position.fen());
        }
    }

    fn walk(&mut self, position: &Position, depth: usize) {
        self.check(position, depth == 0);
        if depth == 0 {
            return;
        }
        for mv in position.legal_moves() {
            let mut child = *position;
            child.play_with(mv, &mut Both(&mut self.eager, &mut self.lazy));
            self.walk(&child, depth - 1);
            self.eager.pop();
            self.lazy.pop();
        }
        if !position.in_check() {
            let mut passed = *position;
            passed.play_null();
            self.check(&passed, true);
        }
        self.check(position, true);
    }
}

/// Two observers of one move.
struct Both<'a>(&'a mut Accumulators, &'a mut Accumulators);

impl BoardObserver for Both<'_> {
    fn on_make(&mut self) {
        self.0.on_make();
        self.1.on_make();
    }

    fn on_remove(&mut self, color: Color, piece: Piece, square: Square) {
        self.0.on_remove(color, piece, square);
        self.1.on_remove(color, piece, square);
    }

    fn on_add(&mut self, color: Color, piece: Piece, square: Square) {
        self.0.on_add(color, piece, square);
        self.1.on_add(color, piece, square);
    }
}

#[test]
fn incremental_equals_rebuilt_on_walks() {
    let network = Arc::new(random_network(32, 8, 4));
    for walk in WALKS {
        let board = board(walk);
        let mut walk = Walk::new(&network);
        walk.start(board.position());
        walk.walk(board.position(), 3);
    }
}

/// Long lines, evaluated now and then, some moves taken back: longer than a search ever goes.
#[test]
fn incremental_equals_rebuilt_on_long_lines() {
    let network = Arc::new(random_network(32, 8, 5));
    let mut rng = Rng::new(6);
    for walk in WALKS {
        let mut line = vec![*board(walk).position()];
        let mut walk = Walk::new(&network);
        walk.start(&line[0]);
        for _ in 0..2_000 {
            let last = line[line.len() - 1];
            let moves: MoveList = last.legal_moves();
            if moves.is_empty() || (line.len() > 1 && rng.below(10) < 3) {
                walk.lazy.pop();
                line.pop();
            } else {
                let mut next = last;
                next.play_with(moves[rng.below(moves.len())], &mut walk.lazy);
                line.push(next);
            }
            if rng.below(4) == 0 {
                let last = &line[line.len() - 1];
                walk.rebuilt.refresh(last);
                walk.lazy.evaluate(last);
                assert_eq!(walk.lazy.sums(), walk.rebuilt.sums(), "{}", last.fen());
            }
        }
        assert!(line.len() > 1);
    }
}

/// Nine queens a side, every other man too, and weights at the limit: the largest accumulators
/// there can be, positive and negative.
#[test]
fn the_most_extreme_material_does_not_overflow() {
    let extreme = board("qqqqqqqq/qrrbbnnk/8/8/8/8/QRRBBNNK/QQQQQQQQ w - - 0 1");
    let position = extreme.position();
    assert_eq!(position.occupied().count(), 32);
    for (weight, bias) in [(1_000, 767), (-1_000, -767), (505, 0)] {
        for output in [127, -127] {
            let network = Network::new(&Parameters {
                hidden: 128,
                buckets: 1,
                qb: 1,
                scale: 10_000,
                feature_weights: vec![weight; 768 * 128],
                feature_biases: vec![bias; 128],
                output_weights: vec![output; 256],
                output_biases: vec![i32::MAX],
            })
            .expect("just inside the limits");
            let expected = network.evaluate_reference(position);
            let network = Arc::new(network);
            for kernels in Kernels::available() {
                let mut accumulators = Accumulators::new(network.clone(), kernels);
                accumulators.refresh(position);
                assert_eq!(accumulators.evaluate(position), expected);
                let reach = i32::from(weight) * 32 + i32::from(bias);
                assert!(accumulators.sums().iter().flat_map(|block| block.0).all(|x| i32::from(x) == reach));
            }
        }
    }
}

#[test]
fn material_counts() {
    let score = |fen: &str| fresh(&EvalSource::default(), board(fen).position());
    for (fen, range) in [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKB1R b KQkq - 0 1", 200..450),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 1", -450..-200),
        ("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 800..1_600),
        ("4k3/4p3/8/8/8/8/3PP3/4K3 w - - 0 1", 30..300),
    ] {
        assert!(range.contains(&score(fen)), "{fen}: {}", score(fen));
    }
    let tempo = score("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    assert!((5..40).contains(&tempo), "only the right to move: {tempo}");
    // How much a man is worth is the network's to say; which is worth more, any textbook's.
    let pawn = score("rnbqkbnr/ppp1pppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    let knight = score("r1bqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    let bishop = score("rn1qkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    let rook = score("1nbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQk - 0 1");
    let queen = score("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    assert!(tempo < pawn && pawn < knight.min(bishop), "{tempo} {pawn} {knight} {bishop}");
    assert!(knight.max(bishop) < rook && rook + pawn < queen, "{knight} {bishop} {rook} {queen}");
}

#[test]
fn a_missing_file_is_named() {
    let error = EvalSource::open(Path::new("no/such.nnue")).unwrap_err().to_string();
    assert!(error.starts_with("no/such.nnue: "), "{error}");
}

/// The rules of opposition, from any textbook of endings.
#[test]
fn king_and_pawn_against_king_is_known() {
    for (fen, won) in [
        // In front of its pawn on the sixth rank the king always wins, whoever moves.
        ("4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", true),
        ("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", true),
        // On the fifth only with the opposition.
        ("8/4k3/8/4K3/4P3/8/8/8 w - - 0 1", false),
        ("8/4k3/8/4K3/4P3/8/8/8 b - - 0 1", true),
        // Stalemate in front of the pawn; a pawn on the edge; one out of reach.
        ("4k3/4P3/4K3/8/8/8/8/8 b - - 0 1", false),
        ("k7/8/1K6/P7/8/8/8/8 w - - 0 1", false),
        ("8/7k/8/P7/8/8/8/K7 w - - 0 1", true),
        ("8/7k/8/P7/8/8/8/K7 b - - 0 1", true),
    ] {
        let board = board(fen);
        let score = fresh(&EvalSource::default(), board.position());
        let strong = if board.side_to_move() == Color::White { score } else { -score };
        assert_eq!((strong > 2_000, strong == 0), (won, !won), "{fen}: {score}");
    }
}

#[test]
fn material_that_cannot_win_is_worth_nothing() {
    for source in sources() {
        for fen in [
            "4k3/8/8/8/8/8/8/2N1K3 w - - 0 1",
            "4k3/8/8/8/8/8/8/2B1K3 b - - 0 1",
            "4k3/8/8/8/8/8/8/1NN1K3 w - - 0 1",
            "4k3/8/8/8/8/8/8/2B1K1B1 b - - 3 1",
        ] {
            assert_eq!(fresh(&source, board(fen).position()), 0, "{fen}");
        }
    }
}

/// Three knights mate on any edge: no corner is theirs.
#[test]
fn three_knights_prefer_no_corner() {
    let score = |fen| fresh(&EvalSource::default(), board(fen).position());
    assert_eq!(score("8/8/7K/8/8/2n2k2/5n2/6n1 w - - 0 60"), score("8/8/K7/8/8/2k2n2/2n5/1n6 w - - 0 60"));
}

#[test]
fn bare_kings_are_driven_where_they_are_mated() {
    for source in sources() {
        let score = |fen| fresh(&source, board(fen).position());
        assert!(score("8/8/8/4k3/8/8/8/KQ6 w - - 0 1") > 2_000);
        assert!(score("8/8/8/4k3/8/8/8/KQ6 b - - 0 1") < -2_000);
        // To the edge with a rook, the own king near.
        assert!(score("4k3/8/4K3/8/8/8/8/R7 w - - 0 1") > score("8/8/3k4/8/3K4/8/8/R7 w - - 0 1"));
        assert!(score("4k3/8/4K3/8/8/8/8/R7 w - - 0 1") > score("4k3/8/8/8/8/8/4K3/R7 w - - 0 1"));
        // To a dark corner with a bishop on dark squares.
        let [dark, light] = ["7k/8/5NK1/8/8/8/3B4/8 w - - 0 1", "k7/8/1KN5/8/8/8/3B4/8 w - - 0 1"];
        assert!(score(dark) > score(light) + 100);
    }
}

#[test]
fn the_wrong_bishop_does_not_win() {
    let score = |fen| fresh(&EvalSource::default(), board(fen).position());
    assert!(score("k7/8/8/8/8/8/P7/K3B3 w - - 0 1").abs() < 40, "a dark bishop, a8 is light");
    // The right one is left to the network, which must see that it wins.
    let right = "k7/8/8/8/8/8/P7/K4B2 w - - 0 1";
    let EvalSource::Network(network) = EvalSource::default() else { panic!("the built-in one is a network") };
    assert_eq!(score(right), network.evaluate_reference(board(right).position()));
    assert!(score(right) > 100, "{}", score(right));
}
