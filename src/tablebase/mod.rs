//! Endgame tablebases in the Syzygy format (R. de Man, 2013): the value of every position with
//! few men under the fifty-move rule, and the distance to the next capture or pawn move.
//!
//! [`Tablebases`] is a set of files. A table is opened when it is asked for the first time; one
//! that is damaged is left alone from then on, and [`Tablebases::take_notes`] tells of it. The
//! tables leave out what a capture decides, and know nothing of en passant or castling: `probe`
//! looks at captures first (as the format demands), and positions with castling rights have no
//! value.
//!
//! Own code, because no library under a permissive licence fits: `pyrrhic-rs` 0.2 does not
//! compile on 64-bit ARM Linux, writes to standard output, cannot take drive letters in paths,
//! and reads out of bounds when a file is damaged.

#![forbid(unsafe_code)]

mod file;
mod index;
mod material;
mod pairs;
mod probe;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use file::{Kind, TableFile};
use material::Material;

pub use probe::{RootMove, Wdl};

/// A set of tables. Many threads may ask it at once.
pub struct Tablebases {
    tables: Vec<Table>,
    /// For the material of a position, White's first: which table, and whether its name has
    /// Black's men first.
    by_material: HashMap<Material, (usize, bool)>,
    men: u32,
    notes: Mutex<Vec<String>>,
}

/// The files about one combination of men.
struct Table {
    material: Material,
    wdl: Option<Lazy>,
    dtz: Option<Lazy>,
}

/// A file that is opened when it is needed; `None` inside if it turned out to be damaged.
struct Lazy {
    path: PathBuf,
    file: OnceLock<Option<TableFile>>,
}

impl Tablebases {
    /// Finds the tables in the folders of a list, with `;` or the platform's separator between
    /// them. The first of several files of a name counts. Returns notes about folders and files
    /// that cannot be used as well.
    pub fn open(folders: &str) -> (Self, Vec<String>) {
        let mut new =
            Self { tables: Vec::new(), by_material: HashMap::new(), men: 0, notes: Mutex::default() };
        let mut notes = Vec::new();
        let separators: &[char] = if cfg!(windows) { &[';'] } else { &[';', ':'] };
        for folder in folders.split(separators).map(str::trim).filter(|folder| !folder.is_empty()) {
            match fs::read_dir(folder) {
                Ok(entries) => {
                    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
                    paths.sort();
                    paths.iter().for_each(|path| new.add(path, &mut notes));
                }
                Err(error) => notes.push(format!("{folder}: {error}")),
            }
        }
        let whole = new.tables.iter().filter(|table| table.wdl.is_some());
        new.men = whole.map(|table| table.material.men() as u32).max().unwrap_or(0);
        (new, notes)
    }

    /// Takes in a file if it is a table.
    fn add(&mut self, path: &Path, notes: &mut Vec<String>) {
        let name = path.file_stem().and_then(|name| name.to_str());
        let extension = path.extension().and_then(|extension| extension.to_str());
        let kind = [Kind::Wdl, Kind::Dtz].into_iter().find(|kind| extension == Some(kind.extension()));
        let (Some(material), Some(kind)) = (name.and_then(Material::from_name), kind) else { return };
        if let Err(error) = file::check(path, kind) {
            notes.push(format!("{}: {error}", path.display()));
            return;
        }
        let number = match self.by_material.get(&material) {
            Some(&(number, _)) => number,
            None => {
                let number = self.tables.len();
                self.tables.push(Table { material, wdl: None, dtz: None });
                self.by_material.insert(material.swapped(), (number, true));
                self.by_material.insert(material, (number, false));
                number
            }
        };
        let table = &mut self.tables[number];
        let slot = if kind == Kind::Wdl { &mut table.wdl } else { &mut table.dtz };
        slot.get_or_insert_with(|| Lazy { path: path.into(), file: OnceLock::new() });
    }

    /// The most men of a position that a table knows; 0 without tables.
    pub fn men(&self) -> u32 {
        self.men
    }

    /// How many tables of values there are, and how many of distances.
    pub fn counts(&self) -> [usize; 2] {
        let count = |is_there: fn(&Table) -> bool| self.tables.iter().filter(|table| is_there(table)).count();
        [count(|table| table.wdl.is_some()), count(|table| table.dtz.is_some())]
    }

    /// What was found to be damaged since the last call, one sentence a file.
    pub fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut *self.notes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn note(&self, path: &Path, reason: &file::TableError) {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        let note = format!("{}: {reason}", path.display());
        if !notes.contains(&note) {
            notes.push(note);
        }
    }
}
