//! The option `EvalFile`, through the pipes of the real engine.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Everything the engine writes when it is sent `input`.
fn talk(input: &str) -> String {
    let mut engine = Command::new(env!("CARGO_BIN_EXE_longan"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the engine starts");
    engine.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    String::from_utf8(engine.wait_with_output().unwrap().stdout).unwrap()
}

#[test]
fn a_file_that_is_no_network_is_refused_with_its_reason_and_changes_nothing() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let before = talk("eval\nquit\n");
    for (file, reason) in [
        (manifest.display().to_string(), "not a Longan network"),
        ("no such file.nnue".to_string(), "No such file"),
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
    assert_eq!(talk("setoption name EvalFile value <empty>\neval\nquit\n"), expected);
}
