//! The file a tuning run writes: a line with its settings, then a CSV table with the values after
//! each iteration.
//!
//! Values are written with all their digits, so that a run that continues from the last row is
//! the same as one that was never stopped. A row that was cut off by a crash is dropped.

#![forbid(unsafe_code)]

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::spsa::Spsa;

/// A file that grows by a row for each iteration.
#[derive(Debug)]
pub struct Checkpoint {
    path: PathBuf,
    file: File,
}

/// Why a run cannot be stored or continued.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum CheckpointError {
    #[error("{path}: {error}")]
    File { path: PathBuf, error: io::Error },
    #[error("{path} exists: continue that run with --resume, or choose another name")]
    Exists { path: PathBuf },
    #[error("{path} belongs to another run; line {line} should be `{expected}`")]
    OtherRun { path: PathBuf, line: usize, expected: String },
    #[error("{path}, line {line}: {reason}")]
    Row { path: PathBuf, line: usize, reason: String },
}

impl Checkpoint {
    /// Starts a new file for a run with these settings.
    ///
    /// # Errors
    /// When there is such a file, or it cannot be written.
    pub fn create(path: &Path, settings: &str, spsa: &Spsa) -> Result<Self, CheckpointError> {
        let file = OpenOptions::new().append(true).create_new(true).open(path);
        let file = file.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => CheckpointError::Exists { path: path.into() },
            _ => CheckpointError::File { path: path.into(), error },
        })?;
        let mut checkpoint = Self { path: path.into(), file };
        checkpoint.write(&format!("{}\n", heading(settings, spsa).join("\n")))?;
        Ok(checkpoint)
    }

    /// Brings `spsa` to where the run in the file was stopped; starts a new file if there is none.
    ///
    /// # Errors
    /// When the file belongs to a run with other settings, is damaged, or cannot be written.
    pub fn resume(path: &Path, settings: &str, spsa: &mut Spsa) -> Result<Self, CheckpointError> {
        let file_error = |error| CheckpointError::File { path: path.into(), error };
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Self::create(path, settings, spsa);
            }
            Err(error) => return Err(file_error(error)),
        };
        let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
        let lines: Vec<&str> = whole.lines().collect();
        let heading = heading(settings, spsa);
        for (index, expected) in heading.iter().enumerate() {
            if lines.get(index) != Some(&expected.as_str()) {
                let (path, expected) = (path.into(), expected.clone());
                return Err(CheckpointError::OtherRun { path, line: index + 1, expected });
            }
        }
        if lines.len() > heading.len() {
            let row_error = |reason| CheckpointError::Row { path: path.into(), line: lines.len(), reason };
            let (iteration, values) = parse_row(lines[lines.len() - 1], spsa).map_err(row_error)?;
            spsa.resume(iteration, values);
        }
        let file = OpenOptions::new().append(true).open(path).map_err(file_error)?;
        file.set_len(whole.len() as u64).map_err(file_error)?;
        Ok(Self { path: path.into(), file })
    }

    /// Adds a row with the present values.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn save(&mut self, spsa: &Spsa) -> Result<(), CheckpointError> {
        let values: String = spsa.values().iter().map(|value| format!(",{value}")).collect();
        self.write(&format!("{}{values}\n", spsa.iteration()))
    }

    fn write(&mut self, text: &str) -> Result<(), CheckpointError> {
        let path = || self.path.clone();
        self.file.write_all(text.as_bytes()).map_err(|error| CheckpointError::File { path: path(), error })
    }
}

/// The first lines of the file: what the run is, and the names of the columns.
fn heading(settings: &str, spsa: &Spsa) -> [String; 2] {
    let names: String = spsa.tunables().iter().map(|tunable| format!(",{}", tunable.name)).collect();
    [format!("# {settings}"), format!("iteration{names}")]
}

/// The number of finished iterations, and the values.
fn parse_row(row: &str, spsa: &Spsa) -> Result<(u64, Vec<f64>), String> {
    let fields: Vec<&str> = row.split(',').collect();
    let tunables = spsa.tunables();
    if fields.len() != tunables.len() + 1 {
        return Err(format!("{} numbers are expected, not {}", tunables.len() + 1, fields.len()));
    }
    let iteration =
        fields[0].parse().map_err(|_| format!("`{}` is not a number of iterations", fields[0]))?;
    let values = fields[1..].iter().zip(tunables).map(|(field, tunable)| match field.parse() {
        Ok(value) if (tunable.min..=tunable.max).contains(&value) => Ok(value),
        _ => Err(format!("{} is from {} to {}, not `{field}`", tunable.name, tunable.min, tunable.max)),
    });
    Ok((iteration, values.collect::<Result<_, _>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Tunable;
    use crate::tools::tune::spsa::Schedule;
    use std::convert::Infallible;
    use std::fs;

    const SETTINGS: &str = "nodes 3000";

    fn spsa() -> Spsa {
        let tunables = vec![
            Tunable { name: "first", default: 8.0, min: 0.0, max: 16.0, step: 1.0 },
            Tunable { name: "second", default: 200.0, min: 0.0, max: 900.0, step: 7.0 },
        ];
        Spsa::new(tunables, Schedule { iterations: 100, rate: 0.3, seed: 1 })
    }

    fn step(spsa: &mut Spsa) {
        spsa.step(|_, _| Ok::<_, Infallible>(1.0 / 3.0)).unwrap();
    }

    /// A path without a file, of this test alone.
    fn new_path(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("longan-{}-{name}.csv", std::process::id()));
        let _ = fs::remove_file(&path);
        path
    }

    /// The message of the error when this text is to be continued.
    fn error_of(name: &str, text: &str) -> String {
        let path = new_path(name);
        fs::write(&path, text).unwrap();
        let error = Checkpoint::resume(&path, SETTINGS, &mut spsa()).unwrap_err().to_string();
        fs::remove_file(&path).unwrap();
        error
    }

    #[test]
    fn a_run_goes_on_exactly_where_it_stopped() {
        let path = new_path("goes-on");
        let mut first = spsa();
        let mut file = Checkpoint::resume(&path, SETTINGS, &mut first).unwrap();
        for _ in 0..5 {
            step(&mut first);
            file.save(&first).unwrap();
        }
        // A crash in the middle of the next row.
        file.write("6,8.1").unwrap();

        let mut second = spsa();
        let mut file = Checkpoint::resume(&path, SETTINGS, &mut second).unwrap();
        assert_eq!(second, first);
        step(&mut second);
        file.save(&second).unwrap();
        let mut third = spsa();
        Checkpoint::resume(&path, SETTINGS, &mut third).unwrap();
        assert_eq!(third, second);
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn an_old_run_is_not_overwritten() {
        let path = new_path("old");
        Checkpoint::create(&path, SETTINGS, &spsa()).unwrap();
        let error = Checkpoint::create(&path, SETTINGS, &spsa()).unwrap_err();
        assert!(matches!(error, CheckpointError::Exists { .. }), "{error}");
        fs::remove_file(&path).unwrap();
    }

    #[test]
    fn other_runs_and_damaged_rows_are_refused() {
        let error = error_of("settings", "# nodes 5000\niteration,first,second\n");
        assert!(error.ends_with("line 1 should be `# nodes 3000`"), "{error}");
        let error = error_of("names", "# nodes 3000\niteration,first,third\n");
        assert!(error.ends_with("line 2 should be `iteration,first,second`"), "{error}");
        let error = error_of("short", "# nodes 3000\niteration,first,second\n1,8,200\n2,8\n");
        assert!(error.ends_with("line 4: 3 numbers are expected, not 2"), "{error}");
        let error = error_of("range", "# nodes 3000\niteration,first,second\n1,17,200\n");
        assert!(error.ends_with("line 3: first is from 0 to 16, not `17`"), "{error}");
        let error = error_of("number", "# nodes 3000\niteration,first,second\n-1,8,200\n");
        assert!(error.ends_with("line 3: `-1` is not a number of iterations"), "{error}");
    }
}
