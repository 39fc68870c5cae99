//! Tests of the whole evaluation: symmetry, and that all ways to compute the network agree.

use std::sync::Arc;

use super::testing::*;
use super::*;

fn sources() -> [EvalSource; 2] {
    [EvalSource::Classical, EvalSource::Network(Arc::new(random_network(64, 11)))]
}

/// The evaluation of a position that has no past.
fn fresh(source: &EvalSource, position: &Position) -> Score {
    let mut evaluator = Evaluator::new(source.clone());
    evaluator.refresh(position);
    evaluator.evaluate(position)
}

#[test]
fn colours_and_wings_do_not_matter() {
    for source in sources() {
        random_games(Position::startpos(), 20, 3, |position| {
            let score = fresh(&source, position);
            assert!(score.abs() <= MAX_EVAL);
            assert_eq!(fresh(&source, &flip_colors(position)), score, "{position:?}");
            assert_eq!(fresh(&source, &mirror_files(position)), score, "{position:?}");
        });
    }
}
