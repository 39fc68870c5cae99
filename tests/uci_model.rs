//! Random sessions over real pipes, judged by a small model of what the protocol promises: each
//! `go` has exactly one `bestmove`, legal where it was asked, and each `isready` its `readyok`;
//! no search that must wait answers before its `stop`; every line is of a known kind.
//!
//! `LONGAN_SESSIONS` is the number of sessions, `LONGAN_SEED` the first of their seeds. A failure
//! names the seed and everything that was sent.

mod common;

use std::thread;

use common::engine::Engine;
use common::{Random, number_from_env, suite_positions};
use longan::board::Board;

/// What the lines of the protocol begin with.
const WORDS: [&str; 6] = ["info", "bestmove", "readyok", "id", "option", "uciok"];

/// What the model expects of a session that goes on.
struct Model {
    seed: u64,
    random: Random,
    engine: Option<Engine>,
    /// What was sent.
    sent: String,
    /// The position the next search starts from.
    board: Board,
    /// The roots of all searches, in order.
    roots: Vec<Board>,
    /// Whether the last search waits for `stop` (or `ponderhit`).
    waits_for_stop: bool,
    waits_for_hit: bool,
    ready: usize,
    uci: usize,
    /// Whether a diagram, an evaluation, a perft or a bench was asked for.
    asked_for_text: bool,
    // What came back.
    best: usize,
    ready_ok: usize,
    uci_ok: usize,
    /// The best line that was shown for the running search.
    line: Option<String>,
    fens: Vec<String>,
}

impl Model {
    fn start(seed: u64) -> Self {
        // Xorshift wants a state that is not zero.
        let random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        Self {
            seed,
            random,
            engine: Some(Engine::start()),
            sent: String::new(),
            board: Board::startpos(),
            roots: Vec::new(),
            waits_for_stop: false,
            waits_for_hit: false,
            ready: 0,
            uci: 0,
            asked_for_text: false,
            best: 0,
            ready_ok: 0,
            uci_ok: 0,
            line: None,
            fens: suite_positions().map(str::to_string).collect(),
        }
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.random.below(items.len())]
    }

    /// One order to the engine, as text; the model knows what must come of it.
    fn order(&mut self) -> String {
        match self.random.below(16) {
            0..=3 => self.position(),
            4..=7 => self.go(),
            8 => {
                (self.waits_for_stop, self.waits_for_hit) = (false, false);
                "stop".to_string()
            }
            9 => {
                self.waits_for_hit = false;
                "ponderhit".to_string()
            }
            10 | 11 => {
                self.ready += 1;
                "isready".to_string()
            }
            12 => self.option(),
            13 => self.noise(),
            _ => match self.random.below(8) {
                0 => {
                    self.uci += 1;
                    "uci".to_string()
                }
                word @ (1 | 2) => {
                    self.asked_for_text = true;
                    ["d", "eval"][word - 1].to_string()
                }
                3 => "debug on".to_string(),
                4 => "debug off".to_string(),
                5 => {
                    self.asked_for_text = true;
                    // These jobs end the running search, and are ended by the `stop`.
                    (self.waits_for_stop, self.waits_for_hit) = (false, false);
                    ["bench\nstop", "go perft 20\nstop", "go perft 1"][self.random.below(3)].to_string()
                }
                _ => "ucinewgame".to_string(),
            },
        }
    }

    fn position(&mut self) -> String {
        let (mut board, mut text) = if self.random.below(3) == 0 {
            (Board::startpos(), "position startpos".to_string())
        } else {
            let fen = self.fens[self.random.below(self.fens.len())].clone();
            (Board::from_fen(&fen).unwrap(), format!("position fen {fen}"))
        };
        let plies = self.random.below(40);
        if plies > 0 {
            text += " moves";
        }
        for _ in 0..plies {
            let moves = board.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[self.random.below(moves.len())];
            text += &format!(" {}", board.uci(mv));
            board.make(mv);
        }
        if self.random.below(10) == 0 {
            // Refused as a whole: the old position stays.
            return text + if plies > 0 { " e1e1" } else { " moves a0a9" };
        }
        self.board = board;
        text
    }

    fn go(&mut self) -> String {
        let limits = [
            "infinite",
            "",
            "ponder wtime 1000 btime 1000",
            "ponder depth 2",
            "depth 1",
            "depth 4",
            "nodes 1",
            "nodes 2000",
            "movetime 5",
            "movetime -3",
            "wtime 50 btime 50 winc 1 binc 1",
            "wtime -20 btime 0",
            "wtime 60 btime 60 movestogo 1",
            "mate 1 nodes 500",
            "depth 3 searchmoves e2e4 a7a8q h1h9",
            "depth x nodes 100",
            "infinite depth 1",
        ];
        let limit = *self.pick(&limits);
        self.roots.push(self.board.clone());
        self.waits_for_stop = limit.starts_with("infinite") || limit.is_empty();
        self.waits_for_hit = limit.starts_with("ponder");
        format!("go {limit}")
    }

    fn option(&mut self) -> String {
        let options = [
            "Hash value 1",
            "Hash value 5",
            "Hash value 33554432",
            "Threads value 1",
            "Threads value 3",
            "MultiPV value 1",
            "MultiPV value 4",
            "Move Overhead value 0",
            "Move Overhead value 5001",
            "UCI_Chess960 value true",
            "UCI_Chess960 value false",
            "Clear Hash",
            "Ponder value true",
            "EvalFile value no/such/file",
            "No Such Option value 1",
            "Hash value many",
        ];
        format!("setoption name {}", self.pick(&options))
    }

    /// Lines that change nothing.
    fn noise(&mut self) -> String {
        let noise = [
            "",
            "\u{feff}",
            "\0\0",
            "hello world",
            "position",
            "position fen",
            "position fen 8/8/8/8/8/8/8/8 w - - 0 1",
            "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN w KQkq - 0 1",
            "setoption",
            "debug",
            "register later",
            "xboard",
            "bestmove e2e4",
            "readyok",
            "\u{1f600} \u{202e}",
        ];
        match self.random.below(noise.len() + 1) {
            0 => "x".repeat(1 + self.random.below(10_000)),
            index => noise[index - 1].to_string(),
        }
    }

    /// Sends text in pieces, as a pipe may deliver it.
    fn send(&mut self, text: &str) {
        self.sent += text;
        let longest = if text.len() > 4096 { text.len() } else { 60 };
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            let (piece, tail) = rest.split_at((1 + self.random.below(longest)).min(rest.len()));
            self.engine.as_mut().expect("it runs").send_bytes(piece);
            rest = tail;
        }
    }

    fn fail(&self, why: &str) -> ! {
        panic!("seed {}: {why}", self.seed);
    }

    /// Judges a line of the engine.
    fn hear(&mut self, line: &str) {
        if line == "readyok" {
            self.ready_ok += 1;
        } else if line == "uciok" {
            self.uci_ok += 1;
        } else if let Some(answer) = line.strip_prefix("bestmove ") {
            if self.best == self.roots.len() {
                self.fail("an answer nobody asked for");
            }
            self.check_answer(answer);
            let shown = self.line.take();
            if shown.as_deref().is_some_and(|line| line.split(' ').next() != answer.split(' ').next()) {
                self.fail(&format!("bestmove {answer} after the line {shown:?}"));
            }
            self.best += 1;
        } else if let Some((_, pv)) = line.split_once(" pv ") {
            match self.roots.get(self.best) {
                Some(root) if line.starts_with("info ") => {
                    self.check_line(root, pv);
                    if line.contains(" multipv 1 ") {
                        self.line = Some(pv.to_string());
                    }
                }
                _ => self.fail(&format!("a line of play without a search: {line}")),
            }
        } else if !self.asked_for_text && !WORDS.contains(&line.split(' ').next().unwrap_or_default()) {
            self.fail(&format!("a line of no known kind: {line}"));
        }
    }

    fn check_answer(&self, answer: &str) {
        let root = &self.roots[self.best];
        let words: Vec<_> = answer.split(' ').collect();
        match words[..] {
            ["0000"] if root.legal_moves().is_empty() => {}
            [best] => self.check_line(root, best),
            [best, "ponder", reply] => self.check_line(root, &format!("{best} {reply}")),
            _ => self.fail(&format!("bestmove {answer}")),
        }
    }

    fn check_line(&self, root: &Board, line: &str) {
        let mut board = root.clone();
        for text in line.split(' ') {
            let mv = board.parse_uci(text).unwrap_or_else(|error| {
                self.fail(&format!("{line}: {text} is not legal in {}: {error}", board.fen()))
            });
            board.make(mv);
        }
    }

    /// Hears lines until `done`.
    fn hear_until(&mut self, done: impl Fn(&Self) -> bool) {
        while !done(self) {
            match self.engine.as_ref().expect("it runs").next_line() {
                Some(line) => self.hear(&line),
                None => self.fail("the engine ended"),
            }
        }
    }

    /// Hears all up to the answer to an `isready` that is sent now.
    fn listen(&mut self) {
        self.ready += 1;
        self.send("isready\n");
        self.hear_until(|model| model.ready_ok == model.ready);
        if (self.waits_for_stop || self.waits_for_hit) && self.best == self.roots.len() {
            self.fail("an answer before the `stop` it had to wait for");
        }
    }

    /// Stops the search and hears its answer.
    fn finish_search(&mut self) {
        (self.waits_for_stop, self.waits_for_hit) = (false, false);
        self.send("stop\n");
        self.hear_until(|model| model.best == model.roots.len());
    }

    /// Ends the session as it is; the account must be even.
    fn end(mut self) {
        if self.random.below(2) == 0 {
            self.send("quit\n");
        }
        let engine = self.engine.take().expect("it runs");
        engine.end().iter().for_each(|line| self.hear(line));
        let (asked, answered) =
            ([self.roots.len(), self.ready, self.uci], [self.best, self.ready_ok, self.uci_ok]);
        if asked != answered {
            self.fail(&format!("asked for {asked:?} bestmove, readyok, uciok; answered {answered:?}"));
        }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("seed {}, sent:\n{}", self.seed, self.sent);
        }
    }
}

#[test]
fn random_sessions_keep_the_protocol() {
    let sessions = number_from_env("LONGAN_SESSIONS", 100);
    let first = number_from_env("LONGAN_SEED", 1);
    for seed in first..first + sessions {
        let mut model = Model::start(seed);
        for _ in 0..1 + model.random.below(60) {
            let order = model.order();
            let end = *model.pick(&["\n", "\n", "\n", "\r\n", " \t\n"]);
            model.send(&format!("{order}{end}"));
            match model.random.below(8) {
                0 => model.listen(),
                1 => model.finish_search(),
                _ => {}
            }
        }
        model.end();
    }
}
