//! What a search tells, as plain data.

#![forbid(unsafe_code)]

use std::sync::Arc;

use crate::tt::Bound;
use crate::types::{Move, Score};

/// Receives the reports of a search, on a search thread. Must not block for long.
pub type Sink = Arc<dyn Fn(Report) + Send + Sync>;

/// One message of a running search.
#[derive(Clone, Debug, PartialEq)]
pub enum Report {
    /// A line was found or its score became narrower.
    Line(Line),
    /// The move that is searched now at the root.
    CurrentMove {
        /// Depth of the iteration, in plies.
        depth: i32,
        /// The move.
        mv: Move,
        /// Its place in the order of the root moves, from 1.
        number: usize,
    },
    /// Something the user should know, such as a damaged file or that there is no mate.
    Note(String),
    /// The end of the search; the last report of each.
    BestMove {
        /// The move to play, `None` if the side to move has none.
        best: Option<Move>,
        /// The expected answer.
        ponder: Option<Move>,
    },
}

/// A line of play with its score.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Depth of the iteration, in plies.
    pub depth: i32,
    /// The deepest ply reached below this root move.
    pub seldepth: usize,
    /// Rank of the line, from 1.
    pub multipv: usize,
    /// Centipawns from the view of the side to move.
    pub score: Score,
    /// Whether the score is exact or a bound.
    pub bound: Bound,
    /// Nodes of all threads.
    pub nodes: u64,
    /// Nodes a second.
    pub nps: u64,
    /// How full the table is, in per mille.
    pub hashfull: u32,
    /// Tablebase positions found.
    pub tb_hits: u64,
    /// Time since the start, in milliseconds.
    pub time_ms: u64,
    /// The moves, all legal. Empty only if the root has no legal move.
    pub pv: Vec<Move>,
}

/// The outcome of a finished search.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchResult {
    /// The move to play, `None` if the side to move has none.
    pub best: Option<Move>,
    /// The line of play, the best move first; empty without one.
    pub pv: Vec<Move>,
    /// Centipawns from the view of the side to move.
    pub score: Score,
    /// The last finished iteration, in plies.
    pub depth: i32,
    /// Nodes searched by this worker, or by all where a pool answers.
    pub nodes: u64,
}
