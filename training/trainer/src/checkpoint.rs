//! A stopped run on disk: all it needs to go on as if it had never stopped.
//!
//! Little-endian: 8 bytes `LGNCKPT2`; the settings; the hash of the data; the reports of the
//! epochs done; the optimiser's steps; the rows of the model and of the optimiser's two moments;
//! FNV-1a of all that as the last 8 bytes.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use longan::eval::network::MAX_BUCKETS;
use thiserror::Error;

use crate::adamw::AdamW;
use crate::bytes::{EndsEarly, Reader, fnv1a};
use crate::model::{LANES, Model, Shape};
use crate::objective::Objective;
use crate::train::{EpochReport, Run, Settings};
use crate::weights::Weights;

const MAGIC: &[u8; 8] = b"LGNCKPT2";
const CHECKSUM_BYTES: usize = 8;
/// Of any network; keeps a damaged file from asking for all memory.
const MAX_HIDDEN: usize = 1 << 16;

/// Why a checkpoint could not be read or written.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum CheckpointError {
    #[error("{0}: {1}")]
    Io(PathBuf, io::Error),
    #[error("{0} is not a checkpoint: it does not start with \"LGNCKPT2\"")]
    Magic(PathBuf),
    #[error("{0} is damaged: its checksum is wrong")]
    Checksum(PathBuf),
    #[error("{0} is damaged: {1}")]
    Content(PathBuf, &'static str),
}

/// Writes the run, so that a kill at any moment leaves an old file or a whole one.
pub fn save(run: &Run, path: &Path) -> Result<(), CheckpointError> {
    let mut bytes = Vec::new();
    bytes.extend(MAGIC);
    let Settings { shape, objective, epochs, rate, batch, seed } = run.settings;
    for number in [shape.hidden, shape.buckets, epochs, batch, run.history.len()] {
        bytes.extend((number as u32).to_le_bytes());
    }
    for number in [objective.lambda, objective.k, rate] {
        bytes.extend(number.to_le_bytes());
    }
    for number in [seed, run.data_hash, run.adam.steps()] {
        bytes.extend(number.to_le_bytes());
    }
    for report in &run.history {
        for number in [report.rate, report.train_loss, report.held_out_loss, report.seconds] {
            bytes.extend(number.to_le_bytes());
        }
    }
    let [mean, square] = run.adam.moments();
    for model in [run.weights.model(), mean, square] {
        bytes.extend(model.rows().iter().flat_map(|row| row.0).flat_map(f32::to_le_bytes));
    }
    bytes.extend(fnv1a(&bytes).to_le_bytes());
    let new = path.with_extension("tmp");
    fs::write(&new, &bytes)
        .and_then(|()| fs::rename(&new, path))
        .map_err(|error| CheckpointError::Io(path.to_owned(), error))
}

/// Reads a run back.
pub fn load(path: &Path) -> Result<Run, CheckpointError> {
    let bytes = fs::read(path).map_err(|error| CheckpointError::Io(path.to_owned(), error))?;
    if !bytes.starts_with(MAGIC) {
        return Err(CheckpointError::Magic(path.to_owned()));
    }
    let (content, checksum) = bytes.split_at(bytes.len().saturating_sub(CHECKSUM_BYTES).max(MAGIC.len()));
    if fnv1a(content).to_le_bytes() != checksum {
        return Err(CheckpointError::Checksum(path.to_owned()));
    }
    let damaged = |what| CheckpointError::Content(path.to_owned(), what);
    let mut reader = Reader(&content[MAGIC.len()..]);
    let run = parse(&mut reader).map_err(|EndsEarly| damaged("it ends too early"))?;
    let run = run.ok_or_else(|| damaged("its shape is impossible"))?;
    if reader.0.is_empty() { Ok(run) } else { Err(damaged("it is too long")) }
}

/// `None` for a shape that no model can have.
fn parse(reader: &mut Reader) -> Result<Option<Run>, EndsEarly> {
    let [hidden, buckets, epochs, batch, done] =
        [reader.u32()?, reader.u32()?, reader.u32()?, reader.u32()?, reader.u32()?]
            .map(|number| number as usize);
    let [lambda, k, rate] = [reader.f32()?, reader.f32()?, reader.f32()?];
    let [seed, data_hash, steps] = [reader.u64()?, reader.u64()?, reader.u64()?];
    let possible = hidden.is_multiple_of(LANES) && (1..=MAX_HIDDEN).contains(&hidden);
    if !possible || !(1..=MAX_BUCKETS).contains(&buckets) {
        return Ok(None);
    }
    let shape = Shape { hidden, buckets };
    let mut history = Vec::new();
    for _ in 0..done {
        let [rate, train_loss, held_out_loss, seconds] =
            [reader.f32()?, reader.f32()?, reader.f32()?, reader.f32()?];
        history.push(EpochReport { rate, train_loss, held_out_loss, seconds });
    }
    let mut model = || {
        let mut model = Model::zeros(shape);
        for number in model.rows_mut().iter_mut().flat_map(|row| &mut row.0) {
            *number = reader.f32()?;
        }
        Ok(model)
    };
    let (weights, mean, square) = (model()?, model()?, model()?);
    Ok(Some(Run {
        settings: Settings { shape, objective: Objective { lambda, k }, epochs, rate, batch, seed },
        data_hash,
        weights: Weights::new(weights),
        adam: AdamW::resume(mean, square, steps),
        history,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape { hidden: 64, buckets: 8 };

    fn some_run() -> Run {
        let report = EpochReport { rate: 1e-4, train_loss: 0.07, held_out_loss: 0.08, seconds: 2.5 };
        Run {
            settings: Settings {
                shape: SHAPE,
                objective: Objective { lambda: 0.3, k: 410.0 },
                epochs: 7,
                rate: 2e-3,
                batch: 128,
                seed: u64::MAX,
            },
            data_hash: 0x0123_4567_89AB_CDEF,
            weights: Weights::new(Model::random(SHAPE, 1)),
            adam: AdamW::resume(Model::random(SHAPE, 2), Model::random(SHAPE, 3), 1 << 40),
            history: vec![report; 2],
        }
    }

    #[test]
    fn a_run_comes_back_whole() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("a.ckpt");
        let run = some_run();
        save(&run, &path).expect("the folder can be written");
        let again = load(&path).expect("the file is whole");
        assert_eq!(again.settings, run.settings);
        assert_eq!(again.data_hash, run.data_hash);
        assert_eq!(again.weights.model(), run.weights.model());
        assert_eq!(again.adam, run.adam);
        assert_eq!(again.history, run.history);
    }

    #[test]
    fn damaged_files_are_refused() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("a.ckpt");
        save(&some_run(), &path).expect("the folder can be written");
        let good = fs::read(&path).expect("the file is there");
        let error_of = |bytes: &[u8]| {
            fs::write(&path, bytes).expect("the folder can be written");
            load(&path).expect_err("the file is damaged")
        };
        assert!(matches!(error_of(b"LGNCKPT0 and more"), CheckpointError::Magic(_)));
        assert!(matches!(error_of(&good[..9]), CheckpointError::Checksum(_)));
        assert!(matches!(error_of(&good[..good.len() - 1]), CheckpointError::Checksum(_)));
        let mut flipped = good.clone();
        flipped[1_000] ^= 1;
        assert!(matches!(error_of(&flipped), CheckpointError::Checksum(_)));
        // A right checksum does not make a right file.
        let with_checksum = |content: &[u8]| [content, &fnv1a(content).to_le_bytes()].concat();
        let content = &good[..good.len() - CHECKSUM_BYTES];
        let message = |content: &[u8]| error_of(&with_checksum(content)).to_string();
        assert!(message(&content[..content.len() - 4]).ends_with("is damaged: it ends too early"));
        assert!(message(&[content, &[0]].concat()).ends_with("is damaged: it is too long"));
        let mut odd = content.to_vec();
        odd[8] = 65;
        assert!(message(&odd).ends_with("is damaged: its shape is impossible"));
        let mut none = content.to_vec();
        none[12] = 0;
        assert!(message(&none).ends_with("is damaged: its shape is impossible"));
        fs::remove_file(&path).expect("the file is there");
        assert!(matches!(load(&path), Err(CheckpointError::Io(..))));
    }
}
