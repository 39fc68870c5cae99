//! The hidden layer of the network, kept up to date along the line of the search.
//!
//! Every ply has one accumulator a view: the feature biases plus the weights of all inputs set.
//! A move changes two to four inputs, so the accumulator follows from that of the ply before
//! ("efficiently updatable", Y. Nasu, 2018). Moves only note which men they change; the sums are
//! made when an evaluation asks for them, since many positions are never evaluated. When a king
//! crosses from d to e, or back, all inputs of its own side's view change: that view is rebuilt.
//!
//! Invariant: the accumulator of a ply that is marked as known equals a rebuilt one.

#![forbid(unsafe_code)]

use std::sync::Arc;

use arrayvec::ArrayVec;

use super::features::{self, active, is_mirrored};
use super::network::Network;
use super::simd::{Block, Kernels, LANES};
use crate::board::{BoardObserver, Position};
use crate::types::{ByColor, Color, MAX_PLY, Piece, Score, Square};

type Man = (Color, Piece, Square);

/// What a move changed. Castling moves two men; a capture takes one more away than it puts down.
#[derive(Clone, Default)]
struct Ply {
    added: ArrayVec<Man, 2>,
    removed: ArrayVec<Man, 2>,
    mirrored: ByColor<bool>,
    known: ByColor<bool>,
}

/// The accumulators of one line of positions, from the root to the present one.
pub struct Accumulators {
    network: Arc<Network>,
    kernels: Kernels,
    /// Blocks in one accumulator.
    width: usize,
    plies: Vec<Ply>,
    /// `[ply][view][width]`
    sums: Vec<Block>,
    ply: usize,
}

impl Accumulators {
    /// Room for a line; [`refresh`](Self::refresh) must come before all else.
    pub fn new(network: Arc<Network>, kernels: Kernels) -> Self {
        let width = network.hidden() / LANES;
        let mut new = Self { network, kernels, width, plies: Vec::new(), sums: Vec::new(), ply: 0 };
        new.resize(MAX_PLY + 1);
        new
    }

    /// Forgets the line and starts a new one with `root`.
    pub fn refresh(&mut self, root: &Position) {
        self.ply = 0;
        let mirrored = ByColor(Color::ALL.map(|viewer| is_mirrored(root.king(viewer))));
        self.plies[0] = Ply { mirrored, ..Ply::default() };
        for viewer in Color::ALL {
            self.rebuild(viewer, root);
        }
    }

    /// The network's score of `position`, the last of the line, in centipawns for the side to
    /// move.
    pub fn evaluate(&mut self, position: &Position) -> Score {
        for viewer in Color::ALL {
            self.update(viewer, position);
        }
        let stm = position.side_to_move();
        let [own, other] =
            [stm, !stm].map(|viewer| &self.sums[self.offset(self.ply, viewer)..][..self.width]);
        self.network.forward(self.kernels, own, other, position.occupied().count() as usize)
    }

    /// Takes the last move back.
    #[inline]
    pub fn pop(&mut self) {
        debug_assert!(self.ply > 0, "no move to take back");
        self.ply -= 1;
    }

    /// Both views of the present ply, which must be up to date.
    #[cfg(test)]
    pub(super) fn sums(&self) -> &[Block] {
        &self.sums[self.offset(self.ply, Color::White)..][..2 * self.width]
    }

    fn resize(&mut self, plies: usize) {
        self.plies.resize(plies, Ply::default());
        self.sums.resize(plies * 2 * self.width, Block::ZERO);
    }

    fn offset(&self, ply: usize, viewer: Color) -> usize {
        (2 * ply + viewer.index()) * self.width
    }

    /// Brings one view of the present ply up to date.
    fn update(&mut self, viewer: Color, position: &Position) {
        debug_assert_eq!(self.plies[self.ply].mirrored[viewer], is_mirrored(position.king(viewer)));
        let mut known = self.ply;
        while !self.plies[known].known[viewer] {
            let mirrored = |ply: usize| self.plies[ply].mirrored[viewer];
            if mirrored(known) != mirrored(known - 1) {
                return self.rebuild(viewer, position);
            }
            known -= 1;
        }
        for ply in known + 1..=self.ply {
            self.step(ply, viewer);
        }
    }

    /// Computes one view of the present ply from nothing.
    fn rebuild(&mut self, viewer: Color, position: &Position) {
        let offset = self.offset(self.ply, viewer);
        let target = &mut self.sums[offset..][..self.width];
        let network = &self.network;
        let inputs = active(position, viewer);
        self.kernels.accumulate(target, &network.feature_biases, &network.feature_weights, &inputs, &[]);
        self.plies[self.ply].known[viewer] = true;
    }

    /// Computes one view of a ply from that of the ply before.
    fn step(&mut self, ply: usize, viewer: Color) {
        let changes = &self.plies[ply];
        let inputs = |men: &ArrayVec<Man, 2>| -> ArrayVec<u16, 2> {
            men.iter()
                .map(|&(color, piece, square)| {
                    features::index(viewer, changes.mirrored[viewer], color, piece, square)
                })
                .collect()
        };
        let (add, sub) = (inputs(&changes.added), inputs(&changes.removed));
        let (before, after) = self.sums.split_at_mut(2 * ply * self.width);
        let view = viewer.index() * self.width;
        let target = &mut after[view..][..self.width];
        let source = &before[before.len() - 2 * self.width + view..][..self.width];
        self.kernels.accumulate(target, source, &self.network.feature_weights, &add, &sub);
        self.plies[ply].known[viewer] = true;
    }
}

impl BoardObserver for Accumulators {
    #[inline]
    fn on_make(&mut self) {
        let mirrored = self.plies[self.ply].mirrored;
        self.ply += 1;
        if self.ply == self.plies.len() {
            self.resize(2 * self.ply);
        }
        self.plies[self.ply] = Ply { mirrored, ..Ply::default() };
    }

    #[inline]
    fn on_remove(&mut self, color: Color, piece: Piece, square: Square) {
        self.plies[self.ply].removed.push((color, piece, square));
    }

    #[inline]
    fn on_add(&mut self, color: Color, piece: Piece, square: Square) {
        let ply = &mut self.plies[self.ply];
        ply.added.push((color, piece, square));
        if piece == Piece::King {
            ply.mirrored[color] = is_mirrored(square);
        }
    }
}
