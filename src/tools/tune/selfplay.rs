//! `longan selfplay`: a match between two sides, to a number of games or until a test decides.

#![forbid(unsafe_code)]

use std::fmt;
use std::ops::ControlFlow;
use std::str::FromStr;
use std::time::Instant;

use clap::{Args, value_parser};

use crate::eval::EvalSource;
use crate::search::Params;
use crate::tools::progress::Progress;

use super::matches::Pair;
use super::sprt::{Hypothesis, Sprt};
use super::stats::Pentanomial;
use super::{GameArgs, LabError, find_tunable, load_eval};

/// Play a match between two sets of parameters or two evaluations
#[derive(Args, Clone, Debug)]
pub struct SelfplayArgs {
    /// Parameters of side A that are not the defaults
    #[arg(long, value_name = "NAME=VALUE,…", value_delimiter = ',')]
    a: Vec<Setting>,
    /// Parameters of side B that are not the defaults
    #[arg(long, value_name = "NAME=VALUE,…", value_delimiter = ',')]
    b: Vec<Setting>,
    /// Evaluation of side A: the file of a network, or `bootstrap`
    #[arg(long, value_name = "NET", value_parser = load_eval)]
    eval_a: Option<EvalSource>,
    /// Evaluation of side B
    #[arg(long, value_name = "NET", value_parser = load_eval)]
    eval_b: Option<EvalSource>,
    /// Games to play, rounded up to pairs; with a test, no more than these
    #[arg(long, default_value_t = 1000, value_parser = value_parser!(u64).range(1..))]
    games: u64,
    /// Stop when it is decided whether A is stronger by ELO0 or ELO1 (normalised Elo)
    #[arg(long, num_args = 2, value_names = ["ELO0", "ELO1"], allow_negative_numbers = true)]
    sprt: Option<Vec<f64>>,
    /// Probability that the test decides for ELO1 when ELO0 is true
    #[arg(long, default_value_t = 0.05, requires = "sprt")]
    alpha: f64,
    /// Probability that the test decides for ELO0 when ELO1 is true
    #[arg(long, default_value_t = 0.05, requires = "sprt")]
    beta: f64,
    #[command(flatten)]
    game: GameArgs,
}

/// A parameter of the search with a value in its range.
#[derive(Clone, Debug, PartialEq)]
struct Setting {
    name: &'static str,
    value: f64,
}

impl FromStr for Setting {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text.split_once('=').ok_or("this is not NAME=VALUE")?;
        let tunable = find_tunable(name.trim())?;
        let (name, min, max) = (tunable.name, tunable.min, tunable.max);
        match value.trim().parse() {
            Ok(value) if (min..=max).contains(&value) => Ok(Self { name, value }),
            _ => Err(format!("{name} is a number from {min} to {max}, not `{value}`")),
        }
    }
}

/// The results of a match, for side A.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Tally {
    /// Games lost, drawn and won.
    games: [u64; 3],
    pairs: Pentanomial,
}

impl Tally {
    fn add(&mut self, pair: Pair) {
        pair.iter().for_each(|half_points| self.games[*half_points] += 1);
        self.pairs.add(pair.iter().sum());
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let [lost, drawn, won] = self.games;
        let Self { pairs, .. } = self;
        write!(f, "{} games, +{won} ={drawn} -{lost}, ", 2 * pairs.pairs())?;
        write!(f, "Elo {}, normalised {}, pairs {pairs}", pairs.elo(), pairs.normalised_elo())
    }
}

/// Plays the match and reports its result.
///
/// # Errors
/// When the match cannot be played as the arguments say.
pub fn run(args: &SelfplayArgs) -> Result<String, LabError> {
    let test = match args.sprt.as_deref() {
        Some(&[elo0, elo1]) => Some(Sprt::new(elo0, elo1, args.alpha, args.beta)?),
        _ => None,
    };
    let sources = [&args.eval_a, &args.eval_b].map(|source| source.clone().unwrap_or_default());
    let mut arena = args.game.arena(&sources)?;
    for (side, settings) in [&args.a, &args.b].into_iter().enumerate() {
        arena.set_params(side, &params(settings))?;
    }

    let pairs = args.games.div_ceil(2);
    let (start, mut tally, mut progress) = (Instant::now(), Tally::default(), Progress::start());
    arena.play(0..pairs, |pair| {
        tally.add(pair);
        progress.update(tally.pairs.pairs() as f64 / pairs as f64, || describe(&tally, test.as_ref()));
        match test.and_then(|test| test.verdict(&tally.pairs)) {
            Some(_) => ControlFlow::Break(()),
            None => ControlFlow::Continue(()),
        }
    })?;
    progress.finish();
    let games = 2.0 * tally.pairs.pairs() as f64;
    let rate = games / start.elapsed().as_secs_f64();
    Ok(format!("{}\n{rate:.2} games/s", describe(&tally, test.as_ref())))
}

fn describe(tally: &Tally, test: Option<&Sprt>) -> String {
    let Some(test) = test else { return tally.to_string() };
    let verdict = match test.verdict(&tally.pairs) {
        Some(Hypothesis::H0) => ": no gain (H0)",
        Some(Hypothesis::H1) => ": a gain (H1)",
        None => "",
    };
    format!("{tally}\n{}{verdict}", test.describe(&tally.pairs))
}

/// The defaults with these changes.
fn params(settings: &[Setting]) -> Params {
    let mut params = Params::DEFAULT;
    for setting in settings {
        params.set(setting.name, setting.value);
    }
    params
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Tunable;
    use clap::Parser;

    #[derive(Parser)]
    struct Program {
        #[command(flatten)]
        args: SelfplayArgs,
    }

    fn parse(words: &str) -> Result<SelfplayArgs, clap::Error> {
        Program::try_parse_from(["selfplay"].into_iter().chain(words.split_whitespace())).map(|it| it.args)
    }

    #[test]
    fn settings_are_names_with_values_in_range() {
        let tunable = Params::TABLE[0];
        let Tunable { name, min, max, .. } = tunable;
        let setting = |text: String| text.parse::<Setting>();
        assert_eq!(setting(format!(" {name} = {max}")), Ok(Setting { name, value: max }));
        let error = setting(format!("{name}={}", max + 1.0)).unwrap_err();
        assert_eq!(error, format!("{name} is a number from {min} to {max}, not `{}`", max + 1.0));
        assert!(setting(format!("{name}=x")).is_err() && setting(format!("{name}=NaN")).is_err());
        assert_eq!(setting("no_such=1".into()).unwrap_err(), "the search has no parameter `no_such`");
        assert_eq!(setting(name.into()).unwrap_err(), "this is not NAME=VALUE");
    }

    #[test]
    fn a_tally_counts_games_and_pairs() {
        let mut tally = Tally::default();
        for pair in [[2, 2], [0, 1], [1, 1], [2, 0]] {
            tally.add(pair);
        }
        assert_eq!(tally.games, [2, 3, 3]);
        assert_eq!(tally.pairs, Pentanomial([0, 1, 2, 0, 1]));
        assert!(tally.to_string().starts_with("8 games, +3 =3 -2, Elo +43.7 ± "), "{tally}");
    }

    #[test]
    fn a_match_ends_with_the_games_or_with_the_test() {
        let args = parse("--games 3 --nodes 50 --threads 2 --hash 1 --eval-a bootstrap").unwrap();
        let report = run(&args).unwrap();
        assert!(report.starts_with("4 games, "), "{report}");
        // Equal sides: the first pair is even, which is enough for so careless a test.
        let args = parse("--nodes 50 --hash 1 --sprt 50 200 --alpha 0.4 --beta 0.49").unwrap();
        let report = run(&args).unwrap();
        assert!(report.contains("no gain (H0)") && !report.starts_with("1000 games"), "{report}");
    }

    #[test]
    fn bad_arguments_are_refused() {
        for words in ["--games 0", "--nodes 0", "--sprt 1", "--alpha 0.1", "--eval-a /no/such.net", "--a x=1"]
        {
            assert!(parse(words).is_err(), "{words}");
        }
        let error = run(&parse("--sprt 5 0").unwrap()).unwrap_err();
        assert!(matches!(error, LabError::Sprt(_)), "{error}");
    }

    #[cfg(not(feature = "tuning"))]
    #[test]
    fn constant_parameters_cannot_be_set() {
        let Tunable { name, max, .. } = Params::TABLE[0];
        let error = run(&parse(&format!("--hash 1 --a {name}={max}")).unwrap()).unwrap_err();
        assert!(matches!(error, LabError::Params(_)), "{error}");
    }
}
