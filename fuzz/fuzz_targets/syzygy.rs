//! Tablebase files, one of values and one of distances: all probes end, with a value or without
//! one. The input says which tables they are taken for, and how long the first is.

#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use longan::board::Board;
use longan::tablebase::Tablebases;

/// Tables of every way to number positions, with positions for them.
const TABLES: [(&str, [&str; 2]); 6] = [
    ("KQvK", ["8/8/8/8/3k4/8/8/K6Q w - - 0 1", "8/8/2Q5/8/3k4/8/8/K7 b - - 0 1"]),
    ("KPvK", ["4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", "8/8/8/8/1k6/8/1P6/1K6 b - - 0 1"]),
    ("KNNvK", ["8/8/8/8/8/8/8/KNN4k b - - 0 1", "8/8/3N4/8/5k2/8/8/K1N5 w - - 0 1"]),
    ("KPvKP", ["8/8/8/8/k2Pp3/8/8/3K4 b - d3 0 1", "8/p7/8/8/4k3/8/6P1/3K4 w - - 0 1"]),
    ("KPPvK", ["8/8/8/3k4/8/2P5/1P6/K7 w - - 0 1", "8/8/8/3k4/7P/8/1P6/K7 b - - 0 1"]),
    ("KRvKN", ["8/8/8/3k4/3n4/8/8/KR6 w - - 0 1", "8/8/8/3k4/3n4/8/8/KR6 b - - 0 1"]),
];

/// A folder of this process, in memory where there is such a file system.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let memory = PathBuf::from("/dev/shm");
    let parent = if memory.is_dir() { memory } else { std::env::temp_dir() };
    let folder = parent.join(format!("longan-fuzz-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder can be made");
    folder
});

/// The bytes of a file: the right first ones, and a length that a table can have.
fn table(bytes: &[u8], magic: [u8; 4]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    while bytes.len() % 64 != 16 || bytes.len() < 64 {
        bytes.push(0);
    }
    bytes[..4].copy_from_slice(&magic);
    bytes
}

fuzz_target!(|input: (u8, u16, &[u8])| {
    let (number, length, data) = input;
    let (name, fens) = TABLES[usize::from(number) % TABLES.len()];
    let (wdl, dtz) = data.split_at(usize::from(length).min(data.len()));
    let files =
        [("rtbw", table(wdl, [0x71, 0xE8, 0x23, 0x5D])), ("rtbz", table(dtz, [0xD7, 0x66, 0x0C, 0xA5]))];
    for (ending, bytes) in &files {
        fs::write(FOLDER.join(name).with_extension(ending), bytes).expect("the file can be written");
    }
    let (tables, _) = Tablebases::open(FOLDER.to_str().expect("UTF-8"));
    for fen in fens {
        let board = Board::from_fen(fen).unwrap();
        let _ = (tables.probe_wdl(&board), tables.probe_dtz(&board));
        let moves = board.legal_moves();
        if let Some(ranks) = tables.rank_root(&board, &moves, true) {
            assert_eq!(ranks.len(), moves.len());
        }
        for note in tables.take_notes() {
            assert!(note.contains(name), "{note}");
        }
    }
    for (ending, _) in &files {
        fs::remove_file(FOLDER.join(name).with_extension(ending)).expect("the file can be removed");
    }
});
