//! Trains the evaluation network of Longan on games that it played itself.
//!
//! ```text
//! files of games -> dataset -> train (pass, adamw) -> export -> network file
//! ```
//!
//! What a feature is, what a game file holds, which positions are kept and what a network file
//! looks like is all defined in the engine's library, once; this crate only learns. It needs no
//! GPU and no machine-learning library: the network is small, its input is sparse, and code made
//! for just that is faster on two cores than a general library.

#![warn(missing_docs)]
#![forbid(unsafe_code)]

pub mod adamw;
pub mod bytes;
pub mod checkpoint;
pub mod cli;
pub mod dataset;
pub mod export;
pub mod model;
pub mod objective;
pub mod pack;
pub mod pass;
pub mod plot;
pub mod record;
pub mod reference;
pub mod rng;
pub mod train;
pub mod weights;

#[cfg(test)]
mod testing;
