//! Text in a text field of the browser: positions and line endings. Plain values.

use gatewright_model::Position;

/// Converts a position to an offset in a field: like browsers, it counts UTF-16 code units, from the beginning of the
/// text. A column beyond the end of a line means that end.
#[must_use]
pub fn offset(text: &str, position: Position) -> u32 {
    let units = |text: &str| text.chars().map(char::len_utf16).sum::<usize>();
    let before = usize::try_from(position.line.saturating_sub(1)).unwrap_or(usize::MAX);
    let lines: usize = text.split_inclusive('\n').take(before).map(units).sum();
    let line = units(text.split('\n').nth(before).unwrap_or_default());
    let column = usize::try_from(position.column.saturating_sub(1)).unwrap_or(usize::MAX);
    u32::try_from(lines.saturating_add(column.min(line))).unwrap_or(u32::MAX)
}

/// Returns a text as a field has it, with `\n` as line endings, and whether they were `\r\n`.
#[must_use]
pub fn in_field(text: &str) -> (String, bool) {
    match text.contains("\r\n") {
        true => (text.replace("\r\n", "\n"), true),
        false => (text.to_owned(), false),
    }
}

/// Returns the text of a field for sending, with the original line endings.
#[must_use]
pub fn out_of_field(text: &str, carriage: bool) -> String {
    match carriage {
        true => text.replace('\n', "\r\n"),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn positions_count_utf16_like_the_browser() {
        let text = "a: 1\nü: \u{1F600}x\n\nlast";
        for (line, column, expected) in [
            (1, 1, 0),
            (1, 4, 3),
            (2, 1, 5),
            (2, 6, 10),
            (3, 1, 12),
            (4, 1, 13),
            (4, 99, 17),
            (9, 1, 17),
            (0, 0, 0),
        ] {
            assert_eq!(
                offset(text, Position { line, column }),
                expected,
                "{line}:{column}"
            );
        }
    }

    #[test]
    fn line_endings_are_preserved() {
        for text in ["a: 1\r\nb: 2\r\n", "a: 1\nb: 2", ""] {
            let (field, carriage) = in_field(text);
            assert!(!field.contains('\r'));
            assert_eq!(out_of_field(&field, carriage), text);
        }
    }
}
