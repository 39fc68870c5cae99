//! Network files and files of games with any damage: they are refused with a reason or taken as
//! what they are, but nothing panics. `PROPTEST_CASES` makes the runs longer.

mod common;

use common::network;
use longan::board::{Board, Position};
use longan::eval::network::Network;
use longan::eval::{EvalSource, Evaluator};
use longan::tools::datagen::stats::Stats;
use longan::tools::datagen::viriformat::{Game, GameReader, GameResult, Ply};
use longan::types::MAX_EVAL;
use proptest::prelude::*;

/// Extreme material for an accepted network.
const POSITIONS: [&str; 3] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
    "rnbqkbnr/qqqqqqqq/8/8/8/8/QQQQQQQQ/RNBQKBNR b KQkq - 0 1",
];

/// Makes the checksum right again: FNV-1a of all bytes but its own (G. Fowler, L. Noll, K. Vo).
fn seal(bytes: &mut [u8]) {
    if bytes.len() >= 48 {
        let others = bytes[..40].iter().chain(&bytes[48..]);
        let sum = others.fold(0xCBF2_9CE4_8422_2325_u64, |sum, &byte| {
            (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
        });
        bytes[40..48].copy_from_slice(&sum.to_le_bytes());
    }
}

/// Bytes to overwrite, most of them in the first `head`.
fn damage(head: usize) -> impl Strategy<Value = Vec<(usize, u8)>> {
    let place = prop_oneof![3 => 0..head, 1 => 0..100_000_usize];
    let byte = prop_oneof![any::<u8>(), Just(0), Just(0x7F), Just(0x80), Just(0xFF)];
    prop::collection::vec((place, byte), 0..6)
}

fn apply(bytes: &mut Vec<u8>, damage: &[(usize, u8)], cut: Option<usize>) {
    for &(place, byte) in damage {
        let place = place % bytes.len();
        bytes[place] = byte;
    }
    bytes.truncate(cut.map_or(bytes.len(), |cut| cut % (bytes.len() + 1)));
}

/// Games as self-play stores them, from the moves `e2e4 e7e5 …`, as many as `plies` say.
fn games(plies: &[usize]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (index, &count) in plies.iter().enumerate() {
        let mut position: Position = *Board::startpos().position();
        let start = position;
        let mut game = Game { start, result: GameResult::Draw, plies: Vec::new() };
        for ply in 0..count {
            let moves = position.legal_moves();
            let mv = moves[(ply * 7 + index) % moves.len()];
            game.plies.push(Ply { mv, score: (ply as i16 - 20) * 11 });
            position.play(mv);
            if !position.has_legal_move() {
                break;
            }
        }
        game.write_to(&mut bytes);
    }
    bytes
}

proptest! {
    #[test]
    fn no_bytes_are_a_network_by_chance(bytes: Vec<u8>) {
        prop_assert!(Network::from_bytes(&bytes).is_err());
        prop_assert!(Network::from_bytes(&[b"LNGN", &*bytes].concat()).is_err());
    }

    #[test]
    fn a_damaged_network_is_refused_or_evaluates(
        seed: i16, damage in damage(64), cut in prop::option::weighted(0.1, any::<usize>()), sealed: bool
    ) {
        let mut bytes = network(seed);
        apply(&mut bytes, &damage, cut);
        if sealed {
            seal(&mut bytes);
        }
        if let Ok(network) = Network::from_bytes(&bytes) {
            prop_assert!(network.to_bytes() == bytes, "what is taken means just these bytes");
            let mut evaluator = Evaluator::new(EvalSource::Network(network.into()));
            for fen in POSITIONS {
                let board = Board::from_fen(fen).unwrap();
                evaluator.refresh(&board);
                prop_assert!(evaluator.evaluate(&board).abs() <= MAX_EVAL);
            }
        }
    }

    #[test]
    fn no_bytes_make_the_reader_of_games_panic(bytes: Vec<u8>) {
        let _ = GameReader::new(&*bytes).count();
        let _ = Stats::of_games(&*bytes).map(|stats| stats.gates());
    }

    #[test]
    fn damaged_games_are_refused_or_counted(
        plies in prop::collection::vec(0_usize..60, 1..5), damage in damage(80), cut: Option<usize>
    ) {
        let mut bytes = games(&plies);
        apply(&mut bytes, &damage, cut);
        for game in GameReader::new(&*bytes).map_while(Result::ok) {
            let mut again = Vec::new();
            game.write_to(&mut again);
            let read = GameReader::new(&*again).next().expect("a game").expect("no damage");
            prop_assert_eq!(read.plies, game.plies);
        }
        let _ = Stats::of_games(&*bytes).map(|stats| stats.gates());
    }
}
