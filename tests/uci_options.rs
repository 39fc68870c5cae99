//! Every option that changes what a GUI sees, through the program's pipes. Options about
//! tablebases, strength and books have tests of their own.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::engine::{Engine, field, has_error, pv_lines, with_word};

const WHITE_IS_A_QUEEN_UP: &str = "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const MATE_IN_TWO: &str = "7k/8/5K2/8/8/8/8/6R1 w - - 0 1";

fn scratch(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_file(&path);
    path
}

/// The chances of a line, in per mille.
fn wdl(line: &str) -> Option<[u32; 3]> {
    let mut words = line.split(' ').skip_while(|&word| word != "wdl").skip(1);
    let mut number = || words.next()?.parse().ok();
    Some([number()?, number()?, number()?])
}

#[test]
fn winning_chances_are_shown_when_asked_for() {
    let mut engine = Engine::start();
    let (lines, _) = engine.search("go depth 4");
    assert!(lines.iter().all(|line| wdl(line).is_none()));
    engine.send("setoption name UCI_ShowWDL value true\nsetoption name MultiPV value 3");
    for (fen, least, most) in [
        (WHITE_IS_A_QUEEN_UP, [900, 0, 0], [1000, 100, 30]),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", [0, 0, 0], [800, 1000, 500]),
        (MATE_IN_TWO, [1000, 0, 0], [1000, 0, 0]),
    ] {
        let (lines, _) = engine.search(&format!("position fen {fen}\ngo depth 6"));
        for line in pv_lines(&lines) {
            let chances = wdl(line).unwrap_or_else(|| panic!("no chances: {line}"));
            assert_eq!(chances.iter().sum::<u32>(), 1000, "{line}");
        }
        let best = lines.iter().rfind(|line| line.contains(" multipv 1 ")).unwrap();
        let chances = wdl(best).unwrap();
        for i in 0..3 {
            assert!((least[i]..=most[i]).contains(&chances[i]), "{best}");
        }
    }
}

#[test]
fn a_score_of_a_hundred_is_half_a_win() {
    let mut engine = Engine::start();
    engine.send("setoption name UCI_ShowWDL value true");
    let mut seen = 0;
    for fen in [
        "rnbqkb1r/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/1ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQk - 0 1",
        "rnbqkbnr/p1pppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/pp1ppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/ppp1pppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/pppp1ppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "4k3/pp3ppp/8/8/8/8/PPP2PPP/4K3 w - - 0 1",
        "r3k2r/pp3ppp/8/8/8/8/PPP2PPP/R3K2R w KQkq - 0 1",
    ] {
        let (lines, _) = engine.search(&format!("position fen {fen}\ngo depth 9"));
        for line in pv_lines(&lines) {
            let Some(score) = field(line, "cp").and_then(|text| text.parse::<i32>().ok()) else { continue };
            let win = wdl(line).unwrap()[0];
            seen += u32::from((90..=110).contains(&score));
            match score {
                ..=97 => assert!(win <= 502, "{line}"),
                98..=102 => assert!((485..=515).contains(&win), "{line}"),
                103.. => assert!(win >= 498, "{line}"),
            }
        }
    }
    assert!(seen > 0, "no score was near 100");
}

#[test]
fn nodes_can_count_as_time() {
    let mut engine = Engine::start();
    engine.send("setoption name nodestime value 10");
    let mut nodes = Vec::new();
    for _ in 0..2 {
        let (lines, _) = engine.search("ucinewgame\nposition startpos\ngo movetime 1000");
        nodes.push(field(pv_lines(&lines).last().unwrap(), "nodes").unwrap().parse::<u64>().unwrap());
    }
    assert_eq!(nodes[0], nodes[1], "the same nodes on any machine");
    assert!((1_000..=12_000).contains(&nodes[0]), "{nodes:?}");
    // An hour on the clock is over after some thousand nodes.
    let (lines, _) = engine.search("setoption name nodestime value 1\ngo wtime 3600 btime 3600");
    let last = field(pv_lines(&lines).last().unwrap(), "nodes").unwrap().parse::<u64>().unwrap();
    assert!(last < 5_000, "{last}");
}

#[test]
fn a_log_keeps_both_ways_with_times() {
    let path = scratch("engine.log");
    let mut engine = Engine::start();
    engine.send(&format!("setoption name Debug Log File value {}\nisready", path.display()));
    engine.until("readyok");
    engine.search("go depth 2");
    engine.send("setoption name Debug Log File value <empty>\nisready");
    engine.until("readyok");
    let log = fs::read_to_string(&path).unwrap();
    let lines: Vec<Vec<&str>> = log.lines().map(|line| line.splitn(3, ' ').collect()).collect();
    assert!(lines.iter().all(|line| line[0].parse::<f64>().is_ok_and(|time| time > 1.7e9)), "{log}");
    let (read, written): (Vec<_>, Vec<_>) = lines.iter().partition(|line| line[1] == "<");
    assert_eq!(
        read.iter().map(|line| line[2]).collect::<Vec<_>>(),
        ["isready", "go depth 2", "setoption name Debug Log File value <empty>",]
    );
    assert_eq!(written[0][2], "readyok");
    assert!(written.last().unwrap()[2].starts_with("bestmove "), "{log}");
}

#[test]
fn a_log_that_cannot_be_opened_is_refused_with_the_reason() {
    let mut engine = Engine::start();
    engine.send("setoption name Debug Log File value /no/such/folder/engine.log");
    let lines = engine.until_ready();
    assert!(has_error(&lines) && lines[0].contains("/no/such/folder/engine.log: "), "{lines:?}");
    engine.search("go depth 2");
}

#[test]
fn the_engine_tells_who_it_is() {
    let mut engine = Engine::start();
    engine.send("uci");
    let lines = engine.until("uciok");
    let about = "option name UCI_EngineAbout type string default Longan, a chess engine in Rust";
    assert_eq!(lines.iter().filter(|line| line.starts_with(about)).count(), 1);
    engine.send("setoption name UCI_EngineAbout value somebody else");
    assert!(has_error(&engine.until_ready()));
}

#[test]
fn options_set_during_a_search_take_effect_after_it() {
    let mut engine = Engine::start();
    engine.send("position startpos\ngo infinite");
    engine.until("info");
    engine.send("setoption name MultiPV value 3\nsetoption name UCI_ShowWDL value true");
    engine.send("setoption name UCI_Chess960 value true\nsetoption name Threads value 2");
    engine.until_ready();
    let (lines, _) = engine.search("stop");
    assert!(lines.iter().all(|line| !line.contains(" multipv 2 ") && wdl(line).is_none()), "{lines:?}");
    let (lines, _) = engine.search("go depth 5");
    assert!(pv_lines(&lines).iter().any(|line| line.contains(" multipv 3 ")));
    assert!(pv_lines(&lines).iter().all(|line| wdl(line).is_some()));
    assert!(with_word(&engine.end(), "bestmove").is_empty());
}
