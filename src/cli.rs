//! The command line: one-shot commands, or the UCI loop when there is none.
//!
//! What a command finds goes to standard output, what goes wrong to standard error with exit
//! code 1 (2 for wrong arguments). When nobody reads the output any more, the program ends
//! quietly.

#![forbid(unsafe_code)]

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use clap::{Args, Parser, Subcommand, value_parser};
use thiserror::Error;

use crate::board::{Board, FenError};
use crate::eval::EvalSource;
use crate::eval::explain::explain;
use crate::tools::bench::{self, BenchError};
use crate::tools::datagen::genfens::{self, GenfensArgs, GenfensError};
use crate::tools::datagen::{self, DatagenArgs, DatagenError};
use crate::tools::epd;
use crate::tools::perft::{self, Perft, SuiteLine};
use crate::tools::tune::LabError;
use crate::tools::tune::selfplay::{self, SelfplayArgs};
use crate::tools::tune::tuning::{self, TuneArgs};
use crate::tools::wdl_fit::{self, WdlFitArgs, WdlFitError};
use crate::tt::TableError;
use crate::types::MAX_PLY;
use crate::{uci, version};

/// A UCI chess engine. Without a command it speaks UCI on standard input and output.
#[derive(Parser)]
#[command(version = version::NUMBER, long_version = version::describe(), about)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Count the leaves of the move tree, or check a suite of known counts
    Perft(PerftArguments),
    /// Search a fixed set of positions; the last line gives nodes and nodes per second
    Bench(BenchArguments),
    /// Show the evaluation of a position
    Eval {
        /// The position; the start position if absent
        #[arg(long)]
        fen: Option<String>,
    },
    Datagen(DatagenArgs),
    Genfens(GenfensArgs),
    Selfplay(SelfplayArgs),
    Tune(TuneArgs),
    WdlFit(WdlFitArgs),
}

#[derive(Args)]
struct PerftArguments {
    /// Plies to count
    #[arg(required_unless_present = "suite", value_parser = value_parser!(u32).range(0..=MAX_PLY as i64))]
    depth: Option<u32>,
    /// The position; the start position if absent
    #[arg(long, conflicts_with = "suite")]
    fen: Option<String>,
    /// Show the count of each move
    #[arg(long, conflicts_with = "suite")]
    divide: bool,
    /// Write castling as the king taking its rook
    #[arg(long, conflicts_with = "suite")]
    chess960: bool,
    /// Threads to count with
    #[arg(long, default_value_t = 1, value_parser = value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Size of the table of counts, in MiB; 0 counts every leaf
    #[arg(long, value_name = "MB", default_value_t = 0, value_parser = value_parser!(u32).range(..=1 << 20))]
    hash: u32,
    /// Check every line `FEN ;D1 n ;D2 n …` of a file
    #[arg(long, value_name = "FILE", conflicts_with = "depth")]
    suite: Option<PathBuf>,
    /// Check the deepest count of each line that is not above this number
    #[arg(long, value_name = "N", requires = "suite", default_value_t = u64::MAX)]
    max_nodes: u64,
}

#[derive(Args)]
struct BenchArguments {
    /// Plies to search
    #[arg(long, conflicts_with = "epd", default_value_t = bench::DEPTH, value_parser = value_parser!(u32).range(1..=MAX_PLY as i64))]
    depth: u32,
    /// Search threads; with more than one the nodes differ from run to run
    #[arg(long, default_value_t = 1, value_parser = value_parser!(u16).range(1..=1024))]
    threads: u16,
    /// Size of the transposition table, in MiB
    #[arg(long, value_name = "MB", default_value_t = bench::HASH_MB as u32, value_parser = value_parser!(u32).range(1..))]
    hash: u32,
    /// Search the positions of a file with `bm` or `am` moves and count those solved
    #[arg(long, value_name = "FILE", requires = "nodes")]
    epd: Option<PathBuf>,
    /// Nodes for each position of the file
    #[arg(long, requires = "epd", value_parser = value_parser!(u64).range(1..))]
    nodes: Option<u64>,
}

/// Why a command failed.
#[derive(Debug, Error)]
enum CliError {
    #[error("{path}: {error}")]
    File { path: PathBuf, error: io::Error },
    #[error(transparent)]
    Output(#[from] io::Error),
    #[error(transparent)]
    Table(#[from] TableError),
    #[error(transparent)]
    Fen(#[from] FenError),
    #[error(transparent)]
    Bench(#[from] BenchError),
    #[error(transparent)]
    Datagen(#[from] DatagenError),
    #[error(transparent)]
    Genfens(#[from] GenfensError),
    #[error(transparent)]
    Lab(#[from] LabError),
    #[error(transparent)]
    WdlFit(#[from] WdlFitError),
    #[error("{path}, line {line}: this is not `FEN ;D1 n ;D2 n …`")]
    SuiteLine { path: PathBuf, line: usize },
    #[error("{path}, line {line}: {error}")]
    SuiteFen { path: PathBuf, line: usize, error: FenError },
    #[error("{0}: there is nothing to check in it")]
    NothingChecked(PathBuf),
    #[error("{0} of the counts are wrong")]
    WrongCounts(usize),
}

/// Does what the arguments of the program ask for.
pub fn run() -> ExitCode {
    let result = match Arguments::parse_from(split_genfens(env::args_os())).command {
        None => uci::run(io::stdin(), io::stdout()).map_err(CliError::from),
        Some(Command::Perft(arguments)) => perft(&arguments),
        Some(Command::Bench(arguments)) => bench(&arguments),
        Some(Command::Eval { fen }) => eval(fen.as_deref()),
        Some(Command::Datagen(arguments)) => datagen::run(&arguments).map_err(CliError::from),
        Some(Command::Genfens(arguments)) => genfens::run(&arguments).map_err(CliError::from),
        Some(Command::Selfplay(arguments)) => print_lab(selfplay::run(&arguments)),
        Some(Command::Tune(arguments)) => print_lab(tuning::run(&arguments)),
        Some(Command::WdlFit(arguments)) => wdl_fit::run(&arguments)
            .map_err(CliError::from)
            .and_then(|text| Ok(writeln!(io::stdout(), "{text}")?)),
    };
    match result {
        Err(
            CliError::Output(error)
            | CliError::Datagen(DatagenError::Output(error))
            | CliError::Genfens(GenfensError::Output(error)),
        ) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            // Nothing can be done if nobody reads this either.
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
        Ok(()) => ExitCode::SUCCESS,
    }
}

/// OpenBench gives `genfens` and all that belongs to it as one argument.
fn split_genfens(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let split = |argument: OsString| match argument.to_str() {
        Some(text) if text.starts_with("genfens ") => text.split_whitespace().map(OsString::from).collect(),
        _ => vec![argument],
    };
    arguments.flat_map(split).collect()
}

fn read(path: &Path) -> Result<String, CliError> {
    // Lossy: comments in old suites are not always UTF-8.
    let bytes = fs::read(path).map_err(|error| CliError::File { path: path.to_path_buf(), error })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn board(fen: Option<&str>) -> Result<Board, FenError> {
    fen.map_or_else(|| Ok(Board::startpos()), Board::from_fen)
}

fn perft(arguments: &PerftArguments) -> Result<(), CliError> {
    let stop = AtomicBool::new(false);
    let perft = Perft::new(arguments.threads.into(), arguments.hash as usize, &stop)?;
    if let Some(path) = &arguments.suite {
        return perft_suite(&perft, path, arguments.max_nodes);
    }
    let mut board = board(arguments.fen.as_deref())?;
    board.set_chess960(arguments.chess960 || board.is_chess960());
    let depth = arguments.depth.unwrap_or(1);
    let start = Instant::now();
    let report = if arguments.divide {
        perft.report(board.position(), depth)
    } else {
        perft.count(board.position(), depth).map(perft::sum_line)
    };
    // Nobody sets the flag that ends it early.
    writeln!(io::stdout(), "{}", report.unwrap_or_default().trim_start())?;
    Ok(writeln!(io::stdout(), "Time: {:.3} s", start.elapsed().as_secs_f64())?)
}

fn perft_suite(perft: &Perft, path: &Path, max_nodes: u64) -> Result<(), CliError> {
    let text = read(path)?;
    let (mut counts, mut nodes, mut wrong) = (0, 0, 0);
    for (number, line) in epd::lines(&text) {
        let path = || path.to_path_buf();
        let known =
            SuiteLine::parse(line).ok_or_else(|| CliError::SuiteLine { path: path(), line: number })?;
        let board = Board::from_fen(&known.fen).map_err(|error| CliError::SuiteFen {
            path: path(),
            line: number,
            error,
        })?;
        let Some((depth, count)) = known.deepest(max_nodes) else { continue };
        let found = perft.count(board.position(), depth).unwrap_or_default();
        if found != count {
            wrong += 1;
            writeln!(
                io::stdout(),
                "line {number}: depth {depth} has {found} leaves, not {count}: {}",
                known.fen
            )?;
        }
        counts += 1;
        nodes += found;
    }
    writeln!(io::stdout(), "{}: {counts} counts, {wrong} wrong, {nodes} nodes", path.display())?;
    match (counts, wrong) {
        (0, _) => Err(CliError::NothingChecked(path.to_path_buf())),
        (_, 0) => Ok(()),
        _ => Err(CliError::WrongCounts(wrong)),
    }
}

fn bench(arguments: &BenchArguments) -> Result<(), CliError> {
    let (threads, hash_mb) = (usize::from(arguments.threads), arguments.hash as usize);
    let total = match (&arguments.epd, arguments.nodes) {
        (Some(path), Some(nodes)) => {
            let tell = |number, answer: &str, solved| {
                let verdict = if solved { "solved" } else { "missed" };
                // A closed output is noticed at the last line; the searches before it are short.
                let _ = writeln!(io::stdout(), "line {number}: {answer} {verdict}");
            };
            let total = bench::run_suite(&read(path)?, nodes, threads, hash_mb, tell)?;
            if total.positions == 0 {
                return Err(CliError::NothingChecked(path.clone()));
            }
            writeln!(io::stdout(), "{} of {} solved", total.solved, total.positions)?;
            total
        }
        // Nobody sets the flag that ends it early.
        _ => bench::run(arguments.depth, threads, hash_mb, &AtomicBool::new(false))?.unwrap_or_default(),
    };
    Ok(writeln!(io::stdout(), "{}", total.summary())?)
}

fn eval(fen: Option<&str>) -> Result<(), CliError> {
    let board = board(fen)?;
    Ok(writeln!(io::stdout(), "{}", explain(&board, &EvalSource::default()))?)
}

fn print_lab(report: Result<String, LabError>) -> Result<(), CliError> {
    Ok(writeln!(io::stdout(), "{}", report?)?)
}
