//! Why a position is worth what it is: each man's share, found by taking it off the board.

#![forbid(unsafe_code)]

use std::fmt;

use super::wdl::{MODEL, material};
use super::{EvalSource, Evaluator, damped};
use crate::board::Position;
use crate::types::{CastlingRights, Color, File, Piece, Rank, Score, Square};

/// The evaluation of a position and how it comes about. All scores are centipawns from White's
/// view, without any search.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// What stands on each square.
    men: [Option<(Color, Piece)>; 64],
    /// By how much the raw score would be lower without the man; `None` for kings and on empty
    /// squares.
    pub worth: [Option<Score>; 64],
    /// The score of the network alone.
    pub raw: Score,
    /// The score the search uses: known endgames and the fifty-move clock are counted in.
    pub scaled: Score,
    /// The men on the board, as the model of winning chances counts them.
    material: u32,
    /// Where the scores come from, such as `network of 64 units`.
    pub source: String,
}

/// Evaluates `position` and shares the score out among its men.
pub fn explain(position: &Position, source: &EvalSource) -> Explanation {
    let mut evaluator = Evaluator::new(source.clone());
    let stm = position.side_to_move();
    let mut white_view = |position: &Position, score: fn(&mut Evaluator, &Position) -> Score| {
        evaluator.refresh(position);
        let score = score(&mut evaluator, position);
        if stm == Color::White { score } else { -score }
    };
    let raw = white_view(position, Evaluator::raw);
    let scaled = white_view(position, |evaluator, position| damped(evaluator.evaluate(position), position));
    let men = Square::ALL.map(|square| position.color_at(square).zip(position.piece_at(square)));
    let worth = Square::ALL.map(|square| {
        let (_, piece) = men[square.index()]?;
        if piece == Piece::King {
            return None;
        }
        let mut others = men;
        others[square.index()] = None;
        Some(raw - white_view(&without_rights(&others, stm), Evaluator::raw))
    });
    let source = match source {
        EvalSource::Network(network) => format!("network of {} units", network.hidden()),
        EvalSource::Function(_) => "a function".to_owned(),
    };
    Explanation { men, worth, raw, scaled, material: material(position), source }
}

/// No evaluation looks at castling rights, en passant captures or, before scaling, the clocks.
fn without_rights(men: &[Option<(Color, Piece)>; 64], side: Color) -> Position {
    Position::from_parts(men, side, CastlingRights::default(), None, 0, 1, false)
}

impl fmt::Display for Explanation {
    /// The board, White's men in capitals, each man above its worth in pawns; then the scores.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let border = format!("  +{}", "-------+".repeat(8));
        for rank in Rank::ALL.into_iter().rev() {
            writeln!(f, "{border}")?;
            write!(f, "{} |", rank.index() + 1)?;
            for file in File::ALL {
                let letter = match self.men[Square::new(file, rank).index()] {
                    Some((Color::White, piece)) => piece.letter().to_ascii_uppercase(),
                    Some((Color::Black, piece)) => piece.letter(),
                    None => ' ',
                };
                write!(f, "   {letter}   |")?;
            }
            write!(f, "\n  |")?;
            for file in File::ALL {
                match self.worth[Square::new(file, rank).index()] {
                    Some(worth) => write!(f, "{:^7}|", Pawns(worth).to_string())?,
                    None => write!(f, "       |")?,
                }
            }
            writeln!(f)?;
        }
        writeln!(f, "{border}\n      {}\n", File::ALL.map(|file| file.letter().to_string()).join("       "))?;
        writeln!(f, "Source:       {}", self.source)?;
        writeln!(f, "Raw score:    {} (White's view, in pawns)", Pawns(self.raw))?;
        writeln!(f, "Scaled score: {}", Pawns(self.scaled))?;
        write!(
            f,
            "As shown:     {} (1.00 is a 50 % chance to win)",
            Pawns(MODEL.shown(self.scaled, self.material))
        )
    }
}

/// Writes centipawns as signed pawns: `+0.35`.
struct Pawns(Score);

impl fmt::Display for Pawns {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let sign = if self.0 < 0 { '-' } else { '+' };
        write!(f, "{sign}{}.{:02}", self.0.abs() / 100, self.0.abs() % 100)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::board::Board;
    use crate::eval::testing::random_network;

    fn explained(fen: &str, source: &EvalSource) -> Explanation {
        explain(Board::from_fen(fen).expect(fen).position(), source)
    }

    #[test]
    fn the_worth_of_a_man_is_the_difference_it_makes() {
        let network = Arc::new(random_network(32, 1, 8));
        let whole = Board::from_fen("4k3/8/8/3n4/8/8/4P3/4K3 b - - 40 80").unwrap();
        let without = Board::from_fen("4k3/8/8/8/8/8/4P3/4K3 b - - 0 1").unwrap();
        let difference =
            -network.evaluate_reference(whole.position()) + network.evaluate_reference(without.position());
        let explanation = explain(whole.position(), &EvalSource::Network(network.clone()));
        assert_eq!(explanation.worth[Square::D5.index()], Some(difference));
        assert_eq!(explanation.raw, -network.evaluate_reference(whole.position()));
        let shown = Square::ALL.into_iter().filter(|square| explanation.worth[square.index()].is_some());
        assert_eq!(shown.collect::<Vec<_>>(), [Square::E2, Square::D5], "no kings, no empty squares");
    }

    #[test]
    fn scores_are_from_whites_view() {
        for side in ["w", "b"] {
            let fen = format!("rnbqkbnr/pppppppp/8/8/8/8/PPP1PPPP/RNBQKBNR {side} KQkq - 0 1");
            let explanation = explained(&fen, &EvalSource::default());
            assert!(explanation.raw < 0 && explanation.scaled < 0, "White lacks a pawn");
            assert!(explanation.worth[Square::D1.index()].is_some_and(|worth| worth > 700));
            assert!(explanation.worth[Square::D8.index()].is_some_and(|worth| worth < -700));
        }
    }

    #[test]
    fn the_clock_scales_but_does_not_change_the_raw_score() {
        let [fresh, stale] = ["0 1", "50 80"].map(|clocks| {
            explained(&format!("4k3/pppp4/8/8/8/8/PPPPPP2/4K3 w - - {clocks}"), &EvalSource::default())
        });
        assert_eq!(fresh.raw, stale.raw);
        assert_eq!(fresh.scaled, fresh.raw);
        assert_eq!(stale.scaled, stale.raw * 150 / 200);
    }

    /// Ten pawns for each queen of the side to move, and nothing else.
    fn queens(position: &Position) -> Score {
        1_000 * position.pieces(position.side_to_move(), Piece::Queen).count() as Score
    }

    #[test]
    fn the_text_shows_the_board() {
        let explanation = Explanation {
            raw: -5,
            scaled: 1234,
            ..explained("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1", &EvalSource::Function(queens))
        };
        let text = explanation.to_string();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[1], "8 |       |       |       |       |   k   |       |       |       |");
        assert_eq!(lines[22], "1 |   Q   |       |       |       |   K   |       |       |       |");
        assert!(lines[23].starts_with("  |+10.00 |"), "{}", lines[23]);
        assert_eq!(lines[25], "      a       b       c       d       e       f       g       h");
        assert_eq!(
            lines[27..30],
            [
                "Source:       a function",
                "Raw score:    -0.05 (White's view, in pawns)",
                "Scaled score: +12.34",
            ]
        );
        assert!(lines[30].starts_with("As shown:     +") && lines.len() == 31, "{}", lines[30]);
    }
}
