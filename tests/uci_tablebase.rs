//! Tablebases through the protocol. The tables are too big for the repository: `LONGAN_SYZYGY`
//! names a folder that has those of up to four men.

mod common;

use std::path::Path;

use common::engine::{Engine, field, has_error, pv_lines};
use common::syzygy;
use longan::board::{Board, Outcome};

/// An engine with tables, if there are any.
fn with_tables() -> Option<Engine> {
    let folder = syzygy()?;
    let mut engine = Engine::start();
    engine.send(&format!("setoption name SyzygyPath value {folder}"));
    assert_eq!(engine.until_ready(), ["info string found 35 WDL and 35 DTZ tables of up to 4 men"]);
    Some(engine)
}

fn number(line: &str, word: &str) -> i64 {
    field(line, word).and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("no {word}: {line}"))
}

#[test]
fn a_path_without_tables_is_refused_and_another_can_follow() {
    let mut engine = Engine::start();
    engine.send("setoption name SyzygyPath value /no/such folder;");
    let lines = engine.until_ready();
    assert!(has_error(&lines) && lines[0].contains("/no/such folder: "), "{lines:?}");
    engine.send(&format!("setoption name SyzygyPath value {}", env!("CARGO_MANIFEST_DIR")));
    assert!(has_error(&engine.until_ready()));
    engine.send("setoption name SyzygyPath value <empty>\nsetoption name SyzygyPath value");
    assert!(engine.until_ready().is_empty());
    engine.search("position fen 8/8/8/8/3k4/8/5r2/K6Q w - - 0 1\ngo depth 3");
}

#[test]
fn the_display_names_the_value() {
    let Some(mut engine) = with_tables() else { return };
    engine.send("position fen 8/8/8/8/3k4/8/5r2/K6Q w - - 0 1\nd");
    engine.until("Tablebase: win, DTZ 53");
    engine.send("position fen 8/8/8/8/8/8/8/KNN4k b - - 0 1\nd");
    engine.until("Tablebase: draw, DTZ 0");
    engine.send("position startpos\nd");
    let lines = engine.until("Checkers");
    assert!(lines.iter().all(|line| !line.starts_with("Tablebase")), "{lines:?}");
}

#[test]
fn root_moves_are_ranked_in_every_line() {
    let Some(mut engine) = with_tables() else { return };
    // Some moves win, the others lose the queen.
    let fen = "8/8/8/8/3k4/8/5r2/K6Q w - - 0 1";
    engine.send("setoption name MultiPV value 256");
    let (lines, best) = engine.search(&format!("position fen {fen}\ngo depth 6"));
    let lines = pv_lines(&lines);
    let last: Vec<_> = lines.iter().filter(|line| number(line, "depth") == 6).collect();
    let moves = Board::from_fen(fen).unwrap().legal_moves().len();
    assert_eq!(last.len(), moves);
    let scores: Vec<_> = last.iter().map(|line| number(line, "cp")).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    assert!(scores[0] > 19_000 && *scores.last().unwrap() < -19_000, "{scores:?}");
    assert!(last.iter().all(|line| number(line, "tbhits") >= moves as i64));
    assert_eq!(field(last[0], "pv"), Some(&*best));
    // The worst move of all, when only it is asked for, loses.
    let worst = field(last[moves - 1], "pv").unwrap().to_string();
    let (lines, best) = engine.search(&format!("go depth 5 searchmoves {worst}"));
    assert_eq!(best, worst);
    let last = *pv_lines(&lines).last().unwrap();
    assert!(number(last, "cp") < -19_000, "{last}");
}

#[test]
fn captures_are_looked_up_inside_the_search() {
    let Some(mut engine) = with_tables() else { return };
    // Five men: trading queens leads to a won ending of king and pawn.
    let position = "position fen 3q4/7k/8/8/3Q4/4K3/4P3/8 w - - 0 1\ngo depth 8";
    let (lines, _) = engine.search(position);
    assert!(number(pv_lines(&lines).last().unwrap(), "tbhits") > 0);
    for switch in ["SyzygyProbeLimit value 0", "SyzygyPath value <empty>"] {
        engine.send(&format!("ucinewgame\nsetoption name {switch}"));
        let (lines, _) = engine.search(position);
        assert_eq!(number(pv_lines(&lines).last().unwrap(), "tbhits"), 0, "{switch}");
    }
}

#[test]
fn the_probe_depth_spares_the_leaves() {
    let Some(mut engine) = with_tables() else { return };
    let position = "ucinewgame\nposition fen 3q4/7k/8/8/3Q4/4K3/4P3/8 w - - 0 1\ngo depth 8";
    let mut hits = |depth: u32| {
        engine.send(&format!("setoption name SyzygyProbeDepth value {depth}"));
        let (lines, _) = engine.search(position);
        number(pv_lines(&lines).last().unwrap(), "tbhits")
    };
    assert!(hits(1) > hits(100));
}

#[test]
fn the_fifty_move_rule_can_be_switched_off() {
    let Some(mut engine) = with_tables() else { return };
    let position = "position fen 8/8/8/8/3k4/8/8/KBN5 w - - 60 90\ngo depth 4";
    let (lines, _) = engine.search(position);
    assert!((0..100).contains(&number(pv_lines(&lines).last().unwrap(), "cp")), "{lines:?}");
    let (lines, _) = engine.search(&format!("setoption name Syzygy50MoveRule value false\n{position}"));
    assert!(number(pv_lines(&lines).last().unwrap(), "cp") > 19_000, "{lines:?}");
}

#[test]
fn bishop_and_knight_mate_in_time_with_few_nodes() {
    let Some(mut engine) = with_tables() else { return };
    let fen = "8/8/8/8/3k4/8/8/KBN5 w - - 0 1";
    let mut board = Board::from_fen(fen).unwrap();
    let mut moves = String::new();
    while board.outcome().is_none() {
        let (_, best) = engine.search(&format!("position fen {fen} moves{moves}\ngo nodes 300"));
        board.make(board.parse_uci(&best).unwrap());
        moves += &format!(" {best}");
    }
    assert!(matches!(board.outcome(), Some(Outcome::Checkmate { .. })), "{:?} {moves}", board.outcome());
}

#[test]
fn a_damaged_file_is_told_with_the_best_move() {
    let Some(folder) = syzygy() else { return };
    let damaged = Path::new(env!("CARGO_TARGET_TMPDIR")).join("syzygy_uci_damaged");
    std::fs::create_dir_all(&damaged).unwrap();
    let mut bytes = std::fs::read(Path::new(&folder).join("KQvKR.rtbw")).unwrap();
    bytes.truncate(64 * 20 + 16);
    std::fs::write(damaged.join("KQvKR.rtbw"), bytes).unwrap();
    let mut engine = Engine::start();
    engine.send(&format!("setoption name SyzygyPath value {};{folder}", damaged.display()));
    let (lines, best) = engine.search("position fen 8/8/8/8/3k4/8/5r2/K6Q w - - 0 1\ngo depth 4");
    assert!(
        lines.iter().any(|line| line.starts_with("info string") && line.contains("KQvKR.rtbw: ")),
        "{lines:?}"
    );
    assert_ne!(best, "0000");
}
