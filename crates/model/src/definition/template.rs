//! Templates in listen paths and domains: `{name}`, and `{name:pattern}` with a regular expression.

use crate::text::pattern::{self, Pattern};

/// A placeholder that matches a part of a request's path or host.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Template {
    /// Its name, which routing ignores.
    pub name: String,
    /// The regular expression (RE2) that has to match the part completely; `None` for any text.
    pub pattern: Option<String>,
}

/// A piece of a part of a path or a host name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Piece<'t> {
    /// A non-empty literal text.
    Text(&'t str),
    /// A template.
    Template(Template),
}

impl Template {
    /// Parses the text between the braces.
    fn read(inside: &str) -> Result<Self, &'static str> {
        let (name, expression) = match inside.split_once(':') {
            Some((name, expression)) => (name, Some(expression)),
            None => (inside, None),
        };
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if name.is_empty() || !name.bytes().all(plain) {
            return Err("the name of a template has letters, digits, '_' and '-' only");
        }
        if expression == Some("") {
            return Err("the regular expression of a template is empty; write {name}");
        }
        match expression.map(pattern::check).transpose() {
            Err(_) => Err("the regular expression of a template doesn't compile (RE2); mend it"),
            Ok(Some(Pattern {
                unicode: Some(_), ..
            })) => Err(
                "the regular expression of a template can't have classes of Unicode here; name the characters, as in [a-zà-ÿ]",
            ),
            Ok(_) => Ok(Self {
                name: name.to_owned(),
                pattern: expression.map(str::to_owned),
            }),
        }
    }

    /// Returns its form in the key of a route: templates that differ only in their names are one route.
    pub(super) fn key(&self) -> String {
        match &self.pattern {
            Some(pattern) => format!("{{:{pattern}}}"),
            None => "{}".to_owned(),
        }
    }
}

/// Splits a part into its texts and templates, in order (`a-{id:[0-9]+}.json`); an empty part has none.
///
/// # Errors
/// If a brace is unmatched or a template is invalid: a short sentence that names the remedy.
pub fn pieces(part: &str) -> Result<Vec<Piece<'_>>, &'static str> {
    let (mut pieces, mut rest) = (Vec::new(), part);
    while let Some(at) = rest.find(['{', '}']) {
        let (before, behind) = rest.split_at_checked(at).unwrap_or((rest, ""));
        let end = closing(behind).ok_or("a brace of a template has no other; write {name}")?;
        if !before.is_empty() {
            pieces.push(Piece::Text(before));
        }
        let inside = behind.get(1..end).unwrap_or_default();
        pieces.push(Piece::Template(Template::read(inside)?));
        rest = behind.get(end.saturating_add(1)..).unwrap_or_default();
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest));
    }
    Ok(pieces)
}

/// Finds the brace that closes the one a text starts with; nested braces belong to a regular expression.
fn closing(text: &str) -> Option<usize> {
    let mut open = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => open = open.saturating_add(1),
            b'}' => open = open.checked_sub(1)?,
            _ => {}
        }
        if open == 0 {
            return Some(at);
        }
    }
    None
}

/// Splits a text at separators outside of braces: a regular expression may contain `/` and `.` too.
pub(super) fn parts(text: &str, separator: char) -> Vec<&str> {
    let (mut parts, mut from) = (Vec::new(), 0);
    for (at, character) in outside(text) {
        if character == separator {
            parts.push(text.get(from..at).unwrap_or_default());
            from = at.saturating_add(character.len_utf8());
        }
    }
    parts.push(text.get(from..).unwrap_or_default());
    parts
}

/// Iterates over the characters of a text outside of braces.
pub(super) fn outside(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut depth = 0_usize;
    text.char_indices().filter(move |(_, character)| {
        match character {
            '{' => depth = depth.saturating_add(1),
            '}' => depth = depth.saturating_sub(1),
            _ => return depth == 0,
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(part: &str) -> Result<Vec<String>, &'static str> {
        let shown = |piece: &Piece<'_>| match piece {
            Piece::Text(text) => (*text).to_owned(),
            Piece::Template(template) => template.key(),
        };
        pieces(part).map(|pieces| pieces.iter().map(shown).collect())
    }

    #[test]
    fn a_part_has_texts_and_templates() {
        for (part, expected) in [
            ("", &[][..]),
            ("id", &["id"]),
            ("{id}", &["{}"]),
            ("{id:[0-9]{2,3}}", &["{:[0-9]{2,3}}"]),
            ("v{n}", &["v", "{}"]),
            ("a-{id:[0-9]+}.json", &["a-", "{:[0-9]+}", ".json"]),
            ("{a}{b}", &["{}", "{}"]),
        ] {
            let expected: Vec<String> = expected.iter().map(|text| (*text).to_owned()).collect();
            assert_eq!(shown(part), Ok(expected), "{part}");
        }
    }

    #[test]
    fn invalid_template_is_refused() {
        for wrong in [
            "{}",
            "{:a}",
            "{a b}",
            "{a:}",
            "{a:(}",
            "{a:[}",
            "{a:(?=x)}",
            r"{a:\pL}",
            "{a",
            "a}",
            "}a{",
            "x{a}}",
        ] {
            assert!(shown(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn pattern_may_contain_separators() {
        assert_eq!(parts("a/{b:[^/]+}//c", '/'), ["a", "{b:[^/]+}", "", "c"]);
        assert_eq!(parts("{x:[0-9]{2}.}.b", '.'), ["{x:[0-9]{2}.}", "b"]);
        assert_eq!(parts("", '/'), [""]);
    }
}
