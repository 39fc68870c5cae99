//! Late move reductions: how much shallower a move late in the order is searched first.
//!
//! See chessprogramming.org, "Late Move Reductions"; the logarithmic form became common with
//! the open engines of 2008 and later. Reductions count in 1/1024 ply, so that many small
//! reasons add up.

#![forbid(unsafe_code)]

use super::Params;

/// Depths and move numbers that are told apart.
const SIZE: usize = 64;

/// One ply of reduction.
pub(super) const PLY: i32 = 1024;

/// Base reductions by depth and move number.
pub(super) struct ReductionTable {
    quiet: Box<[[i32; SIZE]; SIZE]>,
    noisy: Box<[[i32; SIZE]; SIZE]>,
}

impl ReductionTable {
    pub fn new(params: &Params) -> Self {
        Self {
            quiet: table(params.lmr_quiet_base, params.lmr_quiet_divisor),
            noisy: table(params.lmr_noisy_base, params.lmr_noisy_divisor),
        }
    }

    /// The base reduction of the move of the given number (from 1), in 1/1024 ply.
    #[inline]
    pub fn get(&self, noisy: bool, depth: i32, number: usize) -> i32 {
        let table = if noisy { &self.noisy } else { &self.quiet };
        table[(depth.max(0) as usize).min(SIZE - 1)][number.min(SIZE - 1)]
    }
}

fn table(base: i32, divisor: i32) -> Box<[[i32; SIZE]; SIZE]> {
    let mut table = Box::new([[0; SIZE]; SIZE]);
    for (depth, row) in table.iter_mut().enumerate().skip(1) {
        for (number, entry) in row.iter_mut().enumerate().skip(1) {
            let product = (depth as f64).ln() * (number as f64).ln();
            *entry = base + (product * f64::from(PLY * PLY) / f64::from(divisor)) as i32;
        }
    }
    table
}

/// What speaks for and against the reduction of one move.
#[derive(Clone, Copy)]
pub(super) struct Reasons {
    pub pv: bool,
    pub tt_pv: bool,
    pub cut_node: bool,
    pub improving: bool,
    pub tt_noisy: bool,
    pub gives_check: bool,
    pub killer: bool,
    /// Nodes of the child's ply that failed high since the node above this one was entered.
    pub cutoffs: u32,
    /// The move's history, by its own kind.
    pub history: i32,
    pub noisy: bool,
    /// By how much the evaluation was corrected, in centipawns: where it errs, more must be looked at.
    pub correction: i32,
}

/// The whole reduction in 1/1024 ply, from the base of the table.
pub(super) fn reduction(base: i32, reasons: &Reasons, params: &Params) -> i32 {
    let mut reduction = base;
    let mut add = |reason: bool, amount: i32| reduction += i32::from(reason) * amount;
    add(reasons.pv, -params.lmr_pv);
    add(reasons.tt_pv, -params.lmr_tt_pv);
    add(reasons.cut_node, params.lmr_cut_node);
    add(!reasons.improving, params.lmr_not_improving);
    add(reasons.tt_noisy, params.lmr_tt_noisy);
    add(reasons.gives_check, -params.lmr_check);
    add(reasons.killer, -params.lmr_killer);
    add(reasons.cutoffs > 2, params.lmr_cutoffs);
    reduction -= reasons.correction * params.lmr_correction;
    let divisor = if reasons.noisy { params.lmr_noisy_history } else { params.lmr_history };
    reduction - reasons.history * PLY / divisor
}
