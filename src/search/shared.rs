//! What the threads of one search share: the table, the stop flag and the node counters.
//!
//! All flags and counters are relaxed atomics: they carry no other data with them, a thread that
//! sees a flag a little later only stops a little later, and a sum of counters is some moments
//! old. Waiting for a flag goes through a lock, so that no wake-up is lost.

#![forbid(unsafe_code)]

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, PoisonError};

use crate::tt::{Table, TableError};

/// The counters of a thread on a cache line of their own, so that threads do not disturb each
/// other.
#[derive(Default)]
#[repr(align(64))]
struct Counters {
    nodes: AtomicU64,
    tb_hits: AtomicU64,
}

/// The shared state of one set of search threads.
pub struct Shared {
    /// The transposition table.
    pub table: Table,
    stop: AtomicBool,
    pondering: AtomicBool,
    counters: Box<[Counters]>,
    waiting: Mutex<()>,
    changed: Condvar,
}

impl Shared {
    /// State for `threads` threads with a table of `megabytes` MiB.
    ///
    /// # Errors
    /// When the table cannot be allocated.
    pub fn new(threads: usize, megabytes: usize) -> Result<Self, TableError> {
        let mut shared = Self {
            table: Table::new(megabytes)?,
            stop: AtomicBool::new(false),
            pondering: AtomicBool::new(false),
            counters: Box::default(),
            waiting: Mutex::new(()),
            changed: Condvar::new(),
        };
        shared.set_threads(threads);
        Ok(shared)
    }

    /// Changes the number of threads, while none searches.
    pub(super) fn set_threads(&mut self, threads: usize) {
        self.counters = (0..threads).map(|_| Counters::default()).collect();
    }

    /// Number of threads it was made for.
    pub fn threads(&self) -> usize {
        self.counters.len()
    }

    /// Makes ready for a new search. Called before any thread is told of it, so that a `stop`
    /// that follows at once is not lost; the channel that tells them publishes all of it.
    pub fn begin(&self, pondering: bool) {
        self.stop.store(false, Relaxed);
        self.pondering.store(pondering, Relaxed);
        (0..self.threads()).for_each(|thread| self.set_counts(thread, 0, 0));
        self.table.age();
    }

    /// Ends the search.
    pub fn stop(&self) {
        self.change(&self.stop, true);
    }

    /// Turns pondering into a search on the own clock.
    pub fn ponderhit(&self) {
        self.change(&self.pondering, false);
    }

    /// Changes a flag under the lock: a thread between its test and its wait cannot miss it.
    fn change(&self, flag: &AtomicBool, value: bool) {
        let _guard = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        flag.store(value, Relaxed);
        self.changed.notify_all();
    }

    /// Whether the search was told to end.
    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// Whether the search runs on the opponent's time.
    #[inline]
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Relaxed)
    }

    /// Sleeps until the search is stopped or, if it only ponders, until `ponderhit`.
    pub fn wait_for_permission(&self, infinite: bool) {
        let mut guard = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        while !self.is_stopped() && (infinite || self.is_pondering()) {
            guard = self.changed.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Publishes the nodes and the tablebase positions of one thread.
    #[inline]
    pub fn set_counts(&self, thread: usize, nodes: u64, tb_hits: u64) {
        self.counters[thread].nodes.store(nodes, Relaxed);
        self.counters[thread].tb_hits.store(tb_hits, Relaxed);
    }

    /// Nodes of all threads, as last published.
    pub fn nodes(&self) -> u64 {
        self.counters.iter().map(|counters| counters.nodes.load(Relaxed)).sum()
    }

    /// Positions that all threads found in the tablebases, as last published.
    pub fn tb_hits(&self) -> u64 {
        self.counters.iter().map(|counters| counters.tb_hits.load(Relaxed)).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn who_waits_is_woken_by_a_stop_or_a_hit_that_comes_at_any_time() {
        let shared = Shared::new(1, 1).unwrap();
        for (infinite, wake) in
            [(true, Shared::stop as fn(&Shared)), (false, Shared::stop), (false, Shared::ponderhit)]
        {
            for _ in 0..10 {
                shared.begin(true);
                thread::scope(|scope| {
                    scope.spawn(|| shared.wait_for_permission(infinite));
                    wake(&shared);
                });
                assert!(shared.is_stopped() || !shared.is_pondering());
            }
        }
    }
}
