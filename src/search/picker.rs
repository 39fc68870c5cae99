//! The order of moves: most likely refutations first, each group generated only when needed.
//!
//! The order: the table's move; captures and queen promotions that lose nothing, by victim and
//! history; the killer; quiet moves by history; the losing captures.

#![forbid(unsafe_code)]

use arrayvec::ArrayVec;

use super::history::{ContinuationHistory, Histories, PieceTo};
use super::params::InUse;
use super::stack::Stack;
use crate::attacks;
use crate::board::Position;
use crate::types::{Bitboard, MAX_MOVES, Move, MoveList, Piece, Score};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    TableMove,
    GenerateNoisy,
    GoodNoisy,
    Killer,
    GenerateQuiet,
    Quiet,
    BadNoisy,
    Done,
}

/// What the order of moves depends on.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub position: &'a Position,
    pub histories: &'a Histories,
    pub stack: &'a Stack,
    pub ply: usize,
    pub params: &'a InUse,
}

/// What a victim counts in the order of captures, in units of history.
const VICTIM_WEIGHT: [i32; 6] = [1_600, 4_800, 4_900, 8_000, 14_400, 0];

/// A check that loses more by exchange, in centipawns, gets no bonus.
const CHECK_LOSS: Score = -50;

/// Gives the moves of one node, best first.
pub(super) struct Picker {
    stage: Stage,
    table_move: Option<Move>,
    killer: Option<Move>,
    /// Captures that win less by exchange, in centipawns, come last.
    threshold: Score,
    /// Quiet moves and losing captures are left out.
    noisy_only: bool,
    /// The moves of the present group with their scores, those from `next` on still to come.
    moves: ArrayVec<(Move, i32), MAX_MOVES>,
    next: usize,
    bad: MoveList,
    next_bad: usize,
}

impl Picker {
    /// All moves of a node.
    pub fn new(table_move: Option<Move>, killer: Option<Move>) -> Self {
        Self {
            stage: Stage::TableMove,
            table_move,
            killer: killer.filter(|_| killer != table_move),
            threshold: 0,
            noisy_only: false,
            moves: ArrayVec::new(),
            next: 0,
            bad: MoveList::new(),
            next_bad: 0,
        }
    }

    /// Only noisy moves, and only those whose exchange wins at least `threshold` centipawns;
    /// the table's move is given if it is one of them.
    pub fn noisy(position: &Position, table_move: Option<Move>, threshold: Score) -> Self {
        let table_move =
            table_move.filter(|&mv| position.is_noisy(mv) && position.see_at_least(mv, threshold));
        Self { threshold, noisy_only: true, ..Self::new(table_move, None) }
    }

    /// The next move; `skip_quiets` leaves out the quiet ones that are still to come.
    pub fn next(&mut self, context: Context, skip_quiets: bool) -> Option<Move> {
        loop {
            match self.stage {
                Stage::TableMove => {
                    self.stage = Stage::GenerateNoisy;
                    self.table_move = self.table_move.filter(|&mv| context.position.is_legal(mv));
                    if self.table_move.is_some() {
                        return self.table_move;
                    }
                }
                Stage::GenerateNoisy => {
                    self.score_noisy(context);
                    self.stage = Stage::GoodNoisy;
                }
                Stage::GoodNoisy => match self.pick() {
                    Some(mv) if context.position.see_at_least(mv, self.threshold) => return Some(mv),
                    Some(mv) => self.bad.push(mv),
                    None => self.stage = if self.noisy_only { Stage::Done } else { Stage::Killer },
                },
                Stage::Killer => {
                    self.stage = Stage::GenerateQuiet;
                    self.killer = self.killer.filter(|&mv| {
                        !skip_quiets && context.position.is_legal(mv) && !context.position.is_noisy(mv)
                    });
                    if self.killer.is_some() {
                        return self.killer;
                    }
                }
                Stage::GenerateQuiet => {
                    self.moves.clear();
                    self.next = 0;
                    if !skip_quiets {
                        self.score_quiets(context);
                    }
                    self.stage = Stage::Quiet;
                }
                Stage::Quiet => match self.pick() {
                    Some(mv) if !skip_quiets => return Some(mv),
                    _ => self.stage = Stage::BadNoisy,
                },
                Stage::BadNoisy => match self.bad.get(self.next_bad) {
                    Some(&mv) => {
                        self.next_bad += 1;
                        return Some(mv);
                    }
                    None => self.stage = Stage::Done,
                },
                Stage::Done => return None,
            }
        }
    }

    /// Whether the move given last was one of the losing captures.
    pub fn is_losing(&self) -> bool {
        self.stage == Stage::BadNoisy
    }

    /// Takes the best move that is left in the present group: one step of a selection sort,
    /// since a cut-off usually comes before the group is used up.
    fn pick(&mut self) -> Option<Move> {
        let rest = self.moves.get_mut(self.next..)?;
        let (mut best, mut best_score) = (0, rest.first()?.1);
        for (index, &(_, score)) in rest.iter().enumerate().skip(1) {
            if score > best_score {
                (best, best_score) = (index, score);
            }
        }
        rest.swap(0, best);
        self.next += 1;
        Some(rest[0].0)
    }

    fn score_noisy(&mut self, Context { position, histories, params, .. }: Context) {
        let mut list = MoveList::new();
        position.noisy_moves(&mut list);
        for &mv in &list {
            if Some(mv) == self.table_move {
                continue;
            }
            let captured = position.captured(mv);
            let piece_to = piece_to(position, mv);
            let gain = captured.map_or(0, |piece| VICTIM_WEIGHT[piece.index()])
                + mv.promoted().map_or(0, |piece| VICTIM_WEIGHT[piece.index()]);
            let history = weighted(params.order_noisy_history, histories.capture.get(piece_to, captured));
            self.moves.push((mv, gain + history));
        }
    }

    fn score_quiets(&mut self, context: Context) {
        let Context { position, histories, stack, ply, params } = context;
        let side = position.side_to_move();
        let threats = stack[ply].threats;
        let pawns = position.pawn_key();
        let rows = ContinuationHistory::PLIES
            .map(|back| histories.continuation.row(stack.before(ply, back).piece_to));
        let weights = [
            params.order_continuation_1,
            params.order_continuation_2,
            params.order_continuation_4,
            params.order_continuation_6,
        ];
        // Pieces should leave squares that lesser men attack, and not enter them.
        let flight = [
            0,
            params.order_flight_minor,
            params.order_flight_minor,
            params.order_flight_rook,
            params.order_flight_queen,
            0,
        ];
        let attacked = attacked_by_lesser(position);
        let checks = check_squares(position);
        let mut list = MoveList::new();
        position.quiet_moves(&mut list);
        for &mv in &list {
            if Some(mv) == self.table_move || Some(mv) == self.killer {
                continue;
            }
            let piece_to = piece_to(position, mv);
            let mut score = weighted(params.order_squares, histories.quiet.get(side, threats, mv))
                + weighted(params.order_pawn, histories.pawn.get(pawns, piece_to));
            for (weight, row) in weights.into_iter().zip(rows) {
                score += weighted(weight, i32::from(row[piece_to.index()]));
            }
            let piece = position.moved_piece(mv);
            let danger = attacked[piece.index()];
            let fled = i32::from(danger.contains(mv.from())) - i32::from(danger.contains(mv.to()));
            score += flight[piece.index()] * fled;
            if checks[piece.index()].contains(mv.to()) && position.see_at_least(mv, CHECK_LOSS) {
                score += params.order_check;
            }
            self.moves.push((mv, score));
        }
    }
}

/// A history with its weight in 1/128.
#[inline]
fn weighted(weight: i32, history: i32) -> i32 {
    weight * history / 128
}

/// The man and target of a move; a castling king "goes" to its rook.
#[inline]
pub(super) fn piece_to(position: &Position, mv: Move) -> PieceTo {
    PieceTo::new(position.side_to_move(), position.moved_piece(mv), mv.to())
}

/// For each kind of man of the side to move, the squares that lesser men of the opponent attack.
fn attacked_by_lesser(position: &Position) -> [Bitboard; 6] {
    let them = !position.side_to_move();
    let occupied = position.occupied();
    let reach = |piece| {
        let men = position.pieces(them, piece).into_iter();
        men.fold(Bitboard::EMPTY, |all, square| all | attacks::piece(piece, them, square, occupied))
    };
    let pawns = reach(Piece::Pawn);
    let minors = pawns | reach(Piece::Knight) | reach(Piece::Bishop);
    let rooks = minors | reach(Piece::Rook);
    [Bitboard::EMPTY, pawns, pawns, minors, rooks, Bitboard::EMPTY]
}

/// The squares from which each kind of man of the side to move checks the other king.
fn check_squares(position: &Position) -> [Bitboard; 6] {
    let them = !position.side_to_move();
    let (king, occupied) = (position.king(them), position.occupied());
    // A man checks from where the same man of the other colour, on the king's square, reaches.
    Piece::ALL.map(|piece| match piece {
        Piece::King => Bitboard::EMPTY,
        piece => attacks::piece(piece, them, king, occupied),
    })
}
