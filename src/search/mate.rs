//! Mate search: proves or refutes "mate in at most N moves", for `go mate N`.
//!
//! A normal search prunes by guesses and so overlooks quiet keys of deep mates. This one guesses
//! nothing: it is a proof-number search of the AND/OR tree, depth first with thresholds (A. Nagai,
//! "Df-pn algorithm for searching AND/OR trees and its applications", 2002; proof numbers are
//! L. V. Allis's, 1994). The proof number of a position is the least number of leaves that must
//! still be won to prove the mate, the disproof number the same for its refutation; the leaf that
//! serves both is always expanded next. Every number of moves is tried, from one on, so that the
//! first proof is of the shortest mate.
//!
//! Repetitions need no care, since no shortest mate repeats a position. The fifty-move rule is
//! kept.

#![forbid(unsafe_code)]

use crate::board::Position;
use crate::types::{Key, Move};

/// As a proof number: disproved; as a disproof number: proved.
const INFINITE: u32 = u32::MAX / 2;

/// Positions the table holds; a power of two.
const SLOTS: usize = 1 << 20;

/// Proof and disproof number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Numbers {
    proof: u32,
    disproof: u32,
}

impl Numbers {
    const PROVED: Self = Self { proof: 0, disproof: INFINITE };
    const REFUTED: Self = Self { proof: INFINITE, disproof: 0 };

    fn is_decided(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }
}

/// A position after a move, with what is known of it.
struct Child {
    position: Position,
    mv: Move,
    key: Key,
    numbers: Numbers,
}

/// Looks for mates until `tick`, which is called for each position, says that it must stop.
pub(super) struct MateSearch<F: FnMut() -> bool> {
    /// Key of position and moves left, with its numbers. New entries replace old ones.
    table: Vec<(Key, Numbers)>,
    tick: F,
    stopped: bool,
}

impl<F: FnMut() -> bool> MateSearch<F> {
    pub fn new(tick: F) -> Self {
        Self { table: vec![(0, Numbers::REFUTED); SLOTS], tick, stopped: false }
    }

    /// The shortest mate the side to move can force within `most` moves, as a line of play with
    /// the longest defence, beginning with one of `first`. `None` if there is none, or if it had
    /// to stop.
    pub fn solve(&mut self, position: &Position, most: u32, first: &[Move]) -> Option<Vec<Move>> {
        let (moves, key) = self.shortest(position, most, first)?;
        let mut line = vec![key];
        if moves > 1 {
            let mut after = *position;
            after.play(key);
            line.extend(self.longest_defence(&after, moves - 1, &after.legal_moves())?);
        }
        Some(line)
    }

    /// The longest defence of a side to move that is mated in at most `most` moves, beginning with
    /// one of `first`, and the mate. `None` if one of these moves escapes, or if it had to stop.
    pub fn longest_defence(&mut self, position: &Position, most: u32, first: &[Move]) -> Option<Vec<Move>> {
        let (mut position, mut answers) = (*position, first.to_vec());
        let (mut line, mut moves) = (Vec::new(), most);
        while moves > 0 {
            // The answer after which the mate takes most moves.
            let mut longest: Option<(u32, Move, Move)> = None;
            for answer in answers {
                let mut after = position;
                after.play(answer);
                let (rest, key) = self.shortest(&after, moves, &after.legal_moves())?;
                if longest.is_none_or(|(most, ..)| rest > most) {
                    longest = Some((rest, answer, key));
                }
            }
            let (rest, answer, key) = longest?;
            line.extend([answer, key]);
            position.play(answer);
            position.play(key);
            answers = position.legal_moves().to_vec();
            moves = rest - 1;
        }
        Some(line)
    }

    /// Whether it had to stop before an answer was found.
    pub fn was_stopped(&self) -> bool {
        self.stopped
    }

    /// The moves that the shortest mate takes, at most `most`, and its first move.
    fn shortest(&mut self, position: &Position, most: u32, first: &[Move]) -> Option<(u32, Move)> {
        for moves in 1..=most {
            let mut children = self.children(position, first, true, moves);
            // No thresholds: the root is searched until it is decided.
            self.search(&mut children, true, moves, INFINITE, INFINITE);
            if self.stopped {
                return None;
            }
            if let Some(child) = children.iter().find(|child| child.numbers.proof == 0) {
                return Some((moves, child.mv));
            }
        }
        None
    }

    /// Expands a node whose children are given, until one of its numbers reaches its limit.
    fn search(
        &mut self,
        children: &mut [Child],
        attacking: bool,
        moves: u32,
        proof_limit: u32,
        disproof_limit: u32,
    ) -> Numbers {
        loop {
            let numbers = combine(children, attacking);
            if numbers.is_decided()
                || numbers.proof >= proof_limit
                || numbers.disproof >= disproof_limit
                || self.stopped
            {
                return numbers;
            }
            // The attacker's most promising move is the one with the least proof number, the
            // defender's the one with the least disproof number.
            let worth = |child: &Child| own(child.numbers, attacking);
            let Some(best) = (0..children.len()).min_by_key(|&i| worth(&children[i])) else {
                return numbers;
            };
            let second = (0..children.len()).filter(|&i| i != best).map(|i| worth(&children[i])).min();
            // Go on with it until the second best is better, with a margin against to and fro.
            let second = second.unwrap_or(INFINITE);
            let switch = second.saturating_add(second / 4 + 1).min(INFINITE);
            let child = children[best].numbers;
            let (proof, disproof) = match attacking {
                true => (proof_limit.min(switch), rest(disproof_limit, numbers.disproof, child.disproof)),
                false => (rest(proof_limit, numbers.proof, child.proof), disproof_limit.min(switch)),
            };
            let left = if attacking { moves } else { moves - 1 };
            let (position, key) = (children[best].position, children[best].key);
            let all = position.legal_moves();
            let mut grandchildren = self.children(&position, &all, !attacking, left);
            let found = self.search(&mut grandchildren, !attacking, left, proof, disproof);
            if self.stopped {
                return numbers;
            }
            children[best].numbers = found;
            self.table[key as usize % SLOTS] = (key, found);
        }
    }

    /// The positions after the given moves; `moves` includes the attacker's present one.
    fn children(&mut self, position: &Position, list: &[Move], attacking: bool, moves: u32) -> Vec<Child> {
        let mut children = Vec::with_capacity(list.len());
        for &mv in list {
            // Only a check mates at once.
            if attacking && moves == 1 && !position.gives_check(mv) {
                continue;
            }
            if self.stopped || (self.tick)() {
                self.stopped = true;
                return children;
            }
            let mut after = *position;
            after.play(mv);
            let left = if attacking { moves } else { moves - 1 };
            // The sides to move differ, so that the two kinds of nodes never share a key.
            let key = after.key() ^ u64::from(left).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let (known, numbers) = self.table[key as usize % SLOTS];
            let numbers = match known == key {
                true => numbers,
                false => leaf(&after, attacking, left),
            };
            children.push(Child { position: after, mv, key, numbers });
        }
        children
    }
}

/// The numbers of a position that was not expanded yet, after a move of the attacker or of the
/// defender. When the attacker's last move leaves an answer, it has failed.
fn leaf(position: &Position, after_attack: bool, moves: u32) -> Numbers {
    if !after_attack {
        return Numbers { proof: 1, disproof: 1 };
    }
    let answers = position.count_legal() as u32;
    match (answers, position.in_check()) {
        (0, true) => Numbers::PROVED,
        (0, false) => Numbers::REFUTED,
        _ if moves == 1 || position.halfmove_clock() >= 100 => Numbers::REFUTED,
        // Few answers are the surest sign of a mate near by, a check the next.
        (_, true) => Numbers { proof: answers, disproof: 1 },
        (_, false) => Numbers { proof: answers + 2, disproof: 1 },
    }
}

/// The number that the side to move at the parent wants to be small.
fn own(numbers: Numbers, attacking: bool) -> u32 {
    if attacking { numbers.proof } else { numbers.disproof }
}

/// The numbers of a node from those of its children: the side to move needs one success, the other
/// side must answer all. Without children the attacker has failed.
fn combine(children: &[Child], attacking: bool) -> Numbers {
    let sum = |number: fn(&Child) -> u32| {
        children.iter().fold(0_u32, |sum, child| sum.saturating_add(number(child))).min(INFINITE)
    };
    let least = |number: fn(&Child) -> u32| children.iter().map(number).min().unwrap_or(INFINITE);
    match attacking {
        true => Numbers {
            proof: least(|child| child.numbers.proof),
            disproof: sum(|child| child.numbers.disproof),
        },
        false => Numbers {
            proof: sum(|child| child.numbers.proof),
            disproof: least(|child| child.numbers.disproof),
        },
    }
}

/// The share of a limit on a sum that is left to one child.
fn rest(limit: u32, sum: u32, child: u32) -> u32 {
    (limit - limit.min(sum)).saturating_add(child).min(INFINITE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    fn solve(fen: &str, most: u32) -> Option<Vec<String>> {
        let mut board = Board::from_fen(fen).unwrap();
        let mut search = MateSearch::new(|| false);
        let line = search.solve(board.position(), most, &board.legal_moves())?;
        let line = line.into_iter().map(|mv| {
            let san = board.san(mv);
            board.make(mv);
            san
        });
        Some(line.collect())
    }

    /// Problems whose keys and lengths were verified by exhaustive search with another program.
    #[test]
    fn quiet_keys_are_found() {
        for (fen, moves, keys) in [
            // P. Morphy, New York Clipper 1856.
            ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2, &["Ra6"][..]),
            ("6bn/5Ppk/6pp/8/8/8/8/K7 w - - 0 1", 1, &["f8=N#"]),
            ("k1B5/2p5/NbN5/8/P2p4/P2p4/P1prp3/2RbK3 w - - 0 1", 3, &["a5"]),
            ("7N/8/8/p5pp/p2B2kr/P5Np/4P2K/8 w - - 0 1", 4, &["Nf7", "Bg1"]),
            ("6R1/8/8/4N3/2p4k/2P5/6P1/1K6 w - - 0 1", 5, &["Nd7"]),
        ] {
            let line = solve(fen, moves).expect(fen);
            assert_eq!(line.len() as u32, 2 * moves - 1, "{fen}: {line:?}");
            assert!(line.last().is_some_and(|mv| mv.ends_with('#')), "{line:?}");
            assert!(keys.contains(&line[0].as_str()), "{line:?}");
            assert_eq!(solve(fen, moves - 1), None, "{fen}: the mate is no shorter");
        }
    }

    #[test]
    fn the_defence_lasts_as_long_as_it_can() {
        let line = solve("7k/8/8/8/8/8/R7/1R4K1 w - - 0 1", 5).unwrap();
        assert_eq!(line.len(), 3, "{line:?}");
    }

    /// Verified by exhaustive search with another program.
    #[test]
    fn the_length_of_a_lost_game_is_found() {
        for (fen, moves) in [
            ("7k/R7/8/8/8/8/8/1R4K1 b - - 0 1", 1),
            ("B2B4/8/p4N2/1pP5/1k1N1p2/1P2b3/K1n1P3/8 b - - 0 1", 3),
            ("8/5Q2/3p1ppr/r2p1kN1/b2R3p/1p6/1n2Bp2/1K2b3 b - - 0 1", 4),
        ] {
            let board = Board::from_fen(fen).unwrap();
            let defence = |most| {
                MateSearch::new(|| false).longest_defence(board.position(), most, &board.legal_moves())
            };
            assert_eq!(defence(moves + 1).map(|line| line.len()), Some(2 * moves as usize), "{fen}");
            assert_eq!(defence(moves - 1).filter(|line| !line.is_empty()), None, "{fen}");
        }
    }

    #[test]
    fn only_the_wanted_first_moves_count() {
        let board = Board::from_fen("7k/R7/8/8/8/8/8/1R4K1 w - - 0 1").unwrap();
        let mut search = MateSearch::new(|| false);
        let wanted = [board.parse_san("Kg2").unwrap()];
        assert_eq!(search.solve(board.position(), 1, &wanted), None);
        assert_eq!(search.solve(board.position(), 2, &wanted).unwrap()[0], wanted[0]);
    }

    #[test]
    fn the_fifty_move_rule_saves_the_defender() {
        assert!(solve("7k/8/8/8/8/8/R7/1R4K1 w - - 96 90", 2).is_some());
        assert_eq!(solve("7k/8/8/8/8/8/R7/1R4K1 w - - 99 90", 2), None);
        assert!(solve("7k/R7/8/8/8/8/8/1R4K1 w - - 99 90", 1).is_some(), "mate comes before the rule");
    }

    #[test]
    fn a_stop_ends_it_without_an_answer() {
        let board = Board::startpos();
        let mut left = 1_000;
        let mut search = MateSearch::new(|| {
            left -= 1;
            left == 0
        });
        assert_eq!(search.solve(board.position(), 9, &board.legal_moves()), None);
        assert!(search.was_stopped());
    }
}
