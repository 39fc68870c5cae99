//! Iterative deepening: the loop over depths, aspiration windows, several best lines, and the
//! decision to end.

#![forbid(unsafe_code)]

use std::cmp::Reverse;
use std::time::Duration;

use super::mate::MateSearch;
use super::node::Root;
use super::syzygy::root_score;
use super::time::Confidence;
use super::worker::Worker;
use super::{Limits, Line, Report, SearchResult, SearchSettings, Sink};
use crate::board::Board;
use crate::tablebase;
use crate::tt::Bound;
use crate::types::{INFINITE, MAX_PLY, Move, Score, is_mate, mate_distance, mate_in, mated_in};

/// Bounds and current moves are reported from this time on; before, they are mostly noise.
const QUIET_TIME: Duration = Duration::from_secs(3);

/// When a mate is asked for, the normal search has so many nodes to find it by itself; then comes
/// the mate search, for at most so many nodes, and then the normal search again.
const MATE_SEARCH_START: u64 = 100_000;
const MATE_SEARCH_NODES: u64 = 50_000_000;

/// A move of the root and what is known of it.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub mv: Move,
    /// Score of this iteration; minus infinity for moves that were only refuted.
    pub score: Score,
    /// Score of the last finished iteration.
    pub previous: Score,
    pub bound: Bound,
    /// The line from this move on, itself first.
    pub pv: Vec<Move>,
    pub seldepth: usize,
    /// Nodes spent below it in the whole search.
    pub nodes: u64,
    /// What the tablebases say of it.
    pub tablebase: Option<tablebase::RootMove>,
}

impl RootMove {
    fn new(mv: Move) -> Self {
        Self {
            mv,
            score: -INFINITE,
            previous: -INFINITE,
            bound: Bound::Upper,
            pv: vec![mv],
            seldepth: 0,
            nodes: 0,
            tablebase: None,
        }
    }

    /// Moves of a lower rank are worse by the tablebases, whatever the search finds.
    pub fn rank(&self) -> i32 {
        self.tablebase.map_or(0, |tablebase| tablebase.rank)
    }

    /// What the moves are sorted by, the best first.
    fn order(&self) -> Reverse<(i32, Score)> {
        Reverse((self.rank(), self.score))
    }
}

impl Worker {
    /// Searches `board` until a limit is reached. Reports lines to `sink`, but not the best
    /// move: that is the business of who waits for it.
    pub fn search(
        &mut self,
        board: &Board,
        limits: &Limits,
        settings: &SearchSettings,
        sink: Option<&Sink>,
    ) -> SearchResult {
        self.begin(board, limits, settings);
        self.sink = sink.cloned();
        let wanted = |mv: &Move| limits.search_moves.is_empty() || limits.search_moves.contains(mv);
        self.root_moves.clear();
        self.root_moves.extend(self.board.legal_moves().into_iter().filter(wanted).map(RootMove::new));
        if self.root_moves.is_empty() {
            return self.conclude();
        }
        self.consult_tablebases();
        let depth = self.deepen();
        self.publish_counts();
        let chosen = self.chosen();
        let best = &self.root_moves[chosen];
        SearchResult {
            best: Some(best.mv),
            pv: best.pv.clone(),
            score: best.previous,
            depth,
            nodes: self.nodes,
        }
    }

    /// The place of the move to play: the first, but for a weaker player, who finds another now
    /// and then. Only moves that were searched to their end count, and no move that is worse by
    /// the tablebases.
    fn chosen(&mut self) -> usize {
        let Some(strength) = self.settings.strength else { return 0 };
        let rank = self.root_moves[0].rank();
        self.root_moves.sort_by_key(|root_move| Reverse((root_move.rank(), root_move.previous)));
        let scores: Vec<_> = self
            .root_moves
            .iter()
            .filter(|root_move| root_move.rank() == rank && root_move.previous > -INFINITE)
            .map(|root_move| root_move.previous)
            .take(strength.candidates())
            .collect();
        if scores.is_empty() { 0 } else { strength.choose(&scores) }
    }

    /// How many lines are searched, and how many of them are shown.
    fn line_counts(&self) -> (usize, usize) {
        let shown = self.settings.multi_pv;
        let wanted = self.settings.strength.map_or(shown, |strength| strength.candidates().max(shown));
        let all = self.root_moves.len();
        (wanted.clamp(1, all), shown.clamp(1, all))
    }

    /// The result where there is no move: the side to move is mated, or it is a draw.
    fn conclude(&self) -> SearchResult {
        let score = if self.board.in_check() { mated_in(0) } else { 0 };
        if let Some(sink) = &self.sink {
            sink(Report::Line(Line {
                depth: 0,
                seldepth: 0,
                multipv: 1,
                score,
                bound: Bound::Exact,
                nodes: 0,
                nps: 0,
                hashfull: 0,
                tb_hits: 0,
                time_ms: 0,
                pv: Vec::new(),
            }));
        }
        SearchResult { best: None, pv: Vec::new(), score, depth: 0, nodes: 0 }
    }

    /// Looks for a mate in at most `moves` moves, of either side; true if there is one, which is
    /// then the best line. Tells if it is certain that the side to move has none.
    fn prove_mate(&mut self, moves: u32) -> bool {
        let position = *self.board.position();
        let first: Vec<Move> = self.root_moves.iter().map(|root_move| root_move.mv).collect();
        let lost = self.root_moves[0].score < 0;
        let last_node = self.nodes + MATE_SEARCH_NODES;
        let mut search = MateSearch::new(|| {
            self.nodes += 1;
            self.must_stop() || self.nodes > last_node
        });
        let defence = if lost { search.longest_defence(&position, moves, &first) } else { None };
        let line = defence.or_else(|| search.solve(&position, moves, &first));
        let refuted = line.is_none() && !search.was_stopped();
        if refuted && let Some(sink) = &self.sink {
            sink(Report::Note(format!("there is no mate in {moves}")));
        }
        let Some(pv) = line else { return false };
        let Some(index) = self.root_moves.iter().position(|root_move| root_move.mv == pv[0]) else {
            return false;
        };
        self.root_moves.swap(0, index);
        // The last move of the line mates: the side that plays it wins.
        let score = if pv.len() % 2 == 1 { mate_in(pv.len()) } else { mated_in(pv.len()) };
        let root_move = &mut self.root_moves[0];
        (root_move.score, root_move.previous, root_move.bound) = (score, score, Bound::Exact);
        root_move.pv = pv;
        true
    }

    /// Searches deeper and deeper; returns the last depth that was finished.
    fn deepen(&mut self) -> i32 {
        // The other threads help until the first one ends: if they stopped at its depth, the
        // fastest would idle.
        let depth_limit = self.limits.depth.filter(|_| self.id == 0);
        let deepest =
            depth_limit.map_or(MAX_PLY as i32 - 2, |depth| depth.clamp(1, MAX_PLY as u32 - 2) as i32);
        let (lines, shown) = self.line_counts();
        let mut stability = 0;
        let mut finished = 0;
        let mut mate_wanted = self.limits.mate;
        for depth in 1..=deepest {
            self.root_depth = depth;
            let last_best = self.root_moves[0].mv;
            let last_score = self.root_moves[0].previous;
            for root_move in &mut self.root_moves {
                root_move.score = -INFINITE;
            }
            for index in 0..lines {
                self.pv_index = index;
                self.seldepth = 0;
                self.aspirate(depth);
                // Stable: moves that were only refuted keep their order.
                self.root_moves[..].sort_by_key(RootMove::order);
                if self.is_stopped() {
                    break;
                }
            }
            if self.is_stopped() {
                self.settle(depth, last_best);
                break;
            }
            finished = depth;
            for root_move in &mut self.root_moves {
                if root_move.score > -INFINITE {
                    root_move.previous = root_move.score;
                }
            }
            self.report_lines(depth, shown);

            let best = &self.root_moves[0];
            stability = if best.mv == last_best { stability + 1 } else { 0 };
            let confidence = Confidence {
                stability,
                node_share: best.nodes as f64 / self.nodes.max(1) as f64,
                score_drop: if depth > 1 { last_score - best.score } else { 0 },
            };
            if self.id == 0 && self.is_enough(depth, confidence) {
                break;
            }
            if self.id == 0
                && let Some(moves) = mate_wanted
                && self.nodes >= MATE_SEARCH_START
            {
                mate_wanted = None;
                if self.prove_mate(moves.max(1)) {
                    self.report_line(depth, 0);
                    break;
                }
            }
        }
        finished
    }

    /// Whether the search may end after this iteration.
    fn is_enough(&mut self, depth: i32, confidence: Confidence) -> bool {
        self.publish_counts();
        let score = self.root_moves[0].score;
        if let Some(moves) = self.limits.mate
            && is_mate(score)
            && mate_distance(score).unsigned_abs() <= moves.max(1)
        {
            return true;
        }
        if self.limits.soft_nodes.is_some_and(|limit| self.nodes >= limit) {
            return true;
        }
        if self.shared.is_pondering() || self.limits.infinite || !self.time.has_clock() {
            return false;
        }
        if self.pondering {
            self.pondering = false;
            self.time.restart(self.shared.nodes());
        }
        // On a clock a forced move needs no thought, and a mate cannot be improved for long.
        let forced = self.root_moves.len() == 1;
        let mate = is_mate(score) && depth > 2 * mate_distance(score).abs() + 8;
        forced || mate || self.time.is_enough(confidence, self.shared.nodes())
    }

    /// Searches the root in a narrow window around the last score, wider after each failure
    /// (see chessprogramming.org, "Aspiration Windows"). After a fail high the depth drops:
    /// the move is good, and it is found again faster.
    fn aspirate(&mut self, depth: i32) {
        let expected = self.root_moves[self.pv_index].previous;
        let params = self.params();
        let (mut delta, growth) = (params.aspiration_delta, params.aspiration_growth);
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        if depth >= 4 && !is_mate(expected) {
            delta += expected.abs() / 64;
            alpha = (expected - delta).max(-INFINITE);
            beta = (expected + delta).min(INFINITE);
        }
        let mut reduction = 0;
        loop {
            let score = self.negamax::<Root>(0, alpha, beta, (depth - reduction).max(1), false);
            if self.is_stopped() {
                return;
            }
            let index = self.pv_index;
            self.root_moves[index..].sort_by_key(RootMove::order);
            if score <= alpha && alpha > -INFINITE {
                beta = (alpha + beta) / 2;
                alpha = (score - delta).max(-INFINITE);
                reduction = 0;
            } else if score >= beta && beta < INFINITE {
                beta = (score + delta).min(INFINITE);
                reduction = (reduction + 1).min(3);
            } else {
                return;
            }
            if self.settings.multi_pv == 1 && index == 0 && self.tells_details() {
                self.report_line(depth, index);
            }
            delta += delta * growth / 128 + 1;
            // Scores that swing to the ends of the range are not worth narrow windows.
            if delta > 1000 {
                (alpha, beta) = (-INFINITE, INFINITE);
            }
        }
    }

    /// After a stop in mid-iteration: what was searched to its end still counts. The line that
    /// will be played is reported once more, with the final counts. Several lines are only
    /// complete after a whole iteration, so there the last one stands, if there was any.
    fn settle(&mut self, depth: i32, last_best: Move) {
        if self.line_counts().0 > 1 && depth > 1 {
            let best = self.root_moves.iter().position(|root_move| root_move.mv == last_best);
            self.root_moves[..=best.unwrap_or(0)].rotate_right(1);
            return;
        }
        for root_move in &mut self.root_moves {
            if root_move.score > -INFINITE && root_move.bound != Bound::Upper {
                root_move.previous = root_move.score;
            }
        }
        let searched = self.root_moves[0].score > -INFINITE;
        if !searched {
            let last = self.root_moves[0].previous;
            // Not even the first iteration knows a score: the evaluation stands for it.
            let score = if last > -INFINITE { last } else { self.raw_eval() };
            let best = &mut self.root_moves[0];
            (best.score, best.previous, best.bound) = (score, score, Bound::Exact);
        }
        self.report_line(if searched { depth } else { depth - 1 }, 0);
    }

    /// The best move so far of the line that is searched: the first to try.
    pub(super) fn root_best(&self) -> Option<Move> {
        Some(self.root_moves[self.pv_index].mv)
    }

    /// Whether a root move belongs to the line that is searched, that is, was asked for, is not
    /// the first move of a better line, and not worse by the tablebases.
    pub(super) fn is_root_candidate(&self, mv: Move) -> bool {
        let rank = self.root_moves[self.pv_index].rank();
        self.root_moves[self.pv_index..]
            .iter()
            .take_while(|root_move| root_move.rank() == rank)
            .any(|root_move| root_move.mv == mv)
    }

    /// Notes the result of a root move.
    pub(super) fn record_root_move(
        &mut self,
        mv: Move,
        number: usize,
        score: Score,
        alpha: Score,
        beta: Score,
        nodes: u64,
    ) {
        let seldepth = self.seldepth;
        let Some(root_move) = self.root_moves.iter_mut().find(|root_move| root_move.mv == mv) else { return };
        root_move.nodes += nodes;
        if number > 1 && score <= alpha {
            root_move.score = -INFINITE;
            return;
        }
        root_move.score = score;
        root_move.seldepth = seldepth;
        root_move.bound = match score {
            s if s <= alpha => Bound::Upper,
            s if s >= beta => Bound::Lower,
            _ => Bound::Exact,
        };
        root_move.pv.truncate(1);
        root_move.pv.extend_from_slice(self.pv.line(1));
    }

    /// Whether bounds and current moves are reported.
    fn tells_details(&self) -> bool {
        self.settings.verbose || self.time.elapsed() > QUIET_TIME
    }

    /// Tells which root move is searched, once the search takes long.
    pub(super) fn report_current_move(&self, mv: Move, number: usize) {
        if let Some(sink) = &self.sink
            && self.tells_details()
        {
            sink(Report::CurrentMove { depth: self.root_depth, mv, number: number + self.pv_index });
        }
    }

    fn report_lines(&self, depth: i32, lines: usize) {
        for index in 0..lines {
            self.report_line(depth, index);
        }
    }

    fn report_line(&self, depth: i32, index: usize) {
        if let Some(sink) = &self.sink {
            sink(Report::Line(self.line(depth, index)));
        }
    }

    /// Tells the line of another thread, whose move is played.
    pub(super) fn report_result(&self, result: &SearchResult) {
        let own = self.root_moves.iter().find(|root_move| Some(root_move.mv) == result.best);
        if let (Some(own), Some(sink)) = (own, &self.sink) {
            let (score, bound, pv) = (result.score, Bound::Exact, result.pv.clone());
            let theirs = RootMove { score, bound, pv, ..own.clone() };
            sink(Report::Line(self.line_of(self.root_depth.max(result.depth), 0, &theirs)));
        }
    }

    /// What is known of the root move in the given place.
    fn line(&self, depth: i32, index: usize) -> Line {
        self.line_of(depth, index, &self.root_moves[index])
    }

    fn line_of(&self, depth: i32, index: usize, root_move: &RootMove) -> Line {
        self.publish_counts();
        let elapsed = self.time.elapsed();
        let nodes = self.shared.nodes();
        let (score, bound) = match root_move.tablebase {
            Some(tablebase) => (root_score(root_move.score, tablebase.wdl), Bound::Exact),
            None => (root_move.score, root_move.bound),
        };
        Line {
            depth,
            seldepth: root_move.seldepth.max(depth as usize),
            multipv: index + 1,
            score,
            bound,
            nodes,
            nps: (nodes as f64 / elapsed.as_secs_f64().max(1e-6)) as u64,
            hashfull: self.shared.table.hashfull(),
            tb_hits: self.shared.tb_hits(),
            time_ms: elapsed.as_millis() as u64,
            pv: root_move.pv.clone(),
        }
    }
}
