//! The protocol as a GUI sees it: the real program, spoken to through pipes.
//!
//! Nothing here measures time. Waiting has an end only so that a hanging engine fails the test.

mod common;

use std::io::{Read, Write};

use common::engine::{Engine, best_move, field, has_error, pv_lines, script, spawn, with_word};
use common::{after, is_legal, suite_positions};
use longan::board::Board;

const MATE_IN_TWO: &str = "7k/8/5K2/8/8/8/8/6R1 w - - 0 1";
const CHECKMATED: &str = "7k/6Q1/6K1/8/8/8/8/8 b - - 0 1";
const STALEMATED: &str = "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1";

#[test]
fn uci_is_answered_each_time_and_nothing_comes_before() {
    let lines = script(b"isready\nuci\nuci\n");
    assert_eq!(lines[0], "readyok");
    assert_eq!(with_word(&lines, "uciok").len(), 2);
    let (first, second) = lines[1..].split_at((lines.len() - 1) / 2);
    assert_eq!(first, second);
    assert!(first[0].starts_with("id name Longan ") && first[1].starts_with("id author "));
    assert_eq!(first.last().unwrap(), "uciok");
    assert!(first.contains(&"option name Hash type spin default 16 min 1 max 33554432".to_string()));
    assert!(first.contains(&"option name Clear Hash type button".to_string()));
    assert!(first.contains(&"option name UCI_Chess960 type check default false".to_string()));
    assert!(first.iter().all(|line| ["id", "option", "uciok"].contains(&line.split(' ').next().unwrap())));
}

#[test]
fn end_of_input_without_a_word_is_the_end() {
    assert_eq!(script(b""), Vec::<String>::new());
    assert_eq!(script(b"quit\nisready\n"), Vec::<String>::new());
}

#[test]
fn orders_to_a_search_that_does_not_run_are_ignored() {
    assert_eq!(script(b"stop\nponderhit\nstop\nisready\n"), ["readyok"]);
}

#[test]
fn input_in_any_dress_is_understood() {
    assert_eq!(script(b"isready"), ["readyok"], "no line end");
    assert_eq!(script(b"isready\r\n\r\n"), ["readyok"], "CRLF");
    assert_eq!(script(b"\xef\xbb\xbfisready\n"), ["readyok"], "byte order mark");
    assert_eq!(script(b"\0isready\0\n"), ["readyok"], "NUL");
    let crlf = script(b"position startpos moves e2e4\r\ngo depth 1\r\n");
    assert!(crlf.iter().all(|line| !line.contains('\r')));
    assert!(is_legal(&after(&["e2e4"]), best_move(crlf.last().unwrap())));
}

#[test]
fn nonsense_is_answered_by_info_strings_at_most() {
    let mut input = b"hello world\n\n   \nxboard\n\xff\xfe\xc3\ndebug on\nisready\n".to_vec();
    input.extend(b"x ".repeat(1 << 19));
    input.extend(b"\n\0\nregister later\nregister name A code 1\ndebug off\nisready\n");
    let lines = script(&input);
    assert_eq!(with_word(&lines, "readyok").len(), 2);
    assert!(lines.iter().all(|line| line == "readyok" || line.starts_with("info string ")), "{lines:#?}");
}

#[test]
fn many_searches_in_one_write_each_have_their_answer() {
    let mut engine = Engine::start();
    engine.send(&"position startpos moves d2d4\ngo infinite\nstop\n".repeat(200));
    let board = after(&["d2d4"]);
    for number in 0..200 {
        let lines = engine.until("bestmove");
        assert!(is_legal(&board, best_move(lines.last().unwrap())), "{number}: {lines:?}");
    }
    assert!(with_word(&engine.end(), "bestmove").is_empty());
}

#[test]
fn quit_and_end_of_input_cut_a_search_which_still_answers() {
    for input in ["go infinite\nquit\n", "go infinite\n", "go depth 100\nquit\n", "go depth 100"] {
        let lines = script(input.as_bytes());
        assert_eq!(with_word(&lines, "bestmove").len(), 1, "{input:?}");
        assert!(is_legal(&Board::startpos(), best_move(lines.last().unwrap())), "{input:?}");
    }
}

#[test]
fn a_search_can_come_first() {
    let mut engine = Engine::start();
    let (_, best) = engine.search("position startpos moves c2c4 e7e5\ngo depth 4");
    assert!(is_legal(&after(&["c2c4", "e7e5"]), &best));
}

#[test]
fn isready_is_answered_during_a_search() {
    let mut engine = Engine::start();
    engine.send("go infinite");
    engine.until("info");
    let lines = engine.until_ready();
    assert!(with_word(&lines, "bestmove").is_empty());
    engine.send("stop");
    engine.until("bestmove");
    assert!(engine.end().is_empty());
}

#[test]
fn options_and_a_new_game_wait_for_the_end_of_the_search() {
    let mut engine = Engine::start();
    engine.send("position startpos\ngo infinite\nucinewgame\nsetoption name Hash value 8");
    engine.send("setoption name Threads value 2\nsetoption name Clear Hash");
    assert!(with_word(&engine.until_ready(), "bestmove").is_empty(), "the search must go on");
    let (_, first) = engine.search("stop");
    let (_, second) = engine.search("position startpos moves e2e4\ngo depth 3");
    assert!(is_legal(&Board::startpos(), &first) && is_legal(&after(&["e2e4"]), &second));
    assert!(engine.end().is_empty());
}

#[test]
fn a_position_during_a_search_counts_for_the_next() {
    let mut engine = Engine::start();
    engine.send("go infinite");
    engine.until("info");
    let (_, first) = engine.search("position startpos moves e2e4\nstop");
    assert!(is_legal(&Board::startpos(), &first));
    let (_, second) = engine.search("go depth 2");
    assert!(is_legal(&after(&["e2e4"]), &second));
}

#[test]
fn go_during_a_search_stops_it_and_both_answer_in_order() {
    let mut engine = Engine::start();
    engine.send("go infinite\nposition startpos moves e2e4\ngo depth 3");
    let first = engine.until("bestmove");
    assert!(is_legal(&Board::startpos(), best_move(first.last().unwrap())));
    let second = engine.until("bestmove");
    assert!(is_legal(&after(&["e2e4"]), best_move(second.last().unwrap())));
    for line in pv_lines(&second) {
        assert!(is_legal(&after(&["e2e4"]), field(line, "pv").unwrap()), "{line}");
    }
    assert!(engine.end().is_empty());
}

#[test]
fn what_cannot_be_set_up_leaves_the_old_position() {
    let mut engine = Engine::start();
    for bad in [
        "position startpos moves e2e5",
        "position startpos moves e2e4 e2e4 e7e5",
        "position startpos moves e2e4 e7e5 (none)",
        "position fen hello",
        "position fen",
        "position",
        "position fen 8/8",
        "position fen 8/8/8/3k4/8/8/4P3/8 w - - 0 1",
        "position fen rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "position fen rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR x KQkq - 0 1",
        "position fen P3k3/8/8/8/8/8/8/4K2p w - - 0 1",
        "position fen 4k3/8/8/8/8/8/8/4K3 w - - 0 1 moves e1e3",
        "position fen 4k3/P7/8/8/8/8/7p/4K3 w - - 0 1 moves a7a8",
        "position fen 4k3/8/8/8/8/8/4r3/4K3 w - - 0 1 moves 0000",
    ] {
        engine.send("position startpos moves a2a3");
        engine.send(bad);
        assert!(has_error(&engine.until_ready()), "{bad}");
        let (lines, best) = engine.search("go depth 1");
        assert!(is_legal(&after(&["a2a3"]), &best), "{bad}: {lines:?}");
    }
}

#[test]
fn moves_of_a_position_are_made() {
    let mut engine = Engine::start();
    let knights = ["g1f3", "g8f6", "f3g1", "f6g8"].repeat(300);
    let (_, best) = engine.search(&format!("position startpos moves {}\ngo depth 2", knights.join(" ")));
    assert!(is_legal(&Board::startpos(), &best));
    engine.send("position startpos moves e2e4 0000 d2d4\nd");
    engine.until("Fen: rnbqkbnr/pppppppp/8/8/3PP3/8/PPP2PPP/RNBQKBNR b KQkq - ");
    engine.send("position fen 4k3/P7/8/8/8/8/7p/4K3 w - - moves a7a8Q\nd");
    engine.until("Fen: Q3k3/8/8/8/8/8/7p/4K3 b - - 0 1");
    engine.until("Checkers: a8");
}

#[test]
fn a_line_of_a_megabyte_is_read() {
    let mut engine = Engine::start();
    let moves = "g1f3 g8f6 f3g1 f6g8 ".repeat(52_000);
    engine.send(&format!("position startpos moves {moves}e2e4\nd"));
    engine.until("Fen: rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - ");
}

#[test]
fn infinite_waits_for_stop_even_when_all_is_known() {
    for (fen, answer) in
        [(CHECKMATED, "0000"), (STALEMATED, "0000"), ("7k/8/8/8/8/8/1q6/K7 w - - 0 1", "a1b2")]
    {
        let mut engine = Engine::start();
        engine.send(&format!("position fen {fen}\ngo infinite"));
        engine.until("info depth");
        assert!(with_word(&engine.until_ready(), "bestmove").is_empty());
        assert_eq!(engine.search("stop").1, answer);
    }
}

#[test]
fn ponder_waits_for_ponderhit_or_stop() {
    for order in ["ponderhit", "stop"] {
        let mut engine = Engine::start();
        engine.send(&format!("position fen {MATE_IN_TWO}\ngo ponder depth 3 wtime 5000 btime 5000"));
        engine.until("info depth 3");
        assert!(with_word(&engine.until_ready(), "bestmove").is_empty());
        let (_, best) = engine.search(order);
        assert!(is_legal(&Board::from_fen(MATE_IN_TWO).unwrap(), &best));
        assert!(engine.end().is_empty());
    }
}

#[test]
fn no_limit_ends_pondering_or_an_endless_search() {
    for limits in ["ponder nodes 3000", "ponder movetime 20", "infinite nodes 3000", "infinite movetime 20"] {
        for strength in ["", "setoption name Skill Level value 3\n"] {
            let mut engine = Engine::start();
            engine.send(&format!("{strength}position startpos\ngo {limits}"));
            engine.until("info depth 1");
            std::thread::sleep(std::time::Duration::from_millis(200));
            assert!(with_word(&engine.until_ready(), "bestmove").is_empty(), "{strength}{limits}");
            let (_, best) = engine.search(if limits.starts_with("ponder") { "ponderhit" } else { "stop" });
            assert!(is_legal(&Board::startpos(), &best));
            assert!(engine.end().is_empty());
        }
    }
}

#[test]
fn an_early_ponderhit_is_not_lost() {
    let mut engine = Engine::start();
    engine.send(&"go ponder depth 1\nponderhit\nisready\n".repeat(50));
    for _ in 0..50 {
        engine.until("bestmove");
    }
    let lines = engine.end();
    assert!(with_word(&lines, "bestmove").is_empty());
}

#[test]
fn a_root_without_moves_has_an_answer() {
    let mut engine = Engine::start();
    for (fen, score) in
        [(CHECKMATED, "info depth 0 seldepth 0 multipv 1 score mate 0 "), (STALEMATED, "score cp 0 ")]
    {
        for limit in ["depth 5", "movetime 10", "wtime 1000 btime 1000", "nodes 100", "mate 2"] {
            let (lines, best) = engine.search(&format!("position fen {fen}\ngo {limit}"));
            assert_eq!(best, "0000", "{fen} {limit}");
            assert!(
                lines.iter().any(|line| line.contains(score) && line.starts_with("info depth 0 ")),
                "{lines:?}"
            );
        }
    }
    let (_, best) = engine.search("position startpos\ngo depth 2");
    assert!(is_legal(&Board::startpos(), &best));
}

#[test]
fn every_kind_of_limit_ends_the_search_with_a_line_that_leads_to_the_answer() {
    let mut engine = Engine::start();
    for limit in [
        "depth 0",
        "depth 1",
        "depth 5",
        "depth 1000000 nodes 5000",
        "nodes 0",
        "nodes 1",
        "nodes 3000",
        "movetime 0",
        "movetime -1",
        "movetime 20",
        "wtime -320 btime 60000 winc 0 binc 0",
        "wtime 0 btime 0",
        "wtime 250 btime 250 winc 8000 binc 8000",
        "wtime 100 btime 100 movestogo 1",
        "wtime 500 btime 500 rtime 9 foo winc 100 binc 100",
        "mate 1 depth 3",
        "depth 60 movetime 30 nodes 100000000",
    ] {
        let (lines, best) = engine.search(&format!("ucinewgame\ngo {limit}"));
        let last = *pv_lines(&lines).last().unwrap_or_else(|| panic!("{limit}: no line of play"));
        assert_eq!(field(last, "pv"), Some(&*best), "{limit}");
        assert!(is_legal(&Board::startpos(), &best), "{limit}");
    }
}

#[test]
fn bare_go_runs_until_stop() {
    let mut engine = Engine::start();
    engine.send("go");
    engine.until("info depth 3 ");
    assert!(with_word(&engine.until_ready(), "bestmove").is_empty());
    engine.search("stop");
}

#[test]
fn go_mate_stops_at_the_mate() {
    let mut engine = Engine::start();
    let (lines, best) = engine.search(&format!("position fen {MATE_IN_TWO}\ngo mate 3"));
    let last = *pv_lines(&lines).last().unwrap();
    assert!(last.contains(" score mate 2 "), "{last}");
    assert!(is_legal(&Board::from_fen(MATE_IN_TWO).unwrap(), &best));
}

#[test]
fn nodes_are_exact_with_one_thread_and_the_last_line_says_so() {
    let mut engine = Engine::start();
    // Many limits, so that the search ends in each of its steps.
    for nodes in [777, 5_000, 20_001].into_iter().chain((30_000..31_000).step_by(7)) {
        let (lines, best) = engine.search(&format!("ucinewgame\nposition startpos\ngo nodes {nodes}"));
        let last = *pv_lines(&lines).last().unwrap();
        assert_eq!(field(last, "nodes"), Some(&*nodes.to_string()), "{last}");
        assert_eq!(field(last, "pv"), Some(&*best));
    }
}

#[test]
fn the_last_line_leads_to_the_answer_of_several_threads() {
    let mut engine = Engine::start();
    engine.send("setoption name Threads value 3");
    for fen in suite_positions().take(60) {
        let (lines, best) = engine.search(&format!("ucinewgame\nposition fen {fen}\ngo nodes 2000"));
        if let Some(last) = pv_lines(&lines).last() {
            assert_eq!(field(last, "pv"), Some(&*best), "{fen}: {lines:#?}");
        }
        let depths: Vec<u32> =
            pv_lines(&lines).iter().map(|line| field(line, "depth").unwrap().parse().unwrap()).collect();
        assert!(depths.is_sorted(), "{fen}: {lines:#?}");
    }
}

#[test]
fn several_lines_stay_whole_when_the_search_is_cut() {
    let mut engine = Engine::start();
    engine.send("setoption name MultiPV value 4");
    for nodes in [2_000, 5_000, 9_000, 20_000] {
        let (lines, best) = engine.search(&format!("ucinewgame\ngo nodes {nodes}"));
        let lines = pv_lines(&lines);
        assert!(lines.len().is_multiple_of(4), "{lines:#?}");
        for group in lines.chunks(4) {
            let ranks: Vec<_> = group.iter().map(|line| field(line, "multipv").unwrap()).collect();
            assert_eq!(ranks, ["1", "2", "3", "4"]);
            assert!(group.iter().all(|line| field(line, "depth") == field(group[0], "depth")), "{group:#?}");
        }
        assert_eq!(field(lines[lines.len() - 4], "pv"), Some(&*best));
    }
}

#[test]
fn debug_tells_bounds_and_current_moves_at_once() {
    let mut engine = Engine::start();
    engine
        .send("debug on\nposition fen r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1");
    let (lines, _) = engine.search("go depth 10");
    let bounded = pv_lines(&lines).into_iter().filter(|line| line.contains("erbound"));
    assert!(bounded.clone().count() > 0);
    for line in bounded {
        let words: Vec<_> = line.split(' ').skip_while(|&word| word != "score").collect();
        assert!(words[1] == "cp" && ["lowerbound", "upperbound"].contains(&words[3]), "{line}");
    }
    let currents: Vec<_> = lines.iter().filter(|line| line.contains(" currmove ")).collect();
    for depth in 1..=10 {
        let depth = depth.to_string();
        let of_depth = currents.iter().filter(|line| field(line, "depth") == Some(&depth));
        let numbers = of_depth.map(|line| field(line, "currmovenumber").unwrap().parse::<u32>().unwrap());
        let numbers: Vec<_> = numbers.collect();
        // One after the other; a failed window starts the moves anew.
        let follows = |pair: &[u32]| pair[1] == 1 || pair[1] == pair[0] + 1;
        assert!(numbers[0] == 1 && numbers.windows(2).all(follows), "{depth}: {numbers:?}");
    }
    let board =
        Board::from_fen("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1").unwrap();
    assert!(currents.iter().all(|line| is_legal(&board, field(line, "currmove").unwrap())));
}

#[test]
fn searchmoves_restrict_one_search() {
    let mut engine = Engine::start();
    let (lines, best) = engine.search("go depth 4 searchmoves a2a4 h2h3 e2e5");
    assert!(has_error(&lines), "e2e5 is no move");
    assert!(["a2a4", "h2h3"].contains(&&*best));
    for line in pv_lines(&lines) {
        assert!(["a2a4", "h2h3"].contains(&field(line, "pv").unwrap()), "{line}");
    }
    let (_, best) = engine.search("go depth 4");
    assert!(!["a2a4", "h2h3"].contains(&&*best));
    let (lines, best) = engine.search("go depth 1 searchmoves foo");
    assert!(has_error(&lines) && is_legal(&Board::startpos(), &best));
}

#[test]
fn multipv_shows_every_move_once_and_in_order() {
    let mut engine = Engine::start();
    let (lines, best) = engine.search("setoption name MultiPV value 50\ngo depth 3");
    let last = &pv_lines(&lines)[pv_lines(&lines).len() - 20..];
    let ranks: Vec<usize> =
        last.iter().map(|line| field(line, "multipv").unwrap().parse().unwrap()).collect();
    assert_eq!(ranks, (1..=20).collect::<Vec<_>>());
    assert!(last.iter().all(|line| field(line, "depth") == Some("3")), "{last:#?}");
    let scores: Vec<i32> = last.iter().map(|line| field(line, "cp").unwrap().parse().unwrap()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    let mut moves: Vec<_> = last.iter().map(|line| field(line, "pv").unwrap()).collect();
    assert_eq!(moves[0], best);
    moves.sort_unstable();
    moves.dedup();
    assert_eq!(moves.len(), 20);
}

#[test]
fn info_lines_have_all_fields_in_whole_numbers() {
    let mut engine = Engine::start();
    let (lines, _) = engine.search("go depth 7");
    let mut depth = 0;
    for line in pv_lines(&lines) {
        for word in ["depth", "seldepth", "multipv", "nodes", "nps", "hashfull", "tbhits", "time"] {
            let number = field(line, word).unwrap_or_else(|| panic!("no {word}: {line}"));
            assert!(number.parse::<u64>().is_ok(), "{word}: {line}");
        }
        let score: Vec<_> = line.split(' ').skip_while(|&word| word != "score").take(3).collect();
        assert!(["cp", "mate"].contains(&score[1]) && score[2].parse::<i32>().is_ok(), "{line}");
        let now = field(line, "depth").unwrap().parse().unwrap();
        assert!(now >= depth, "{line}");
        depth = now;
    }
    assert_eq!(depth, 7);
    assert!(lines.iter().all(|line| !line.contains("currmove")), "too early for the current move");
}

#[test]
fn options_take_any_case_and_blanks_and_say_what_is_wrong() {
    let mut engine = Engine::start();
    for good in [
        "setoption name Move Overhead value 50",
        "setoption   name   Move   Overhead   value   50  ",
        "setoption name hAsH value 4",
        "setoption name THREADS value 1",
        "setoption name Clear Hash",
        "setoption name clear hash value true",
        "setoption name ponder value TRUE",
    ] {
        engine.send(good);
        assert_eq!(engine.until_ready(), Vec::<String>::new(), "{good}");
    }
    for bad in [
        "setoption",
        "setoption name",
        "setoption Hash value 64",
        "setoption name Hash",
        "setoption name Hash value",
        "setoption name Hash value many",
        "setoption name Hash 64",
        "setoption name NoSuchThing value 1",
        "setoption name UCI_Opponent value none 0 human Some One",
        "setoption name Ponder value maybe",
    ] {
        engine.send(bad);
        let lines = engine.until_ready();
        assert!(lines.len() == 1 && has_error(&lines), "{bad}: {lines:?}");
    }
    for (line, limit) in [
        ("setoption name Hash value 0", "1"),
        ("setoption name Hash value -16", "1"),
        ("setoption name Threads value 0", "1"),
        ("setoption name Move Overhead value 99999999999999999999", "5000"),
        ("setoption name MultiPV value 1000", "256"),
    ] {
        engine.send(line);
        let lines = engine.until_ready();
        assert!(lines.len() == 1 && lines[0].starts_with("info string "), "{line}: {lines:?}");
        assert!(lines[0].ends_with(&format!(" {limit}")), "{line}: {lines:?}");
    }
    engine.search("go depth 2");
}

#[test]
fn castling_is_written_as_the_mode_wants() {
    let castle = "position fen 4k3/8/8/8/8/8/5PPP/4K2R w K - 0 1\ngo depth 4 searchmoves";
    let mut engine = Engine::start();
    let (lines, best) = engine.search(&format!("{castle} e1g1"));
    assert_eq!(best, "e1g1");
    assert!(lines.iter().all(|line| !line.contains("e1h1")));
    let (lines, best) = engine.search(&format!("setoption name UCI_Chess960 value true\n{castle} e1h1"));
    assert_eq!(best, "e1h1");
    assert!(lines.iter().all(|line| !line.contains("e1g1")));
}

#[test]
fn perft_counts_by_move_and_a_search_follows() {
    let lines = script(
        b"position startpos\ngo perft 3\ngo perft 0\nposition startpos moves e2e4\ngo perft 1\nquit\n",
    );
    assert_eq!(lines.iter().filter(|line| line.contains(": ") && !line.starts_with("Nodes")).count(), 40);
    assert!(lines.contains(&"e2e4: 600".to_string()));
    let sums: Vec<_> = lines.iter().filter_map(|line| line.strip_prefix("Nodes searched: ")).collect();
    assert_eq!(sums, ["8902", "1", "20"]);
    let mut engine = Engine::start();
    let (_, best) = engine.search("go perft 2\ngo depth 1");
    assert!(is_legal(&Board::startpos(), &best));
}

#[test]
fn perft_and_bench_can_be_stopped_and_the_rest_waits_for_them() {
    for job in ["go perft 20", "bench"] {
        let mut engine = Engine::start();
        engine.send(&format!("{job}\nposition startpos moves e2e4\nd"));
        assert_eq!(engine.until_ready(), Vec::<String>::new(), "{job}");
        engine.send("stop");
        let lines = engine.until("Fen: rnbqkbnr/pppppppp/8/8/4P3/");
        assert!(lines[0].contains("stopped"), "{job}: {lines:?}");
    }
}

/// A first iteration with many lines would take minutes here, and one with a single line 600,000 nodes.
#[test]
fn a_crowded_board_is_left_in_the_first_iteration_too() {
    let fen = "rnbqkbnr/qqqqqqqq/8/8/8/8/QQQQQQQQ/RNBQKBNR b KQkq - 0 1";
    let board = Board::from_fen(fen).unwrap();
    let mut engine = Engine::start();
    for lines in [1, 256] {
        engine.send(&format!("setoption name MultiPV value {lines}\nposition fen {fen}"));
        for go in ["go nodes 100", "go infinite\nstop", "go movetime 1"] {
            let (lines, best) = engine.search(go);
            assert!(is_legal(&board, &best), "{go}");
            let last = *pv_lines(&lines).last().expect("a line comes before the answer");
            assert_eq!(field(last, "pv"), Some(&*best), "{last}");
            let nodes: u64 = field(last, "nodes").unwrap().parse().unwrap();
            assert!(nodes < 22_000, "{last}");
            assert!(!last.contains("score mate"), "{last}");
        }
    }
}

/// Otherwise its time would be over when it first looks at the clock, after 1,024 nodes.
#[test]
fn the_clock_of_a_search_starts_when_the_job_before_it_ends() {
    let mut engine = Engine::start();
    engine.send(&format!("{}go movetime 1000", "go perft 6\n".repeat(6)));
    (0..6).for_each(|_| drop(engine.until("Nodes searched: 119060324")));
    let lines = engine.until("bestmove");
    let nodes: u64 = field(pv_lines(&lines).last().unwrap(), "nodes").unwrap().parse().unwrap();
    assert!(nodes > 1024, "{lines:?}");
}

#[test]
fn display_and_evaluation() {
    let mut engine = Engine::start();
    engine.send("position fen 4k3/8/8/8/7b/8/3Q4/4K3 w - - 3 9\nd");
    let lines = engine.until("Checkers");
    assert!(lines.contains(&" |   |   |   |   | k |   |   |   | 8".to_string()), "{lines:#?}");
    assert!(lines.contains(&"Fen: 4k3/8/8/8/7b/8/3Q4/4K3 w - - 3 9".to_string()));
    assert_eq!(lines.last().unwrap(), "Checkers: h4");
    assert!(lines.iter().any(|line| line.starts_with("Key: ") && line.len() == "Key: ".len() + 16));
    engine.send("eval");
    let lines = engine.until("As shown: ");
    let score = |name: &str| -> f64 {
        let line =
            lines.iter().find_map(|line| line.strip_prefix(name)).unwrap_or_else(|| panic!("{lines:#?}"));
        line.split_whitespace().next().unwrap().parse().unwrap()
    };
    // A queen wins against a bishop more often than not; three moves of the fifty take a little off.
    let [raw, scaled, shown] = ["Raw score: ", "Scaled score: ", "As shown: "].map(score);
    assert!(shown > 1.0 && (0.9 * raw..raw).contains(&scaled), "{lines:#?}");
    // Men with their worth below them: Black's bishop counts against White.
    let place = lines.iter().position(|line| line.starts_with("4 |")).unwrap();
    assert!(lines[place].contains(" b ") && lines[place + 1].contains("-"), "{lines:#?}");
}

#[test]
fn debug_tells_what_was_read() {
    let lines = script(b"debug on\nisready\ndebug off\nisready\n");
    assert_eq!(lines[0], "info string debug: read Some(IsReady)");
    assert_eq!(with_word(&lines, "readyok").len(), 2);
    assert_eq!(lines.len(), 4, "{lines:?}");
}

#[test]
fn a_closed_output_ends_the_engine_quietly() {
    for input in ["go infinite\n", "uci\n", "isready\nisready\n"] {
        let mut child = spawn();
        drop(child.stdout.take());
        // The input stays open: only the closed output can end the engine.
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(input.as_bytes()).unwrap();
        let status = child.wait().unwrap();
        let mut errors = String::new();
        child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        assert!(status.success() && errors.is_empty(), "{input:?}: {status}: {errors}");
    }
}
