//! Longan, a UCI chess engine.
//!
//! ```text
//! stdin line -> uci::parse -> uci::Command -> engine::Session -> search::Pool -> search::Worker
//! stdout     <- uci::output <- search::Report (plain data) <-----------------------------'
//!
//! types <- attacks <- board <- eval, tt, tablebase <- search <- engine <- uci, cli <- main
//! ```
//!
//! - [`types`] is the vocabulary, [`attacks`] where men can go on an empty board and past others.
//! - [`board`] owns the rules, [`eval`] says what a position is worth, [`tt`] remembers results,
//!   [`tablebase`] knows endgames, [`search`] finds moves.
//! - [`book`] opens games, [`rng`] draws lots.
//! - [`engine`] puts them together for a user, [`uci`] for GUIs, [`cli`] for the command line;
//!   [`tools`] measure.

#![warn(missing_docs)]

pub mod attacks;
pub mod board;
pub mod book;
pub mod cli;
pub mod engine;
pub mod eval;
mod files;
pub mod fnv;
pub mod rng;
pub mod search;
pub mod tablebase;
pub mod tools;
pub mod tt;
pub mod types;
pub mod uci;
pub mod version;
