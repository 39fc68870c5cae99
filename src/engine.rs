//! A chess engine without a protocol: a board, the options and the search threads.
//!
//! [`Session`] is what a user interface drives. It knows no text but gives answers as plain
//! data through the sink of each search. Every `go` leads to exactly one `BestMove` report.
//!
//! Orders that arrive while a search runs: a position is set at once, but the running search
//! keeps its own; options and [`Session::new_game`] take effect when the search is over; a
//! second `go` stops the first, which still answers before the second starts.

#![forbid(unsafe_code)]

use std::hash::{BuildHasher, RandomState};

use crate::board::Board;
use crate::book::Book;
use crate::eval::EvalSource;
use crate::eval::explain::{Explanation, explain};
use crate::rng::Rng;
use crate::search::strength::{ELO, FULL_SKILL};
use crate::search::{Limits, Pool, Report, SearchSettings, Sink, Strength, ThreadError};
use crate::tt::TableError;
use crate::types::Move;

/// What the user chose.
#[derive(Clone)]
pub struct Options {
    /// Size of the transposition table in MiB, at least 1.
    pub hash_mb: usize,
    /// Number of search threads, at least 1.
    pub threads: usize,
    /// Whether castling is always written as the king taking its rook.
    pub chess960: bool,
    /// Whether the chances to win, draw and lose are shown with each score.
    pub show_wdl: bool,
    /// Whether every search is an analysis, in which nothing is played from a book.
    pub analyse: bool,
    /// Whether moves of the book are played.
    pub own_book: bool,
    /// Whether to play as well as `elo` says.
    pub limit_strength: bool,
    /// The rating to play at, in Elo.
    pub elo: i32,
    /// The level to play at, if the rating does not say it, up to [`FULL_SKILL`].
    pub skill: i32,
    /// What every search is told; its strength follows from the fields before.
    pub search: SearchSettings,
}

impl Options {
    /// What holds until the user chooses.
    pub const DEFAULT: Self = Self {
        hash_mb: 16,
        threads: 1,
        chess960: false,
        show_wdl: false,
        analyse: false,
        own_book: false,
        limit_strength: false,
        elo: *ELO.end(),
        skill: FULL_SKILL,
        search: SearchSettings::DEFAULT,
    };
}

/// What the machine does not give. The session goes on with what it has.
#[derive(Debug, thiserror::Error)]
pub enum MachineError {
    /// The transposition table has its old size.
    #[error(transparent)]
    Table(#[from] TableError),
    /// Fewer threads search.
    #[error(transparent)]
    Threads(#[from] ThreadError),
}

/// The board, the options and the search threads.
///
/// ```
/// use std::sync::mpsc::channel;
///
/// use longan::board::Board;
/// use longan::engine::{Options, Session};
/// use longan::search::{Limits, Report};
///
/// let mut session = Session::new(Options::DEFAULT)?;
/// session.set_position(Board::from_fen("7k/5K2/8/8/8/8/8/6R1 w - - 0 1")?);
/// let (sender, reports) = channel();
/// session.go(Limits::depth(4), std::sync::Arc::new(move |report| drop(sender.send(report))))?;
/// let best = reports.iter().find_map(|report| match report {
///     Report::BestMove { best, .. } => best,
///     _ => None,
/// });
/// assert_eq!(session.board().uci(best.expect("there are moves")), "g1h1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Session {
    board: Board,
    options: Options,
    pool: Pool,
    /// Whether all that was learnt must be forgotten before the next search.
    forget: bool,
    /// The evaluation of the searches.
    eval: EvalSource,
    /// Whether the search threads still evaluate by another.
    eval_changed: bool,
    book: Option<Book>,
    /// Chooses moves of the book and of weaker players.
    rng: Rng,
}

impl Session {
    /// A session in the start position.
    ///
    /// # Errors
    /// When the transposition table cannot be allocated.
    pub fn new(options: Options) -> Result<Self, TableError> {
        let pool = Pool::new(options.threads, options.hash_mb)?;
        Ok(Self {
            board: Board::startpos(),
            options,
            pool,
            forget: false,
            eval: EvalSource::default(),
            eval_changed: false,
            book: None,
            rng: Rng::stream(RandomState::new().hash_one(0), 0, 0),
        })
    }

    /// The board as it was set last.
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The options as they were chosen last.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Sets the position that the next search starts from.
    pub fn set_position(&mut self, board: Board) {
        self.board = board;
        self.board.set_chess960(self.board.is_chess960() || self.options.chess960);
    }

    /// Changes options; [`Session::settle`] brings them into force.
    pub fn configure(&mut self, change: impl FnOnce(&mut Options)) {
        change(&mut self.options);
    }

    /// Evaluates by `eval` as soon as no search runs. What was learnt is forgotten with it,
    /// for the table holds scores of the old evaluation.
    pub fn set_eval(&mut self, eval: EvalSource) {
        self.eval = eval;
        self.eval_changed = true;
        self.forget = true;
    }

    /// Plays by another book from now on, or by none.
    pub fn set_book(&mut self, book: Option<Book>) {
        self.book = book;
    }

    /// The static evaluation of the board, and how it comes about, by the evaluation that was set last.
    pub fn explain(&self) -> Explanation {
        explain(&self.board, &self.eval)
    }

    /// Forgets what earlier searches learnt, as soon as no search runs.
    pub fn new_game(&mut self) {
        self.forget = true;
    }

    /// Gives the search threads what the options ask for, unless a search runs; then a later
    /// call does it, at the latest the one in [`Session::go`].
    ///
    /// # Errors
    /// When there is no memory for the table or are not so many threads: the option becomes what
    /// there is.
    pub fn settle(&mut self) -> Result<(), MachineError> {
        if self.pool.is_searching() {
            return Ok(());
        }
        let mut threads = Ok(());
        if self.options.threads != self.pool.shared().threads() {
            threads = self.pool.set_threads(self.options.threads);
            self.options.threads = self.pool.shared().threads();
        }
        if std::mem::take(&mut self.eval_changed) {
            self.pool.set_eval(self.eval.clone());
        }
        if std::mem::take(&mut self.forget) {
            self.pool.clear();
        }
        let mut table = Ok(());
        if self.options.hash_mb != self.pool.shared().table.megabytes() {
            table = self.pool.set_hash(self.options.hash_mb);
            self.options.hash_mb = self.pool.shared().table.megabytes();
        }
        table.map_err(MachineError::from).and(threads.map_err(MachineError::from))
    }

    /// Starts a search and returns at once; a search that still runs is stopped first and has
    /// answered before this one starts. The last report to `sink` is the best move.
    ///
    /// # Errors
    /// As [`Session::settle`]; the search has started nevertheless.
    pub fn go(&mut self, limits: Limits, sink: Sink) -> Result<(), MachineError> {
        self.finish();
        let settled = self.settle();
        if let Some(best) = self.book_move(&limits) {
            sink(Report::Note("this move is from the book".to_string()));
            sink(Report::BestMove { best: Some(best), ponder: None });
            return settled;
        }
        let settings = SearchSettings { strength: self.strength(&limits), ..self.options.search.clone() };
        self.pool.go(self.board.clone(), limits, settings, sink);
        settled
    }

    /// The move that the book has, if a game is played.
    fn book_move(&mut self, limits: &Limits) -> Option<Move> {
        let game = !limits.waits()
            && limits.mate.is_none()
            && limits.search_moves.is_empty()
            && self.options.search.multi_pv == 1
            && !self.options.analyse;
        if !game || !self.options.own_book {
            return None;
        }
        self.book.as_ref()?.choose(&self.board, &mut self.rng)
    }

    /// How weak to play, if a game is played.
    fn strength(&mut self, limits: &Limits) -> Option<Strength> {
        let elo = match (self.options.limit_strength, self.options.skill) {
            (true, _) => self.options.elo,
            (false, FULL_SKILL..) => return None,
            (false, skill) => Strength::elo_of_skill(skill),
        };
        let game = !limits.infinite && limits.mate.is_none() && !self.options.analyse;
        game.then(|| Strength::of_elo(elo, self.rng.bits()))
    }

    /// Tells the running search to answer now. Without one, nothing happens.
    pub fn stop(&self) {
        self.pool.stop();
    }

    /// Tells the running search that the move it ponders on was played.
    pub fn ponderhit(&self) {
        self.pool.ponderhit();
    }

    /// Stops the running search and waits until it has answered.
    pub fn finish(&mut self) {
        self.pool.stop();
        self.pool.wait();
    }
}
