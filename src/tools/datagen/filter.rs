//! Which positions of a game are worth learning from.
//!
//! Game files keep every ply; what is left out is decided each time they are read, so that
//! another choice needs no new games. Dropped are positions whose score a quiet evaluation
//! cannot know (in check, a capture or promotion is best), that random opening moves made, or
//! whose result is settled.

use crate::board::Position;
use crate::types::Color;

use super::viriformat::{Game, GameResult, Ply};

/// The choice; [`Filter::default`] is the standard one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Positions before this ply of the game are dropped.
    pub min_ply: u32,
    /// Scores of this size or more, in centipawns, are dropped.
    pub max_score: u16,
    /// So many plies are dropped at the end of a drawn game.
    pub drawn_tail: usize,
}

impl Default for Filter {
    fn default() -> Self {
        Self { min_ply: 16, max_score: 2_500, drawn_tail: 8 }
    }
}

impl Filter {
    /// The positions of a game that are kept, with the move played in them.
    pub fn kept<'a>(&'a self, game: &'a Game) -> impl Iterator<Item = (Position, Ply)> + 'a {
        let tail = if game.result == GameResult::Draw { self.drawn_tail } else { 0 };
        let end = game.plies.len().saturating_sub(tail);
        game.positions().take(end).filter(|(position, ply)| self.keeps(position, *ply))
    }

    fn keeps(&self, position: &Position, ply: Ply) -> bool {
        game_ply(position) >= self.min_ply
            && ply.score.unsigned_abs() < self.max_score
            && !position.in_check()
            && !position.is_capture(ply.mv)
            && ply.mv.promoted().is_none()
    }
}

/// The plies played before a position, by its full-move number.
pub fn game_ply(position: &Position) -> u32 {
    let black_to_move = position.side_to_move() == Color::Black;
    2 * position.fullmove().saturating_sub(1) + u32::from(black_to_move)
}
