//! The threads of the engine. Each owns a [`Worker`] and waits for jobs; all search the same
//! position and help each other through the shared table alone ("lazy SMP", see
//! chessprogramming.org). The first thread leads: it watches the limits, and when it ends it
//! stops the others, lets all vote, and reports the best move.

#![forbid(unsafe_code)]

use std::collections::HashMap;
use std::io;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use super::{Limits, Report, SearchResult, SearchSettings, Shared, Sink, Worker};
use crate::board::Board;
use crate::eval::{EvalSource, Evaluator};
use crate::tt::TableError;
use crate::types::{MAX_PLY, Move, is_decisive};

/// Room for a line of the greatest depth, with a margin; only what is touched takes memory.
pub(crate) const STACK_SIZE: usize = 32 << 20;

/// Not all threads could be started: memory, or what the system allows, ended before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("only {started} of {wanted} search threads can be started")]
pub struct ThreadError {
    /// How many there are to be.
    pub wanted: usize,
    /// How many there are now, at least one.
    pub started: usize,
}

/// One search, as all threads see it.
struct Job {
    board: Board,
    limits: Limits,
    settings: SearchSettings,
    sink: Option<Sink>,
    /// The results of the threads that are done.
    results: Mutex<Vec<SearchResult>>,
    done: Condvar,
}

enum Message {
    Search(Arc<Job>),
    Clear,
}

struct Thread {
    sender: Sender<Message>,
    handle: JoinHandle<()>,
}

/// Whether a search runs, with a way to wait for its end.
#[derive(Default)]
struct Busy {
    flag: Mutex<bool>,
    changed: Condvar,
}

/// A set of search threads with their table.
pub struct Pool {
    shared: Arc<Shared>,
    threads: Vec<Thread>,
    busy: Arc<Busy>,
    source: EvalSource,
}

impl Pool {
    /// Starts `threads` threads (at least one), or as many as the system gives, with a table of
    /// `megabytes` MiB.
    ///
    /// # Errors
    /// When the table cannot be allocated.
    pub fn new(threads: usize, megabytes: usize) -> Result<Self, TableError> {
        let shared = Arc::new(Shared::new(threads.max(1), megabytes)?);
        let mut pool =
            Self { shared, threads: Vec::new(), busy: Arc::default(), source: EvalSource::default() };
        pool.start();
        Ok(pool)
    }

    /// The state the threads share.
    pub fn shared(&self) -> &Shared {
        &self.shared
    }

    /// Searches with `threads` threads (at least one) from now on. Keeps the table, forgets
    /// the histories. Waits for a running search.
    ///
    /// # Errors
    /// When the system gives fewer threads; then all that it gives search.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), ThreadError> {
        let wanted = threads.max(1);
        self.rebuild(|shared| shared.set_threads(wanted));
        let started = self.threads.len();
        if started < wanted { Err(ThreadError { wanted, started }) } else { Ok(()) }
    }

    /// Takes a new, empty table of `megabytes` MiB. Waits for a running search. The old table
    /// is given back first, so that both never stand in memory together.
    ///
    /// # Errors
    /// When the table cannot be allocated; then one of the old size is made, or the smallest.
    pub fn set_hash(&mut self, megabytes: usize) -> Result<(), TableError> {
        self.rebuild(|shared| shared.table.resize(megabytes))
    }

    /// Evaluates by `source` from now on. Waits for a running search.
    pub fn set_eval(&mut self, source: EvalSource) {
        self.source = source;
        self.rebuild(|_| ());
    }

    /// Forgets the table and all histories, for a new game. Waits for a running search.
    pub fn clear(&mut self) {
        self.wait();
        for thread in &self.threads {
            // A thread ends only when its sender is dropped, so it hears this.
            let _ = thread.sender.send(Message::Clear);
        }
        self.shared.table.clear(self.threads.len());
    }

    /// Searches `board` and reports to `sink`; returns at once. Waits for a running search to
    /// end before. The last report is the best move.
    pub fn go(&mut self, board: Board, limits: Limits, settings: SearchSettings, sink: Sink) {
        self.send(board, limits, settings, Some(sink));
    }

    /// Searches `board` in silence and waits for the end. `limits` must have one.
    pub fn run(&mut self, board: &Board, limits: &Limits, settings: &SearchSettings) -> SearchResult {
        let job = self.send(board.clone(), limits.clone(), settings.clone(), None);
        self.wait();
        let results = lock(&job.results);
        let nodes = results.iter().map(|result| result.nodes).sum();
        SearchResult { nodes, ..decide(&results, settings).clone() }
    }

    /// Ends a running search; its best move is still reported.
    pub fn stop(&self) {
        self.shared.stop();
    }

    /// The move that was pondered on was played: the clock counts from now on.
    pub fn ponderhit(&self) {
        self.shared.ponderhit();
    }

    /// Whether a search runs whose best move was not reported yet.
    pub fn is_searching(&self) -> bool {
        *lock(&self.busy.flag)
    }

    /// Waits until no search runs.
    pub fn wait(&self) {
        let mut busy = lock(&self.busy.flag);
        while *busy {
            busy = self.busy.changed.wait(busy).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn send(
        &mut self,
        board: Board,
        limits: Limits,
        settings: SearchSettings,
        sink: Option<Sink>,
    ) -> Arc<Job> {
        self.wait();
        *lock(&self.busy.flag) = true;
        self.shared.begin(limits.ponder);
        let (results, done) = (Mutex::default(), Condvar::new());
        let job = Arc::new(Job { board, limits, settings, sink, results, done });
        for thread in &self.threads {
            let _ = thread.sender.send(Message::Search(job.clone()));
        }
        job
    }

    /// Starts as many threads as the shared state is made for. If the system gives fewer, the
    /// shared state is made for those.
    fn start(&mut self) {
        for id in 0..self.shared.threads() {
            match self.start_thread(id) {
                Ok(thread) => self.threads.push(thread),
                // Without a thread there is no engine; the system's message is the best there is.
                Err(error) if id == 0 => panic!("cannot start a thread: {error}"),
                Err(_) => return self.rebuild(|shared| shared.set_threads(id)),
            }
        }
    }

    fn start_thread(&self, id: usize) -> io::Result<Thread> {
        let (sender, receiver) = channel();
        let (shared, busy, source) = (self.shared.clone(), self.busy.clone(), self.source.clone());
        let body = move || {
            let mut worker = Worker::new(id, shared.clone(), Evaluator::new(source));
            while let Ok(message) = receiver.recv() {
                match message {
                    Message::Clear => worker.clear(),
                    Message::Search(job) if id == 0 => {
                        lead(&mut worker, &shared, &job);
                        *lock(&busy.flag) = false;
                        busy.changed.notify_all();
                    }
                    Message::Search(job) => {
                        let result = worker.search(&job.board, &job.limits, &job.settings, None);
                        lock(&job.results).push(result);
                        job.done.notify_all();
                    }
                }
            }
        };
        let builder = std::thread::Builder::new().name(format!("search {id}")).stack_size(STACK_SIZE);
        let handle = builder.spawn(body)?;
        Ok(Thread { sender, handle })
    }

    /// Ends all threads, changes the state they shared, and starts new ones.
    fn rebuild<R>(&mut self, change: impl FnOnce(&mut Shared) -> R) -> R {
        self.end();
        let shared = Arc::get_mut(&mut self.shared).expect("no thread holds it any more");
        let outcome = change(shared);
        self.start();
        outcome
    }

    fn end(&mut self) {
        self.wait();
        for thread in self.threads.drain(..) {
            drop(thread.sender);
            let _ = thread.handle.join();
        }
    }
}

impl Drop for Pool {
    /// Stops a running search and waits for the threads.
    fn drop(&mut self) {
        self.stop();
        self.end();
    }
}

/// The first thread's part in a search: to search, to wait for permission to answer, to stop
/// the others, and to answer.
fn lead(worker: &mut Worker, shared: &Shared, job: &Job) {
    let own = worker.search(&job.board, &job.limits, &job.settings, job.sink.as_ref());
    if job.limits.waits() {
        shared.wait_for_permission(job.limits.infinite);
    }
    shared.stop();
    let mut results = lock(&job.results);
    while results.len() + 1 < shared.threads() {
        results = job.done.wait(results).unwrap_or_else(PoisonError::into_inner);
    }
    results.insert(0, own);
    if let Some(sink) = &job.sink {
        let tables = job.settings.syzygy.tables.as_ref();
        tables
            .map(|tables| tables.take_notes())
            .unwrap_or_default()
            .into_iter()
            .for_each(|note| sink(Report::Note(note)));
        let chosen = decide(&results, &job.settings);
        if chosen.best != results[0].best {
            worker.report_result(chosen);
        }
        sink(Report::BestMove { best: chosen.best, ponder: chosen.pv.get(1).copied() });
    }
}

/// The result that counts. The threads vote, but several lines and the moves of a weaker player are
/// the leader's business.
fn decide<'a>(results: &'a [SearchResult], settings: &SearchSettings) -> &'a SearchResult {
    let alone = settings.multi_pv > 1 || settings.strength.is_some();
    if alone { &results[0] } else { vote(results) }
}

/// The result whose move has most votes. A thread's vote weighs by its depth and by how much
/// its score lies above the lowest; a forced win is taken at once, and a forced loss of the leader
/// is believed, for the others may just not see it. Ties go to the leader.
fn vote(results: &[SearchResult]) -> &SearchResult {
    let lowest = results.iter().map(|result| result.score).min().unwrap_or(0);
    let weight = |result: &SearchResult| i64::from(result.score - lowest + 20) * i64::from(result.depth);
    let mut votes: HashMap<Option<Move>, i64> = HashMap::new();
    for result in results {
        *votes.entry(result.best).or_default() += weight(result);
    }
    let mut chosen = &results[0];
    for result in &results[1..] {
        let better = if is_decisive(chosen.score) || is_decisive(result.score) {
            let lost = is_decisive(chosen.score) && chosen.score < 0;
            result.depth > 0 && result.score > chosen.score && (is_decisive(result.score) || !lost)
        } else {
            let (new, old) = (votes[&result.best], votes[&chosen.best]);
            new > old || (new == old && result.best == chosen.best && weight(result) > weight(chosen))
        };
        if better {
            chosen = result;
        }
    }
    chosen
}

/// Locks, whatever happened to the thread that held the lock: the data is plain.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

const _: () = assert!(STACK_SIZE > MAX_PLY * 64 * 1024);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Score, Square, mate_in, mated_in};

    fn result(to: Square, score: Score, depth: i32) -> SearchResult {
        let best = Some(Move::normal(Square::E2, to));
        SearchResult { best, pv: best.into_iter().collect(), score, depth, nodes: 1 }
    }

    #[test]
    fn two_threads_outvote_one() {
        let results = [result(Square::E3, 30, 10), result(Square::E4, 28, 10), result(Square::E4, 25, 11)];
        assert_eq!(vote(&results).best, results[1].best);
    }

    #[test]
    fn a_mate_is_taken_whatever_the_others_say() {
        let results =
            [result(Square::E3, 30, 10), result(Square::E4, mate_in(5), 9), result(Square::E3, 25, 11)];
        assert_eq!(vote(&results).score, mate_in(5));
    }

    #[test]
    fn a_forced_loss_of_the_leader_gives_way_only_to_a_later_one() {
        let mut results = [result(Square::E3, mated_in(10), 20), result(Square::E4, -300, 15)];
        assert_eq!(vote(&results).best, results[0].best);
        results[1].score = mated_in(12);
        assert_eq!(vote(&results).best, results[1].best);
    }

    #[test]
    fn the_leader_wins_a_tie() {
        let results = [result(Square::E3, 30, 10), result(Square::E4, 30, 10)];
        assert_eq!(vote(&results).best, results[0].best);
    }
}
