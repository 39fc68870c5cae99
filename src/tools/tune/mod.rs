//! The strength lab: which of two sides is stronger (`longan selfplay`), and which parameters
//! are best (`longan tune`).
//!
//! Both play games between two sides in one process, at a fixed number of nodes a move, so that
//! other programs on the machine do not matter. Sides differ in their evaluation and, in builds
//! with the feature `tuning`, in the parameters of the search.

#![forbid(unsafe_code)]

use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, value_parser};
use thiserror::Error;

mod checkpoint;
mod matches;
pub mod openings;
pub mod selfplay;
pub mod sprt;
pub mod spsa;
pub mod stats;
pub mod tuning;

use crate::eval::{EvalSource, OpenError};
use crate::search::{Limits, Params, Tunable};
use crate::tools::bootstrap;
use crate::tools::searcher::FixedParams;
use crate::tt::TableError;
use checkpoint::CheckpointError;
use matches::Arena;
use openings::{BookError, Openings};
use sprt::SprtError;

/// A soft limit of nodes becomes a hard one at so many times these nodes.
const HARD_FACTOR: u64 = 8;

/// How games are played.
#[derive(Args, Clone, Debug)]
pub struct GameArgs {
    /// Nodes of each search
    #[arg(long, default_value_t = 5000, value_parser = value_parser!(u64).range(1..))]
    nodes: u64,
    /// Let a search finish the iteration in which it reaches the nodes
    #[arg(long)]
    soft: bool,
    /// How many games are played at the same time
    #[arg(long, default_value_t = 1, value_parser = value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Openings, a FEN or EPD in each line; random moves if absent
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,
    /// Other seeds give other openings
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Transposition table of each side on each thread, in MiB
    #[arg(long, value_name = "MB", default_value_t = 8, value_parser = value_parser!(u16).range(1..=1024))]
    hash: u16,
}

impl GameArgs {
    /// The place where such games are played.
    fn arena(&self, sources: &[EvalSource; 2]) -> Result<Arena, LabError> {
        let limits = if self.soft {
            let hard = self.nodes.saturating_mul(HARD_FACTOR);
            Limits { soft_nodes: Some(self.nodes), ..Limits::nodes(hard) }
        } else {
            Limits::nodes(self.nodes)
        };
        let openings = match &self.book {
            Some(path) => Openings::read(path, self.seed)?,
            None => Openings::Random(self.seed),
        };
        Ok(Arena::new(sources, limits, openings, self.threads.into(), self.hash.into())?)
    }
}

/// Why there is no result.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum LabError {
    #[error(transparent)]
    Book(#[from] BookError),
    #[error(transparent)]
    Sprt(#[from] SprtError),
    #[error(transparent)]
    Table(#[from] TableError),
    #[error(transparent)]
    Params(#[from] FixedParams),
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    #[error("{0}")]
    Name(String),
    #[error("a thread cannot be started: {0}")]
    Thread(#[from] io::Error),
}

/// Finds a tunable of the search by its name.
fn find_tunable(name: &str) -> Result<Tunable, String> {
    let found = Params::TABLE.iter().find(|tunable| tunable.name == name);
    found.copied().ok_or_else(|| format!("the search has no parameter `{name}`"))
}

/// Reads an evaluation: `bootstrap`, or the file of a network.
fn load_eval(text: &str) -> Result<EvalSource, OpenError> {
    if text == "bootstrap" {
        return Ok(EvalSource::Function(bootstrap::evaluate));
    }
    EvalSource::open(Path::new(text))
}
