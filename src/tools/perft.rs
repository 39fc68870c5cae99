//! Perft: counts the leaves of the move tree, the usual test of a move generator, and checks
//! suites of known counts.
//!
//! The last ply is not walked, its moves are only counted. Work is shared out in pieces of two
//! plies; the optional table keeps the counts of inner positions, with the check word XORed
//! with the count, so that an entry torn by two threads is not believed (R. Hyatt and T. Mann,
//! "A lockless transposition table implementation for parallel search", 2002).

#![forbid(unsafe_code)]

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::thread;

use crate::board::Position;
use crate::tt::TableError;
use crate::types::{Key, MAX_PLY, Move};

/// How many lines of `depth` legal moves begin at a position.
///
/// ```
/// use longan::board::Position;
///
/// assert_eq!(longan::tools::perft::perft(&Position::startpos(), 3), 8902);
/// ```
pub fn perft(position: &Position, depth: u32) -> u64 {
    Counter { table: None, stop: &AtomicBool::new(false) }.count(position, depth)
}

/// How to count large trees.
pub struct Perft<'a> {
    threads: usize,
    table: Option<Table>,
    stop: &'a AtomicBool,
}

impl<'a> Perft<'a> {
    /// Counts with so many threads (at least 1) and a table of so many MiB, or none if it is 0, until
    /// `stop` becomes true.
    ///
    /// # Errors
    /// When there is no memory for the table.
    pub fn new(threads: usize, hash_mb: usize, stop: &'a AtomicBool) -> Result<Self, TableError> {
        let table = if hash_mb > 0 { Some(Table::new(hash_mb)?) } else { None };
        Ok(Self { threads, table, stop })
    }

    /// Counts with one thread and without a table.
    pub fn simple(stop: &'a AtomicBool) -> Self {
        Self { threads: 1, table: None, stop }
    }

    /// The number of leaves `depth` plies (at least 1) below each legal move's position, in the
    /// order of the generator. `None` if it was stopped.
    pub fn divide(&self, position: &Position, depth: u32) -> Option<Vec<(Move, u64)>> {
        let counter = Counter { table: self.table.as_ref(), stop: self.stop };
        let root = position.legal_moves();
        let leaves: Vec<AtomicU64> = root.iter().map(|_| AtomicU64::new(0)).collect();
        let pieces = pieces_of_work(position, depth);
        // Relaxed: who draws a number reads nothing that others wrote, and the end of the scope
        // publishes the sums.
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some((mv, position, depth)) = pieces.get(next.fetch_add(1, Relaxed)) {
                leaves[*mv].fetch_add(counter.count(position, *depth), Relaxed);
            }
        };
        thread::scope(|scope| {
            for _ in 1..self.threads {
                // Without this thread the others have more to do.
                let _ = thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
        let counts = leaves.into_iter().map(AtomicU64::into_inner);
        (!self.stop.load(Relaxed)).then(|| root.iter().copied().zip(counts).collect())
    }

    /// The number of leaves `depth` plies below the position. `None` if it was stopped.
    pub fn count(&self, position: &Position, depth: u32) -> Option<u64> {
        if depth == 0 {
            return Some(1);
        }
        Some(self.divide(position, depth)?.iter().map(|(_, leaves)| leaves).sum())
    }

    /// The counts as text: a line for each move, then the sum. `None` if it was stopped.
    pub fn report(&self, position: &Position, depth: u32) -> Option<String> {
        let counts = if depth == 0 { Vec::new() } else { self.divide(position, depth)? };
        let mut text = String::new();
        for (mv, leaves) in &counts {
            text += &format!("{}: {leaves}\n", position.uci(*mv));
        }
        let sum = if depth == 0 { 1 } else { counts.iter().map(|(_, leaves)| leaves).sum() };
        Some(text + &sum_line(sum))
    }
}

/// The last line of a count.
pub fn sum_line(leaves: u64) -> String {
    format!("\nNodes searched: {leaves}")
}

/// Index of the root move, the position to count from, and how deep.
type Piece = (usize, Position, u32);

/// Two plies make enough pieces to keep all threads busy to the end.
fn pieces_of_work(position: &Position, depth: u32) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (index, &mv) in position.legal_moves().iter().enumerate() {
        let child = after(position, mv);
        if depth < 3 {
            pieces.push((index, child, depth - 1));
        } else {
            let replies = child.legal_moves();
            pieces.extend(replies.iter().map(|&reply| (index, after(&child, reply), depth - 2)));
        }
    }
    pieces
}

fn after(position: &Position, mv: Move) -> Position {
    let mut next = *position;
    next.play(mv);
    next
}

struct Counter<'a> {
    table: Option<&'a Table>,
    stop: &'a AtomicBool,
}

impl Counter<'_> {
    fn count(&self, position: &Position, depth: u32) -> u64 {
        match depth {
            0 => return 1,
            1 => return position.count_legal(),
            _ if self.stop.load(Relaxed) => return 0,
            _ => {}
        }
        if let Some(leaves) = self.table.and_then(|table| table.probe(position.key(), depth)) {
            return leaves;
        }
        let count_after = |mv: Move| {
            let mut child = *position;
            if depth == 2 {
                child.play_to_count(mv);
                return child.count_legal();
            }
            child.play(mv);
            self.count(&child, depth - 1)
        };
        let leaves = position.legal_moves().into_iter().map(count_after).sum();
        if let Some(table) = self.table {
            table.store(position.key(), depth, leaves);
        }
        leaves
    }
}

/// A check word, the key XORed with the count, and the count for each slot; the newest count
/// replaces the older. Relaxed: a pair torn by two writers fails its check.
struct Table(Vec<[AtomicU64; 2]>);

impl Table {
    fn new(megabytes: usize) -> Result<Self, TableError> {
        let count = megabytes.saturating_mul((1 << 20) / size_of::<[AtomicU64; 2]>());
        let mut slots = Vec::new();
        slots.try_reserve_exact(count).map_err(|_| TableError { megabytes })?;
        slots.resize_with(count, Default::default);
        Ok(Self(slots))
    }

    /// Depths of one position are different entries.
    fn slot(&self, key: Key, depth: u32) -> (&[AtomicU64; 2], Key) {
        let key = key.wrapping_add(u64::from(depth).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let index = (u128::from(key) * self.0.len() as u128) >> 64;
        (&self.0[index as usize], key)
    }

    fn probe(&self, key: Key, depth: u32) -> Option<u64> {
        let ([check, count], key) = self.slot(key, depth);
        let count = count.load(Relaxed);
        (check.load(Relaxed) ^ count == key).then_some(count)
    }

    fn store(&self, key: Key, depth: u32, leaves: u64) {
        let ([check, count], key) = self.slot(key, depth);
        check.store(key ^ leaves, Relaxed);
        count.store(leaves, Relaxed);
    }
}

/// One line of a perft suite: a position and its known counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteLine {
    /// The position.
    pub fen: String,
    /// Depths with their counts, as they stand in the line.
    pub counts: Vec<(u32, u64)>,
}

impl SuiteLine {
    /// Reads `FEN ;D1 20 ;D2 400 …`. `None` if it is not of this form or a depth is above [`MAX_PLY`].
    ///
    /// ```
    /// use longan::tools::perft::SuiteLine;
    ///
    /// let line = SuiteLine::parse("8/8/8/8/8/k7/8/K7 w - - 0 1 ;D1 1 ;D2 3").unwrap();
    /// assert_eq!(line.deepest(2), Some((1, 1)));
    /// assert_eq!(SuiteLine::parse("8/8/8/8/8/k7/8/K7 w - - 0 1; D1 1; D2 3;"), Some(line));
    /// ```
    pub fn parse(line: &str) -> Option<Self> {
        // Some suites end each field with the semicolon.
        let mut fields = line.trim_end().trim_end_matches(';').split(';');
        let fen = fields.next()?.trim().to_string();
        let counts = fields.map(|field| {
            let (depth, count) = field.trim().strip_prefix('D')?.split_once(char::is_whitespace)?;
            let depth = depth.parse().ok().filter(|&depth| depth <= MAX_PLY as u32)?;
            Some((depth, count.trim().parse().ok()?))
        });
        let counts = counts.collect::<Option<Vec<_>>>()?;
        (!counts.is_empty()).then_some(Self { fen, counts })
    }

    /// The deepest known count that is not above `max_nodes`.
    pub fn deepest(&self, max_nodes: u64) -> Option<(u32, u64)> {
        self.counts.iter().copied().filter(|&(_, count)| count <= max_nodes).max_by_key(|&(depth, _)| depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Board;

    const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

    #[test]
    fn threads_and_table_do_not_change_the_count() {
        let board = Board::from_fen(KIWIPETE).unwrap();
        let stop = AtomicBool::new(false);
        for (threads, hash_mb) in [(1, 0), (3, 0), (1, 1), (3, 1)] {
            let perft = Perft::new(threads, hash_mb, &stop).unwrap();
            let counts = [0, 1, 2, 3, 4].map(|depth| perft.count(board.position(), depth));
            assert_eq!(counts, [1, 48, 2039, 97_862, 4_085_603].map(Some), "{threads} {hash_mb}");
        }
    }

    #[test]
    fn a_stopped_count_is_no_count() {
        let stop = AtomicBool::new(true);
        assert_eq!(Perft::simple(&stop).count(Board::startpos().position(), 5), None);
    }

    #[test]
    fn a_table_beyond_all_memory_is_refused() {
        let stop = AtomicBool::new(false);
        assert_eq!(Perft::new(1, usize::MAX, &stop).err(), Some(TableError { megabytes: usize::MAX }));
    }

    #[test]
    fn suite_lines_are_read() {
        let line = SuiteLine::parse("8/8/8/8/8/8/8/K1k5 w - - 0 1 ;D1 2 ;D3  60").unwrap();
        assert_eq!(line.fen, "8/8/8/8/8/8/8/K1k5 w - - 0 1");
        assert_eq!(line.counts, [(1, 2), (3, 60)]);
        assert_eq!(
            (line.deepest(59), line.deepest(60), line.deepest(1)),
            (Some((1, 2)), Some((3, 60)), None)
        );
        for bad in ["", "8/8/8/8/8/8/8/K1k5 w - - 0 1", "k7 ;D1", "k7 ;D1 x", "k7 ;E1 5", "k7 ;D99999 5"] {
            assert_eq!(SuiteLine::parse(bad), None, "{bad}");
        }
    }
}
