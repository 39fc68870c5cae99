//! Games between two sides in one process, several at a time.
//!
//! Every thread owns a searcher for each side. Games come in pairs: one opening, each side once
//! with White. Both searchers forget everything before each game, so a pair depends on its
//! number alone, and two equal sides score exactly one half.

#![forbid(unsafe_code)]

use std::io;
use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::channel;
use std::thread;

use crate::board::Board;
use crate::eval::EvalSource;
use crate::search::{Limits, Params, STACK_SIZE};
use crate::tools::datagen::adjudicate::Referee;
use crate::tools::searcher::{FixedParams, Searcher};
use crate::tt::TableError;
use crate::types::{ByColor, Color};

use super::openings::Openings;

/// Table of the searcher that checks openings, in MiB.
const CHECKER_HASH: usize = 1;

/// The results of the two games of a pair, in half points of side A.
pub type Pair = [usize; 2];

/// Two sides with the threads they play on.
pub struct Arena {
    duels: Vec<Duel>,
    openings: Openings,
    limits: Limits,
}

impl Arena {
    /// An arena where sides A and B search every move to `limits` with these evaluations and
    /// tables of `hash` MiB, and play `threads` pairs at a time.
    ///
    /// # Errors
    /// When a table cannot be allocated.
    pub fn new(
        sources: &[EvalSource; 2],
        limits: Limits,
        openings: Openings,
        threads: usize,
        hash: usize,
    ) -> Result<Self, TableError> {
        let duels = (0..threads).map(|_| Duel::new(sources, hash)).collect::<Result<_, _>>()?;
        Ok(Self { duels, openings, limits })
    }

    /// Lets side A (0) or B (1) play with other tunables from now on.
    ///
    /// # Errors
    /// In builds without the feature `tuning`, if they are not the defaults.
    pub fn set_params(&mut self, side: usize, params: &Params) -> Result<(), FixedParams> {
        self.duels.iter_mut().try_for_each(|duel| duel.sides[side].set_params(params))
    }

    /// Plays the pairs of these numbers. `report` hears of each result, in the order in which
    /// they end, until it breaks; pairs that are still on the board then do not count.
    ///
    /// # Errors
    /// When a thread cannot be started.
    pub fn play(
        &mut self,
        pairs: Range<u64>,
        mut report: impl FnMut(Pair) -> ControlFlow<()>,
    ) -> io::Result<()> {
        let (openings, limits) = (&self.openings, &self.limits);
        // Relaxed: only the number counts; results come through the channel.
        let next = AtomicU64::new(pairs.start);
        let take = || Some(next.fetch_add(1, Relaxed)).filter(|number| *number < pairs.end);
        thread::scope(|scope| {
            let (sender, results) = channel();
            for duel in &mut self.duels {
                let (sender, take) = (sender.clone(), &take);
                let work = move || {
                    while let Some(number) = take() {
                        let opening = openings.get(number, &mut duel.checker);
                        // Nobody hears the result any more: the match is over.
                        if sender.send(duel.play_pair(&opening, limits)).is_err() {
                            break;
                        }
                    }
                };
                thread::Builder::new().stack_size(STACK_SIZE).spawn_scoped(scope, work)?;
            }
            drop(sender);
            for pair in results {
                if report(pair).is_break() {
                    break;
                }
            }
            Ok(())
        })
    }
}

/// What one thread plays with.
struct Duel {
    sides: [Searcher; 2],
    /// Looks at openings: they must not depend on who plays.
    checker: Searcher,
}

impl Duel {
    fn new(sources: &[EvalSource; 2], hash: usize) -> Result<Self, TableError> {
        let side = |source: &EvalSource| Searcher::new(hash, source.clone());
        let sides = [side(&sources[0])?, side(&sources[1])?];
        Ok(Self { sides, checker: Searcher::new(CHECKER_HASH, EvalSource::default())? })
    }

    fn play_pair(&mut self, opening: &Board, limits: &Limits) -> Pair {
        Color::ALL.map(|color| self.play_game(opening.clone(), limits, color))
    }

    /// Plays a game in which side A has the given colour; its half points.
    fn play_game(&mut self, mut board: Board, limits: &Limits, color: Color) -> usize {
        self.sides.iter_mut().for_each(Searcher::clear);
        let sides = match color {
            Color::White => ByColor([0, 1]),
            Color::Black => ByColor([1, 0]),
        };
        let mut referee = Referee::default();
        loop {
            let mover = board.side_to_move();
            let found = self.sides[sides[mover]].search(&board, limits);
            board.make(found.best.expect("the game goes on, so there is a move"));
            let score = if mover == Color::White { found.score } else { -found.score };
            if let Some((result, _)) = referee.judge(&board, score) {
                return (2.0 * result.points(color)) as usize;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::features::INPUTS;
    use crate::eval::network::{Network, Parameters};
    use std::sync::Arc;

    /// The results of the first pairs, sorted.
    fn play(sources: [EvalSource; 2], nodes: u64, threads: usize, pairs: u64) -> Vec<Pair> {
        let mut arena = Arena::new(&sources, Limits::nodes(nodes), Openings::Random(7), threads, 1).unwrap();
        let mut results = Vec::new();
        arena
            .play(0..pairs, |pair| {
                results.push(pair);
                ControlFlow::Continue(())
            })
            .unwrap();
        results.sort();
        results
    }

    /// A network to which all positions are equal.
    fn blind() -> EvalSource {
        let hidden = 32;
        let parameters = Parameters {
            hidden,
            buckets: 1,
            qb: 64,
            scale: 400,
            feature_weights: vec![0; INPUTS * hidden],
            feature_biases: vec![0; hidden],
            output_weights: vec![0; 2 * hidden],
            output_biases: vec![0],
        };
        EvalSource::Network(Arc::new(Network::new(&parameters).unwrap()))
    }

    #[test]
    fn equal_sides_score_one_half_in_every_pair() {
        let pairs = play([EvalSource::default(), EvalSource::default()], 300, 1, 8);
        assert_eq!(pairs.len(), 8);
        // What a side wins with White, the other wins with White too.
        assert!(pairs.iter().all(|pair| pair[0] + pair[1] == 2), "{pairs:?}");
        assert!(pairs.iter().any(|pair| pair[0] != 1), "all games were drawn: {pairs:?}");
    }

    #[test]
    fn the_results_do_not_depend_on_the_threads() {
        let sides = || [EvalSource::default(), blind()];
        assert_eq!(play(sides(), 200, 1, 6), play(sides(), 200, 3, 6));
    }

    #[test]
    fn a_side_that_knows_nothing_loses() {
        let pairs = play([blind(), EvalSource::default()], 300, 1, 8);
        let half_points: usize = pairs.iter().flatten().sum();
        assert!(half_points <= 6, "{half_points} of 32 half points");
        assert_eq!(
            play([EvalSource::default(), blind()], 300, 1, 8).iter().flatten().sum::<usize>(),
            32 - half_points
        );
    }

    #[test]
    fn a_match_ends_when_nobody_wants_more_results() {
        let sides = [EvalSource::default(), EvalSource::default()];
        let mut arena = Arena::new(&sides, Limits::nodes(100), Openings::Random(1), 2, 1).unwrap();
        let mut heard = 0;
        let report = |_| {
            heard += 1;
            if heard == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        arena.play(0..u64::MAX, report).unwrap();
        assert_eq!(heard, 3);
    }
}
