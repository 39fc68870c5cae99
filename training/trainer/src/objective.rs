//! What the network is to learn: a mix of the search's score and the game's result.

use crate::model::sigmoid;
use crate::record::Record;

/// The loss of a position is the square of the distance between the network's expected result,
/// `sigmoid(output)`, and [`Objective::target`]. One unit of output is `k` centipawns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Objective {
    /// The share of the game's result in the target, 0 to 1; the rest is the score.
    pub lambda: f32,
    /// Centipawns at which a side's odds are e to 1.
    pub k: f32,
}

impl Objective {
    /// The expected result, 0 to 1, that the network should predict.
    pub fn target(&self, record: &Record) -> f32 {
        let by_score = sigmoid(f32::from(record.score()) / self.k);
        self.lambda * record.points() + (1.0 - self.lambda) * by_score
    }
}

/// The K whose `sigmoid(score / K)` predicts the results of these positions best, by least
/// squares; within 10 to 2,000 centipawns.
pub fn fit_k<'a>(records: impl IntoIterator<Item = &'a Record>) -> f32 {
    // Positions of equal score share a term, so the search does not depend on their number.
    let mut by_score = std::collections::BTreeMap::<i16, (f64, f64)>::new();
    for record in records {
        let (count, points) = by_score.entry(record.score()).or_default();
        *count += 1.0;
        *points += f64::from(record.points());
    }
    // Up to a constant, the squared error of `guess` is count * guess^2 - 2 * points * guess.
    let error = |k: f64| -> f64 {
        by_score
            .iter()
            .map(|(&score, (count, points))| {
                let guess = 1.0 / (1.0 + (-f64::from(score) / k).exp());
                guess * (count * guess - 2.0 * points)
            })
            .sum()
    };
    let (mut low, mut high) = (10.0, 2_000.0);
    while high - low > 0.1 {
        let third = (high - low) / 3.0;
        if error(low + third) < error(high - third) {
            high -= third;
        } else {
            low += third;
        }
    }
    ((low + high) / 2.0) as f32
}

#[cfg(test)]
mod tests {
    use longan::board::Board;
    use longan::tools::datagen::viriformat::GameResult;

    use super::*;

    fn record(score: i16, result: GameResult) -> Record {
        Record::new(Board::startpos().position(), score, result)
    }

    #[test]
    fn the_target_mixes_score_and_result() {
        let objective = Objective { lambda: 0.25, k: 400.0 };
        // 400 * ln 3 = 439.4 centipawns are three chances in four.
        let target = objective.target(&record(439, GameResult::WhiteWon));
        assert!((target - (0.25 + 0.75 * 0.75)).abs() < 1e-3, "{target}");
        let target = objective.target(&record(-439, GameResult::Draw));
        assert!((target - (0.25 * 0.5 + 0.75 * 0.25)).abs() < 1e-3, "{target}");
    }

    #[test]
    fn k_is_found_where_results_follow_it() {
        // Of a thousand games at each score, the share sigmoid(score / 250) is won.
        let mut records = Vec::new();
        for score in (-1_000..=1_000).step_by(100) {
            let wins = (1_000.0 * sigmoid(f32::from(score) / 250.0)).round() as usize;
            records.extend(vec![record(score, GameResult::WhiteWon); wins]);
            records.extend(vec![record(score, GameResult::BlackWon); 1_000 - wins]);
        }
        let k = fit_k(&records);
        assert!((k - 250.0).abs() < 1.0, "{k}");
    }
}
