//! What several tests share.

#![allow(dead_code)] // Each test file uses its own part.

pub mod engine;

use longan::board::Board;
use longan::eval::network::{Network, Parameters};
use longan::types::Move;

/// The records of a data file: fields between bars, one record a line, `#` begins a comment.
pub fn records<const FIELDS: usize>(text: &str) -> Vec<[&str; FIELDS]> {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    lines
        .map(|line| {
            let fields: Vec<_> = line.split('|').map(str::trim).collect();
            fields.try_into().unwrap_or_else(|_| panic!("not {FIELDS} fields: {line}"))
        })
        .collect()
}

/// A number that an environment variable may set.
pub fn number_from_env(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
}

/// The folder of tablebases that `LONGAN_SYZYGY` names; says so if there is none.
pub fn syzygy() -> Option<String> {
    let folder = std::env::var("LONGAN_SYZYGY").ok().filter(|folder| !folder.is_empty());
    if folder.is_none() {
        eprintln!("LONGAN_SYZYGY names no folder of tablebases: skipped");
    }
    folder
}

/// The FENs of a perft suite.
pub fn suite(text: &str) -> impl Iterator<Item = &str> {
    let positions = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    positions.filter_map(|line| Some(line.split(';').next()?.trim()))
}

/// The FENs of all perft suites.
pub fn suite_positions() -> impl Iterator<Item = &'static str> {
    let suites = [
        include_str!("../../perft-suites/standard.epd"),
        include_str!("../../perft-suites/tricky.epd"),
        include_str!("../../perft-suites/chess960.epd"),
    ];
    suites.into_iter().flat_map(suite)
}

/// The board of a FEN that may stand behind the word `chess960`.
pub fn board(fen: &str) -> Board {
    let (fen, chess960) = match fen.strip_prefix("chess960 ") {
        Some(fen) => (fen, true),
        None => (fen, false),
    };
    let board = Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
    let mut position = *board.position();
    position.set_chess960(chess960);
    Board::from_position(position)
}

/// The board after these moves, in UCI notation, from the start position.
pub fn after(moves: &[&str]) -> Board {
    let mut board = Board::startpos();
    for mv in moves {
        board.make(board.parse_uci(mv).unwrap());
    }
    board
}

/// Whether a move in UCI notation can be played.
pub fn is_legal(board: &Board, mv: &str) -> bool {
    board.parse_uci(mv).is_ok()
}

/// Visits the positions of random games from a start position, the first `plies` of each.
pub fn random_games(start: &Board, games: u64, plies: usize, mut visit: impl FnMut(&Board, Option<Move>)) {
    for game in 0..games {
        let mut random = Random(0x9E37_79B9_7F4A_7C15 ^ (game + 1));
        let mut board = start.clone();
        for _ in 0..plies {
            let moves = board.legal_moves();
            let Some(&mv) = moves.get(random.below(moves.len().max(1))) else { break };
            visit(&board, Some(mv));
            board.make(mv);
        }
        visit(&board, None);
    }
}

/// Xorshift64*: the same numbers on every machine.
pub struct Random(pub u64);

impl Random {
    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % bound
    }
}

/// A network file of 32 units whose weights repeat themselves.
pub fn network(seed: i16) -> Vec<u8> {
    const HIDDEN: usize = 32;
    let weights = |count: usize, bound: i16| -> Vec<i16> {
        (0..count).map(|i| (i as i16).wrapping_mul(seed | 1) % bound).collect()
    };
    let parameters = Parameters {
        hidden: HIDDEN,
        buckets: 1,
        qb: 64,
        scale: 400,
        feature_weights: weights(768 * HIDDEN, 500),
        feature_biases: weights(HIDDEN, 500),
        output_weights: weights(2 * HIDDEN, 127),
        output_biases: vec![9],
    };
    Network::new(&parameters).unwrap().to_bytes()
}
