//! Correction history: how far the search's results lay from the static evaluation, by
//! features of the position that repeat through the tree (see chessprogramming.org, "Static
//! Evaluation Correction History").

#![forbid(unsafe_code)]

use super::continuation::PieceTo;
use super::filled;
use crate::board::Position;
use crate::search::Params;
use crate::tt::prefetch;
use crate::types::{Color, Key, Score};

/// Entries of each table and side; a power of two.
const SIZE: usize = 16_384;

/// The largest correction a table holds, in 1/[`GRAIN`] centipawns.
const LIMIT: i32 = 64 * GRAIN;

/// Entries count in 1/256 centipawns.
const GRAIN: i32 = 256;

/// The tables that are indexed by a key.
const TABLES: usize = 5;

/// Corrections of one worker, for each side to move.
pub(crate) struct CorrectionHistory {
    keyed: Box<[[[i16; SIZE]; 2]; TABLES]>,
    continuation: Box<[[i16; PieceTo::COUNT]; PieceTo::COUNT]>,
}

/// The keys of the tables: pawns, minor pieces, major pieces, and each side's men.
fn keys(position: &Position) -> [Key; TABLES] {
    [
        position.pawn_key(),
        position.minor_key(),
        position.major_key(),
        position.non_pawn_key(Color::White),
        position.non_pawn_key(Color::Black),
    ]
}

impl CorrectionHistory {
    pub fn new() -> Self {
        Self { keyed: filled([[0; SIZE]; 2]), continuation: filled([0; PieceTo::COUNT]) }
    }

    pub fn clear(&mut self) {
        self.keyed.as_flattened_mut().as_flattened_mut().fill(0);
        self.continuation.as_flattened_mut().fill(0);
    }

    /// What to add to the static evaluation of `position`, in centipawns; `last` are the moves
    /// one and two plies before.
    pub fn correction(&self, position: &Position, last: [PieceTo; 2], params: &Params) -> Score {
        let side = position.side_to_move().index();
        let weights = [
            params.corr_pawn,
            params.corr_minor,
            params.corr_major,
            params.corr_non_pawn,
            params.corr_non_pawn,
        ];
        let keyed: i32 = (0..TABLES)
            .zip(keys(position))
            .zip(weights)
            .map(|((table, key), weight)| weight * i32::from(self.keyed[table][side][key as usize % SIZE]))
            .sum();
        let continuation =
            params.corr_continuation * i32::from(self.continuation[last[1].index()][last[0].index()]);
        (keyed + continuation) / (GRAIN * 1024)
    }

    /// Brings near what [`Self::correction`] will read of `position`: the tables exceed the second
    /// level of most caches.
    #[inline]
    pub fn prefetch(&self, position: &Position) {
        let side = position.side_to_move().index();
        for (table, key) in keys(position).into_iter().enumerate() {
            prefetch(&self.keyed[table][side][key as usize % SIZE]);
        }
    }

    /// Learns that a search of `depth` plies ended `difference` centipawns above the corrected
    /// evaluation: `rate` 256ths of the error a ply of depth, at most a quarter of the limit.
    pub fn update(
        &mut self,
        position: &Position,
        last: [PieceTo; 2],
        depth: i32,
        difference: Score,
        rate: i32,
    ) {
        let side = position.side_to_move().index();
        // A 256th of a centipawn is one grain. A score near a mate is far away, so it saturates.
        let bonus = difference.saturating_mul(depth * rate).clamp(-LIMIT / 4, LIMIT / 4);
        for (table, key) in keys(position).into_iter().enumerate() {
            correct(&mut self.keyed[table][side][key as usize % SIZE], bonus);
        }
        correct(&mut self.continuation[last[1].index()][last[0].index()], bonus);
    }
}

/// The rule of gravity with the limit of corrections.
#[inline]
fn correct(entry: &mut i16, bonus: i32) {
    *entry += (bonus - i32::from(*entry) * bonus.abs() / LIMIT) as i16;
}
