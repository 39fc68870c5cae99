//! How well a fixed time for a move is kept, measured at the end of the pipe where a GUI is.
//!
//! Not among the normal tests, since it depends on the machine and on what else runs there:
//! `cargo test --release --test clock -- --ignored --nocapture`

mod common;

use std::time::Instant;

use common::engine::Engine;
use common::suite_positions;

/// Searches of each length.
const SEARCHES: usize = 41;

#[test]
#[ignore = "measures time"]
fn movetime_is_kept_within_five_milliseconds() {
    let mut engine = Engine::start();
    let fens: Vec<_> = suite_positions().take(SEARCHES).collect();
    let mut worst = 0.0_f64;
    for wanted in [10, 50, 100, 300] {
        let mut late: Vec<f64> = Vec::new();
        for fen in &fens {
            engine.send(&format!("position fen {fen}"));
            engine.until_ready();
            let start = Instant::now();
            engine.search(&format!("go movetime {wanted}"));
            late.push(start.elapsed().as_secs_f64() * 1000.0 - f64::from(wanted));
        }
        late.sort_by(f64::total_cmp);
        let (median, last) = (late[SEARCHES / 2], late[SEARCHES - 1]);
        println!("movetime {wanted}: late by {median:.2} ms (median), {last:.2} ms (worst)");
        worst = worst.max(median.abs());
    }
    assert!(worst <= 5.0, "{worst}");
}
