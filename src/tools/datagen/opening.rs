//! Random openings, so that no two games are alike.
//!
//! Games start after a few uniformly random moves from the start position. An even and an odd
//! number are equally likely: both sides get the first move of their own. A tenth of the games
//! keeps close to normal openings with half as many random moves.

use crate::board::{Board, Position};
use crate::rng::Rng;
use crate::search::Limits;
use crate::tools::searcher::Searcher;
use crate::types::Score;

/// A random move gives away no more than this by static exchange, in centipawns: a rook may be
/// lost, a queen not.
const MAX_LOSS: Score = 500;
/// Random plies of most openings; one more in half of them.
const PLIES: usize = 8;
/// Random plies of the short openings; one more in half of them. With one fewer, too few
/// positions could arise: games would repeat.
const SHORT_PLIES: usize = 4;
/// One opening in so many is short.
const SHORT_EVERY: usize = 10;
/// Soft limit of the search that checks an opening, in nodes.
const CHECK_NODES: u64 = 2_000;
/// The check never searches more nodes.
const MAX_CHECK_NODES: u64 = 8 * CHECK_NODES;
/// An opening is refused when a side is further ahead than this, in centipawns.
const MAX_SCORE: Score = 200;

/// A random opening that leaves both sides a game, as `checker` sees it.
pub fn balanced_opening(rng: &mut Rng, checker: &mut Searcher) -> Board {
    loop {
        let board = Board::from_position(random_opening(rng));
        if is_balanced(&board, checker) {
            return board;
        }
    }
}

/// A few random moves from `start`, a position of a book. `None` when they end the game, or do
/// not leave both sides a game, as `checker` sees it: another try may succeed.
pub(super) fn try_after(start: &Position, rng: &mut Rng, checker: &mut Searcher) -> Option<Board> {
    let board = Board::from_position(random_moves(*start, SHORT_PLIES + rng.below(2), rng)?);
    is_balanced(&board, checker).then_some(board)
}

fn is_balanced(board: &Board, checker: &mut Searcher) -> bool {
    let limits = Limits { soft_nodes: Some(CHECK_NODES), ..Limits::nodes(MAX_CHECK_NODES) };
    checker.search(board, &limits).score.abs() <= MAX_SCORE
}

/// A position after random moves in which the game goes on.
fn random_opening(rng: &mut Rng) -> Position {
    let start = *Board::startpos().position();
    loop {
        let plies = if rng.below(SHORT_EVERY) == 0 { SHORT_PLIES } else { PLIES } + rng.below(2);
        if let Some(position) = random_moves(start, plies, rng) {
            return position;
        }
    }
}

/// `None` when the moves end the game or leave only such as lose too much.
fn random_moves(start: Position, plies: usize, rng: &mut Rng) -> Option<Position> {
    let mut position = start;
    for _ in 0..plies {
        let mut moves = position.legal_moves();
        moves.retain(|mv| position.see_at_least(*mv, -MAX_LOSS));
        if moves.is_empty() {
            return None;
        }
        position.play(moves[rng.below(moves.len())]);
    }
    position.has_legal_move().then_some(position)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Color, Piece};
    use std::collections::HashSet;

    #[test]
    fn openings_start_for_both_sides_and_keep_the_queens() {
        let mut rng = Rng::stream(1, 0, 0);
        let openings: Vec<Position> = (0..1000).map(|_| random_opening(&mut rng)).collect();
        let black = openings.iter().filter(|p| p.side_to_move() == Color::Black).count();
        assert!((400..=600).contains(&black), "{black} of 1000 start with Black");
        let short = openings.iter().filter(|p| p.fullmove() == 3).count();
        assert!((60..=140).contains(&short), "{short} of 1000 are short");
        let queens = openings.iter().filter(|p| p.piece(Piece::Queen).count() == 2).count();
        assert!(queens >= 900, "only {queens} of 1000 still have both queens");
        let different: HashSet<_> = openings.iter().map(|p| p.key()).collect();
        assert!(different.len() >= 990, "only {} of 1000 differ", different.len());
    }
}
