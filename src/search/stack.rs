//! What the search remembers of each ply of the current line.

#![forbid(unsafe_code)]

use std::ops::{Index, IndexMut};

use super::history::PieceTo;
use crate::types::{Bitboard, MAX_PLY, Move, Score};

/// One ply.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// The corrected static evaluation, `None` in check.
    pub eval: Option<Score>,
    /// Whether the position is or was on a principal variation.
    pub tt_pv: bool,
    /// The move that is being searched, `None` for a null move.
    pub mv: Option<Move>,
    /// The man and target of that move, for continuation histories.
    pub piece_to: PieceTo,
    /// A move left out while its singularity is tested.
    pub excluded: Option<Move>,
    /// The last quiet move that refuted a sibling of this node.
    pub killer: Option<Move>,
    /// How many nodes of this ply failed high since the ply two above was entered.
    pub cutoffs: u32,
    /// Squares the opponent attacks.
    pub threats: Bitboard,
    /// By how many plies the search of that move is reduced.
    pub reduction: i32,
    /// Whether that move is quiet.
    pub quiet: bool,
}

impl Frame {
    const EMPTY: Self = Self {
        eval: None,
        tt_pv: false,
        mv: None,
        piece_to: PieceTo::NONE,
        excluded: None,
        killer: None,
        cutoffs: 0,
        threats: Bitboard::EMPTY,
        reduction: 0,
        quiet: false,
    };
}

/// How far back the continuation histories look.
const PAST: usize = 6;

/// All plies, with empty ones before the root, so that looking back needs no test.
pub(super) struct Stack(Box<[Frame]>);

impl Stack {
    pub fn new() -> Self {
        Self(vec![Frame::EMPTY; PAST + MAX_PLY + 3].into_boxed_slice())
    }

    /// Forgets everything; called for each search.
    pub fn clear(&mut self) {
        self.0.fill(Frame::EMPTY);
    }

    /// The frame `back` plies before `ply`, at most six.
    #[inline]
    pub fn before(&self, ply: usize, back: usize) -> &Frame {
        &self.0[ply + PAST - back]
    }
}

impl Index<usize> for Stack {
    type Output = Frame;

    #[inline]
    fn index(&self, ply: usize) -> &Frame {
        &self.0[ply + PAST]
    }
}

impl IndexMut<usize> for Stack {
    #[inline]
    fn index_mut(&mut self, ply: usize) -> &mut Frame {
        &mut self.0[ply + PAST]
    }
}
