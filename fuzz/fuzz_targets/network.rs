//! Network files: what is taken means just its bytes, and evaluates as plain arithmetic does, in
//! the most extreme positions too.
//!
//! The input is a header and a pattern for the numbers behind it; the checksum is made right.

#![no_main]

use libfuzzer_sys::fuzz_target;
use longan::board::Board;
use longan::eval::network::Network;
use longan::eval::{EvalSource, Evaluator};
use longan::fnv::{START, fnv1a};

const HEADER: usize = 64;
const POSITIONS: [&str; 4] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1",
    "rnbqkbnr/qqqqqqqq/8/8/8/8/QQQQQQQQ/RNBQKBNR b KQkq - 0 1",
    "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
];

/// Makes the checksum right: the hash of all bytes but its own.
fn seal(bytes: &mut [u8]) {
    let sum = fnv1a(fnv1a(START, &bytes[..40]), &bytes[48..]);
    bytes[40..48].copy_from_slice(&sum.to_le_bytes());
}

fuzz_target!(|data: &[u8]| {
    let _ = Network::from_bytes(data).map_err(|error| assert!(!error.to_string().is_empty()));
    if data.len() <= HEADER {
        return;
    }
    let (header, pattern) = data.split_at(HEADER);
    let hidden = u32::from_le_bytes(header[12..16].try_into().unwrap()) as usize;
    if hidden > 64 {
        return;
    }
    let mut bytes = header.to_vec();
    bytes.extend(pattern.iter().cycle().take((768 * hidden + 3 * hidden) * 2 + 4));
    seal(&mut bytes);
    match Network::from_bytes(&bytes) {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(network) => {
            assert!(network.to_bytes() == bytes);
            let mut evaluator = Evaluator::new(EvalSource::Network(network.clone().into()));
            for fen in POSITIONS {
                let mut board = Board::from_fen(fen).unwrap();
                evaluator.refresh(&board);
                assert_eq!(evaluator.raw(&board), network.evaluate_reference(&board), "{fen}");
                for mv in board.legal_moves().into_iter().take(8) {
                    board.make_with(mv, &mut evaluator);
                    assert_eq!(evaluator.raw(&board), network.evaluate_reference(&board), "{fen}");
                    board.unmake();
                    evaluator.pop();
                }
            }
        }
    }
});
