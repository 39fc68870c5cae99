//! A user's opening book in the Polyglot format (F. Letouzey, 2004; its document by M. MacKay).
//!
//! A book is a sorted list of entries of 16 bytes: key of the position, move, weight, and four
//! bytes for learning, which are not used. Castling is written as the king taking its rook.
//! Moves come from a file and are played only if they are legal.

#![forbid(unsafe_code)]

mod numbers;

use std::io;
use std::path::Path;

use thiserror::Error;

use crate::board::Position;
use crate::files;
use crate::rng::Rng;
use crate::types::{Color, Move, Piece, Wing};

use numbers::NUMBERS;

/// Bytes of an entry.
const ENTRY: usize = 16;
/// Bytes of the largest book that is read: far more than anybody has made.
const LONGEST: u64 = 1 << 31;
/// Where the numbers of each kind begin, after those of men on squares.
const CASTLING: usize = 768;
const EN_PASSANT: usize = 772;
const WHITE_TO_MOVE: usize = 780;

/// Why a file is no book.
#[derive(Debug, Error)]
pub enum BookError {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] io::Error),
    /// It is empty, or ends within an entry.
    #[error("its size of {0} bytes is not that of a Polyglot book")]
    Size(usize),
    /// Its entries are not sorted by key.
    #[error("its entries are not sorted, so it is no Polyglot book")]
    Unsorted,
}

/// An open book.
pub struct Book(Vec<u8>);

impl Book {
    /// Reads a book.
    ///
    /// # Errors
    /// When the file cannot be read or is no book.
    pub fn open(path: &Path) -> Result<Self, BookError> {
        Self::from_bytes(files::read(path, LONGEST)?)
    }

    /// Takes the bytes of a book's file.
    ///
    /// # Errors
    /// When they are no book.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<Self, BookError> {
        let book = Self(bytes);
        if book.0.is_empty() || !book.0.len().is_multiple_of(ENTRY) {
            return Err(BookError::Size(book.0.len()));
        }
        let sorted = (1..book.len()).all(|i| book.key_at(i - 1) <= book.key_at(i));
        if sorted { Ok(book) } else { Err(BookError::Unsorted) }
    }

    /// How many entries there are.
    #[expect(clippy::len_without_is_empty, reason = "an open book is never empty")]
    pub fn len(&self) -> usize {
        self.0.len() / ENTRY
    }

    /// The legal moves that the book has for a position, with their weights.
    pub fn moves(&self, position: &Position) -> Vec<(Move, u16)> {
        let key = key(position);
        let first = partition_point(self.len(), |i| self.key_at(i) < key);
        let entries = (first..self.len()).take_while(|&i| self.key_at(i) == key);
        entries.filter_map(|i| Some((decode(position, self.word(i, 8))?, self.word(i, 10)))).collect()
    }

    /// A move of the book, each as often as its weight says; those of weight 0 never.
    pub fn choose(&self, position: &Position, rng: &mut Rng) -> Option<Move> {
        let moves = self.moves(position);
        let total: usize = moves.iter().map(|&(_, weight)| usize::from(weight)).sum();
        if total == 0 {
            return None;
        }
        let mut place = rng.below(total);
        moves.into_iter().find_map(|(mv, weight)| {
            let weight = usize::from(weight);
            if place < weight {
                return Some(mv);
            }
            place -= weight;
            None
        })
    }

    fn key_at(&self, entry: usize) -> u64 {
        let bytes = &self.0[entry * ENTRY..][..8];
        bytes.iter().fold(0, |key, &byte| key << 8 | u64::from(byte))
    }

    fn word(&self, entry: usize, at: usize) -> u16 {
        let bytes = &self.0[entry * ENTRY + at..];
        u16::from_be_bytes([bytes[0], bytes[1]])
    }
}

/// The first number below `len` of which `before` is false; it is true for all smaller ones.
fn partition_point(len: usize, before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = low + (high - low) / 2;
        if before(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

/// The key of a position. The format counts en passant also where the capture would be illegal;
/// such rare positions are not found in books.
///
/// ```
/// use longan::board::Position;
///
/// assert_eq!(longan::book::key(&Position::startpos()), 0x463b_9618_1691_fc9c);
/// ```
pub fn key(position: &Position) -> u64 {
    let mut key = 0;
    for square in position.occupied() {
        if let (Some(piece), Some(color)) = (position.piece_at(square), position.color_at(square)) {
            let kind = 2 * piece.index() + usize::from(color == Color::White);
            key ^= NUMBERS[64 * kind + square.index()];
        }
    }
    for (number, (color, wing)) in
        Color::ALL.into_iter().flat_map(|color| Wing::ALL.map(|wing| (color, wing))).enumerate()
    {
        if position.castling().get(color, wing).is_some() {
            key ^= NUMBERS[CASTLING + number];
        }
    }
    if let Some(square) = position.en_passant() {
        key ^= NUMBERS[EN_PASSANT + square.file().index()];
    }
    if position.side_to_move() == Color::White {
        key ^= NUMBERS[WHITE_TO_MOVE];
    }
    key
}

/// The legal move that 16 bits of a book stand for: target, origin, promotion.
fn decode(position: &Position, bits: u16) -> Option<Move> {
    let (to, from) = (usize::from(bits & 63), usize::from(bits >> 6 & 63));
    let promoted = match bits >> 12 & 7 {
        0 => None,
        1 => Some(Piece::Knight),
        2 => Some(Piece::Bishop),
        3 => Some(Piece::Rook),
        4 => Some(Piece::Queen),
        _ => return None,
    };
    position
        .legal_moves()
        .into_iter()
        .find(|mv| mv.from().index() == from && mv.to().index() == to && mv.promoted() == promoted)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::board::Board;

    fn written(name: &str, bytes: &[u8]) -> std::path::PathBuf {
        let path = std::env::temp_dir().join(format!("longan-{}-{name}", std::process::id()));
        fs::write(&path, bytes).unwrap();
        path
    }

    fn opened(name: &str, bytes: &[u8]) -> Result<Book, BookError> {
        let path = written(name, bytes);
        let book = Book::open(&path);
        fs::remove_file(path).unwrap();
        book
    }

    fn entry(fen: &str, from: usize, to: usize, promotion: usize, weight: u16) -> Vec<u8> {
        let position = *Board::from_fen(fen).unwrap().position();
        let bits = (promotion << 12 | from << 6 | to) as u16;
        [&key(&position).to_be_bytes()[..], &bits.to_be_bytes(), &weight.to_be_bytes(), &[0; 4]].concat()
    }

    #[test]
    fn keys_are_those_of_the_format() {
        for line in include_str!("../../tests/data/polyglot_keys.txt").lines().skip(2) {
            let (fen, expected) = line.split_once(" | ").unwrap();
            let board = Board::from_fen(fen).unwrap();
            assert_eq!(format!("{:016x}", key(&board)), expected, "{fen}");
        }
    }

    #[test]
    fn a_real_book_leads_through_the_lasker_trap() {
        let book = opened("trap.bin", include_bytes!("../../tests/data/lasker-trap.bin")).unwrap();
        assert_eq!(book.len(), 7);
        let mut board = Board::startpos();
        let mut answers = Vec::new();
        for white in ["d2d4", "c2c4", "d4e5", "e2e3", "c1d2", "d2b4", "e1e2"] {
            board.make(board.parse_uci(white).unwrap());
            let moves = book.moves(&board);
            assert_eq!(moves.len(), 1, "{white}");
            assert_eq!(moves[0].1, 2);
            answers.push(board.uci(moves[0].0));
            board.make(moves[0].0);
        }
        assert_eq!(answers, ["d7d5", "e7e5", "d5d4", "f8b4", "d4e3", "e3f2", "f2g1n"]);
    }

    #[test]
    fn castling_is_the_king_taking_its_rook() {
        let fen = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        let board = Board::from_fen(fen).unwrap();
        let book = opened("castle.bin", &[entry(fen, 4, 7, 0, 1), entry(fen, 4, 0, 0, 1)].concat()).unwrap();
        let moves: Vec<_> = book.moves(&board).into_iter().map(|(mv, _)| board.uci(mv)).collect();
        assert_eq!(moves, ["e1g1", "e1c1"]);
    }

    #[test]
    fn moves_are_chosen_as_often_as_they_weigh() {
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let board = Board::from_fen(fen).unwrap();
        // e2e4 three times as often as d2d4, a2a3 never; an illegal move is not there.
        let entries = [
            entry(fen, 12, 28, 0, 300),
            entry(fen, 11, 27, 0, 100),
            entry(fen, 8, 16, 0, 0),
            entry(fen, 12, 44, 0, 9),
        ];
        let book = opened("weights.bin", &entries.concat()).unwrap();
        let mut rng = Rng::stream(1, 2, 3);
        let mut counts = std::collections::HashMap::new();
        for _ in 0..4000 {
            *counts.entry(board.uci(book.choose(&board, &mut rng).unwrap())).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 2, "{counts:?}");
        assert!((2850..3150).contains(&counts["e2e4"]), "{counts:?}");
        assert_eq!(
            book.choose(Board::from_fen("4k3/8/8/8/8/8/8/4K3 w - - 0 1").unwrap().position(), &mut rng),
            None
        );
    }

    #[test]
    fn what_is_no_book_is_refused_with_the_reason() {
        let good = include_bytes!("../../tests/data/lasker-trap.bin");
        assert!(matches!(opened("empty.bin", b""), Err(BookError::Size(0))));
        assert!(matches!(opened("cut.bin", &good[..100]), Err(BookError::Size(100))));
        let reversed: Vec<u8> = good.chunks(ENTRY).rev().flatten().copied().collect();
        assert!(matches!(opened("unsorted.bin", &reversed), Err(BookError::Unsorted)));
        assert!(matches!(Book::open(Path::new("/no/such/book.bin")), Err(BookError::Read(_))));
    }
}
