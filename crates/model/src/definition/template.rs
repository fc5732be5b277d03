//! Templates in listen paths and domains: `{name}`, and `{name:pattern}` with a regular expression.

use crate::text::pattern;

/// A part that stands for what a request has in its place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Template {
    /// Its name, which routing doesn't look at.
    pub name: String,
    /// The regular expression (RE2) that the whole of the part has to fit; none for any text.
    pub pattern: Option<String>,
}

impl Template {
    /// Reads a part of a path or a host name; none if it isn't one template from end to end.
    pub(super) fn read(part: &str) -> Option<Result<Self, &'static str>> {
        let inside = part.strip_prefix('{')?.strip_suffix('}')?;
        let (name, expression) = match inside.split_once(':') {
            Some((name, expression)) => (name, Some(expression)),
            None => (inside, None),
        };
        Some(Self::of(name, expression))
    }

    fn of(name: &str, expression: Option<&str>) -> Result<Self, &'static str> {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if name.is_empty() || !name.bytes().all(plain) {
            return Err("the name of a template has letters, digits, '_' and '-' only");
        }
        match expression {
            Some("") => Err("the regular expression of a template is empty; write {name}"),
            Some(text) if pattern::check(text).is_err() => {
                Err("the regular expression of a template doesn't compile (RE2); mend it")
            }
            _ => Ok(Self {
                name: name.to_owned(),
                pattern: expression.map(str::to_owned),
            }),
        }
    }

    /// As it is written.
    pub(super) fn written(&self) -> String {
        match &self.pattern {
            Some(pattern) => format!("{{{}:{pattern}}}", self.name),
            None => format!("{{{}}}", self.name),
        }
    }

    /// Its text in the key of a route: templates whose names differ only are one route.
    pub(super) fn key(&self) -> String {
        match &self.pattern {
            Some(pattern) => format!("{{:{pattern}}}"),
            None => "{}".to_owned(),
        }
    }
}

/// The parts of a text between separators that stand outside of braces: a regular expression may hold
/// `/` and `.` too.
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

/// The characters of a text that stand outside of braces.
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

    #[test]
    fn a_template_is_a_name_and_perhaps_a_pattern() {
        let read = |text| Template::read(text).map(|read| read.map(|read| read.pattern));
        assert_eq!(read("{id}"), Some(Ok(None)));
        assert_eq!(
            read("{id:[0-9]{2,3}}"),
            Some(Ok(Some("[0-9]{2,3}".to_owned())))
        );
        assert_eq!(read("id"), None);
        assert_eq!(read("{id"), None);
        for wrong in [
            "{}",
            "{:a}",
            "{a b}",
            "{a:}",
            "{a:(}",
            "{a:[}",
            "{a:(?=x)}",
            "{a}{b}",
        ] {
            assert!(read(wrong).unwrap().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_pattern_may_hold_what_separates_parts() {
        assert_eq!(parts("a/{b:[^/]+}//c", '/'), ["a", "{b:[^/]+}", "", "c"]);
        assert_eq!(parts("{x:[0-9]{2}.}.b", '.'), ["{x:[0-9]{2}.}", "b"]);
        assert_eq!(parts("", '/'), [""]);
    }
}
