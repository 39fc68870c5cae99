//! Searching deeper where a single move holds the position.
//!
//! Singular extension: if all other moves fall clearly short of the table's score in a reduced
//! search, the table's move is the only good one and is searched deeper. If even the others
//! beat beta, the node is cut at once (multi-cut). Condition: a deep enough entry with a lower
//! bound. Risk: cost, and an explosion of extensions, held by a limit on the ply.
//! See T. Anantharaman, M. Campbell and F. Hsu, "Singular extensions: adding selectivity to
//! brute-force searching", 1990; Y. Björnsson and T. Marsland, "Multi-cut alpha-beta-pruning",
//! 2001.

#![forbid(unsafe_code)]

use super::node::Zero;
use super::worker::Worker;
use crate::tt::Entry;
use crate::types::{Move, Score, is_decisive};

/// What the test of a table move came to.
pub(super) enum Verdict {
    /// Plies to add, negative to take away.
    Extend(i32),
    /// The node fails high with this score.
    Cut(Score),
}

/// The node that is tested.
#[derive(Clone, Copy)]
pub(super) struct Tested {
    pub pv: bool,
    pub ply: usize,
    pub depth: i32,
    pub beta: Score,
    pub cut_node: bool,
    pub tt_noisy: bool,
}

impl Worker {
    /// Searches all moves but `mv` with reduced depth, and judges `mv` by what comes out.
    pub(super) fn test_singular(&mut self, node: Tested, mv: Move, entry: &Entry) -> Verdict {
        let params = self.params();
        let (double, triple) = (params.double_margin, params.triple_margin);
        let singular_beta = entry.score - node.depth * params.singular_margin / 16;

        self.stack[node.ply].excluded = Some(mv);
        let score = self.negamax::<Zero>(
            node.ply,
            singular_beta - 1,
            singular_beta,
            (node.depth - 1) / 2,
            node.cut_node,
        );
        self.stack[node.ply].excluded = None;

        if score < singular_beta {
            let far = !node.pv && score < singular_beta - double;
            let very_far = far && !node.tt_noisy && score < singular_beta - triple;
            Verdict::Extend(1 + i32::from(far) + i32::from(very_far))
        } else if singular_beta >= node.beta && !is_decisive(score) {
            Verdict::Cut(singular_beta)
        } else if entry.score >= node.beta {
            Verdict::Extend(-2)
        } else if node.cut_node {
            Verdict::Extend(-1)
        } else {
            Verdict::Extend(0)
        }
    }
}
