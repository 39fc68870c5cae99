//! When a game is over or drawn. One owner for search, UCI and data generation.

use std::sync::LazyLock;

use super::{Board, Position, zobrist};
use crate::attacks;
use crate::types::{Bitboard, Color, Key, Piece, Square};

/// How a game has ended, or may be claimed to end as a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The side to move is mated.
    Checkmate {
        /// The other side.
        winner: Color,
    },
    /// The side to move is not in check and has no move.
    Stalemate,
    /// No sequence of moves leads to mate: too little material is left.
    DeadPosition,
    /// 75 moves of both sides without capture or pawn move.
    SeventyFiveMoves,
    /// The position is on the board for the fifth time.
    FivefoldRepetition,
    /// 50 moves of both sides without capture or pawn move; must be claimed.
    FiftyMoves,
    /// The position is on the board for the third time; must be claimed.
    ThreefoldRepetition,
}

impl Position {
    /// Whether neither side can ever mate: bare kings, one knight or bishop more, or any number
    /// of bishops that all stand on squares of one colour.
    pub fn has_insufficient_material(&self) -> bool {
        let men = self.occupied().without(self.piece(Piece::King));
        let bishops = self.piece(Piece::Bishop);
        let one_colour = (bishops & Bitboard::DARK).is_empty() || (bishops & Bitboard::LIGHT).is_empty();
        let only_bishops = men == bishops;
        let one_knight = men == self.piece(Piece::Knight) && !men.many();
        only_bishops && one_colour || one_knight
    }

    /// Whether the fifty-move rule ends the game here: 100 half-moves, and the last of them
    /// did not give mate.
    fn is_draw_by_fifty_moves(&self) -> bool {
        self.halfmove_clock >= 100 && (!self.in_check() || self.has_legal_move())
    }
}

impl Board {
    /// How often the present position has occurred before.
    pub fn repetitions(&self) -> usize {
        self.earlier_occurrences(0).count()
    }

    /// Distances in plies, rising, at which the position `back` plies ago occurred before it,
    /// counted from that position.
    fn earlier_occurrences(&self, back: usize) -> impl Iterator<Item = usize> {
        let position = self.position_ago(back);
        // With the same side to move; two plies cannot lead back, but four can.
        (4..=self.reversible_plies_ago(back))
            .step_by(2)
            .filter(move |&distance| self.position_ago(back + distance).key() == position.key())
    }

    /// The position `back` plies ago.
    fn position_ago(&self, back: usize) -> &Position {
        if back == 0 { &self.position } else { &self.past[self.past.len() - back] }
    }

    /// How many plies an equal position can lie back from the one `back` plies ago.
    fn reversible_plies_ago(&self, back: usize) -> usize {
        usize::from(self.position_ago(back).reversible_plies).min(self.past.len() - back)
    }

    /// Whether the search treats the position, `ply` plies from its root, as drawn: by the
    /// fifty-move rule, by insufficient material, or by repetition. An occurrence after the
    /// root is enough, as what could be done better now could have been done better then; of
    /// positions up to the root it takes two, as the rules say.
    pub fn is_draw_in_search(&self, ply: usize) -> bool {
        let mut earlier = self.earlier_occurrences(0);
        let repeated = match earlier.next() {
            Some(distance) => distance < ply || earlier.next().is_some(),
            None => false,
        };
        repeated || self.has_insufficient_material() || self.is_draw_by_fifty_moves()
    }

    /// Whether the side to move can, by one move, reach a position that
    /// [`Board::is_draw_in_search`] would call a repetition (M. van Kervinck, "The Design and
    /// Implementation of the Rookie 2.0 Chess Program").
    ///
    /// The keys of the present position and of the earlier one differ by exactly the key of
    /// that move.
    pub fn has_upcoming_repetition(&self, ply: usize) -> bool {
        (3..=self.reversible_plies_ago(0)).step_by(2).any(|distance| {
            let difference = self.key() ^ self.position_ago(distance).key();
            let Some((a, b)) = REVERSIBLE_MOVES.find(difference) else {
                return false;
            };
            let own = (self.color(self.side_to_move()) & (Bitboard::from(a) | b.into())).any();
            own && (attacks::between(a, b) & self.occupied()).is_empty()
                && (distance < ply || self.earlier_occurrences(distance).next().is_some())
        })
    }

    /// How the game has ended, if it has. Draws that a player would have to claim count too.
    pub fn outcome(&self) -> Option<Outcome> {
        if !self.has_legal_move() {
            return Some(if self.in_check() {
                Outcome::Checkmate { winner: !self.side_to_move() }
            } else {
                Outcome::Stalemate
            });
        }
        let repetitions = self.repetitions();
        if self.has_insufficient_material() {
            Some(Outcome::DeadPosition)
        } else if self.halfmove_clock() >= 150 {
            Some(Outcome::SeventyFiveMoves)
        } else if repetitions >= 4 {
            Some(Outcome::FivefoldRepetition)
        } else if self.halfmove_clock() >= 100 {
            Some(Outcome::FiftyMoves)
        } else if repetitions >= 2 {
            Some(Outcome::ThreefoldRepetition)
        } else {
            None
        }
    }
}

/// All moves of men other than pawns on an empty board, found by what they change in the key.
/// A cuckoo hash table: each key has two places and stands in one of them.
struct ReversibleMoves {
    keys: Box<[Key; Self::SIZE]>,
    squares: Box<[(Square, Square); Self::SIZE]>,
}

static REVERSIBLE_MOVES: LazyLock<ReversibleMoves> = LazyLock::new(ReversibleMoves::new);

impl ReversibleMoves {
    const SIZE: usize = 1 << 13;

    const fn places(key: Key) -> [usize; 2] {
        [key as usize % Self::SIZE, (key >> 32) as usize % Self::SIZE]
    }

    fn new() -> Self {
        let mut table = Self {
            keys: Box::new([0; Self::SIZE]),
            squares: Box::new([(Square::A1, Square::A1); Self::SIZE]),
        };
        let pieces = [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen, Piece::King];
        for color in Color::ALL {
            for piece in pieces {
                for a in Square::ALL {
                    let targets = attacks::piece(piece, color, a, Bitboard::EMPTY);
                    for b in targets.into_iter().filter(|&b| a < b) {
                        table.insert(color, piece, a, b);
                    }
                }
            }
        }
        table
    }

    fn insert(&mut self, color: Color, piece: Piece, a: Square, b: Square) {
        let mut key =
            zobrist::man(color, piece, a) ^ zobrist::man(color, piece, b) ^ zobrist::black_to_move();
        let mut squares = (a, b);
        let mut place = Self::places(key)[0];
        // Who is thrown out moves to its other place, until a place was free.
        while key != 0 {
            std::mem::swap(&mut key, &mut self.keys[place]);
            std::mem::swap(&mut squares, &mut self.squares[place]);
            let [first, second] = Self::places(key);
            place = if place == first { second } else { first };
        }
    }

    /// The two squares of the move with this key.
    #[inline]
    fn find(&self, key: Key) -> Option<(Square, Square)> {
        let place = Self::places(key).into_iter().find(|&place| self.keys[place] == key)?;
        Some(self.squares[place])
    }
}
