//! Histories of quiet moves: by squares and threats, and by pawn structure.

#![forbid(unsafe_code)]

use super::continuation::PieceTo;
use super::{filled, gravity};
use crate::types::{Bitboard, Color, Key, Move};

/// By side, whether the start and the target are attacked, and both squares ("butterfly
/// boards"; the split by threats lets the flight of an attacked piece be learned apart).
pub(crate) struct QuietHistory(Box<[[[[i16; 64]; 64]; 4]; 2]>);

#[inline]
fn threatened(threats: Bitboard, mv: Move) -> usize {
    usize::from(threats.contains(mv.from())) * 2 + usize::from(threats.contains(mv.to()))
}

impl QuietHistory {
    pub fn new() -> Self {
        Self(filled([[[0; 64]; 64]; 4]))
    }

    pub fn clear(&mut self) {
        self.0.fill([[[0; 64]; 64]; 4]);
    }

    #[inline]
    pub fn get(&self, side: Color, threats: Bitboard, mv: Move) -> i32 {
        let table = &self.0[side.index()][threatened(threats, mv)];
        i32::from(table[mv.from().index()][mv.to().index()])
    }

    #[inline]
    pub fn update(&mut self, side: Color, threats: Bitboard, mv: Move, bonus: i32) {
        let table = &mut self.0[side.index()][threatened(threats, mv)];
        gravity(&mut table[mv.from().index()][mv.to().index()], bonus);
    }
}

/// Pawn structures that are told apart.
const STRUCTURES: usize = 512;

/// By pawn structure, man and target.
pub(crate) struct PawnHistory(Box<[[i16; PieceTo::COUNT]; STRUCTURES]>);

impl PawnHistory {
    pub fn new() -> Self {
        Self(filled([0; PieceTo::COUNT]))
    }

    pub fn clear(&mut self) {
        self.0.fill([0; PieceTo::COUNT]);
    }

    #[inline]
    pub fn get(&self, pawns: Key, piece_to: PieceTo) -> i32 {
        i32::from(self.0[pawns as usize % STRUCTURES][piece_to.index()])
    }

    #[inline]
    pub fn update(&mut self, pawns: Key, piece_to: PieceTo, bonus: i32) {
        gravity(&mut self.0[pawns as usize % STRUCTURES][piece_to.index()], bonus);
    }
}
