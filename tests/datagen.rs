//! Self-play as a whole: games, the files they go to, and the figures of such files.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use clap::Parser;
use longan::board::{Board, Outcome};
use longan::tools::datagen::filter::{Filter, game_ply};
use longan::tools::datagen::stats::{Stats, content_hash};
use longan::tools::datagen::viriformat::{Game, GameReader, GameResult, Ply};
use longan::tools::datagen::{DatagenArgs, DatagenError, run};
use longan::types::{Color, Move, is_mate};

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    datagen: DatagenArgs,
}

/// An empty folder of one test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("datagen-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Makes games of 50 nodes a move in `out`; `more` are further arguments.
fn datagen(out: &Path, more: &str) -> Result<(), DatagenError> {
    let out = out.to_str().unwrap();
    let arguments = ["datagen", "--nodes", "50", "--hash", "1", "--out", out];
    let cli = Cli::parse_from(arguments.into_iter().chain(more.split_whitespace()));
    run(&cli.datagen)
}

fn stats(path: &Path) -> Result<(), DatagenError> {
    run(&Cli::parse_from(["datagen", "stats", path.to_str().unwrap()]).datagen)
}

fn read(path: &Path) -> Vec<Game> {
    // The reader refuses illegal moves.
    let bytes = fs::read(path).unwrap();
    GameReader::new(&*bytes).collect::<Result<_, _>>().unwrap()
}

/// Whether the game had to end at its last move with its result, by the rules or by scores.
fn ends_well(game: &Game) -> bool {
    let mut board = Board::from_position(game.start);
    let scores: Vec<i32> = game.plies.iter().map(|ply| ply.score.into()).collect();
    for (i, ply) in game.plies.iter().enumerate() {
        assert_eq!(board.outcome(), None, "played on at ply {i}");
        assert!(i == 0 || !is_mate(scores[i - 1]), "played on after a mate score at ply {i}");
        board.make(ply.mv);
    }
    let last = |count: usize, holds: &dyn Fn(i32) -> bool| {
        scores.len() >= count && scores[scores.len() - count..].iter().all(|&score| holds(score))
    };
    match board.outcome() {
        Some(Outcome::Checkmate { winner }) => game.result == GameResult::win(winner),
        Some(_) => game.result == GameResult::Draw,
        None => match game.result {
            GameResult::WhiteWon => last(4, &|score| score >= 1200) || last(1, &|score| score > 30_000),
            GameResult::BlackWon => last(4, &|score| score <= -1200) || last(1, &|score| score < -30_000),
            GameResult::Draw => last(12, &|score| score.abs() <= 5) || game_ply(board.position()) == 400,
        },
    }
}

#[test]
fn games_are_legal_and_end_as_they_should() {
    let folder = folder("games");
    datagen(&folder.join("a.bin"), "--games 12").unwrap();
    let games = read(&folder.join("a.t0.bin"));
    assert_eq!(games.len(), 12);
    for (number, game) in games.iter().enumerate() {
        assert!([4, 5, 8, 9].contains(&game_ply(&game.start)), "game {number} starts at an odd place");
        assert!(ends_well(game), "game {number} of {} plies", game.plies.len());
    }
    assert!(games.iter().any(|game| game.start.side_to_move() == Color::White));
    assert!(games.iter().any(|game| game.start.side_to_move() == Color::Black));
}

#[test]
fn a_later_run_goes_on_where_an_earlier_one_ended() {
    let folder = folder("resume");
    datagen(&folder.join("whole"), "--games 4").unwrap();
    let whole = fs::read(folder.join("whole.t0.bin")).unwrap();

    datagen(&folder.join("parts"), "--games 1").unwrap();
    datagen(&folder.join("parts"), "--games 3").unwrap();
    let parts = folder.join("parts.t0.bin");
    assert_eq!(fs::read(&parts).unwrap(), whole);

    // Killed while it wrote the last game: that one is played again.
    File::options().write(true).open(&parts).unwrap().set_len(whole.len() as u64 - 5).unwrap();
    datagen(&folder.join("parts"), "--games 1").unwrap();
    assert_eq!(fs::read(&parts).unwrap(), whole);
}

#[test]
fn a_killed_run_leaves_whole_games_that_a_later_one_continues() {
    let folder = folder("killed");
    let path = folder.join("a.t0.bin");
    let mut child = Command::new(env!("CARGO_BIN_EXE_longan"))
        .args(["datagen", "--nodes", "50", "--hash", "1", "--games", "1000000", "--out"])
        .arg(folder.join("a"))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while fs::metadata(&path).map_or(0, |file| file.len()) < 2_000 {
        assert!(child.try_wait().unwrap().is_none(), "the run ended by itself");
        thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();

    let killed = read(&path).len();
    datagen(&folder.join("a"), "--games 1").unwrap();
    datagen(&folder.join("b"), &format!("--games {}", killed + 1)).unwrap();
    assert_eq!(fs::read(&path).unwrap(), fs::read(folder.join("b.t0.bin")).unwrap());
}

#[test]
fn every_thread_plays_games_of_its_own() {
    let folder = folder("threads");
    datagen(&folder, "--games 6 --threads 2").unwrap();
    let [first, second] = [0, 1].map(|thread| read(&folder.join(format!("datagen.t{thread}.bin"))));
    assert_eq!(first.len() + second.len(), 6);
    for game in &first {
        assert!(second.iter().all(|other| other.plies != game.plies));
    }
    datagen(&folder.join("other.bin"), "--games 1 --seed 8").unwrap();
    let other = read(&folder.join("other.t0.bin")).remove(0);
    assert!(first.iter().chain(&second).all(|game| game.plies != other.plies), "seeds give the same game");
}

#[test]
fn a_run_ends_after_the_positions_asked_for() {
    let folder = folder("positions");
    datagen(&folder.join("a"), "--positions 150").unwrap();
    let lengths: Vec<usize> = read(&folder.join("a.t0.bin")).iter().map(|game| game.plies.len()).collect();
    let total: usize = lengths.iter().sum();
    assert!(total >= 150 && total - lengths.last().unwrap() < 150, "{lengths:?}");
}

#[test]
fn nothing_is_appended_to_a_file_that_is_damaged_or_in_use() {
    let folder = folder("refused");
    let path = folder.join("a.t0.bin");
    fs::write(&path, [1; 100]).unwrap();
    let error = datagen(&folder.join("a"), "--games 1").unwrap_err().to_string();
    assert!(error.contains("a.t0.bin: game 0, which starts at byte 0, is damaged"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), [1; 100]);

    fs::write(&path, []).unwrap();
    let lock = File::open(&path).unwrap();
    lock.lock().unwrap();
    let error = datagen(&folder.join("a"), "--games 1").unwrap_err().to_string();
    assert!(error.contains("another process is writing"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), []);
}

#[test]
fn arguments_need_an_end_and_a_place() {
    for bad in [
        "",
        "--games 1",
        "--out x",
        "--out x --games 0",
        "--out x --minutes NaN",
        "--out x --minutes -1",
        "--out x --games 1 stats y",
        "stats",
    ] {
        assert!(Cli::try_parse_from(["datagen"].into_iter().chain(bad.split_whitespace())).is_err(), "{bad}");
    }
    assert!(Cli::try_parse_from(["datagen", "--out", "x", "--minutes", "0.5", "--games", "3"]).is_ok());
}

/// A game from a FEN, with moves in UCI notation and scores from White's view.
fn game(fen: &str, result: GameResult, moves: &[(&str, i16)]) -> Game {
    let mut board = Board::from_fen(fen).unwrap();
    let mut game = Game { start: *board.position(), result, plies: Vec::new() };
    for &(mv, score) in moves {
        let mv: Move = board.parse_uci(mv).unwrap();
        game.plies.push(Ply { mv, score });
        board.make(mv);
    }
    game
}

/// A checkmate after captures, checks and early moves.
fn mate() -> Game {
    let moves = [
        ("a8a2", 900),
        ("a1a2", 910),
        ("e8d8", 905),
        ("b1d1", 950),
        ("d8c8", 960),
        ("d1f1", 1000),
        ("c8d8", 1000),
        ("f1f8", 1100),
    ];
    game("r3k3/7R/8/8/8/8/PP6/KR6 b - - 4 8", GameResult::WhiteWon, &moves)
}

/// Both kings alone soon: a dead position.
fn dead() -> Game {
    game("8/8/4k3/8/8/3rK3/8/8 w - - 0 40", GameResult::Draw, &[("e3d3", 0)])
}

#[test]
fn the_filter_keeps_quiet_late_unsettled_positions() {
    let kept = |filter: Filter, game: &Game| filter.kept(game).map(|(_, ply)| ply.mv).collect::<Vec<_>>();
    let mate = mate();
    let moves = |indices: &[usize]| indices.iter().map(|&i| mate.plies[i].mv).collect::<Vec<_>>();
    // Ply 15 is early and a capture; 16 a capture out of check; 19 a king in check.
    assert_eq!(kept(Filter::default(), &mate), moves(&[2, 3, 5, 6, 7]));
    assert_eq!(kept(Filter { min_ply: 18, ..Filter::default() }, &mate), moves(&[3, 5, 6, 7]));
    assert_eq!(kept(Filter { max_score: 950, ..Filter::default() }, &mate), moves(&[2]));

    let draw = Game { result: GameResult::Draw, ..mate.clone() };
    assert_eq!(kept(Filter { drawn_tail: 2, ..Filter::default() }, &draw), moves(&[2, 3, 5]));
    assert_eq!(kept(Filter::default(), &draw), []);

    let promotion = game("8/P7/8/8/8/8/8/k1K5 w - - 0 50", GameResult::WhiteWon, &[("a7a8q", 900)]);
    assert_eq!(kept(Filter::default(), &promotion), []);
}

#[test]
fn stats_count_what_a_file_holds() {
    let mislabelled = Game { result: GameResult::BlackWon, ..mate() };
    let unfinished = Game { plies: mate().plies[..3].to_vec(), ..mate() };
    let mut stats = Stats::default();
    for game in [mate(), mate(), dead(), mislabelled, unfinished] {
        stats.add(&game);
    }
    assert_eq!(stats.games, 5);
    assert_eq!(stats.positions, 8 + 8 + 1 + 8 + 3);
    assert_eq!(stats.kept, 5 + 5 + 5 + 1);
    let gate = |name: &str| stats.gates().into_iter().find(|gate| gate.name == name).unwrap();
    assert_eq!(gate("white score %").value, 70.0);
    assert_eq!(gate("draws %").value, 20.0);
    // Rook takes pawn, king takes rook: five men are left.
    assert_eq!(gate("mean men").value, 5.0);
    assert!(!gate("mean men").passes());
    assert_eq!(gate("contradicted results").value, 1.0);
    assert!(!gate("contradicted results").passes());
    assert_eq!(gate("repeated games %").value, 20.0);

    let text = stats.to_string();
    let line = |name: &str| text.lines().find(|line| line.contains(name)).unwrap().trim().to_owned();
    assert!(line("Checkmate").ends_with("40.00"), "{text}");
    assert!(line("DeadPosition").ends_with("20.00"), "{text}");
    assert!(line("without a known reason").ends_with(" 1"), "{text}");
    assert!(line("mean plies a game").ends_with("5.6"), "{text}");
    assert!(line("kept %").ends_with("57.1"), "{text}");
}

#[test]
fn figures_of_two_files_add_up() {
    let of = |games: &[Game]| {
        let mut bytes = Vec::new();
        games.iter().for_each(|game| game.write_to(&mut bytes));
        Stats::of_games(&*bytes).unwrap()
    };
    let mut sum = of(&[mate(), dead()]);
    sum.merge(&of(&[dead()]));
    assert_eq!(sum.to_string(), of(&[mate(), dead(), dead()]).to_string());
}

#[test]
fn correlation_is_that_of_the_side_to_move() {
    // White is ahead and wins, behind and loses: the scores of both sides agree with the results.
    let line = |result, score: i16| {
        let moves = ["e1d1", "e8d8", "d1e1", "d8e8"];
        game("4k3/pppp4/8/8/8/8/PPPP4/4K3 w - - 0 20", result, &moves.map(|mv| (mv, score)))
    };
    let mut good = Stats::default();
    good.add(&line(GameResult::WhiteWon, 200));
    good.add(&line(GameResult::BlackWon, -200));
    let mut inverted = Stats::default();
    inverted.add(&line(GameResult::WhiteWon, -200));
    inverted.add(&line(GameResult::BlackWon, 200));
    for side in ["White", "Black"] {
        let name = format!("corr(score, result), {side} to move");
        let value = |stats: &Stats| stats.gates().into_iter().find(|gate| gate.name == name).unwrap().value;
        assert!((value(&good) - 1.0).abs() < 1e-9, "{}", value(&good));
        assert!((value(&inverted) + 1.0).abs() < 1e-9, "{}", value(&inverted));
    }
}

#[test]
fn stats_fail_closed_and_name_the_gate() {
    let folder = folder("gates");
    let path = folder.join("a.bin");
    let mut bytes = Vec::new();
    mate().write_to(&mut bytes);
    bytes.push(0);
    fs::write(&path, &bytes).unwrap();
    let DatagenError::Gates(failed) = stats(&path).unwrap_err() else { panic!("another error") };
    for name in ["white score %", "draws %", "corr(score, result), White to move", "unfinished game is 1.000"]
    {
        assert!(failed.iter().any(|gate| gate.contains(name)), "{name} passed: {failed:?}");
    }
    fs::write(&path, []).unwrap();
    assert!(matches!(stats(&path), Err(DatagenError::Gates(_))), "an empty file passed");
    fs::write(&path, [0; 64]).unwrap();
    assert!(matches!(stats(&path), Err(DatagenError::Stats { .. })), "a damaged file passed");
    assert!(stats(&folder.join("none.bin")).is_err(), "a file that is not there passed");
}

#[test]
fn the_content_hash_is_fnv_1a() {
    let path = folder("hash").join("a");
    fs::write(&path, "foobar").unwrap();
    assert_eq!(content_hash(&path).unwrap(), 0x8594_4171_F739_67E8);
}
