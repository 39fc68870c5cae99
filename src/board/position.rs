//! The state of one position, without its past, and what can be read off it at once.
//!
//! Invariants: the bitboards and the mailbox tell the same story; each side has one king; the
//! side not to move is not in check; `ep` is set only when an en passant capture is legal, so
//! that equal positions have equal keys; keys, checkers and pins always belong to the state.
//! A `Position` is small enough to be copied for every move, so there is no code to take a
//! move back that could go wrong.

use super::{Setup, zobrist};
use crate::attacks;
use crate::types::{Bitboard, ByColor, CastlingRights, Color, Key, Piece, Square, Wing};

/// One position. See the accessors for what it knows; it changes only by playing moves.
#[derive(Clone, Copy, Debug)]
pub struct Position {
    pub(super) pieces: [Bitboard; 6],
    pub(super) colors: ByColor<Bitboard>,
    pub(super) mailbox: [Option<Piece>; 64],
    pub(super) keys: Keys,
    pub(super) checkers: Bitboard,
    pub(super) pinned: Bitboard,
    pub(super) castling: CastlingRights,
    pub(super) halfmove_clock: u16,
    /// Plies since the last move that cannot be undone by others, or the last null move: an
    /// equal position cannot lie further back.
    pub(super) reversible_plies: u16,
    pub(super) fullmove: u16,
    pub(super) ep: Option<Square>,
    pub(super) side: Color,
    pub(super) chess960: bool,
}

/// The Zobrist keys of a position and of parts of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Keys {
    pub full: Key,
    pub pawn: Key,
    pub minor: Key,
    pub major: Key,
    pub non_pawn: ByColor<Key>,
}

impl Keys {
    /// Adds a man that is not there, or removes one that is.
    #[inline]
    pub fn toggle(&mut self, color: Color, piece: Piece, square: Square) {
        // All ones for the kinds of men that a key covers: cheaper than branches on the kind.
        const ALL: Key = Key::MAX;
        const PAWN: [Key; 6] = [ALL, 0, 0, 0, 0, 0];
        const MINOR: [Key; 6] = [0, ALL, ALL, 0, 0, ALL];
        const MAJOR: [Key; 6] = [0, 0, 0, ALL, ALL, ALL];
        let number = zobrist::man(color, piece, square);
        self.full ^= number;
        self.pawn ^= number & PAWN[piece.index()];
        self.minor ^= number & MINOR[piece.index()];
        self.major ^= number & MAJOR[piece.index()];
        self.non_pawn[color] ^= number & !PAWN[piece.index()];
    }
}

/// What [`Position::from_parts`] is made from: who stands on each square.
pub(crate) type Mailbox = [Option<(Color, Piece)>; 64];

impl Position {
    /// The start position of standard chess.
    pub fn startpos() -> Self {
        Self::from_setup(Setup::startpos()).expect("the start position can exist")
    }

    /// Puts a position together and computes all that follows from its parts.
    ///
    /// The caller has made sure that the parts are a possible position: one king a side, the
    /// side not to move not in check, castling rights with king and rook in place. An `ep`
    /// square (the one behind the pawn) where no capture is legal is dropped. The clocks
    /// saturate.
    pub(crate) fn from_parts(
        mailbox: &Mailbox,
        side: Color,
        castling: CastlingRights,
        ep: Option<Square>,
        halfmove_clock: u32,
        fullmove: u32,
        chess960: bool,
    ) -> Self {
        let saturate = |clock: u32| u16::try_from(clock).unwrap_or(u16::MAX);
        let mut position = Self {
            pieces: [Bitboard::EMPTY; 6],
            colors: ByColor::default(),
            mailbox: [None; 64],
            keys: Keys::default(),
            checkers: Bitboard::EMPTY,
            pinned: Bitboard::EMPTY,
            castling,
            halfmove_clock: saturate(halfmove_clock),
            reversible_plies: 0,
            fullmove: saturate(fullmove),
            ep: None,
            side,
            chess960,
        };
        for (square, man) in Square::ALL.into_iter().zip(mailbox) {
            if let &Some((color, piece)) = man {
                position.toggle_man(color, piece, square);
                position.mailbox[square.index()] = Some(piece);
            }
        }
        position.update_checkers_and_pins();
        position.ep = ep.filter(|&square| position.can_capture_en_passant(square));
        position.keys = position.keys_from_scratch();
        position
    }

    /// All keys computed anew; equal to the ones kept up to date move by move.
    pub(super) fn keys_from_scratch(&self) -> Keys {
        let mut keys = Keys::default();
        for square in self.occupied() {
            let piece = self.mailbox[square.index()].expect("the square is occupied");
            let color = if self.color(Color::White).contains(square) { Color::White } else { Color::Black };
            keys.toggle(color, piece, square);
        }
        for color in Color::ALL {
            for wing in Wing::ALL {
                if let Some(file) = self.castling.get(color, wing) {
                    keys.full ^= zobrist::castling(color, file);
                }
            }
        }
        if let Some(square) = self.ep {
            keys.full ^= zobrist::en_passant(square.file());
        }
        if self.side == Color::Black {
            keys.full ^= zobrist::black_to_move();
        }
        keys
    }

    /// Puts a man into the bitboards or takes it out of them. The mailbox is the caller's.
    #[inline]
    pub(super) fn toggle_man(&mut self, color: Color, piece: Piece, square: Square) {
        self.pieces[piece.index()] ^= square.into();
        self.colors[color] ^= square.into();
    }

    /// The side to move.
    #[inline]
    pub fn side_to_move(&self) -> Color {
        self.side
    }

    /// All occupied squares.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.colors.0[0] | self.colors.0[1]
    }

    /// All men of a side.
    #[inline]
    pub fn color(&self, color: Color) -> Bitboard {
        self.colors[color]
    }

    /// All men of a kind, of both sides.
    #[inline]
    pub fn piece(&self, piece: Piece) -> Bitboard {
        self.pieces[piece.index()]
    }

    /// The men of one kind and side.
    #[inline]
    pub fn pieces(&self, color: Color, piece: Piece) -> Bitboard {
        self.colors[color] & self.pieces[piece.index()]
    }

    /// Where the king of a side stands.
    #[inline]
    pub fn king(&self, color: Color) -> Square {
        // `from_index` takes six bits: no branch for a missing king, which cannot be.
        Square::from_index(self.pieces(color, Piece::King).0.trailing_zeros() as usize)
    }

    /// The kind of man on a square.
    #[inline]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        self.mailbox[square.index()]
    }

    /// The side of the man on a square.
    #[inline]
    pub fn color_at(&self, square: Square) -> Option<Color> {
        Color::ALL.into_iter().find(|&color| self.colors[color].contains(square))
    }

    /// The castling rights.
    #[inline]
    pub fn castling(&self) -> CastlingRights {
        self.castling
    }

    /// The square behind the pawn that made a double step, if it can legally be taken en passant.
    #[inline]
    pub fn en_passant(&self) -> Option<Square> {
        self.ep
    }

    /// Half-moves since the last capture or pawn move; stops counting at 65,535.
    #[inline]
    pub fn halfmove_clock(&self) -> u32 {
        self.halfmove_clock.into()
    }

    /// The number of the move, counted in pairs from 1; stops counting at 65,535.
    #[inline]
    pub fn fullmove(&self) -> u32 {
        self.fullmove.into()
    }

    /// The Zobrist key: equal for positions with the same men, side to move, castling rights
    /// and en passant captures.
    #[inline]
    pub fn key(&self) -> Key {
        self.keys.full
    }

    /// A key of the pawns.
    #[inline]
    pub fn pawn_key(&self) -> Key {
        self.keys.pawn
    }

    /// A key of the knights, bishops and kings.
    #[inline]
    pub fn minor_key(&self) -> Key {
        self.keys.minor
    }

    /// A key of the rooks, queens and kings.
    #[inline]
    pub fn major_key(&self) -> Key {
        self.keys.major
    }

    /// A key of all men of a side but its pawns.
    #[inline]
    pub fn non_pawn_key(&self, color: Color) -> Key {
        self.keys.non_pawn[color]
    }

    /// The men that give check to the side to move.
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Whether the side to move is in check.
    #[inline]
    pub fn in_check(&self) -> bool {
        self.checkers.any()
    }

    /// The men of the side to move that are pinned to its king.
    #[inline]
    pub fn pinned(&self) -> Bitboard {
        self.pinned
    }

    /// Whether castling is written as king takes rook. The rules are the same either way.
    #[inline]
    pub fn is_chess960(&self) -> bool {
        self.chess960
    }

    /// Chooses how castling is written.
    pub fn set_chess960(&mut self, chess960: bool) {
        self.chess960 = chess960;
    }

    /// Whether a side has any man besides pawns and king.
    #[inline]
    pub fn non_pawn_material(&self, color: Color) -> bool {
        self.color(color).without(self.piece(Piece::Pawn) | self.piece(Piece::King)).any()
    }

    /// The men of a side that move like a bishop, queens included.
    #[inline]
    pub(super) fn diagonal_sliders(&self, color: Color) -> Bitboard {
        self.color(color) & (self.piece(Piece::Bishop) | self.piece(Piece::Queen))
    }

    /// The men of a side that move like a rook, queens included.
    #[inline]
    pub(super) fn straight_sliders(&self, color: Color) -> Bitboard {
        self.color(color) & (self.piece(Piece::Rook) | self.piece(Piece::Queen))
    }

    /// The men of both sides that attack a square when `occupied` squares block sliders.
    #[inline]
    pub fn attackers_to(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let diagonal = self.piece(Piece::Bishop) | self.piece(Piece::Queen);
        let straight = self.piece(Piece::Rook) | self.piece(Piece::Queen);
        attacks::pawn(Color::Black, square) & self.pieces(Color::White, Piece::Pawn)
            | attacks::pawn(Color::White, square) & self.pieces(Color::Black, Piece::Pawn)
            | attacks::knight(square) & self.piece(Piece::Knight)
            | attacks::king(square) & self.piece(Piece::King)
            | attacks::bishop(square, occupied) & diagonal
            | attacks::rook(square, occupied) & straight
    }

    /// All squares that a side attacks. Its sliders see through the enemy king, which cannot
    /// hide on the far side of itself.
    #[inline]
    pub fn attacked_by(&self, color: Color) -> Bitboard {
        let occupied = self.occupied() ^ self.pieces(!color, Piece::King);
        let mut attacked = attacks::king(self.king(color));
        let pawns = self.pieces(color, Piece::Pawn).forward(color);
        attacked |= pawns.shift_east() | pawns.shift_west();
        for square in self.pieces(color, Piece::Knight) {
            attacked |= attacks::knight(square);
        }
        for square in self.diagonal_sliders(color) {
            attacked |= attacks::bishop(square, occupied);
        }
        for square in self.straight_sliders(color) {
            attacked |= attacks::rook(square, occupied);
        }
        attacked
    }

    /// Finds who checks the side to move and which of its men are pinned.
    #[inline]
    pub(super) fn update_checkers_and_pins(&mut self) {
        let (us, them) = (self.side, !self.side);
        let king = self.king(us);
        self.checkers = attacks::pawn(us, king) & self.pieces(them, Piece::Pawn)
            | attacks::knight(king) & self.pieces(them, Piece::Knight);
        self.pinned = Bitboard::EMPTY;
        let snipers = attacks::bishop_rays(king) & self.diagonal_sliders(them)
            | attacks::rook_rays(king) & self.straight_sliders(them);
        for sniper in snipers {
            let blockers = attacks::between(king, sniper) & self.occupied();
            if blockers.is_empty() {
                self.checkers |= sniper.into();
            } else if !blockers.many() {
                self.pinned |= blockers & self.color(us);
            }
        }
    }
}
