//! A file that one thread appends its games to.
//!
//! A game is handed to the system in one write, so a process that is killed leaves at most one
//! game unfinished in each of its files. The next run cuts that off and goes on.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::viriformat::{Game, GameError, GameReader};

/// Why games cannot be appended to a file.
#[derive(Debug, Error)]
pub enum ShardError {
    /// The system refused something.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// What the file holds is not games.
    #[error("{path}: {error}")]
    Games {
        /// The file.
        path: PathBuf,
        /// Where and how it is damaged.
        error: GameError,
    },
    /// Two runs into one file would mix their games.
    #[error("{0}: another process is writing to this file")]
    Busy(PathBuf),
}

/// An open file of whole games.
#[derive(Debug)]
pub struct Shard {
    file: File,
    path: PathBuf,
    games: u64,
    buffer: Vec<u8>,
}

impl Shard {
    /// The path of a thread's file: `games` and `games.bin` become `games.t0.bin`, a folder (a
    /// path that is one or ends with `/`) gets a `datagen.t0.bin`.
    pub fn path(out: &Path, thread: usize) -> PathBuf {
        let is_folder = out.is_dir() || out.as_os_str().as_encoded_bytes().ends_with(b"/");
        let base = match out.extension() {
            _ if is_folder => out.join("datagen"),
            Some(extension) if extension == "bin" => out.with_extension(""),
            _ => out.to_path_buf(),
        };
        let mut name = base.into_os_string();
        name.push(format!(".t{thread}.bin"));
        name.into()
    }

    /// Opens or creates a file, reads what it holds and cuts off an unfinished last game.
    pub fn open(path: PathBuf) -> Result<Self, ShardError> {
        let failed = |error| ShardError::Io { path: path.clone(), error };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        let file = File::options().read(true).append(true).create(true).open(&path).map_err(failed)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => ShardError::Busy(path.clone()),
            TryLockError::Error(error) => failed(error),
        })?;
        let mut reader = GameReader::new(BufReader::with_capacity(1 << 20, &file));
        for game in reader.by_ref() {
            game.map_err(|error| ShardError::Games { path: path.clone(), error })?;
        }
        let games = reader.games();
        if reader.cut_bytes() > 0 {
            file.set_len(reader.whole_bytes()).map_err(failed)?;
            eprintln!(
                "{}: cut off an unfinished game of {} bytes after {games} whole games",
                path.display(),
                reader.cut_bytes()
            );
        }
        Ok(Self { file, path, games, buffer: Vec::new() })
    }

    /// How many games the file holds.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Writes one more game.
    pub fn append(&mut self, game: &Game) -> Result<(), ShardError> {
        self.buffer.clear();
        game.write_to(&mut self.buffer);
        self.file
            .write_all(&self.buffer)
            .map_err(|error| ShardError::Io { path: self.path.clone(), error })?;
        self.games += 1;
        Ok(())
    }
}
