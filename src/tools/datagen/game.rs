//! One self-play game: both sides are the same engine with the same memory.
//!
//! A move ends at a soft limit of nodes, after a whole iteration, so that its score is never
//! that of half a search; a hard limit some times as large stops searches that explode. Nothing
//! is allocated for a search and the memory is cleared for a game, not for a move: at a
//! thousand nodes a move, set-up would else cost more than the search.

use crate::eval::EvalSource;
use crate::rng::Rng;
use crate::search::Limits;
use crate::tools::searcher::Searcher;
use crate::tt::TableError;
use crate::types::Color;

use super::adjudicate::Referee;
use super::opening::balanced_opening;
use super::viriformat::{Game, GameResult, Ply};

/// Plays games with one search worker.
pub(super) struct Player {
    searcher: Searcher,
    limits: Limits,
}

impl Player {
    /// A player that searches about `nodes` nodes a move and never more than `hard_factor` times
    /// that, with a table of `hash` MiB.
    ///
    /// # Errors
    /// When the table cannot be allocated.
    pub fn new(nodes: u64, hard_factor: u64, hash: usize, eval: EvalSource) -> Result<Self, TableError> {
        let limits = Limits { soft_nodes: Some(nodes), ..Limits::nodes(nodes.saturating_mul(hard_factor)) };
        Ok(Self { searcher: Searcher::new(hash, eval)?, limits })
    }

    /// Plays a game from a random opening to its end. The same generator gives the same game.
    pub fn play(&mut self, rng: &mut Rng) -> Game {
        self.searcher.clear();
        let mut board = balanced_opening(rng, &mut self.searcher);
        let mut game = Game { start: *board.position(), result: GameResult::Draw, plies: Vec::new() };
        let mut referee = Referee::default();
        loop {
            let found = self.searcher.search(&board, &self.limits);
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
}
