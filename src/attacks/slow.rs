//! Attacks by walking over the board one square at a time: too slow for play, too simple to be
//! wrong. `build.rs` includes this file to make the tables, and the tests check the look-ups
//! against it. Squares are indices and sets are plain `u64`, so that it needs no other module.

/// Steps of a knight, as (files, ranks).
pub const KNIGHT: [(i32, i32); 8] = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
/// Steps of a king.
pub const KING: [(i32, i32); 8] = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)];
/// Directions of a bishop.
pub const BISHOP: [(i32, i32); 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];
/// Directions of a rook.
pub const ROOK: [(i32, i32); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
/// Captures of a white pawn; a black pawn's are those with the ranks negated.
pub const PAWN: [(i32, i32); 2] = [(1, 1), (-1, 1)];

/// The square one step away, or `None` off the board.
fn step(square: usize, (files, ranks): (i32, i32)) -> Option<usize> {
    let file = (square % 8) as i32 + files;
    let rank = (square / 8) as i32 + ranks;
    let on_board = (0..8).contains(&file) && (0..8).contains(&rank);
    on_board.then_some((rank * 8 + file) as usize)
}

/// The squares reached by one of `steps`.
pub fn leaper(square: usize, steps: &[(i32, i32)]) -> u64 {
    steps.iter().filter_map(|&by| step(square, by)).fold(0, |set, to| set | 1 << to)
}

/// The squares on the way in one direction, up to and with the first man of `occupied`.
fn ray(square: usize, direction: (i32, i32), occupied: u64) -> u64 {
    let mut set = 0;
    let mut at = square;
    while let Some(next) = step(at, direction) {
        set |= 1 << next;
        if occupied >> next & 1 != 0 {
            break;
        }
        at = next;
    }
    set
}

/// The squares that a slider attacks; the first man in each direction is attacked too.
pub fn slider(square: usize, directions: &[(i32, i32)], occupied: u64) -> u64 {
    directions.iter().fold(0, |set, &direction| set | ray(square, direction, occupied))
}

/// The squares whose occupation changes what a slider on `square` attacks: its rays without
/// their last squares.
pub fn relevant(square: usize, directions: &[(i32, i32)]) -> u64 {
    let inner = |direction| {
        let whole = ray(square, direction, 0);
        let last = |&to: &usize| whole >> to & 1 != 0 && step(to, direction).is_none();
        (0..64).find(last).map_or(0, |edge| whole & !(1 << edge))
    };
    directions.iter().fold(0, |set, &direction| set | inner(direction))
}

/// The squares strictly between two squares of one rank, file or diagonal, else none.
pub fn between(a: usize, b: usize) -> u64 {
    let towards_b = KING.into_iter().find(|&direction| ray(a, direction, 0) >> b & 1 != 0);
    towards_b.map_or(0, |direction| ray(a, direction, 1 << b) & !(1 << b))
}

/// The whole rank, file or diagonal through two different squares, edges and both squares
/// included; none if there is no such line.
pub fn line(a: usize, b: usize) -> u64 {
    let towards_b = KING.into_iter().find(|&direction| ray(a, direction, 0) >> b & 1 != 0);
    towards_b.map_or(0, |(files, ranks)| 1 << a | ray(a, (files, ranks), 0) | ray(a, (-files, -ranks), 0))
}
