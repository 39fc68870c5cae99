//! Whole games on disk, in the layout of the viriformat crate (C. Whitaker; MIT).
//!
//! A game is a start record of 32 bytes, four bytes a ply and four zero bytes. Everything is
//! little-endian:
//!
//! | bytes | start record                                                                     |
//! |-------|----------------------------------------------------------------------------------|
//! | 0–7   | occupied squares, bit 0 = a1                                                     |
//! | 8–23  | a nibble for each of them: 0–5 pawn to king, 6 a rook that may castle, +8 black  |
//! | 24    | en-passant square (64: none), +128 when Black is to move                         |
//! | 25–27 | half-move clock, full-move number (two bytes)                                    |
//! | 28–29 | a score; not used here, 0                                                        |
//! | 30–31 | result (0 Black won, 1 drawn, 2 White won); a free byte, 0                       |
//!
//! A ply is the move's 16 bits and the score in centipawns from White's view. The reader hands
//! out only games whose moves are all legal. A file may end in the middle of a game, since a
//! writer may be killed; anything else that is wrong is an error.

use std::io::{self, BufRead};

use thiserror::Error;

use crate::board::{Position, Setup, SetupError};
use crate::types::{Bitboard, ByColor, CastlingRights, Color, File, Move, Piece, Rank, Square, Wing};

const START_BYTES: usize = 32;
const PLY_BYTES: usize = 4;
const CASTLING_ROOK: u8 = 6;
const BLACK_MAN: u8 = 8;
const BLACK_TO_MOVE: u8 = 128;
const NO_SQUARE: u8 = 64;

/// Who won.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum GameResult {
    /// Black won.
    BlackWon,
    /// Nobody won.
    Draw,
    /// White won.
    WhiteWon,
}

impl GameResult {
    /// The win of one side.
    pub const fn win(winner: Color) -> Self {
        match winner {
            Color::White => Self::WhiteWon,
            Color::Black => Self::BlackWon,
        }
    }

    /// The points of a side: 1, 0.5 or 0.
    pub const fn points(self, side: Color) -> f64 {
        let white = self as u8 as f64 / 2.0;
        match side {
            Color::White => white,
            Color::Black => 1.0 - white,
        }
    }

    const fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            0 => Some(Self::BlackWon),
            1 => Some(Self::Draw),
            2 => Some(Self::WhiteWon),
            _ => None,
        }
    }
}

/// A move that was played and what the search thought of the position before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ply {
    /// The move.
    pub mv: Move,
    /// Centipawns from White's view, mates as in [`crate::types::mate_in`].
    pub score: i16,
}

/// A game from any start position.
#[derive(Clone, Debug)]
pub struct Game {
    /// Where it began; after the random moves of the opening, with the clocks they led to.
    pub start: Position,
    /// How it ended.
    pub result: GameResult,
    /// The moves, in order.
    pub plies: Vec<Ply>,
}

impl Game {
    /// Every position a move was played in, with that move.
    pub fn positions(&self) -> impl Iterator<Item = (Position, Ply)> + '_ {
        let mut position = self.start;
        self.plies.iter().map(move |&ply| {
            let before = position;
            position.play(ply.mv);
            (before, ply)
        })
    }

    /// Appends the game's bytes.
    pub fn write_to(&self, bytes: &mut Vec<u8>) {
        bytes.extend(pack_start(&self.start, self.result));
        for ply in &self.plies {
            bytes.extend(ply.mv.bits().to_le_bytes());
            bytes.extend(ply.score.to_le_bytes());
        }
        bytes.extend([0; PLY_BYTES]);
    }
}

fn pack_start(position: &Position, result: GameResult) -> [u8; START_BYTES] {
    let mut bytes = [0; START_BYTES];
    bytes[..8].copy_from_slice(&position.occupied().0.to_le_bytes());
    for (i, square) in position.occupied().into_iter().enumerate() {
        bytes[8 + i / 2] |= man_code(position, square) << (i % 2 * 4);
    }
    let side = if position.side_to_move() == Color::Black { BLACK_TO_MOVE } else { 0 };
    bytes[24] = side | position.en_passant().map_or(NO_SQUARE, |square| square as u8);
    bytes[25] = position.halfmove_clock().min(u8::MAX.into()) as u8;
    bytes[26..28].copy_from_slice(&(position.fullmove().min(u16::MAX.into()) as u16).to_le_bytes());
    bytes[30] = result as u8;
    bytes
}

/// The nibble of the man on an occupied square.
fn man_code(position: &Position, square: Square) -> u8 {
    let (Some(piece), Some(color)) = (position.piece_at(square), position.color_at(square)) else {
        unreachable!("only occupied squares are packed");
    };
    let may_castle = piece == Piece::Rook
        && square.rank() == position.king(color).rank()
        && Wing::ALL.into_iter().any(|wing| position.castling().get(color, wing) == Some(square.file()));
    let code = if may_castle { CASTLING_ROOK } else { piece as u8 };
    code | if color == Color::Black { BLACK_MAN } else { 0 }
}

/// Why the bytes are not a game.
#[derive(Debug, Error)]
pub enum Damage {
    /// More than 32 men.
    #[error("a start position of {0} men")]
    TooManyMen(u32),
    /// A nibble that stands for no man.
    #[error("no man has the code {0}")]
    ManCode(u8),
    /// Not a square and not "none".
    #[error("an en-passant square of {0}")]
    EnPassantSquare(u8),
    /// Neither a win, a draw nor a loss.
    #[error("a result of {0}")]
    Result(u8),
    /// A position that the board refuses.
    #[error("the start position is impossible: {0}")]
    Position(#[from] SetupError),
    /// A rook marked as able to castle that has left its rank, or two of them on one wing.
    #[error("a rook that may castle is not at home or not the only one of its wing")]
    CastlingRight,
    /// A move that the rules do not allow.
    #[error("ply {ply} is {mv:?}, which is not legal")]
    IllegalMove {
        /// Counted from 0 at the start record.
        ply: usize,
        /// The move as read.
        mv: Move,
    },
    /// A ply whose move is zero but whose score is not.
    #[error("ply {0} has a score but no move")]
    NoMove(usize),
}

/// Why a file of games could not be read on.
#[derive(Debug, Error)]
pub enum GameError {
    /// Not the bytes of a game.
    #[error("game {game}, which starts at byte {offset}, is damaged: {damage}")]
    Damaged {
        /// Counted from 0 in its file.
        game: u64,
        /// Where its start record lies.
        offset: u64,
        /// What is wrong.
        damage: Damage,
    },
    /// The system could not read.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Reads the games of a file one after the other; ends after the first error.
#[derive(Debug)]
pub struct GameReader<R> {
    input: R,
    games: u64,
    whole_bytes: u64,
    cut_bytes: u64,
    ended: bool,
}

impl<R: BufRead> GameReader<R> {
    /// Reads from the start of a file of games.
    pub fn new(input: R) -> Self {
        Self { input, games: 0, whole_bytes: 0, cut_bytes: 0, ended: false }
    }

    /// How many games were read.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// The length of the games read so far: where the next one starts.
    pub fn whole_bytes(&self) -> u64 {
        self.whole_bytes
    }

    /// The bytes of an unfinished game at the end of the file; 0 until the end is reached.
    pub fn cut_bytes(&self) -> u64 {
        self.cut_bytes
    }

    /// Reads one game; `None` at the end of the file, be it within a game.
    fn read_game(&mut self) -> Result<Option<Game>, GameError> {
        let mut read = 0;
        let mut start = [0; START_BYTES];
        let whole = fill(&mut self.input, &mut start, &mut read)?;
        if !whole {
            self.cut_bytes = read;
            return Ok(None);
        }
        let (start, result) = unpack_start(&start).map_err(|damage| self.damaged(damage))?;
        let mut position = start;
        let mut plies = Vec::with_capacity(128);
        loop {
            let mut bytes = [0; PLY_BYTES];
            if !fill(&mut self.input, &mut bytes, &mut read)? {
                self.cut_bytes = read;
                return Ok(None);
            }
            let score = i16::from_le_bytes([bytes[2], bytes[3]]);
            let Some(mv) = Move::from_bits(u16::from_le_bytes([bytes[0], bytes[1]])) else {
                if score != 0 {
                    return Err(self.damaged(Damage::NoMove(plies.len())));
                }
                break;
            };
            if !position.is_legal(mv) {
                return Err(self.damaged(Damage::IllegalMove { ply: plies.len(), mv }));
            }
            position.play(mv);
            plies.push(Ply { mv, score });
        }
        self.games += 1;
        self.whole_bytes += read;
        Ok(Some(Game { start, result, plies }))
    }

    fn damaged(&self, damage: Damage) -> GameError {
        GameError::Damaged { game: self.games, offset: self.whole_bytes, damage }
    }
}

impl<R: BufRead> Iterator for GameReader<R> {
    type Item = Result<Game, GameError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let game = self.read_game();
        self.ended = !matches!(game, Ok(Some(_)));
        game.transpose()
    }
}

/// Fills the buffer and counts the bytes; `false` when the file ends before.
fn fill(input: &mut impl BufRead, buffer: &mut [u8], read: &mut u64) -> io::Result<bool> {
    let mut filled = 0;
    while filled < buffer.len() {
        match input.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    *read += filled as u64;
    Ok(filled == buffer.len())
}

fn unpack_start(bytes: &[u8; START_BYTES]) -> Result<(Position, GameResult), Damage> {
    let occupied = Bitboard(u64::from_le_bytes(bytes[..8].try_into().expect("eight bytes")));
    if occupied.count() > 32 {
        return Err(Damage::TooManyMen(occupied.count()));
    }
    let mut mailbox = [None; Square::COUNT];
    let mut castling = CastlingRights::default();
    let mut king_files = ByColor::<Option<File>>::default();
    for (i, square) in occupied.into_iter().enumerate() {
        let code = bytes[8 + i / 2] >> (i % 2 * 4) & 15;
        let color = if code & BLACK_MAN == 0 { Color::White } else { Color::Black };
        let piece = match code & 7 {
            CASTLING_ROOK => {
                // Squares come in order, so the king is met before the rook of its right wing.
                let wing = if king_files[color].is_some() { Wing::King } else { Wing::Queen };
                let at_home = square.rank() == Rank::First.relative_to(color);
                if !at_home || castling.get(color, wing).is_some() {
                    return Err(Damage::CastlingRight);
                }
                castling.set(color, wing, Some(square.file()));
                Piece::Rook
            }
            code => *Piece::ALL.get(usize::from(code)).ok_or(Damage::ManCode(code))?,
        };
        if piece == Piece::King {
            king_files[color] = Some(square.file());
        }
        mailbox[square.index()] = Some((color, piece));
    }
    let ep = match bytes[24] & !BLACK_TO_MOVE {
        NO_SQUARE => None,
        square if square < NO_SQUARE => Some(Square::from_index(square.into())),
        square => return Err(Damage::EnPassantSquare(square)),
    };
    let position = Position::from_setup(Setup {
        mailbox,
        side: if bytes[24] & BLACK_TO_MOVE == 0 { Color::White } else { Color::Black },
        castling,
        ep,
        halfmove_clock: bytes[25].into(),
        fullmove: u16::from_le_bytes([bytes[26], bytes[27]]).into(),
        chess960: !castles_by_standard_rules(castling, king_files),
    })?;
    let result = GameResult::from_byte(bytes[30]).ok_or(Damage::Result(bytes[30]))?;
    Ok((position, result))
}

/// Whether every right belongs to a king on the e-file and a rook in its corner.
fn castles_by_standard_rules(castling: CastlingRights, king_files: ByColor<Option<File>>) -> bool {
    Color::ALL.into_iter().all(|color| {
        Wing::ALL.into_iter().zip([File::H, File::A]).all(|(wing, corner)| {
            castling.get(color, wing).is_none_or(|rook| rook == corner && king_files[color] == Some(File::E))
        })
    })
}
