//! Chess960 and double Chess960 through the program's pipes.

mod common;

use common::Random;
use common::engine::{Engine, pv_lines};
use longan::board::{Board, Position, Setup};

fn start(white: usize, black: usize) -> Board {
    Board::from_position(
        Position::from_setup(Setup::double(white, black).expect("numbers below 960")).unwrap(),
    )
}

#[test]
fn all_960_positions_are_read_in_both_forms_of_fen() {
    let mut engine = Engine::start();
    engine.send("setoption name UCI_Chess960 value true");
    for number in 0..960 {
        let board = start(number, number);
        let (shredder, x_fen) = (board.shredder_fen(), board.fen());
        for fen in [&shredder, &x_fen] {
            engine.send(&format!("position startpos\nposition fen {fen}\nd"));
            let lines = engine.until("Checkers");
            let shown = lines.iter().find_map(|line| line.strip_prefix("Fen: ")).expect("a FEN");
            assert_eq!(Board::from_fen(shown).unwrap().shredder_fen(), shredder, "{number}: {fen}");
        }
    }
}

#[test]
fn games_from_double_positions_stay_legal_with_castling_both_ways() {
    let mut engine = Engine::start();
    engine.send("setoption name UCI_Chess960 value true");
    let mut random = Random(0x0960_0960_0960_0960);
    let (mut castled_by_us, mut castled_by_engine) = (0, 0);
    for _ in 0..30 {
        let mut board = start(random.below(960), random.below(960));
        board.set_chess960(true);
        let fen = board.shredder_fen();
        let mut moves = String::new();
        for ply in 0..40 {
            let legal = board.legal_moves();
            let Some(&any) = legal.first() else { break };
            let castling = legal.iter().copied().find(|mv| mv.is_castling());
            let mv = match castling {
                // Both sides castle as soon as they can: one through the engine's answer, one
                // through the list of moves.
                Some(mv) if ply % 2 == 0 => {
                    let text = board.uci(mv);
                    let go = format!("position fen {fen} moves{moves}\ngo depth 2 searchmoves {text}");
                    let (lines, best) = engine.search(&go);
                    assert_eq!(best, text, "{fen}{moves}");
                    assert!(pv_lines(&lines).iter().all(|line| line.contains(&format!(" pv {text}"))));
                    castled_by_engine += 1;
                    mv
                }
                Some(mv) => {
                    castled_by_us += 1;
                    mv
                }
                None if ply % 2 == 0 => {
                    let (_, best) = engine.search(&format!("position fen {fen} moves{moves}\ngo nodes 300"));
                    board.parse_uci(&best).unwrap_or_else(|error| panic!("{best} in {fen}{moves}: {error}"))
                }
                None => legal.get(random.below(legal.len())).copied().unwrap_or(any),
            };
            moves += &format!(" {}", board.uci(mv));
            board.make(mv);
        }
    }
    assert!(castled_by_us > 5 && castled_by_engine > 5, "{castled_by_us} {castled_by_engine}");
}
