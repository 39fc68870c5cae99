//! Shows on standard error how far a long command is: a bar on a terminal, else a line now and
//! then.

#![forbid(unsafe_code)]

use std::io::{IsTerminal, stderr};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Plain lines come this far apart.
const LINE_EVERY: Duration = Duration::from_secs(30);
/// The clock of a bar is drawn this often.
const TICK_EVERY: Duration = Duration::from_secs(1);
/// A bar counts the work in so many parts.
const BAR_PARTS: u64 = 1000;

/// The progress of one command.
pub struct Progress {
    bar: Option<ProgressBar>,
    last_line: Instant,
}

impl Progress {
    /// Starts the clock.
    pub fn start() -> Self {
        let bar = stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{elapsed_precise} [{bar:30}] {msg}, {eta} left");
            ProgressBar::new(BAR_PARTS).with_style(style.expect("the template is well-formed"))
        });
        if let Some(bar) = &bar {
            bar.enable_steady_tick(TICK_EVERY);
        }
        Self { bar, last_line: Instant::now() }
    }

    /// Shows that this share of the work, 0 to 1, is done.
    pub fn update(&mut self, share: f64, describe: impl FnOnce() -> String) {
        if let Some(bar) = &self.bar {
            bar.set_message(describe());
            bar.set_position((share * BAR_PARTS as f64) as u64);
        } else if self.last_line.elapsed() >= LINE_EVERY {
            self.last_line = Instant::now();
            eprintln!("{}", describe());
        }
    }

    /// Removes the bar.
    pub fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
