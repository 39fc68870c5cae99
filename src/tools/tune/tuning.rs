//! `longan tune`: looks for better parameters of the search with SPSA, in games of the sets it
//! compares.

#![forbid(unsafe_code)]

use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, value_parser};

use crate::eval::EvalSource;
use crate::rng::Rng;
use crate::search::{Params, Tunable};
use crate::tools::progress::Progress;
use crate::tools::searcher::FixedParams;

use super::checkpoint::Checkpoint;
use super::matches::Arena;
use super::spsa::{Schedule, Spsa};
use super::{GameArgs, LabError, find_tunable};

/// Stream of random numbers: to round values.
const ROUNDING: u64 = 1;

/// Look for better parameters of the search in games against itself
#[derive(Args, Clone, Debug)]
pub struct TuneArgs {
    /// Parameters to tune, or `all`
    #[arg(long, value_name = "NAME,…|all", required = true, value_delimiter = ',')]
    params: Vec<String>,
    /// How often all parameters move
    #[arg(long, default_value_t = 1000, value_parser = value_parser!(u64).range(1..))]
    iterations: u64,
    /// Pairs of games for each iteration
    #[arg(long, default_value_t = 8, value_parser = value_parser!(u32).range(1..))]
    pairs: u32,
    /// How many of its steps a parameter moves in the first iteration for a match that is won
    /// with all points
    #[arg(long, default_value_t = 0.5)]
    rate: f64,
    /// Write the values after each iteration to a CSV file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Continue the run in the file, if there is one
    #[arg(long, requires = "out")]
    resume: bool,
    #[command(flatten)]
    game: GameArgs,
}

/// Tunes, and reports the values that were found as lines for the table of parameters.
///
/// # Errors
/// When the games cannot be played as the arguments say, or the file does not fit.
pub fn run(args: &TuneArgs) -> Result<String, LabError> {
    if !cfg!(feature = "tuning") {
        return Err(FixedParams.into());
    }
    let tunables = selected(&args.params).map_err(LabError::Name)?;
    let schedule = Schedule { iterations: args.iterations, rate: args.rate, seed: args.game.seed };
    let mut spsa = Spsa::new(tunables.clone(), schedule);
    let mut arena = args.game.arena(&[EvalSource::default(), EvalSource::default()])?;
    let mut file = match &args.out {
        Some(path) if args.resume => Some(Checkpoint::resume(path, &args.describe(), &mut spsa)?),
        Some(path) => Some(Checkpoint::create(path, &args.describe(), &spsa)?),
        None => None,
    };

    let (start, first, mut progress) = (Instant::now(), spsa.iteration(), Progress::start());
    while !spsa.is_finished() {
        let iteration = spsa.iteration();
        let mut rng = Rng::stream(args.game.seed, ROUNDING, iteration);
        // The same for both sets, so that they differ by as much as they should.
        let noise: Vec<f64> = tunables.iter().map(|_| rng.unit()).collect();
        let difference = spsa.step(|plus, minus| {
            for (side, values) in [plus, minus].into_iter().enumerate() {
                arena.set_params(side, &rounded(&tunables, values, &noise))?;
            }
            play(&mut arena, iteration, args.pairs.into())
        })?;
        if let Some(file) = &mut file {
            file.save(&spsa)?;
        }
        progress.update(spsa.iteration() as f64 / args.iterations as f64, || {
            let games = 2 * u64::from(args.pairs) * (spsa.iteration() - first);
            let rate = games as f64 / start.elapsed().as_secs_f64();
            format!("iteration {}, last difference {difference:+.3}, {rate:.2} games/s", spsa.iteration())
        });
    }
    progress.finish();
    Ok(table(&spsa))
}

impl TuneArgs {
    /// All that decides the values beside the names of the parameters: a run that continues must
    /// have the same.
    fn describe(&self) -> String {
        let GameArgs { nodes, soft, seed, hash, book, .. } = &self.game;
        let book = book.as_ref().map_or("random".into(), |path| path.display().to_string());
        let Self { iterations, pairs, rate, .. } = self;
        format!(
            "{iterations} iterations of {pairs} pairs, rate {rate}, {nodes} nodes (soft: {soft}), \
             {hash} MiB, openings {book}, seed {seed}"
        )
    }
}

/// The tunables of these names.
fn selected(names: &[String]) -> Result<Vec<Tunable>, String> {
    if names == ["all"] {
        return Ok(Params::TABLE.to_vec());
    }
    let mut tunables: Vec<Tunable> = Vec::new();
    for name in names {
        let tunable = find_tunable(name.trim())?;
        if tunables.contains(&tunable) {
            return Err(format!("the parameter `{name}` is named twice"));
        }
        tunables.push(tunable);
    }
    Ok(tunables)
}

/// The defaults with these values as whole numbers. Each is rounded up as often as its fraction
/// says, for the mean over many iterations to be the value itself: rounded to the nearest, steps
/// of less than one half would never be seen.
fn rounded(tunables: &[Tunable], values: &[f64], noise: &[f64]) -> Params {
    let mut params = Params::DEFAULT;
    for ((tunable, value), noise) in tunables.iter().zip(values).zip(noise) {
        params.set(tunable.name, (value + noise).floor());
    }
    params
}

/// Plays the pairs of an iteration; by how much side A was better, from -1 to 1.
fn play(arena: &mut Arena, iteration: u64, pairs: u64) -> Result<f64, LabError> {
    let mut half_points = 0;
    let first = iteration * pairs;
    arena.play(first..first + pairs, |pair| {
        half_points += pair.iter().sum::<usize>();
        ControlFlow::Continue(())
    })?;
    Ok(half_points as f64 / (2 * pairs) as f64 - 1.0)
}

/// The values as they are written in the source, with the old ones as comments.
fn table(spsa: &Spsa) -> String {
    let mut text = format!("After {} iterations:", spsa.iteration());
    for (tunable, value) in spsa.tunables().iter().zip(spsa.values()) {
        let Tunable { name, default, min, max, step } = tunable;
        // Writing to a string cannot fail.
        let _ = write!(text, "\n    {name}: i32 = {}, {min}, {max}, {step}; // was {default}", value.round());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_found_by_name() {
        let names = |text: &str| text.split(',').map(String::from).collect::<Vec<_>>();
        assert_eq!(selected(&names("all")).unwrap(), Params::TABLE);
        let [first, .., last] = Params::TABLE else { panic!("there are parameters") };
        let both = format!("{},{}", last.name, first.name);
        assert_eq!(selected(&names(&both)).unwrap(), [*last, *first]);
        assert_eq!(selected(&names("no_such")).unwrap_err(), "the search has no parameter `no_such`");
        let twice = format!("{0},{0}", first.name);
        assert!(selected(&names(&twice)).unwrap_err().ends_with("is named twice"));
    }

    #[test]
    fn fractions_are_kept_in_the_mean() {
        let tunable = Params::TABLE[0];
        let value = tunable.min + 2.25;
        let mean: f64 = (0..100)
            .map(|i| {
                let noise = f64::from(i) / 100.0;
                rounded(&[tunable], &[value], &[noise]).get(tunable.name).unwrap() / 100.0
            })
            .sum();
        assert!((mean - value).abs() < 1e-9, "{mean} is not {value}");
    }

    #[cfg(feature = "tuning")]
    #[test]
    fn a_resumed_run_ends_as_one_that_was_never_stopped() {
        use clap::Parser;
        #[derive(Parser)]
        struct Cli {
            #[command(flatten)]
            args: TuneArgs,
        }
        let path = |name: &str| std::env::temp_dir().join(format!("longan-{}-{name}", std::process::id()));
        let tune = |name: &str, rest: &str| {
            let path = path(name);
            let common = "tune --params rfp_margin,nmp_base --iterations 4 --pairs 1 --nodes 50 --hash 1";
            let words = common.split(' ').chain(rest.split(' ')).chain(["--out", path.to_str().unwrap()]);
            run(&Cli::try_parse_from(words).unwrap().args)
        };
        let whole = tune("whole.csv", "--threads 1").unwrap();
        assert!(whole.starts_with("After 4 iterations:\n    rfp_margin: i32 = "), "{whole}");
        tune("part.csv", "--threads 1").unwrap();
        // As if it had been stopped after two iterations: the heading and three rows are left.
        let part = path("part.csv");
        let rows = std::fs::read_to_string(&part).unwrap();
        let end = rows.trim_end().rfind('\n').and_then(|end| rows[..end].rfind('\n')).unwrap();
        std::fs::write(&part, &rows[..=end]).unwrap();
        assert_eq!(tune("part.csv", "--threads 1 --resume").unwrap(), whole);
        assert_eq!(std::fs::read_to_string(&part).unwrap(), rows);
        for name in ["whole.csv", "part.csv"] {
            std::fs::remove_file(path(name)).unwrap();
        }
    }

    #[test]
    fn the_table_can_be_pasted() {
        let tunable = Tunable { name: "rfp_margin", default: 75.0, min: 30.0, max: 150.0, step: 10.0 };
        let mut spsa = Spsa::new(vec![tunable], Schedule { iterations: 9, rate: 1.0, seed: 1 });
        spsa.resume(9, vec![81.6]);
        assert_eq!(table(&spsa), "After 9 iterations:\n    rfp_margin: i32 = 82, 30, 150, 10; // was 75");
    }
}
