//! Text to [`Command`], and the answers that `vampirc-uci` words. No other file names the crate.
//!
//! The crate reads the plain forms of the protocol; its reading counts only if it writes back
//! the very words it was given, because it drops without a sign what it does not know. The rest
//! is read here: `go` (where the crate keeps one limit, holds numbers in 8 bits and panics on a
//! trailing blank), short and Shredder FENs, null moves, option names with the word `value`,
//! and unknown words, which the protocol asks to skip.
//!
//! Invariant: no input of any kind panics, and whatever is skipped or refused leaves a note. Numbers
//! of `go` beyond their range count as its end, without one.

#![forbid(unsafe_code)]

use std::iter::Peekable;

use vampirc_uci::{Serializable, UciMessage, UciMove, UciOptionConfig, UciPiece, UciSquare};

use super::Command;
use super::options::{Entry, Kind};
use crate::board::excerpt;
use crate::search::{Clock, Limits};
use crate::types::{ByColor, Color, MAX_PLY};

/// One line of input, read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parsed {
    /// What the line asks for; `None` for empty lines and for those that make no sense.
    pub command: Option<Command>,
    /// What was skipped, and why the line makes no sense: one sentence each, for the user.
    pub notes: Vec<String>,
}

/// More than this many notes about one line help nobody.
const MAX_NOTES: usize = 4;
/// The longest time that is taken at its word, in milliseconds: some 35 years.
const LONGEST_TIME: i64 = 1 << 40;
/// The words of `go`.
const GO_WORDS: [&str; 13] = [
    "searchmoves",
    "ponder",
    "infinite",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "perft",
];

/// Reads one line, with or without its line end. Words before the first known command are
/// skipped, as the protocol asks.
///
/// ```
/// use longan::uci::{Command, parse};
///
/// assert_eq!(parse(b"joho isready").command, Some(Command::IsReady));
/// assert_eq!(parse(b"go depth many").notes.len(), 1);
/// ```
pub fn parse(line: &[u8]) -> Parsed {
    let text = String::from_utf8_lossy(line);
    let mut parsed = Parsed::default();
    let mut skipped = Vec::new();
    let mut rest = text.trim_matches(is_blank);
    while parsed.command.is_none() && !rest.is_empty() {
        let (word, tail) = split_word(rest);
        let notes = &mut parsed.notes;
        match word.to_ascii_lowercase().as_str() {
            "position" => parsed.command = plain(&one_blank(rest)).or_else(|| position(tail, notes)),
            "setoption" => parsed.command = plain(rest).or_else(|| set_option(tail, notes)),
            "go" => parsed.command = Some(go(tail, notes)),
            "register" => parsed.command = Some(Command::Register),
            "debug" => {
                let (switch, tail) = split_word(tail);
                parsed.command = plain(&format!("debug {}", switch.to_ascii_lowercase()));
                match parsed.command {
                    Some(_) => skipped.extend(words(tail)),
                    None => notes.push("`debug` wants `on` or `off`".to_string()),
                }
            }
            word => {
                parsed.command = plain(word).or_else(|| extension(word));
                match parsed.command {
                    Some(_) => skipped.extend(words(tail)),
                    None => {
                        skipped.push(split_word(rest).0);
                        rest = tail;
                        continue;
                    }
                }
            }
        }
        break;
    }
    note_skipped(&skipped, &mut parsed.notes);
    parsed.notes.truncate(MAX_NOTES);
    parsed
}

/// The command of a text in the crate's own spelling, if the crate reads it without loss.
/// Never called with `go`, which can make the crate panic.
fn plain(text: &str) -> Option<Command> {
    let message = vampirc_uci::parse_one(text);
    if message.serialize() != text {
        return None;
    }
    Some(match message {
        UciMessage::Uci => Command::Uci,
        UciMessage::Debug(on) => Command::Debug(on),
        UciMessage::IsReady => Command::IsReady,
        UciMessage::UciNewGame => Command::UciNewGame,
        UciMessage::Stop => Command::Stop,
        UciMessage::PonderHit => Command::PonderHit,
        UciMessage::Quit => Command::Quit,
        UciMessage::SetOption { name, value } => {
            Command::SetOption { name, value: value.map(|value| without_empty_mark(&value)) }
        }
        UciMessage::Position { fen, moves, .. } => Command::Position {
            fen: fen.map(|fen| fen.0),
            moves: moves.iter().map(UciMove::to_string).collect(),
        },
        _ => return None,
    })
}

/// Commands that are no part of the protocol.
fn extension(word: &str) -> Option<Command> {
    match word {
        "d" => Some(Command::Display),
        "eval" => Some(Command::Eval),
        "bench" => Some(Command::Bench),
        _ => None,
    }
}

/// `position [startpos | fen …] [moves …]`, after its first word.
fn position(text: &str, notes: &mut Vec<String>) -> Option<Command> {
    const FEN_FIELDS: usize = 6;
    let mut skipped = Vec::new();
    let mut words = words(text).peekable();
    let fen = loop {
        match words.next() {
            Some(word) if word.eq_ignore_ascii_case("startpos") => break None,
            Some(word) if word.eq_ignore_ascii_case("fen") => {
                let mut fields = Vec::new();
                while fields.len() < FEN_FIELDS
                    && let Some(field) = words.next_if(|word| !word.eq_ignore_ascii_case("moves"))
                {
                    fields.push(field);
                }
                break Some(fields.join(" "));
            }
            Some(word) => skipped.push(word),
            None => {
                notes.push("`position` wants `startpos` or `fen`".to_string());
                return None;
            }
        }
    };
    while let Some(word) = words.next_if(|word| !word.eq_ignore_ascii_case("moves")) {
        skipped.push(word);
    }
    let (again, moves): (Vec<_>, Vec<_>) = words.skip(1).partition(|word| word.eq_ignore_ascii_case("moves"));
    skipped.extend(again);
    note_skipped(&skipped, notes);
    Some(Command::Position { fen, moves: moves.into_iter().map(str::to_string).collect() })
}

/// `setoption name … [value …]`, after its first word. Only the word `value` itself ends the
/// name; everything behind it is the value, inner blanks included.
fn set_option(text: &str, notes: &mut Vec<String>) -> Option<Command> {
    let (word, mut rest) = split_word(text);
    if !word.eq_ignore_ascii_case("name") {
        notes.push("`setoption` wants `name` first".to_string());
        return None;
    }
    let mut name = Vec::new();
    let mut value = None;
    while !rest.is_empty() {
        let (word, tail) = split_word(rest);
        rest = tail;
        if word.eq_ignore_ascii_case("value") {
            value = Some(without_empty_mark(rest));
            break;
        }
        name.push(word);
    }
    if name.is_empty() {
        notes.push("`setoption` names no option".to_string());
        return None;
    }
    Some(Command::SetOption { name: name.join(" "), value })
}

/// What `go` said in numbers; `None` where it said nothing, or nothing of use.
#[derive(Default)]
struct GoNumbers {
    time: ByColor<Option<i64>>,
    increment: ByColor<Option<i64>>,
    moves_to_go: Option<i64>,
    depth: Option<i64>,
    nodes: Option<i64>,
    mate: Option<i64>,
    move_time: Option<i64>,
    perft: Option<i64>,
}

impl GoNumbers {
    fn slot(&mut self, word: &str) -> Option<&mut Option<i64>> {
        Some(match word {
            "wtime" => &mut self.time[Color::White],
            "btime" => &mut self.time[Color::Black],
            "winc" => &mut self.increment[Color::White],
            "binc" => &mut self.increment[Color::Black],
            "movestogo" => &mut self.moves_to_go,
            "depth" => &mut self.depth,
            "nodes" => &mut self.nodes,
            "mate" => &mut self.mate,
            "movetime" => &mut self.move_time,
            "perft" => &mut self.perft,
            _ => return None,
        })
    }

    /// A side's clock. A GUI that sends only one clock has one for both: better a guess than
    /// a search without end.
    fn clock(&self, color: Color) -> Option<Clock> {
        let remaining = self.time[color].or(self.time[!color])?;
        Some(Clock {
            remaining: remaining.clamp(-LONGEST_TIME, LONGEST_TIME),
            increment: self.increment[color].unwrap_or(0).clamp(0, LONGEST_TIME),
        })
    }
}

/// `go …`, after its first word. There is an answer to every `go`: bad words are skipped, and
/// one that sets no limit runs until `stop`.
fn go(text: &str, notes: &mut Vec<String>) -> Command {
    let mut limits = Limits::default();
    let mut numbers = GoNumbers::default();
    let mut search_moves = Vec::new();
    let mut skipped = Vec::new();
    let mut words = words(text).peekable();
    while let Some(word) = words.next() {
        let key = word.to_ascii_lowercase();
        match key.as_str() {
            "ponder" => limits.ponder = true,
            "infinite" => limits.infinite = true,
            "searchmoves" => {
                while let Some(mv) = words.next_if(|word| !is_go_word(word)) {
                    search_moves.push(mv.to_string());
                }
            }
            key => match numbers.slot(key) {
                Some(slot) => *slot = number(key, &mut words, notes).or(*slot),
                None => skipped.push(word),
            },
        }
    }
    note_skipped(&skipped, notes);
    if let Some(depth) = numbers.perft {
        return Command::Perft { depth: depth.clamp(0, MAX_PLY as i64) as u32 };
    }
    let at_least_one = |number: i64| number.clamp(1, i64::from(u32::MAX)) as u32;
    limits.clocks = ByColor(Color::ALL.map(|color| numbers.clock(color)));
    limits.moves_to_go = numbers.moves_to_go.filter(|&moves| moves > 0).map(at_least_one);
    limits.depth = numbers.depth.map(at_least_one);
    limits.nodes = numbers.nodes.map(|nodes| nodes.max(1) as u64);
    limits.mate = numbers.mate.map(at_least_one);
    limits.move_time = numbers.move_time.map(|time| time.clamp(0, LONGEST_TIME));
    let limited = limits.clocks != ByColor::default()
        || limits.depth.is_some()
        || limits.nodes.is_some()
        || limits.mate.is_some()
        || limits.move_time.is_some();
    limits.infinite |= !limited;
    Command::Go { limits, search_moves }
}

fn is_go_word(word: &str) -> bool {
    GO_WORDS.iter().any(|known| known.eq_ignore_ascii_case(word))
}

/// The whole number behind `key`. A word that is none is skipped with a note, unless it is
/// the next word of `go`.
fn number<'a>(
    key: &str,
    words: &mut Peekable<impl Iterator<Item = &'a str>>,
    notes: &mut Vec<String>,
) -> Option<i64> {
    let word = words.next_if(|word| !is_go_word(word));
    let number = word.and_then(whole_number);
    if number.is_none() {
        let found = word.map_or("nothing".to_string(), quote);
        notes.push(format!("`{key}` wants a whole number, not {found}"));
    }
    number
}

/// Reads a whole number of any length; one beyond 64 bits becomes the largest or smallest.
pub(super) fn whole_number(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let beyond = if text.starts_with('-') { i64::MIN } else { i64::MAX };
    Some(text.parse().unwrap_or(beyond))
}

/// The protocol writes an empty string as `<empty>`.
fn without_empty_mark(value: &str) -> String {
    if value == "<empty>" { String::new() } else { value.to_string() }
}

/// White space, and what editors and broken pipes leave between words: NUL and other control
/// characters, the byte order mark.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || c.is_control() || c == '\u{feff}'
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_blank).filter(|word| !word.is_empty())
}

fn one_blank(text: &str) -> String {
    words(text).collect::<Vec<_>>().join(" ")
}

/// The first word and what stands behind it, without the blanks between. The text must not
/// start with a blank.
fn split_word(text: &str) -> (&str, &str) {
    match text.find(is_blank) {
        Some(end) => (&text[..end], text[end..].trim_start_matches(is_blank)),
        None => (text, ""),
    }
}

fn note_skipped(skipped: &[&str], notes: &mut Vec<String>) {
    match skipped {
        [] => {}
        [one] => notes.push(format!("unknown word {} skipped", quote(one))),
        [first, others @ ..] => {
            notes.push(format!("unknown word {} and {} more skipped", quote(first), others.len()));
        }
    }
}

/// The start of a text in quotes, fit for a message.
pub(super) fn quote(text: &str) -> String {
    format!("`{}`", excerpt(text))
}

/// The answers to `uci` before the options: who the engine is.
pub fn identity(name: &str, author: &str) -> [String; 2] {
    [UciMessage::id_name(name), UciMessage::id_author(author)].map(|message| message.serialize())
}

/// `uciok`.
pub fn uci_ok() -> String {
    UciMessage::UciOk.serialize()
}

/// `readyok`.
pub fn ready_ok() -> String {
    UciMessage::ReadyOk.serialize()
}

/// An `option` line. The crate writes an empty default as nothing, the protocol as `<empty>`.
pub fn option(entry: &Entry) -> String {
    let name = entry.name.to_string();
    let config = match entry.kind {
        Kind::Check { default, .. } => UciOptionConfig::Check { name, default: Some(default) },
        Kind::Spin { default, min, max, .. } => {
            UciOptionConfig::Spin { name, default: Some(default), min: Some(min), max: Some(max) }
        }
        Kind::Text { default, .. } => {
            let default = if default.is_empty() { "<empty>" } else { default };
            UciOptionConfig::String { name, default: Some(default.to_string()) }
        }
        Kind::Button { .. } => UciOptionConfig::Button { name },
    };
    UciMessage::Option(config).serialize()
}

/// A `bestmove` line from moves in UCI notation; `0000` without a move, which the crate cannot
/// say.
pub fn best_move(best: Option<&str>, ponder: Option<&str>) -> String {
    let Some(best_move) = best.and_then(crate_move) else { return "bestmove 0000".to_string() };
    UciMessage::BestMove { best_move, ponder: ponder.and_then(crate_move) }.serialize()
}

fn crate_move(text: &str) -> Option<UciMove> {
    let mut chars = text.chars();
    let mut square = || Some(UciSquare::from(chars.next()?, chars.next()?.to_digit(10)? as u8));
    let (from, to) = (square()?, square()?);
    let promotion = chars.next().and_then(|letter| letter.to_string().parse::<UciPiece>().ok());
    Some(UciMove { from, to, promotion })
}
