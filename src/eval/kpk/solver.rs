//! All positions of king and pawn against king, solved backwards from the promotions (K. Thompson,
//! "Retrograde analysis of certain endgames", 1986). Only `build.rs` uses this file; as in
//! `attacks::slow`, squares are indices and sets are plain `u64`.

#[path = "layout.rs"]
mod layout;

use layout::{SIZE, place};

/// For each side to move, pawn and white king, the squares of the black king from where White wins,
/// at their [`place`].
pub fn solve(king: &[u64], pawn_captures: &[u64]) -> Vec<u64> {
    let mut won = vec![0; SIZE];
    // A pawn only steps forward: the positions behind it depend on those in front of it.
    for pawn in (8..56).rev().filter(|pawn| pawn % 8 < 4) {
        let board = Board { king, pawn, captures: pawn_captures[pawn] };
        loop {
            let before = won.clone();
            for white in (0..64).filter(|&white| white != pawn) {
                won[place(true, pawn, white)] = board.white_wins(white, &won);
                won[place(false, pawn, white)] = board.black_loses(white, &won);
            }
            if won == before {
                break;
            }
        }
    }
    won
}

/// The squares of a set.
fn squares(set: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |square| set >> square & 1 != 0)
}

/// All positions with the pawn on one square.
struct Board<'a> {
    /// What a king attacks from each square.
    king: &'a [u64],
    /// Where the pawn stands.
    pawn: usize,
    /// What the pawn attacks.
    captures: u64,
}

impl Board<'_> {
    /// The black kings that lose with White to move, by what is known of the next positions.
    fn white_wins(&self, white: usize, won: &[u64]) -> u64 {
        let mut wins = 0;
        for to in squares(self.king[white] & !(1 << self.pawn)) {
            wins |= won[place(false, self.pawn, to)];
        }
        let ahead = self.pawn + 8;
        if ahead != white {
            // The pawn does not step onto the black king.
            if ahead >= 56 {
                let guarded = self.king[white] >> ahead & 1 != 0;
                wins |= if guarded { !(1 << ahead) } else { !(1 << ahead | self.king[ahead]) };
            } else {
                wins |= won[place(false, ahead, white)] & !(1 << ahead);
                let far = ahead + 8;
                if self.pawn < 16 && far != white {
                    wins |= won[place(false, far, white)] & !(1 << ahead | 1 << far);
                }
            }
        }
        wins & !(self.king[white] | 1 << white | 1 << self.pawn | self.captures)
    }

    /// The black kings that lose with Black to move: in mate, or with moves that all lose.
    fn black_loses(&self, white: usize, won: &[u64]) -> u64 {
        let after = won[place(true, self.pawn, white)];
        let loses = |black: usize| {
            let moves = self.king[black] & !(self.king[white] | self.captures);
            let mate = moves == 0 && self.captures >> black & 1 != 0;
            // Where the pawn stands nothing is won: to take it is never among the losing moves.
            mate || (moves != 0 && moves & !after == 0)
        };
        let free = !(self.king[white] | 1 << white | 1 << self.pawn);
        squares(free).filter(|&black| loses(black)).fold(0, |set, black| set | 1 << black)
    }
}
