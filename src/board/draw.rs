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

    /// Whether any position has occurred twice since the last move that cannot be undone.
    pub fn has_repeated(&self) -> bool {
        (0..=self.reversible_plies_ago(0)).any(|back| self.earlier_occurrences(back).next().is_some())
    }

    /// Distances in plies, rising, at which the position `back` plies ago occurred before it,
    /// counted from that position.
    fn earlier_occurrences(&self, back: usize) -> impl Iterator<Item = usize> {
        let position = self.position_ago(back);
        // With the same side to move; two plies cannot lead back, but four can. Half-open, for
        // steps through a closed range are slow and every node of a search comes here.
        (4..self.reversible_plies_ago(back) + 1)
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
        (3..self.reversible_plies_ago(0) + 1).step_by(2).any(|distance| {
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
    ///
    /// ```
    /// use longan::board::{Board, Outcome};
    ///
    /// let mut board = Board::startpos();
    /// for text in ["Nf3", "Nf6", "Ng1", "Ng8", "Nf3", "Nf6", "Ng1", "Ng8"] {
    ///     assert_eq!(board.outcome(), None);
    ///     board.make(board.parse_san(text).unwrap());
    /// }
    /// assert_eq!(board.outcome(), Some(Outcome::ThreefoldRepetition));
    /// ```
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Move;

    fn board(fen: &str, moves: &str) -> Board {
        let mut board = Board::from_fen(fen).unwrap();
        for text in moves.split_whitespace() {
            board.make(board.parse_uci(text).unwrap());
        }
        board
    }

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    const KNIGHTS_OUT_AND_BACK: &str = "g1f3 g8f6 f3g1 f6g8 ";

    #[test]
    fn repetitions_are_counted_from_the_last_irreversible_move() {
        let moves = |times| KNIGHTS_OUT_AND_BACK.repeat(times);
        assert_eq!(board(START, &moves(1)).repetitions(), 1);
        assert_eq!(board(START, &moves(3)).repetitions(), 3);
        assert_eq!(board(START, &(moves(3) + "e2e4")).repetitions(), 0);
        assert_eq!(board(START, &(moves(1) + "e2e4 e7e5 " + &moves(2))).repetitions(), 2);
        // Black could take en passant when the position first stood there, but not later.
        let taken = "4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1";
        assert_eq!(board(taken, "e2e4 e8e7 e1e2 e7e8 e2e1").repetitions(), 0);
        // The right to castle is lost, though the men stand as before.
        let rights = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
        assert_eq!(board(rights, "h1h2 e8e7 h2h1 e7e8").repetitions(), 0);
        assert_eq!(board(rights, "h1h2 e8e7 h2h1 e7e8 h1h2 e8e7 h2h1 e7e8").repetitions(), 1);
    }

    #[test]
    fn null_moves_do_not_repeat() {
        let mut board = Board::startpos();
        for _ in 0..4 {
            board.make_null();
        }
        assert_eq!(board.key(), Board::startpos().key());
        assert_eq!(board.repetitions(), 0);
    }

    #[test]
    fn one_repetition_after_the_root_draws_two_before_it() {
        let once = board(START, KNIGHTS_OUT_AND_BACK);
        assert!(!once.is_draw_in_search(0));
        assert!(!once.is_draw_in_search(4), "the earlier occurrence is the root");
        assert!(once.is_draw_in_search(5));
        let twice = board(START, &KNIGHTS_OUT_AND_BACK.repeat(2));
        assert!(twice.is_draw_in_search(0));
    }

    #[test]
    fn mate_on_the_hundredth_half_move_wins() {
        let mate = board("6k1/5ppp/8/8/8/8/8/K3R3 w - - 99 80", "e1e8");
        assert_eq!(mate.halfmove_clock(), 100);
        assert!(!mate.is_draw_in_search(1));
        assert_eq!(mate.outcome(), Some(Outcome::Checkmate { winner: Color::White }));
        // Only a check.
        let check = board("6k1/6pp/8/8/8/8/8/K3R3 w - - 99 80", "e1e8");
        assert!(check.is_draw_in_search(1));
        assert_eq!(check.outcome(), Some(Outcome::FiftyMoves));
        assert!(!board("6k1/6pp/8/8/8/8/8/K3R3 w - - 98 80", "e1e8").is_draw_in_search(1));
    }

    #[test]
    fn outcomes_in_their_order() {
        let rook = |clock| board(&format!("4k3/8/8/8/8/8/8/K3R3 b - - {clock} 90"), "").outcome();
        assert_eq!(rook(99), None);
        assert_eq!(rook(100), Some(Outcome::FiftyMoves));
        assert_eq!(rook(149), Some(Outcome::FiftyMoves));
        assert_eq!(rook(150), Some(Outcome::SeventyFiveMoves));
        let repeated = |times| board(START, &KNIGHTS_OUT_AND_BACK.repeat(times)).outcome();
        assert_eq!(repeated(1), None);
        assert_eq!(repeated(2), Some(Outcome::ThreefoldRepetition));
        assert_eq!(repeated(3), Some(Outcome::ThreefoldRepetition));
        assert_eq!(repeated(4), Some(Outcome::FivefoldRepetition));
        assert_eq!(board("7k/5Q2/6K1/8/8/8/8/8 b - - 150 1", "").outcome(), Some(Outcome::Stalemate));
        assert_eq!(board("7k/8/6K1/8/8/8/8/8 b - - 150 1", "").outcome(), Some(Outcome::DeadPosition));
    }

    #[test]
    fn dead_positions_by_material() {
        for (men, dead) in [
            ("8/8/4k3/8/8/2K5/8/8", true),
            ("8/8/4k3/8/8/2K2N2/8/8", true),
            ("8/8/4kb2/8/8/2K5/8/8", true),
            ("8/8/4kb2/8/8/2K1B3/8/8", true),
            ("8/8/4kb2/8/8/2K2B2/8/8", false),
            ("2b5/8/b3k3/8/8/2K2B2/8/7B", true),
            ("8/8/4kn2/8/8/2K2N2/8/8", false),
            ("8/8/4k3/8/8/2K2NN1/8/8", false),
            ("8/8/4kb2/8/8/2K2N2/8/8", false),
            ("8/8/4k3/8/8/2K2P2/8/8", false),
            ("8/8/4k3/8/8/2K2R2/8/8", false),
        ] {
            let board = board(&format!("{men} w - - 0 1"), "");
            assert_eq!(board.has_insufficient_material(), dead, "{men}");
        }
    }

    /// Tries all moves, which is what the table of reversible moves saves.
    fn has_upcoming_repetition_slow(board: &Board, ply: usize) -> bool {
        board.legal_moves().into_iter().any(|mv| {
            let mut child = board.clone();
            child.make(mv);
            let mut earlier = child.earlier_occurrences(0);
            earlier.next().is_some_and(|distance| distance < ply + 1 || earlier.next().is_some())
        })
    }

    #[test]
    fn upcoming_repetitions_agree_with_trying_all_moves() {
        let mut state = 1u64;
        let mut random = |bound: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % bound
        };
        let mut found = 0;
        for fen in ["k7/8/8/8/8/8/8/KR6 w - - 0 1", "8/p1k3n1/P7/8/1B6/8/6K1/8 b - - 0 1", START] {
            for _ in 0..60 {
                let mut board = board(fen, "");
                for ply in 0..30 {
                    for root in [0, ply, ply / 2] {
                        let expected = has_upcoming_repetition_slow(&board, root);
                        assert_eq!(board.has_upcoming_repetition(root), expected, "{}", board.fen());
                        found += u32::from(expected);
                    }
                    let moves = board.legal_moves();
                    if moves.is_empty() {
                        break;
                    }
                    // Often the way back, so that positions repeat.
                    let repeats = |mv: &&Move| {
                        let mut child = *board.position();
                        child.play(**mv);
                        board.past.iter().any(|past| past.key() == child.key())
                    };
                    let way_back = moves.iter().find(repeats).filter(|_| random(3) > 0);
                    let mv = *way_back.unwrap_or_else(|| &moves[random(moves.len())]);
                    board.make(mv);
                }
            }
        }
        assert!(found > 500, "only {found} repetitions were near");
    }
}
