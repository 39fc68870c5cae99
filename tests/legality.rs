//! What the board says about single moves agrees with the generator, whose counts the perft
//! suites prove.

mod common;

use std::collections::HashSet;

use common::{board, suite};
use longan::board::Position;
use longan::types::{Move, MoveList};

const STANDARD: &str = include_str!("../perft-suites/standard.epd");
const CHESS960: &str = include_str!("../perft-suites/chess960.epd");
const TRICKY: &str = include_str!("../perft-suites/tricky.epd");

fn positions(text: &str) -> Vec<Position> {
    suite(text).map(|fen| *board(fen).position()).collect()
}

fn children(position: &Position) -> Vec<Position> {
    let play = |mv| {
        let mut child = *position;
        child.play(mv);
        child
    };
    position.legal_moves().into_iter().map(play).collect()
}

/// All positions of the suites, and those one move further in the suite of special cases.
fn all_positions() -> Vec<Position> {
    let mut all = positions(STANDARD);
    all.extend(positions(CHESS960));
    let tricky = positions(TRICKY);
    all.extend(tricky.iter().flat_map(children));
    all.extend(tricky);
    all
}

#[test]
fn of_all_encodings_exactly_the_generated_moves_are_legal() {
    let encodings: Vec<Move> = (0..=u16::MAX).filter_map(Move::from_bits).collect();
    assert_eq!(encodings.len(), 65_535);
    for position in all_positions() {
        let generated: HashSet<Move> = position.legal_moves().into_iter().collect();
        let legal: HashSet<Move> = encodings.iter().copied().filter(|&mv| position.is_legal(mv)).collect();
        assert_eq!(legal, generated, "{}", position.shredder_fen());
    }
}

#[test]
fn noisy_and_quiet_moves_are_the_legal_moves() {
    for position in all_positions() {
        let fen = position.shredder_fen();
        let legal = position.legal_moves();
        let (mut noisy, mut quiet) = (MoveList::new(), MoveList::new());
        position.noisy_moves(&mut noisy);
        position.quiet_moves(&mut quiet);
        assert!(noisy.iter().all(|&mv| position.is_noisy(mv)), "{fen}");
        assert!(!quiet.iter().any(|&mv| position.is_noisy(mv)), "{fen}");

        assert_eq!(noisy.len() + quiet.len(), legal.len(), "{fen}");
        let classes: HashSet<Move> = noisy.into_iter().chain(quiet).collect();
        assert_eq!(classes, legal.iter().copied().collect(), "{fen}");
        assert_eq!(classes.len(), legal.len(), "no move comes twice: {fen}");
    }
}

#[test]
fn moves_are_counted_without_a_list() {
    for position in all_positions() {
        let moves = position.legal_moves().len();
        assert_eq!(position.count_legal(), moves as u64, "{}", position.shredder_fen());
        assert_eq!(position.has_legal_move(), moves > 0, "{}", position.shredder_fen());
    }
}

#[test]
fn moves_that_give_check_leave_the_opponent_in_check() {
    let mut checks = 0;
    for position in all_positions() {
        for mv in position.legal_moves() {
            let mut child = position;
            child.play(mv);
            assert_eq!(position.gives_check(mv), child.in_check(), "{mv:?} in {}", position.shredder_fen());
            checks += u32::from(child.in_check());
        }
    }
    assert!(checks > 1000, "only {checks} checks were seen");
}

#[test]
fn captures_are_what_the_opponent_loses() {
    for position in all_positions() {
        for mv in position.legal_moves() {
            let mut child = position;
            child.play(mv);
            let them = !position.side_to_move();
            let lost = position.color(them).count() - child.color(them).count();
            assert_eq!(u32::from(position.is_capture(mv)), lost, "{mv:?} in {}", position.shredder_fen());
            if let Some(victim) = position.captured(mv) {
                let left = child.pieces(them, victim).count() + 1;
                assert_eq!(
                    position.pieces(them, victim).count(),
                    left,
                    "{mv:?} in {}",
                    position.shredder_fen()
                );
            }
        }
    }
}
