//! The search as its users see it: mates of known length, draws, limits, determinism.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use longan::board::Board;
use longan::eval::{EvalSource, Evaluator};
use longan::search::{Clock, Limits, Line, Pool, Report, SearchResult, SearchSettings, Shared, Worker};
use longan::tt::Bound;
use longan::types::{ByColor, Move, Score, is_mate, mate_distance, mate_in};

const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

fn board(fen: &str) -> Board {
    Board::from_fen(fen).unwrap_or_else(|error| panic!("{fen}: {error}"))
}

fn search(fen: &str, limits: Limits) -> SearchResult {
    let shared = Arc::new(Shared::new(1, 8).unwrap());
    let mut worker = Worker::new(0, shared, Evaluator::new(EvalSource::default()));
    worker.search(&board(fen), &limits, &SearchSettings::default(), None)
}

/// All reports of a search by a pool of one thread.
fn reports(fen: &str, limits: Limits, settings: SearchSettings) -> Vec<Report> {
    let mut pool = Pool::new(1, 8).unwrap();
    let reports = Arc::new(Mutex::new(Vec::new()));
    let sink = reports.clone();
    pool.go(board(fen), limits, settings, Arc::new(move |report| sink.lock().unwrap().push(report)));
    pool.wait();
    reports.lock().unwrap().clone()
}

fn lines(reports: &[Report]) -> Vec<&Line> {
    let lines = reports.iter().filter_map(|report| match report {
        Report::Line(line) => Some(line),
        _ => None,
    });
    lines.collect()
}

#[test]
fn mates_have_their_exact_length() {
    // Lengths proved by exhaustive search; negative: the side to move is mated.
    for (fen, moves) in [
        ("7k/8/5K2/8/8/8/8/6R1 w - - 0 1", 2),
        ("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1", 1),
        ("4k3/8/4K3/8/8/8/8/7R w - - 0 1", 1),
        ("k7/8/1K6/8/8/8/8/7R b - - 0 1", -1),
    ] {
        let result = search(fen, Limits::depth(9));
        assert!(is_mate(result.score), "{fen}: {}", result.score);
        assert_eq!(mate_distance(result.score), moves, "{fen}");
    }
}

#[test]
fn a_mated_or_stalemated_root_has_no_move() {
    for fen in ["7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1"] {
        let result = search(fen, Limits::depth(5));
        assert_eq!((result.best, result.depth), (None, 0), "{fen}");
    }
}

#[test]
fn one_thread_is_deterministic() {
    let first = search(KIWIPETE, Limits::depth(9));
    let second = search(KIWIPETE, Limits::depth(9));
    assert_eq!(first, second);
    assert!(first.nodes > 1000);
}

#[test]
fn clearing_gives_the_search_of_a_new_engine() {
    let mut pool = Pool::new(1, 4).unwrap();
    let settings = SearchSettings::default();
    let first = pool.run(&board(KIWIPETE), &Limits::depth(8), &settings);
    let warm = pool.run(&board(KIWIPETE), &Limits::depth(8), &settings);
    assert_ne!(first.nodes, warm.nodes, "the table and the histories are kept");
    pool.clear();
    assert_eq!(pool.run(&board(KIWIPETE), &Limits::depth(8), &settings), first);
}

#[test]
fn one_thread_stops_exactly_at_the_node_limit() {
    for nodes in [1_000, 12_345, 50_000] {
        assert_eq!(search(KIWIPETE, Limits::nodes(nodes)).nodes, nodes);
    }
}

#[test]
fn a_soft_limit_ends_with_a_whole_iteration() {
    let limits = Limits { soft_nodes: Some(5_000), ..Limits::default() };
    let result = search(KIWIPETE, limits);
    assert!(result.nodes >= 5_000);
    assert_eq!(search(KIWIPETE, Limits::depth(result.depth as u32)), result);
}

#[test]
fn only_the_wanted_root_moves_are_searched() {
    let root = board(KIWIPETE);
    let wanted: Vec<Move> = ["a2a3", "h1f1"].map(|text| root.parse_uci(text).unwrap()).to_vec();
    let limits = Limits { search_moves: wanted.clone(), ..Limits::depth(6) };
    let reports = reports(KIWIPETE, limits, SearchSettings { multi_pv: 5, ..SearchSettings::default() });
    let lines = lines(&reports);
    assert!(lines.iter().all(|line| wanted.contains(&line.pv[0])));
    assert_eq!(lines.iter().map(|line| line.multipv).max(), Some(2));
}

#[test]
fn several_lines_are_distinct_sorted_and_complete() {
    let settings = SearchSettings { multi_pv: 4, ..SearchSettings::default() };
    let reports = reports(KIWIPETE, Limits::depth(7), settings);
    let lines = lines(&reports);
    for depth in 1..=7 {
        let at_depth: Vec<&&Line> = lines.iter().filter(|line| line.depth == depth).collect();
        assert_eq!(at_depth.iter().map(|line| line.multipv).collect::<Vec<_>>(), [1, 2, 3, 4]);
        assert!(at_depth.is_sorted_by(|a, b| a.score >= b.score), "depth {depth}");
        assert!(at_depth.iter().all(|line| line.bound == Bound::Exact));
        let mut moves: Vec<u16> = at_depth.iter().map(|line| line.pv[0].bits()).collect();
        moves.sort_unstable();
        moves.dedup();
        assert_eq!(moves.len(), 4);
    }
    let Some(Report::BestMove { best, .. }) = reports.last() else { panic!("no best move") };
    let last = lines.iter().rfind(|line| line.multipv == 1).unwrap();
    assert_eq!(*best, Some(last.pv[0]));
}

#[test]
fn every_line_is_legal_to_its_end() {
    for fen in [KIWIPETE, "8/8/8/8/8/4k3/4p3/4K3 b - - 0 1", "7k/8/5K2/8/8/8/8/6R1 w - - 0 1"] {
        for line in lines(&reports(fen, Limits::depth(10), SearchSettings::default())) {
            let mut play = board(fen);
            for &mv in &line.pv {
                assert!(play.is_legal(mv), "{fen}: {:?}", line.pv);
                play.make(mv);
            }
        }
    }
}

#[test]
fn a_mating_line_ends_in_mate() {
    let fen = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1";
    let limits = Limits { mate: Some(2), ..Limits::default() };
    let reports = reports(fen, limits, SearchSettings::default());
    let line = *lines(&reports).last().unwrap();
    assert_eq!(line.score, mate_in(3));
    let mut play = board(fen);
    line.pv.iter().for_each(|&mv| play.make(mv));
    assert!(play.in_check() && play.legal_moves().is_empty());
}

/// Draws that only the rules give.
#[test]
fn draws_by_rule_score_about_zero() {
    const NOISE: Score = 2;
    let cases = [
        ("perpetual check is the only way to hold", "6k1/6p1/8/6KQ/1r6/q2b4/8/8 w - - 0 1"),
        ("a bare minor piece cannot win", "8/8/4k3/8/8/2BK4/8/8 w - - 0 1"),
        ("one half-move is left and no pawn move or capture is at hand", "8/8/4k3/8/8/2QK4/8/8 w - - 99 80"),
    ];
    for (why, fen) in cases {
        let result = search(fen, Limits::depth(10));
        assert!(result.score.abs() <= NOISE, "{why}: {}", result.score);
    }
}

#[test]
fn mate_on_the_hundredth_half_move_counts() {
    let result = search("7k/8/6K1/8/8/8/8/R7 w - - 99 80", Limits::depth(4));
    assert_eq!(result.score, mate_in(1));
}

#[test]
fn a_stop_right_after_go_is_not_lost() {
    let mut pool = Pool::new(2, 4).unwrap();
    for _ in 0..50 {
        let found = Arc::new(Mutex::new(None));
        let sink = found.clone();
        let limits = Limits { infinite: true, ..Limits::default() };
        let sink: longan::search::Sink = Arc::new(move |report| {
            if let Report::BestMove { best, .. } = report {
                *sink.lock().unwrap() = best;
            }
        });
        pool.go(Board::startpos(), limits, SearchSettings::default(), sink);
        pool.stop();
        pool.wait();
        let best: Option<Move> = found.lock().unwrap().take();
        assert!(Board::startpos().is_legal(best.expect("a best move for each search")));
    }
}

#[test]
fn pondering_waits_for_the_hit_and_then_obeys_the_clock() {
    let mut pool = Pool::new(1, 4).unwrap();
    let clock = Some(Clock { remaining: 100, increment: 0 });
    let limits = Limits { ponder: true, clocks: ByColor([clock, clock]), ..Limits::default() };
    pool.go(Board::startpos(), limits, SearchSettings::default(), Arc::new(|_| ()));
    std::thread::sleep(Duration::from_millis(200));
    assert!(pool.is_searching(), "twice the clock has passed on the opponent's time");
    pool.ponderhit();
    pool.wait();
}

#[test]
fn threads_and_hash_can_change_between_searches() {
    let mut pool = Pool::new(1, 1).unwrap();
    for threads in [2, 3, 1] {
        assert!(pool.set_threads(threads).is_ok());
        assert!(pool.set_hash(threads + 1).is_ok());
        let result = pool.run(&board(KIWIPETE), &Limits::nodes(20_000), &SearchSettings::default());
        assert!(result.nodes >= 20_000 && result.best.is_some());
    }
    assert!(pool.set_hash(1 << 43).is_err());
    assert_eq!(pool.shared().table.megabytes(), 2, "the old size");
}
