//! The UCI protocol (S. Meyer-Kahlen and R. Huber, "UCI protocol", April 2006).
//!
//! One thread reads lines, this one obeys them, the search threads report to the one writer.
//! No command waits for a search before it has told it to stop, so `stop`, `isready`, `ponderhit`
//! and `quit` are obeyed at once. Perft and bench run on a thread of their own; the commands
//! behind them, other than `stop` and `isready`, wait for their turn. What a command during a
//! search does is said in [`crate::engine`].
//!
//! The end of the input is `quit`: a running search is cut short, its best move is still sent.

#![forbid(unsafe_code)]

mod command;
pub mod options;
mod output;
mod parse;

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Instant;

pub use command::Command;
pub use output::Output;
pub use parse::{Parsed, parse};

use crate::board::{Board, FenError, NotationError};
use crate::engine::{Options, Session};
use crate::search::{Limits, Sink};
use crate::tools::{bench, perft};
use crate::tt::TableError;
use crate::version;

/// A longer line is cut into lines of this many bytes: nobody needs it, and memory is finite.
const LONGEST_LINE: u64 = 16 << 20;
/// Lines that are read ahead before the reader waits.
const LINES_AHEAD: usize = 1024;

/// What wakes the UCI thread.
enum Event {
    /// A line of the input, and when it came.
    Line(Vec<u8>, Instant),
    InputEnd,
    OutputClosed,
    JobDone,
}

/// Why a `position` command was refused.
#[derive(Debug, thiserror::Error)]
enum PositionError {
    #[error(transparent)]
    Fen(#[from] FenError),
    #[error("move {number} of the list: {reason}")]
    Move { number: usize, reason: NotationError },
    #[error("move {0} of the list: nobody may pass in check")]
    NullInCheck(usize),
}

struct Uci {
    session: Session,
    output: Arc<Output>,
    events: Receiver<Event>,
    sender: SyncSender<Event>,
    /// The stop flag of a running perft or bench. Relaxed: no data goes with it, and a job that
    /// sees it late ends late.
    job: Option<Arc<AtomicBool>>,
    /// Commands that wait for its end.
    waiting: VecDeque<Command>,
    debug: bool,
}

/// Obeys `input` until `quit`, or until it or the output ends.
///
/// ```
/// longan::uci::run(&b"position startpos moves e2e4\ngo nodes 100\nquit\n"[..], std::io::sink())?;
/// # Ok::<(), longan::tt::TableError>(())
/// ```
///
/// # Errors
/// When there is no memory for the smallest useful transposition table.
pub fn run(input: impl Read + Send + 'static, output: impl Write + Send + 'static) -> Result<(), TableError> {
    let (sender, events) = sync_channel(LINES_AHEAD);
    let on_close = {
        let sender = sender.clone();
        // If the channel is full the UCI thread is awake, and sees that the output is closed.
        move || drop(sender.try_send(Event::OutputClosed))
    };
    let output = Arc::new(Output::new(Box::new(output), Box::new(on_close)));
    let session = Session::new(Options::DEFAULT)?;
    let lines = sender.clone();
    // Never joined: it may wait for input for ever.
    thread::spawn(move || read_lines(input, &lines));
    let mut uci = Uci { session, output, events, sender, waiting: VecDeque::new(), job: None, debug: false };
    uci.obey_all();
    uci.session.finish();
    Ok(())
}

fn read_lines(input: impl Read, events: &SyncSender<Event>) {
    let mut input = BufReader::new(input);
    loop {
        let mut line = Vec::new();
        match input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line) {
            Ok(length) if length > 0 => {
                if events.send(Event::Line(line, Instant::now())).is_err() {
                    return;
                }
            }
            _ => {
                // An error here means that nobody listens any more.
                let _ = events.send(Event::InputEnd);
                return;
            }
        }
    }
}

impl Uci {
    fn obey_all(&mut self) {
        while let Some(command) = self.next_command() {
            if command == Command::Quit || self.output.is_closed() {
                break;
            }
            self.obey(command);
            if let Err(error) = self.session.settle() {
                self.output.error(error);
            }
        }
    }

    /// The next command whose turn it is; `None` if the output is closed.
    fn next_command(&mut self) -> Option<Command> {
        loop {
            if self.job.is_none()
                && let Some(mut command) = self.waiting.pop_front()
            {
                // The clock of a search that had to wait for a perft or bench starts with the search.
                if let Command::Go { limits, .. } = &mut command {
                    limits.since = Some(Instant::now());
                }
                return Some(command);
            }
            let command = match self.events.recv().ok()? {
                Event::OutputClosed => return None,
                Event::InputEnd => Command::Quit,
                Event::JobDone => {
                    self.job = None;
                    continue;
                }
                Event::Line(line, came) => match self.read(&line, came) {
                    Some(command) => command,
                    None => continue,
                },
            };
            let Some(stop) = &self.job else { return Some(command) };
            match command {
                Command::IsReady => return Some(command),
                // It also keeps its place, for it may be meant for a search that waits.
                Command::Stop => stop.store(true, Relaxed),
                _ => {}
            }
            self.waiting.push_back(command);
        }
    }

    fn read(&self, line: &[u8], came: Instant) -> Option<Command> {
        self.output.log('<', &String::from_utf8_lossy(line));
        let Parsed { mut command, notes } = parse(line);
        if let Some(Command::Go { limits, .. }) = &mut command {
            limits.since = Some(came);
        }
        if self.debug {
            self.output.info(&format!("debug: read {command:?}"));
        }
        notes.iter().for_each(|note| self.output.error(note));
        command
    }

    fn obey(&mut self, command: Command) {
        match command {
            Command::Uci => self.introduce(),
            Command::Debug(on) => {
                self.debug = on;
                self.session.configure(|options| options.search.verbose = on);
            }
            Command::IsReady => self.output.line(&parse::ready_ok()),
            Command::Register | Command::Quit => {}
            Command::UciNewGame => self.session.new_game(),
            Command::Stop => self.session.stop(),
            Command::PonderHit => self.session.ponderhit(),
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref()),
            Command::Position { fen, moves } => match set_up(fen.as_deref(), &moves) {
                Ok(board) => self.session.set_position(board),
                Err(error) => self.output.error(error),
            },
            Command::Go { limits, search_moves } => self.go(limits, &search_moves),
            Command::Perft { depth } => self.perft(depth),
            Command::Display => {
                let tablebases = self.session.options().search.syzygy.tables.as_deref();
                self.output.line(&output::diagram(self.session.board(), tablebases));
            }
            Command::Eval => self.eval(),
            Command::Bench => self.bench(),
        }
    }
}

impl Uci {
    fn introduce(&self) {
        for line in parse::identity(version::NAME, "the Longan authors") {
            self.output.line(&line);
        }
        for entry in options::TABLE {
            self.output.line(&parse::option(entry));
        }
        self.output.line(&parse::uci_ok());
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) {
        match options::set(&mut self.session, &self.output, name, value) {
            Ok(notes) => notes.iter().for_each(|note| self.output.info(note)),
            Err(error) => self.output.error(error),
        }
    }

    fn go(&mut self, mut limits: Limits, search_moves: &[String]) {
        for text in search_moves {
            match self.session.board().parse_uci(text) {
                Ok(mv) => limits.search_moves.push(mv),
                Err(error) => self.output.error(format!("searchmoves: {error}")),
            }
        }
        if let Err(error) = self.session.go(limits, self.sink()) {
            self.output.error(error);
        }
    }

    /// Writes the reports of the search that is about to start.
    fn sink(&self) -> Sink {
        let output = Arc::clone(&self.output);
        let position = *self.session.board().position();
        let show_wdl = self.session.options().show_wdl;
        Arc::new(move |report| output.line(&output::report(&report, &position, show_wdl)))
    }

    fn eval(&self) {
        self.output.line(&self.session.explain().to_string());
    }

    fn perft(&mut self, depth: u32) {
        let position = *self.session.board().position();
        self.start_job(move |output, stop| match perft::Perft::simple(stop).report(&position, depth) {
            Some(report) => output.line(&report),
            None => output.info("perft was stopped"),
        });
    }

    fn bench(&mut self) {
        self.start_job(|output, stop| match bench::run(bench::DEPTH, 1, bench::HASH_MB, stop) {
            Ok(Some(total)) => output.line(&total.summary()),
            Ok(None) => output.info("bench was stopped"),
            Err(error) => output.error(error),
        });
    }

    /// Runs a command that takes long on a thread of its own, as soon as no search runs.
    fn start_job(&mut self, job: impl FnOnce(&Output, &AtomicBool) + Send + 'static) {
        self.session.finish();
        // One `stop` ends all jobs before it.
        let stop = Arc::new(AtomicBool::new(self.waiting.contains(&Command::Stop)));
        self.job = Some(Arc::clone(&stop));
        let (output, sender) = (Arc::clone(&self.output), self.sender.clone());
        let started = thread::Builder::new().spawn(move || {
            job(&output, &stop);
            // An error here means that the program ends.
            let _ = sender.send(Event::JobDone);
        });
        if let Err(error) = started {
            self.job = None;
            self.output.error(format!("cannot start a thread: {error}"));
        }
    }
}

/// The board after the moves of a `position` command. `0000` is a null move.
fn set_up(fen: Option<&str>, moves: &[String]) -> Result<Board, PositionError> {
    let mut board = match fen {
        Some(fen) => Board::from_fen(fen)?,
        None => Board::startpos(),
    };
    for (index, text) in moves.iter().enumerate() {
        let number = index + 1;
        if text == "0000" {
            if board.in_check() {
                return Err(PositionError::NullInCheck(number));
            }
            board.make_null();
        } else {
            let mv = board.parse_uci(text).map_err(|reason| PositionError::Move { number, reason })?;
            board.make(mv);
        }
    }
    Ok(board)
}
