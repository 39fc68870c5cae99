//! A table full of nonsense, as torn writes or a failing memory could leave it, and more nonsense
//! written while the search runs: whatever stands there, all moves stay legal and nothing breaks.

mod common;

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread;

use common::{Random, suite_positions};
use longan::board::{Board, Position};
use longan::search::{Limits, Pool, Report, SearchSettings};
use longan::tt::{Bound, Entry, Table};
use longan::types::{Key, Move};

/// What any 64 bits of the table could mean.
fn nonsense(random: &mut Random) -> Entry {
    let bits = |random: &mut Random| random.below(1 << 16) as u16;
    let bounds = [Bound::None, Bound::Upper, Bound::Lower, Bound::Exact];
    Entry {
        mv: Move::from_bits(bits(random)),
        score: (bits(random) as i16).into(),
        eval: (random.below(8) > 0).then_some((bits(random) as i16).into()),
        depth: random.below(256) as i32,
        bound: bounds[random.below(4)],
        pv: random.below(2) == 0,
    }
}

/// The keys of all positions up to `depth` plies below a position.
fn keys(position: &Position, depth: usize, found: &mut HashSet<Key>) {
    found.insert(position.key());
    if depth > 0 {
        for mv in position.legal_moves() {
            let mut next = *position;
            next.play(mv);
            keys(&next, depth - 1, found);
        }
    }
}

fn fill(table: &Table, keys: &[Key], random: &mut Random) {
    // A deep entry would stay; a new generation gives way.
    table.age();
    keys.iter().for_each(|&key| table.store(key, nonsense(random)));
}

fn check_legal(root: &Board, line: &[Move]) {
    let mut board = root.clone();
    for &mv in line {
        assert!(board.is_legal(mv), "{mv:?} of {line:?} is not legal in {}", board.fen());
        board.make(mv);
    }
}

#[test]
fn nonsense_in_the_table_never_leads_to_an_illegal_move() {
    let mut random = Random(11);
    let mut pool = Pool::new(2, 1).unwrap();
    for fen in suite_positions().step_by(5) {
        let root = Board::from_fen(fen).unwrap();
        let mut set = HashSet::new();
        keys(root.position(), 2, &mut set);
        let keys: Vec<Key> = set.into_iter().collect();
        fill(&pool.shared().table, &keys, &mut random);
        let reports = Arc::new(Mutex::new(Vec::new()));
        let sink = reports.clone();
        let settings = SearchSettings { multi_pv: 1 + random.below(3), ..SearchSettings::default() };
        let sink = Arc::new(move |report| sink.lock().unwrap().push(report));
        pool.go(root.clone(), Limits::nodes(6000), settings, sink);
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            let table = &pool.shared().table;
            let (keys, done, seed) = (&keys, &done, random.below(1 << 30) as u64 + 1);
            scope.spawn(move || {
                let mut random = Random(seed);
                while !done.load(Relaxed) {
                    table.store(keys[random.below(keys.len())], nonsense(&mut random));
                }
            });
            pool.wait();
            done.store(true, Relaxed);
        });
        for report in reports.lock().unwrap().iter() {
            match report {
                Report::Line(line) => check_legal(&root, &line.pv),
                Report::BestMove { best, ponder } => {
                    assert_eq!(best.is_some(), root.has_legal_move(), "{fen}");
                    check_legal(&root, &best.iter().chain(ponder).copied().collect::<Vec<_>>());
                }
                Report::CurrentMove { mv, .. } => check_legal(&root, &[*mv]),
                Report::Note(_) => {}
            }
        }
    }
}
