//! When a game ends and who has won it.
//!
//! The rules come first; [`Board::outcome`] knows them. Beyond that a game ends as soon as its
//! scores leave no doubt, which saves the moves that nothing is learnt from.

use crate::board::{Board, Outcome};
use crate::types::{Color, Score, is_decisive};

use super::filter::game_ply;
use super::viriformat::GameResult;

/// A side has won after [`WIN_PLIES`] scores in a row of this size, in centipawns.
const WIN_SCORE: Score = 1_200;
/// Plies, of both sides.
const WIN_PLIES: u32 = 4;
/// The game is drawn after [`DRAW_PLIES`] scores in a row of this size at most, in centipawns.
const DRAW_SCORE: Score = 5;
/// Plies, of both sides.
const DRAW_PLIES: u32 = 12;
/// No draw by score before this ply of the game: equal openings have small scores too.
const DRAW_MIN_PLY: u32 = 60;
/// The game is drawn at this ply.
const MAX_PLY: u32 = 400;

/// What ended a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Ending {
    Checkmate,
    Stalemate,
    DeadPosition,
    Repetition,
    FiftyMoves,
    /// The search saw a forced mate.
    MateScore,
    /// The score stayed at `WIN_SCORE`.
    WinScore,
    /// The score stayed level.
    DrawScore,
    /// The game got too long.
    TooLong,
}

impl Ending {
    /// All, in the order of their discriminants.
    pub const ALL: [Self; 9] = [
        Self::Checkmate,
        Self::Stalemate,
        Self::DeadPosition,
        Self::Repetition,
        Self::FiftyMoves,
        Self::MateScore,
        Self::WinScore,
        Self::DrawScore,
        Self::TooLong,
    ];
}

/// Follows one game.
#[derive(Clone, Debug, Default)]
pub struct Referee {
    /// How many scores in a row were won for a side.
    won: u32,
    /// The side of the last score that was won.
    winner: Option<Color>,
    /// How many scores in a row were level.
    level: u32,
}

impl Referee {
    /// Judges the game after a move: the board with that move made, and the score, from White's
    /// view, of the position it was played in.
    pub fn judge(&mut self, board: &Board, score: Score) -> Option<(GameResult, Ending)> {
        let by_score = self.judge_score(score, game_ply(board));
        board.outcome().map(by_rule).or(by_score)
    }

    fn judge_score(&mut self, score: Score, ply: u32) -> Option<(GameResult, Ending)> {
        let ahead = if score > 0 { Color::White } else { Color::Black };
        let winner = (score.abs() >= WIN_SCORE).then_some(ahead);
        self.won = match winner {
            None => 0,
            _ if winner == self.winner => self.won + 1,
            _ => 1,
        };
        self.winner = winner;
        self.level = if score.abs() <= DRAW_SCORE { self.level + 1 } else { 0 };

        if is_decisive(score) {
            Some((GameResult::win(ahead), Ending::MateScore))
        } else if self.won >= WIN_PLIES {
            Some((GameResult::win(ahead), Ending::WinScore))
        } else if self.level >= DRAW_PLIES && ply >= DRAW_MIN_PLY {
            Some((GameResult::Draw, Ending::DrawScore))
        } else if ply >= MAX_PLY {
            Some((GameResult::Draw, Ending::TooLong))
        } else {
            None
        }
    }
}

fn by_rule(outcome: Outcome) -> (GameResult, Ending) {
    match outcome {
        Outcome::Checkmate { winner } => (GameResult::win(winner), Ending::Checkmate),
        Outcome::Stalemate => (GameResult::Draw, Ending::Stalemate),
        Outcome::DeadPosition => (GameResult::Draw, Ending::DeadPosition),
        Outcome::ThreefoldRepetition | Outcome::FivefoldRepetition => (GameResult::Draw, Ending::Repetition),
        Outcome::FiftyMoves | Outcome::SeventyFiveMoves => (GameResult::Draw, Ending::FiftyMoves),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{MATE, mate_in};

    /// The verdict after the last of the scores, which follow each other from a ply on.
    fn verdict(first_ply: u32, scores: &[Score]) -> Option<(GameResult, Ending)> {
        let mut referee = Referee::default();
        let (last, before) = scores.split_last().unwrap();
        for (ply, &score) in (first_ply..).zip(before) {
            assert_eq!(referee.judge_score(score, ply), None, "at ply {ply}");
        }
        referee.judge_score(*last, first_ply + before.len() as u32)
    }

    #[test]
    fn four_winning_scores_of_one_side_in_a_row_win() {
        let black_won = Some((GameResult::BlackWon, Ending::WinScore));
        assert_eq!(verdict(20, &[-1200, -1500, -1200, -1300]), black_won);
        assert_eq!(verdict(20, &[-1200, -1500, -1200, -1199]), None);
        assert_eq!(verdict(20, &[-1200, -1500, -1200, -1199, -1200]), None);
        assert_eq!(verdict(20, &[1200, -1200, -1200, -1200]), None);
        assert_eq!(verdict(20, &[1200, -1200, -1200, -1200, -1200]), black_won);
    }

    #[test]
    fn twelve_level_scores_draw_once_the_game_is_long() {
        let drawn = Some((GameResult::Draw, Ending::DrawScore));
        assert_eq!(verdict(49, &[5, -5, 0, 1, 2, 3, -3, -2, -1, 0, 0, 5]), drawn);
        assert_eq!(verdict(48, &[0; 12]), None);
        assert_eq!(verdict(48, &[0; 13]), drawn);
        assert_eq!(verdict(80, &[0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0]), None);
    }

    #[test]
    fn a_mate_score_ends_the_game_at_once() {
        assert_eq!(verdict(9, &[mate_in(7)]), Some((GameResult::WhiteWon, Ending::MateScore)));
        assert_eq!(verdict(9, &[4 - MATE]), Some((GameResult::BlackWon, Ending::MateScore)));
    }

    #[test]
    fn long_games_are_drawn() {
        assert_eq!(verdict(399, &[300, 300]), Some((GameResult::Draw, Ending::TooLong)));
    }

    #[test]
    fn the_rules_go_before_the_scores() {
        let mut board = Board::startpos();
        for mv in ["f2f3", "e7e5", "g2g4", "d8h4"] {
            let mv = board.parse_uci(mv).unwrap();
            board.make(mv);
        }
        let verdict = Referee::default().judge(&board, -mate_in(1));
        assert_eq!(verdict, Some((GameResult::BlackWon, Ending::Checkmate)));
    }
}
