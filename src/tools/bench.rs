//! The bench: searches a fixed set of positions to a fixed depth. With one thread the sum of
//! the nodes is the same on every machine, so it is a fingerprint of the search; any change of
//! play shows in it. The second mode searches a suite of test positions and counts how many are
//! solved.

#![forbid(unsafe_code)]

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::board::{Board, FenError, NotationError};
use crate::search::{Limits, Pool, SearchResult, SearchSettings};
use crate::tools::epd;
use crate::tt::TableError;
use crate::types::{Move, Score, is_mate, mate_distance};

/// How deep the bench searches, in plies.
pub const DEPTH: u32 = 13;
/// The size of its transposition table, in MiB.
pub const HASH_MB: usize = 16;

/// Openings, middle games from well-known games, endgames, studies, and positions without a
/// move.
pub const POSITIONS: [&str; 48] = [
    // The start position, and openings: Najdorf, Ruy Lopez, King's Indian, French, Slav,
    // English, Benko, King's Gambit, Chess960.
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r2q1rk1/1p1nbppp/p2pbn2/4p3/4P3/1NN1BP2/PPPQ2PP/2KR1B1R w - - 5 11",
    "r1bq1rk1/4bppp/p2p1n2/npp1p3/3PP3/2P2N1P/PPB2PP1/RNBQR1K1 b - - 0 11",
    "r1bq1rk1/pppnn1bp/3p2p1/3Ppp2/2P1P3/2N2P2/PP2B1PP/R1BQNRK1 w - - 0 11",
    "r1b1kbnr/pp3ppp/1qn1p3/3pP3/2pP4/P1P2N2/1P3PPP/RNBQKB1R w KQkq - 0 7",
    "r2qk2r/pp1n1ppp/2p1pn2/5b2/PbBP4/2N1PN2/1P3PPP/R1BQ1RK1 w kq - 3 9",
    "r1bqkb1r/ppp2ppp/1nn5/4p3/8/2N2NP1/PP1PPPBP/R1BQK2R w KQkq - 2 7",
    "rn1qkb1r/4pp1p/3p1np1/2pP4/4P3/2N5/PP3PPP/R1BQ1KNR w kq - 0 9",
    "rnbqkb1r/pppp1p1p/5n2/4N3/4PppP/8/PPPP2P1/RNBQKB1R w KQkq - 2 6",
    "nrkbbqrn/pppp1p1p/6p1/4p3/2P5/6N1/PP1PPPPP/NRKBBQR1 w GBgb - 0 3",
    // Morphy's Opera game, Anderssen's Immortal and Evergreen games, Byrne - Fischer 1956,
    // Kasparov - Topalov 1999, Botvinnik - Capablanca 1938.
    "rn2kb1r/p3qppp/2p2n2/1p2p1B1/2B1P3/1QN5/PPP2PPP/R3K2R w KQkq - 0 10",
    "rnb1k1nr/p2p1ppp/8/1pbN1N1P/4PBP1/3P1Q2/PqP5/R4KR1 w kq - 0 18",
    "1r2k2r/pbppnp1p/1bn2p2/4P2q/Q7/B1PB1N2/P4PPP/R3R1K1 w k - 0 18",
    "1r2k1r1/pbppnp1p/1bn2P2/8/Q7/B1PB1q2/P4PPP/3RR1K1 w - - 0 20",
    "r2q1rk1/pp2ppbp/2p2np1/2Q3B1/n2PP1b1/2N2N2/PP3PPP/3RKB1R w K - 7 12",
    "r3r1k1/pp3pbp/1qp3p1/2B5/2BP2b1/Q1n2N2/P4PPP/3R1K1R b - - 3 17",
    "4r1k1/1p3pbp/1Qp3p1/8/2b5/5N1P/r4PP1/3n2KR w - - 0 27",
    "2kr3r/1b1nqp1p/p2p1npQ/1pp5/3RP3/PNN2P2/1PP3PP/1K3B1R w - - 0 16",
    "b2r3r/k4p1p/p2q1np1/NppP4/3p1Q2/P4PPB/1PP4P/1K1RR3 w - - 1 24",
    "3r3r/Rb3p1p/p4np1/1p1q4/kP6/P1Q2PPB/2P4P/1K6 w - - 2 30",
    "r3r1k1/p2q1ppp/1p3n2/3p4/P1pP4/1nP1PPN1/1BQ3PP/4RRK1 w - - 1 19",
    "6k1/p6p/1p2rnp1/3p1P2/q1pP4/1nP3N1/1B3QPP/6K1 w - - 0 27",
    "8/p3q1kp/1p2Pnp1/3pQ3/2pP4/1nP3N1/1B4PP/6K1 w - - 5 30",
    // Rook endgames: Lucena, Philidor, Vancura; four pawns against three; a distant passed pawn.
    "1K1k4/1P6/8/8/8/8/r7/2R5 w - - 0 1",
    "4k3/R7/7r/4PK2/8/8/8/8 b - - 0 1",
    "8/8/R5k1/P7/8/4r3/5K2/8 b - - 0 1",
    "8/R4pk1/6pp/8/5PP1/4r2P/6K1/8 b - - 0 1",
    "8/1R3pk1/4p1p1/P2pP2p/3P1P1P/r5P1/5K2/8 b - - 0 1",
    // Pawn endgames: Réti 1921, Lasker - Reichhelm, Fine, king and pawn, triangulation.
    "7K/8/k1P5/7p/8/8/8/8 w - - 0 1",
    "8/8/8/1p1p4/1P1p4/k2P4/8/2K5 w - - 0 1",
    "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1",
    "8/8/8/3k4/8/3K4/3P4/8 w - - 0 1",
    "8/8/2p5/1p1p4/1P1Pk3/2P5/4K3/8 w - - 0 1",
    // Other endgames: Saavedra, bishop and knight, queen against rook and against pawn, bishops
    // of opposite colours, knight against a bad bishop, queens, two knights against a pawn.
    "8/8/1KP5/3r4/8/8/8/k7 w - - 0 1",
    "8/8/8/3k4/8/3K4/3BN3/8 w - - 0 1",
    "8/8/8/3kr3/8/3K4/8/3Q4 w - - 0 1",
    "8/8/8/4K3/8/8/2p4Q/1k6 w - - 0 1",
    "8/5pk1/4b1p1/3pP2p/1p1P1P1P/1P1B2PK/8/8 w - - 0 1",
    "8/4bk2/p3p1p1/1p1pP1Pp/1P1P1K1P/P1N5/8/8 w - - 0 1",
    "8/6pk/1q5p/1P2Q3/8/6P1/6KP/8 w - - 0 1",
    "8/8/8/3k4/3p4/3N4/1N1K4/8 w - - 0 1",
    // A draw by the fifty-move rule is near; mates: with two rooks, smothered, back rank.
    "8/8/4k3/8/2R5/4K3/8/5b2 w - - 92 130",
    "8/8/8/8/3k4/8/R7/1R4K1 w - - 0 1",
    "5r1k/6pp/7N/8/8/1Q6/6PP/7K w - - 0 1",
    "6k1/5ppp/8/8/8/8/r4PPP/1r3RK1 w - - 0 1",
    // Both sides promote; checkmate; stalemate.
    "8/1P5k/8/8/8/8/1p5K/8 w - - 0 1",
    "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1",
    "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
];

/// What a bench measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Total {
    /// Positions searched.
    pub positions: usize,
    /// Positions of a suite whose answer was right.
    pub solved: usize,
    /// Nodes of all searches.
    pub nodes: u64,
    /// Time of all searches.
    pub time: Duration,
}

impl Total {
    /// The last line of a bench.
    pub fn summary(&self) -> String {
        let nps = (self.nodes as f64 / self.time.as_secs_f64().max(1e-6)) as u64;
        format!("{} nodes {nps} nps", self.nodes)
    }
}

/// Why a bench did not run.
#[derive(Debug, Error)]
pub enum BenchError {
    /// The table cannot be allocated.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A line of a suite is no position.
    #[error("line {0} of the suite: {1}")]
    Fen(usize, FenError),
    /// A line of a suite names an impossible move.
    #[error("line {0} of the suite: {1}")]
    Move(usize, NotationError),
    /// A line of a suite names no number of moves to mate.
    #[error("line {0} of the suite: `dm` wants a whole number other than 0")]
    Mate(usize),
    /// A line of a suite does not say what is right or wrong.
    #[error("line {0} of the suite has none of `bm`, `am` and `dm`")]
    NoAnswer(usize),
}

/// Searches the bench positions to `depth`, each as the first of a new game. `None` if `stop`
/// became true, which is looked at between two positions.
///
/// # Errors
/// When there is no memory for the table.
pub fn run(
    depth: u32,
    threads: usize,
    hash_mb: usize,
    stop: &AtomicBool,
) -> Result<Option<Total>, BenchError> {
    let mut pool = Pool::new(threads, hash_mb)?;
    let mut total = Total::default();
    for fen in POSITIONS {
        if stop.load(Relaxed) {
            return Ok(None);
        }
        let board = Board::from_fen(fen).map_err(|error| BenchError::Fen(total.positions + 1, error))?;
        search(&mut pool, &board, &Limits::depth(depth), &mut total);
    }
    Ok(Some(total))
}

/// Searches one position as a new game and adds to the total.
fn search(pool: &mut Pool, board: &Board, limits: &Limits, total: &mut Total) -> SearchResult {
    pool.clear();
    let start = Instant::now();
    let result = pool.run(board, limits, &SearchSettings::default());
    total.time += start.elapsed();
    total.nodes += result.nodes;
    total.positions += 1;
    result
}

/// A position of a test suite with what solves it.
struct Problem {
    board: Board,
    best: Vec<Move>,
    avoid: Vec<Move>,
    /// Moves until mate, negative when the side to move is mated.
    mate: Option<i32>,
}

impl Problem {
    /// Reads a line of EPD with one of the operations `bm`, `am` and `dm`.
    fn parse(number: usize, line: &str) -> Result<Self, BenchError> {
        let (board, operations) = epd::read(line).map_err(|error| BenchError::Fen(number, error))?;
        let moves = |code: &str| {
            let mut operations = operations.split(';').map(|text| text.split_whitespace());
            let operands = operations.find_map(|mut words| (words.next() == Some(code)).then_some(words));
            let moves = operands.into_iter().flatten().map(|text| board.parse_san(text));
            moves.collect::<Result<Vec<_>, _>>().map_err(|error| BenchError::Move(number, error))
        };
        let (best, avoid) = (moves("bm")?, moves("am")?);
        let mut mates = operations.split(';').filter_map(|text| text.trim().strip_prefix("dm "));
        let mate = match mates.next().map(|text| text.trim().parse()) {
            Some(Ok(0) | Err(_)) => return Err(BenchError::Mate(number)),
            Some(Ok(moves)) => Some(moves),
            None if best.is_empty() && avoid.is_empty() => return Err(BenchError::NoAnswer(number)),
            None => None,
        };
        Ok(Self { board, best, avoid, mate })
    }

    /// Whether a search found what the line asks for. A mate is found when its length is exact;
    /// the moves named beside it may not be all that lead to it.
    fn is_solved_by(&self, best: Option<Move>, score: Score) -> bool {
        match (self.mate, best) {
            (Some(mate), _) => is_mate(score) && mate_distance(score) == mate,
            (None, Some(mv)) => {
                (self.best.is_empty() || self.best.contains(&mv)) && !self.avoid.contains(&mv)
            }
            (None, None) => false,
        }
    }
}

/// Searches every position of an EPD suite with `nodes` nodes, or until a mate is as short as the
/// line says. `tell` gets the line number, the
/// answer in SAN and whether it is right.
///
/// # Errors
/// When a line cannot be read, or there is no memory for the table.
pub fn run_suite(
    suite: &str,
    nodes: u64,
    threads: usize,
    hash_mb: usize,
    mut tell: impl FnMut(usize, &str, bool),
) -> Result<Total, BenchError> {
    let problems = epd::lines(suite).map(|(number, line)| Ok((number, Problem::parse(number, line)?)));
    // All lines are read before the first search, so that a typing error shows at once.
    let problems = problems.collect::<Result<Vec<_>, BenchError>>()?;
    let mut pool = Pool::new(threads, hash_mb)?;
    let mut total = Total::default();
    for (number, problem) in problems {
        let limits = Limits { mate: problem.mate.map(i32::unsigned_abs), ..Limits::nodes(nodes) };
        let result = search(&mut pool, &problem.board, &limits, &mut total);
        let solved = problem.is_solved_by(result.best, result.score);
        total.solved += usize::from(solved);
        let answer = result.best.map_or("no move".to_string(), |mv| problem.board.san(mv));
        tell(number, &answer, solved);
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_solved(line: &str, san: &str) -> bool {
        let problem = Problem::parse(1, line).unwrap();
        problem.is_solved_by(Some(problem.board.parse_san(san).unwrap()), 0)
    }

    #[test]
    fn every_position_is_legal() {
        for fen in POSITIONS {
            Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"));
        }
    }

    #[test]
    fn best_moves_and_moves_to_avoid_are_told_apart() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        let best = format!("{start} bm Nf3 e4; id \"bm or am; f3\";");
        assert!(is_solved(&best, "e4") && is_solved(&best, "Nf3") && !is_solved(&best, "d4"));
        let avoid = format!("{start} c0 \"x\"; am g4 f3;");
        assert!(is_solved(&avoid, "e4") && !is_solved(&avoid, "g4") && !is_solved(&avoid, "f3"));
    }

    /// Two rooks mate in two; the other side is mated in one.
    #[test]
    fn mates_must_have_the_right_length() {
        let solved = |line: &str| run_suite(line, 20_000, 1, 1, |_, _, _| {}).unwrap().solved == 1;
        assert!(solved("7k/8/8/8/8/8/R7/1R4K1 w - - bm Ra7; dm 2;"));
        assert!(!solved("7k/8/8/8/8/8/R7/1R4K1 w - - bm Ra7; dm 3;"));
        assert!(solved("7k/R7/8/8/8/8/8/1R4K1 b - - dm -1;"));
        assert!(!solved("7k/R7/8/8/8/8/8/1R4K1 b - - dm 1;"));
    }

    #[test]
    fn bad_suite_lines_are_named() {
        let error = |suite: &str| run_suite(suite, 1, 1, 1, |_, _, _| {}).unwrap_err().to_string();
        assert!(error("\n# head\n8/8/8/8/8/8/8/8 w - - bm Ka1;").starts_with("line 3 of the suite: "));
        assert!(error("4k3/8/8/8/8/8/8/4K3 w - - bm Ka1;").starts_with("line 1 of the suite: "));
        assert_eq!(
            error("4k3/8/8/8/8/8/8/4K3 w - - id \"none\";"),
            "line 1 of the suite has none of `bm`, `am` and `dm`"
        );
        for dm in ["dm 0;", "dm x;", "dm 2.5;"] {
            let line = format!("4k3/8/8/8/8/8/8/4K3 w - - {dm}");
            assert_eq!(error(&line), "line 1 of the suite: `dm` wants a whole number other than 0");
        }
    }
}
