//! The recursion: a principal variation search in numbered steps.
//!
//! Fail-soft negamax with zero windows for all moves but the first (J. Pearl's Scout, 1980;
//! T. Marsland and M. Campbell, "Parallel search of strongly ordered game trees", 1982). One
//! function serves root, principal variation and zero-window nodes, told apart at compile time.

#![forbid(unsafe_code)]

use arrayvec::ArrayVec;

use super::extensions::{Tested, Verdict};
use super::history::ContinuationHistory;
use super::picker::{Picker, piece_to};
use super::pruning::{Situation, late_move_count, reverse_futility, small_probcut};
use super::reductions::{PLY, Reasons, reduction};
use super::syzygy::BEYOND_SEARCH;
use super::worker::Worker;
use crate::eval::endgame::is_known_win;
use crate::tt::{Bound, Entry, score_from_table, score_to_table};
use crate::types::{Bitboard, INFINITE, MAX_EVAL, MAX_PLY, Move, Score, is_decisive, mate_in, mated_in};

/// A kind of node, known at compile time.
pub(super) trait Node {
    /// Whether the window is open, so that a line may come from here.
    const PV: bool;
    /// Whether this is the position the search began with.
    const ROOT: bool;
}

/// The root.
pub(super) struct Root;
/// A node of a principal variation.
pub(super) struct Pv;
/// A node that only answers whether the score reaches a bound.
pub(super) struct Zero;

impl Node for Root {
    const PV: bool = true;
    const ROOT: bool = true;
}

impl Node for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
}

impl Node for Zero {
    const PV: bool = false;
    const ROOT: bool = false;
}

/// Moves that were searched without a cut-off, which get a malus if a later one cuts.
type Tried = ArrayVec<Move, 32>;

impl Worker {
    /// The score of the present position, `depth` plies deep, within a window.
    pub(super) fn negamax<N: Node>(
        &mut self,
        ply: usize,
        mut alpha: Score,
        mut beta: Score,
        mut depth: i32,
        cut_node: bool,
    ) -> Score {
        if N::PV {
            self.pv.clear(ply);
        }
        self.seldepth = self.seldepth.max(ply);

        // 1. Leaves.
        if depth <= 0 {
            return self.quiesce::<N>(ply, alpha, beta);
        }
        if self.must_stop() {
            return 0;
        }
        let in_check = self.board.in_check();
        let excluded = self.stack[ply].excluded;

        if !N::ROOT {
            // 2. Draws by rule, and the bound of a draw that one side can force at once.
            if self.board.is_draw_in_search(ply) {
                return self.draw_score();
            }
            if ply >= MAX_PLY - 1 {
                return if in_check { 0 } else { self.raw_eval() };
            }
            if alpha < 0 && self.board.has_upcoming_repetition(ply) {
                alpha = self.draw_score();
                if alpha >= beta {
                    return alpha;
                }
            }
            // 3. A shorter mate is known already: nothing here can matter.
            alpha = alpha.max(mated_in(ply));
            beta = beta.min(mate_in(ply + 1));
            if alpha >= beta {
                return alpha;
            }
        }

        // 4. What the table knows.
        let key = self.board.key();
        let entry = if excluded.is_some() { None } else { self.shared.table.probe(key) };
        let entry = entry.map(|entry| Entry { score: score_from_table(entry.score, ply), ..entry });
        let tt_pv = match excluded {
            // The table was not asked, but the frame still holds what it said of this position.
            Some(_) => self.stack[ply].tt_pv,
            None => N::PV || entry.is_some_and(|entry| entry.pv),
        };
        self.stack[ply].tt_pv = tt_pv;
        if let Some(entry) = entry
            && !N::PV
            && entry.depth >= depth + i32::from(entry.score >= beta && !cut_node)
            && entry.bound.proves(entry.score, beta)
            // Near the fifty-move rule the same position is not the same any more.
            && self.board.halfmove_clock() < 90
        {
            if let Some(mv) = entry.mv
                && entry.score >= beta
                && self.board.is_legal(mv)
                && !self.board.is_noisy(mv)
            {
                self.stack[ply].threats = self.board.attacked_by(!self.board.side_to_move());
                self.reward_quiet(ply, mv, self.bonus(depth));
            }
            return entry.score;
        }
        // What the tablebases know.
        let (mut floor, mut ceiling) = (-INFINITE, INFINITE);
        if !N::ROOT
            && excluded.is_none()
            && let Some((score, bound)) = self.tablebase_score(ply, depth)
        {
            let decided = match bound {
                Bound::Lower => score >= beta,
                Bound::Upper => score <= alpha,
                _ => true,
            };
            if decided {
                let entry = Entry {
                    mv: None,
                    score: score_to_table(score, ply),
                    eval: None,
                    depth: (depth + BEYOND_SEARCH).min(MAX_PLY as i32 - 1),
                    bound,
                    pv: tt_pv,
                };
                self.shared.table.store(key, entry);
                return score;
            }
            // A mate may lie beyond the score, so the search goes on.
            if bound == Bound::Lower {
                floor = score;
                alpha = alpha.max(score);
            } else {
                ceiling = score;
            }
        }
        let tt_move = if N::ROOT { self.root_best() } else { entry.and_then(|entry| entry.mv) };

        // 5. Static evaluation, sharpened by the table.
        let raw_eval = match entry.and_then(|entry| entry.eval) {
            _ if in_check => None,
            Some(eval) => Some(eval),
            None if excluded.is_some() && self.stack[ply].eval.is_some() => None,
            None => Some(self.raw_eval()),
        };
        let known_win = raw_eval.is_some_and(is_known_win);
        let (static_eval, correction) = match raw_eval {
            Some(raw) => {
                let (eval, correction) = self.corrected_eval(ply, raw);
                (Some(eval), correction.abs())
            }
            // While a move is excluded the frame still holds the evaluation of this position.
            None if !in_check => (self.stack[ply].eval, 0),
            None => (None, 0),
        };
        self.stack[ply].eval = static_eval;
        let eval = match (static_eval, entry) {
            (Some(eval), Some(entry))
                if entry.bound.proves(entry.score, eval + 1) && !is_decisive(entry.score) =>
            {
                entry.score
            }
            (Some(eval), _) => eval,
            (None, _) => -INFINITE,
        };
        let improving = self.is_improving(ply, static_eval);
        // What the opponent's last move cost it, in centipawns.
        let loss = static_eval.zip(self.stack.before(ply, 1).eval).map(|(now, before)| now + before);
        let worsening = loss.is_some_and(|loss| loss > 0);
        if !N::ROOT && excluded.is_none() {
            if let Some(loss) = loss {
                self.learn_eval_change(ply, loss);
            }
            depth += self.hindsight(ply, depth, loss);
        }
        self.stack[ply + 1].killer = None;
        self.stack[ply + 2].cutoffs = 0;

        // 6. Pruning of the whole node.
        let now = Situation { eval, raw_eval, improving, worsening, tt_pv, cut_node, entry };
        if let Some(static_eval) = static_eval
            && !N::PV
            && excluded.is_none()
        {
            if let Some(score) = reverse_futility(depth, beta, &now, self.params()) {
                return score;
            }
            if let Some(score) = self.razor(ply, depth, alpha, eval) {
                return score;
            }
            if let Some(score) = self.null_move(ply, depth, beta, &now, static_eval) {
                return score;
            }
        }

        // 7. Without a move from the table the order is poor, and to search deep costs much: a ply less
        // leaves a move for the next time (internal iterative reduction).
        if depth >= self.params().iir_depth && tt_move.is_none() && excluded.is_none() && (N::PV || cut_node)
        {
            depth -= 1;
        }
        if let Some(static_eval) = static_eval
            && !N::PV
            && excluded.is_none()
            && let Some(score) = self.probcut(ply, depth, beta, &now, static_eval)
        {
            return score;
        }

        if !N::PV
            && excluded.is_none()
            && let Some(score) = small_probcut(depth, beta, &now, self.params())
        {
            return score;
        }

        // 8. All moves, best first.
        self.stack[ply].threats = self.board.attacked_by(!self.board.side_to_move());
        let tt_noisy = tt_move.is_some_and(|mv| self.board.is_noisy(mv));
        let mut picker = Picker::new(tt_move, self.stack[ply].killer);
        let mut best_score = floor;
        let mut best_move = None;
        let mut bound = Bound::Upper;
        let mut number = 0;
        let mut skip_quiets = false;
        // With pawns alone, often a single move is right, and it may be any. In a known win all moves
        // look alike, and only the quiet ones that drive the king lead to mate.
        let has_pieces = self.board.non_pawn_material(self.board.side_to_move());
        let (mut quiets, mut noisies) = (Tried::new(), Tried::new());

        while let Some(mv) = picker.next(self.context(ply), skip_quiets) {
            if Some(mv) == excluded || (N::ROOT && !self.is_root_candidate(mv)) {
                continue;
            }
            number += 1;
            if N::ROOT {
                self.report_current_move(mv, number);
            }
            let noisy = self.board.is_noisy(mv);
            let history = if noisy { self.noisy_history(mv) } else { self.quiet_history(ply, mv) };
            let base = self.reductions.get(noisy, depth, number);

            // 9. Pruning of single moves, once a move is known that does not lose by force.
            if !N::ROOT && has_pieces && !known_win && best_score > -MAX_EVAL {
                let left = (depth - base / PLY).max(0);
                let params = self.params();
                if noisy {
                    let margin = params.see_noisy * depth + history / params.see_noisy_history;
                    if picker.is_losing() && !self.board.see_at_least(mv, -margin.max(0)) {
                        continue;
                    }
                } else {
                    if number > late_move_count(depth, improving, params) {
                        skip_quiets = true;
                    }
                    let futile = params.futility_base
                        + params.futility_factor * left
                        + history / params.futility_history;
                    if !in_check
                        && left <= params.futility_depth
                        && eval + futile <= alpha
                        && !is_decisive(alpha)
                        && !self.board.gives_check(mv)
                    {
                        continue;
                    }
                    if depth <= params.history_depth && history < -params.history_margin * depth {
                        skip_quiets = true;
                        continue;
                    }
                    if !self.board.see_at_least(mv, -params.see_quiet * left * left) {
                        continue;
                    }
                }
            }

            // 10. Extension of a singular move.
            let mut extension = 0;
            if let Some(entry) = entry
                && !N::ROOT
                && Some(mv) == tt_move
                && excluded.is_none()
                && depth >= self.params().singular_depth + i32::from(tt_pv)
                && entry.depth >= depth - 3
                && matches!(entry.bound, Bound::Lower | Bound::Exact)
                && !is_decisive(entry.score)
                && ply < 2 * self.root_depth as usize
            {
                let node = Tested { pv: N::PV, ply, depth, beta, cut_node, tt_noisy };
                match self.test_singular(node, mv, &entry) {
                    Verdict::Extend(plies) => extension = plies,
                    Verdict::Cut(score) => return score,
                }
                if self.is_stopped() {
                    return 0;
                }
            }

            // 11. Play the move and search it.
            let nodes_before = self.nodes;
            let killer = self.stack[ply].killer == Some(mv);
            self.make(ply, mv);
            let new_depth = depth - 1 + extension;
            let mut score = -INFINITE;

            if depth >= 2 && number > 1 + usize::from(N::PV) {
                // 12. Late moves: a reduced zero-window search first.
                let reasons = Reasons {
                    pv: N::PV,
                    tt_pv,
                    cut_node,
                    improving,
                    tt_noisy,
                    gives_check: self.board.in_check(),
                    killer,
                    cutoffs: self.stack[ply + 1].cutoffs,
                    history,
                    noisy,
                    correction,
                };
                let amount = reduction(base, &reasons, self.params());
                let reduced = (new_depth - amount / PLY).clamp(1, new_depth);
                self.stack[ply].reduction = new_depth - reduced;
                score = -self.negamax::<Zero>(ply + 1, -alpha - 1, -alpha, reduced, true);
                self.stack[ply].reduction = 0;
                if score > alpha && reduced < new_depth {
                    let deeper = score > best_score + self.params().lmr_deeper + 2 * new_depth;
                    let shallower = score < best_score + new_depth;
                    let again = new_depth + i32::from(deeper) - i32::from(shallower);
                    if again > reduced {
                        score = -self.negamax::<Zero>(ply + 1, -alpha - 1, -alpha, again, !cut_node);
                    }
                }
            } else if !N::PV || number > 1 {
                score = -self.negamax::<Zero>(ply + 1, -alpha - 1, -alpha, new_depth, !cut_node);
            }
            if N::PV && (number == 1 || score > alpha) {
                score = -self.negamax::<Pv>(ply + 1, -beta, -alpha, new_depth, false);
            }
            self.unmake();
            if self.is_stopped() {
                return 0;
            }
            if N::ROOT {
                self.record_root_move(mv, number, score, alpha, beta, self.nodes - nodes_before);
            }

            // 13. Keep the best.
            if score > best_score {
                best_score = score;
                if score > alpha {
                    best_move = Some(mv);
                    bound = Bound::Exact;
                    if N::PV && !N::ROOT {
                        self.pv.update(ply, mv);
                    }
                    if score >= beta {
                        bound = Bound::Lower;
                        break;
                    }
                    alpha = score;
                    // One better move was found; that another is better still is unlikely.
                    if (3..12).contains(&depth) && !is_decisive(score) {
                        depth -= 1;
                    }
                }
            }
            let tried = if noisy { &mut noisies } else { &mut quiets };
            // The first 32 of each kind are the ones that matter; the rest is dropped.
            let _ = tried.try_push(mv);
        }

        // 14. No legal move: mate or stalemate. (An excluded move was the only one.)
        if number == 0 {
            return match (excluded.is_some(), in_check) {
                (true, _) => alpha,
                (false, true) => mated_in(ply),
                (false, false) => 0,
            };
        }

        best_score = best_score.min(ceiling);

        // 15. Learn from a cut-off.
        if bound == Bound::Lower
            && let Some(mv) = best_move
        {
            self.stack[ply].cutoffs += 1;
            let far = best_score > beta + self.params().bonus_margin;
            self.learn_cutoff(ply, depth + i32::from(far), mv, &quiets, &noisies);
        } else if bound == Bound::Upper && !N::ROOT && excluded.is_none() && self.stack.before(ply, 1).quiet {
            self.reward_last(ply, self.bonus(depth) * self.params().fail_low_bonus / 128);
        }

        // 16. Remember the result.
        if excluded.is_none() && !(N::ROOT && self.pv_index > 0) {
            let entry = Entry {
                mv: best_move,
                score: score_to_table(best_score, ply),
                eval: raw_eval,
                depth,
                bound,
                pv: tt_pv,
            };
            self.shared.table.store(key, entry);
            let best_is_noisy = best_move.is_some_and(|mv| self.board.is_noisy(mv));
            if let Some(static_eval) = static_eval
                && !known_win
                && !best_is_noisy
                && bound.proves(best_score, static_eval + i32::from(bound == Bound::Upper))
                && !is_decisive(best_score)
            {
                self.learn_correction(ply, depth, best_score - static_eval);
            }
        }
        best_score
    }

    /// Whether the side to move stands better than two, or else four, plies ago.
    fn is_improving(&self, ply: usize, eval: Option<Score>) -> bool {
        let Some(eval) = eval else { return false };
        let before = self.stack.before(ply, 2).eval.or(self.stack.before(ply, 4).eval);
        before.is_some_and(|before| eval > before)
    }

    /// What history says of a quiet move.
    fn quiet_history(&self, ply: usize, mv: Move) -> i32 {
        let piece_to = piece_to(&self.board, mv);
        let continuation: i32 = [1, 2, 4]
            .map(|back| self.histories.continuation.get(self.stack.before(ply, back).piece_to, piece_to))
            .iter()
            .sum();
        let side = self.board.side_to_move();
        continuation
            + self.histories.quiet.get(side, self.stack[ply].threats, mv)
            + self.histories.pawn.get(self.board.pawn_key(), piece_to)
    }

    /// What history says of a capture.
    fn noisy_history(&self, mv: Move) -> i32 {
        self.histories.capture.get(piece_to(&self.board, mv), self.board.captured(mv))
    }

    /// The bonus for a move that cut at this depth.
    fn bonus(&self, depth: i32) -> i32 {
        let params = self.params();
        (params.bonus_factor * depth - params.bonus_base).min(params.bonus_max)
    }

    /// The malus for a move that should not have been tried before it.
    fn malus(&self, depth: i32) -> i32 {
        let params = self.params();
        (params.malus_factor * depth - params.malus_base).min(params.malus_max)
    }

    /// Rewards the move that cut and punishes those tried before it.
    fn learn_cutoff(&mut self, ply: usize, depth: i32, best: Move, quiets: &Tried, noisies: &Tried) {
        let (bonus, malus) = (self.bonus(depth), self.malus(depth));
        if self.board.is_noisy(best) {
            self.reward_noisy(best, bonus);
        } else {
            self.stack[ply].killer = Some(best);
            self.reward_quiet(ply, best, bonus);
            for &mv in quiets {
                self.reward_quiet(ply, mv, -malus);
            }
        }
        for &mv in noisies {
            self.reward_noisy(mv, -malus);
        }
    }

    fn reward_noisy(&mut self, mv: Move, bonus: i32) {
        let captured = self.board.captured(mv);
        self.histories.capture.update(piece_to(&self.board, mv), captured, bonus);
    }

    /// Rewards the opponent's quiet move that led to this node.
    fn reward_last(&mut self, ply: usize, bonus: i32) {
        let last = *self.stack.before(ply, 1);
        let Some(mv) = last.mv else { return };
        self.histories.quiet.update(!self.board.side_to_move(), last.threats, mv, bonus);
        // The stack reaches no further back.
        for back in ContinuationHistory::PLIES.into_iter().filter(|&back| back < 6) {
            let earlier = self.stack.before(ply, back + 1).piece_to;
            self.histories.continuation.update(earlier, last.piece_to, bonus);
        }
    }

    /// Rewards or punishes the opponent's last move, if it is quiet, by what it cost in evaluation.
    fn learn_eval_change(&mut self, ply: usize, loss: Score) {
        let last = *self.stack.before(ply, 1);
        if last.quiet
            && let Some(mv) = last.mv
        {
            let bonus = (-loss * self.params().eval_change_bonus / 16).clamp(-600, 600);
            self.histories.quiet.update(!self.board.side_to_move(), last.threats, mv, bonus);
        }
    }

    fn reward_quiet(&mut self, ply: usize, mv: Move, bonus: i32) {
        let piece_to = piece_to(&self.board, mv);
        let threats: Bitboard = self.stack[ply].threats;
        self.histories.quiet.update(self.board.side_to_move(), threats, mv, bonus);
        self.histories.pawn.update(self.board.pawn_key(), piece_to, bonus);
        for back in ContinuationHistory::PLIES {
            let earlier = self.stack.before(ply, back).piece_to;
            self.histories.continuation.update(earlier, piece_to, bonus);
        }
    }
}
