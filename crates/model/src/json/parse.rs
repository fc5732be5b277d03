//! The parser (RFC 8259): recursive, with the depth checked before every descent.

use super::build::{Builder, Scalar, Tree};
use super::pointer::{Path, push_token};
use super::{LineIndex, Span, Value, duplicates};
use crate::findings::Findings;
use crate::issue::{Issue, IssueCode};

/// The maximum nesting depth of containers. serde_json, which reads the same texts elsewhere, has the same limit; real
/// definitions stay below twenty.
pub const MAX_DEPTH: usize = 128;

/// Parses a JSON text.
///
/// # Errors
/// One issue for the first syntax error, or one for every duplicate member. All positions refer to the text.
pub fn parse(text: &str) -> Result<Value<'_>, Vec<Issue>> {
    let mut findings = Findings::default();
    match parse_into(text, &mut findings) {
        Some(value) if findings.is_empty() => Ok(value),
        _ => Err(findings.into_issues(text)),
    }
}

/// Like [`parse`], for texts from third parties: duplicate members are allowed, and all of them are in the tree. `None`
/// for a text that is not JSON.
#[must_use]
pub fn parse_repeating(text: &str) -> Option<Value<'_>> {
    build(text, &mut Tree::repeating())
}

/// Like [`parse_repeating`], for what a builder makes of the text, without a tree in between.
pub fn build<'a, B: Builder<'a>>(text: &'a str, builder: &mut B) -> Option<B::Value> {
    Parser::new(text).document(builder).ok()
}

/// Selects the members that [`outline`] keeps, by the depth of their object (1 for the outermost) and their name.
pub type Keeps = fn(usize, &str) -> bool;

/// Like [`parse_repeating`], for a large text of which little is needed. All of it is checked, but the tree contains
/// only the members that `keeps` selects, and no array elements. Of several with the same name it has the first and the
/// last. So the size of the tree does not grow with the text.
#[must_use]
pub fn outline(text: &str, keeps: Keeps) -> Option<Value<'_>> {
    let mut tree = Tree::repeating();
    tree.keeps = Some(keeps);
    build(text, &mut tree)
}

/// Like [`parse_repeating`], for a large text that is split into parts. All of it is checked, but objects and arrays
/// nested deeper than `depth` containers (1 for the outermost) are empty in the tree and only have their span.
#[must_use]
pub fn parse_shallow(text: &str, depth: usize) -> Option<Value<'_>> {
    let mut tree = Tree::repeating();
    tree.filled = depth;
    build(text, &mut tree)
}

/// Parses the first value of a text, ignoring what follows it; `None` for a text that does not start with a value.
#[must_use]
pub fn first(text: &str) -> Option<&str> {
    let mut parser = Parser::new(text);
    let mut tree = Tree::repeating();
    tree.filled = 0;
    parser.space();
    let value = parser.value(&mut tree).ok()?;
    Some(value.span.of(text))
}

/// Like [`parse`], but also returns a tree with duplicate members, so that a validator can go on; the issues are added
/// to `findings`.
pub(crate) fn parse_into<'a>(text: &'a str, findings: &mut Findings) -> Option<Value<'a>> {
    let mut tree = Tree::default();
    match Parser::new(text).document(&mut tree) {
        Ok(value) => {
            if tree.duplicates {
                duplicates::report(&LineIndex::new(text), &value, &Path::Root, findings);
            }
            Some(value)
        }
        Err(stop) => {
            let mut pointer = String::new();
            for token in stop.path.iter().rev() {
                push_token(&mut pointer, token);
            }
            findings.error(stop.code, stop.span, pointer, stop.message);
            None
        }
    }
}

/// Why parsing stopped.
#[derive(Debug)]
pub(super) struct Stop {
    span: Span,
    code: IssueCode,
    message: String,
    /// Reference tokens from the innermost outwards, collected while the recursion unwinds.
    path: Vec<String>,
}

pub(super) type Parsed<T> = Result<T, Box<Stop>>;

pub(super) struct Parser<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    pub(super) const fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
        }
    }

    /// Returns the unread input.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    pub(super) const fn skip(&mut self, bytes: usize) {
        self.at = self.at.saturating_add(bytes);
    }

    pub(super) const fn since(&self, start: usize) -> Span {
        Span {
            start,
            end: self.at,
        }
    }

    #[inline]
    pub(super) fn space(&mut self) {
        // Most bodies have none.
        if self.peek().is_none_or(|byte| byte <= b' ') {
            self.blanks();
        }
    }

    fn blanks(&mut self) {
        let solid = |byte: &u8| !matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
        let rest = self.rest();
        self.skip(rest.iter().position(solid).unwrap_or(rest.len()));
    }

    /// Fails at the current character.
    pub(super) fn stop<T>(&self, message: impl Into<String>) -> Parsed<T> {
        let character = self
            .text
            .get(self.at..)
            .and_then(|rest| rest.chars().next());
        let end = self.at.saturating_add(character.map_or(0, char::len_utf8));
        self.stop_at(
            Span {
                start: self.at,
                end,
            },
            message,
        )
    }

    #[expect(clippy::unused_self, reason = "reads as the other ways to stop")]
    pub(super) fn stop_at<T>(&self, span: Span, message: impl Into<String>) -> Parsed<T> {
        let message = message.into();
        Err(Box::new(Stop {
            span,
            code: IssueCode::Syntax,
            message,
            path: Vec::new(),
        }))
    }

    /// Fails with what was expected and what was found instead.
    fn expected<T>(&self, what: &str) -> Parsed<T> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        match rest.chars().next() {
            None => self.stop(format!("expected {what}, but the document ends here")),
            Some('/') if rest.starts_with("//") || rest.starts_with("/*") => self.stop(format!(
                "expected {what}, found a comment; JSON has none, remove it"
            )),
            Some(found) if found.is_control() || found.is_whitespace() || found == '\u{feff}' => {
                self.stop(format!(
                    "expected {what}, found the character U+{:04X}",
                    u32::from(found)
                ))
            }
            Some(found) => self.stop(format!("expected {what}, found '{found}'")),
        }
    }

    fn document<B: Builder<'a>>(&mut self, builder: &mut B) -> Parsed<B::Value> {
        if self.text.starts_with('\u{feff}') {
            let message =
                "the text begins with a byte order mark (U+FEFF); save it as UTF-8 without one";
            return self.stop(message);
        }
        self.space();
        if self.rest().is_empty() {
            return self.stop("the text is empty; expected a JSON document");
        }
        let value = self.value(builder)?;
        self.space();
        if self.rest().is_empty() {
            Ok(value)
        } else {
            self.expected("the end of the document")
        }
    }

    pub(super) fn value<B: Builder<'a>>(&mut self, builder: &mut B) -> Parsed<B::Value> {
        let start = self.at;
        let scalar = match self.peek() {
            Some(b'{') => {
                self.descend()?;
                let object = self.object(builder, start);
                self.depth = self.depth.saturating_sub(1);
                return object;
            }
            Some(b'[') => {
                self.descend()?;
                let array = self.array(builder, start);
                self.depth = self.depth.saturating_sub(1);
                return array;
            }
            Some(b'"') => Scalar::String(self.string()?),
            Some(b'-' | b'0'..=b'9' | b'+' | b'.') => Scalar::Number(self.number()?),
            Some(b'\'') => return self.stop("a string needs double quotes"),
            Some(byte) if byte.is_ascii_alphabetic() => self.word()?,
            _ => return self.expected("a value"),
        };
        Ok(builder.scalar(scalar, self.since(start)))
    }

    /// Enters an object or array.
    fn descend(&mut self) -> Parsed<()> {
        if self.depth >= MAX_DEPTH {
            let message = format!(
                "objects and arrays nest deeper than {MAX_DEPTH} levels; flatten the document"
            );
            let span = Span {
                start: self.at,
                end: self.at.saturating_add(1),
            };
            return Err(Box::new(Stop {
                span,
                code: IssueCode::TooDeep,
                message,
                path: Vec::new(),
            }));
        }
        self.depth = self.depth.saturating_add(1);
        self.skip(1);
        self.space();
        Ok(())
    }

    fn object<B: Builder<'a>>(&mut self, builder: &mut B, start: usize) -> Parsed<B::Value> {
        let mut members = B::Members::default();
        if self.peek() == Some(b'}') {
            self.skip(1);
            return Ok(builder.object(members, self.since(start)));
        }
        let mut is_first = true;
        loop {
            self.member(builder, &mut members, is_first)?;
            is_first = false;
            self.space();
            match self.peek() {
                Some(b',') => self.next_entry(b'}')?,
                Some(b'}') => break self.skip(1),
                _ => return self.expected("',' or '}' after the member"),
            }
        }
        Ok(builder.object(members, self.since(start)))
    }

    fn member<B: Builder<'a>>(
        &mut self,
        builder: &mut B,
        members: &mut B::Members,
        first: bool,
    ) -> Parsed<()> {
        let start = self.at;
        match self.peek() {
            Some(b'"') => {}
            Some(b'\'') => return self.stop("a member name needs double quotes"),
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => {
                return self.stop("a member name needs double quotes");
            }
            _ if first => return self.expected("a member name in double quotes or '}'"),
            _ => return self.expected("a member name in double quotes"),
        }
        let name = self.string()?;
        let span = self.since(start);
        self.space();
        if self.peek() != Some(b':') {
            return self.expected("':' after the member name");
        }
        self.skip(1);
        self.space();
        match self.value(builder) {
            Ok(value) => {
                builder.member(self.depth, members, (name, span), value);
                Ok(())
            }
            Err(mut stop) => {
                stop.path.push(name.into_owned());
                Err(stop)
            }
        }
    }

    fn array<B: Builder<'a>>(&mut self, builder: &mut B, start: usize) -> Parsed<B::Value> {
        let mut items: Vec<B::Value> = Vec::new();
        if self.peek() == Some(b']') {
            self.skip(1);
            return Ok(builder.array(items, self.since(start)));
        }
        loop {
            match self.value(builder) {
                Ok(item) => builder.element(self.depth, &mut items, item),
                Err(mut stop) => {
                    stop.path.push(items.len().to_string());
                    return Err(stop);
                }
            }
            self.space();
            match self.peek() {
                Some(b',') => self.next_entry(b']')?,
                Some(b']') => break self.skip(1),
                _ => return self.expected("',' or ']' after the element"),
            }
        }
        Ok(builder.array(items, self.since(start)))
    }

    /// Passes a comma; a bracket right after it means that the comma is superfluous.
    fn next_entry(&mut self, close: u8) -> Parsed<()> {
        let comma = self.at;
        self.skip(1);
        self.space();
        if self.peek() == Some(close) {
            let span = Span {
                start: comma,
                end: comma.saturating_add(1),
            };
            let close = char::from(close);
            return self.stop_at(
                span,
                format!("a ',' before '{close}' is one too many; remove it"),
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Kind;

    #[test]
    fn shallow_parsing_omits_deep_levels() {
        let text = r#"{"a":[{"b":{"c":[1,{"d":2}]},"e":[3]},4],"f":"g"}"#;
        let value = parse_shallow(text, 3).unwrap();
        let [first, second] = value.get("a").unwrap().items() else {
            panic!("{value:?}");
        };
        let inner = first.get("b").unwrap();
        assert_eq!(inner.span.of(text), r#"{"c":[1,{"d":2}]}"#);
        assert_eq!(inner.kind, Kind::Object(Vec::new()));
        assert_eq!(first.get("e").unwrap().kind, Kind::Array(Vec::new()));
        assert_eq!(second.as_int(), Some(4));
        assert_eq!(value.str("f"), Some("g"));
        // Deeper levels are checked all the same.
        for broken in [r#"[[[[1,]]]]"#, r#"[[[[{"a"}]]]]"#, "[[[[1]]]", "[] []"] {
            assert_eq!(parse_shallow(broken, 1), None, "{broken}");
        }
    }

    #[test]
    fn text_may_continue_after_its_first_value() {
        for (text, expected) in [
            (" {\"a\":[1]} {", Some("{\"a\":[1]}")),
            ("\"x\\\"\"y", Some("\"x\\\"\"")),
            ("null", Some("null")),
            ("{\"a\":[1}", None),
            ("", None),
        ] {
            assert_eq!(first(text), expected, "{text}");
        }
    }
}
