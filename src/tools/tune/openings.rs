//! Where games begin: the lines of a book in a random order, or random moves.

#![forbid(unsafe_code)]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::board::{Board, FenError};
use crate::rng::Rng;
use crate::tools::datagen::opening::balanced_opening;
use crate::tools::epd;
use crate::tools::searcher::Searcher;

/// Streams of random numbers: to shuffle a book, and for random moves.
const SHUFFLE: u64 = 0;
const MOVES: u64 = 1;

/// An endless supply of openings, each with a number.
#[derive(Clone, Debug)]
pub enum Openings {
    /// The lines of a book, again from the first when they are used up.
    Book(Vec<Board>),
    /// Random moves of this seed that leave both sides a game.
    Random(u64),
}

/// Why a book cannot be used.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum BookError {
    #[error("{path}: {error}")]
    File { path: PathBuf, error: io::Error },
    #[error("{path}, line {line}: {reason}")]
    Line { path: PathBuf, line: usize, reason: LineError },
    #[error("{path} has no openings")]
    Empty { path: PathBuf },
}

/// What is wrong with a line.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum LineError {
    #[error(transparent)]
    Fen(#[from] FenError),
    #[error("the game is over in this position")]
    GameOver,
}

impl Openings {
    /// Reads a book of FEN or EPD lines; empty lines and those that begin with `#` are left out.
    /// The seed shuffles it.
    ///
    /// # Errors
    /// When the file cannot be read, a line is no position to play from, or there is none.
    pub fn read(path: &Path, seed: u64) -> Result<Self, BookError> {
        // Comments in old books are not always UTF-8.
        let bytes = fs::read(path).map_err(|error| BookError::File { path: path.into(), error })?;
        let text = String::from_utf8_lossy(&bytes);
        let mut boards = Vec::new();
        for (number, line) in epd::lines(&text) {
            let error = |reason| BookError::Line { path: path.into(), line: number, reason };
            boards.push(parse_line(line).map_err(error)?);
        }
        if boards.is_empty() {
            return Err(BookError::Empty { path: path.into() });
        }
        shuffle(&mut boards, &mut Rng::stream(seed, SHUFFLE, 0));
        Ok(Self::Book(boards))
    }

    /// The opening of a number. `checker` forgets what it knows and looks whether random moves
    /// left both sides a game.
    pub fn get(&self, number: u64, checker: &mut Searcher) -> Board {
        match self {
            Self::Book(boards) => boards[(number % boards.len() as u64) as usize].clone(),
            Self::Random(seed) => {
                checker.clear();
                balanced_opening(&mut Rng::stream(*seed, MOVES, number), checker)
            }
        }
    }
}

/// The position of a line, if a game can begin there.
fn parse_line(line: &str) -> Result<Board, LineError> {
    let (board, _) = epd::read(line)?;
    if board.outcome().is_some() { Err(LineError::GameOver) } else { Ok(board) }
}

/// Every order is equally likely (R. Fisher and F. Yates; R. Durstenfeld, "Random permutation",
/// 1964).
fn shuffle<T>(items: &mut [T], rng: &mut Rng) {
    for last in (1..items.len()).rev() {
        items.swap(last, rng.below(last + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

    /// Reads a book with this text.
    fn read(name: &str, text: &str, seed: u64) -> Result<Vec<Board>, String> {
        let path = std::env::temp_dir().join(format!("longan-{}-{name}.epd", std::process::id()));
        fs::write(&path, text).unwrap();
        let openings = Openings::read(&path, seed);
        fs::remove_file(&path).unwrap();
        match openings.map_err(|error| error.to_string().replace(path.to_str().unwrap(), "BOOK"))? {
            Openings::Book(boards) => Ok(boards),
            Openings::Random(_) => panic!("a book was read"),
        }
    }

    #[test]
    fn bad_books_are_named_with_line_and_reason() {
        let error = |name, text: &str| read(name, text, 1).unwrap_err();
        let bad_rank = error(
            "rank",
            &format!("# head\n\n{START}\nrnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -"),
        );
        assert!(bad_rank.starts_with("BOOK, line 4: ") && bad_rank.len() > 20, "{bad_rank}");
        assert!(error("words", "these are only words").starts_with("BOOK, line 1: "));
        let mated = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
        assert_eq!(error("mated", mated), "BOOK, line 1: the game is over in this position");
        assert_eq!(
            error("dead", "4k3/8/8/8/8/8/8/4K3 w - -"),
            "BOOK, line 1: the game is over in this position"
        );
        assert_eq!(error("empty", "# nothing\n\n"), "BOOK has no openings");
        let missing = Openings::read(Path::new("/no/such/book.epd"), 1).unwrap_err().to_string();
        assert!(missing.starts_with("/no/such/book.epd: "), "{missing}");
    }

    #[test]
    fn the_seed_decides_the_order() {
        let text: String = (1..=50).map(|fullmove| format!("{START} 0 {fullmove}\n")).collect();
        let order = |seed| -> Vec<u32> {
            read(&format!("order{seed}"), &text, seed).unwrap().iter().map(|board| board.fullmove()).collect()
        };
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
        assert_eq!(order(1).into_iter().collect::<HashSet<_>>().len(), 50);
    }
}
