//! The network as its definition reads, in 64-bit floats and one position at a time.
//!
//! Slow and easy to check. The fast pass is compared with it, and so are the integers of an
//! exported network.

use longan::eval::features::MAX_MEN;
use longan::eval::network::output_bucket;

use crate::model::{LANES, Model};
use crate::record::{Record, Views};

/// The sums of a hidden layer before activation, for both views.
type Hidden = [Vec<f64>; 2];

fn hidden_layer(model: &Model, views: &[&[u16]; 2]) -> Hidden {
    views.map(|inputs| {
        let unit = |unit: usize| {
            let (block, lane) = (unit / LANES, unit % LANES);
            let weight = |&input: &u16| f64::from(model.features(block)[usize::from(input)].0[lane]);
            f64::from(model.bias(block).0[lane]) + inputs.iter().map(weight).sum::<f64>()
        };
        (0..model.shape().hidden).map(unit).collect()
    })
}

fn output_of(model: &Model, bucket: usize, hidden: &Hidden) -> f64 {
    let mut output = f64::from(model.output_bias(bucket));
    for (side, sums) in hidden.iter().enumerate() {
        for (unit, sum) in sums.iter().enumerate() {
            let weight = model.output(bucket, side, unit / LANES).0[unit % LANES];
            output += f64::from(weight) * sum.clamp(0.0, 1.0).powi(2);
        }
    }
    output
}

/// The network's output for a position; its sigmoid is the expected result.
pub fn output(model: &Model, views: &Views, record: &Record) -> f64 {
    let mut inputs = [[0; MAX_MEN]; 2];
    let [own, other] = &mut inputs;
    let men = record.inputs(views, own, other);
    output_of(
        model,
        output_bucket(model.shape().buckets, men),
        &hidden_layer(model, &[&inputs[0][..men], &inputs[1][..men]]),
    )
}

#[cfg(test)]
pub use tests::{gradient, loss};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Shape;
    use crate::objective::Objective;
    use crate::rng::Rng;
    use crate::testing::random_records;

    fn sigmoid(x: f64) -> f64 {
        1.0 / (1.0 + (-x).exp())
    }

    /// The summed loss of the records.
    pub fn loss(model: &Model, records: &[Record], objective: &Objective) -> f64 {
        let views = Views::new();
        let error = |r: &Record| sigmoid(output(model, &views, r)) - f64::from(objective.target(r));
        records.iter().map(|record| error(record).powi(2)).sum()
    }

    /// The gradient of [`loss`], by the chain rule written out.
    pub fn gradient(model: &Model, records: &[Record], objective: &Objective) -> Model {
        let mut gradient = Model::zeros(model.shape());
        let views = Views::new();
        for record in records {
            let mut inputs = [[0; MAX_MEN]; 2];
            let [own, other] = &mut inputs;
            let men = record.inputs(&views, own, other);
            let hidden = hidden_layer(model, &[&inputs[0][..men], &inputs[1][..men]]);
            let bucket = output_bucket(model.shape().buckets, men);
            let guess = sigmoid(output_of(model, bucket, &hidden));
            let error = 2.0 * (guess - f64::from(objective.target(record))) * guess * (1.0 - guess);
            *gradient.output_bias_mut(bucket) += error as f32;
            for (side, sums) in hidden.iter().enumerate() {
                for (unit, &sum) in sums.iter().enumerate() {
                    let (block, lane) = (unit / LANES, unit % LANES);
                    let value = sum.clamp(0.0, 1.0);
                    gradient.output_mut(bucket, side, block).0[lane] += (error * value * value) as f32;
                    // Rounded weights often add up to just 0 or 1, where the fast pass counts the
                    // slope; here the same sum can be off by a hair.
                    if (sum - value).abs() > 1e-6 {
                        continue;
                    }
                    let weight = f64::from(model.output(bucket, side, block).0[lane]);
                    let slope = (error * weight * 2.0 * sum) as f32;
                    gradient.bias_mut(block).0[lane] += slope;
                    for &input in &inputs[side][..men] {
                        gradient.features_mut(block)[usize::from(input)].0[lane] += slope;
                    }
                }
            }
        }
        gradient
    }

    #[test]
    fn the_gradient_agrees_with_finite_differences() {
        // A power of two, so that floats take it without rounding.
        const STEP: f32 = 1.0 / 8192.0;
        let records = random_records(40, 3);
        let objective = Objective { lambda: 0.3, k: 400.0 };
        let model = Model::random(Shape { hidden: LANES, buckets: 4 }, 5);
        let gradient = gradient(&model, &records, &objective);
        let places = gradient.rows().len() * LANES;
        let mut rng = Rng::new(11);
        let mut tested = 0;
        while tested < 200 {
            // Feature weights are most of the places: every fourth probe is among the last rows.
            let from = if tested % 4 == 0 { places - 4 * LANES } else { 0 };
            let place = from + rng.below(places - from);
            let (row, lane) = (place / LANES, place % LANES);
            let slope = f64::from(gradient.rows()[row].0[lane]);
            if slope == 0.0 {
                continue;
            }
            let loss_at = |change: f32| {
                let mut model = model.clone();
                model.rows_mut()[row].0[lane] += change;
                loss(&model, &records, &objective)
            };
            let measured = (loss_at(STEP) - loss_at(-STEP)) / f64::from(2.0 * STEP);
            // A sum that leaves 0 to 1 within the step bends the loss a little.
            let tolerance = 0.02 * slope.abs().max(measured.abs()) + 2e-4;
            assert!((measured - slope).abs() < tolerance, "row {row}, {lane}: {slope} but {measured}");
            tested += 1;
        }
    }
}
