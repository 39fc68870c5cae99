//! Made-up data for tests: legal games of random moves, with labels that can be learnt.

use longan::board::{Board, Position};
use longan::tools::datagen::viriformat::{Game, GameResult, Ply};
use longan::types::{Color, Piece};

use crate::record::Record;
use crate::rng::Rng;

const MAX_PLIES: usize = 120;

/// Centipawns for White by counting men.
fn material(position: &Position) -> i16 {
    const VALUES: [i32; 6] = [100, 300, 300, 500, 900, 0];
    let count = |color| -> i32 {
        Piece::ALL.map(|p| VALUES[p.index()] * position.pieces(color, p).count() as i32).iter().sum()
    };
    (count(Color::White) - count(Color::Black)) as i16
}

/// Games from the start position. Scores are a quarter of the material, so that they are about as
/// large as in real games, with noise; whoever has more in the end wins.
pub fn random_games(count: usize, seed: u64) -> Vec<Game> {
    let mut rng = Rng::new(seed);
    (0..count).map(|_| random_game(&mut rng)).collect()
}

fn random_game(rng: &mut Rng) -> Game {
    let mut board = Board::startpos();
    let mut game = Game { start: *board.position(), result: GameResult::Draw, plies: Vec::new() };
    while game.plies.len() < MAX_PLIES && board.outcome().is_none() {
        let moves = board.legal_moves();
        let mv = moves[rng.below(moves.len())];
        let noise = rng.below(61) as i16 - 30;
        game.plies.push(Ply { mv, score: material(&board) / 4 + noise });
        board.make(mv);
    }
    game.result = match material(&board) {
        150.. => GameResult::WhiteWon,
        ..=-150 => GameResult::BlackWon,
        _ => GameResult::Draw,
    };
    game
}

/// Positions of random games, a few of each.
pub fn random_records(count: usize, seed: u64) -> Vec<Record> {
    const OF_EACH_GAME: usize = 8;
    let mut rng = Rng::new(seed);
    let mut records = Vec::new();
    while records.len() < count {
        let game = random_game(&mut rng);
        let all = game.positions().map(|(position, ply)| Record::new(&position, ply.score, game.result));
        let mut some: Vec<Record> = all.collect();
        rng.shuffle(&mut some);
        records.extend(some.into_iter().take(OF_EACH_GAME));
    }
    records.truncate(count);
    records
}

/// The bytes of a file of these games.
pub fn file_of(games: &[Game]) -> Vec<u8> {
    let mut bytes = Vec::new();
    games.iter().for_each(|game| game.write_to(&mut bytes));
    bytes
}
