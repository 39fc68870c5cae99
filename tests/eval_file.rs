//! The option `EvalFile`, through the pipes of the real engine.

mod common;

use std::path::Path;

use common::engine::script;
use common::network;

/// Everything the engine writes when it is sent `input`.
fn talk(input: &str) -> String {
    script(input.as_bytes()).iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn a_file_that_is_no_network_is_refused_with_its_reason_and_changes_nothing() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let before = talk("eval\nquit\n");
    let missing = std::fs::metadata("no such file.nnue").unwrap_err().to_string();
    for (file, reason) in [
        (manifest.display().to_string(), "not a Longan network"),
        ("no such file.nnue".to_string(), &missing),
    ] {
        let answer = talk(&format!("setoption name EvalFile value {file}\neval\nquit\n"));
        let (refusal, rest) = answer.split_once('\n').unwrap();
        assert!(refusal.starts_with("info string error: option EvalFile: "), "{refusal}");
        assert!(refusal.contains(reason) && refusal.contains(&file), "{refusal}");
        assert_eq!(rest, before);
    }
}

#[test]
fn an_empty_name_is_the_built_in_evaluation() {
    let expected = talk("eval\nquit\n");
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("other.nnue");
    std::fs::write(&path, network(1)).unwrap();
    let load = format!("setoption name EvalFile value {}\neval\n", path.display());
    let other = talk(&format!("{load}quit\n"));
    assert!(other.contains("network of 32 units") && other != expected, "{other}");
    let back = talk(&format!("{load}setoption name EvalFile value <empty>\neval\nquit\n"));
    assert_eq!(back, other + &expected);
}
