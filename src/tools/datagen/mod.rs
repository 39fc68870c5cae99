//! Self-play games to train networks on: `longan datagen`, and `longan datagen stats` to look at
//! them.
//!
//! Every thread plays its own games with its own search and appends them to its own file. A
//! game depends only on the seed, the number of the file and the number of the game in it, so a
//! run that was stopped at any point is continued by a later one as if nothing had happened.

#![forbid(unsafe_code)]

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand, value_parser};
use thiserror::Error;

pub mod adjudicate;
pub mod filter;
mod game;
mod generate;
pub mod genfens;
pub(super) mod opening;
mod shard;
pub mod stats;
pub mod viriformat;

use crate::eval::OpenError;
use crate::tt::TableError;
use shard::ShardError;
use stats::Stats;
use viriformat::GameError;

/// Play games against itself and store them, or look at stored games
#[derive(Args, Clone, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct DatagenArgs {
    #[command(subcommand)]
    action: Option<DatagenAction>,
    #[command(flatten)]
    generate: Option<GenerateArgs>,
}

#[derive(Subcommand, Clone, Debug)]
enum DatagenAction {
    /// Show what files of games hold; fails when it cannot be sane self-play
    Stats {
        /// Files of games
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
}

/// How games are made.
#[derive(Args, Clone, Debug)]
#[command(group(ArgGroup::new("amount").args(["games", "positions", "minutes"]).required(true).multiple(true)))]
pub struct GenerateArgs {
    /// Where games go: thread N appends to NAME.tN.bin (or datagen.tN.bin in a folder)
    #[arg(long, value_name = "FILE_OR_FOLDER")]
    out: PathBuf,
    /// How many games are played at the same time
    #[arg(long, default_value_t = 1, value_parser = value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Nodes of a search after which no further iteration starts
    #[arg(long, default_value_t = 1000, value_parser = value_parser!(u64).range(1..))]
    nodes: u64,
    /// A search stops at so many times these nodes
    #[arg(long, default_value_t = 8, value_parser = value_parser!(u64).range(1..))]
    hard_factor: u64,
    /// Stop after so many new games
    #[arg(long, value_parser = value_parser!(u64).range(1..))]
    games: Option<u64>,
    /// Stop after so many new positions
    #[arg(long, value_parser = value_parser!(u64).range(1..))]
    positions: Option<u64>,
    /// Stop after so many minutes
    #[arg(long, value_parser = parse_minutes)]
    minutes: Option<f64>,
    /// Other seeds give other games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Evaluate with this network file instead of the built-in evaluation
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// Evaluate with the hand-written evaluation, to start without any network
    #[arg(long, conflicts_with = "network")]
    bootstrap: bool,
    /// Transposition table of each thread, in MiB
    #[arg(long, default_value_t = 8, value_parser = value_parser!(u64).range(1..=1024))]
    hash: u64,
}

/// Why no games were made or counted.
#[derive(Debug, Error)]
pub enum DatagenError {
    /// The files cannot be written.
    #[error(transparent)]
    Shard(#[from] ShardError),
    /// No memory.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The system gives no more threads.
    #[error("cannot start a thread: {0}")]
    Thread(io::Error),
    /// The figures cannot be written.
    #[error(transparent)]
    Output(#[from] io::Error),
    /// The network cannot be used.
    #[error(transparent)]
    Network(#[from] OpenError),
    /// A file cannot be read.
    #[error("{path}: {error}")]
    Stats {
        /// The file.
        path: PathBuf,
        /// Where and how it is damaged.
        error: GameError,
    },
    /// The games cannot be sane self-play.
    #[error("the data failed: {}", .0.join("; "))]
    Gates(Vec<String>),
}

/// Does what the arguments ask for.
pub fn run(args: &DatagenArgs) -> Result<(), DatagenError> {
    match (&args.action, &args.generate) {
        (Some(DatagenAction::Stats { files }), _) => show_stats(files),
        (None, Some(args)) => generate::generate(args),
        (None, None) => unreachable!("clap requires --out or a subcommand"),
    }
}

/// Prints the figures of every file, and of all together; an error if one is out of its limits.
fn parse_minutes(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(minutes) if minutes > 0.0 && f64::is_finite(minutes) => Ok(minutes),
        _ => Err("not a positive number".to_owned()),
    }
}

fn show_stats(files: &[PathBuf]) -> Result<(), DatagenError> {
    let mut failed = Vec::new();
    let mut total = Stats::default();
    for path in files {
        let error = |error: GameError| DatagenError::Stats { path: path.clone(), error };
        let stats = Stats::of_file(path).map_err(error)?;
        let hash = stats::content_hash(path).map_err(|e| error(e.into()))?;
        show(&format!("{} (FNV-1a {hash:016x})", path.display()), &stats, &mut failed)?;
        total.merge(&stats);
    }
    if files.len() > 1 {
        show("all files", &total, &mut failed)?;
    }
    if failed.is_empty() { Ok(()) } else { Err(DatagenError::Gates(failed)) }
}

fn show(name: &str, stats: &Stats, failed: &mut Vec<String>) -> io::Result<()> {
    write!(io::stdout(), "{name}\n{stats}")?;
    let gates = stats.gates().into_iter().filter(|gate| !gate.passes());
    failed.extend(gates.map(|gate| format!("{name}: {} is {:.3}", gate.name, gate.value)));
    Ok(())
}
