//! The option `EvalFile`, through the pipes of the real engine.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use longan::eval::network::{Network, Parameters};

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
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("flat.nnue");
    std::fs::write(&path, flat_network()).unwrap();
    let load = format!("setoption name EvalFile value {}\neval\n", path.display());
    let flat = talk(&format!("{load}quit\n"));
    assert!(flat.contains("network of 32 units") && flat != expected, "{flat}");
    let back = talk(&format!("{load}setoption name EvalFile value <empty>\neval\nquit\n"));
    assert_eq!(back, flat + &expected);
}

/// The file of a network to which all positions are equal.
fn flat_network() -> Vec<u8> {
    const HIDDEN: usize = 32;
    let parameters = Parameters {
        hidden: HIDDEN,
        qb: 64,
        scale: 400,
        feature_weights: vec![0; 768 * HIDDEN],
        feature_biases: vec![0; HIDDEN],
        output_weights: vec![0; 2 * HIDDEN],
        output_bias: 0,
    };
    Network::new(&parameters).unwrap().to_bytes()
}
