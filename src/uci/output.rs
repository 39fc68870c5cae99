//! Everything that leaves the engine: one writer owns standard output, and each line is
//! flushed, because GUIs read from a pipe. Search reports become `info` and `bestmove` lines
//! here.
//!
//! Everything that is read and written can be kept in a log file.
//!
//! Invariant: lines of different threads never mix, and a closed pipe is no panic but an event.

#![forbid(unsafe_code)]

use std::fmt::Write as _;
use std::fs::{File as LogFile, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use super::parse;
use crate::board::Position;
use crate::eval::wdl::{MODEL, SHOWN_LIMIT, material};
use crate::files;
use crate::search::{Line, Report};
use crate::tablebase::{Tablebases, Wdl};
use crate::tt::Bound;
use crate::types::{
    Color, File, MAX_PLY, Move, Rank, Score, Square, TB_WIN, is_decisive, is_mate, mate_distance,
};

/// The only way to standard output.
pub struct Output {
    writer: Mutex<Box<dyn Write + Send>>,
    /// Relaxed: nothing is read on its account, and who sees it late writes a line to nobody.
    closed: AtomicBool,
    on_close: Box<dyn Fn() + Send + Sync>,
    log: Mutex<Option<LogFile>>,
}

impl Output {
    /// Takes over a stream. `on_close` is called when nobody reads it any more.
    pub fn new(writer: Box<dyn Write + Send>, on_close: Box<dyn Fn() + Send + Sync>) -> Self {
        Self { writer: Mutex::new(writer), closed: AtomicBool::new(false), on_close, log: Mutex::new(None) }
    }

    /// Sends a line, or several with line ends between them, and flushes.
    pub fn line(&self, text: &str) {
        self.log('>', text);
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        // One write for text and line end: nobody who reads a pipe sees half a line.
        let sent = writer.write_all(format!("{text}\n").as_bytes()).and_then(|()| writer.flush());
        if sent.is_err() && !self.closed.swap(true, Relaxed) {
            (self.on_close)();
        }
    }

    /// Sends a message for the user.
    pub fn info(&self, text: &str) {
        self.line(&format!("info string {text}"));
    }

    /// Sends the reason why something was not done.
    pub fn error(&self, reason: impl std::fmt::Display) {
        self.info(&format!("error: {reason}"));
    }

    /// Keeps a log in a file from now on, behind what is in it; `None` ends it.
    ///
    /// # Errors
    /// When the file cannot be opened or is no plain file; then nothing changes.
    pub fn set_log(&self, path: Option<&Path>) -> io::Result<()> {
        let open = |path: &Path| {
            // To open a pipe waits until somebody reads it.
            if path.exists() {
                files::regular(path)?;
            }
            OpenOptions::new().create(true).append(true).open(path)
        };
        let file = path.map(open).transpose()?;
        *self.log.lock().unwrap_or_else(PoisonError::into_inner) = file;
        Ok(())
    }

    /// Notes lines in the log, if there is one: the time, in seconds since 1970, which way they
    /// went (`<` was read, `>` was written), and the lines. A log that cannot be written any
    /// more, because the disk is full, must not disturb a game.
    pub fn log(&self, way: char, text: &str) {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = &mut *log {
            let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            let lines = text.lines().map(|line| format!("{:.3} {way} {line}\n", time.as_secs_f64()));
            let _ = file.write_all(lines.collect::<String>().as_bytes());
        }
    }

    /// Whether nobody reads any more.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Relaxed)
    }
}

/// The line for a report of a search of `position`, with winning chances if `show_wdl`.
pub fn report(report: &Report, position: &Position, show_wdl: bool) -> String {
    let uci = |mv: Option<Move>| mv.map(|mv| position.uci(mv));
    match report {
        Report::Line(line) => info_line(line, position, show_wdl),
        Report::CurrentMove { depth, mv, number } => {
            format!("info depth {depth} currmove {} currmovenumber {number}", position.uci(*mv))
        }
        Report::Note(text) => format!("info string {text}"),
        Report::BestMove { best, ponder } => parse::best_move(uci(*best).as_deref(), uci(*ponder).as_deref()),
    }
}

fn info_line(line: &Line, position: &Position, show_wdl: bool) -> String {
    let material = material(position);
    let mut text = format!(
        "info depth {} seldepth {} multipv {} score {}",
        line.depth,
        line.seldepth,
        line.multipv,
        score(MODEL.shown(line.score, material))
    );
    text += match line.bound {
        Bound::Exact | Bound::None => "",
        Bound::Lower => " lowerbound",
        Bound::Upper => " upperbound",
    };
    // Writing to a String cannot fail.
    if show_wdl {
        let [win, draw, loss] = MODEL.chances(line.score, material).per_mille();
        let _ = write!(text, " wdl {win} {draw} {loss}");
    }
    let _ = write!(
        text,
        " nodes {} nps {} hashfull {} tbhits {} time {}",
        line.nodes, line.nps, line.hashfull, line.tb_hits, line.time_ms
    );
    if !line.pv.is_empty() {
        text += " pv";
    }
    for &mv in &line.pv {
        text.push(' ');
        text += &position.uci(mv);
    }
    text
}

/// What a tablebase win at the root is shown as, in centipawns; a ply further is one less.
const SHOWN_TB_WIN: Score = 20_000;

const _: () = assert!(SHOWN_LIMIT < SHOWN_TB_WIN - MAX_PLY as Score, "evaluations look like tablebase wins");

/// A score to show as UCI writes it: centipawns, or moves to mate.
fn score(score: Score) -> String {
    if is_mate(score) {
        format!("mate {}", mate_distance(score))
    } else if is_decisive(score) {
        format!("cp {}", score.signum() * (score.abs() - TB_WIN + SHOWN_TB_WIN))
    } else {
        format!("cp {score}")
    }
}

/// The board as a diagram, its FEN, its key, the men that give check, and its value by the
/// tablebases, if they know it.
pub fn diagram(position: &Position, tablebases: Option<&Tablebases>) -> String {
    let mut text = String::new();
    let edge = " +---+---+---+---+---+---+---+---+\n";
    for rank in Rank::ALL.into_iter().rev() {
        text += edge;
        for file in File::ALL {
            let square = Square::new(file, rank);
            let man = position.piece_at(square).map_or(' ', |piece| match position.color_at(square) {
                Some(Color::White) => piece.letter().to_ascii_uppercase(),
                _ => piece.letter(),
            });
            text += &format!(" | {man}");
        }
        text += &format!(" | {}\n", rank.index() + 1);
    }
    text += edge;
    text += "   a   b   c   d   e   f   g   h\n\n";
    let checkers: String = position.checkers().into_iter().map(|square| format!(" {square}")).collect();
    text += &format!("Fen: {}\nKey: {:016X}\n", position.fen(), position.key());
    if let Some(wdl) = tablebases.and_then(|tablebases| tablebases.probe_wdl(position)) {
        let wdl = match wdl {
            Wdl::Win => "win",
            Wdl::CursedWin => "cursed win",
            Wdl::Draw => "draw",
            Wdl::BlessedLoss => "blessed loss",
            Wdl::Loss => "loss",
        };
        let dtz = tablebases.and_then(|tablebases| tablebases.probe_dtz(position));
        text +=
            &format!("Tablebase: {wdl}, DTZ {}\n", dtz.map_or("unknown".to_string(), |dtz| dtz.to_string()));
    }
    text + &format!("Checkers:{checkers}")
}
