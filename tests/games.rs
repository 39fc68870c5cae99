//! Games of the program against itself, over pipes, with cozy-chess as the arbiter: every move,
//! every line of play and every reply to ponder on must be legal by its rules.
//!
//! `LONGAN_GAMES` is the number of games.

mod common;

use std::collections::HashMap;

use common::Random;
use common::engine::Engine;
use cozy_chess::{Board as Cozy, GameStatus, Move as CozyMove};
use longan::board::{Board, Setup};

const MAX_PLIES: usize = 400;
/// Random plies at the start, so that no two games are alike.
const RANDOM_PLIES: usize = 6;

fn legal(cozy: &Cozy) -> Vec<CozyMove> {
    let mut moves = Vec::new();
    cozy.generate_moves(|set| {
        moves.extend(set);
        false
    });
    moves
}

/// Plays a line, with castling as king takes rook, or tells which move is not legal.
fn follow(root: &Cozy, line: &str) -> Result<Cozy, String> {
    let mut cozy = root.clone();
    for text in line.split(' ') {
        let mv: CozyMove = text.parse().map_err(|_| format!("{text} in {line} is no move"))?;
        cozy.try_play(mv).map_err(|_| format!("{text} in {line} is not legal in {cozy}"))?;
    }
    Ok(cozy)
}

struct Game {
    fen: String,
    moves: Vec<String>,
    cozy: Cozy,
    seen: HashMap<u64, usize>,
}

impl Game {
    fn new(setup: Setup) -> Self {
        let board = Board::from_position(setup.try_into().expect("a start position"));
        let fen = board.shredder_fen();
        let cozy = Cozy::from_fen(&fen, true).expect("cozy-chess reads it");
        Self { fen, moves: Vec::new(), seen: HashMap::from([(cozy.hash(), 1)]), cozy }
    }

    fn play(&mut self, mv: &str) {
        self.cozy = follow(&self.cozy, mv).unwrap_or_else(|why| panic!("{}: {why}", self.command()));
        self.moves.push(mv.to_string());
        *self.seen.entry(self.cozy.hash()).or_default() += 1;
    }

    fn is_over(&self) -> bool {
        let bare = self.cozy.occupied().len() == 2;
        let repeated = self.seen[&self.cozy.hash()] >= 3;
        bare || repeated || self.cozy.status() != GameStatus::Ongoing || self.moves.len() >= MAX_PLIES
    }

    fn command(&self) -> String {
        format!("position fen {} moves {}", self.fen, self.moves.join(" "))
    }
}

/// The engine's move, after all it said was looked through.
fn ask(engine: &mut Engine, game: &Game, limit: &str) -> String {
    engine.send(&format!("{}\ngo {limit}", game.command()));
    let lines = engine.until("bestmove ");
    let legal =
        |line: &str| follow(&game.cozy, line).unwrap_or_else(|why| panic!("{}: {why}", game.command()));
    for line in &lines {
        assert!(!line.contains("error"), "{}: {line}", game.command());
        if let Some((_, pv)) = line.split_once(" pv ") {
            legal(pv);
        }
    }
    let answer = lines.last().unwrap().strip_prefix("bestmove ").unwrap();
    legal(&answer.replace(" ponder ", " "));
    answer.split(' ').next().unwrap().to_string()
}

#[test]
fn games_have_only_legal_moves_and_lines() {
    let games = std::env::var("LONGAN_GAMES").map_or(4, |text| text.parse().expect("a number of games"));
    let mut random = Random(7);
    for number in 0..games {
        let setup = match number % 4 {
            0 | 1 => Setup::startpos(),
            2 => Setup::chess960(random.below(960)).expect("below 960"),
            _ => Setup::double(random.below(960), random.below(960)).expect("below 960"),
        };
        let mut game = Game::new(setup);
        for _ in 0..RANDOM_PLIES {
            let moves = legal(&game.cozy);
            if !game.is_over() {
                game.play(&moves[random.below(moves.len())].to_string());
            }
        }
        // One thread against two, each with a table of the smallest size.
        let mut engines = [1, 2].map(|threads| {
            let mut engine = Engine::start();
            engine.send("setoption name UCI_Chess960 value true\nsetoption name Hash value 1");
            engine.send(&format!("setoption name Threads value {threads}\nucinewgame"));
            engine
        });
        while !game.is_over() {
            let engine = &mut engines[game.moves.len() % 2];
            let mv = ask(engine, &game, if game.moves.len() % 5 == 4 { "movetime 2" } else { "nodes 1000" });
            game.play(&mv);
        }
        for engine in engines {
            assert!(engine.end().is_empty());
        }
    }
}
