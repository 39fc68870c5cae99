//! `longan wdl-fit`: fits the model of winning chances to games of the engine.
//!
//! The fit is the maximum of the likelihood of all results, given the scores that the search
//! saw on the way. Positions are counted in cells of material and score, and the parameters are
//! improved one at a time with smaller and smaller steps.

#![forbid(unsafe_code)]

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::PathBuf;

use clap::Args;
use thiserror::Error;

use super::datagen::filter::game_ply;
use super::datagen::viriformat::{Game, GameError, GameReader};
use crate::eval::wdl::{MODEL, Model, material};
use crate::types::{Color, Score, is_decisive};

/// Fit the model of winning chances to games of this engine
#[derive(Args, Clone, Debug)]
pub struct WdlFitArgs {
    /// Files of games, as `longan datagen` writes them
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

/// Why there is no fit.
#[derive(Debug, Error)]
pub enum WdlFitError {
    /// A file cannot be read.
    #[error("{path}: {error}")]
    File {
        /// The file.
        path: PathBuf,
        /// Where and how it is damaged.
        error: GameError,
    },
    /// There is nothing to fit to.
    #[error("the files hold no position to fit to")]
    NoData,
}

/// Positions before this ply follow random moves.
const FIRST_PLY: u32 = 16;
/// Larger scores are certain wins, which tell nothing about the curves.
const MAX_SCORE: Score = 1_500;
/// Width of a cell, in centipawns and in material.
const SCORE_STEP: Score = 10;
const MATERIAL_STEP: u32 = 4;
/// The last step of the fit, relative to the parameters.
const PRECISION: f64 = 1e-4;

/// How often White won, drew and lost in a cell of material and score.
#[derive(Default)]
struct Counts(HashMap<(u32, Score), [f64; 3]>);

impl Counts {
    fn add(&mut self, game: &Game) {
        let outcome = match game.result.points(Color::White) {
            1.0 => 0,
            0.5 => 1,
            _ => 2,
        };
        for (position, ply) in game.positions() {
            let score = Score::from(ply.score);
            if game_ply(&position) >= FIRST_PLY && score.abs() <= MAX_SCORE && !is_decisive(score) {
                let cell = (material(&position) / MATERIAL_STEP, score.div_euclid(SCORE_STEP));
                self.0.entry(cell).or_default()[outcome] += 1.0;
            }
        }
    }

    /// Cells with their middle material and score.
    fn cells(&self) -> impl Iterator<Item = (u32, Score, &[f64; 3])> {
        self.0.iter().map(|(&(material, score), counts)| {
            (material * MATERIAL_STEP + MATERIAL_STEP / 2, score * SCORE_STEP + SCORE_STEP / 2, counts)
        })
    }

    fn total(&self) -> f64 {
        self.0.values().flatten().sum()
    }

    /// The mean negative logarithm of the chance that the model gave to what happened.
    fn loss(&self, model: &Model) -> f64 {
        let cost = |chance: f64, count: f64| if count > 0.0 { -count * chance.max(1e-9).ln() } else { 0.0 };
        let sum: f64 = self
            .cells()
            .map(|(material, score, &[wins, draws, losses])| {
                let chances = model.chances(score, material);
                cost(chances.win, wins) + cost(chances.draw, draws) + cost(chances.loss, losses)
            })
            .sum();
        sum / self.total()
    }

    fn fit(&self) -> Model {
        let mut best = MODEL;
        let mut loss = self.loss(&best);
        let mut step = 0.5;
        while step > PRECISION {
            let mut improved = false;
            for index in 0..4 {
                for sign in [1.0, -1.0] {
                    let mut model = best;
                    let parameter = if index < 2 { &mut model.a[index] } else { &mut model.b[index - 2] };
                    *parameter += sign * step * 100.0;
                    let new = self.loss(&model);
                    if new < loss {
                        (best, loss, improved) = (model, new, true);
                    }
                }
            }
            if !improved {
                step /= 2.0;
            }
        }
        best
    }

    /// Expected and real shares by score, from White's view.
    fn residuals(&self, model: &Model) -> String {
        const BANDS: [Score; 10] = [-MAX_SCORE - 1, -500, -250, -100, -30, 30, 100, 250, 500, MAX_SCORE + 1];
        let mut text =
            "score          positions   wins (model)      draws (model)     losses (model)\n".to_string();
        for band in BANDS.windows(2) {
            let (mut real, mut expected) = ([0.0; 3], [0.0; 3]);
            for (material, score, counts) in
                self.cells().filter(|&(_, score, _)| band[0] <= score && score < band[1])
            {
                let count: f64 = counts.iter().sum();
                let chances = model.chances(score, material);
                for (i, chance) in [chances.win, chances.draw, chances.loss].into_iter().enumerate() {
                    real[i] += counts[i];
                    expected[i] += chance * count;
                }
            }
            let count: f64 = real.iter().sum();
            // Writing to a String cannot fail.
            let _ =
                write!(text, "{:>5} to {:<5} {count:>10}", band[0].max(-MAX_SCORE), band[1].min(MAX_SCORE));
            for (real, expected) in real.iter().zip(expected) {
                let _ = write!(text, "   {:5.1} ({:5.1}) %", 100.0 * real / count, 100.0 * expected / count);
            }
            text.push('\n');
        }
        text
    }
}

/// Fits, and says how well in a table that is ready for a document.
///
/// # Errors
/// When a file cannot be read or holds nothing.
pub fn run(args: &WdlFitArgs) -> Result<String, WdlFitError> {
    let mut counts = Counts::default();
    let mut games = 0_u64;
    for path in &args.files {
        let error = |error: GameError| WdlFitError::File { path: path.clone(), error };
        let file = File::open(path).map_err(|e: io::Error| error(e.into()))?;
        for game in GameReader::new(BufReader::with_capacity(1 << 20, file)) {
            counts.add(&game.map_err(error)?);
            games += 1;
        }
    }
    if counts.0.is_empty() {
        return Err(WdlFitError::NoData);
    }
    let model = counts.fit();
    let Model { a, b } = model;
    Ok(format!(
        "{games} games, {} positions from ply {FIRST_PLY} with scores up to {MAX_SCORE}\n\
         Model {{ a: [{:.1}, {:.1}], b: [{:.1}, {:.1}] }}\n\
         loss {:.5} (the model in use: {:.5})\n\n{}",
        counts.total(),
        a[0],
        a[1],
        b[0],
        b[1],
        counts.loss(&model),
        counts.loss(&MODEL),
        counts.residuals(&model).trim_end()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_model_is_found_again() {
        let truth = Model { a: [120.0, 90.0], b: [60.0, 25.0] };
        let mut counts = Counts::default();
        for material in 2..19 {
            for score in -60..60 {
                let chances = truth.chances(
                    score * SCORE_STEP + SCORE_STEP / 2,
                    material * MATERIAL_STEP + MATERIAL_STEP / 2,
                );
                counts
                    .0
                    .insert((material, score), [chances.win, chances.draw, chances.loss].map(|c| 1000.0 * c));
            }
        }
        let found = counts.fit();
        for (found, truth) in found.a.iter().chain(&found.b).zip(truth.a.iter().chain(&truth.b)) {
            assert!((found - truth).abs() < 1.0, "{found} {truth}");
        }
        assert!(counts.residuals(&found).lines().count() == 10);
    }
}
