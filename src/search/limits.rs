//! What ends a search, and the settings it runs under. Plain data.

#![forbid(unsafe_code)]

use std::sync::Arc;
use std::time::Instant;

use super::Strength;
use crate::tablebase::Tablebases;
use crate::types::{ByColor, Move};

/// One side's clock, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Time left; zero or negative when the flag has fallen already.
    pub remaining: i64,
    /// Time added after each move.
    pub increment: i64,
}

/// When a search must end. The first limit that is reached counts; without any, the search
/// runs until it is stopped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Only these root moves are searched; all legal ones when empty.
    pub search_moves: Vec<Move>,
    /// Search on the opponent's time: no answer before `ponderhit` or `stop`.
    pub ponder: bool,
    /// No answer before `stop`.
    pub infinite: bool,
    /// The clocks, if the game has some.
    pub clocks: ByColor<Option<Clock>>,
    /// Moves until the next time control; sudden death when absent.
    pub moves_to_go: Option<u32>,
    /// Iterations, in plies; 0 counts as 1.
    pub depth: Option<u32>,
    /// Nodes of all threads together. One thread stops exactly there.
    pub nodes: Option<u64>,
    /// Nodes after which no further iteration starts.
    pub soft_nodes: Option<u64>,
    /// End when a mate in at most this many moves is found.
    pub mate: Option<u32>,
    /// Time for this move, in milliseconds.
    pub move_time: Option<i64>,
    /// When the time began to run; with the search if absent.
    pub since: Option<Instant>,
}

impl Limits {
    /// Ends after `depth` iterations.
    pub fn depth(depth: u32) -> Self {
        Self { depth: Some(depth), ..Self::default() }
    }

    /// Ends after `nodes` nodes.
    pub fn nodes(nodes: u64) -> Self {
        Self { nodes: Some(nodes), ..Self::default() }
    }

    /// Whether the answer must wait for `stop` or `ponderhit`.
    pub fn waits(&self) -> bool {
        self.ponder || self.infinite
    }
}

/// How a search uses endgame tablebases.
#[derive(Clone)]
pub struct SyzygySettings {
    /// The tables, if there are any.
    pub tables: Option<Arc<Tablebases>>,
    /// Nodes with as many men as the largest tables are looked up from this depth on, in plies.
    pub depth: i32,
    /// Positions of more men are not looked up.
    pub men: u32,
    /// Whether the fifty-move rule holds.
    pub fifty_moves: bool,
}

/// What the user chose about every search.
#[derive(Clone)]
pub struct SearchSettings {
    /// How many best lines to find, at least 1.
    pub multi_pv: usize,
    /// Time lost between the engine and the clock for each move, in milliseconds.
    pub move_overhead: i64,
    /// If not 0, so many nodes count as a millisecond of the clock.
    pub nodes_per_ms: u64,
    /// Whether bounds and current moves are told from the start.
    pub verbose: bool,
    /// Endgame tablebases.
    pub syzygy: SyzygySettings,
    /// How well to play, if not as well as possible.
    pub strength: Option<Strength>,
}

impl SearchSettings {
    /// What holds until the user chooses.
    pub const DEFAULT: Self = Self {
        multi_pv: 1,
        move_overhead: 10,
        nodes_per_ms: 0,
        verbose: false,
        syzygy: SyzygySettings { tables: None, depth: 1, men: 7, fifty_moves: true },
        strength: None,
    };
}

impl Default for SearchSettings {
    fn default() -> Self {
        Self::DEFAULT
    }
}
