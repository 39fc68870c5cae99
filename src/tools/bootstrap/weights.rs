//! The weights of the hand-written evaluation, and the tables built from them.
//!
//! Every number of it stands here. Piece-square and mobility tables are not lists of
//! numbers but follow from a few coefficients each, so that tuning has few, meaningful
//! parameters. Units: centipawns, one value for the middlegame and one for the endgame.
//! Tables are from White's view; squares of Black are flipped before the look-up.

#![forbid(unsafe_code)]

use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

use crate::types::{Piece, Square};

/// A value in the middlegame and in the endgame, in centipawns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pair {
    /// With all pieces on the board.
    pub mg: i32,
    /// With no pieces left.
    pub eg: i32,
}

const fn pair(mg: i32, eg: i32) -> Pair {
    Pair { mg, eg }
}

impl Pair {
    /// No value.
    pub const ZERO: Self = pair(0, 0);

    /// The value at `phase` of `full`: `full` in the opening, 0 without pieces.
    #[inline]
    pub const fn taper(self, phase: i32, full: i32) -> i32 {
        (self.mg * phase + self.eg * (full - phase)) / full
    }

    const fn plus(self, other: Self) -> Self {
        pair(self.mg + other.mg, self.eg + other.eg)
    }

    const fn times(self, factor: i32) -> Self {
        pair(self.mg * factor, self.eg * factor)
    }
}

impl Add for Pair {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        self.plus(other)
    }
}

impl AddAssign for Pair {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Pair {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        pair(self.mg - other.mg, self.eg - other.eg)
    }
}

impl SubAssign for Pair {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Neg for Pair {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        self.times(-1)
    }
}

impl Mul<i32> for Pair {
    type Output = Self;
    #[inline]
    fn mul(self, factor: i32) -> Self {
        self.times(factor)
    }
}

impl Mul<u32> for Pair {
    type Output = Self;
    #[inline]
    fn mul(self, factor: u32) -> Self {
        self.times(factor as i32)
    }
}

/// What makes up the piece-square table of one kind of man. Distances count from -3 (edge) to
/// 3 (centre) in steps of 2, the advance from -7 (first rank) to 7, so that the average is zero.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    /// The man itself.
    pub value: Pair,
    /// For every step of its file towards the d- and e-file.
    pub file: Pair,
    /// For every step of its rank towards the fourth and fifth.
    pub rank: Pair,
    /// For every step forward.
    pub advance: Pair,
}

/// The worth of having no square to go to, and of having all; between them the gain of every
/// further square shrinks evenly to zero.
#[derive(Clone, Copy, Debug)]
pub struct Mobility {
    /// No square.
    pub none: Pair,
    /// As many as the piece can ever reach.
    pub full: Pair,
}

/// How much the pieces near a king threaten it, in units of danger. The penalty is the square of
/// the sum divided by `divisor` in the middlegame, and the sum over `endgame_divisor` in the
/// endgame.
#[derive(Clone, Copy, Debug)]
pub struct Danger {
    /// For each knight, bishop, rook and queen that attacks a square beside the king.
    pub attacker: [i32; 4],
    /// For each attacked square beside the king and attacking piece.
    pub square: i32,
    /// For each kind of piece that can check from a square the defender does not attack.
    pub check: [i32; 4],
    /// When the attacker has no queen.
    pub no_queen: i32,
    /// For each square beside the king that only the king defends.
    pub weak_square: i32,
    /// See above.
    pub divisor: i32,
    /// See above.
    pub endgame_divisor: i32,
}

/// All weights. A change here is a change of play.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Weights {
    /// Pawn to king.
    pub placement: [Placement; 6],
    /// For each step forward (up to the fifth rank) and towards the centre of a pawn.
    pub pawn_center: Pair,
    /// Knight, bishop, rook, queen.
    pub mobility: [Mobility; 4],
    pub bishop_pair: Pair,
    /// For each own pawn on a square of the bishop's colour.
    pub bishop_pawn: Pair,
    /// A rook's file has no pawn.
    pub open_file: Pair,
    /// A rook's file has only enemy pawns.
    pub half_open_file: Pair,
    /// A knight or bishop that a pawn defends and no enemy pawn can drive away.
    pub outpost: Pair,
    pub doubled: Pair,
    pub isolated: Pair,
    pub backward: Pair,
    /// A pawn defended by or beside another pawn, for each rank it has gone.
    pub connected: Pair,
    /// A passed pawn: this times `r * (r + 1) / 2`, where r is 0 on the second rank.
    pub passed: Pair,
    /// As `passed`, if the square before it is free.
    pub passed_free: Pair,
    /// As `passed`, if nothing enemy stands on or attacks its way.
    pub passed_safe: Pair,
    /// For each rank gone and each king step the enemy is further from its next square.
    pub passed_king: Pair,
    /// For each own pawn one rank before the king on its file and the two beside.
    pub shelter_close: Pair,
    /// The same, two ranks before it.
    pub shelter_far: Pair,
    /// For each of these three files without own pawn before the king.
    pub shelter_open: Pair,
    /// For each enemy pawn two to four ranks before the king.
    pub storm: Pair,
    pub danger: Danger,
    /// A pawn attacks a piece.
    pub threat_by_pawn: Pair,
    /// A knight or bishop attacks a rook or queen, or a rook a queen.
    pub threat_by_lesser: Pair,
    /// A piece or pawn is attacked and not defended.
    pub hanging: Pair,
    /// To have the move.
    pub tempo: Pair,
}

/// The weights the engine plays with.
#[rustfmt::skip]
pub const WEIGHTS: Weights = Weights {
    placement: [
        Placement { value: pair(80, 110), file: pair(0, -2), rank: pair(0, 0), advance: pair(1, 3) },
        Placement { value: pair(325, 320), file: pair(5, 4), rank: pair(5, 4), advance: pair(1, 1) },
        Placement { value: pair(340, 335), file: pair(2, 2), rank: pair(3, 2), advance: pair(0, 0) },
        Placement { value: pair(480, 560), file: pair(3, 0), rank: pair(0, 0), advance: pair(1, 2) },
        Placement { value: pair(980, 1030), file: pair(1, 4), rank: pair(1, 4), advance: pair(-1, 2) },
        Placement { value: pair(0, 0), file: pair(-5, 6), rank: pair(0, 6), advance: pair(-6, 2) },
    ],
    pawn_center: pair(3, 0),
    mobility: [
        Mobility { none: pair(-35, -40), full: pair(22, 22) },
        Mobility { none: pair(-32, -45), full: pair(36, 42) },
        Mobility { none: pair(-24, -55), full: pair(20, 55) },
        Mobility { none: pair(-20, -45), full: pair(22, 60) },
    ],
    bishop_pair: pair(28, 50),
    bishop_pawn: pair(-3, -6),
    open_file: pair(32, 10),
    half_open_file: pair(13, 8),
    outpost: pair(22, 12),
    doubled: pair(-8, -20),
    isolated: pair(-12, -14),
    backward: pair(-9, -10),
    connected: pair(4, 3),
    passed: pair(2, 6),
    passed_free: pair(1, 3),
    passed_safe: pair(1, 5),
    passed_king: pair(0, 3),
    shelter_close: pair(18, 0),
    shelter_far: pair(10, 0),
    shelter_open: pair(-18, 0),
    storm: pair(-7, 0),
    danger: Danger {
        attacker: [22, 18, 24, 30],
        square: 6,
        check: [30, 18, 32, 28],
        no_queen: -50,
        weak_square: 8,
        divisor: 180,
        endgame_divisor: 12,
    },
    threat_by_pawn: pair(48, 40),
    threat_by_lesser: pair(32, 28),
    hanging: pair(22, 20),
    tempo: pair(16, 10),
};

/// The weights spread out for quick look-up.
pub struct Tables {
    /// The weights themselves.
    pub weights: Weights,
    /// Value and placement of a man, by piece and by square as its side sees it.
    pub piece_square: [[Pair; 64]; 6],
    /// Mobility of knight, bishop, rook and queen, by the number of squares.
    pub mobility: [[Pair; 28]; 4],
}

impl Tables {
    /// Spreads out `weights`.
    pub const fn new(weights: Weights) -> Self {
        // Most squares a knight, bishop, rook and queen can attack on an empty board.
        const REACH: [i32; 4] = [8, 13, 14, 27];
        let mut piece_square = [[Pair::ZERO; 64]; 6];
        let mut square = 0;
        while square < 64 {
            let mut piece = 0;
            while piece < 6 {
                piece_square[piece][square] = placement(&weights, Piece::ALL[piece], Square::ALL[square]);
                piece += 1;
            }
            square += 1;
        }
        let mut mobility = [[Pair::ZERO; 28]; 4];
        let mut piece = 0;
        while piece < 4 {
            let mut count = 0;
            while count <= REACH[piece] {
                let Mobility { none, full } = weights.mobility[piece];
                mobility[piece][count as usize] = pair(
                    ease(none.mg, full.mg, count, REACH[piece]),
                    ease(none.eg, full.eg, count, REACH[piece]),
                );
                count += 1;
            }
            piece += 1;
        }
        Self { weights, piece_square, mobility }
    }
}

/// From `low` at 0 to `high` at `end`, along a parabola with its top at `end`.
const fn ease(low: i32, high: i32, at: i32, end: i32) -> i32 {
    let missing = end - at;
    high - (high - low) * missing * missing / (end * end)
}

const fn placement(weights: &Weights, piece: Piece, square: Square) -> Pair {
    let Placement { value, file, rank, advance } = weights.placement[piece.index()];
    let forward = square.rank().index() as i32;
    let file_center = centrality(square.file().index() as i32);
    let mut sum = value
        .plus(file.times(file_center))
        .plus(rank.times(centrality(forward)))
        .plus(advance.times(2 * forward - 7));
    if matches!(piece, Piece::Pawn) {
        let steps = if forward > 4 { 3 } else { forward - 1 };
        sum = sum.plus(weights.pawn_center.times(file_center * steps));
    }
    sum
}

/// -3 at the edge to 3 in the middle, of a file or rank from 0 to 7.
const fn centrality(line: i32) -> i32 {
    let edge = if line < 4 { line } else { 7 - line };
    2 * edge - 3
}
