//! Plays games on several threads until there are enough.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::thread;
use std::time::{Duration, Instant};

use crate::eval::EvalSource;
use crate::rng::Rng;
use crate::search::STACK_SIZE;
use crate::tools::bootstrap;
use crate::tools::progress::Progress;

use super::game::Player;
use super::shard::Shard;
use super::viriformat::Game;
use super::{DatagenError, GenerateArgs};

/// The progress is shown, and the end looked for, this often.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// What the threads of a run share. Relaxed: numbers that stand for nothing but themselves.
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
    let eval = match &args.network {
        Some(path) => EvalSource::open(path)?,
        None if args.bootstrap => EvalSource::Function(bootstrap::evaluate),
        None => EvalSource::default(),
    };
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
        let mut progress = Progress::start();
        while threads.iter().any(|thread| !thread.is_finished()) {
            thread::sleep(LOOK_EVERY);
            progress.update(run.share_done(), || run.describe());
        }
        progress.finish();
        eprintln!("{}", run.describe());
        threads.into_iter().try_for_each(|thread| thread.join().expect("a thread panicked"))
    })
}

impl Run<'_> {
    /// One thread's work.
    fn play_games(&self, number: u64, mut shard: Shard, mut player: Player) -> Result<(), DatagenError> {
        while self.begin_game() {
            let game = player.play(&mut Rng::stream(self.args.seed, number, shard.games()));
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
