//! One thread's search with its own table, for tools that play games with themselves.

#![forbid(unsafe_code)]

use std::sync::Arc;

use thiserror::Error;

use crate::board::Board;
use crate::eval::{EvalSource, Evaluator};
use crate::search::{Limits, Params, SearchResult, SearchSettings, Shared, Worker};
use crate::tt::TableError;

/// A searcher that remembers what it learned until it is cleared.
pub struct Searcher {
    shared: Arc<Shared>,
    worker: Worker,
    settings: SearchSettings,
}

/// Other tunables than the defaults were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the search parameters of this program are constants; build it with `--features tuning`")]
pub struct FixedParams;

impl Searcher {
    /// A searcher with a table of `hash` MiB.
    ///
    /// # Errors
    /// When the table cannot be allocated.
    pub fn new(hash: usize, source: EvalSource) -> Result<Self, TableError> {
        let shared = Arc::new(Shared::new(1, hash)?);
        let worker = Worker::new(0, shared.clone(), Evaluator::new(source));
        Ok(Self { shared, worker, settings: SearchSettings::default() })
    }

    /// Searches with these tunables from now on.
    ///
    /// # Errors
    /// In builds without the feature `tuning`, if they are not the defaults.
    pub fn set_params(&mut self, params: &Params) -> Result<(), FixedParams> {
        #[cfg(feature = "tuning")]
        self.worker.set_params(params.clone());
        if cfg!(feature = "tuning") || *params == Params::DEFAULT { Ok(()) } else { Err(FixedParams) }
    }

    /// Forgets what it learned.
    pub fn clear(&mut self) {
        self.shared.table.clear(1);
        self.worker.clear();
    }

    /// Searches until a limit is reached; there must be one.
    pub fn search(&mut self, board: &Board, limits: &Limits) -> SearchResult {
        self.shared.begin(false);
        self.worker.search(board, limits, &self.settings, None)
    }
}
