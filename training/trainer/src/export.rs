//! From the trained floats to the engine's network file.
//!
//! The engine computes in integers, and its search expects centipawns of a known size. So the
//! exporter chooses the units, scales the output so that its mean size is that of the scores it
//! was trained on, and refuses a network whose integers do not agree with the floats it was
//! trained as, that is with a rounded hidden layer (see [`weights`](crate::weights)).

use longan::eval::network::{
    MAX_OUTPUT_SUM, MAX_OUTPUT_WEIGHT, MAX_QB, Network, NetworkError, Parameters, QA,
};
use thiserror::Error;

use crate::model::{FEATURES, LANES, Model, Shape};
use crate::record::{Record, Views};
use crate::reference;

/// How far the integers may be from the floats, in centipawns: on average ...
pub const MAX_MEAN_ERROR: f64 = 5.0;
/// ... and in any position.
pub const MAX_ERROR: f64 = 40.0;
/// Positions compared; more would only take longer.
const SAMPLE: usize = 20_000;

/// How a network and its model compare.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// Mean distance of integers and floats, in centipawns.
    pub mean: f64,
    /// Largest distance.
    pub max: f64,
    /// Mean size of the evaluation, in centipawns.
    pub size: f64,
}

/// Why a model became no network.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum ExportError {
    #[error(transparent)]
    Network(#[from] NetworkError),
    #[error("there are no positions to check the network with")]
    NoPositions,
    #[error("the network is constant: its output is 0 everywhere")]
    Constant,
    #[error(
        "integers and floats disagree by {mean:.1} cp on average and {max:.1} at most; allowed are \
         {MAX_MEAN_ERROR} and {MAX_ERROR} (output weights that were hardly trained may have been rounded away: \
         train longer)"
    )]
    Disagreement { mean: f64, max: f64 },
}

/// Makes the engine's network of a model and checks it on positions it was not trained on.
pub fn export(model: &Model, held_out: &[Record]) -> Result<(Network, Agreement), ExportError> {
    let step = held_out.len().div_ceil(SAMPLE).max(1);
    let sample: Vec<Record> = held_out.iter().step_by(step).copied().collect();
    if sample.is_empty() {
        return Err(ExportError::NoPositions);
    }
    let views = Views::new();
    let mut rounded = model.clone();
    rounded.round_hidden_layer();
    let output = |record| reference::output(&rounded, &views, record);
    let outputs: Vec<f64> = sample.iter().map(output).collect();
    let sum_of_scores: f64 = sample.iter().map(|record| f64::from(record.score()).abs()).sum();
    let sum_of_outputs: f64 = outputs.iter().map(|output| output.abs()).sum();
    if sum_of_outputs == 0.0 {
        return Err(ExportError::Constant);
    }
    let scale = (sum_of_scores / sum_of_outputs).round() as i32;
    let network = Network::new(&quantise(&rounded, scale))?;
    let agreement = compare(&network, &sample, &outputs, scale);
    if agreement.mean > MAX_MEAN_ERROR || agreement.max > MAX_ERROR {
        return Err(ExportError::Disagreement { mean: agreement.mean, max: agreement.max });
    }
    Ok((network, agreement))
}

/// The model in the engine's units; an output of 1 is `scale` centipawns.
pub fn quantise(model: &Model, scale: i32) -> Parameters {
    let shape = model.shape();
    let units = || (0..shape.hidden).map(|unit| (unit / LANES, unit % LANES));
    let hidden_unit = |weight: f32| (weight * QA as f32).round() as i16;
    let output_weights: Vec<f32> = (0..shape.buckets)
        .flat_map(|bucket| [0, 1].map(|side| (bucket, side)))
        .flat_map(|(bucket, side)| {
            units().map(move |(block, lane)| model.output(bucket, side, block).0[lane])
        })
        .collect();
    let qb = output_unit(&output_weights, 2 * shape.hidden);
    let output_number = |weight: &f32| (weight * qb as f32).round() as i16;
    Parameters {
        hidden: shape.hidden,
        buckets: shape.buckets,
        qb,
        scale,
        feature_weights: (0..FEATURES)
            .flat_map(|input| {
                units().map(move |(block, lane)| hidden_unit(model.features(block)[input].0[lane]))
            })
            .collect(),
        feature_biases: units().map(|(block, lane)| hidden_unit(model.bias(block).0[lane])).collect(),
        output_weights: output_weights.iter().map(output_number).collect(),
        output_biases: (0..shape.buckets)
            .map(|bucket| (model.output_bias(bucket) * (QA * qb) as f32).round() as i32)
            .collect(),
    }
}

/// The model behind the engine's numbers: what [`quantise`] was given, but for the rounding.
pub fn dequantise(parameters: &Parameters) -> Model {
    let shape = Shape { hidden: parameters.hidden, buckets: parameters.buckets };
    let mut model = Model::zeros(shape);
    let hidden_unit = |number: i16| f32::from(number) / QA as f32;
    let output_unit = |number: i16| f32::from(number) / parameters.qb as f32;
    for unit in 0..shape.hidden {
        let (block, lane) = (unit / LANES, unit % LANES);
        for input in 0..FEATURES {
            let number = parameters.feature_weights[input * shape.hidden + unit];
            model.features_mut(block)[input].0[lane] = hidden_unit(number);
        }
        model.bias_mut(block).0[lane] = hidden_unit(parameters.feature_biases[unit]);
        for (bucket, side) in (0..shape.buckets).flat_map(|bucket| [(bucket, 0), (bucket, 1)]) {
            let number = parameters.output_weights[(2 * bucket + side) * shape.hidden + unit];
            model.output_mut(bucket, side, block).0[lane] = output_unit(number);
        }
    }
    for (bucket, &bias) in parameters.output_biases.iter().enumerate() {
        *model.output_bias_mut(bucket) = bias as f32 / (QA * parameters.qb) as f32;
    }
    model
}

/// The finest unit in which the output weights, so many of each bucket, keep the engine's limits.
fn output_unit(weights: &[f32], of_bucket: usize) -> i32 {
    let fits = |unit: i32| {
        weights.chunks(of_bucket).all(|weights| {
            let sizes = weights.iter().map(|weight| (weight * unit as f32).round().abs() as i64);
            sizes.clone().all(|size| size <= MAX_OUTPUT_WEIGHT.into()) && sizes.sum::<i64>() <= MAX_OUTPUT_SUM
        })
    };
    (1..=MAX_QB).rev().find(|&unit| fits(unit)).unwrap_or(1)
}

fn compare(network: &Network, sample: &[Record], outputs: &[f64], scale: i32) -> Agreement {
    let mut total = Agreement { mean: 0.0, max: 0.0, size: 0.0 };
    for (record, output) in sample.iter().zip(outputs) {
        let integer = f64::from(network.evaluate_reference(&record.position()));
        let error = (integer - output * f64::from(scale)).abs();
        total.mean += error / sample.len() as f64;
        total.max = total.max.max(error);
        total.size += integer.abs() / sample.len() as f64;
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_records;

    #[test]
    fn units_are_as_fine_as_the_limits_allow() {
        // 0.25 * 509 = 127.25, 1.98 * 64 = 126.72.
        assert_eq!(output_unit(&[0.1, -0.25], 2), 509);
        assert_eq!(output_unit(&[1.98], 1), 64);
        assert_eq!(output_unit(&[0.0], 1), MAX_QB);
        // 1024 weights of 32 add up to 32,768; with 33 each it would be more than 33,025.
        assert_eq!(output_unit(&[0.4; 1024], 1024), 81);
        // In two buckets each has a sum of its own.
        assert_eq!(output_unit(&[0.4; 2048], 1024), 81);
    }

    #[test]
    fn every_weight_lands_where_the_engine_expects_it() {
        let mut model = Model::zeros(Shape { hidden: 64, buckets: 2 });
        model.features_mut(1)[700].0[3] = 0.5;
        model.bias_mut(1).0[2] = -1.0;
        model.output_mut(1, 1, 0).0[5] = 0.25;
        *model.output_bias_mut(1) = 0.125;
        let parameters = quantise(&model, 400);
        let only = |numbers: &[i16]| {
            let mut set = numbers.iter().enumerate().filter(|(_, number)| **number != 0);
            let (at, &number) = set.next().expect("one number is set");
            assert_eq!(set.next(), None);
            (at, number)
        };
        assert_eq!(only(&parameters.feature_weights), (700 * 64 + 32 + 3, 128));
        assert_eq!(only(&parameters.feature_biases), (34, -255));
        assert_eq!(parameters.qb, 509);
        assert_eq!(only(&parameters.output_weights), (128 + 64 + 5, 127));
        assert_eq!(parameters.output_biases, [0, 16_224], "255 * 509 / 8, rounded");
    }

    #[test]
    fn a_network_gives_its_model_back() {
        let mut model = Model::random(Shape { hidden: 64, buckets: 8 }, 9);
        model.round_hidden_layer();
        let parameters = quantise(&model, 200);
        let again = dequantise(&parameters);
        for (row, more) in model.rows().iter().zip(again.rows()) {
            for (weight, other) in row.0.iter().zip(more.0) {
                assert!((weight - other).abs() <= 0.5 / parameters.qb as f32, "{weight} {other}");
            }
        }
        let network = Network::new(&parameters).expect("the model is fine");
        assert_eq!(network.parameters(), parameters);
    }

    #[test]
    fn an_exported_network_evaluates_like_its_model() {
        let records = random_records(500, 6);
        let mut model = Model::random(Shape { hidden: 64, buckets: 3 }, 7);
        // Evaluations of the usual size.
        let outputs = model.output_rows();
        for weight in model.rows_mut()[outputs].iter_mut().flat_map(|row| &mut row.0) {
            *weight *= 0.5;
        }
        let (network, agreement) = export(&model, &records).expect("the model is fine");
        assert!(agreement.mean < MAX_MEAN_ERROR && agreement.max < MAX_ERROR, "{agreement:?}");
        let size = records.iter().map(|record| f64::from(record.score()).abs()).sum::<f64>() / 500.0;
        assert!((agreement.size - size).abs() < 0.02 * size, "{} but scores are {size}", agreement.size);
        let read = Network::from_bytes(&network.to_bytes()).expect("the file is whole");
        for record in &records {
            let position = record.position();
            assert_eq!(read.evaluate_reference(&position), network.evaluate_reference(&position));
        }
    }

    #[test]
    fn networks_that_disagree_with_their_model_are_refused() {
        let records = random_records(50, 6);
        // One large output weight, of a unit that is always 0, makes the unit of all others so
        // large that they vanish.
        let shape = Shape { hidden: 32, buckets: 1 };
        let mut model = Model::random(shape, 7);
        for side in 0..2 {
            model.output_mut(0, side, 0).0.iter_mut().for_each(|weight| *weight = weight.signum() * 0.007);
        }
        model.output_mut(0, 0, 0).0[0] = 1.98;
        model.features_mut(0).iter_mut().for_each(|row| row.0[0] = 0.0);
        let result = export(&model, &records);
        assert!(matches!(result, Err(ExportError::Disagreement { .. })), "{result:?}");
        assert!(matches!(export(&Model::zeros(shape), &records), Err(ExportError::Constant)));
        assert!(matches!(export(&model, &[]), Err(ExportError::NoPositions)));
    }
}
