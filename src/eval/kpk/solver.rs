//! All positions of king and pawn against king, solved backwards from the promotions (K. Thompson,
//! "Retrograde analysis of certain endgames", 1986). Only `build.rs` uses this file; as in
//! `attacks::slow`, squares are indices and sets are plain `u64`.
//!
//! White has the pawn, on the files a to d: the other half of the board is its mirror image.

/// Squares of the pawn that are told apart: four files, ranks two to seven.
const PAWNS: usize = 24;

/// For each pawn and white king, the squares of the black king from where White wins: first those
/// with White to move, then those with Black to move. See [`index`].
pub fn solve(king: &[u64], pawn_captures: &[u64]) -> Vec<u64> {
    let mut won = vec![0; 2 * PAWNS * 64];
    // A pawn only steps forward: the positions behind it depend on those in front of it.
    for pawn in (0..PAWNS).rev() {
        let board = Board { king, pawn, square: 8 + pawn / 4 * 8 + pawn % 4, captures: 0 };
        let board = Board { captures: pawn_captures[board.square], ..board };
        loop {
            let before = won.clone();
            for white in (0..64).filter(|&white| white != board.square) {
                won[index(true, pawn, white)] = board.white_wins(white, &won);
                won[index(false, pawn, white)] = board.black_loses(white, &won);
            }
            if won == before {
                break;
            }
        }
    }
    won
}

/// The place of a pawn, counted from a2 by four files, and a white king in the solution.
pub fn index(white_to_move: bool, pawn: usize, white: usize) -> usize {
    (usize::from(!white_to_move) * PAWNS + pawn) * 64 + white
}

/// The squares of a set.
fn squares(set: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |square| set >> square & 1 != 0)
}

/// All positions with the pawn on one square.
struct Board<'a> {
    /// What a king attacks from each square.
    king: &'a [u64],
    pawn: usize,
    square: usize,
    /// What the pawn attacks.
    captures: u64,
}

impl Board<'_> {
    /// The black kings that lose with White to move, by what is known of the next positions.
    fn white_wins(&self, white: usize, won: &[u64]) -> u64 {
        let mut wins = 0;
        for to in squares(self.king[white] & !(1 << self.square)) {
            wins |= won[index(false, self.pawn, to)];
        }
        let ahead = self.square + 8;
        if ahead != white {
            // The pawn does not step onto the black king.
            if ahead >= 56 {
                let guarded = self.king[white] >> ahead & 1 != 0;
                wins |= if guarded { !(1 << ahead) } else { !(1 << ahead | self.king[ahead]) };
            } else {
                wins |= won[index(false, self.pawn + 4, white)] & !(1 << ahead);
                let far = ahead + 8;
                if self.pawn < 4 && far != white {
                    wins |= won[index(false, self.pawn + 8, white)] & !(1 << ahead | 1 << far);
                }
            }
        }
        wins & !(self.king[white] | 1 << white | 1 << self.square | self.captures)
    }

    /// The black kings that lose with Black to move: in mate, or with moves that all lose.
    fn black_loses(&self, white: usize, won: &[u64]) -> u64 {
        let after = won[index(true, self.pawn, white)];
        let loses = |black: usize| {
            let moves = self.king[black] & !(self.king[white] | self.captures);
            let mate = moves == 0 && self.captures >> black & 1 != 0;
            // Where the pawn stands nothing is won: to take it is never among the losing moves.
            mate || (moves != 0 && moves & !after == 0)
        };
        let free = !(self.king[white] | 1 << white | 1 << self.square);
        squares(free).filter(|&black| loses(black)).fold(0, |set, black| set | 1 << black)
    }
}
