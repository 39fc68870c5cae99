//! Random games side by side with cozy-chess, an independent library of the rules: positions of
//! standard chess, Chess960 and double Chess960. `LONGAN_POSITIONS` is their number, half of
//! standard chess (200,000 if it is not set), `LONGAN_SEED` chooses the games.

mod common;

use std::collections::HashMap;

use common::{Random, number_from_env};
use cozy_chess::{Board as Cozy, Color as CozyColor, Move as CozyMove, Piece as CozyPiece};
use longan::board::{Board, Position};
use longan::types::{Color, Move, MoveKind, Piece};

/// From, to and promotion as dense indices, castling as king takes rook: the common language.
type Plain = (usize, usize, Option<usize>);

fn plain(mv: Move) -> Plain {
    (mv.from().index(), mv.to().index(), mv.promoted().map(Piece::index))
}

fn plain_cozy(mv: CozyMove) -> Plain {
    (mv.from as usize, mv.to as usize, mv.promotion.map(|piece| piece as usize))
}

fn cozy_moves(cozy: &Cozy) -> Vec<CozyMove> {
    let mut moves = Vec::new();
    cozy.generate_moves(|set| {
        moves.extend(set);
        false
    });
    moves.sort_by_key(|&mv| plain_cozy(mv));
    moves
}

/// All that makes two positions the same one, as cozy-chess tells it: men, side to move, files of
/// the castling rooks, and the en passant square if a capture there is legal.
type Identity = ([u64; 8], bool, [u8; 4], Option<u8>);

/// The file of a side without that right to castle.
const NO_FILE: u8 = 8;
/// The notation of all moves is checked in every so many positions, else of one.
const ALL_MOVES_EACH: usize = 16;

fn identity_of(cozy: &Cozy, moves: &[CozyMove]) -> Identity {
    let mut sets = [0; 8];
    for (set, piece) in sets.iter_mut().zip(CozyPiece::ALL) {
        *set = cozy.pieces(piece).0;
    }
    for (set, color) in sets[6..].iter_mut().zip(CozyColor::ALL) {
        *set = cozy.colors(color).0;
    }
    let rights = |color| {
        let rights = cozy.castle_rights(color);
        [rights.short, rights.long].map(|file| file.map_or(NO_FILE, |file| file as u8))
    };
    let [white, black] = CozyColor::ALL.map(rights);
    let pawns = cozy.pieces(CozyPiece::Pawn);
    // A pawn that goes to an empty square of another file takes en passant.
    let en_passant = moves
        .iter()
        .find(|mv| pawns.has(mv.from) && mv.from.file() != mv.to.file() && !cozy.occupied().has(mv.to));
    let rights = [white[0], white[1], black[0], black[1]];
    (sets, cozy.side_to_move() == CozyColor::White, rights, en_passant.map(|mv| mv.to as u8))
}

/// The same sets from our side.
fn sets(position: &Position) -> [u64; 8] {
    let mut sets = [0; 8];
    for (set, piece) in sets.iter_mut().zip(Piece::ALL) {
        *set = position.piece(piece).0;
    }
    for (set, color) in sets[6..].iter_mut().zip(Color::ALL) {
        *set = position.color(color).0;
    }
    sets
}

/// Everything that can be asked of a position, for comparing before and after.
fn everything(position: &Position) -> impl PartialEq + std::fmt::Debug + use<> {
    let keys = (position.key(), position.pawn_key(), position.minor_key(), position.major_key());
    let non_pawn_keys = Color::ALL.map(|color| position.non_pawn_key(color));
    let mailbox: Vec<_> = longan::types::Square::ALL.map(|square| position.piece_at(square)).into();
    let checks = (position.checkers(), position.pinned());
    (position.shredder_fen(), sets(position), mailbox, keys, non_pawn_keys, checks)
}

#[derive(Default)]
struct Seen {
    positions: usize,
    by_key: HashMap<u64, Identity>,
    by_identity: HashMap<Identity, u64>,
}

impl Seen {
    fn compare(&mut self, board: &Board, cozy: &Cozy) {
        let fen = board.shredder_fen();
        let theirs = cozy_moves(cozy);
        let mut ours: Vec<Plain> = board.legal_moves().into_iter().map(plain).collect();
        ours.sort();
        assert_eq!(ours, theirs.iter().copied().map(plain_cozy).collect::<Vec<_>>(), "moves of {fen}");
        assert_eq!(board.checkers().0, cozy.checkers().0, "checkers of {fen}");
        assert_eq!(board.pinned().0, (cozy.pinned() & cozy.colors(cozy.side_to_move())).0, "pins of {fen}");
        assert_eq!(board.halfmove_clock(), u32::from(cozy.halfmove_clock()), "clock of {fen}");

        let identity = identity_of(cozy, &theirs);
        assert_eq!(sets(board), identity.0, "men of {fen}");
        assert_eq!(board.en_passant().map(|square| square as u8), identity.3, "en passant of {fen}");
        assert_eq!(
            *self.by_key.entry(board.key()).or_insert(identity),
            identity,
            "two positions, one key: {fen}"
        );
        assert_eq!(*self.by_identity.entry(identity).or_insert(board.key()), board.key(), "two keys: {fen}");

        // A FEN is read by computing everything from scratch.
        let mut anew = *Board::from_fen(&fen).unwrap().position();
        anew.set_chess960(board.is_chess960());
        assert_eq!(everything(board), everything(&anew), "kept up to date and from scratch: {fen}");
        for written in [board.fen(), format!("{cozy:#}")] {
            let again = Board::from_fen(&written).unwrap();
            assert_eq!((again.shredder_fen(), again.key()), (fen.clone(), board.key()), "{written}");
        }
        let again = Cozy::from_fen(&fen, true).unwrap();
        assert_eq!(identity_of(&again, &cozy_moves(&again)), identity, "as cozy-chess reads {fen}");
        if self.positions.is_multiple_of(ALL_MOVES_EACH) {
            board.legal_moves().into_iter().for_each(|mv| check_notation(board, mv));
        }
        self.positions += 1;
    }
}

/// What is written for a move is read as this move, in each notation.
fn check_notation(board: &Board, mv: Move) {
    let fen = || board.shredder_fen();
    for written in [board.uci(mv), board.san(mv), board.lan(mv)] {
        assert_eq!(board.parse_move(&written), Ok(mv), "{written} in {}", fen());
    }
    assert_eq!(board.parse_san(&board.san(mv)), Ok(mv), "{mv:?} in {}", fen());
}

/// Whether the approximate key of a move is meant to be right.
fn changes_only_men(before: &Position, mv: Move, after: &Position) -> bool {
    mv.kind() == MoveKind::Normal
        && before.castling() == after.castling()
        && before.en_passant().is_none()
        && after.en_passant().is_none()
}

fn play_side_by_side(start: &Cozy, seed: u64, plies: usize, seen: &mut Seen) {
    let mut random = Random(seed);
    let mut cozy = start.clone();
    let mut board = Board::from_fen(&format!("{start:#}")).unwrap();
    for _ in 0..plies {
        seen.compare(&board, &cozy);
        let moves = cozy_moves(&cozy);
        if moves.is_empty() {
            break;
        }
        let theirs = moves[random.below(moves.len())];
        let ours = board.legal_moves().into_iter().find(|&mv| plain(mv) == plain_cozy(theirs)).unwrap();

        check_notation(&board, ours);
        let before = everything(&board);
        let position = *board.position();
        let likely_key = board.key_after(ours);
        board.make(ours);
        if changes_only_men(&position, ours, &board) {
            assert_eq!(likely_key, board.key(), "{ours:?} in {}", position.shredder_fen());
        }
        board.unmake();
        assert_eq!(everything(&board), before, "after {ours:?} was taken back");
        if !board.in_check() {
            board.make_null();
            assert_eq!(board.legal_moves().len(), board.count_legal() as usize);
            board.unmake_null();
            assert_eq!(everything(&board), before, "after a null move was taken back");
        }
        board.make(ours);
        cozy.play_unchecked(theirs);
    }
}

/// How many positions each test is to see, and the first seed of its games.
fn extent() -> (usize, u64) {
    let positions = number_from_env("LONGAN_POSITIONS", 200_000) as usize / 2;
    (positions, number_from_env("LONGAN_SEED", 1))
}

#[test]
fn standard_games() {
    let (positions, first) = extent();
    let mut seen = Seen::default();
    for game in first.. {
        play_side_by_side(&Cozy::default(), game, 200, &mut seen);
        if seen.positions >= positions {
            break;
        }
    }
    // Games begin alike: many positions come more than once, as they should for this test.
    assert!(seen.by_key.len() > positions / 10 * 9 && seen.by_key.len() < seen.positions);
    eprintln!("{} positions, {} different", seen.positions, seen.by_key.len());
}

#[test]
fn chess960_games() {
    let (positions, first) = extent();
    let mut seen = Seen::default();
    for game in first.. {
        let mut random = Random(game << 32);
        let (white, black) = (random.below(960) as u32, random.below(960) as u32);
        let start = match game % 2 {
            0 => Cozy::chess960_startpos(white),
            _ => Cozy::double_chess960_startpos(white, black),
        };
        play_side_by_side(&start, game, 120, &mut seen);
        if seen.positions >= positions {
            break;
        }
    }
    assert!(seen.by_key.len() > positions / 10 * 9);
    eprintln!("{} positions, {} different", seen.positions, seen.by_key.len());
}
