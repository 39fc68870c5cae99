//! What the documents promise of the repository: links that lead somewhere, and a reason for each
//! dependency.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The names in the tables of dependencies of a `Cargo.toml`, but for the workspace's own.
fn dependencies(toml: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut wanted = false;
    for line in toml.lines() {
        if line.starts_with('[') {
            wanted = line.ends_with("dependencies]");
        } else if let Some((name, value)) = line.split_once('=')
            && wanted
            && !value.contains("path =")
        {
            names.push(name.trim().to_string());
        }
    }
    names
}

#[test]
fn every_dependency_has_a_reason() {
    let named: BTreeSet<String> = ["Cargo.toml", "training/trainer/Cargo.toml"]
        .into_iter()
        .flat_map(|path| dependencies(&read(path)))
        .collect();
    let text = read("CONTRIBUTING.md");
    let (_, table) = text.split_once("## Dependencies").expect("a section on dependencies");
    let rows = table.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
    let explained: BTreeSet<String> = rows.skip(1).map(str::to_string).collect();
    assert!(named.len() > 5 && named == explained, "{named:?}\n{explained:?}");
}

#[test]
fn links_within_the_repository_lead_somewhere() {
    let mut links = 0;
    for path in [
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "docs/promises.md",
        "docs/speed.md",
        "training/README.md",
        "training/NETS.md",
    ] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        let text = read(path);
        for link in text.split("](").skip(1).filter_map(|rest| rest.split([')', '#']).next()) {
            if !link.contains("://") && !link.is_empty() {
                assert!(folder.parent().unwrap().join(link).exists(), "{path}: {link}");
                links += 1;
            }
        }
    }
    assert!(links > 3);
}
