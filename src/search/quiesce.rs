//! Quiescence: captures and promotions only, until the static evaluation can be trusted
//! (see chessprogramming.org, "Quiescence Search"). In check all evasions are searched.

#![forbid(unsafe_code)]

use super::node::Node;
use super::picker::Picker;
use super::worker::Worker;
use crate::tt::{Bound, Entry, score_from_table, score_to_table};
use crate::types::{INFINITE, MAX_EVAL, MAX_PLY, Piece, Score, is_decisive, mated_in};

impl Worker {
    /// The score of the present position when only noisy moves are played on.
    pub(super) fn quiesce<N: Node>(&mut self, ply: usize, mut alpha: Score, beta: Score) -> Score {
        if N::PV {
            self.pv.clear(ply);
        }
        self.seldepth = self.seldepth.max(ply);
        if self.must_stop() {
            return 0;
        }
        // 1. Draws, the end of the stack, and what the table knows.
        if self.board.is_draw_in_search(ply) {
            return self.draw_score();
        }
        let in_check = self.board.in_check();
        // Nobody stands pat in a stalemate. Only kings and pawns run out of moves in practice.
        let bare = !self.board.non_pawn_material(self.board.side_to_move());
        if bare && !in_check && !self.board.has_legal_move() {
            return self.draw_score();
        }
        if ply >= MAX_PLY - 1 {
            return if in_check { 0 } else { self.raw_eval() };
        }
        let key = self.board.key();
        let entry = self.shared.table.probe(key);
        let entry = entry.map(|entry| Entry { score: score_from_table(entry.score, ply), ..entry });
        if let Some(entry) = entry
            && !N::PV
            && entry.bound.proves(entry.score, beta)
            // As in the search above: near the fifty-move rule the same position is another.
            && self.board.halfmove_clock() < 90
        {
            return entry.score;
        }
        let tt_pv = N::PV || entry.is_some_and(|entry| entry.pv);

        // 2. Standing pat: nobody is forced to capture, except in check.
        let mut best_score = -INFINITE;
        let mut raw_eval = None;
        let mut futile = -INFINITE;
        if !in_check {
            let raw = match entry.and_then(|entry| entry.eval) {
                Some(eval) => eval,
                None => self.raw_eval(),
            };
            raw_eval = Some(raw);
            (best_score, _) = self.corrected_eval(ply, raw);
            if let Some(entry) = entry
                && entry.bound.proves(entry.score, best_score + 1)
                && !is_decisive(entry.score)
            {
                best_score = entry.score;
            }
            if best_score >= beta {
                return best_score;
            }
            alpha = alpha.max(best_score);
            futile = best_score + self.params().qs_futility;
        }

        // 3. The moves.
        let table_move = entry.and_then(|entry| entry.mv).filter(|&mv| self.board.is_legal(mv));
        let mut picker = match in_check {
            true => Picker::new(table_move, None),
            false => Picker::noisy(&self.board, table_move, self.params().qs_exchange),
        };
        if in_check {
            self.stack[ply].threats = self.board.attacked_by(!self.board.side_to_move());
        }
        let mut best_move = None;
        let mut number = 0;
        while let Some(mv) = picker.next(self.context(ply), best_score > -MAX_EVAL) {
            number += 1;
            // 4. A capture that cannot lift the score near alpha is left out, and so are those
            // late in the order.
            if !in_check && !is_decisive(best_score) {
                if number > 6 && mv.promoted().is_none() {
                    break;
                }
                let gain = self.board.captured(mv).map_or(0, victim_value);
                if futile + gain <= alpha && mv.promoted().is_none() && !self.board.see_at_least(mv, 1) {
                    best_score = best_score.max(futile);
                    continue;
                }
            }
            self.make(ply, mv);
            let score = -self.quiesce::<N>(ply + 1, -beta, -alpha);
            self.unmake();
            if self.is_stopped() {
                return 0;
            }
            if score > best_score {
                best_score = score;
                if score > alpha {
                    best_move = Some(mv);
                    if N::PV {
                        self.pv.update(ply, mv);
                    }
                    if score >= beta {
                        break;
                    }
                    alpha = score;
                }
            }
        }
        if in_check && number == 0 {
            return mated_in(ply);
        }

        // 5. Remember the result, at depth 0. A fail-high is blunted towards beta.
        if best_score >= beta && !is_decisive(best_score) {
            best_score = (best_score + beta) / 2;
        }
        let bound = if best_score >= beta { Bound::Lower } else { Bound::Upper };
        let entry = Entry {
            mv: best_move,
            score: score_to_table(best_score, ply),
            eval: raw_eval,
            depth: 0,
            bound,
            pv: tt_pv,
        };
        self.shared.table.store(key, entry);
        best_score
    }
}

/// Value of a man for the margins of quiescence, in centipawns.
fn victim_value(piece: Piece) -> Score {
    match piece {
        Piece::Pawn => 100,
        Piece::Knight | Piece::Bishop => 320,
        Piece::Rook => 520,
        Piece::Queen => 1000,
        Piece::King => 0,
    }
}
