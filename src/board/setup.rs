//! Positions as somebody describes them, before anybody has checked them.
//!
//! A [`Setup`] is plain data: men on squares and the rest of what a FEN says. It may be
//! impossible, even without kings. `Position::from_setup` is the only way from here to a
//! playable position, and the only place that judges it (see `validate`).
//!
//! Chess960 start arrays follow R. Scharnagl's numbering, 0 to 959; 518 is the standard array.

#![forbid(unsafe_code)]

use crate::types::{CastlingRights, Color, File, Piece, Rank, Square, Wing};

/// A position nobody has checked yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// What stands on each square, a1 to h8.
    pub mailbox: [Option<(Color, Piece)>; Square::COUNT],
    /// Whose turn it is.
    pub side: Color,
    /// Who may still castle, with which rooks.
    pub castling: CastlingRights,
    /// The square a pawn has just jumped over, if it has made a double step.
    pub ep: Option<Square>,
    /// Half-moves since the last capture or pawn move.
    pub halfmove_clock: u32,
    /// The number of the move to come, from 1; it grows after Black's moves.
    pub fullmove: u32,
    /// Whether castling is written as the king taking its rook, as Chess960 does.
    pub chess960: bool,
}

impl Setup {
    /// How many Chess960 start arrays there are.
    pub const START_ARRAYS: usize = 960;

    /// The number of the standard array among those of Chess960.
    pub const STANDARD_ARRAY: usize = 518;

    /// The empty board, White to move: a sheet to put men on.
    pub fn empty() -> Self {
        Self {
            mailbox: [None; Square::COUNT],
            side: Color::White,
            castling: CastlingRights::default(),
            ep: None,
            halfmove_clock: 0,
            fullmove: 1,
            chess960: false,
        }
    }

    /// The start of a standard game.
    pub fn startpos() -> Self {
        let array = start_array(Self::STANDARD_ARRAY);
        Self { chess960: false, ..Self::with_arrays(array, array) }
    }

    /// The start of the Chess960 game `number`, or `None` from 960 on.
    ///
    /// ```
    /// use longan::board::{Position, Setup};
    ///
    /// let position = Position::from_setup(Setup::chess960(0).unwrap()).unwrap();
    /// assert_eq!(position.fen(), "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1");
    /// assert!(Setup::chess960(960).is_none());
    /// ```
    pub fn chess960(number: usize) -> Option<Self> {
        Self::double(number, number)
    }

    /// The start of a double Chess960 game, where each side has its own array; `None` if a
    /// number is above 959.
    pub fn double(white: usize, black: usize) -> Option<Self> {
        let known = white.max(black) < Self::START_ARRAYS;
        known.then(|| Self::with_arrays(start_array(white), start_array(black)))
    }

    fn with_arrays(white: [Piece; 8], black: [Piece; 8]) -> Self {
        let mut setup = Self { chess960: true, ..Self::empty() };
        for (color, array) in [(Color::White, white), (Color::Black, black)] {
            for (file, piece) in File::ALL.into_iter().zip(array) {
                setup.put(Square::new(file, Rank::First.relative_to(color)), color, piece);
                setup.put(Square::new(file, Rank::Second.relative_to(color)), color, Piece::Pawn);
            }
            let rooks = || File::ALL.into_iter().filter(|file| array[file.index()] == Piece::Rook);
            setup.castling.set(color, Wing::Queen, rooks().next());
            setup.castling.set(color, Wing::King, rooks().next_back());
        }
        setup
    }

    /// Puts a man on a square, in place of what stood there.
    pub fn put(&mut self, square: Square, color: Color, piece: Piece) {
        self.mailbox[square.index()] = Some((color, piece));
    }

    /// The squares where men of this colour and kind stand.
    pub fn squares(&self, color: Color, piece: Piece) -> impl Iterator<Item = Square> {
        Square::ALL.into_iter().filter(move |square| self.mailbox[square.index()] == Some((color, piece)))
    }
}

/// The pieces of the first rank in the array `number` (below 960), from the a-file on.
///
/// The number is read digit by digit: the light-squared bishop (4 places), the dark-squared
/// (4), the queen (6 squares left), the knights (10 pairs of the 5 squares left); rook, king
/// and rook fill the rest in this order.
fn start_array(number: usize) -> [Piece; 8] {
    const KNIGHTS: [[usize; 2]; 10] =
        [[0, 1], [0, 2], [0, 3], [0, 4], [1, 2], [1, 3], [1, 4], [2, 3], [2, 4], [3, 4]];

    let mut array = [None; 8];
    array[number % 4 * 2 + 1] = Some(Piece::Bishop);
    array[number / 4 % 4 * 2] = Some(Piece::Bishop);
    let place = |array: &mut [Option<Piece>; 8], nth_free: usize, piece| {
        let free = array.iter_mut().filter(|place| place.is_none()).nth(nth_free);
        *free.expect("eight places for eight pieces") = Some(piece);
    };
    place(&mut array, number / 16 % 6, Piece::Queen);
    let [left, right] = KNIGHTS[number / 96];
    // The right one first: it does not shift the free squares that the left one counts.
    place(&mut array, right, Piece::Knight);
    place(&mut array, left, Piece::Knight);
    for piece in [Piece::Rook, Piece::King, Piece::Rook] {
        place(&mut array, 0, piece);
    }
    array.map(|piece| piece.expect("every place is filled"))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn letters(number: usize) -> String {
        start_array(number).map(Piece::letter).iter().collect()
    }

    #[test]
    fn arrays_have_scharnagls_numbers() {
        assert_eq!(letters(0), "bbqnnrkr");
        assert_eq!(letters(518), "rnbqkbnr");
        assert_eq!(letters(534), "rnbkqbnr");
        assert_eq!(letters(959), "rkrnnqbb");
    }

    #[test]
    fn all_arrays_differ_and_keep_the_rules_of_chess960() {
        let arrays: HashSet<_> = (0..Setup::START_ARRAYS).map(letters).collect();
        assert_eq!(arrays.len(), 960);
        for array in arrays {
            let king = array.find('k').unwrap();
            assert!(array.find('r').unwrap() < king && king < array.rfind('r').unwrap(), "{array}");
            assert_ne!(array.find('b').unwrap() % 2, array.rfind('b').unwrap() % 2, "{array}");
            assert_eq!(array.matches('n').count(), 2, "{array}");
            assert_eq!(array.matches('q').count(), 1, "{array}");
        }
    }

    #[test]
    fn double_chess960_gives_each_side_its_array() {
        let setup = Setup::double(0, 959).unwrap();
        assert_eq!(setup.squares(Color::White, Piece::King).collect::<Vec<_>>(), [Square::G1]);
        assert_eq!(setup.squares(Color::Black, Piece::King).collect::<Vec<_>>(), [Square::B8]);
        assert_eq!(setup.castling.get(Color::White, Wing::Queen), Some(File::F));
        assert_eq!(setup.castling.get(Color::Black, Wing::King), Some(File::C));
        assert_eq!(setup.squares(Color::Black, Piece::Pawn).count(), 8);
        assert!(setup.chess960 && !Setup::startpos().chess960);
        assert_eq!(Setup::double(0, 960), None);
    }
}
