//! The search: iterative deepening over a principal variation search with a shared
//! transposition table, on one or many threads (lazy SMP).
//!
//! [`Pool`] owns the threads and speaks to them by messages; [`Worker`] is one searcher with
//! its own histories; [`Shared`] is what they have in common. The search reports plain data
//! ([`Report`]) and never prints. With one thread it is deterministic: the same position,
//! limits and history give the same nodes.
//!
//! Modules: `root` deepens and decides when to end, `node` is the recursion in numbered
//! steps, `quiesce` ends it in quiet positions; `pruning`, `reductions` and `extensions` hold
//! one technique under each banner; `picker` orders the moves with what `history` learned;
//! `params` lists every tunable number; `mate` proves mates for `go mate`.

#![forbid(unsafe_code)]

mod extensions;
mod history;
mod limits;
mod mate;
mod node;
mod params;
mod picker;
mod pool;
mod pruning;
mod pv;
mod quiesce;
mod reductions;
mod report;
mod root;
mod shared;
mod stack;
pub mod strength;
mod syzygy;
mod time;
mod worker;

pub use limits::{Clock, Limits, SearchSettings, SyzygySettings};
pub use params::{Params, Tunable};
pub(crate) use pool::STACK_SIZE;
pub use pool::{Pool, ThreadError};
pub use report::{Line, Report, SearchResult, Sink};
pub use shared::Shared;
pub use strength::Strength;
pub use worker::Worker;
