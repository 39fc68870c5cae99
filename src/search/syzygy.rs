//! What endgame tablebases tell the search.
//!
//! At the root they rank the moves: the search only chooses among moves of equal rank, and what
//! it shows is their result. Below, they end the search of a position right after a capture or
//! pawn move, where their value holds under the fifty-move rule. A root that was ranked by
//! distances needs no looking up below it: the search is free to find the mate.

#![forbid(unsafe_code)]

use super::worker::Worker;
use crate::tablebase::Wdl;
use crate::tt::Bound;
use crate::types::{MAX_PLY, Score, TB_WIN, is_decisive};

/// How many plies a value from the tables counts for in the transposition table, beyond the
/// depth of the node: it is worth more than any search.
pub(super) const BEYOND_SEARCH: i32 = 6;

impl Worker {
    /// Ranks the root moves, and settles whether the search itself looks anything up.
    pub(super) fn consult_tablebases(&mut self) {
        self.tb_men = 0;
        let syzygy = &self.settings.syzygy;
        let Some(tables) = &syzygy.tables else { return };
        let men = tables.men().min(syzygy.men);
        if self.board.occupied().count() > men {
            self.tb_men = men;
            return;
        }
        let moves: Vec<_> = self.root_moves.iter().map(|root_move| root_move.mv).collect();
        let by_distance = tables.rank_root(&self.board, &moves, syzygy.fifty_moves);
        let by_value = || tables.rank_root_by_value(&self.board, &moves, syzygy.fifty_moves);
        let look_up = by_distance.is_none();
        if let Some(ranks) = by_distance.or_else(by_value) {
            self.tb_hits += ranks.len() as u64;
            for (root_move, rank) in self.root_moves.iter_mut().zip(ranks) {
                root_move.tablebase = Some(rank);
            }
            self.root_moves.sort_by_key(|root_move| std::cmp::Reverse(root_move.rank()));
        }
        if look_up {
            self.tb_men = men;
        }
    }

    /// The score of a node by the tables and what it proves, if the node is to be looked up.
    #[inline]
    pub(super) fn tablebase_score(&mut self, ply: usize, depth: i32) -> Option<(Score, Bound)> {
        // The first test is the only one without tables.
        if self.tb_men == 0 || self.board.halfmove_clock() > 0 {
            return None;
        }
        let men = self.board.occupied().count();
        if men > self.tb_men || men == self.tb_men && depth < self.settings.syzygy.depth {
            return None;
        }
        let wdl = self.settings.syzygy.tables.as_ref()?.probe_wdl(&self.board)?;
        self.tb_hits += 1;
        let wdl = if self.settings.syzygy.fifty_moves { wdl } else { wdl.without_fifty_moves() };
        Some(match wdl {
            Wdl::Win => (TB_WIN - ply as Score, Bound::Lower),
            Wdl::Loss => (ply as Score - TB_WIN, Bound::Upper),
            // The better side of a draw by the rule still hopes.
            wdl => (wdl as Score, Bound::Exact),
        })
    }
}

/// The score to show for a root move whose result is known: a mate that was found, or the
/// band of the result.
pub(super) fn root_score(found: Score, wdl: Wdl) -> Score {
    match wdl {
        Wdl::Win if is_decisive(found) && found > 0 => found,
        Wdl::Loss if is_decisive(found) && found < 0 => found,
        Wdl::Win => TB_WIN - MAX_PLY as Score,
        Wdl::Loss => MAX_PLY as Score - TB_WIN,
        wdl => wdl as Score,
    }
}
