//! JSON Pointer (RFC 6901): the address of a value inside a document.

use std::borrow::Cow;

/// Appends one reference token, escaping `~` as `~0` and `/` as `~1` (RFC 6901 section 3).
pub fn push_token(pointer: &mut String, token: &str) {
    pointer.push('/');
    for character in token.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

/// Returns the unescaped tokens of a pointer, or `None` if the text is not a pointer: it is not empty and doesn't start
/// with `/`, or has a `~` not followed by `0` or `1`.
#[must_use]
pub fn tokens(pointer: &str) -> Option<Vec<Cow<'_, str>>> {
    if pointer.is_empty() {
        return Some(Vec::new());
    }
    pointer
        .strip_prefix('/')?
        .split('/')
        .map(unescape)
        .collect()
}

fn unescape(token: &str) -> Option<Cow<'_, str>> {
    if !token.contains('~') {
        return Some(Cow::Borrowed(token));
    }
    let mut plain = String::with_capacity(token.len());
    let mut characters = token.chars();
    while let Some(character) = characters.next() {
        plain.push(match character {
            '~' => match characters.next()? {
                '0' => '~',
                '1' => '/',
                _ => return None,
            },
            other => other,
        });
    }
    Some(Cow::Owned(plain))
}

/// Parses an array index (RFC 6901 section 4): digits without a leading zero.
#[must_use]
pub fn array_index(token: &str) -> Option<usize> {
    let plain = token.bytes().all(|byte| byte.is_ascii_digit());
    if !plain || (token.len() > 1 && token.starts_with('0')) {
        return None;
    }
    token.parse().ok()
}

/// The maximum number of characters of a name shown in a message.
const MAX_SHOWN: usize = 64;

/// The path from the root to a value, held on the stack and written out only for an issue.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Path<'a> {
    /// The document.
    Root,
    /// A member of an object.
    Member(&'a Path<'a>, &'a str),
    /// An element of an array.
    Element(&'a Path<'a>, usize),
}

impl<'a> Path<'a> {
    /// Returns the path to a member.
    pub(crate) const fn member(&'a self, name: &'a str) -> Self {
        Self::Member(self, name)
    }

    /// Returns the path to an element.
    pub(crate) const fn element(&'a self, index: usize) -> Self {
        Self::Element(self, index)
    }

    /// Writes the JSON Pointer.
    pub(crate) fn pointer(&self) -> String {
        let mut pointer = String::new();
        self.write(&mut pointer);
        pointer
    }

    /// Writes the path for messages: `proxy.transport.proxy_url`, with long names shortened.
    pub(crate) fn dotted(&self) -> String {
        let (parent, token) = match self {
            Self::Root => return String::new(),
            Self::Member(parent, name) => (parent, name.chars().take(MAX_SHOWN).collect()),
            Self::Element(parent, index) => (parent, index.to_string()),
        };
        match parent.dotted() {
            parent if parent.is_empty() => token,
            parent => format!("{parent}.{token}"),
        }
    }

    fn write(&self, pointer: &mut String) {
        match self {
            Self::Root => {}
            Self::Member(parent, name) => {
                parent.write(pointer);
                push_token(pointer, name);
            }
            Self::Element(parent, index) => {
                parent.write(pointer);
                push_token(pointer, &index.to_string());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_escaped_and_unescaped() {
        let path = Path::Root.member("a/b").pointer();
        assert_eq!(path, "/a~1b");
        let (root, mut pointer) = (Path::Root, String::new());
        push_token(&mut pointer, "m~n");
        assert_eq!(pointer, "/m~0n");
        assert_eq!(tokens("/m~0n/a~1b/~01").unwrap(), ["m~n", "a/b", "~1"]);
        assert_eq!(root.member("x").element(3).pointer(), "/x/3");
    }

    #[test]
    fn invalid_pointer_is_refused() {
        assert_eq!(tokens(""), Some(Vec::new()));
        assert_eq!(tokens("/").unwrap(), [""]);
        for text in ["a", "a/b", "/~", "/~2", "/a~"] {
            assert_eq!(tokens(text), None, "{text}");
        }
    }

    #[test]
    fn an_index_has_no_leading_zero() {
        assert_eq!(array_index("0"), Some(0));
        assert_eq!(array_index("10"), Some(10));
        for text in ["", "01", "+1", "-", "1a", "99999999999999999999999"] {
            assert_eq!(array_index(text), None, "{text}");
        }
    }
}
