//! The UCI options: one table for the answer to `uci`, for `setoption` and for the README.
//!
//! A new option is one entry. Numbers out of range are clamped, which is told; a value that
//! cannot be read changes nothing.

#![forbid(unsafe_code)]

use std::path::Path;
use std::sync::Arc;

use thiserror::Error;

use super::Output;
use super::parse::{quote, whole_number};
use crate::book::Book;
use crate::engine::{Options, Session};
use crate::eval::EvalSource;
use crate::search::strength::{ELO, FULL_SKILL};
use crate::tablebase::Tablebases;

/// An option of the engine.
pub struct Entry {
    /// Its name; case does not matter in `setoption`.
    pub name: &'static str,
    /// Its type, range, default and effect.
    pub kind: Kind,
    /// What it does, in one sentence of Markdown.
    pub help: &'static str,
}

/// The types of options. The setter is only called with values in range.
pub enum Kind {
    /// `true` or `false`.
    Check {
        /// Its value until it is set.
        default: bool,
        /// Brings a value into force.
        set: fn(&mut Options, bool),
    },
    /// A whole number.
    Spin {
        /// Its value until it is set.
        default: i64,
        /// The smallest value.
        min: i64,
        /// The largest value.
        max: i64,
        /// Brings a value into force.
        set: fn(&mut Options, i64),
    },
    /// Any text.
    Text {
        /// Its value until it is set.
        default: &'static str,
        /// Brings a value into force and returns what the user should know, or says why it
        /// cannot.
        set: fn(&mut Session, &Output, &str) -> Result<Vec<String>, String>,
    },
    /// An action.
    Button {
        /// Does it.
        press: fn(&mut Session),
    },
}

/// The largest table in MiB: what an address of the machine can reach.
const MAX_HASH: i64 = if usize::BITS >= 64 { 1 << 25 } else { 1 << 11 };

/// Who the engine is, for users.
const ABOUT: &str = "Longan, a chess engine in Rust that learns only from its own games; MIT or Apache-2.0";

/// All options, in the order in which they are listed.
pub const TABLE: &[Entry] = &[
    Entry {
        name: "Hash",
        kind: Kind::Spin {
            default: Options::DEFAULT.hash_mb as i64,
            min: 1,
            max: MAX_HASH,
            set: |options, megabytes| options.hash_mb = megabytes as usize,
        },
        help: "Size of the transposition table in MiB. If there is no memory for it, the old size stays.",
    },
    Entry {
        name: "Threads",
        kind: Kind::Spin {
            default: Options::DEFAULT.threads as i64,
            min: 1,
            max: 1024,
            set: |options, threads| options.threads = threads as usize,
        },
        help: "Number of search threads.",
    },
    Entry {
        name: "Clear Hash",
        kind: Kind::Button { press: Session::new_game },
        help: "Forgets everything that earlier searches learnt, as `ucinewgame` does.",
    },
    Entry {
        name: "Move Overhead",
        kind: Kind::Spin {
            default: Options::DEFAULT.search.move_overhead,
            min: 0,
            max: 5000,
            set: |options, ms| options.search.move_overhead = ms,
        },
        help: "Milliseconds of the clock that each move loses outside the engine.",
    },
    Entry {
        name: "Ponder",
        // GUIs ponder only with engines that list the option; the search needs to know nothing.
        kind: Kind::Check { default: false, set: |_, _| {} },
        help: "Tells GUIs that `go ponder` works; it does whatever the value.",
    },
    Entry {
        name: "MultiPV",
        kind: Kind::Spin {
            default: Options::DEFAULT.search.multi_pv as i64,
            min: 1,
            max: 256,
            set: |options, lines| options.search.multi_pv = lines as usize,
        },
        help: "How many best lines to find and show.",
    },
    Entry {
        name: "UCI_Chess960",
        kind: Kind::Check { default: Options::DEFAULT.chess960, set: |options, on| options.chess960 = on },
        help: "Castling is written as the king taking its own rook, as in Chess960; from the next `position` on. \
               Both ways are read always.",
    },
    Entry {
        name: "UCI_AnalyseMode",
        kind: Kind::Check { default: Options::DEFAULT.analyse, set: |options, on| options.analyse = on },
        help: "Tells that no game is played: nothing comes from the book, and the strength is never limited.",
    },
    Entry {
        name: "UCI_LimitStrength",
        kind: Kind::Check {
            default: Options::DEFAULT.limit_strength,
            set: |options, on| options.limit_strength = on,
        },
        help: "Plays as well as `UCI_Elo` says, the same at any time control; `go infinite` and `go mate` are never limited.",
    },
    Entry {
        name: "UCI_Elo",
        kind: Kind::Spin {
            default: Options::DEFAULT.elo as i64,
            min: *ELO.start() as i64,
            max: *ELO.end() as i64,
            set: |options, elo| options.elo = elo as i32,
        },
        help: "The rating to play at; measured by [matches between levels](training/STRENGTH.md).",
    },
    Entry {
        name: "Skill Level",
        kind: Kind::Spin {
            default: FULL_SKILL as i64,
            min: 0,
            max: FULL_SKILL as i64,
            set: |options, skill| options.skill = skill as i32,
        },
        help: "The same in steps: 19 is the highest rating, 20 full strength. `UCI_LimitStrength` overrides it.",
    },
    Entry {
        name: "OwnBook",
        kind: Kind::Check { default: Options::DEFAULT.own_book, set: |options, on| options.own_book = on },
        help: "Plays the moves of the book, but not in analysis: `infinite`, `ponder`, `mate`, `searchmoves`, \
               several lines, `UCI_AnalyseMode`.",
    },
    Entry {
        name: "BookFile",
        kind: Kind::Text { default: "", set: set_book_file },
        help: "A Polyglot book; empty for none. A file that is no book is refused, which is told, and \
               changes nothing.",
    },
    Entry {
        name: "UCI_ShowWDL",
        kind: Kind::Check { default: Options::DEFAULT.show_wdl, set: |options, on| options.show_wdl = on },
        help: "The chances to win, draw and lose, in per mille, stand behind each score.",
    },
    Entry {
        name: "SyzygyPath",
        kind: Kind::Text { default: "", set: set_syzygy_path },
        help: "Folders of Syzygy endgame tables, with `;` between them (or `:`, but not on Windows); empty \
               for none. What cannot be used is told.",
    },
    Entry {
        name: "SyzygyProbeDepth",
        kind: Kind::Spin {
            default: Options::DEFAULT.search.syzygy.depth as i64,
            min: 1,
            max: 100,
            set: |options, depth| options.search.syzygy.depth = depth as i32,
        },
        help: "Positions with as many men as the largest tables are looked up only where at least so many \
               plies are left to search.",
    },
    Entry {
        name: "SyzygyProbeLimit",
        kind: Kind::Spin {
            default: Options::DEFAULT.search.syzygy.men as i64,
            min: 0,
            max: 7,
            set: |options, men| options.search.syzygy.men = men as u32,
        },
        help: "Positions with more men are not looked up; 0 looks nothing up.",
    },
    Entry {
        name: "Syzygy50MoveRule",
        kind: Kind::Check {
            default: Options::DEFAULT.search.syzygy.fifty_moves,
            set: |options, on| options.search.syzygy.fifty_moves = on,
        },
        help: "Whether wins that take too long for the fifty-move rule are draws.",
    },
    Entry {
        name: "EvalFile",
        kind: Kind::Text { default: "", set: set_eval_file },
        help: "A network file to evaluate with; empty for the built-in evaluation. A file that is no \
               network of this engine is refused, which is told, and changes nothing.",
    },
    Entry {
        name: "nodestime",
        kind: Kind::Spin {
            default: Options::DEFAULT.search.nodes_per_ms as i64,
            min: 0,
            max: 10_000,
            set: |options, nodes| options.search.nodes_per_ms = nodes as u64,
        },
        help: "If not 0, clocks and move times count so many nodes as a millisecond, so that games do not \
               depend on the machine.",
    },
    Entry {
        name: "Debug Log File",
        kind: Kind::Text { default: "", set: set_log_file },
        help: "A file that everything read and written is added to, with the time; empty for none.",
    },
    Entry {
        name: "UCI_EngineAbout",
        kind: Kind::Text {
            default: ABOUT,
            set: |_, _, _| Err("it only tells, and cannot be set".to_string()),
        },
        help: "Who the engine is; cannot be set.",
    },
];

fn set_eval_file(session: &mut Session, _: &Output, path: &str) -> Result<Vec<String>, String> {
    let eval = match path {
        "" => EvalSource::default(),
        path => EvalSource::open(Path::new(path)).map_err(|error| error.to_string())?,
    };
    session.set_eval(eval);
    Ok(Vec::new())
}

fn set_syzygy_path(session: &mut Session, _: &Output, folders: &str) -> Result<Vec<String>, String> {
    if folders.is_empty() {
        session.configure(|options| options.search.syzygy.tables = None);
        return Ok(Vec::new());
    }
    let (tables, mut notes) = Tablebases::open(folders);
    let [wdl, dtz] = tables.counts();
    if wdl == 0 {
        notes.push("there are no tables".to_string());
        return Err(notes.join("; "));
    }
    notes.push(format!("found {wdl} WDL and {dtz} DTZ tables of up to {} men", tables.men()));
    session.configure(|options| options.search.syzygy.tables = Some(Arc::new(tables)));
    Ok(notes)
}

fn set_book_file(session: &mut Session, _: &Output, path: &str) -> Result<Vec<String>, String> {
    let book = match path {
        "" => None,
        path => Some(Book::open(Path::new(path)).map_err(|error| format!("{path}: {error}"))?),
    };
    session.set_book(book);
    Ok(Vec::new())
}

fn set_log_file(_: &mut Session, output: &Output, path: &str) -> Result<Vec<String>, String> {
    let file = (!path.is_empty()).then(|| Path::new(path));
    output.set_log(file).map_err(|error| format!("{path}: {error}"))?;
    Ok(Vec::new())
}

/// Why an option was not changed.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum OptionError {
    /// There is no option of this name.
    #[error("there is no option {0}")]
    Unknown(String),
    /// The value is not of the option's type.
    #[error("option {name} wants {wanted}, not {found}")]
    Value {
        /// The option.
        name: &'static str,
        /// What it takes.
        wanted: &'static str,
        /// What it was given, in quotes.
        found: String,
    },
    /// The value cannot be used, for this reason.
    #[error("option {0}: {1}")]
    Refused(&'static str, String),
}

/// The entry of a name in any case; runs of blanks must be one blank.
///
/// ```
/// assert_eq!(longan::uci::options::find("hash").unwrap().name, "Hash");
/// ```
pub fn find(name: &str) -> Option<&'static Entry> {
    TABLE.iter().find(|entry| entry.name.eq_ignore_ascii_case(name))
}

/// Does what `setoption` asks. Returns what the user should know, such as that a number had to
/// be clamped.
///
/// # Errors
/// When there is no such option or the value cannot be read; then nothing changes.
pub fn set(
    session: &mut Session,
    output: &Output,
    name: &str,
    value: Option<&str>,
) -> Result<Vec<String>, OptionError> {
    let entry = find(name).ok_or_else(|| OptionError::Unknown(quote(name)))?;
    let bad = |wanted| OptionError::Value {
        name: entry.name,
        wanted,
        found: value.filter(|value| !value.is_empty()).map_or("nothing".to_string(), quote),
    };
    match entry.kind {
        Kind::Button { press } => press(session),
        Kind::Text { set, .. } => {
            return set(session, output, value.unwrap_or(""))
                .map_err(|reason| OptionError::Refused(entry.name, reason));
        }
        Kind::Check { set, .. } => {
            let on = match value.unwrap_or("").to_ascii_lowercase().as_str() {
                "true" => true,
                "false" => false,
                _ => return Err(bad("`true` or `false`")),
            };
            session.configure(|options| set(options, on));
        }
        Kind::Spin { min, max, set, .. } => {
            let number = value.and_then(whole_number).ok_or_else(|| bad("a whole number"))?;
            let clamped = number.clamp(min, max);
            session.configure(|options| set(options, clamped));
            if clamped != number {
                return Ok(vec![format!("option {} is set to its limit {clamped}", entry.name)]);
            }
        }
    }
    Ok(Vec::new())
}
