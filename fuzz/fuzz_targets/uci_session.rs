//! Whole sessions in one process: each `go` has its `bestmove` and each `isready` its `readyok`,
//! and the engine ends with its input.

#![no_main]

use std::io::{Cursor, Write};
use std::sync::{Arc, Mutex};

use libfuzzer_sys::fuzz_target;
use longan::uci::{self, Command, parse};

/// Keeps what the engine says.
#[derive(Clone, Default)]
struct Heard(Arc<Mutex<Vec<u8>>>);

impl Write for Heard {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Whether a command neither takes long nor touches the files or the memory of this machine.
fn is_harmless(command: &Command) -> bool {
    match command {
        Command::Bench => false,
        Command::Perft { depth } => *depth <= 2,
        Command::SetOption { name, value } => {
            let number = value.as_deref().unwrap_or("").trim().parse().unwrap_or(i64::MAX);
            match name.to_ascii_lowercase().as_str() {
                "hash" => number <= 16,
                "threads" => number <= 3,
                "debug log file" | "evalfile" | "bookfile" | "syzygypath" => false,
                _ => true,
            }
        }
        _ => true,
    }
}

fuzz_target!(|data: &[u8]| {
    let (mut input, mut searches, mut ready) = (Vec::new(), 0, 0);
    for line in data.split(|&byte| byte == b'\n').take(40) {
        match parse(line).command {
            Some(command) if !is_harmless(&command) => continue,
            Some(Command::Go { .. }) => searches += 1,
            Some(Command::IsReady) => ready += 1,
            Some(Command::Quit) => break,
            _ => {}
        }
        input.extend(line);
        input.push(b'\n');
    }
    let heard = Heard::default();
    uci::run(Cursor::new(input), heard.clone()).expect("there is memory");
    let text = String::from_utf8(heard.0.lock().unwrap().clone()).expect("UTF-8");
    let count = |word: &str| text.lines().filter(|line| line.split(' ').next() == Some(word)).count();
    assert_eq!((count("bestmove"), count("readyok")), (searches, ready), "{text}");
});
