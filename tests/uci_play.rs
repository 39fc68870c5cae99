//! Books and limited strength, through the program's pipes.

mod common;

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use common::engine::{Engine, field, has_error, pv_lines};
use longan::board::Board;
use longan::book;

const BOOK: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/lasker-trap.bin");
/// A position of that book, whose only move there is the promotion to a knight.
const BEFORE_PROMOTION: &str = "moves d2d4 d7d5 c2c4 e7e5 d4e5 d5d4 e2e3 f8b4 c1d2 d4e3 d2b4 e3f2 e1e2";

fn with_book() -> Engine {
    let mut engine = Engine::start();
    engine.send(&format!("setoption name BookFile value {BOOK}\nsetoption name OwnBook value true"));
    assert!(engine.until_ready().is_empty());
    engine
}

#[test]
fn the_book_is_played_when_a_game_is() {
    let mut engine = with_book();
    for limit in ["movetime 1", "wtime 1000 btime 1000", "depth 1", "nodes 1"] {
        let (lines, best) = engine.search(&format!("position startpos {BEFORE_PROMOTION}\ngo {limit}"));
        assert_eq!((best.as_str(), lines.len()), ("f2g1n", 1), "{limit}: {lines:?}");
        assert!(lines[0].starts_with("info string "), "{lines:?}");
    }
    // Outside the book the engine thinks.
    let (lines, _) = engine.search("position startpos\ngo depth 3");
    assert!(!pv_lines(&lines).is_empty());
}

#[test]
fn the_book_stays_shut_in_analysis() {
    let position = format!("position startpos {BEFORE_PROMOTION}");
    let thinks = |engine: &mut Engine, go: &str| {
        engine.send(&format!("{position}\n{go}"));
        engine.until("info depth 1 ");
        engine.search("stop");
    };
    let mut engine = with_book();
    for go in
        ["go infinite", "go ponder wtime 60000 btime 60000", "go mate 3", "go depth 40 searchmoves f2g1n"]
    {
        thinks(&mut engine, go);
    }
    for option in ["MultiPV value 2", "UCI_AnalyseMode value true", "OwnBook value false", "BookFile value"] {
        let mut engine = with_book();
        engine.send(&format!("setoption name {option}"));
        thinks(&mut engine, "go depth 3");
    }
}

#[test]
fn castling_from_a_book_is_written_as_the_mode_wants() {
    let fen = "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1";
    let key = book::key(Board::from_fen(fen).unwrap().position());
    // From e1 (4) to a1 (0), weight 1.
    let entry = [&key.to_be_bytes()[..], &(4_u16 << 6).to_be_bytes(), &[0, 1, 0, 0, 0, 0]].concat();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("castling.bin");
    fs::write(&path, entry).unwrap();
    let mut engine = Engine::start();
    engine.send(&format!(
        "setoption name OwnBook value true\nsetoption name BookFile value {}",
        path.display()
    ));
    assert_eq!(engine.search(&format!("position fen {fen}\ngo movetime 1")).1, "e1c1");
    engine.send("setoption name UCI_Chess960 value true");
    assert_eq!(engine.search(&format!("position fen {fen}\ngo movetime 1")).1, "e1a1");
}

#[test]
fn a_bad_book_is_refused_and_the_old_one_stays() {
    let bad = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bad book.bin");
    fs::write(&bad, "this is no book").unwrap();
    let mut engine = with_book();
    for (path, reason) in [(bad.to_str().unwrap(), "size"), ("/no/such/book.bin", "/no/such/book.bin: ")] {
        engine.send(&format!("setoption name BookFile value {path}"));
        let lines = engine.until_ready();
        assert!(has_error(&lines) && lines[0].contains(reason), "{lines:?}");
    }
    let (_, best) = engine.search(&format!("position startpos {BEFORE_PROMOTION}\ngo movetime 1"));
    assert_eq!(best, "f2g1n");
}

fn nodes(lines: &[String]) -> u64 {
    field(pv_lines(lines).last().unwrap(), "nodes").unwrap().parse().unwrap()
}

#[test]
fn a_limited_engine_searches_the_same_at_any_time_control_and_varies_its_moves() {
    let mut engine = Engine::start();
    engine.send("setoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value 1000");
    let mut moves = HashSet::new();
    for go in
        ["go movetime 100000", "go wtime 3600000 btime 3600000", "go depth 100", "go wtime 3600000 btime 1"]
    {
        for _ in 0..8 {
            let (lines, best) = engine.search(&format!("ucinewgame\nposition startpos\n{go}"));
            assert!(nodes(&lines) < 1_000, "{go}: {lines:?}");
            assert!(Board::startpos().parse_uci(&best).is_ok());
            assert!(lines.iter().all(|line| !line.contains(" multipv 2 ")));
            moves.insert(best);
        }
    }
    assert!(moves.len() > 1, "{moves:?}");
}

#[test]
fn a_weak_engine_still_mates_and_takes_what_hangs() {
    let mut engine = Engine::start();
    engine.send("setoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value 1400");
    for (fen, answer) in
        [("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", "d1d8"), ("4k3/8/8/3q4/4P3/8/5PPP/6K1 w - - 0 1", "e4d5")]
    {
        for _ in 0..20 {
            assert_eq!(engine.search(&format!("position fen {fen}\ngo movetime 1000")).1, answer, "{fen}");
        }
    }
}

#[test]
fn skill_levels_limit_and_analysis_does_not() {
    let mut engine = Engine::start();
    let go = "ucinewgame\nposition startpos\ngo depth 10";
    let full = nodes(&engine.search(go).0);
    engine.send("setoption name Skill Level value 0");
    assert!(nodes(&engine.search(go).0) < full / 4);
    engine.send("setoption name UCI_AnalyseMode value true");
    assert_eq!(nodes(&engine.search(go).0), full);
    engine.send("setoption name UCI_AnalyseMode value false\nsetoption name Skill Level value 20");
    assert_eq!(nodes(&engine.search(go).0), full);
    // The rating has the last word.
    engine.send("setoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value 1500");
    assert!(nodes(&engine.search(go).0) < full / 4);
    engine.send("setoption name UCI_Elo value 99999");
    assert!(engine.until_ready()[0].starts_with("info string "));
    // More threads do not make it stronger.
    engine.send("setoption name UCI_Elo value 1000\nsetoption name Threads value 3");
    assert!(nodes(&engine.search(go).0) < 20_000);
}
