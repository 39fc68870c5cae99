//! The hand-written evaluation: the judge of the first generation of games, from which the first
//! network learns. Nothing else uses it.
//!
//! A sum of well-known terms (see the Chess Programming Wiki, "Evaluation"): material and
//! placement, mobility, pawn structure, king safety, threats. Each has a value for the
//! middlegame and one for the endgame, and the pieces left decide the mix. Bitboards treat all
//! pawns of a side at once. All numbers are in `weights`.
//!
//! Invariant: swapping the colours of a position changes nothing from the view of the side to
//! move, and mirroring its files changes nothing at all.

#![forbid(unsafe_code)]

mod weights;

use crate::attacks;
use crate::board::Position;
use crate::eval::endgame;
use crate::types::{Bitboard, ByColor, Color, File, Piece, Rank, Score, Square};

use weights::{Pair, Tables, WEIGHTS};

static TABLES: Tables = Tables::new(WEIGHTS);

const PIECES: [Piece; 4] = [Piece::Knight, Piece::Bishop, Piece::Rook, Piece::Queen];
/// What a piece adds to the phase of the game, from pawn to king, and the sum at the start.
const PHASE: [i32; 6] = [0, 1, 1, 2, 4, 0];
const FULL_PHASE: i32 = 24;

/// The evaluation in centipawns from the view of the side to move.
pub fn evaluate(position: &Position) -> Score {
    let mut terms = Terms::new(position, &TABLES);
    let stm = position.side_to_move();
    // Attack sets of both sides first: safety and threats compare them.
    let pieces = ByColor(Color::ALL.map(|color| terms.pieces(color)));
    let side = |color: Color| {
        pieces[color] + terms.pawns(color) + terms.passed_pawns(color) + terms.shelter(color)
            - terms.danger(color)
            + terms.threats(color)
    };
    let mut sum = side(stm) - side(!stm) + TABLES.weights.tempo;
    let strong = if sum.eg > 0 { stm } else { !stm };
    sum.eg = sum.eg * scale(position, strong) / endgame::FULL_SCALE;
    sum.taper(phase(position), FULL_PHASE)
}

/// How much of an endgame lead of `strong` counts, of [`FULL_SCALE`](endgame::FULL_SCALE).
fn scale(position: &Position, strong: Color) -> i32 {
    let pawns = position.pieces(strong, Piece::Pawn).count() as i32;
    if opposite_bishops(position) {
        let bishops_only = Color::ALL.into_iter().all(|color| endgame::force(position, color) == 3);
        return if bishops_only { 16 + 3 * pawns } else { 44 + 2 * pawns };
    }
    match pawns {
        0 => endgame::FULL_SCALE,
        _ => (46 + 5 * pawns).min(endgame::FULL_SCALE),
    }
}

/// One bishop each, on squares of different colours.
fn opposite_bishops(position: &Position) -> bool {
    let bishops = position.piece(Piece::Bishop);
    Color::ALL.into_iter().all(|color| position.pieces(color, Piece::Bishop).count() == 1)
        && (bishops & Bitboard::LIGHT).any()
        && (bishops & Bitboard::DARK).any()
}

/// 24 with all pieces to 0 with none.
fn phase(position: &Position) -> i32 {
    let sum: i32 = PIECES.iter().map(|&p| position.piece(p).count() as i32 * PHASE[p.index()]).sum();
    sum.min(FULL_PHASE)
}

/// Sets of squares that several terms of one position share.
struct Terms<'a> {
    position: &'a Position,
    tables: &'a Tables,
    /// Attacked by each kind of man.
    attacks: ByColor<[Bitboard; 6]>,
    /// Attacked by any man.
    attacked: ByColor<Bitboard>,
    /// Attacked by at least two men.
    attacked_twice: ByColor<Bitboard>,
    /// The king's square, those around it and the three before those.
    zone: ByColor<Bitboard>,
    /// Units of danger that a side's pieces bring to the enemy king, and how many do.
    pressure: ByColor<(i32, u32)>,
}

impl<'a> Terms<'a> {
    fn new(position: &'a Position, tables: &'a Tables) -> Self {
        let mut terms = Self {
            position,
            tables,
            attacks: ByColor::default(),
            attacked: ByColor::default(),
            attacked_twice: ByColor::default(),
            zone: ByColor::default(),
            pressure: ByColor::default(),
        };
        for color in Color::ALL {
            let king = position.king(color);
            let around = attacks::king(king) | king.into();
            terms.zone[color] = around | forward(around, color);
            terms.add_attacks(color, Piece::King, attacks::king(king));
            let (left, right) = pawn_attacks(position.pieces(color, Piece::Pawn), color);
            terms.add_attacks(color, Piece::Pawn, left);
            terms.add_attacks(color, Piece::Pawn, right);
        }
        terms
    }

    fn add_attacks(&mut self, color: Color, piece: Piece, attacks: Bitboard) {
        self.attacks[color][piece.index()] |= attacks;
        self.attacked_twice[color] |= self.attacked[color] & attacks;
        self.attacked[color] |= attacks;
    }

    /// Material, placement and mobility of all men; records their attacks.
    fn pieces(&mut self, color: Color) -> Pair {
        let Self { position, tables, .. } = *self;
        let weights = &tables.weights;
        let own_pawns = position.pieces(color, Piece::Pawn);
        let enemy_pawns = position.pieces(!color, Piece::Pawn);
        let enemy_pawn_attacks = self.attacks[!color][Piece::Pawn.index()];
        let area = !(own_pawns | position.king(color).into() | enemy_pawn_attacks);
        let enemy_zone = self.zone[!color];
        let outposts = self.attacks[color][Piece::Pawn.index()].without(attack_span(enemy_pawns, !color))
            & ranks_from_fourth_to_sixth(color);

        let king_table = &tables.piece_square[Piece::King.index()];
        let mut sum = king_table[position.king(color).relative_to(color).index()];
        for pawn in own_pawns {
            sum += tables.piece_square[Piece::Pawn.index()][pawn.relative_to(color).index()];
        }
        for (kind, piece) in PIECES.into_iter().enumerate() {
            for square in position.pieces(color, piece) {
                // Sliders see through men of their own that move the same way.
                let occupied = match piece {
                    Piece::Bishop => position.occupied().without(position.pieces(color, Piece::Queen)),
                    Piece::Rook => position
                        .occupied()
                        .without(position.pieces(color, Piece::Rook) | position.pieces(color, Piece::Queen)),
                    _ => position.occupied(),
                };
                let attacks = attacks::piece(piece, color, square, occupied);
                self.add_attacks(color, piece, attacks);
                sum += tables.piece_square[piece.index()][square.relative_to(color).index()];
                sum += tables.mobility[kind][(attacks & area).count() as usize];
                let hits = (attacks & enemy_zone).count() as i32;
                if hits > 0 {
                    let (units, attackers) = &mut self.pressure[color];
                    *units += weights.danger.attacker[kind] + weights.danger.square * hits;
                    *attackers += 1;
                }
                if matches!(piece, Piece::Knight | Piece::Bishop) && outposts.contains(square) {
                    sum += weights.outpost;
                }
            }
        }
        let bishops = position.pieces(color, Piece::Bishop);
        if (bishops & Bitboard::LIGHT).any() && (bishops & Bitboard::DARK).any() {
            sum += weights.bishop_pair;
        }
        for shade in [Bitboard::LIGHT, Bitboard::DARK] {
            sum += weights.bishop_pawn * ((bishops & shade).count() * (own_pawns & shade).count());
        }
        let rooks = position.pieces(color, Piece::Rook).without(files_of(own_pawns));
        let open = rooks.without(files_of(enemy_pawns));
        sum + weights.open_file * open.count() + weights.half_open_file * rooks.without(open).count()
    }

    /// Doubled, isolated, backward and connected pawns.
    fn pawns(&self, color: Color) -> Pair {
        let weights = &self.tables.weights;
        let own = self.position.pieces(color, Piece::Pawn);
        let files = files_of(own);
        let isolated = own.without(files.shift_east() | files.shift_west());
        let doubled = own & span(own, !color);
        let stops = forward(own, color)
            & self.attacks[!color][Piece::Pawn.index()]
            & !(own | attack_span(own, color));
        let backward = forward(stops, !color).without(isolated);
        let connected =
            own & (self.attacks[color][Piece::Pawn.index()] | own.shift_east() | own.shift_west());
        let advance: u32 = connected.into_iter().map(|pawn| steps(pawn, color)).sum();
        weights.doubled * doubled.count()
            + weights.isolated * isolated.count()
            + weights.backward * backward.count()
            + weights.connected * advance
    }

    /// Pawns that no enemy pawn can stop.
    fn passed_pawns(&self, color: Color) -> Pair {
        let weights = &self.tables.weights;
        let own = self.position.pieces(color, Piece::Pawn);
        let enemy = self.position.pieces(!color, Piece::Pawn);
        let guarded = span(enemy, !color) | attack_span(enemy, !color) | span(own, !color);
        let mut sum = Pair::ZERO;
        for pawn in own.without(guarded) {
            let rank = steps(pawn, color);
            let growth = rank * (rank + 1) / 2;
            sum += weights.passed * growth;
            let way = span(pawn.into(), color);
            let next = forward(pawn.into(), color);
            if (next & self.position.occupied()).is_empty() {
                sum += weights.passed_free * growth;
            }
            if (way & (self.position.color(!color) | self.attacked[!color])).is_empty() {
                sum += weights.passed_safe * growth;
            }
            if let Some(next) = next.first() {
                let lead = self.position.king(!color).distance(next) as i32
                    - self.position.king(color).distance(next) as i32;
                sum += weights.passed_king * (lead * rank as i32);
            }
        }
        sum
    }

    /// The pawns before the king.
    fn shelter(&self, color: Color) -> Pair {
        let weights = &self.tables.weights;
        let king = self.position.king(color);
        // A king on the edge is sheltered by the same three files as one beside it.
        let file = File::ALL[king.file().index().clamp(1, 6)];
        let row: Bitboard = Bitboard::rank(king.rank()) & three_files(file);
        let own = self.position.pieces(color, Piece::Pawn);
        let enemy = self.position.pieces(!color, Piece::Pawn);
        let first = forward(row, color);
        let second = forward(first, color);
        let third = forward(second, color);
        let storm = second | third | forward(third, color);
        let open = 3 - files_of(own & span(row, color) & three_files(file)).count() / 8;
        weights.shelter_close * (own & first).count()
            + weights.shelter_far * (own & second).count()
            + weights.shelter_open * open
            + weights.storm * (enemy & storm).count()
    }

    /// The attack of the enemy's pieces on the king of `color`.
    fn danger(&self, color: Color) -> Pair {
        let weights = &self.tables.weights.danger;
        let position = self.position;
        let (mut units, attackers) = self.pressure[!color];
        if attackers < 2 && position.pieces(!color, Piece::Queen).is_empty() {
            return Pair::ZERO;
        }
        let king = position.king(color);
        let by_king_only = self.attacked[color] & !self.attacked_twice[color] & attacks::king(king);
        let safe =
            !position.color(!color) & (!self.attacked[color] | (by_king_only & self.attacked_twice[!color]));
        let diagonal = attacks::bishop(king, position.occupied());
        let straight = attacks::rook(king, position.occupied());
        let lines = [attacks::knight(king), diagonal, straight, diagonal | straight];
        for (kind, piece) in PIECES.into_iter().enumerate() {
            if (self.attacks[!color][piece.index()] & lines[kind] & safe).any() {
                units += weights.check[kind];
            }
        }
        units += weights.weak_square * (by_king_only & self.attacked[!color]).count() as i32;
        if position.pieces(!color, Piece::Queen).is_empty() {
            units += weights.no_queen;
        }
        let units = units.max(0);
        Pair { mg: units * units / weights.divisor, eg: units / weights.endgame_divisor }
    }

    /// Attacks of `color` on enemy men worth more or badly defended.
    fn threats(&self, color: Color) -> Pair {
        let weights = &self.tables.weights;
        let enemy = |piece| self.position.pieces(!color, piece);
        let attacks = &self.attacks[color];
        let queens = enemy(Piece::Queen);
        let majors = queens | enemy(Piece::Rook);
        let pieces = majors | enemy(Piece::Knight) | enemy(Piece::Bishop);
        let by_minor = attacks[Piece::Knight.index()] | attacks[Piece::Bishop.index()];
        let lesser = (majors & by_minor) | (queens & attacks[Piece::Rook.index()]);
        let hanging = (pieces | enemy(Piece::Pawn)) & self.attacked[color] & !self.attacked[!color];
        weights.threat_by_pawn * (pieces & attacks[Piece::Pawn.index()]).count()
            + weights.threat_by_lesser * lesser.count()
            + weights.hanging * hanging.count()
    }
}

/// Ranks a pawn has gone from its second.
fn steps(pawn: Square, color: Color) -> u32 {
    pawn.rank().relative_to(color).index() as u32 - 1
}

/// The set one rank further as `color` moves.
fn forward(set: Bitboard, color: Color) -> Bitboard {
    match color {
        Color::White => set.shift_ranks(1),
        Color::Black => set.shift_ranks(-1),
    }
}

/// All squares before those of the set, as `color` moves.
fn span(set: Bitboard, color: Color) -> Bitboard {
    let mut filled = forward(set, color);
    let up = |set: Bitboard, ranks| match color {
        Color::White => set.shift_ranks(ranks),
        Color::Black => set.shift_ranks(-ranks),
    };
    for ranks in [1, 2, 4] {
        filled |= up(filled, ranks);
    }
    filled
}

/// What pawns attack to the west and to the east.
fn pawn_attacks(pawns: Bitboard, color: Color) -> (Bitboard, Bitboard) {
    let ahead = forward(pawns, color);
    (ahead.shift_west(), ahead.shift_east())
}

/// What pawns attack now or may after some advance.
fn attack_span(pawns: Bitboard, color: Color) -> Bitboard {
    let ahead = span(pawns, color);
    ahead.shift_west() | ahead.shift_east()
}

/// All squares of the files with a member of the set.
fn files_of(set: Bitboard) -> Bitboard {
    set | span(set, Color::White) | span(set, Color::Black)
}

/// A file and its neighbours.
fn three_files(file: File) -> Bitboard {
    let file = Bitboard::file(file);
    file | file.shift_west() | file.shift_east()
}

/// The ranks of outposts.
fn ranks_from_fourth_to_sixth(color: Color) -> Bitboard {
    [Rank::Fourth, Rank::Fifth, Rank::Sixth]
        .into_iter()
        .fold(Bitboard::EMPTY, |set, rank| set | Bitboard::rank(rank.relative_to(color)))
}
