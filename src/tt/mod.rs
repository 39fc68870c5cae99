//! The transposition table: what earlier searches found, shared by all threads without locks.
//!
//! A cluster of three entries fills half a cache line. Each entry is one 64-bit word and a
//! 16-bit check, which is the low part of the position's key XORed with a fold of the word
//! (after R. Hyatt and T. Mann, "A lockless transposition table implementation for parallel
//! search", 2002). Threads read and write both with relaxed atomics: no other memory is
//! published through the table, and a pair torn by two writers fails its check, but for one
//! time in 65,536; therefore a move from the table is always tested for legality.
//!
//! Ageing: each search has a generation; entries of old generations are replaced first.

mod entry;

use std::slice;
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU64, Ordering::Relaxed};
use std::thread;

use memmap2::{MmapMut, MmapRaw};

pub use entry::{Bound, Entry, score_from_table, score_to_table};

use crate::types::Key;

/// Entries that share the place a key leads to.
const CLUSTER_SIZE: usize = 3;

/// Half a cache line.
#[repr(C, align(32))]
struct Cluster {
    words: [AtomicU64; CLUSTER_SIZE],
    checks: [AtomicU16; CLUSTER_SIZE],
}

/// The table could not be allocated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a transposition table of {megabytes} MB cannot be allocated")]
pub struct TableError {
    /// The size that was asked for, in MiB.
    pub megabytes: usize,
}

/// A fixed-size hash table of search results.
///
/// ```
/// use longan::board::Position;
/// use longan::tt::Table;
///
/// let table = Table::new(2)?;
/// assert_eq!((table.megabytes(), table.hashfull()), (2, 0));
/// assert!(table.probe(Position::startpos().key()).is_none());
/// # Ok::<(), longan::tt::TableError>(())
/// ```
pub struct Table {
    /// Pages straight from the system: zero without being touched, and free to be huge ones. None
    /// while the table changes its size.
    memory: Option<MmapRaw>,
    /// Relaxed: it only changes while no search runs, and the order to search publishes it.
    generation: AtomicU8,
}

impl Table {
    /// An empty table of `megabytes` MiB (at least 1).
    ///
    /// # Errors
    /// When the system does not give that much memory.
    pub fn new(megabytes: usize) -> Result<Self, TableError> {
        let megabytes = megabytes.max(1);
        let error = TableError { megabytes };
        let bytes = megabytes.checked_mul(1 << 20).ok_or(error)?;
        let memory = MmapRaw::from(MmapMut::map_anon(bytes).map_err(|_| error)?);
        // Every probe is a random access: with pages of 4 KiB nearly all of them miss the
        // processor's cache of page addresses. A system that refuses only makes it slower. Miri,
        // which checks this module, does not know the call.
        #[cfg(all(target_os = "linux", not(miri)))]
        let _ = memory.advise(memmap2::Advice::HugePage);
        Ok(Self { memory: Some(memory), generation: AtomicU8::new(0) })
    }

    /// Becomes an empty table of `megabytes` MiB. The old memory is given back first.
    ///
    /// # Errors
    /// When the system does not give that much memory; then the table has its old size again,
    /// or the smallest.
    pub fn resize(&mut self, megabytes: usize) -> Result<(), TableError> {
        let old = self.megabytes();
        self.memory = None;
        let new = Self::new(megabytes);
        let outcome = new.as_ref().map(|_| ()).map_err(|&error| error);
        *self = new.or_else(|_| Self::new(old)).or_else(|_| Self::new(1))?;
        outcome
    }

    #[inline]
    fn clusters(&self) -> &[Cluster] {
        let Some(memory) = &self.memory else { return &[] };
        // SAFETY: pages are aligned to more than a cluster, and mapped and zeroed as long as the
        // table holds them; any bytes are valid atomics. Nobody reaches the memory but through
        // this slice, which is shared, so that it only changes by way of the atomics.
        unsafe { slice::from_raw_parts(memory.as_mut_ptr().cast(), memory.len() / size_of::<Cluster>()) }
    }

    /// The size in MiB.
    pub fn megabytes(&self) -> usize {
        self.memory.as_ref().map_or(0, |memory| memory.len() >> 20)
    }

    /// Forgets everything, with up to `threads` threads.
    pub fn clear(&self, threads: usize) {
        let part = self.clusters().len().div_ceil(threads.max(1));
        thread::scope(|scope| {
            for clusters in self.clusters().chunks(part) {
                let clear = move || {
                    for cluster in clusters {
                        cluster.words.iter().for_each(|word| word.store(0, Relaxed));
                        cluster.checks.iter().for_each(|check| check.store(0, Relaxed));
                    }
                };
                // A single part is cleared here: small tables are cleared often in self-play. So is
                // one that the system gives no thread for.
                if threads <= 1 || thread::Builder::new().spawn_scoped(scope, clear).is_err() {
                    clear();
                }
            }
        });
        self.generation.store(0, Relaxed);
    }

    /// Starts a new generation; called once for each search.
    pub fn age(&self) {
        self.generation.store((self.generation.load(Relaxed) + 1) % entry::GENERATIONS, Relaxed);
    }

    /// Maps the key evenly onto the clusters by its high bits, without a division
    /// (D. Lemire, "Fast random integer generation in an interval", 2019).
    #[inline]
    fn cluster(&self, key: Key) -> &Cluster {
        let clusters = self.clusters();
        let index = ((u128::from(key) * clusters.len() as u128) >> 64) as usize;
        &clusters[index]
    }

    /// Asks the processor to bring the cluster of `key` near, since it is needed soon.
    #[inline]
    pub fn prefetch(&self, key: Key) {
        prefetch(self.cluster(key));
    }

    /// What is known of the position `key`.
    #[inline]
    pub fn probe(&self, key: Key) -> Option<Entry> {
        let cluster = self.cluster(key);
        for (word, check) in cluster.words.iter().zip(&cluster.checks) {
            let word = word.load(Relaxed);
            if word != 0 && check.load(Relaxed) == checksum(key, word) {
                return Some(entry::unpack(word));
            }
        }
        None
    }

    /// Stores what was found of the position `key`. Keeps an older move if the new entry has
    /// none, and a much deeper result of this generation unless the new one is exact.
    pub fn store(&self, key: Key, mut new: Entry) {
        let cluster = self.cluster(key);
        let generation = self.generation.load(Relaxed);
        let words: [u64; CLUSTER_SIZE] = std::array::from_fn(|i| cluster.words[i].load(Relaxed));
        let same = (0..CLUSTER_SIZE)
            .find(|&i| words[i] != 0 && cluster.checks[i].load(Relaxed) == checksum(key, words[i]));
        let slot = match same {
            Some(slot) => {
                let old = entry::unpack(words[slot]);
                new.mv = new.mv.or(old.mv);
                let fresh = entry::generation(words[slot]) == generation;
                if fresh && new.bound != Bound::Exact && new.depth + 4 + 2 * i32::from(new.pv) < old.depth {
                    return;
                }
                slot
            }
            None => (0..CLUSTER_SIZE).min_by_key(|&i| worth(words[i], generation)).unwrap_or(0),
        };
        let word = entry::pack(&new, generation);
        cluster.words[slot].store(word, Relaxed);
        cluster.checks[slot].store(checksum(key, word), Relaxed);
    }

    /// How full the table is with results of the present search, in per mille, from a sample.
    pub fn hashfull(&self) -> u32 {
        let generation = self.generation.load(Relaxed);
        let sample = &self.clusters()[..self.clusters().len().min(1000)];
        let used = sample.iter().flat_map(|cluster| &cluster.words).filter(|word| {
            let word = word.load(Relaxed);
            word != 0 && entry::generation(word) == generation
        });
        (used.count() * 1000 / (sample.len() * CLUSTER_SIZE)) as u32
    }
}

/// Asks the processor to bring the first cache line of `place` near, since it is needed soon.
#[inline]
pub(crate) fn prefetch<T>(place: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: SSE is part of x86-64; a prefetch has no effect on the program's state.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(place).cast()) }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = place;
}

/// How much an entry is worth keeping: its depth, less eight plies for each generation of age.
#[inline]
fn worth(word: u64, generation: u8) -> i32 {
    if word == 0 {
        return i32::MIN;
    }
    let age = (generation + entry::GENERATIONS - entry::generation(word)) % entry::GENERATIONS;
    entry::depth(word) - 8 * i32::from(age)
}

#[inline]
fn checksum(key: Key, word: u64) -> u16 {
    (key ^ word ^ word >> 16 ^ word >> 32 ^ word >> 48) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Move, Square};

    fn entry(depth: i32, bound: Bound) -> Entry {
        let mv = Some(Move::normal(Square::G1, Square::F3));
        Entry { mv, score: -45, eval: Some(12), depth, bound, pv: true }
    }

    #[test]
    fn what_is_stored_is_found() {
        let table = Table::new(1).unwrap();
        assert_eq!(table.probe(77), None);
        table.store(77, entry(9, Bound::Lower));
        assert_eq!(table.probe(77), Some(entry(9, Bound::Lower)));
        assert_eq!(table.probe(78), None, "another key of the same cluster");
        table.clear(2);
        assert_eq!(table.probe(77), None);
    }

    #[test]
    fn a_result_without_move_keeps_the_old_move() {
        let table = Table::new(1).unwrap();
        table.store(5, entry(3, Bound::Exact));
        table.store(5, Entry { mv: None, ..entry(4, Bound::Exact) });
        assert_eq!(table.probe(5).unwrap().mv, entry(3, Bound::Exact).mv);
        assert_eq!(table.probe(5).unwrap().depth, 4);
    }

    #[test]
    fn a_shallow_bound_does_not_replace_a_deep_result_of_the_same_search() {
        let table = Table::new(1).unwrap();
        table.store(5, entry(20, Bound::Lower));
        table.store(5, entry(2, Bound::Upper));
        assert_eq!(table.probe(5).unwrap().depth, 20);
        table.age();
        table.store(5, entry(2, Bound::Upper));
        assert_eq!(table.probe(5).unwrap().depth, 2);
    }

    #[test]
    fn the_shallowest_and_oldest_entry_gives_way() {
        let table = Table::new(1).unwrap();
        // Keys below 2^16 share the first cluster and differ in their checks.
        for (key, depth) in [(1, 9), (2, 7), (3, 8)] {
            table.store(key, entry(depth, Bound::Lower));
        }
        table.store(4, entry(1, Bound::Lower));
        assert_eq!(table.probe(2), None, "depth 7 was the shallowest");
        table.age();
        table.store(1, entry(9, Bound::Lower));
        table.store(5, entry(1, Bound::Lower));
        assert_eq!(table.probe(4), None, "depth 1 of the older search");
        assert!(table.probe(1).is_some() && table.probe(3).is_some());
    }

    #[test]
    fn a_torn_entry_is_not_found() {
        let table = Table::new(1).unwrap();
        table.store(5, entry(9, Bound::Lower));
        let word = &table.cluster(5).words[0];
        word.store(word.load(Relaxed) ^ 1 << 20, Relaxed);
        assert_eq!(table.probe(5), None);
    }

    #[test]
    fn what_threads_find_was_stored_for_that_key() {
        let table = Table::new(1).unwrap();
        // Few keys of one cluster, so that the threads disturb each other.
        let stored = |key: Key, depth| Entry { score: key as i32 * 100, ..entry(depth, Bound::Exact) };
        thread::scope(|scope| {
            for start in 0..2 {
                let table = &table;
                scope.spawn(move || {
                    for depth in 1..60 {
                        let key = 1 + (depth + start) as Key % 5;
                        table.store(key, stored(key, depth));
                        if let Some(found) = table.probe(key) {
                            assert_eq!(found, stored(key, found.depth));
                        }
                    }
                });
            }
        });
    }

    #[test]
    fn a_failed_resize_leaves_an_empty_table_of_the_old_size() {
        let mut table = Table::new(3).unwrap();
        table.store(5, entry(9, Bound::Lower));
        assert!(table.resize(1 << 43).is_err());
        assert_eq!((table.megabytes(), table.probe(5)), (3, None));
        assert!(table.resize(2).is_ok());
        assert_eq!(table.megabytes(), 2);
    }

    #[test]
    fn an_impossible_size_is_an_error() {
        assert_eq!(Table::new(usize::MAX).err(), Some(TableError { megabytes: usize::MAX }));
        assert_eq!(Table::new(1 << 43).err(), Some(TableError { megabytes: 1 << 43 }));
    }
}
