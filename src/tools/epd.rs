//! Lines of FEN or EPD (S. J. Edwards, "Portable Game Notation Specification", 1994): the first four
//! fields of a FEN, or all six, then operations such as `bm Nf3 e4;`.

#![forbid(unsafe_code)]

use crate::board::{Board, FenError};

/// The lines of a file with their numbers, from 1, without those that are empty or begin with `#`,
/// and without the byte-order mark that some editors put first.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// The position of a line and its operations, with single blanks between their words.
///
/// # Errors
/// When the line begins with no position.
pub(crate) fn read(line: &str) -> Result<(Board, String), FenError> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let is_number = |index: usize| fields.get(index).is_some_and(|field| field.parse::<u32>().is_ok());
    let used = if is_number(4) && is_number(5) { 6 } else { 4.min(fields.len()) };
    Ok((Board::from_fen(&fields[..used].join(" "))?, fields[used..].join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

    #[test]
    fn counters_may_stand_before_the_operations() {
        let read = |rest: &str| {
            let (board, operations) = read(&format!("{START}{rest}")).unwrap();
            (board.halfmove_clock(), operations)
        };
        assert_eq!(super::read(START).unwrap().0.key(), Board::startpos().key());
        assert_eq!(read(""), (0, String::new()));
        assert_eq!(read(" 3 7"), (3, String::new()));
        assert_eq!(read("  3 7   bm  e4;"), (3, "bm e4;".to_string()));
        assert_eq!(read(" bm e4; id \"0 1\";"), (0, "bm e4; id \"0 1\";".to_string()));
    }

    #[test]
    fn comments_and_empty_lines_keep_their_numbers() {
        assert_eq!(lines("# head\n\n  a \n #b\nc").collect::<Vec<_>>(), [(3, "a"), (5, "c")]);
        assert_eq!(lines("\u{feff}a\r\nb").collect::<Vec<_>>(), [(1, "a"), (2, "b")]);
    }
}
