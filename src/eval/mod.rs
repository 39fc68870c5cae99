//! Evaluation: what a position is worth when no search looks further.
//!
//! [`Evaluator`] is all the search knows. Behind it stands a network, the built-in one unless
//! another is loaded; a few endgames that networks misjudge are decided in `endgame`.
//!
//! Invariant: after `refresh` at the root, every `make_with` and `pop` in step with the board,
//! the evaluator describes the board's present position. Null moves change no man and do not
//! touch it.

pub mod accumulator;
pub mod endgame;
pub mod explain;
pub mod features;
mod infer;
mod kpk;
pub mod network;
mod seal;
pub mod simd;
pub mod wdl;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use once_cell::sync::Lazy;
use thiserror::Error;

use crate::board::{BoardObserver, Position};
use crate::files;
use crate::types::{Color, MAX_EVAL, Piece, Score, Square};

use accumulator::Accumulators;
use network::{Network, NetworkError};
use simd::Kernels;

/// Where evaluations come from; cheap to clone, shared by all threads.
#[derive(Clone, Debug)]
pub enum EvalSource {
    /// A network.
    Network(Arc<Network>),
    /// A function, in centipawns for the side to move: what plays the games from which the first
    /// network learns, or a stand-in for tests.
    Function(fn(&Position) -> Score),
}

impl Default for EvalSource {
    /// The network that is part of the program.
    fn default() -> Self {
        static BUILT_IN: Lazy<Arc<Network>> = Lazy::new(|| {
            let network = Network::from_bytes(include_bytes!(env!("LONGAN_NETWORK")));
            Arc::new(network.unwrap_or_else(|error| panic!("the built-in network: {error}")))
        });
        Self::Network(BUILT_IN.clone())
    }
}

/// Why a network file cannot be used.
#[derive(Debug, Error)]
pub enum OpenError {
    /// The file cannot be read.
    #[error("{path}: {error}")]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        error: io::Error,
    },
    /// The file is no network of this engine.
    #[error("{path}: {error}")]
    Network {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: NetworkError,
    },
}

impl EvalSource {
    /// The network of a file.
    ///
    /// # Errors
    /// When the file cannot be read, or is damaged, of another architecture or beyond a limit.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let bytes = files::read(path, network::LONGEST_FILE)
            .map_err(|error| OpenError::Read { path: path.into(), error })?;
        let network =
            Network::from_bytes(&bytes).map_err(|error| OpenError::Network { path: path.into(), error })?;
        Ok(Self::Network(Arc::new(network)))
    }
}

/// Evaluates the positions of one line of play; every search thread has its own.
pub struct Evaluator(Backend);

enum Backend {
    Network(Accumulators),
    Function(fn(&Position) -> Score),
}

impl Evaluator {
    /// An evaluator that has not seen a position: [`refresh`](Self::refresh) comes first.
    pub fn new(source: EvalSource) -> Self {
        Self(match source {
            EvalSource::Network(network) => Backend::Network(Accumulators::new(network, Kernels::detect())),
            EvalSource::Function(function) => Backend::Function(function),
        })
    }

    /// Starts a line with `root`.
    pub fn refresh(&mut self, root: &Position) {
        match &mut self.0 {
            Backend::Network(accumulators) => accumulators.refresh(root),
            Backend::Function(_) => {}
        }
    }

    /// Follows the board's `unmake`.
    #[inline]
    pub fn pop(&mut self) {
        match &mut self.0 {
            Backend::Network(accumulators) => accumulators.pop(),
            Backend::Function(_) => {}
        }
    }

    /// The score of `position`, the last of the line, in centipawns for the side to move, within
    /// [`MAX_EVAL`]. The fifty-move clock is not counted in, see [`damped`].
    pub fn evaluate(&mut self, position: &Position) -> Score {
        endgame::known(position).unwrap_or_else(|| self.scaled(position)).clamp(-MAX_EVAL, MAX_EVAL)
    }

    /// The score before anything outside the weights or the network has a say.
    pub fn raw(&mut self, position: &Position) -> Score {
        match &mut self.0 {
            Backend::Network(accumulators) => accumulators.evaluate(position),
            Backend::Function(function) => function(position),
        }
    }

    /// The raw score, smaller where the material makes a win doubtful.
    fn scaled(&mut self, position: &Position) -> Score {
        let raw = self.raw(position);
        let stm = position.side_to_move();
        let strong = if raw > 0 { stm } else { !stm };
        match endgame::drawish(position, strong) {
            Some(scale) => raw * scale / endgame::FULL_SCALE,
            None => raw,
        }
    }
}

/// `score` with the fifty-move clock of `position` counted in: half as much when the rule is
/// about to end the game. Apart from [`Evaluator::evaluate`], whose scores the search stores for
/// every path to a position.
#[inline]
pub fn damped(score: Score, position: &Position) -> Score {
    score * (200 - position.halfmove_clock().min(100) as Score) / 200
}

impl BoardObserver for Evaluator {
    #[inline]
    fn on_make(&mut self) {
        if let Backend::Network(accumulators) = &mut self.0 {
            accumulators.on_make();
        }
    }

    #[inline]
    fn on_remove(&mut self, color: Color, piece: Piece, square: Square) {
        if let Backend::Network(accumulators) = &mut self.0 {
            accumulators.on_remove(color, piece, square);
        }
    }

    #[inline]
    fn on_add(&mut self, color: Color, piece: Piece, square: Square) {
        if let Backend::Network(accumulators) = &mut self.0 {
            accumulators.on_add(color, piece, square);
        }
    }
}
