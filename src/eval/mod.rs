//! Evaluation: what a position is worth when no search looks further.

pub mod features;
mod infer;
pub mod network;
pub mod simd;

#[cfg(test)]
mod testing;
