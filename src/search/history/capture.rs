//! History of captures and queen promotions, by man, target and what is taken.

#![forbid(unsafe_code)]

use super::continuation::PieceTo;
use super::{filled, gravity};
use crate::types::Piece;

/// The kinds of men that can be taken, and one place for "nothing" (promotions).
const VICTIMS: usize = 6;

/// By man and target, and the kind that is taken.
pub(crate) struct CaptureHistory(Box<[[i16; VICTIMS]; PieceTo::COUNT]>);

#[inline]
fn victim(captured: Option<Piece>) -> usize {
    captured.map_or(VICTIMS - 1, Piece::index)
}

impl CaptureHistory {
    pub fn new() -> Self {
        Self(filled([0; VICTIMS]))
    }

    pub fn clear(&mut self) {
        self.0.fill([0; VICTIMS]);
    }

    #[inline]
    pub fn get(&self, piece_to: PieceTo, captured: Option<Piece>) -> i32 {
        i32::from(self.0[piece_to.index()][victim(captured)])
    }

    #[inline]
    pub fn update(&mut self, piece_to: PieceTo, captured: Option<Piece>, bonus: i32) {
        gravity(&mut self.0[piece_to.index()][victim(captured)], bonus);
    }
}
