//! Ways to leave out parts of the tree, one under each banner. All of them guess; each states
//! its condition and its risk.

#![forbid(unsafe_code)]

use super::Params;
use super::node::Zero;
use super::picker::{Context, Picker};
use super::worker::Worker;
use crate::tt::{Bound, Entry, score_to_table};
use crate::types::{Score, is_decisive};

/// What the node knows when it decides about pruning.
#[derive(Clone, Copy)]
pub(super) struct Situation {
    /// Static evaluation, sharpened by the table's score.
    pub eval: Score,
    /// The evaluation that the table keeps.
    pub raw_eval: Option<Score>,
    /// Whether the side to move stands better than at its last move.
    pub improving: bool,
    /// Whether the opponent's last move made its own evaluation worse.
    pub worsening: bool,
    /// Whether the position was on a principal variation.
    pub tt_pv: bool,
    /// Whether this node is expected to fail high.
    pub cut_node: bool,
    /// The table's entry, if any.
    pub entry: Option<Entry>,
}

impl Worker {
    // ---- Razoring -------------------------------------------------------------------------
    // Idea: far below alpha near the leaves only captures can help; ask the quiescence search.
    // Condition: shallow, evaluation under alpha by a margin that grows with depth squared.
    // Risk: a quiet move with a strong threat is missed.
    // See J. Birmingham and P. Kent, "Tree-searching and tree-pruning techniques", 1977.
    pub(super) fn razor(&mut self, ply: usize, depth: i32, alpha: Score, eval: Score) -> Option<Score> {
        let params = self.params();
        let margin = params.razor_base + params.razor_factor * depth * depth;
        if depth > params.razor_depth || eval + margin > alpha || is_decisive(alpha) {
            return None;
        }
        let score = self.quiesce::<Zero>(ply, alpha, alpha + 1);
        (score <= alpha || self.is_stopped()).then_some(score)
    }

    // ---- Null move ------------------------------------------------------------------------
    // Idea: if passing still beats beta in a reduced search, a real move will too.
    // Condition: a cut is expected, evaluation about beta or better, pieces left, no two passes in a
    // row.
    // Risk: zugzwang; therefore never with pawns alone, and verified at high depth.
    // See C. Donninger, "Null move and deep search", 1993; D. Tabibi and N. Netanyahu,
    // "Verified null-move pruning", 2002.
    pub(super) fn null_move(
        &mut self,
        ply: usize,
        depth: i32,
        beta: Score,
        now: &Situation,
        static_eval: Score,
    ) -> Option<Score> {
        let params = self.params();
        if !now.cut_node
            || depth < params.nmp_depth
            || ply < self.null_free_ply
            || self.stack.before(ply, 1).mv.is_none()
            || now.eval < beta
            || static_eval < beta + params.nmp_margin - params.nmp_margin_factor * depth
            || is_decisive(beta)
            || !self.board.non_pawn_material(self.board.side_to_move())
            || now.entry.is_some_and(|entry| entry.bound == Bound::Upper && entry.score < beta)
        {
            return None;
        }
        let reduction = params.nmp_base
            + depth / params.nmp_divisor
            + ((now.eval - beta) / params.nmp_eval_divisor).min(3);
        let verify = depth >= params.nmp_verify_depth && self.null_free_ply == 0;

        self.stack[ply].mv = None;
        self.stack[ply].piece_to = super::history::PieceTo::NONE;
        self.stack[ply].quiet = false;
        self.nodes += 1;
        self.board.make_null();
        self.shared.table.prefetch(self.board.key());
        let score = -self.negamax::<Zero>(ply + 1, -beta, -beta + 1, depth - reduction, false);
        self.board.unmake_null();
        if self.is_stopped() {
            return Some(0);
        }
        if score < beta {
            return None;
        }
        // A mate found after a pass is no proof of a mate.
        let score = if is_decisive(score) { beta } else { score };
        if !verify {
            return Some(score);
        }
        self.null_free_ply = ply + (3 * (depth - reduction) / 4).max(1) as usize;
        let verified = self.negamax::<Zero>(ply, beta - 1, beta, depth - reduction, false);
        self.null_free_ply = 0;
        (verified >= beta || self.is_stopped()).then_some(score)
    }

    // ---- ProbCut --------------------------------------------------------------------------
    // Idea: a good capture that beats beta by a margin in a reduced search will beat beta in
    // the full one. Condition: deep enough, and the table does not speak against it.
    // Risk: the reduced search is fooled by a defence that needs more depth.
    // See M. Buro, "ProbCut: an effective selective extension of the alpha-beta algorithm", 1995.
    pub(super) fn probcut(
        &mut self,
        ply: usize,
        depth: i32,
        beta: Score,
        now: &Situation,
        static_eval: Score,
    ) -> Option<Score> {
        let params = self.params();
        let raised = beta + params.probcut_margin - i32::from(now.improving) * params.probcut_improving;
        let least = depth - 4;
        if depth < params.probcut_depth
            || is_decisive(beta)
            || now.entry.is_some_and(|entry| entry.depth >= least && entry.score < raised)
        {
            return None;
        }
        let table_move = now.entry.and_then(|entry| entry.mv).filter(|&mv| self.board.is_legal(mv));
        let mut picker = Picker::noisy(&self.board, table_move, raised - static_eval);
        while let Some(mv) = picker.next(self.context(ply), true) {
            self.make(ply, mv);
            let mut score = -self.quiesce::<Zero>(ply + 1, -raised, -raised + 1);
            if score >= raised && least > 0 {
                score = -self.negamax::<Zero>(ply + 1, -raised, -raised + 1, least, !now.cut_node);
            }
            self.unmake();
            if self.is_stopped() {
                return Some(0);
            }
            if score >= raised {
                let entry = Entry {
                    mv: Some(mv),
                    score: score_to_table(score, ply),
                    eval: now.raw_eval,
                    depth: depth - 3,
                    bound: Bound::Lower,
                    pv: now.tt_pv,
                };
                self.shared.table.store(self.board.key(), entry);
                return Some(if is_decisive(score) { score } else { score - (raised - beta) });
            }
        }
        None
    }

    // ---- Hindsight --------------------------------------------------------------------------
    // Idea: how the last move turned out tells whether its reduction was right. A heavily reduced
    // move that cost nothing deserves its ply back; one that lost much can be refuted with less.
    // Condition: the last move was reduced. Risk: a wrong evaluation steers the depth.
    // See chessprogramming.org, "Reductions".
    pub(super) fn hindsight(&self, ply: usize, depth: i32, loss: Option<Score>) -> i32 {
        let params = self.params();
        let reduction = self.stack.before(ply, 1).reduction;
        let good = reduction >= params.hindsight_reduction && loss.is_none_or(|loss| loss <= 0);
        let bad = reduction >= 1 && depth >= 2 && loss.is_some_and(|loss| loss > params.hindsight_margin);
        i32::from(good) - i32::from(bad)
    }

    /// What the order of moves at `ply` depends on.
    #[inline]
    pub(super) fn context(&self, ply: usize) -> Context<'_> {
        Context {
            position: &self.board,
            histories: &self.histories,
            stack: &self.stack,
            ply,
            params: &self.params,
        }
    }
}

// ---- Reverse futility ---------------------------------------------------------------------
// Idea: near the leaves an evaluation far above beta will hold. Condition: shallow, margin by
// depth. Risk: the opponent's threats are not seen.
// See chessprogramming.org, "Reverse Futility Pruning" (static null move).
pub(super) fn reverse_futility(depth: i32, beta: Score, now: &Situation, params: &Params) -> Option<Score> {
    let margin = params.rfp_margin * depth
        - params.rfp_improving * i32::from(now.improving)
        - params.rfp_worsening * i32::from(now.worsening);
    let deep = depth > params.rfp_depth || now.tt_pv;
    if deep || now.eval - margin.max(20) < beta || is_decisive(beta) || is_decisive(now.eval) {
        return None;
    }
    // A third of the way down to beta: the true score is not known that well.
    Some((2 * now.eval + beta) / 3)
}

// ---- Small ProbCut ------------------------------------------------------------------------
// Idea: ProbCut without a search, when the table already knows a score far above beta from a
// depth little less than wanted. Condition: a lower bound. Risk: as with ProbCut.
// See chessprogramming.org, "ProbCut".
pub(super) fn small_probcut(depth: i32, beta: Score, now: &Situation, params: &Params) -> Option<Score> {
    let raised = beta + params.small_probcut_margin;
    let entry = now.entry?;
    let proved = entry.score >= raised && entry.bound.proves(entry.score, raised);
    (proved && entry.depth >= depth - 4 && !is_decisive(beta) && !is_decisive(entry.score)).then_some(raised)
}

// ---- Late move pruning --------------------------------------------------------------------
// Idea: near the leaves quiet moves late in the order hardly ever matter. Condition: count by
// depth squared, half of it when the position does not improve. Risk: an unusual quiet move is lost.
// See chessprogramming.org, "Move Count Based Pruning".
pub(super) fn late_move_count(depth: i32, improving: bool, params: &Params) -> usize {
    let count = params.lmp_base + depth * depth;
    (if improving { count } else { count / 2 }) as usize
}
