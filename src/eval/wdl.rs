//! What a score means: the chances to win, draw and lose that go with it.
//!
//! The chance to win is a logistic curve over the score: 50 % at the score `a`, steeper with a
//! smaller `b`. Both depend on the material on the board, for an advantage is worth more when
//! little is left. The chance to lose is the same curve for the other side, and the rest are
//! draws. See chessprogramming.org, "Pawn Advantage, Win Percentage, and Elo".
//!
//! Scores are shown so that 100 centipawns mean a 50 % chance to win; inside the engine they
//! stay as the evaluation makes them.

#![forbid(unsafe_code)]

use crate::board::Position;
use crate::types::{Piece, Score, is_decisive};

/// The model in use.
///
/// Fitted with `longan wdl-fit` to the engine's own games; `training/README.md` says which, and
/// how well it fits. To be fitted again whenever the evaluation changes.
pub const MODEL: Model = Model { a: [274.3, -160.0], b: [57.2, 283.7] };

/// The curves: each parameter at no material, in centipawns, and what it grows by to
/// [`FULL_MATERIAL`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model {
    /// The score with a 50 % chance to win.
    pub a: [f64; 2],
    /// The width of the curve.
    pub b: [f64; 2],
}

/// The chances of the side to move, adding up to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chances {
    /// To win.
    pub win: f64,
    /// To draw.
    pub draw: f64,
    /// To lose.
    pub loss: f64,
}

/// The material of the start position, both sides together, as [`material`] counts.
pub const FULL_MATERIAL: u32 = 78;
/// The largest evaluation that is shown, in centipawns: less than a tablebase win is shown as.
pub const SHOWN_LIMIT: Score = 19_000;
/// The narrowest curve, in centipawns; a fit does not come near.
const LEAST: f64 = 5.0;

/// The men of both sides: 1 for a pawn, 3 for a minor piece, 5 for a rook, 9 for a queen.
pub fn material(position: &Position) -> u32 {
    let values =
        [(Piece::Pawn, 1), (Piece::Knight, 3), (Piece::Bishop, 3), (Piece::Rook, 5), (Piece::Queen, 9)];
    values.into_iter().map(|(piece, value)| value * position.piece(piece).count()).sum()
}

impl Model {
    fn parameters(&self, material: u32) -> (f64, f64) {
        let share = f64::from(material) / f64::from(FULL_MATERIAL);
        let at = |[base, growth]: [f64; 2]| (base + growth * share).max(LEAST);
        (at(self.a), at(self.b))
    }

    /// The chances that go with a score, in internal centipawns, and the material.
    pub fn chances(&self, score: Score, material: u32) -> Chances {
        let (a, b) = self.parameters(material);
        let curve = |score: f64| 1.0 / (1.0 + ((a - score) / b).exp());
        let (win, loss) = match score {
            score if is_decisive(score) => (f64::from(score > 0), f64::from(score < 0)),
            score => (curve(score.into()), curve((-score).into())),
        };
        // A curve much wider than the score of even chances would leave less than nothing.
        let excess = (win + loss).max(1.0);
        let (win, loss) = (win / excess, loss / excess);
        Chances { win, draw: (1.0 - win - loss).max(0.0), loss }
    }

    /// A score as it is shown: 100 for a 50 % chance to win, at most [`SHOWN_LIMIT`]. Decisive scores
    /// stay.
    pub fn shown(&self, score: Score, material: u32) -> Score {
        if is_decisive(score) {
            return score;
        }
        let shown = (f64::from(score) * 100.0 / self.parameters(material).0).round() as Score;
        shown.clamp(-SHOWN_LIMIT, SHOWN_LIMIT)
    }
}

impl Chances {
    /// In per mille, adding up to 1000.
    pub fn per_mille(self) -> [u32; 3] {
        let [win, loss] = [self.win, self.loss].map(|chance| (1000.0 * chance).round() as u32);
        let loss = loss.min(1000 - win);
        [win, 1000 - win - loss, loss]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{MAX_EVAL, TB_WIN, mate_in};

    #[test]
    fn a_hundred_shown_centipawns_are_half_a_win() {
        for material in [0, 17, 40, FULL_MATERIAL] {
            let score = MODEL.parameters(material).0.round() as Score;
            assert!((99..=101).contains(&MODEL.shown(score, material)), "{material}");
            let win = MODEL.chances(score, material).per_mille()[0];
            assert!((495..=505).contains(&win), "{material}: {win}");
        }
    }

    #[test]
    fn chances_are_symmetric_and_sum_to_one() {
        for score in [-MAX_EVAL, -500, -3, 0, 60, 1_000, MAX_EVAL, TB_WIN, mate_in(3)] {
            let chances = MODEL.chances(score, 50);
            let mirrored = MODEL.chances(-score, 50);
            assert_eq!((chances.win, chances.loss), (mirrored.loss, mirrored.win));
            assert_eq!(chances.per_mille().iter().sum::<u32>(), 1000, "{score}");
            assert!(chances.draw >= 0.0);
        }
    }

    #[test]
    fn what_is_decided_is_certain_and_keeps_its_score() {
        assert_eq!(MODEL.chances(mate_in(9), 20).per_mille(), [1000, 0, 0]);
        assert_eq!(MODEL.chances(-TB_WIN, 20).per_mille(), [0, 0, 1000]);
        assert_eq!(MODEL.shown(mate_in(9), 20), mate_in(9));
        // Evaluations never look like more than they are, even with all men turned into queens.
        assert_eq!(MODEL.shown(-MAX_EVAL, 300), -SHOWN_LIMIT);
    }

    #[test]
    fn material_counts_all_men() {
        assert_eq!(material(&Position::startpos()), FULL_MATERIAL);
    }
}
