//! One searcher: its board, its evaluator, and all that it learned.

#![forbid(unsafe_code)]

use std::sync::Arc;

use super::history::Histories;
use super::params::InUse;
use super::pv::PvTable;
use super::reductions::ReductionTable;
use super::root::RootMove;
use super::stack::Stack;
use super::time::TimeManager;
use super::{Limits, Params, SearchSettings, Shared, Sink};
use crate::board::Board;
use crate::eval::endgame::is_known_win;
use crate::eval::{Evaluator, damped};
use crate::types::{Color, MAX_EVAL, Move, Score};

/// Nodes between two looks at the clock and the other threads.
const CHECK_INTERVAL: u64 = 1024;

/// Nodes that the first iteration may take whatever the limits say: far more than it needs, but on
/// boards of many queens.
const FIRST_ITERATION: u64 = 20_000;

/// A searcher. It keeps its histories from search to search; [`Worker::clear`] forgets them.
pub struct Worker {
    pub(super) id: usize,
    pub(super) shared: Arc<Shared>,
    pub(super) board: Board,
    pub(super) evaluator: Evaluator,
    pub(super) histories: Histories,
    pub(super) stack: Stack,
    pub(super) pv: PvTable,
    /// Who hears of lines, if anybody.
    pub(super) sink: Option<Sink>,
    pub(super) reductions: ReductionTable,
    pub(super) root_moves: Vec<RootMove>,
    /// Which line of several is searched now.
    pub(super) pv_index: usize,
    pub(super) root_depth: i32,
    pub(super) nodes: u64,
    pub(super) seldepth: usize,
    pub(super) tb_hits: u64,
    /// Nodes of at most so many men are looked up in the tablebases; 0 without any.
    pub(super) tb_men: u32,
    /// Null moves are not tried above this ply, while one is verified.
    pub(super) null_free_ply: usize,
    pub(super) limits: Limits,
    pub(super) settings: SearchSettings,
    pub(super) time: TimeManager,
    /// Whether the time still does not count.
    pub(super) pondering: bool,
    /// The node count at which this thread ends by itself.
    pub(super) node_limit: u64,
    next_check: u64,
    stopped: bool,
    pub(super) params: InUse,
}

impl Worker {
    /// The worker of the given number; number 0 leads and watches the clock.
    pub fn new(id: usize, shared: Arc<Shared>, evaluator: Evaluator) -> Self {
        let limits = Limits::default();
        let settings = SearchSettings::default();
        Self {
            id,
            shared,
            board: Board::startpos(),
            evaluator,
            histories: Histories::new(),
            stack: Stack::new(),
            pv: PvTable::new(),
            sink: None,
            reductions: ReductionTable::new(&Params::DEFAULT),
            root_moves: Vec::new(),
            pv_index: 0,
            root_depth: 0,
            nodes: 0,
            seldepth: 0,
            tb_hits: 0,
            tb_men: 0,
            null_free_ply: 0,
            time: TimeManager::new(&limits, &settings, Color::White, &Params::DEFAULT),
            limits,
            settings,
            pondering: false,
            node_limit: u64::MAX,
            next_check: 0,
            stopped: false,
            params: InUse::DEFAULT,
        }
    }

    /// Forgets what was learned, for a new game. The table is cleared by its owner.
    pub fn clear(&mut self) {
        self.histories.clear();
    }

    /// Searches with other tunables from now on.
    #[cfg(feature = "tuning")]
    pub fn set_params(&mut self, params: Params) {
        self.reductions = ReductionTable::new(&params);
        self.params = InUse::new(params);
    }

    /// The tunables in use.
    #[inline]
    pub(super) fn params(&self) -> &Params {
        &self.params
    }

    /// Sets everything that belongs to one search.
    pub(super) fn begin(&mut self, board: &Board, limits: &Limits, settings: &SearchSettings) {
        self.time = TimeManager::new(limits, settings, board.side_to_move(), self.params());
        self.board.clone_from(board);
        self.evaluator.refresh(&self.board);
        self.limits.clone_from(limits);
        self.settings.clone_from(settings);
        if let Some(strength) = settings.strength {
            let nodes = self.limits.nodes.map_or(strength.nodes, |nodes| nodes.min(strength.nodes));
            self.limits.nodes = Some(nodes);
        }
        self.stack.clear();
        self.pondering = limits.ponder;
        self.nodes = 0;
        self.seldepth = 0;
        self.tb_hits = 0;
        self.root_depth = 0;
        self.null_free_ply = 0;
        self.stopped = false;
        self.next_check = 0;
        // Several threads share the limit: the leader adds up. But the strength of a player must
        // not depend on the number of threads.
        let alone = self.shared.threads() == 1 || settings.strength.is_some();
        self.node_limit = self.limits.nodes.filter(|_| alone).unwrap_or(u64::MAX);
    }

    /// Whether the search must unwind. Looks at the clock now and then.
    #[inline]
    pub(super) fn must_stop(&mut self) -> bool {
        if self.nodes >= self.next_check || self.nodes >= self.node_limit {
            self.check();
        }
        self.stopped
    }

    /// Whether the search is unwinding, so that no result counts any more.
    #[inline]
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped
    }

    #[cold]
    fn check(&mut self) {
        self.next_check = self.nodes + CHECK_INTERVAL;
        self.publish_counts();
        let mut over = false;
        if self.id == 0 {
            if self.pondering && !self.shared.is_pondering() {
                self.pondering = false;
                self.time.restart(self.shared.nodes());
            }
            let out_of_time = !self.pondering && self.time.is_over(self.shared.nodes());
            let out_of_nodes = self.limits.nodes.is_some_and(|limit| self.shared.nodes() >= limit);
            // Only the leader ends here. It stops the others when it may answer, which it may not while
            // it ponders.
            over = out_of_time || out_of_nodes;
        }
        over |= self.shared.is_stopped() || self.nodes >= self.node_limit;
        // The first iteration ends, so that there is a move to play, unless the board is so crowded that
        // even its captures take long.
        self.stopped |= over && (self.root_depth > 1 || self.nodes >= FIRST_ITERATION);
    }

    /// Tells the other threads how much was searched.
    pub(super) fn publish_counts(&self) {
        self.shared.set_counts(self.id, self.nodes, self.tb_hits);
    }

    /// Plays a move of the node at `ply`.
    #[inline]
    pub(super) fn make(&mut self, ply: usize, mv: Move) {
        self.shared.table.prefetch(self.board.key_after(mv));
        self.stack[ply].mv = Some(mv);
        self.stack[ply].piece_to = super::picker::piece_to(&self.board, mv);
        self.stack[ply].quiet = !self.board.is_noisy(mv);
        self.nodes += 1;
        self.board.make_with(mv, &mut self.evaluator);
        self.histories.correction.prefetch(&self.board);
    }

    /// Takes the last move back.
    #[inline]
    pub(super) fn unmake(&mut self) {
        self.board.unmake();
        self.evaluator.pop();
    }

    /// The score of a draw: about zero. The little noise lets the search see the difference
    /// between lines that all repeat, and not settle on the first of them.
    #[inline]
    pub(super) fn draw_score(&self) -> Score {
        (self.nodes & 2) as Score - 1
    }

    /// The static evaluation before corrections, in centipawns for the side to move.
    #[inline]
    pub(super) fn raw_eval(&mut self) -> Score {
        self.evaluator.evaluate(&self.board)
    }

    /// The evaluation as the search uses it: nearer to a draw as the fifty-move rule comes
    /// nearer, and corrected by what earlier searches found in similar positions; and that
    /// correction, in centipawns. Known wins stay as they are.
    #[inline]
    pub(super) fn corrected_eval(&self, ply: usize, raw: Score) -> (Score, Score) {
        if is_known_win(raw) {
            return (raw, 0);
        }
        let scaled = damped(raw, &self.board);
        let last = [1, 2].map(|back| self.stack.before(ply, back).piece_to);
        let correction = self.histories.correction.correction(&self.board, last, self.params());
        ((scaled + correction).clamp(-MAX_EVAL, MAX_EVAL), correction)
    }

    /// Learns from the difference between a search result and the static evaluation.
    pub(super) fn learn_correction(&mut self, ply: usize, depth: i32, difference: Score) {
        let last = [1, 2].map(|back| self.stack.before(ply, back).piece_to);
        let rate = self.params().corr_rate;
        self.histories.correction.update(&self.board, last, depth, difference, rate);
    }
}
