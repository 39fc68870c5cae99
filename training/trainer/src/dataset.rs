//! Training positions from files of games: read, filtered, without duplicates, a part held out.
//!
//! A position's score may be mixed with those that the game shows later (see [`Outlook`]).
//!
//! One game in a hundred is held out, chosen by its moves: the same games are held out of every
//! run, whatever other files there are, and positions of one game never fall on both sides.

use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::hash::{BuildHasherDefault, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use longan::tools::datagen::filter::Filter;
use longan::tools::datagen::viriformat::{Game, GameError, GameReader};
use longan::types::Color;
use thiserror::Error;

use crate::model::sigmoid;
use crate::pack::{self, PackError};
use crate::record::Record;
use crate::rng::mix;

/// One game in so many is held out.
const HELD_OUT: u64 = 100;

/// A file of games in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameFile {
    /// The file's name, without its folder.
    pub name: String,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// Why there are no training positions.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum LoadError {
    #[error("{0}: {1}")]
    Io(PathBuf, io::Error),
    #[error("{0}: {1}")]
    Pack(PathBuf, PackError),
    #[error("{0}: {1}")]
    Games(String, GameError),
    #[error("{0} has no .bin or .zst file")]
    EmptyFolder(PathBuf),
}

/// All files of games that the paths name: a folder stands for its `.bin` and `.zst` files by
/// name.
pub fn find_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, LoadError> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let failed = |error| LoadError::Io(path.clone(), error);
        let entries: io::Result<Vec<_>> =
            fs::read_dir(path).map_err(failed)?.map(|entry| Ok(entry?.path())).collect();
        let mut inside = entries.map_err(failed)?;
        inside.retain(|file| file.extension().is_some_and(|end| end == "bin" || end == "zst"));
        if inside.is_empty() {
            return Err(LoadError::EmptyFolder(path.clone()));
        }
        inside.sort();
        files.extend(inside);
    }
    Ok(files)
}

/// Reads a file of games, or all files in a pack of them.
pub fn read_files(path: &Path) -> Result<Vec<GameFile>, LoadError> {
    let bytes = fs::read(path).map_err(|error| LoadError::Io(path.to_owned(), error))?;
    if pack::is_pack(&bytes) {
        return pack::unpack(&bytes).map_err(|error| LoadError::Pack(path.to_owned(), error));
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(vec![GameFile { name, bytes }])
}

/// How much was read and what became of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Files of games, those in packs too.
    pub files: usize,
    /// Files that end within a game; that game is left out.
    pub cut_files: usize,
    /// Whole games.
    pub games: usize,
    /// Games held out.
    pub held_out_games: usize,
    /// Positions of the games.
    pub plies: usize,
    /// Positions that the filter kept.
    pub filtered: usize,
    /// Of those, positions that had come before.
    pub duplicates: usize,
}

/// How far a position's score looks ahead in its game.
///
/// A score is an expected result from a shallow search. The scores that follow see deeper, and the
/// result, in the end, everything; their mean, with weights that fall by `decay` a ply, errs less
/// than the first one alone (R. Sutton, "Learning to predict by the methods of temporal
/// differences", 1988, where `decay` is called lambda).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outlook {
    /// The weight of each ply as a share of that of the ply before, from 0 (only the own score) to
    /// 1 (only the result).
    pub decay: f32,
}

impl Outlook {
    /// Centipawns at which odds are e to 1, for the mean of expected results.
    const K: f32 = 200.0;

    /// Puts what the rest of the game shows into the scores of a game.
    fn apply(self, game: &mut Game) {
        if self.decay == 0.0 {
            return;
        }
        let mut later = game.result.points(Color::White) as f32;
        for ply in game.plies.iter_mut().rev() {
            let own = sigmoid(f32::from(ply.score) / Self::K);
            later += (1.0 - self.decay) * (own - later);
            // Certain results have no finite score: the conversion holds them within the type.
            ply.score = (Self::K * (later / (1.0 - later)).ln()).round() as i16;
        }
    }
}

/// The positions of a run.
#[derive(Clone, Debug, Default)]
pub struct Dataset {
    /// To learn from.
    pub train: Vec<Record>,
    /// To see whether what was learnt holds elsewhere.
    pub held_out: Vec<Record>,
    /// Where they come from.
    pub counts: Counts,
    /// How their scores were made.
    pub outlook: Outlook,
    hash: u64,
    /// The keys of all positions; needed, and filled, only while files are read.
    seen: HashSet<u64, BuildHasherDefault<KeyHasher>>,
}

impl Dataset {
    /// Reads all games of the files, folders and packs.
    ///
    /// # Errors
    /// If a file cannot be read or is damaged. A last game that is cut short is no error: a killed
    /// writer leaves one.
    pub fn load(paths: &[PathBuf], filter: &Filter, outlook: Outlook) -> Result<Self, LoadError> {
        let mut data = Self { outlook, ..Self::default() };
        for path in find_files(paths)? {
            for file in read_files(&path)? {
                data.add_file(&file, filter)?;
            }
        }
        data.seen = HashSet::default();
        Ok(data)
    }

    /// Identifies the positions, their labels and their order.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// All positions.
    pub fn records(&self) -> impl Iterator<Item = &Record> {
        self.train.iter().chain(&self.held_out)
    }

    fn add_file(&mut self, file: &GameFile, filter: &Filter) -> Result<(), LoadError> {
        let mut reader = GameReader::new(&file.bytes[..]);
        for game in reader.by_ref() {
            let mut game = game.map_err(|error| LoadError::Games(file.name.clone(), error))?;
            self.outlook.apply(&mut game);
            self.add_game(&game, filter);
        }
        self.counts.files += 1;
        self.counts.cut_files += usize::from(reader.cut_bytes() > 0);
        Ok(())
    }

    fn add_game(&mut self, game: &Game, filter: &Filter) {
        let held_out = is_held_out(game);
        self.counts.games += 1;
        self.counts.held_out_games += usize::from(held_out);
        self.counts.plies += game.plies.len();
        for (position, ply) in filter.kept(game) {
            let record = Record::new(&position, ply.score, game.result);
            self.counts.filtered += 1;
            if !self.seen.insert(record.key()) {
                self.counts.duplicates += 1;
                continue;
            }
            let labels = record.score() as u64 ^ u64::from(record.points().to_bits()) << 32;
            self.hash = mix(self.hash ^ mix(record.key() ^ labels) ^ u64::from(held_out));
            if held_out { &mut self.held_out } else { &mut self.train }.push(record);
        }
    }
}

fn is_held_out(game: &Game) -> bool {
    let key = |key, ply: &longan::tools::datagen::viriformat::Ply| mix(key ^ u64::from(ply.mv.bits()));
    game.plies.iter().fold(game.start.key(), key) % HELD_OUT == 0
}

/// Keys are random already and need no hashing.
#[derive(Clone, Copy, Default)]
struct KeyHasher(u64);

impl Hasher for KeyHasher {
    fn write(&mut self, _: &[u8]) {
        unreachable!("only keys are hashed");
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl fmt::Display for Dataset {
    /// What a person wants to know before training.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Counts { files, cut_files, games, held_out_games, plies, filtered, duplicates } = self.counts;
        let count = self.records().count().max(1) as f64;
        let mean = |value: fn(&Record) -> f64| self.records().map(value).sum::<f64>() / count;
        let share = |part: usize, whole: usize| 100.0 * part as f64 / whole.max(1) as f64;
        let [men, size] = [mean(|r| r.men().into()), mean(|r| f64::from(r.score()).abs())];
        let [score, points] = [mean(|r| r.score().into()), mean(|r| r.points().into())];
        let product = mean(|r| f64::from(r.score()) * f64::from(r.points()));
        let score_square = mean(|r| f64::from(r.score()).powi(2));
        let points_square = mean(|r| f64::from(r.points()).powi(2));
        let draws = mean(|r| f64::from(u8::from(r.points() == 0.5)));
        let deviations = (score_square - score * score) * (points_square - points * points);
        writeln!(f, "files        {files}, {cut_files} of them cut short in their last game")?;
        writeln!(f, "games        {games}, {held_out_games} held out")?;
        writeln!(f, "plies        {plies}")?;
        writeln!(f, "kept         {filtered} by the filter ({:.1} %)", share(filtered, plies))?;
        writeln!(f, "duplicates   {duplicates} ({:.1} %)", share(duplicates, filtered))?;
        writeln!(f, "positions    {} to train on, {} held out", self.train.len(), self.held_out.len())?;
        writeln!(f, "men          {men:.1} on average")?;
        writeln!(f, "score        {size:.1} cp in size on average, {score:+.1} for the side to move")?;
        writeln!(f, "points       {points:.3} for the side to move, {:.1} % drawn", 100.0 * draws)?;
        writeln!(
            f,
            "correlation  {:.3} of score and points",
            (product - score * points) / deviations.sqrt()
        )?;
        write!(f, "data hash    {:016x}", self.hash)
    }
}

#[cfg(test)]
mod tests {
    use longan::board::Board;
    use longan::tools::datagen::viriformat::{GameResult, Ply};

    use std::slice::from_ref as one;

    use super::*;
    use crate::testing::{file_of, random_games};

    const ALL: Filter = Filter { min_ply: 0, max_score: u16::MAX, drawn_tail: 0 };

    /// A game of moves in UCI notation, each with a score.
    fn game(result: GameResult, moves: &[(&str, i16)]) -> Game {
        let mut board = Board::startpos();
        let mut game = Game { start: *board.position(), result, plies: Vec::new() };
        for &(text, score) in moves {
            let mv = board.parse_uci(text).expect("the move is legal");
            game.plies.push(Ply { mv, score });
            board.make(mv);
        }
        game
    }

    fn load_games(games: &[Game], filter: &Filter) -> Dataset {
        let mut data = Dataset::default();
        let file = GameFile { name: "test.bin".to_owned(), bytes: file_of(games) };
        data.add_file(&file, filter).expect("the games are legal");
        data
    }

    fn scores(data: &Dataset) -> Vec<i16> {
        data.records().map(Record::score).collect()
    }

    /// Ten plies: a capture at 2 and 3, a check at 6, answered at 7.
    const MOVES: [(&str, i16); 10] = [
        ("e2e4", 10),
        ("d7d5", 11),
        ("e4d5", 12),
        ("d8d5", 13),
        ("b1c3", 14),
        ("d5e5", 15),
        ("g1e2", 2_500),
        ("g8f6", 17),
        ("d2d4", -2_499),
        ("e5d6", 31_990),
    ];

    #[test]
    fn each_filter_drops_its_positions() {
        let won = game(GameResult::WhiteWon, &MOVES);
        // Scores turn to the side to move; after ply 5, White is in check from e5.
        assert_eq!(scores(&load_games(one(&won), &ALL)), [10, -11, 14, -15, -17, -2_499, -31_990]);
        let filter = Filter { min_ply: 4, ..ALL };
        assert_eq!(scores(&load_games(one(&won), &filter)), [14, -15, -17, -2_499, -31_990]);
        let filter = Filter { max_score: 2_500, ..ALL };
        assert_eq!(scores(&load_games(one(&won), &filter)), [10, -11, 14, -15, -17, -2_499]);
        let filter = Filter { drawn_tail: 3, ..ALL };
        assert_eq!(load_games(one(&won), &filter).counts.filtered, 7, "the game is not drawn");
        let drawn = game(GameResult::Draw, &MOVES);
        assert_eq!(scores(&load_games(&[drawn], &filter)), [10, -11, 14, -15]);
    }

    #[test]
    fn scores_look_ahead_to_the_result() {
        // As expected results at K = 200: 0.5, 0.75, 0.5; White wins.
        let moves = [("e2e4", 0), ("e7e5", 220), ("g1f3", 0)];
        let mut mixed = game(GameResult::WhiteWon, &moves);
        Outlook { decay: 0.5 }.apply(&mut mixed);
        let expected: Vec<f32> =
            mixed.plies.iter().map(|ply| sigmoid(f32::from(ply.score) / Outlook::K)).collect();
        for (found, right) in expected.iter().zip([0.625, 0.75, 0.75]) {
            assert!((found - right).abs() < 2e-3, "{expected:?}");
        }
        let mut alone = game(GameResult::WhiteWon, &moves);
        Outlook::default().apply(&mut alone);
        assert_eq!([0, 1, 2].map(|ply| alone.plies[ply].score), [0, 220, 0]);
        // A certain result is beyond every score.
        Outlook { decay: 1.0 }.apply(&mut alone);
        assert_eq!(alone.plies[0].score, i16::MAX);
    }

    #[test]
    fn promotions_are_dropped() {
        let mut moves: Vec<(&str, i16)> =
            ["h2h4", "g7g5", "h4g5", "a7a6", "g5g6", "a6a5", "g6h7", "a5a4"].map(|text| (text, 5)).to_vec();
        moves.extend([("h7g8n", 9), ("a4a3", 5)]);
        let counts = load_games(&[game(GameResult::WhiteWon, &moves)], &ALL).counts;
        // Ten plies less two captures and a promotion that captures.
        assert_eq!((counts.plies, counts.filtered), (10, 7));
    }

    #[test]
    fn a_position_counts_once_over_all_files() {
        let long = game(GameResult::Draw, &[("e2e4", 1), ("e7e5", 2), ("g1f3", 3)]);
        let other_order = game(GameResult::Draw, &[("g1f3", 4), ("e7e5", 5), ("e2e4", 6)]);
        let mut data = Dataset::default();
        for (name, game) in [("a", &long), ("b", &other_order), ("c", &long)] {
            let file = GameFile { name: name.to_owned(), bytes: file_of(one(game)) };
            data.add_file(&file, &ALL).expect("the games are legal");
        }
        // New in b are the positions before its second and third moves; in c, none.
        assert_eq!(scores(&data), [1, -2, 3, -5, 6]);
        assert_eq!(data.counts.duplicates, 4);
    }

    #[test]
    fn a_hundredth_of_the_games_is_held_out_whole() {
        let games = random_games(600, 17);
        let data = load_games(&games, &ALL);
        let held: Vec<&Game> = games.iter().filter(|game| is_held_out(game)).collect();
        assert_eq!(data.counts.held_out_games, held.len());
        assert!((1..=15).contains(&held.len()), "{} of 600 games", held.len());
        assert!(data.held_out.len() < data.train.len() / 20 && !data.held_out.is_empty());
        // A game's labels and company do not matter.
        let mut alone = held[0].clone();
        alone.plies.iter_mut().for_each(|ply| ply.score = 1);
        alone.result = GameResult::WhiteWon;
        let data = load_games(&[alone], &ALL);
        assert!(data.train.is_empty() && data.counts.held_out_games == 1);
    }

    #[test]
    fn the_hash_tells_data_apart() {
        let games = random_games(3, 18);
        let hash = |games: &[Game], filter: &Filter| load_games(games, filter).hash();
        assert_eq!(hash(&games, &ALL), hash(&games, &ALL));
        assert_ne!(hash(&games, &ALL), hash(&games[..2], &ALL));
        assert_ne!(hash(&games, &ALL), hash(&games, &Filter::default()));
        let mut other = games.clone();
        other[0].plies[0].score += 1;
        assert_ne!(hash(&games, &ALL), hash(&other, &ALL));
        other[0] = games[0].clone();
        other[1].result =
            if games[1].result == GameResult::Draw { GameResult::WhiteWon } else { GameResult::Draw };
        assert_ne!(hash(&games, &ALL), hash(&other, &ALL));
    }

    #[test]
    fn folders_files_and_packs_give_the_same_positions() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = |name: &str| folder.path().join(name);
        let files = ["a.bin", "b.bin"].map(|name| {
            let bytes = file_of(&random_games(8, name.len() as u64 + u64::from(name.as_bytes()[0])));
            fs::write(path(name), &bytes).expect("the folder can be written");
            GameFile { name: name.to_owned(), bytes }
        });
        fs::write(path("notes.txt"), "no games").expect("the folder can be written");
        let by_folder =
            Dataset::load(&[folder.path().to_owned()], &ALL, Outlook::default()).expect("the files are fine");
        let by_files = Dataset::load(&[path("a.bin"), path("b.bin")], &ALL, Outlook::default())
            .expect("the files are fine");
        fs::write(path("p.pack"), pack::pack(&files, 1).expect("the files are fine")).expect("it is written");
        let by_pack = Dataset::load(&[path("p.pack")], &ALL, Outlook::default()).expect("the pack is fine");
        assert_eq!(by_folder.counts.files, 2);
        for data in [by_files, by_pack] {
            assert_eq!((data.counts, data.hash()), (by_folder.counts, by_folder.hash()));
        }
    }

    #[test]
    fn a_cut_last_game_is_left_out_and_other_damage_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("a.bin");
        let load = |bytes: &[u8]| {
            fs::write(&path, bytes).expect("the folder can be written");
            Dataset::load(one(&path), &ALL, Outlook::default())
        };
        let bytes = file_of(&random_games(3, 19));
        let data = load(&bytes[..bytes.len() - 5]).expect("a cut game is no damage");
        assert_eq!((data.counts.games, data.counts.cut_files), (2, 1));
        let mut bad = bytes.clone();
        bad[32..34].copy_from_slice(&[1, 1]);
        let error = load(&bad).expect_err("the first move is not legal").to_string();
        assert!(error.starts_with("a.bin: game 0, which starts at byte 0, is damaged"), "{error}");
        bad = bytes;
        bad[30] = 3;
        let error = load(&bad).expect_err("there is no such result").to_string();
        assert!(error.contains("a result of 3"), "{error}");
        fs::remove_file(&path).expect("the file is there");
        let error = Dataset::load(&[folder.path().to_owned()], &ALL, Outlook::default())
            .expect_err("nothing is there");
        assert!(matches!(error, LoadError::EmptyFolder(_)));
        assert!(matches!(Dataset::load(&[path], &ALL, Outlook::default()), Err(LoadError::Io(..))));
    }
}
