//! A training position in 32 bytes, seen by the side to move.
//!
//! Millions of these stay in memory, so a record holds only what training needs: the men, the
//! two labels and the files of the kings. When Black is to move, ranks and colours are swapped,
//! so the side to move always plays up the board.

use longan::board::{Position, Setup};
use longan::eval::features::{self, MAX_MEN};
use longan::tools::datagen::viriformat::GameResult;
use longan::types::{Bitboard, CastlingRights, Color, Piece, Square};

use crate::rng::mix;

/// Marks an opponent's man.
const ENEMY: u8 = 8;

/// One position with its labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    occupied: u64,
    /// For each occupied square in order, four bits: the kind of man, and [`ENEMY`].
    men: [u8; 16],
    score: i16,
    half_points: u8,
    /// Whether the view of the side to move, and of its opponent, has mirrored files.
    mirrored: [bool; 2],
}

const _: () = assert!(size_of::<Record>() == 32);

impl Record {
    /// The record of a position whose search gave `score` (centipawns from White's view) and
    /// whose game ended with `result`.
    pub fn new(position: &Position, score: i16, result: GameResult) -> Self {
        let side = position.side_to_move();
        let mut record = Self {
            occupied: 0,
            men: [0; 16],
            score: if side == Color::White { score } else { score.saturating_neg() },
            half_points: (2.0 * result.points(side)) as u8,
            mirrored: [side, !side].map(|viewer| features::is_mirrored(position.king(viewer))),
        };
        let mut count = 0;
        for square in Square::ALL {
            let here = square.relative_to(side);
            if let (Some(piece), Some(color)) = (position.piece_at(here), position.color_at(here)) {
                let man = piece as u8 | if color == side { 0 } else { ENEMY };
                record.occupied |= 1 << square.index();
                record.men[count / 2] |= man << (count % 2 * 4);
                count += 1;
            }
        }
        record
    }

    /// What the search said, in centipawns.
    pub fn score(&self) -> i16 {
        self.score
    }

    /// What the game brought: 0, 0.5 or 1.
    pub fn points(&self) -> f32 {
        f32::from(self.half_points) * 0.5
    }

    /// How many men are on the board.
    pub fn men(&self) -> u32 {
        self.occupied.count_ones()
    }

    /// A 64-bit key of the men as the side to move sees them. A position and its twin with
    /// colours swapped are the same to the network and have the same key.
    pub fn key(&self) -> u64 {
        let men = u128::from_le_bytes(self.men);
        mix(mix(mix(self.occupied) ^ men as u64) ^ (men >> 64) as u64)
    }

    /// A position with these men and White, in the role of the side to move, to move. Castling
    /// rights, clocks and the en-passant square are lost: the network does not see them.
    pub fn position(&self) -> Position {
        let mut setup = Setup {
            mailbox: [None; Square::COUNT],
            side: Color::White,
            castling: CastlingRights::default(),
            ep: None,
            halfmove_clock: 0,
            fullmove: 1,
            chess960: false,
        };
        for (n, square) in Bitboard(self.occupied).into_iter().enumerate() {
            let code = self.men[n / 2] >> (n % 2 * 4);
            let color = if code & ENEMY == 0 { Color::White } else { Color::Black };
            setup.mailbox[square.index()] = Some((color, Piece::ALL[usize::from(code & 7)]));
        }
        Position::from_setup(setup).expect("a record is made of a legal position")
    }

    /// Writes the inputs of both views to the front of `own` and `other`; returns their number.
    #[inline]
    pub fn inputs(&self, views: &Views, own: &mut [u16; MAX_MEN], other: &mut [u16; MAX_MEN]) -> usize {
        let own_view = &views.own[usize::from(self.mirrored[0])];
        let other_view = &views.other[usize::from(self.mirrored[1])];
        let mut occupied = self.occupied;
        let mut men = u128::from_le_bytes(self.men);
        let mut count = 0;
        while occupied != 0 && count < MAX_MEN {
            let man = (men as usize & 15) << 6 | occupied.trailing_zeros() as usize;
            own[count] = own_view[man];
            other[count] = other_view[man];
            occupied &= occupied - 1;
            men >>= 4;
            count += 1;
        }
        count
    }
}

/// The engine's feature numbers, tabulated by record code and square.
pub struct Views {
    own: [View; 2],
    other: [View; 2],
}

/// Indexed by `code * 64 + square`.
type View = [u16; 1024];

impl Views {
    /// Asks the engine for every number.
    pub fn new() -> Self {
        let view = |viewer, mirrored| {
            let mut view = [0; 1024];
            for (i, input) in view.iter_mut().enumerate() {
                let code = (i >> 6) as u8;
                let color = if code & ENEMY == 0 { Color::White } else { Color::Black };
                if let Some(&piece) = Piece::ALL.get(usize::from(code & 7)) {
                    *input = features::index(viewer, mirrored, color, piece, Square::from_index(i & 63));
                }
            }
            view
        };
        Self {
            own: [false, true].map(|mirrored| view(Color::White, mirrored)),
            other: [false, true].map(|mirrored| view(Color::Black, mirrored)),
        }
    }
}

impl Default for Views {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use longan::board::Board;
    use longan::tools::datagen::viriformat::Game;

    use super::*;
    use crate::testing::random_games;

    fn sorted_inputs(record: &Record) -> [Vec<u16>; 2] {
        let mut inputs = [[0; MAX_MEN]; 2];
        let [own, other] = &mut inputs;
        let men = record.inputs(&Views::new(), own, other);
        inputs.map(|inputs| {
            let mut inputs = inputs[..men].to_vec();
            inputs.sort_unstable();
            inputs
        })
    }

    fn engine_inputs(position: &Position, viewer: Color) -> Vec<u16> {
        let mut inputs = features::active(position, viewer).to_vec();
        inputs.sort_unstable();
        inputs
    }

    #[test]
    fn the_inputs_are_those_of_the_engine() {
        let games = random_games(40, 21);
        let mut black_to_move = 0;
        for (position, ply) in games.iter().flat_map(Game::positions) {
            let side = position.side_to_move();
            let record = Record::new(&position, ply.score, GameResult::Draw);
            let expected = [side, !side].map(|viewer| engine_inputs(&position, viewer));
            assert_eq!(sorted_inputs(&record), expected, "{}", position.fen());
            black_to_move += usize::from(side == Color::Black);
        }
        assert!(black_to_move > 1_000);
    }

    #[test]
    fn a_record_becomes_a_position_with_the_same_inputs() {
        for (position, ply) in random_games(20, 22).iter().flat_map(Game::positions) {
            let record = Record::new(&position, ply.score, GameResult::Draw);
            let again = record.position();
            let expected = [Color::White, Color::Black].map(|viewer| engine_inputs(&again, viewer));
            assert_eq!(sorted_inputs(&record), expected, "{}", position.fen());
        }
    }

    #[test]
    fn labels_are_those_of_the_side_to_move() {
        let record = |fen: &str, score, result| {
            Record::new(Board::from_fen(fen).expect("a legal position").position(), score, result)
        };
        let white = record("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", 120, GameResult::WhiteWon);
        assert_eq!((white.score(), white.points(), white.men()), (120, 1.0, 3));
        let black = record("4k3/4p3/8/8/8/8/8/4K3 b - - 0 1", -120, GameResult::BlackWon);
        assert_eq!(black, white);
        let black = record("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1", 120, GameResult::WhiteWon);
        assert_eq!((black.score(), black.points()), (-120, 0.0));
        assert_ne!(black.key(), white.key());
        assert_eq!(record("4k3/8/8/8/8/8/4P3/4K3 w - - 9 9", 1, GameResult::Draw).points(), 0.5);
    }
}
