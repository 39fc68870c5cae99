//! Moves as text: the coordinates of UCI, standard algebraic notation (SAN) and long algebraic.
//!
//! Whatever is read is matched against the legal moves of the position, so a move that comes
//! out of here is legal. What is written reads back as the same move.
//!
//! Castling has two forms in UCI. Written is king to rook (`e1h1`) in Chess960 games and from
//! kings not on the e-file, king to its target (`e1g1`) otherwise. Read are both in any game:
//! first as a plain move, then as the king taking its own rook, then as the king going to its
//! target; in this order every move written here has only one reading.
//!
//! SAN is read as people write it: `0-0`, `e8Q`, `Ngf3` with more than it needs, with or without
//! `x`, `+`, `#`, `!?` and `e.p.`; these marks are not held against the position. The forms
//! written are those of the "Portable Game Notation Specification" (S. J. Edwards, 1994).

#![forbid(unsafe_code)]

use thiserror::Error;

use super::Position;
use super::fen::excerpt;
use super::makemove::castled_squares;
use crate::attacks;
use crate::types::{File, Move, MoveList, Piece, Rank, Square, Wing};

/// Why a text is not a move of a position. Each message quotes the text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotationError {
    /// The text does not have the form of a move.
    #[error("`{text}` is not a move: {reason}")]
    Invalid {
        /// The text, shortened if it is long.
        text: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The text has the form of a move, but this position has no such move.
    #[error("`{text}` is illegal: {reason}")]
    Illegal {
        /// The text, shortened if it is long.
        text: String,
        /// Why the move cannot be made.
        reason: &'static str,
    },
    /// The text fits several moves.
    #[error("`{text}` is ambiguous: {}", .moves.join(" or "))]
    Ambiguous {
        /// The text, shortened if it is long.
        text: String,
        /// The moves it fits, in SAN.
        moves: Vec<String>,
    },
}

impl NotationError {
    fn invalid(text: &str, reason: &'static str) -> Self {
        Self::Invalid { text: excerpt(text), reason }
    }

    fn illegal(text: &str, reason: &'static str) -> Self {
        Self::Illegal { text: excerpt(text), reason }
    }
}

impl Position {
    /// Reads a move in any notation that this module knows.
    ///
    /// # Errors
    /// Says whether the text is no move, an illegal or an ambiguous one, and why.
    pub fn parse_move(&self, text: &str) -> Result<Move, NotationError> {
        match self.parse_uci(text) {
            Err(NotationError::Invalid { .. }) => self.parse_san(text),
            read => read,
        }
    }

    /// Reads a move in UCI notation (`e2e4`, `e7e8q`).
    ///
    /// ```
    /// use longan::board::Position;
    ///
    /// let position = Position::startpos();
    /// let mv = position.parse_uci("g1f3").unwrap();
    /// assert_eq!(position.san(mv), "Nf3");
    ///
    /// let error = position.parse_uci("e1g1").unwrap_err();
    /// assert_eq!(error.to_string(), "`e1g1` is illegal: the king cannot castle there now");
    /// ```
    ///
    /// # Errors
    /// Says whether the text is no move or an illegal one, and why.
    pub fn parse_uci(&self, text: &str) -> Result<Move, NotationError> {
        if text == "0000" {
            return Err(NotationError::invalid(text, "it stands for no move at all"));
        }
        let square = |range| text.get(range).and_then(|part: &str| part.parse::<Square>().ok());
        let (Some(from), Some(to)) = (square(0..2), square(2..4)) else {
            return Err(NotationError::invalid(text, "it does not begin with two squares"));
        };
        let promotion = match &text[4..] {
            "" => None,
            letter => Some(single_char(letter).and_then(Piece::from_letter).ok_or_else(|| {
                NotationError::invalid(text, "after the squares stands no letter of a piece")
            })?),
        };
        self.find_move(from, to, promotion)
            .ok_or_else(|| NotationError::illegal(text, self.why_illegal(from, to, promotion)))
    }

    /// The legal move between two squares, if there is one; castling in either form.
    fn find_move(&self, from: Square, to: Square, promotion: Option<Piece>) -> Option<Move> {
        let moves = self.legal_moves();
        let find = |rule: &dyn Fn(&Move) -> bool| {
            moves.iter().copied().find(|mv| mv.from() == from && mv.promoted() == promotion && rule(mv))
        };
        find(&|mv| !mv.is_castling() && mv.to() == to)
            .or_else(|| find(&|mv| mv.is_castling() && mv.to() == to))
            .or_else(|| find(&|mv| mv.is_castling() && castled_king(*mv) == to))
    }

    /// A move in UCI notation.
    pub fn uci(&self, mv: Move) -> String {
        let kings_target = mv.is_castling() && !self.is_chess960() && mv.from().file() == File::E;
        let to = if kings_target { castled_king(mv) } else { mv.to() };
        let mut text = format!("{}{to}", mv.from());
        text.extend(mv.promoted().map(Piece::letter));
        text
    }

    /// Reads a move in standard or long algebraic notation (`Nf3`, `Ng1-f3`, `exd8=Q+`).
    ///
    /// ```
    /// use longan::board::Board;
    ///
    /// let board = Board::from_fen("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1").unwrap();
    /// assert_eq!(board.uci(board.parse_san("Nbd2").unwrap()), "b1d2");
    ///
    /// let error = board.parse_san("Nd2").unwrap_err();
    /// assert_eq!(error.to_string(), "`Nd2` is ambiguous: Nbd2 or Nfd2");
    /// ```
    ///
    /// # Errors
    /// Says whether the text is no move, an illegal or an ambiguous one, and why.
    pub fn parse_san(&self, text: &str) -> Result<Move, NotationError> {
        let wanted = Wanted::read(text).map_err(|reason| NotationError::invalid(text, reason))?;
        let fitting: MoveList = self.legal_moves().into_iter().filter(|&mv| wanted.fits(self, mv)).collect();
        match fitting[..] {
            [] => Err(NotationError::illegal(text, self.why_nothing_fits(&wanted))),
            [mv] => Ok(mv),
            _ => {
                let moves = fitting.iter().map(|&mv| self.san(mv)).collect();
                Err(NotationError::Ambiguous { text: excerpt(text), moves })
            }
        }
    }

    /// A legal move in standard algebraic notation, as short as it can be without a doubt.
    ///
    /// # Panics
    /// May panic if `mv` is not legal here.
    pub fn san(&self, mv: Move) -> String {
        let piece = self.moved_piece(mv);
        let origin = match piece {
            Piece::Pawn if self.is_capture(mv) => mv.from().file().letter().to_string(),
            Piece::Pawn | Piece::King => String::new(),
            _ => self.disambiguation(mv, piece),
        };
        let capture = if self.is_capture(mv) { "x" } else { "" };
        self.algebraic(mv, piece, &format!("{origin}{capture}"))
    }

    /// A legal move in long algebraic notation (`Ng1-f3`, `e7xd8=Q+`).
    ///
    /// # Panics
    /// May panic if `mv` is not legal here.
    pub fn lan(&self, mv: Move) -> String {
        let capture = if self.is_capture(mv) { 'x' } else { '-' };
        self.algebraic(mv, self.moved_piece(mv), &format!("{}{capture}", mv.from()))
    }

    /// Piece, the text between piece and target, target, promotion, check or mate.
    fn algebraic(&self, mv: Move, piece: Piece, between: &str) -> String {
        let mut text = String::new();
        if mv.is_castling() {
            text += if wing(mv) == Wing::King { "O-O" } else { "O-O-O" };
        } else {
            if piece != Piece::Pawn {
                text.push(piece.letter().to_ascii_uppercase());
            }
            text += between;
            text += &mv.to().to_string();
            if let Some(promoted) = mv.promoted() {
                text.push('=');
                text.push(promoted.letter().to_ascii_uppercase());
            }
        }
        let mut next = *self;
        next.play(mv);
        if next.in_check() {
            text.push(if next.has_legal_move() { '+' } else { '#' });
        }
        text
    }

    /// What tells `mv` from the legal moves of other men of its kind to the same square: nothing,
    /// the file, the rank, or both, the first of these that does.
    fn disambiguation(&self, mv: Move, piece: Piece) -> String {
        let rival = |other: &Move| {
            other.to() == mv.to() && other.from() != mv.from() && self.moved_piece(*other) == piece
        };
        let rivals: Vec<Square> =
            self.legal_moves().iter().filter(|other| rival(other)).map(|other| other.from()).collect();
        let from = mv.from();
        if rivals.is_empty() {
            String::new()
        } else if rivals.iter().all(|rival| rival.file() != from.file()) {
            from.file().letter().to_string()
        } else if rivals.iter().all(|rival| rival.rank() != from.rank()) {
            (from.rank().index() + 1).to_string()
        } else {
            from.to_string()
        }
    }

    /// Why there is no legal move between two squares.
    fn why_illegal(&self, from: Square, to: Square, promotion: Option<Piece>) -> &'static str {
        let us = self.side_to_move();
        let Some(piece) = self.piece_at(from) else {
            return "no man stands on the first square";
        };
        if !self.color(us).contains(from) {
            return "the man on the first square is the opponent's";
        }
        let last_step = piece == Piece::Pawn && from.rank() == Rank::Seventh.relative_to(us);
        if piece == Piece::King && self.would_castle(from, to) {
            "the king cannot castle there now"
        } else if self.color(us).contains(to) {
            "an own man stands on the target square"
        } else if matches!(promotion, Some(Piece::Pawn | Piece::King)) {
            "a pawn becomes a queen, rook, bishop or knight"
        } else if promotion.is_some() && !last_step {
            "only a pawn on its last step becomes another piece"
        } else if !self.goes(piece, from, to) {
            "that man does not move there"
        } else if promotion.is_none() && last_step {
            "the piece that the pawn becomes is missing"
        } else if self.in_check() {
            "the king would still be in check"
        } else {
            "the king would be in check"
        }
    }

    /// Why no legal move fits a text in algebraic notation.
    fn why_nothing_fits(&self, wanted: &Wanted) -> &'static str {
        let &Wanted::Piece { piece, file, rank, to, promotion } = wanted else {
            return "castling to that wing is not possible now";
        };
        let fits = |from: &Square| wanted_origin(*from, file, rank);
        let men = self.pieces(self.side_to_move(), piece).into_iter().filter(fits);
        match men.clone().find(|&from| self.goes(piece, from, to)) {
            Some(from) => self.why_illegal(from, to, promotion),
            None if men.count() == 0 => "there is no such man",
            None => "no such man can go there",
        }
    }

    /// Whether a king's move in UCI notation means castling with a right that is still held.
    fn would_castle(&self, from: Square, to: Square) -> bool {
        let wing = wing_between(from, to);
        let Some(rook) = self.castling().get(self.side_to_move(), wing) else {
            return false;
        };
        !self.goes(Piece::King, from, to)
            && from.rank() == to.rank()
            && (to.file() == rook || to.file() == wing.king_file())
    }

    /// Whether a man goes from one square to another as its kind does, checks aside.
    fn goes(&self, piece: Piece, from: Square, to: Square) -> bool {
        let us = self.side_to_move();
        let takes_en_passant =
            piece == Piece::Pawn && self.en_passant() == Some(to) && attacks::pawn(us, from).contains(to);
        takes_en_passant || !self.color(us).contains(to) && self.reaches(piece, from, to)
    }
}

/// What a text in algebraic notation asks for.
enum Wanted {
    Castling(Wing),
    Piece { piece: Piece, file: Option<File>, rank: Option<Rank>, to: Square, promotion: Option<Piece> },
}

impl Wanted {
    /// Takes a text apart; the error is the reason why it is no move.
    fn read(text: &str) -> Result<Self, &'static str> {
        let text = without_marks(text);
        match text {
            "" => return Err("nothing stands there"),
            "O-O" | "0-0" => return Ok(Self::Castling(Wing::King)),
            "O-O-O" | "0-0-0" => return Ok(Self::Castling(Wing::Queen)),
            _ => {}
        }
        let (piece, rest) = match text.chars().next() {
            Some(letter) if letter.is_ascii_uppercase() => {
                (Piece::from_letter(letter).ok_or("its first letter is no piece")?, &text[1..])
            }
            _ => (Piece::Pawn, text),
        };
        let (rest, promotion) = split_promotion(rest)?;
        let cut = rest.len().checked_sub(2).filter(|&cut| rest.is_char_boundary(cut));
        let (origin, target) = rest.split_at(cut.ok_or("the target square is missing")?);
        let to: Square = target.parse().map_err(|()| "it does not end with a square")?;
        let origin = origin.strip_suffix(['x', '-', ':']).unwrap_or(origin);
        let (file, rank) =
            read_origin(origin).ok_or("what stands before the target is no square, file or rank")?;
        // A pawn that takes must name its file: `d5` is a step even if only `exd5` is legal.
        let file = if piece == Piece::Pawn { file.or(Some(to.file())) } else { file };
        Ok(Self::Piece { piece, file, rank, to, promotion })
    }

    fn fits(&self, position: &Position, mv: Move) -> bool {
        match *self {
            Self::Castling(side) => mv.is_castling() && wing(mv) == side,
            Self::Piece { piece, file, rank, to, promotion } => {
                !mv.is_castling()
                    && mv.to() == to
                    && mv.promoted() == promotion
                    && position.moved_piece(mv) == piece
                    && wanted_origin(mv.from(), file, rank)
            }
        }
    }
}

fn wanted_origin(from: Square, file: Option<File>, rank: Option<Rank>) -> bool {
    file.is_none_or(|file| from.file() == file) && rank.is_none_or(|rank| from.rank() == rank)
}

/// The text without surrounding blanks and without what comments on the move: check, mate,
/// praise, blame, en passant.
fn without_marks(text: &str) -> &str {
    let is_mark = |c: char| c.is_whitespace() || "+#!?".contains(c);
    let text = text.trim_start().trim_end_matches(is_mark);
    let plain =
        ["e.p.", "e.p", "ep.", "ep"].into_iter().find_map(|mark| text.strip_suffix(mark)).unwrap_or(text);
    plain.trim_end_matches(is_mark)
}

/// Splits `=Q` or `Q` off the end, in either case.
fn split_promotion(text: &str) -> Result<(&str, Option<Piece>), &'static str> {
    let Some(last) = text.chars().last().filter(|last| !last.is_ascii_digit()) else {
        return Ok((text, None));
    };
    let piece = Piece::from_letter(last).ok_or("it ends neither with a square nor with a piece")?;
    let rest = &text[..text.len() - 1];
    Ok((rest.strip_suffix('=').unwrap_or(rest), Some(piece)))
}

/// Reads a file, a rank, a square or nothing.
fn read_origin(text: &str) -> Option<(Option<File>, Option<Rank>)> {
    let file = |c: u8| File::ALL.get(usize::from(c.checked_sub(b'a')?)).copied();
    let rank = |c: u8| Rank::ALL.get(usize::from(c.checked_sub(b'1')?)).copied();
    match *text.as_bytes() {
        [] => Some((None, None)),
        [c] => match file(c) {
            Some(file) => Some((Some(file), None)),
            None => Some((None, Some(rank(c)?))),
        },
        [f, r] => Some((Some(file(f)?), Some(rank(r)?))),
        _ => None,
    }
}

fn single_char(text: &str) -> Option<char> {
    let mut chars = text.chars();
    chars.next().filter(|_| chars.next().is_none())
}

fn wing_between(from: Square, to: Square) -> Wing {
    if to.file() > from.file() { Wing::King } else { Wing::Queen }
}

/// The wing that a castling move goes to.
fn wing(mv: Move) -> Wing {
    wing_between(mv.from(), mv.to())
}

/// Where the king stands after a castling move.
fn castled_king(mv: Move) -> Square {
    castled_squares(mv.from(), mv.to()).0
}
