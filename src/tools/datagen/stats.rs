//! What files of games hold, and whether it can be what self-play makes.
//!
//! Every game is read with all checks of the reader and judged again; figures of the positions
//! are those of the kept ones ([`Filter::default`]). A network trained on mislabelled games looks
//! healthy until it plays, so data outside the usual limits is refused before any training.

use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use crate::board::Board;
use crate::fnv;
use crate::types::{ByColor, Color};

use super::adjudicate::{Ending, Referee};
use super::filter::Filter;
use super::viriformat::{Game, GameError, GameReader, GameResult};

/// The sum of products that a correlation coefficient needs.
#[derive(Clone, Copy, Debug, Default)]
struct Correlation {
    count: f64,
    x: f64,
    y: f64,
    xx: f64,
    xy: f64,
    yy: f64,
}

impl Correlation {
    fn add(&mut self, x: f64, y: f64) {
        self.count += 1.0;
        self.x += x;
        self.y += y;
        self.xx += x * x;
        self.xy += x * y;
        self.yy += y * y;
    }

    fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.x += other.x;
        self.y += other.y;
        self.xx += other.xx;
        self.xy += other.xy;
        self.yy += other.yy;
    }

    /// Pearson's coefficient; not a number when one of the two never varies.
    fn coefficient(&self) -> f64 {
        let covariance = self.count * self.xy - self.x * self.y;
        let spread = (self.count * self.xx - self.x * self.x) * (self.count * self.yy - self.y * self.y);
        covariance / spread.sqrt()
    }
}

/// The figures of one file or of several.
#[derive(Clone, Debug, Default)]
pub struct Stats {
    /// Whole games.
    pub games: u64,
    /// Positions a move was played in.
    pub positions: u64,
    /// Positions that the standard filter keeps.
    pub kept: u64,
    /// Men on the board, summed over kept positions.
    men: u64,
    white_points: f64,
    draws: u64,
    /// Score and result of kept positions, from the view of the side to move.
    correlation: ByColor<Correlation>,
    endings: [u64; Ending::ALL.len()],
    /// Games that end without a reason the referee knows.
    unexplained: u64,
    /// Games whose result is not the one the referee finds.
    contradicted: u64,
    /// Games that occurred before.
    repeated: u64,
    hashes: HashSet<u64>,
    /// Bytes of unfinished games.
    cut_bytes: u64,
}

/// A limit that sane data keeps.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// What is limited.
    pub name: &'static str,
    /// What was found.
    pub value: f64,
    /// The least and the largest value allowed.
    pub limits: (f64, f64),
}

impl Gate {
    /// Whether the value is within the limits; no number is not.
    pub fn passes(&self) -> bool {
        (self.limits.0..=self.limits.1).contains(&self.value)
    }
}

impl Stats {
    /// Reads a whole file.
    pub fn of_file(path: &Path) -> Result<Self, GameError> {
        Self::of_games(BufReader::with_capacity(1 << 20, File::open(path)?))
    }

    /// Reads games to the end of the input.
    pub fn of_games(input: impl BufRead) -> Result<Self, GameError> {
        let mut stats = Self::default();
        let mut reader = GameReader::new(input);
        for game in reader.by_ref() {
            stats.add(&game?);
        }
        stats.cut_bytes = reader.cut_bytes();
        Ok(stats)
    }

    /// Takes in a game.
    pub fn add(&mut self, game: &Game) {
        self.games += 1;
        self.positions += game.plies.len() as u64;
        self.white_points += game.result.points(Color::White);
        self.draws += u64::from(game.result == GameResult::Draw);
        for (position, ply) in Filter::default().kept(game) {
            let side = position.side_to_move();
            let score = if side == Color::White { ply.score } else { -ply.score };
            self.correlation[side].add(score.into(), game.result.points(side));
            self.kept += 1;
            self.men += u64::from(position.occupied().count());
        }
        match judge(game) {
            None => self.unexplained += 1,
            Some((result, _)) if result != game.result => self.contradicted += 1,
            Some((_, ending)) => self.endings[ending as usize] += 1,
        }
        let mut bytes = Vec::new();
        game.write_to(&mut bytes);
        self.repeated += u64::from(!self.hashes.insert(fnv::fnv1a(fnv::START, &bytes)));
    }

    /// Takes in the figures of another file.
    pub fn merge(&mut self, other: &Self) {
        self.games += other.games;
        self.positions += other.positions;
        self.kept += other.kept;
        self.men += other.men;
        self.white_points += other.white_points;
        self.draws += other.draws;
        for color in Color::ALL {
            self.correlation[color].merge(&other.correlation[color]);
        }
        for (mine, theirs) in self.endings.iter_mut().zip(other.endings) {
            *mine += theirs;
        }
        self.unexplained += other.unexplained;
        self.contradicted += other.contradicted;
        self.repeated += other.repeated;
        for &hash in &other.hashes {
            self.repeated += u64::from(!self.hashes.insert(hash));
        }
        self.cut_bytes += other.cut_bytes;
    }

    /// The limits, with what was found.
    pub fn gates(&self) -> Vec<Gate> {
        // Both sides start equally often after random moves, so White's first move counts little.
        let gate = |name, value, low, high| Gate { name, value, limits: (low, high) };
        vec![
            gate("games", self.games as f64, 1.0, f64::INFINITY),
            gate("white score %", self.per_game(self.white_points), 48.0, 56.0),
            gate("draws %", self.per_game(self.draws as f64), 10.0, 70.0),
            gate(
                "corr(score, result), White to move",
                self.correlation[Color::White].coefficient(),
                0.5,
                1.0,
            ),
            gate(
                "corr(score, result), Black to move",
                self.correlation[Color::Black].coefficient(),
                0.5,
                1.0,
            ),
            gate("mean men", self.men as f64 / self.kept as f64, 12.0, 22.0),
            gate("contradicted results", self.contradicted as f64, 0.0, 0.0),
            gate("repeated games %", self.per_game(self.repeated as f64), 0.0, 2.0),
            gate("bytes of an unfinished game", self.cut_bytes as f64, 0.0, 0.0),
        ]
    }

    /// A share of the games in per cent.
    fn per_game(&self, amount: f64) -> f64 {
        100.0 * amount / self.games as f64
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(f, "  {:36}{:>12}", "positions", self.positions)?;
        writeln!(f, "  {:36}{:>12.1}", "mean plies a game", self.positions as f64 / self.games as f64)?;
        writeln!(f, "  {:36}{:>12}", "kept positions", self.kept)?;
        writeln!(f, "  {:36}{:>12.1}", "kept %", 100.0 * self.kept as f64 / self.positions as f64)?;
        for ending in Ending::ALL {
            let share = self.per_game(self.endings[ending as usize] as f64);
            writeln!(f, "  {:36}{share:>12.2}", format!("ended by {ending:?} %"))?;
        }
        writeln!(f, "  {:36}{:>12}", "ended without a known reason", self.unexplained)?;
        for gate in self.gates() {
            let verdict = if gate.passes() { "" } else { "   FAILED" };
            let (low, high) = gate.limits;
            writeln!(f, "  {:36}{:>12.3}   [{low}, {high}]{verdict}", gate.name, gate.value)?;
        }
        Ok(())
    }
}

/// The verdict on a game's last move; `None` when no or an earlier move ended the game.
fn judge(game: &Game) -> Option<(GameResult, Ending)> {
    let mut board = Board::from_position(game.start);
    let mut referee = Referee::default();
    for (i, ply) in game.plies.iter().enumerate() {
        board.make(ply.mv);
        if let Some(verdict) = referee.judge(&board, ply.score.into()) {
            return (i + 1 == game.plies.len()).then_some(verdict);
        }
    }
    None
}

/// The FNV-1a hash of a file, which names its content in the records of a training run.
pub fn content_hash(path: &Path) -> io::Result<u64> {
    let mut input = BufReader::with_capacity(1 << 20, File::open(path)?);
    let mut hash = fnv::START;
    loop {
        let bytes = input.fill_buf()?;
        if bytes.is_empty() {
            return Ok(hash);
        }
        hash = fnv::fnv1a(hash, bytes);
        let used = bytes.len();
        input.consume(used);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn correlation_of_known_samples() {
        let of = |pairs: &[(f64, f64)]| {
            let mut correlation = Correlation::default();
            pairs.iter().for_each(|&(x, y)| correlation.add(x, y));
            correlation.coefficient()
        };
        assert!((of(&[(1.0, 2.0), (2.0, 4.0), (3.0, 6.0)]) - 1.0).abs() < 1e-12);
        assert!((of(&[(1.0, 1.0), (2.0, 0.0), (3.0, 0.5)]) + 0.5).abs() < 1e-12);
        assert!(of(&[(1.0, 1.0), (1.0, 0.0)]).is_nan());
    }
}
