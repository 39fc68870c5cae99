//! The tablebases against values of other programs. The tables are too big for the repository:
//! `LONGAN_SYZYGY` names a folder that has those of up to four men.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{Random, records, syzygy};
use longan::board::Board;
use longan::eval::endgame::known;
use longan::tablebase::{Tablebases, Wdl};
use longan::types::Move;

fn open(folder: &str) -> Tablebases {
    let (tables, notes) = Tablebases::open(folder);
    assert_eq!(notes, Vec::<String>::new());
    tables
}

fn board(fen: &str) -> Board {
    Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

/// A folder of this test's own.
fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn values_and_distances_are_those_of_other_programs() {
    let Some(folder) = syzygy() else { return };
    let tables = open(&folder);
    assert_eq!((tables.men(), tables.counts()), (4, [35, 35]));
    for [fen, wdl, dtz, note] in records(include_str!("data/syzygy.txt")) {
        let position = *board(fen).position();
        let found = tables.probe_wdl(&position).map(|wdl| wdl as i32);
        assert_eq!(found, wdl.parse().ok(), "{fen} {note}");
        assert_eq!(tables.probe_dtz(&position), dtz.parse().ok(), "{fen} {note}");
    }
}

#[test]
fn positions_outside_the_tables_have_no_value() {
    let Some(folder) = syzygy() else { return };
    let tables = open(&folder);
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1",
        "4k3/8/8/8/8/8/PPP5/4K3 w - - 0 1",
    ] {
        assert_eq!(tables.probe_wdl(board(fen).position()), None, "{fen}");
        assert_eq!(tables.probe_dtz(board(fen).position()), None, "{fen}");
    }
}

/// The moves of the best rank.
fn best_moves(tables: &Tablebases, fen: &str, fifty_moves: bool) -> (Vec<String>, Wdl) {
    let board = board(fen);
    let moves: Vec<Move> = board.legal_moves().into_iter().collect();
    let ranks = tables.rank_root(&board, &moves, fifty_moves).expect("all moves are in the tables");
    let best = ranks.iter().max_by_key(|rank| rank.rank).unwrap();
    let mut names: Vec<_> = moves
        .iter()
        .zip(&ranks)
        .filter(|(_, rank)| rank.rank == best.rank)
        .map(|(&mv, _)| board.uci(mv))
        .collect();
    names.sort();
    (names, best.wdl)
}

#[test]
fn root_moves_are_ranked_by_result() {
    let Some(folder) = syzygy() else { return };
    let tables = open(&folder);
    assert_eq!(best_moves(&tables, "4k3/8/3K4/4P3/8/8/8/8 w - - 0 1", true).1, Wdl::Win);
    // The pawn alone may move, and the opposition is lost with it.
    let (moves, wdl) = best_moves(&tables, "4k3/8/4K3/4P3/8/8/8/8 w - - 0 1", true);
    assert_eq!(wdl, Wdl::Win);
    assert!(!moves.is_empty());
    assert_eq!(best_moves(&tables, "4k3/8/4K3/4P3/8/8/8/8 b - - 0 1", true).1, Wdl::Loss);
    // A rook that hangs, or stalemate, does not win.
    let (moves, wdl) = best_moves(&tables, "7k/8/5K2/6R1/8/8/8/8 w - - 0 1", true);
    assert!(!moves.contains(&"g5g7".into()) && wdl == Wdl::Win, "{moves:?}");
}

#[test]
fn the_fifty_move_rule_decides_where_it_comes_near() {
    let Some(folder) = syzygy() else { return };
    let tables = open(&folder);
    // The longest way to go: 58 plies to mate, and nothing can be taken before.
    let fen = |clock: u32| format!("8/8/8/8/3k4/8/8/KBN5 w - - {clock} 90");
    assert_eq!(tables.probe_dtz(board(&fen(0)).position()), Some(58));
    assert_eq!(best_moves(&tables, &fen(0), true).1, Wdl::Win);
    let (moves, wdl) = best_moves(&tables, &fen(41), true);
    assert_eq!(wdl, Wdl::Win);
    assert!(moves.len() < best_moves(&tables, &fen(0), true).0.len(), "only the fast ways are left");
    assert_eq!(best_moves(&tables, &fen(60), true).1, Wdl::CursedWin);
    assert_eq!(best_moves(&tables, &fen(60), false).1, Wdl::Win);
    // The loser counts on the same rule.
    let fen = |clock: u32| format!("8/8/8/8/3k4/8/8/KBN5 b - - {clock} 90");
    assert_eq!(best_moves(&tables, &fen(95), true).1, Wdl::BlessedLoss);
    assert_eq!(best_moves(&tables, &fen(95), false).1, Wdl::Loss);
}

#[test]
fn missing_tables_only_silence_what_needs_them() {
    let Some(folder) = syzygy() else { return };
    let partial = scratch("syzygy_partial");
    for name in ["KQvK.rtbw", "KQvK.rtbz", "KRvK.rtbw", "KQvKR.rtbw"] {
        fs::copy(Path::new(&folder).join(name), partial.join(name)).unwrap();
    }
    let tables = open(partial.to_str().unwrap());
    assert_eq!((tables.men(), tables.counts()), (4, [3, 1]));
    let queen_and_rook = board("8/8/8/8/3k4/8/5r2/K6Q w - - 0 1");
    assert_eq!(tables.probe_wdl(queen_and_rook.position()), Some(Wdl::Win));
    assert_eq!(tables.probe_dtz(queen_and_rook.position()), None, "its distances are missing");
    let moves: Vec<Move> = queen_and_rook.legal_moves().into_iter().collect();
    assert!(tables.rank_root(&queen_and_rook, &moves, true).is_none());
    assert!(tables.rank_root_by_value(&queen_and_rook, &moves, true).is_some());
    assert_eq!(tables.probe_wdl(board("8/8/8/8/3k4/8/8/KN6 w - - 0 1").position()), None);
    assert_eq!(tables.take_notes(), Vec::<String>::new(), "nothing is damaged");
}

#[test]
fn folders_are_a_list_and_need_not_exist() {
    let Some(folder) = syzygy() else { return };
    let spaced = scratch("syzygy two words");
    fs::copy(Path::new(&folder).join("KPvK.rtbw"), spaced.join("KPvK.rtbw")).unwrap();
    fs::write(spaced.join("readme.txt"), "no table").unwrap();
    let (tables, notes) = Tablebases::open(&format!("/no/such/folder;{};;", spaced.display()));
    assert_eq!(tables.counts(), [1, 0]);
    assert!(notes.len() == 1 && notes[0].starts_with("/no/such/folder: "), "{notes:?}");
    let (both, _) = Tablebases::open(&format!("{};{folder}", spaced.display()));
    assert_eq!(both.counts(), [35, 35]);
    assert_eq!(Tablebases::open("").0.men(), 0);
}

#[test]
fn what_is_no_whole_table_is_refused_at_once() {
    let Some(folder) = syzygy() else { return };
    let broken = scratch("syzygy_broken");
    let whole = fs::read(Path::new(&folder).join("KQvKR.rtbw")).unwrap();
    fs::write(broken.join("KQvKR.rtbw"), &whole[..whole.len() - 1]).unwrap();
    fs::write(broken.join("KRvK.rtbw"), "<html>not found</html>".repeat(9)).unwrap();
    fs::write(broken.join("KQvK.rtbw"), "").unwrap();
    fs::write(broken.join("KPvK.rtbz"), &whole).unwrap();
    let (tables, notes) = Tablebases::open(broken.to_str().unwrap());
    assert_eq!((tables.counts(), notes.len()), ([0, 0], 4), "{notes:?}");
    assert!(notes.iter().any(|note| note.contains("KQvKR.rtbw: its size")), "{notes:?}");
    assert!(notes.iter().any(|note| note.contains("KRvK.rtbw: it is no such table")), "{notes:?}");
}

#[test]
fn damage_inside_a_file_is_noticed_or_harmless() {
    let Some(folder) = syzygy() else { return };
    let damaged = scratch("syzygy_damaged");
    let files = ["KQvKR.rtbw", "KQvKR.rtbz", "KPvKP.rtbw", "KPvKP.rtbz", "KRRvK.rtbz", "KPPvK.rtbw"];
    let fens =
        ["8/8/8/8/3k4/8/5r2/K6Q", "8/2p5/8/8/k2P4/8/8/3K4", "8/8/3k4/8/8/8/RR6/K7", "8/8/3k4/8/8/8/PP6/K7"];
    let mut random = Random(0x1234_5678_9abc_def1);
    let mut noticed = 0;
    for round in 0..120 {
        let name = files[round % files.len()];
        let mut bytes = fs::read(Path::new(&folder).join(name)).unwrap();
        match round % 4 {
            // Truncated where the size still looks right.
            0 => bytes.truncate(16 + 64 * random.below(bytes.len() / 64)),
            // Headers, where a wrong byte does most harm.
            1 => bytes[4 + random.below(200)] ^= 1 << random.below(8),
            2 => {
                let at = random.below(bytes.len() - 64);
                bytes[at..at + 64].fill(0xff);
            }
            _ => (0..50).for_each(|_| {
                let at = 4 + random.below(bytes.len() - 4);
                bytes[at] = random.below(256) as u8;
            }),
        }
        for file in fs::read_dir(&damaged).unwrap() {
            fs::remove_file(file.unwrap().path()).unwrap();
        }
        fs::write(damaged.join(name), bytes).unwrap();
        let (tables, mut notes) = Tablebases::open(&format!("{};{folder}", damaged.display()));
        for fen in fens {
            for side in ["w", "b"] {
                let Ok(board) = Board::from_fen(&format!("{fen} {side} - - 0 1")) else { continue };
                tables.probe_wdl(board.position());
                tables.probe_dtz(board.position());
            }
        }
        notes.extend(tables.take_notes());
        assert!(notes.iter().all(|note| note.contains(name)), "{notes:?}");
        noticed += usize::from(!notes.is_empty());
    }
    assert!(noticed > 30, "{noticed}");
}

#[test]
fn king_and_pawn_against_king_is_evaluated_as_the_tables_say() {
    let Some(folder) = syzygy() else { return };
    let tables = open(&folder);
    let mut compared = 0;
    for (pawn, white, black) in
        (8..56).flat_map(|a| (0..64).flat_map(move |b| (0..64).map(move |c| (a, b, c))))
    {
        for (man, side) in [('P', 'w'), ('P', 'b'), ('p', 'w'), ('p', 'b')] {
            let place = |square| match square {
                s if s == pawn => man,
                s if s == white => 'K',
                s if s == black => 'k',
                _ => '1',
            };
            let rank = |rank: usize| (8 * rank..8 * rank + 8).map(place).collect::<String>();
            let ranks: Vec<String> = (0..8).rev().map(rank).collect();
            let Ok(board) = Board::from_fen(&format!("{} {side} - - 0 1", ranks.join("/"))) else { continue };
            let known = known(board.position()).expect("three men with a pawn");
            let right = tables.probe_wdl(board.position()).expect("a table of three men") as i32;
            assert_eq!(known.signum(), right.signum(), "{}", board.fen());
            compared += 1;
        }
    }
    assert_eq!(compared, 2 * 331_352);
}
