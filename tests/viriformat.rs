//! Game files against the viriformat crate, the reference of the format, and damaged files.

use std::io::Cursor;

use longan::board::{Board, Position, Setup};
use longan::tools::datagen::viriformat::{Damage, Game, GameError, GameReader, GameResult, Ply};
use longan::types::{Move, Square};
use viriformat::chess::board::{Board as TheirBoard, DrawType, GameOutcome, WinType};
use viriformat::dataformat::{Game as TheirGame, WDL};

/// Numbers that look random: a linear congruential generator (D. Knuth's MMIX constants).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn score(&mut self) -> i16 {
        self.below(65_536) as u16 as i16
    }
}

/// The start of the numbered test game: the standard array, Chess960 and double Chess960.
fn arrays(number: usize, random: &mut Random) -> (usize, usize) {
    let (white, black) = (random.below(960), random.below(960));
    match number % 3 {
        0 => (518, 518),
        1 => (white, white),
        _ => (white, black),
    }
}

/// A game of random legal moves that starts some moves after the start array.
fn random_game(number: usize, random: &mut Random) -> Game {
    let (white, black) = arrays(number, random);
    let mut position = Position::from_setup(Setup::double(white, black).unwrap()).unwrap();
    let mut game = Game { start: position, result: GameResult::Draw, plies: Vec::new() };
    let opening = random.below(40);
    for ply in 0..opening + random.below(160) {
        if ply == opening {
            game.start = position;
        }
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        let mv = moves[random.below(moves.len())];
        if ply >= opening {
            game.plies.push(Ply { mv, score: random.score() });
        }
        position.play(mv);
    }
    game.result = [GameResult::BlackWon, GameResult::Draw, GameResult::WhiteWon][random.below(3)];
    game
}

fn bytes_of(games: &[Game]) -> Vec<u8> {
    let mut bytes = Vec::new();
    games.iter().for_each(|game| game.write_to(&mut bytes));
    bytes
}

/// The men and the side to move, as both sides of the comparison write them in a FEN.
fn men(fen: &str) -> String {
    fen.split(' ').take(2).collect::<Vec<_>>().join(" ")
}

#[test]
fn the_reference_reads_our_games() {
    let mut random = Random(1);
    let games: Vec<Game> = (0..150).map(|number| random_game(number, &mut random)).collect();
    let mut input = Cursor::new(bytes_of(&games));
    for game in &games {
        // Debug builds of the crate test every position and move.
        let theirs = TheirGame::deserialise_from(&mut input, Vec::new()).unwrap();
        let moves: Vec<(u16, i16)> =
            theirs.moves.iter().map(|(mv, score)| (mv.inner(), score.get())).collect();
        assert_eq!(moves, game.plies.iter().map(|ply| (ply.mv.bits(), ply.score)).collect::<Vec<_>>());
        let result = match theirs.outcome() {
            WDL::Win => GameResult::WhiteWon,
            WDL::Draw => GameResult::Draw,
            WDL::Loss => GameResult::BlackWon,
        };
        assert_eq!(result, game.result);
        let mut board = theirs.initial_position();
        assert_eq!(u32::from(board.fifty_move_counter()), game.start.halfmove_clock());
        for ((position, _), mv) in game.positions().zip(theirs.moves()) {
            assert_eq!(men(&board.to_string()), men(&position.fen()));
            assert_eq!(board.full_move_number(), position.fullmove() as usize);
            assert!(board.make_move_simple(mv));
        }
    }
    assert_eq!(input.position(), input.get_ref().len() as u64, "bytes are left");
}

#[test]
fn we_read_the_games_of_the_reference() {
    let mut random = Random(2);
    for number in 0..150 {
        let (white, black) = arrays(number, &mut random);
        let mut board = TheirBoard::new();
        board.set_dfrc_idx(960 * black + white);
        let mut game = TheirGame::new(&board);
        let (outcome, result) = [
            (GameOutcome::WhiteWin(WinType::Adjudication), GameResult::WhiteWon),
            (GameOutcome::BlackWin(WinType::Mate), GameResult::BlackWon),
            (GameOutcome::Draw(DrawType::FiftyMoves), GameResult::Draw),
        ][number % 3];
        let mut fens = Vec::new();
        for _ in 0..random.below(200) {
            let moves = board.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[random.below(moves.len())];
            game.add_move(mv, random.score());
            fens.push(men(&board.to_string()));
            assert!(board.make_move_simple(mv));
        }
        game.set_outcome(outcome);
        let mut bytes = Vec::new();
        game.serialise_into(&mut bytes).unwrap();

        let read: Vec<Game> = GameReader::new(&*bytes).collect::<Result<_, _>>().unwrap();
        let [ours] = &*read else { panic!("{} games instead of one", read.len()) };
        assert_eq!(ours.result, result);
        assert_eq!(ours.positions().map(|(position, _)| men(&position.fen())).collect::<Vec<_>>(), fens);
        assert_eq!(bytes_of(&read), bytes, "written again");
    }
}

#[test]
fn clocks_en_passant_and_castling_rights_survive() {
    for fen in [
        "rnbqkbnr/pppp1ppp/8/8/3PpP2/8/PPP1P1PP/RNBQKBNR b KQkq d3 0 3",
        "r3k2r/8/8/8/8/8/8/R3K2R w Kq - 37 91",
        "1r2k1r1/8/8/8/8/8/8/1R2K1R1 b GBgb - 3 20",
        "rr2k3/8/8/8/8/8/8/RR2K3 w Bb - 3 20",
        "8/8/8/8/8/4k3/8/4K2R w - - 99 65535",
    ] {
        let start = *Board::from_fen(fen).unwrap().position();
        let game = Game { start, result: GameResult::Draw, plies: Vec::new() };
        let read = GameReader::new(&*bytes_of(&[game])).next().unwrap().unwrap().start;
        assert_eq!(read.shredder_fen(), start.shredder_fen());
        assert_eq!(read.key(), start.key(), "{fen}");
    }
}

#[test]
fn the_layout_is_the_published_one() {
    let game = Game {
        start: *Board::startpos().position(),
        result: GameResult::WhiteWon,
        plies: vec![Ply { mv: Move::normal(Square::E2, Square::E4), score: -2 }],
    };
    #[rustfmt::skip]
    let expected = [
        0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF,
        // a1 to h2: rook, knight, bishop, queen, king, bishop, knight, rook, pawns.
        0x16, 0x42, 0x25, 0x61, 0, 0, 0, 0,
        // a7 to h8.
        0x88, 0x88, 0x88, 0x88, 0x9E, 0xCA, 0xAD, 0xE9,
        64, 0, 1, 0, 0, 0, 2, 0,
        0x0C, 0x07, 0xFE, 0xFF,
        0, 0, 0, 0,
    ];
    assert_eq!(bytes_of(&[game]), expected);
}

#[test]
fn an_unfinished_last_game_is_left_out() {
    let mut random = Random(3);
    let games: Vec<Game> = (0..3).map(|number| random_game(number, &mut random)).collect();
    let whole = bytes_of(&games[..2]);
    let bytes = bytes_of(&games);
    for length in whole.len()..bytes.len() {
        let mut reader = GameReader::new(&bytes[..length]);
        assert_eq!(reader.by_ref().map(Result::unwrap).count(), 2);
        assert_eq!(reader.whole_bytes(), whole.len() as u64);
        assert_eq!(reader.cut_bytes(), (length - whole.len()) as u64);
        assert!(reader.next().is_none(), "the end is final");
    }
}

/// What is wrong with a game from the start position after one byte of it was changed.
fn damage_of(index: usize, byte: u8) -> Damage {
    let start = *Board::startpos().position();
    let plies = vec![Ply { mv: Move::normal(Square::E2, Square::E4), score: 30 }];
    let good = Game { start, result: GameResult::Draw, plies };
    let first = bytes_of(std::slice::from_ref(&good));
    let mut bytes = first.clone();
    bytes.extend(&first);
    bytes[first.len() + index] = byte;
    let mut reader = GameReader::new(&*bytes);
    assert!(reader.next().unwrap().is_ok());
    match reader.next().unwrap() {
        Err(GameError::Damaged { game: 1, offset, damage }) if offset == first.len() as u64 => {
            assert!(reader.next().is_none(), "reading on after damage makes no sense");
            damage
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn damage_is_refused_with_its_reason() {
    assert!(matches!(damage_of(2, 0xFF), Damage::TooManyMen(40)));
    assert!(matches!(damage_of(8, 0x17), Damage::ManCode(7)));
    assert!(matches!(damage_of(9, 0x52), Damage::Position(_)), "two kings");
    assert!(matches!(damage_of(12, 0x06), Damage::CastlingRight), "a castling rook on a2");
    assert!(matches!(damage_of(24, 65), Damage::EnPassantSquare(65)));
    assert!(matches!(damage_of(30, 3), Damage::Result(3)));
    assert!(matches!(damage_of(32, 0x0B), Damage::IllegalMove { ply: 0, .. }), "d2 to e4");
    let zeros = [0; 64];
    let error = GameReader::new(&zeros[..]).next().unwrap().unwrap_err();
    assert!(matches!(error, GameError::Damaged { game: 0, offset: 0, damage: Damage::Position(_) }));
}

#[test]
fn a_score_without_a_move_is_damage() {
    let game = Game { start: *Board::startpos().position(), result: GameResult::Draw, plies: Vec::new() };
    let mut bytes = bytes_of(&[game]);
    bytes[34] = 1;
    let error = GameReader::new(&*bytes).next().unwrap().unwrap_err();
    assert!(matches!(error, GameError::Damaged { damage: Damage::NoMove(0), .. }));
}
