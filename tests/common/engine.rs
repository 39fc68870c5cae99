//! The real program, spoken to through pipes.
//!
//! Nothing here measures time. Waiting has an end only so that a hanging engine fails the test.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(120);

/// Starts the program with pipes.
pub fn spawn() -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_longan"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("the engine starts")
}

/// A running engine.
pub struct Engine {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

impl Engine {
    /// Starts the program.
    pub fn start() -> Self {
        let mut child = spawn();
        let (sender, lines) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            for line in output.split(b'\n') {
                let line = String::from_utf8(line.unwrap()).expect("the engine writes UTF-8");
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self { input: child.stdin.take(), child, lines }
    }

    /// Sends lines in one write.
    pub fn send(&mut self, text: &str) {
        self.send_bytes(format!("{text}\n").as_bytes());
    }

    /// Sends bytes as they are.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the engine reads");
    }

    /// The next line; `None` at the end of the output.
    pub fn next_line(&self) -> Option<String> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => Some(line),
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => None,
            Err(error) => panic!("the engine says nothing: {error}"),
        }
    }

    /// The lines up to the first that starts with these words, with it.
    pub fn until(&self, words: &str) -> Vec<String> {
        let mut lines = Vec::new();
        while let Some(line) = self.next_line() {
            let found = line.starts_with(words);
            lines.push(line);
            if found {
                return lines;
            }
        }
        panic!("the engine ended before it said {words:?}: {lines:#?}");
    }

    /// What the engine says before it answers an `isready` sent now.
    pub fn until_ready(&mut self) -> Vec<String> {
        self.send("isready");
        let mut lines = self.until("readyok");
        lines.pop();
        lines
    }

    /// Sends commands and waits for the best move; the lines before it, and the move.
    pub fn search(&mut self, text: &str) -> (Vec<String>, String) {
        self.send(text);
        let mut lines = self.until("bestmove");
        let best = best_move(&lines.pop().unwrap()).to_string();
        (lines, best)
    }

    /// Closes the input and waits for the end: the remaining lines. The engine must end well.
    pub fn end(mut self) -> Vec<String> {
        drop(self.input.take());
        let lines = std::iter::from_fn(|| self.next_line()).collect();
        let mut errors = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        let status = self.child.wait().unwrap();
        assert!(status.success() && errors.is_empty(), "{status}: {errors}");
        lines
    }
}

/// All that the engine says to this input.
pub fn script(input: &[u8]) -> Vec<String> {
    let mut engine = Engine::start();
    engine.send_bytes(input);
    engine.end()
}

/// The move of a `bestmove` line.
pub fn best_move(line: &str) -> &str {
    line.split(' ').nth(1).unwrap_or_default()
}

/// The lines whose first word is `word`.
pub fn with_word<'a>(lines: &'a [String], word: &str) -> Vec<&'a str> {
    lines.iter().map(String::as_str).filter(|line| line.split(' ').next() == Some(word)).collect()
}

/// The value behind a word of an info line.
pub fn field<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    line.split(' ').skip_while(|&found| found != word).nth(1)
}

/// The info lines that have a line of play.
pub fn pv_lines(lines: &[String]) -> Vec<&str> {
    with_word(lines, "info").into_iter().filter(|line| line.contains(" pv ")).collect()
}

/// Whether a line tells of an error.
pub fn has_error(lines: &[String]) -> bool {
    lines.iter().any(|line| line.starts_with("info string error: "))
}
