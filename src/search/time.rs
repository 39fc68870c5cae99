//! How long to think.
//!
//! Two limits: no iteration starts after the soft one, which stretches and shrinks with how
//! the search goes, and the hard one stops the search wherever it is. Pondering runs without a
//! clock until `ponderhit`, from when the time counts. Time can be counted in nodes, so that
//! games do not depend on the speed of the machine.

#![forbid(unsafe_code)]

use std::time::{Duration, Instant};

use super::{Limits, Params, SearchSettings};
use crate::types::Color;

/// The least time for a move, in milliseconds, unless there is nothing to spare.
const LEAST: i64 = 1;

/// The clock of one search.
#[derive(Clone, Debug)]
pub struct TimeManager {
    start: Instant,
    /// If not 0, so many nodes count as a millisecond of the clock.
    nodes_per_ms: u64,
    /// The nodes that were searched before the clock ran.
    free_nodes: u64,
    soft: Option<Duration>,
    hard: Option<Duration>,
}

/// What the last iterations tell about how sure the best move is.
#[derive(Clone, Copy, Debug)]
pub struct Confidence {
    /// Iterations in a row with the same best move.
    pub stability: u32,
    /// Share of the nodes spent below the best move, 0 to 1.
    pub node_share: f64,
    /// How far the score fell since the last iterations, in centipawns.
    pub score_drop: i32,
}

impl TimeManager {
    /// Starts the clock for a move of `side`.
    pub fn new(limits: &Limits, settings: &SearchSettings, side: Color, params: &Params) -> Self {
        let start = limits.since.unwrap_or_else(Instant::now);
        let (soft, hard) = match (limits.move_time, limits.clocks[side]) {
            (Some(time), _) => (None, Some(millis(time))),
            (None, Some(clock)) => {
                let moves = i64::from(limits.moves_to_go.unwrap_or(params.time_moves as u32).clamp(1, 50));
                let (overhead, increment) = (settings.move_overhead, clock.increment.max(0));
                // Increments pay for the overhead of later moves; what they do not pay is set aside.
                let reserve = (overhead - increment).max(0) * (moves - 1);
                let left = (clock.remaining - overhead - reserve).max(LEAST);
                let share = increment * i64::from(params.time_increment) / 100;
                let increment = share.min((increment - overhead).max(0));
                let soft = (left / moves + increment).min(left);
                let hard = if moves == 1 { left } else { left * i64::from(params.time_hard) / 100 };
                // With nothing to spare, the thinking shrinks with the clock: to a hundredth of it.
                let scarce = Duration::from_micros(clock.remaining.clamp(0, 100) as u64 * 10);
                let fit = |time| if left > LEAST { millis(time) } else { scarce };
                (Some(fit(soft.min(hard))), Some(fit(hard.min(soft * 5))))
            }
            (None, None) => (None, None),
        };
        Self { start, nodes_per_ms: settings.nodes_per_ms, free_nodes: 0, soft, hard }
    }

    /// Counts from now on, `nodes` being searched: the opponent played the move that was
    /// pondered on.
    pub fn restart(&mut self, nodes: u64) {
        self.start = Instant::now();
        self.free_nodes = nodes;
    }

    /// What the clock lost until `nodes` were searched.
    fn spent(&self, nodes: u64) -> Duration {
        match self.nodes_per_ms {
            0 => self.elapsed(),
            rate => Duration::from_millis(nodes.saturating_sub(self.free_nodes) / rate),
        }
    }

    /// Real time since the start.
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Whether the move is timed by a clock, not by a fixed time.
    pub fn has_clock(&self) -> bool {
        self.soft.is_some()
    }

    /// Whether the search must end now, with so many nodes searched.
    pub fn is_over(&self, nodes: u64) -> bool {
        self.hard.is_some_and(|hard| self.spent(nodes) >= hard)
    }

    /// Whether another iteration should not be started, with so many nodes searched.
    pub fn is_enough(&self, confidence: Confidence, nodes: u64) -> bool {
        self.soft.is_some_and(|soft| {
            let scale = stability_scale(confidence.stability)
                * node_scale(confidence.node_share)
                * score_scale(confidence.score_drop);
            self.spent(nodes) >= soft.mul_f64(scale)
        })
    }
}

/// A best move that changed lately deserves time; one that has held for long needs little.
fn stability_scale(stability: u32) -> f64 {
    [1.7, 1.25, 1.0, 0.9, 0.82, 0.76][stability.min(5) as usize]
}

/// Many nodes below the best move mean that the others are refuted quickly.
fn node_scale(share: f64) -> f64 {
    1.95 - 1.4 * share
}

/// A falling score may be a mistake that more time can mend.
fn score_scale(drop: i32) -> f64 {
    (1.0 + 0.012 * f64::from(drop)).clamp(0.85, 1.6)
}

fn millis(time: i64) -> Duration {
    Duration::from_millis(time.max(LEAST) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Clock;
    use crate::types::ByColor;

    fn manager(remaining: i64, increment: i64, moves_to_go: Option<u32>) -> TimeManager {
        let clock = Some(Clock { remaining, increment });
        let limits = Limits { clocks: ByColor([clock, None]), moves_to_go, ..Limits::default() };
        TimeManager::new(&limits, &SearchSettings::default(), Color::White, &Params::DEFAULT)
    }

    #[test]
    fn no_clock_never_ends() {
        let time =
            TimeManager::new(&Limits::default(), &SearchSettings::default(), Color::White, &Params::DEFAULT);
        assert!(!time.is_over(u64::MAX) && !time.has_clock());
    }

    #[test]
    fn time_can_be_counted_in_nodes() {
        let limits = Limits { move_time: Some(20), ..Limits::default() };
        let settings = SearchSettings { nodes_per_ms: 100, ..SearchSettings::default() };
        let mut time = TimeManager::new(&limits, &settings, Color::White, &Params::DEFAULT);
        assert!(!time.is_over(1_999) && time.is_over(2_000));
        time.restart(1_000);
        assert!(!time.is_over(2_999) && time.is_over(3_000));
    }

    #[test]
    fn the_hard_limit_stays_below_the_clock_and_its_overhead() {
        for remaining in [-500, 0, 1, 5, 20, 100, 1_000, 60_000, i64::from(i32::MAX)] {
            for increment in [-5, 0, 10, 8_000] {
                for moves_to_go in [None, Some(0), Some(1), Some(2), Some(40), Some(u32::MAX)] {
                    let time = manager(remaining, increment, moves_to_go);
                    let left = millis(remaining - 10);
                    assert!(time.hard.unwrap() <= left, "{remaining} {increment} {moves_to_go:?}");
                    assert!(time.soft.unwrap() <= time.hard.unwrap());
                }
            }
        }
    }

    #[test]
    fn what_increments_do_not_pay_is_set_aside() {
        // Ten milliseconds are lost with each move. An increment of two leaves eight to find.
        let reserve = 8 * (i64::from(Params::DEFAULT.time_moves) - 1);
        let time = manager(reserve + 10 + 240, 2, None);
        assert_eq!(time.soft, Some(Duration::from_millis(240 / Params::DEFAULT.time_moves as u64)));
        // When nothing is left, every move is made at once.
        let time = manager(reserve, 2, None);
        assert_eq!((time.soft, time.hard), (Some(Duration::from_millis(1)), Some(Duration::from_millis(1))));
        assert_eq!(manager(500, 0, Some(60)).hard, Some(Duration::from_millis(1)));
        assert_eq!(manager(30, 2, None).hard, Some(Duration::from_micros(300)));
        assert_eq!(manager(-30, 2, None).hard, Some(Duration::ZERO));
    }

    #[test]
    fn the_clock_runs_since_the_order_came() {
        let since = Instant::now().checked_sub(Duration::from_secs(1));
        let limits = Limits { since, move_time: Some(500), ..Limits::default() };
        let time = TimeManager::new(&limits, &SearchSettings::default(), Color::White, &Params::DEFAULT);
        assert!(time.is_over(0));
    }

    #[test]
    fn the_last_move_before_the_control_may_use_all() {
        assert_eq!(manager(800, 0, Some(1)).hard, Some(Duration::from_millis(790)));
    }
}
