//! One self-play game: both sides are the same engine with the same memory.
//!
//! A move ends at a soft limit of nodes, after a whole iteration, so that its score is never
//! that of half a search; a hard limit some times as large stops searches that explode. Nothing
//! is allocated for a search and the memory is cleared for a game, not for a move: at a
//! thousand nodes a move, set-up would else cost more than the search.

use std::sync::Arc;

use crate::board::Board;
use crate::eval::{EvalSource, Evaluator};
use crate::search::{Limits, SearchResult, SearchSettings, Shared, Worker};
use crate::tt::TableError;
use crate::types::{Color, Score};

use super::adjudicate::Referee;
use super::opening::{Rng, random_opening};
use super::viriformat::{Game, GameResult, Ply};

/// Soft limit of the search that checks an opening, in nodes.
const OPENING_NODES: u64 = 2_000;
/// An opening is refused when a side is further ahead than this, in centipawns.
const OPENING_MAX_SCORE: Score = 350;

/// Plays games with one search worker.
pub(super) struct Player {
    searcher: Searcher,
    move_limits: Limits,
    opening_limits: Limits,
}

impl Player {
    /// A player that searches about `nodes` nodes a move and never more than `hard_factor` times
    /// that, with a table of `hash` MiB.
    ///
    /// # Errors
    /// When the table cannot be allocated.
    pub fn new(nodes: u64, hard_factor: u64, hash: usize, eval: EvalSource) -> Result<Self, TableError> {
        let limits = |soft: u64| Limits {
            soft_nodes: Some(soft),
            nodes: Some(soft.saturating_mul(hard_factor)),
            ..Limits::default()
        };
        Ok(Self {
            searcher: Searcher::new(hash, eval)?,
            move_limits: limits(nodes),
            opening_limits: limits(OPENING_NODES),
        })
    }

    /// Plays a game from a random opening to its end. The same generator gives the same game.
    pub fn play(&mut self, rng: &mut Rng) -> Game {
        self.searcher.clear();
        let mut board = self.balanced_opening(rng);
        let mut game = Game { start: *board.position(), result: GameResult::Draw, plies: Vec::new() };
        let mut referee = Referee::default();
        loop {
            let found = self.searcher.search(&board, &self.move_limits);
            let mv = found.best.expect("the game goes on, so there is a move");
            let score = match board.side_to_move() {
                Color::White => found.score,
                Color::Black => -found.score,
            };
            game.plies.push(Ply { mv, score: score as i16 });
            board.make(mv);
            if let Some((result, _)) = referee.judge(&board, score) {
                game.result = result;
                return game;
            }
        }
    }

    /// A random opening that leaves both sides a game.
    fn balanced_opening(&mut self, rng: &mut Rng) -> Board {
        loop {
            let board = Board::from_position(random_opening(rng));
            if self.searcher.search(&board, &self.opening_limits).score.abs() <= OPENING_MAX_SCORE {
                return board;
            }
        }
    }
}

/// A search of one thread with its own table.
struct Searcher {
    shared: Arc<Shared>,
    worker: Worker,
    settings: SearchSettings,
}

impl Searcher {
    fn new(hash: usize, eval: EvalSource) -> Result<Self, TableError> {
        let shared = Arc::new(Shared::new(1, hash)?);
        let worker = Worker::new(0, shared.clone(), Evaluator::new(eval));
        Ok(Self { shared, worker, settings: SearchSettings::default() })
    }

    /// Forgets what it learned.
    fn clear(&mut self) {
        self.shared.table.clear(1);
        self.worker.clear();
    }

    fn search(&mut self, board: &Board, limits: &Limits) -> SearchResult {
        self.shared.begin(false);
        self.worker.search(board, limits, &self.settings, None)
    }
}
