//! Reads parts of texts that were checked before they were stored, and passes over everything else.

use super::build::Tree;
use super::parse::{Parsed, Parser};
use super::scan::plain;
use super::{Kind, Member, Value};
use crate::merge::Index;

/// Parses as much of a text as a merge patch to it concerns: the members of objects that the patch changes inside. All
/// other objects and arrays are empty in the tree and only have their span. What is passed over is not checked, so the
/// text has to be one that was; `None` if it isn't JSON as far as it is read.
#[must_use]
pub(crate) fn along<'a>(text: &'a str, patch: &Value<'_>) -> Option<Value<'a>> {
    let mut parser = Parser::new(text);
    parser.space();
    parser.along(patch).ok()
}

/// Does the same for the members of the outermost object.
#[must_use]
pub fn outermost(text: &str) -> Option<Value<'_>> {
    let patch = Value {
        span: super::Span::default(),
        kind: Kind::Object(Vec::new()),
    };
    along(text, &patch)
}

impl<'a> Parser<'a> {
    fn along(&mut self, patch: &Value<'_>) -> Parsed<Value<'a>> {
        let start = self.at;
        let kind = match (self.peek(), &patch.kind) {
            (Some(b'{'), Kind::Object(changed)) => {
                let mut members = Vec::new();
                let index = Index::new(changed);
                self.skip(1);
                self.space();
                while self.peek() != Some(b'}') {
                    members.push(self.member_along(&index)?);
                }
                self.skip(1);
                Kind::Object(members)
            }
            _ => self.passed()?,
        };
        Ok(Value {
            span: self.since(start),
            kind,
        })
    }

    /// Reads a member, and the comma after it.
    fn member_along(&mut self, patch: &Index<'_, '_>) -> Parsed<Member<'a>> {
        let start = self.at;
        if self.peek() != Some(b'"') {
            return self.stop("expected a member");
        }
        let name = self.string()?;
        let name_span = self.since(start);
        self.space();
        self.skip(1);
        self.space();
        let value = match patch.find(&name) {
            Some((_, changed)) => self.along(&changed.value)?,
            None => {
                let start = self.at;
                let kind = self.passed()?;
                let span = self.since(start);
                Value { span, kind }
            }
        };
        self.space();
        if self.peek() == Some(b',') {
            self.skip(1);
            self.space();
        }
        Ok(Member {
            name,
            name_span,
            value,
        })
    }

    /// Passes over an object or an array, or reads another value.
    fn passed(&mut self) -> Parsed<Kind<'a>> {
        let kind = match self.peek() {
            Some(b'{') => Kind::Object(Vec::new()),
            Some(b'[') => Kind::Array(Vec::new()),
            _ => return Ok(self.value(&mut Tree::repeating())?.kind),
        };
        let rest = self.rest();
        let (mut at, mut depth) = (0_usize, 0_usize);
        while let Some(byte) = rest.get(at) {
            at = at.saturating_add(1);
            match byte {
                b'"' => at = at.saturating_add(string(rest.get(at..).unwrap_or_default())),
                b'{' | b'[' => depth = depth.saturating_add(1),
                b'}' | b']' if depth == 1 => {
                    self.skip(at);
                    return Ok(kind);
                }
                b'}' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        self.stop("expected the end of an object or an array")
    }
}

/// Returns the length of a string after its opening quote, the closing one included.
fn string(rest: &[u8]) -> usize {
    let mut at = 0_usize;
    loop {
        at = at.saturating_add(plain(rest.get(at..).unwrap_or_default()));
        match rest.get(at) {
            Some(b'\\') => at = at.saturating_add(2),
            _ => return at.saturating_add(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn only_what_a_patch_changes_inside_is_parsed() {
        let text =
            r#" {"a" : {"b":{"c":[1,"]}\"\\"]},"d":{"e":1}} , "f":{"g":"}"},"h":2,"i":[] } "#;
        let patch = parse(r#"{"a":{"d":{"e":2}},"f":1}"#).unwrap();
        let root = along(text, &patch).unwrap();
        assert_eq!(root.span.of(text), text.trim());
        let a = root.get("a").unwrap();
        let b = a.get("b").unwrap();
        assert_eq!(b.span.of(text), r#"{"c":[1,"]}\"\\"]}"#);
        assert_eq!(b.kind, Kind::Object(Vec::new()));
        assert_eq!(a.get("d").unwrap().get("e").unwrap().as_int(), Some(1));
        assert_eq!(root.get("f").unwrap().kind, Kind::Object(Vec::new()));
        assert_eq!(root.get("f").unwrap().span.of(text), r#"{"g":"}"}"#);
        assert_eq!(root.get("h").unwrap().as_int(), Some(2));
        assert_eq!(root.get("i").unwrap().kind, Kind::Array(Vec::new()));
        let outermost = outermost(text).unwrap();
        assert_eq!(outermost.members().len(), 4);
        assert_eq!(outermost.get("a").unwrap().kind, Kind::Object(Vec::new()));
        for broken in [
            "",
            "{",
            r#"{"a"#,
            r#"{"a":{"b":"}"#,
            r#"{"a":{"b""#,
            "{a:1}",
            r#"{"a":[}"#,
        ] {
            assert_eq!(along(broken, &patch), None, "{broken}");
        }
    }
}
