//! Lines of UCI: whatever is not understood leaves a note, and line ends and blanks around a line
//! change nothing.

#![no_main]

use libfuzzer_sys::fuzz_target;
use longan::uci::parse;

fuzz_target!(|data: &[u8]| {
    for line in data.split(|&byte| byte == b'\n') {
        let parsed = parse(line);
        let blank = String::from_utf8_lossy(line)
            .chars()
            .all(|c| c.is_whitespace() || c.is_control() || c == '\u{feff}');
        assert!(parsed.command.is_some() || !parsed.notes.is_empty() || blank, "silence about {line:?}");
        for note in &parsed.notes {
            assert!(!note.is_empty() && note.len() < 500 && !note.contains(['\n', '\r']), "{note:?}");
        }
        assert_eq!(parse(&[b" \t", line, b" \r\n"].concat()), parsed);
    }
});
