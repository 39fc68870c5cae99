//! Forsyth-Edwards Notation, read and written.
//!
//! The reader turns text into a [`Setup`]; whether the position can exist is for `validate` to
//! say. It reads standard FEN, X-FEN (`KQkq` means the outermost rook of that side, a letter
//! from a to h the rook on that file) and Shredder-FEN (file letters only), from 4 to 6 fields
//! with any white space between them.
//!
//! One thing is forgiven here and nowhere else, because many programs write it: a `K`, `Q`, `k`
//! or `q` without a king on its first rank, or without a rook beyond the king, grants nothing.
//! A file letter names one rook and is taken at its word; `validate` refuses it if it is wrong.
//!
//! The writer gives an en-passant square only when a pawn can take, so that one position has
//! one text (S. J. Edwards, "Portable Game Notation Specification", 1994, prints it always).

#![forbid(unsafe_code)]

use std::num::IntErrorKind;

use thiserror::Error;

use super::{Board, Position, Setup, SetupError};
use crate::types::{Bitboard, Color, File, Piece, Rank, Square, Wing};

/// Why a text is not the FEN of a position. The messages name the field and what is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FenError {
    /// Fewer than four fields.
    #[error("the FEN ends before its {0}")]
    Missing(&'static str),
    /// More than six fields.
    #[error("the FEN goes on after the move number with `{0}`")]
    TooLong(String),
    /// The board has not eight ranks.
    #[error("the board has {0} ranks instead of 8")]
    RankCount(usize),
    /// A rank, 1 to 8 as the board is numbered, has fewer than eight squares.
    #[error("rank {0} has fewer than 8 squares")]
    RankTooShort(usize),
    /// A rank, 1 to 8 as the board is numbered, has more than eight squares.
    #[error("rank {0} has more than 8 squares")]
    RankTooLong(usize),
    /// A character of the board is neither a man nor a number of empty squares.
    #[error("`{}` on the board is neither a man nor a number from 1 to 8", .0.escape_debug())]
    Man(char),
    /// The side to move is neither `w` nor `b`.
    #[error("the side to move is `{0}` instead of `w` or `b`")]
    Side(String),
    /// The castling field has a letter that means nothing.
    #[error("`{}` is no castling right (`-`, K, Q, k, q, or the letters of the rooks' files)", .0.escape_debug())]
    Castling(char),
    /// The castling field grants the same right twice.
    #[error("the castling field `{0}` grants one right twice")]
    CastlingTwice(String),
    /// The en-passant field is neither `-` nor a square.
    #[error("the en-passant field `{0}` is neither `-` nor a square")]
    EnPassant(String),
    /// A clock is not a whole number.
    #[error("the {name} `{text}` is not a whole number")]
    Clock {
        /// Which of the two.
        name: &'static str,
        /// What stands there.
        text: String,
    },
    /// The text is well formed, but the position cannot exist.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

impl Setup {
    /// Reads a FEN without asking whether the position can exist.
    ///
    /// Missing clocks count as `0 1`; negative ones as 0, too large ones as the largest number.
    ///
    /// # Errors
    /// Names the field that cannot be read.
    pub fn from_fen(fen: &str) -> Result<Self, FenError> {
        let mut fields = fen.split_whitespace();
        let mut next = |name| fields.next().ok_or(FenError::Missing(name));

        let mut setup = Self::empty();
        setup.read_board(next("board")?)?;
        setup.side = match next("side to move")? {
            "w" => Color::White,
            "b" => Color::Black,
            other => return Err(FenError::Side(excerpt(other))),
        };
        setup.read_castling(next("castling rights")?)?;
        setup.ep = match next("en-passant square")? {
            "-" => None,
            text => Some(text.parse().map_err(|()| FenError::EnPassant(excerpt(text)))?),
        };
        setup.halfmove_clock = read_clock("half-move clock", fields.next().unwrap_or("0"))?;
        setup.fullmove = read_clock("move number", fields.next().unwrap_or("1"))?.max(1);
        match fields.next() {
            None => Ok(setup),
            Some(more) => Err(FenError::TooLong(excerpt(more))),
        }
    }

    fn read_board(&mut self, text: &str) -> Result<(), FenError> {
        let ranks = text.split('/').count();
        if ranks != 8 {
            return Err(FenError::RankCount(ranks));
        }
        for (rank, row) in Rank::ALL.into_iter().rev().zip(text.split('/')) {
            self.read_rank(rank, row)?;
        }
        Ok(())
    }

    fn read_rank(&mut self, rank: Rank, text: &str) -> Result<(), FenError> {
        let number = rank.index() + 1;
        let mut squares = 0;
        for symbol in text.chars() {
            if let Some(empty @ 1..=8) = symbol.to_digit(10) {
                squares += empty as usize;
            } else {
                let piece = Piece::from_letter(symbol).ok_or(FenError::Man(symbol))?;
                let color = if symbol.is_ascii_uppercase() { Color::White } else { Color::Black };
                let &file = File::ALL.get(squares).ok_or(FenError::RankTooLong(number))?;
                self.put(Square::new(file, rank), color, piece);
                squares += 1;
            }
            if squares > 8 {
                return Err(FenError::RankTooLong(number));
            }
        }
        if squares < 8 { Err(FenError::RankTooShort(number)) } else { Ok(()) }
    }

    fn read_castling(&mut self, text: &str) -> Result<(), FenError> {
        if text == "-" {
            return Ok(());
        }
        for letter in text.chars() {
            let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
            let king = self.king_at_home(color);
            let (wing, rook) = match letter.to_ascii_lowercase() {
                'k' => (Wing::King, self.outermost_rook(color, king, Wing::King)),
                'q' => (Wing::Queen, self.outermost_rook(color, king, Wing::Queen)),
                file @ 'a'..='h' => {
                    let rook = File::ALL[file as usize - 'a' as usize];
                    let wing = if rook > king.unwrap_or(File::E) { Wing::King } else { Wing::Queen };
                    self.chess960 = true;
                    (wing, Some(rook))
                }
                _ => return Err(FenError::Castling(letter)),
            };
            if self.castling.get(color, wing).is_some() {
                return Err(FenError::CastlingTwice(excerpt(text)));
            }
            let usual = (Some(File::E), Some(if wing == Wing::King { File::H } else { File::A }));
            self.chess960 |= rook.is_some() && (king, rook) != usual;
            self.castling.set(color, wing, rook);
        }
        Ok(())
    }

    /// The file of the king of this colour, if it stands on its first rank.
    fn king_at_home(&self, color: Color) -> Option<File> {
        let home = Rank::First.relative_to(color);
        self.squares(color, Piece::King).find(|king| king.rank() == home).map(Square::file)
    }

    /// The file of the rook on this wing that is farthest from the king, both on the first rank.
    fn outermost_rook(&self, color: Color, king: Option<File>, wing: Wing) -> Option<File> {
        let king = king?;
        let home = Rank::First.relative_to(color);
        let mut rooks = self.squares(color, Piece::Rook).filter(|rook| rook.rank() == home).map(Square::file);
        match wing {
            Wing::King => rooks.filter(|&rook| rook > king).last(),
            Wing::Queen => rooks.find(|&rook| rook < king),
        }
    }
}

fn read_clock(name: &'static str, text: &str) -> Result<u32, FenError> {
    match text.parse::<i64>() {
        Ok(number) => Ok(number.clamp(0, i64::from(u32::MAX)) as u32),
        Err(error) => match error.kind() {
            IntErrorKind::PosOverflow => Ok(u32::MAX),
            IntErrorKind::NegOverflow => Ok(0),
            _ => Err(FenError::Clock { name, text: excerpt(text) }),
        },
    }
}

/// The start of a text, short enough for a message.
pub(crate) fn excerpt(text: &str) -> String {
    const LONGEST: usize = 20;
    let mut excerpt: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if text.chars().nth(LONGEST).is_some() {
        excerpt.push('…');
    }
    excerpt
}

impl Board {
    /// The position of a FEN, without a past.
    ///
    /// ```
    /// use longan::board::Board;
    ///
    /// let board = Board::from_fen("4k3/8/8/8/8/8/8/R3K3 w Q -").unwrap();
    /// assert_eq!(board.fen(), "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1");
    ///
    /// let error = Board::from_fen("4k3/8/8/8/8/8/8/8 w - - 0 1").unwrap_err();
    /// assert_eq!(error.to_string(), "White has no king");
    /// ```
    ///
    /// # Errors
    /// Says what cannot be read, or why the position cannot exist.
    pub fn from_fen(fen: &str) -> Result<Self, FenError> {
        Ok(Self::from_position(Position::from_setup(Setup::from_fen(fen)?)?))
    }
}

impl Position {
    /// The FEN of the position: Shredder-FEN in Chess960, else X-FEN, which is standard FEN
    /// wherever standard FEN is enough.
    pub fn fen(&self) -> String {
        self.write_fen(self.is_chess960())
    }

    /// The FEN with every castling right named by the file of its rook (`HAha`).
    pub fn shredder_fen(&self) -> String {
        self.write_fen(true)
    }

    fn write_fen(&self, shredder: bool) -> String {
        let side = match self.side_to_move() {
            Color::White => 'w',
            Color::Black => 'b',
        };
        let ep = self.en_passant().map_or_else(|| "-".to_string(), |square| square.to_string());
        format!(
            "{} {side} {} {ep} {} {}",
            self.board_text(),
            self.castling_text(shredder),
            self.halfmove_clock(),
            self.fullmove(),
        )
    }

    fn board_text(&self) -> String {
        let row = |rank| {
            let mut text = String::new();
            let mut empty = 0;
            for square in File::ALL.map(|file| Square::new(file, rank)) {
                let Some(man) = self.letter_at(square) else {
                    empty += 1;
                    continue;
                };
                if empty > 0 {
                    text += &empty.to_string();
                    empty = 0;
                }
                text.push(man);
            }
            if empty > 0 {
                text += &empty.to_string();
            }
            text
        };
        Rank::ALL.into_iter().rev().map(row).collect::<Vec<_>>().join("/")
    }

    /// The letter of the man on a square, a capital for White.
    fn letter_at(&self, square: Square) -> Option<char> {
        let piece = self.piece_at(square)?;
        Some(in_case(piece.letter(), self.color_at(square)?))
    }

    fn castling_text(&self, shredder: bool) -> String {
        let mut text = String::new();
        for color in Color::ALL {
            for wing in Wing::ALL {
                let Some(rook) = self.castling().get(color, wing) else { continue };
                let letter = match wing {
                    _ if shredder || !self.is_outermost(color, wing, rook) => rook.letter(),
                    Wing::King => 'k',
                    Wing::Queen => 'q',
                };
                text.push(in_case(letter, color));
            }
        }
        if text.is_empty() { "-".to_string() } else { text }
    }

    /// Whether no other rook of this colour stands farther out on the wing.
    fn is_outermost(&self, color: Color, wing: Wing, rook: File) -> bool {
        let home = Bitboard::rank(Rank::First.relative_to(color));
        let mut files = (self.pieces(color, Piece::Rook) & home).into_iter().map(Square::file);
        match wing {
            Wing::King => files.all(|file| file <= rook),
            Wing::Queen => files.all(|file| file >= rook),
        }
    }
}

fn in_case(letter: char, color: Color) -> char {
    match color {
        Color::White => letter.to_ascii_uppercase(),
        Color::Black => letter,
    }
}
