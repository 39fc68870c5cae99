//! Work that is done with the engine's parts besides playing: counting, measuring, tuning.

pub mod bench;
pub mod bootstrap;
pub mod datagen;
pub(crate) mod epd;
pub mod perft;
pub mod progress;
pub mod searcher;
pub mod tune;
pub mod wdl_fit;
