//! The README lists the options that the code has, no others, with the same words.

use longan::uci::options::{Entry, Kind, TABLE};

fn row(entry: &Entry) -> String {
    let (kind, default, range) = match entry.kind {
        Kind::Check { default, .. } => ("check", default.to_string(), String::new()),
        Kind::Spin { default, min, max, .. } => ("spin", default.to_string(), format!("{min} to {max}")),
        Kind::Text { default, .. } => ("string", default.to_string(), String::new()),
        Kind::Button { .. } => ("button", String::new(), String::new()),
    };
    let cells = [entry.name, kind, &default, &range, entry.help];
    cells.iter().fold("|".to_string(), |row, cell| row + &format!(" {cell} |").replace("  ", " "))
}

#[test]
fn readme_lists_the_options_of_the_code() {
    let readme = include_str!("../README.md");
    let (_, section) = readme.split_once("### Options").expect("the README has a section of options");
    let rows: Vec<_> = section.lines().skip_while(|line| !line.starts_with('|')).skip(2).collect();
    let rows: Vec<_> = rows.into_iter().take_while(|line| line.starts_with('|')).collect();
    assert_eq!(rows, TABLE.iter().map(row).collect::<Vec<_>>());
}

#[test]
fn names_are_unique_in_any_case_and_defaults_are_in_range() {
    for (index, entry) in TABLE.iter().enumerate() {
        let twins = TABLE.iter().filter(|other| other.name.eq_ignore_ascii_case(entry.name));
        assert_eq!(twins.count(), 1, "{}", entry.name);
        assert!(!entry.help.contains('|'), "{index} would break the table");
        if let Kind::Spin { default, min, max, .. } = entry.kind {
            assert!((min..=max).contains(&default), "{}", entry.name);
        }
    }
}
