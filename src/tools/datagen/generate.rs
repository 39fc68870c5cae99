//! Plays games on several threads until there are enough.

use std::io::{IsTerminal, stderr};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::eval::EvalSource;
use crate::search::STACK_SIZE;

use super::game::Player;
use super::opening::Rng;
use super::shard::Shard;
use super::viriformat::Game;
use super::{DatagenError, GenerateArgs};

/// Plain progress lines come this far apart.
const LINE_EVERY: Duration = Duration::from_secs(30);
/// The progress bar is drawn, and the end looked for, this often.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// The progress bar counts the work in so many parts.
const BAR_PARTS: u64 = 1000;

/// What the threads of a run share.
struct Run<'a> {
    args: &'a GenerateArgs,
    start: Instant,
    /// Games begun, finished or not.
    begun: AtomicU64,
    games: AtomicU64,
    positions: AtomicU64,
    /// Set when one thread cannot go on.
    failed: AtomicBool,
}

/// Plays the games that the arguments ask for.
pub(super) fn generate(args: &GenerateArgs) -> Result<(), DatagenError> {
    let shards = (0..usize::from(args.threads))
        .map(|thread| Shard::open(Shard::path(&args.out, thread)))
        .collect::<Result<Vec<_>, _>>()?;
    let eval = args.network.as_deref().map_or(Ok(EvalSource::default()), EvalSource::open)?;
    let players = shards
        .iter()
        .map(|_| Player::new(args.nodes, args.hard_factor, args.hash as usize, eval.clone()))
        .collect::<Result<Vec<_>, _>>()?;
    let run = Run {
        args,
        start: Instant::now(),
        begun: AtomicU64::new(0),
        games: AtomicU64::new(0),
        positions: AtomicU64::new(0),
        failed: AtomicBool::new(false),
    };
    thread::scope(|scope| {
        let run = &run;
        let threads: Vec<_> = (0..)
            .zip(shards.into_iter().zip(players))
            .map(|(number, (shard, player))| {
                let thread = thread::Builder::new().stack_size(STACK_SIZE);
                thread.spawn_scoped(scope, move || run.play_games(number, shard, player))
            })
            .collect::<Result<_, _>>()
            .map_err(DatagenError::Thread)?;
        let mut progress = Progress::new(run);
        while threads.iter().any(|thread| !thread.is_finished()) {
            thread::sleep(LOOK_EVERY);
            progress.update();
        }
        progress.finish();
        threads.into_iter().try_for_each(|thread| thread.join().expect("a thread panicked"))
    })
}

impl Run<'_> {
    /// One thread's work.
    fn play_games(&self, number: u64, mut shard: Shard, mut player: Player) -> Result<(), DatagenError> {
        while self.begin_game() {
            let game = player.play(&mut Rng::for_game(self.args.seed, number, shard.games()));
            if let Err(error) = shard.append(&game) {
                self.failed.store(true, Relaxed);
                return Err(error.into());
            }
            self.count(&game);
        }
        Ok(())
    }

    /// Whether one more game is wanted; it counts as begun then.
    fn begin_game(&self) -> bool {
        let wanted = !self.failed.load(Relaxed) && self.share_done() < 1.0;
        wanted && self.args.games.is_none_or(|games| self.begun.fetch_add(1, Relaxed) < games)
    }

    fn count(&self, game: &Game) {
        self.games.fetch_add(1, Relaxed);
        self.positions.fetch_add(game.plies.len() as u64, Relaxed);
    }

    /// How much of the work is done, 1 and above when a limit is reached.
    fn share_done(&self) -> f64 {
        let share = |done: f64, limit: Option<f64>| limit.map_or(0.0, |limit| done / limit);
        share(self.games.load(Relaxed) as f64, self.args.games.map(|n| n as f64))
            .max(share(self.positions.load(Relaxed) as f64, self.args.positions.map(|n| n as f64)))
            .max(share(self.start.elapsed().as_secs_f64() / 60.0, self.args.minutes))
    }

    fn describe(&self) -> String {
        let positions = self.positions.load(Relaxed);
        let per_hour = positions as f64 * 3600.0 / self.start.elapsed().as_secs_f64();
        format!("{} games, {positions} positions, {per_hour:.0} positions/h", self.games.load(Relaxed))
    }
}

/// Shows how far a run is: a bar on a terminal, else a line now and then.
struct Progress<'a> {
    run: &'a Run<'a>,
    bar: Option<ProgressBar>,
    last_line: Instant,
}

impl<'a> Progress<'a> {
    fn new(run: &'a Run) -> Self {
        let bar = stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{elapsed_precise} [{bar:30}] {msg}, {eta} left");
            ProgressBar::new(BAR_PARTS).with_style(style.expect("the template is well-formed"))
        });
        Self { run, bar, last_line: Instant::now() }
    }

    fn update(&mut self) {
        if let Some(bar) = &self.bar {
            bar.set_message(self.run.describe());
            bar.set_position((self.run.share_done() * BAR_PARTS as f64) as u64);
        } else if self.last_line.elapsed() >= LINE_EVERY {
            self.last_line = Instant::now();
            eprintln!("{}", self.run.describe());
        }
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        eprintln!("{}", self.run.describe());
    }
}
