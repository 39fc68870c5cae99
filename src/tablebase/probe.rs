//! The value of a position, from the tables and the captures they leave out.

#![forbid(unsafe_code)]

use super::file::{Kind, TableError, TableFile};
use super::material::Material;
use super::{Lazy, Tablebases};
use crate::board::{Board, Position};
use crate::types::{CastlingRights, Move, Piece};

/// What a position is worth for the side to move, when the fifty-move rule starts counting now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(i8)]
pub enum Wdl {
    /// It loses.
    Loss = -2,
    /// It would lose, but the fifty-move rule saves it.
    BlessedLoss = -1,
    /// It is drawn.
    Draw = 0,
    /// It would win, but the fifty-move rule spoils it.
    CursedWin = 1,
    /// It wins.
    Win = 2,
}

impl Wdl {
    fn from_number(number: i8) -> Self {
        match number {
            ..=-2 => Self::Loss,
            -1 => Self::BlessedLoss,
            0 => Self::Draw,
            1 => Self::CursedWin,
            2.. => Self::Win,
        }
    }

    /// The same without the fifty-move rule.
    pub fn without_fifty_moves(self) -> Self {
        Self::from_number(2 * self as i8)
    }
}

/// What a root move leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootMove {
    /// Moves of a higher rank are better; those of equal rank keep the same result.
    pub rank: i32,
    /// The result for the side that plays it, with the half-moves counted so far.
    pub wdl: Wdl,
}

/// Ranks of moves that win or lose surely have this size.
const SURE: i32 = 1 << 20;
/// Below all values: no capture is possible.
const NONE: i8 = -3;

/// A value, and whether a capture reaches it.
struct Value {
    wdl: i8,
    by_capture: bool,
}

/// The distance of a position whose best move is a capture or pawn move.
const fn immediate(wdl: i8) -> i32 {
    match wdl {
        2 => 1,
        1 => 101,
        0 => 0,
        -1 => -101,
        _ => -1,
    }
}

fn after(position: &Position, mv: Move) -> Position {
    let mut next = *position;
    next.play(mv);
    next
}

impl Tablebases {
    /// The value of a position as if the fifty-move rule started counting now. `None` with
    /// castling rights, or if a table that is needed is missing or damaged.
    pub fn probe_wdl(&self, position: &Position) -> Option<Wdl> {
        (position.castling() == CastlingRights::default()).then_some(())?;
        Some(Wdl::from_number(self.value(position)?.wdl))
    }

    /// The plies to the next capture or pawn move in best play, or one less, with the sign of
    /// the value; 100 more for wins and losses that the fifty-move rule turns into draws; 0 for
    /// draws. `None` as in [`Self::probe_wdl`].
    pub fn probe_dtz(&self, position: &Position) -> Option<i32> {
        (position.castling() == CastlingRights::default()).then_some(())?;
        self.distance(position)
    }

    /// What each of some legal moves leads to. Without the rule, `fifty_moves` being false,
    /// every won position is a win. `None` as in [`Self::probe_wdl`], for any of the moves.
    ///
    /// The distance decides among winning moves only where it has to: if the rule comes near,
    /// or a position has occurred twice since the last capture or
    /// pawn move, so that no progress was made. Otherwise the search may choose.
    pub fn rank_root(&self, board: &Board, moves: &[Move], fifty_moves: bool) -> Option<Vec<RootMove>> {
        (board.castling() == CastlingRights::default()).then_some(())?;
        let clock = board.halfmove_clock().min(100) as i32;
        let repeated = board.has_repeated();
        let rank = |distance: i32| {
            let sure = !fifty_moves || distance.abs() + clock < 100;
            let rank = match distance.signum() {
                1 if sure && !repeated => SURE,
                1 if sure => SURE - distance,
                1 => SURE / 2 - distance,
                -1 if !fifty_moves || 2 * -distance + clock < 100 => -SURE,
                -1 => -SURE - distance + clock,
                _ => 0,
            };
            let beyond = fifty_moves && distance.abs() + clock > 100;
            let wdl = Wdl::from_number(distance.signum() as i8 * if beyond { 1 } else { 2 });
            RootMove { rank, wdl }
        };
        moves.iter().map(|&mv| Some(rank(self.move_distance(board.position(), mv)?))).collect()
    }

    /// What a move leads to by the values alone, where distances are missing. `None` as in
    /// [`Self::probe_wdl`].
    pub fn rank_root_by_value(
        &self,
        board: &Board,
        moves: &[Move],
        fifty_moves: bool,
    ) -> Option<Vec<RootMove>> {
        (board.castling() == CastlingRights::default()).then_some(())?;
        let rank = |mv: Move| {
            let wdl = Wdl::from_number(-self.value(&after(board.position(), mv))?.wdl);
            let wdl = if fifty_moves { wdl } else { wdl.without_fifty_moves() };
            Some(RootMove { rank: wdl as i32 * (SURE / 2), wdl })
        };
        moves.iter().map(|&mv| rank(mv)).collect()
    }

    /// The distance for the side that plays a move, counted with it.
    fn move_distance(&self, position: &Position, mv: Move) -> Option<i32> {
        let next = after(position, mv);
        if next.in_check() && !next.has_legal_move() {
            return Some(1);
        }
        if next.halfmove_clock() == 0 {
            return Some(immediate(-self.value(&next)?.wdl));
        }
        let distance = -self.distance(&next)?;
        Some(distance + distance.signum())
    }

    /// The best of the captures and of what the table says.
    fn value(&self, position: &Position) -> Option<Value> {
        let (mut best_capture, mut best_en_passant) = (NONE, NONE);
        for mv in position.legal_moves() {
            if !position.is_capture(mv) {
                continue;
            }
            let wdl = -self.with_captures(&after(position, mv), -2, -best_capture)?;
            let best = if mv.is_en_passant() { &mut best_en_passant } else { &mut best_capture };
            *best = wdl.max(*best);
            if wdl == 2 {
                return Some(Value { wdl, by_capture: true });
            }
        }
        let table = self.table_wdl(position)?;
        // The tables know no en passant: they may call a stalemate what is none, or a loss.
        let best = best_capture.max(best_en_passant);
        if best_en_passant > best_capture.max(table) {
            return Some(Value { wdl: best, by_capture: true });
        }
        if best >= table {
            return Some(Value { wdl: best, by_capture: best > 0 });
        }
        let forced = best_en_passant > NONE
            && table == 0
            && position.legal_moves().into_iter().all(Move::is_en_passant);
        if forced {
            Some(Value { wdl: best_en_passant, by_capture: true })
        } else {
            Some(Value { wdl: table, by_capture: false })
        }
    }

    /// The value between two bounds of a position without en passant.
    fn with_captures(&self, position: &Position, mut alpha: i8, beta: i8) -> Option<i8> {
        for mv in position.legal_moves() {
            if position.is_capture(mv) {
                let wdl = -self.with_captures(&after(position, mv), -beta, -alpha)?;
                if wdl >= beta {
                    return Some(wdl);
                }
                alpha = alpha.max(wdl);
            }
        }
        Some(self.table_wdl(position)?.max(alpha))
    }

    fn distance(&self, position: &Position) -> Option<i32> {
        let value = self.value(position)?;
        if value.wdl == 0 || value.by_capture {
            return Some(immediate(value.wdl));
        }
        let is_pawn_move = |mv: Move| position.piece_at(mv.from()) == Some(Piece::Pawn);
        if value.wdl > 0 {
            for mv in position.legal_moves() {
                let quiet_pawn_move = is_pawn_move(mv) && !position.is_capture(mv);
                if quiet_pawn_move && -self.value(&after(position, mv))?.wdl == value.wdl {
                    return Some(immediate(value.wdl));
                }
            }
        }
        if let Some(distance) = self.table_dtz(position, value.wdl)? {
            return Some(immediate(value.wdl) + i32::from(value.wdl.signum()) * distance);
        }
        // The table has the other side's distances: they are one move away.
        let mut best = if value.wdl > 0 { i32::MAX } else { immediate(value.wdl) };
        for mv in position.legal_moves() {
            if is_pawn_move(mv) || position.is_capture(mv) {
                continue;
            }
            let distance = self.move_distance(position, mv)?;
            if value.wdl < 0 || distance > 0 {
                best = best.min(distance);
            }
        }
        (best != i32::MAX).then_some(best)
    }

    /// What the table says of a position; -2 for a loss to 2 for a win.
    fn table_wdl(&self, position: &Position) -> Option<i8> {
        let material = Material::of(position);
        if material.men() == 2 {
            return Some(0);
        }
        let &(number, exchange) = self.by_material.get(&material)?;
        let table = &self.tables[number];
        let lazy = table.wdl.as_ref()?;
        let read = self.file(lazy, Kind::Wdl, table.material)?.wdl(position, exchange);
        let value = self.noted(
            lazy,
            read.and_then(|value| if value < 5 { Ok(value) } else { Err(TableError::Damaged) }),
        )?;
        Some(value as i8 - 2)
    }

    /// The distance that the table has; `Some(None)` if it has only the other side's.
    fn table_dtz(&self, position: &Position, wdl: i8) -> Option<Option<i32>> {
        let &(number, exchange) = self.by_material.get(&Material::of(position))?;
        let table = &self.tables[number];
        let lazy = table.dtz.as_ref()?;
        let read = self.file(lazy, Kind::Dtz, table.material)?.dtz(position, exchange, (wdl + 2) as usize);
        Some(self.noted(lazy, read)?.map(i32::from))
    }

    fn file<'a>(&self, lazy: &'a Lazy, kind: Kind, material: Material) -> Option<&'a TableFile> {
        let open = || self.noted(lazy, TableFile::open(&lazy.path, kind, material));
        lazy.file.get_or_init(open).as_ref()
    }

    /// Keeps the reason of a failure for the user.
    fn noted<T>(&self, lazy: &Lazy, result: Result<T, TableError>) -> Option<T> {
        result.inspect_err(|error| self.note(&lazy.path, error)).ok()
    }
}
