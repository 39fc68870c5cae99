//! Random openings, so that no two games are alike.
//!
//! Games start after a few uniformly random moves from the start position. An even and an odd
//! number are equally likely: both sides get the first move of their own. A tenth of the games
//! keeps close to normal openings with half as many random moves.

use crate::board::{Board, Position};
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

/// The generator SplitMix64 (G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number
/// Generators", 2014).
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The generator of one game: equal arguments give equal games, others unrelated ones.
    pub fn for_game(seed: u64, shard: u64, game: u64) -> Self {
        let mut state = seed;
        for part in [shard, game] {
            state = Self(state).next().wrapping_add(part);
        }
        Self(Self(state).next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// A number below `bound`, all equally likely but for 2^-64 of `bound`.
    fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }
}

/// A position after random moves in which the game goes on.
pub fn random_opening(rng: &mut Rng) -> Position {
    loop {
        let plies = if rng.below(SHORT_EVERY) == 0 { SHORT_PLIES } else { PLIES } + rng.below(2);
        if let Some(position) = random_moves(plies, rng) {
            return position;
        }
    }
}

/// `None` when the moves end the game or leave only such as lose too much.
fn random_moves(plies: usize, rng: &mut Rng) -> Option<Position> {
    let mut position = *Board::startpos().position();
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
    fn split_mix_gives_the_published_numbers() {
        // From the reference implementation by S. Vigna, for the seed 1234567.
        let mut rng = Rng(1_234_567);
        let numbers = [(); 3].map(|()| rng.next());
        assert_eq!(
            numbers,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn each_game_has_its_own_generator() {
        let mut firsts = HashSet::new();
        for seed in 0..4 {
            for shard in 0..16 {
                for game in 0..256 {
                    assert!(firsts.insert(Rng::for_game(seed, shard, game).next()));
                }
            }
        }
    }

    #[test]
    fn openings_start_for_both_sides_and_keep_the_queens() {
        let mut rng = Rng::for_game(1, 0, 0);
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
