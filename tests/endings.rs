//! Endings that are won or drawn by technique, played out against itself without tablebases: bishop
//! and knight, queen against rook, and pawn endings must end as the tables say.

use std::num::NonZero;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use longan::board::{Board, Outcome};
use longan::eval::EvalSource;
use longan::search::Limits;
use longan::tools::searcher::Searcher;
use longan::types::Color;

fn play_out(searcher: &mut Searcher, fen: &str) -> Outcome {
    let mut board = Board::from_fen(fen).expect("a position of the file");
    // The engine knows the result of king and pawn against king; pieces must find the mate.
    let nodes = if board.occupied().count() == 3 { 2_000 } else { 40_000 };
    searcher.clear();
    loop {
        if let Some(outcome) = board.outcome() {
            return outcome;
        }
        let found = searcher.search(&board, &Limits::nodes(nodes));
        board.make(found.best.expect("the game goes on"));
    }
}

#[test]
fn endings_end_as_the_tablebases_say() {
    let file = include_str!("data/endings.txt");
    let lines: Vec<_> = file.lines().filter(|line| !line.starts_with('#')).collect();
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        let mut searcher = Searcher::new(4, EvalSource::default()).expect("a small table");
        while let Some(line) = lines.get(next.fetch_add(1, Relaxed)) {
            let (fen, value) = line.split_once("; ").expect("a position and its value");
            let outcome = play_out(&mut searcher, fen);
            let won = outcome == Outcome::Checkmate { winner: Color::White };
            if won != (value == "win") {
                wrong.lock().unwrap().push(format!("{line}: {outcome:?}"));
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, NonZero::get) {
            // The search is a deep recursion.
            let builder = thread::Builder::new().stack_size(32 << 20);
            builder.spawn_scoped(scope, work).expect("a thread can be started");
        }
    });
    assert_eq!(lines.len(), 35);
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), lines.len());
}
