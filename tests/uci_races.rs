//! Races and extremes over real pipes: orders that cross a search on its way, `quit` in every
//! state, endless games, crowded boards, tables too big to be had.
//!
//! Nothing here measures time. Waiting has an end only so that a hanging engine fails the test.

mod common;

use common::engine::{Engine, best_move, field, has_error, pv_lines, script, with_word};
use common::{after, is_legal};
use longan::board::Board;

#[test]
fn a_stop_behind_every_kind_of_go_is_not_lost() {
    let mut engine = Engine::start();
    for go in ["go infinite", "go ponder wtime 9000 btime 9000", "go depth 200", "go movetime 3600000", "go"]
    {
        engine.send(&format!("{go}\nstop\n").repeat(30));
        for _ in 0..30 {
            engine.until("bestmove");
        }
        assert!(engine.until_ready().is_empty(), "{go}: one answer too many");
    }
}

#[test]
fn a_late_ponderhit_and_a_late_stop_change_nothing() {
    let mut engine = Engine::start();
    for order in ["ponderhit", "stop"] {
        engine.search(&format!("go depth 1\n{order}\n{order}"));
        let (_, best) = engine.search("go ponder depth 1\nponderhit");
        assert!(is_legal(&Board::startpos(), &best));
        engine.send("ponderhit\nstop");
        assert!(engine.until_ready().is_empty(), "{order}");
    }
}

#[test]
fn quit_ends_the_engine_in_every_state() {
    for (state, answers) in [
        ("", 0),
        ("uci\n", 0),
        ("position startpos moves e2e4\n", 0),
        ("go depth 1\n", 1),
        ("go infinite\n", 1),
        ("go ponder\n", 1),
        ("go ponder\nponderhit\n", 1),
        ("go infinite\nstop\n", 1),
        ("go infinite\ngo infinite\n", 2),
        ("setoption name Threads value 3\ngo infinite\n", 1),
        ("go infinite\nucinewgame\nsetoption name Hash value 3\n", 1),
        ("go perft 1\n", 0),
        ("go perft 20\nstop\n", 0),
        ("bench\nstop\n", 0),
    ] {
        let lines = script(format!("{state}quit\ngo depth 1\n").as_bytes());
        assert_eq!(with_word(&lines, "bestmove").len(), answers, "{state:?}: {lines:#?}");
    }
}

#[test]
fn twenty_isready_in_one_write_have_twenty_answers() {
    for state in ["", "go infinite\n", "go ponder\n"] {
        let mut engine = Engine::start();
        engine.send(&format!("{state}{}", "isready\n".repeat(20)));
        for _ in 0..20 {
            assert!(with_word(&engine.until("readyok"), "bestmove").is_empty());
        }
        let lines = engine.end();
        assert!(with_word(&lines, "readyok").is_empty());
    }
}

#[test]
fn a_stop_for_a_search_that_waits_for_a_job_is_not_lost() {
    let mut engine = Engine::start();
    for job in ["go perft 20", "bench", "go perft 20\ngo perft 20\nd"] {
        engine.send(&format!("{job}\nstop\ngo infinite\nstop\n").repeat(10));
        engine.send(&format!("{job}\ngo infinite\nstop\nisready"));
        for _ in 0..11 {
            engine.until("bestmove");
        }
    }
}

#[test]
fn half_lines_wait_for_their_other_half() {
    let mut engine = Engine::start();
    for piece in ["posi", "tion startpos mo", "ves e2e4\ngo de", "pth 2\nis", "ready\n"] {
        engine.send_bytes(piece.as_bytes());
    }
    let lines = engine.end();
    assert_eq!(with_word(&lines, "readyok").len(), 1, "{lines:?}");
    assert!(is_legal(&after(&["e2e4"]), best_move(with_word(&lines, "bestmove")[0])), "{lines:?}");
}

#[test]
fn a_game_of_five_thousand_moves_is_played_on() {
    let cycle = ["g1f3", "g8f6", "f3g1", "f6g8"];
    let moves = cycle.repeat(2500);
    let mut engine = Engine::start();
    // As a GUI sends it: the whole game before each move.
    for length in [9_996, 9_997, 9_998, 9_999, 10_000] {
        let (_, best) =
            engine.search(&format!("position startpos moves {}\ngo nodes 500", moves[..length].join(" ")));
        assert!(is_legal(&after(&cycle[..length % 4]), &best), "{length}");
    }
}

#[test]
fn a_table_too_big_for_the_machine_is_refused_and_the_old_one_stays() {
    let mut engine = Engine::start();
    engine.send("setoption name Hash value 2\nsetoption name Hash value 33554432");
    let lines = engine.until_ready();
    assert!(lines.len() == 1 && has_error(&lines) && lines[0].contains("33554432 MB"), "{lines:?}");
    let (_, best) = engine.search("go depth 4");
    assert!(is_legal(&Board::startpos(), &best));
}

#[test]
fn a_table_of_sixteen_gigabytes_is_had_or_refused() {
    let mut engine = Engine::start();
    engine.send("setoption name Hash value 16384");
    let lines = engine.until_ready();
    assert!(lines.is_empty() || has_error(&lines), "{lines:?}");
    // Few nodes touch few of its pages.
    let (_, best) = engine.search("go nodes 20\n");
    assert!(is_legal(&Board::startpos(), &best));
    engine.send("setoption name Hash value 1");
    assert!(engine.until_ready().is_empty());
    engine.search("go depth 3");
}

#[test]
#[cfg(unix)]
fn files_without_an_end_are_refused() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("endless files");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let pipe = folder.join("KQvK.rtbw");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut engine = Engine::start();
    for (option, path) in [
        ("EvalFile", pipe.as_path()),
        ("EvalFile", "/dev/zero".as_ref()),
        ("EvalFile", &folder),
        ("BookFile", &pipe),
        ("BookFile", "/dev/zero".as_ref()),
        ("SyzygyPath", &folder),
        ("Debug Log File", &pipe),
        ("Debug Log File", &folder),
    ] {
        engine.send(&format!("setoption name {option} value {}", path.display()));
        let lines = engine.until_ready();
        assert!(has_error(&lines), "{option} {}: {lines:?}", path.display());
    }
}

#[test]
fn depths_beyond_the_deepest_end_there_with_an_answer() {
    let mut engine = Engine::start();
    // Mates in one: the tree is small enough to be searched to the greatest depth there is.
    for fen in ["7k/8/6K1/8/8/8/8/R7 w - - 0 1", "k7/8/1K6/8/8/8/8/7R b - - 0 1"] {
        for depth in [245, 100_000] {
            let (lines, best) = engine.search(&format!("ucinewgame\nposition fen {fen}\ngo depth {depth}"));
            let last = pv_lines(&lines).last().and_then(|line| field(line, "depth")?.parse::<u32>().ok());
            assert_eq!(last, Some(244), "{fen}");
            assert!(is_legal(&Board::from_fen(fen).unwrap(), &best));
        }
    }
}

#[test]
fn crowded_boards_are_searched() {
    for (fen, count) in [
        ("R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1", 218),
        ("3Q4/1Q4Q1/4Q3/2Q4R/Q4Q2/3Q4/1Q4Rp/1K1BBNNk w - - 0 1", 218),
        ("rnbqkbnr/qqqqqqqq/8/8/8/8/QQQQQQQQ/RNBQKBNR b KQkq - 0 1", 87),
        // 24 of the moves give check, with five kinds of men.
        ("7K/QR1P4/8/2R5/3k4/4N3/8/4B1N1 w - - 0 1", 56),
        ("1QqQ1q2/Q1Q2q2/3Q2qq/8/Q2qQ3/4q3/QK1k4/4qQ1q w - - 0 1", 5),
    ] {
        let board = Board::from_fen(fen).unwrap();
        assert_eq!(board.legal_moves().len(), count, "{fen}");
        let mut engine = Engine::start();
        let search = format!("setoption name MultiPV value 256\nposition fen {fen}\ngo depth 2 nodes 100000");
        let (lines, best) = engine.search(&search);
        assert!(is_legal(&board, &best), "{fen}");
        for line in pv_lines(&lines) {
            assert!(is_legal(&board, field(line, "pv").unwrap()), "{line}");
        }
    }
}
