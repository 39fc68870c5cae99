//! Openings for the worker network OpenBench, which asks for them with one argument:
//! `longan "genfens N seed S book BOOK" "quit"` (A. Grant, "Data Generation Workloads", wiki of
//! OpenBench). `BOOK` is a file of FEN or EPD lines to start from, or `None`.
//!
//! The same seed gives the same openings, whatever the machine.

#![forbid(unsafe_code)]

use std::io::{self, Write};
use std::path::Path;

use clap::Args;
use thiserror::Error;

use super::opening::{balanced_opening, try_after};
use crate::board::Board;
use crate::eval::EvalSource;
use crate::rng::Rng;
use crate::tools::searcher::Searcher;
use crate::tools::tune::openings::{BookError, Openings};
use crate::tt::TableError;

/// Table of the search that checks openings, in MiB.
const HASH_MB: usize = 8;
/// So many lines of a book are tried for one opening.
const MAX_TRIES: usize = 1000;

/// Print random openings, as the worker network OpenBench asks for them
#[derive(Args, Clone, Debug)]
#[command(override_usage = "longan genfens N seed S book <None|FILE>")]
pub struct GenfensArgs {
    /// How many, `seed` and a number, `book` and a file of FEN or EPD lines or `None`
    #[arg(required = true, allow_hyphen_values = true, trailing_var_arg = true)]
    words: Vec<String>,
}

/// Why there are no openings.
#[derive(Debug, Error)]
pub enum GenfensError {
    /// The arguments do not have the wanted form.
    #[error("this is not `genfens N seed S book <None|FILE>`: {0}")]
    Usage(String),
    /// The book cannot be used.
    #[error(transparent)]
    Book(#[from] BookError),
    /// No memory.
    #[error(transparent)]
    Table(#[from] TableError),
    /// Random moves from the book always lose or end the game.
    #[error("{MAX_TRIES} tries from lines of the book gave no opening that leaves both sides a game")]
    Unbalanced,
    /// The openings cannot be written.
    #[error(transparent)]
    Output(#[from] io::Error),
}

/// Prints the openings that the arguments ask for, each as `info string genfens FEN`.
///
/// # Errors
/// When the arguments or the book are no good, or nobody reads.
pub fn run(args: &GenfensArgs) -> Result<(), GenfensError> {
    let (count, seed, book) =
        parse(&args.words).ok_or_else(|| GenfensError::Usage(format!("genfens {}", args.words.join(" "))))?;
    let lines = match book {
        None => None,
        Some(path) => Some(Openings::read(Path::new(path), seed)?),
    };
    let mut checker = Searcher::new(HASH_MB, EvalSource::default())?;
    for number in 0..count {
        // What the checker learnt would make an opening depend on those before it.
        checker.clear();
        let mut rng = Rng::stream(seed, 0, number);
        let board = match &lines {
            Some(lines) => after_book(lines, &mut rng, &mut checker)?,
            None => balanced_opening(&mut rng, &mut checker),
        };
        writeln!(io::stdout(), "info string genfens {}", board.fen())?;
    }
    Ok(())
}

/// Count, seed and book, if the words have the wanted form. What OpenBench sends behind them, words
/// of a test's own and `quit`, means nothing here.
fn parse(words: &[String]) -> Option<(u64, u64, Option<&str>)> {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match &words[..] {
        [count, "seed", seed, "book", book, ..] => {
            let book = (!book.eq_ignore_ascii_case("none")).then_some(*book);
            Some((count.parse().ok()?, seed.parse().ok()?, book))
        }
        _ => None,
    }
}

/// An opening after a random line of the book.
fn after_book(book: &Openings, rng: &mut Rng, checker: &mut Searcher) -> Result<Board, GenfensError> {
    (0..MAX_TRIES)
        .find_map(|_| {
            let line = book.get(rng.bits(), checker);
            try_after(&line, rng, checker)
        })
        .ok_or(GenfensError::Unbalanced)
}
