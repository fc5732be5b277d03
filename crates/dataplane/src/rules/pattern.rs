//! The path of a rule: a text with `{name}` and `*`, or a regular expression, searched for anywhere in a decoded path
//! unless the gateway anchors it (reference 5.2).
//!
//! Matching takes time linear in the path. An expression that can't be compiled here matches nothing, and the validator
//! warns about it; the link of a protective rule then fails closed.

use gatewright_model::text::path_rule;
use gatewright_model::text::pattern::portable;
use gatewright_protocol::access::{Anchors, SPECIAL};
use regex_lite::{Regex, RegexBuilder};
use std::borrow::Cow;

/// The maximum size of a compiled expression, in bytes. Braces in a path are templates, so it has no counted
/// repetitions and takes about twenty times its length; an expression with a thousand alternatives for a segment has to
/// fit.
const MAX_COMPILED: usize = 512 * 1024;

/// The compiled path of a rule.
#[derive(Clone, Debug)]
pub enum Pattern {
    /// Matches every path: the rule's path is empty or `/`.
    Every,
    /// Plain text, apart from a leading `^` and a trailing `$`.
    Text {
        /// The text.
        text: String,
        /// Where it has to be.
        anchors: Anchors,
        /// Whether the case of ASCII letters is ignored.
        ignore_case: bool,
    },
    /// A regular expression.
    Expression(Regex),
    /// A case-insensitive expression with non-ASCII letters.
    Folded(Regex),
    /// An expression that can't be compiled.
    Broken,
}

impl Pattern {
    /// Compiles the path of a rule.
    #[must_use]
    pub fn compile(path: &str, ignore_case: bool, anchors: Anchors) -> Self {
        if matches!(path, "" | "/") && anchors == Anchors::default() {
            return Self::Every;
        }
        let expression = path_rule::expression(path);
        let anchors = Anchors {
            prefix: anchors.prefix && expression.starts_with('/'),
            suffix: anchors.suffix && !expression.ends_with('$'),
        };
        if let Some(text) = Self::text(&expression, ignore_case, anchors) {
            return text;
        }
        let (start, end) = (
            if anchors.prefix { "^" } else { "" },
            if anchors.suffix { "$" } else { "" },
        );
        let text = match (start, end) {
            ("", "") => expression,
            // Grouped, so that the anchors apply to every alternative.
            (start, end) => format!("{start}(?:{expression}){end}"),
        };
        let text = portable(&text);
        let folded = ignore_case.then(|| fold(&text));
        let kind = if ignore_case && !text.is_ascii() {
            Self::Folded
        } else {
            Self::Expression
        };
        let mut builder = RegexBuilder::new(folded.as_deref().unwrap_or(&text));
        let compiled = builder
            .case_insensitive(ignore_case)
            .size_limit(MAX_COMPILED)
            .build();
        compiled.map_or(Self::Broken, kind)
    }

    /// Compiles an expression that is plain text: comparing costs a fraction of running the engine.
    fn text(expression: &str, ignore_case: bool, anchors: Anchors) -> Option<Self> {
        let behind = expression.strip_prefix('^');
        let text = behind.unwrap_or(expression);
        let before = text.strip_suffix('$');
        let text = before.unwrap_or(text);
        let is_plain = !text.contains(SPECIAL) && (!ignore_case || text.is_ascii());
        is_plain.then(|| Self::Text {
            text: text.to_owned(),
            anchors: Anchors {
                prefix: anchors.prefix || behind.is_some(),
                suffix: anchors.suffix || before.is_some(),
            },
            ignore_case,
        })
    }

    /// Whether the pattern matches a decoded path.
    #[must_use]
    pub fn is_match(&self, path: &str) -> bool {
        match self {
            Self::Every => true,
            Self::Text {
                text,
                anchors,
                ignore_case,
            } => finds(path.as_bytes(), text.as_bytes(), *anchors, *ignore_case),
            Self::Expression(expression) => expression.is_match(path),
            Self::Folded(expression) => expression.is_match(&fold(path)),
            Self::Broken => false,
        }
    }
}

/// Whether a path contains a text at the anchored position.
fn finds(path: &[u8], text: &[u8], anchors: Anchors, ignore_case: bool) -> bool {
    let is_same = |part: &[u8]| {
        if ignore_case {
            part.eq_ignore_ascii_case(text)
        } else {
            part == text
        }
    };
    let beginning = || path.get(..text.len());
    let end = || {
        path.len()
            .checked_sub(text.len())
            .and_then(|at| path.get(at..))
    };
    match (anchors.prefix, anchors.suffix) {
        (true, true) => is_same(path),
        (true, false) => beginning().is_some_and(is_same),
        (false, true) => end().is_some_and(is_same),
        (false, false) => text.is_empty() || path.windows(text.len()).any(is_same),
    }
}

/// Lowercases the non-ASCII letters of a text: the regex engine folds ASCII only.
fn fold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let lower = |letter: char| {
        let mut lower = letter.to_lowercase();
        match (lower.next(), lower.next()) {
            (Some(one), None) if !letter.is_ascii() => one,
            _ => letter,
        }
    };
    Cow::Owned(text.chars().map(lower).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_found(rule: &str, path: &str) -> bool {
        Pattern::compile(rule, false, Anchors::default()).is_match(path)
    }

    #[test]
    fn unanchored_rule_matches_anywhere() {
        for (rule, path, found) in [
            ("/users", "/users/1", true),
            ("/users", "/x/users", true),
            ("/users", "/Users", false),
            ("", "/anything", true),
            ("/", "/anything", true),
            ("^/users", "/x/users", false),
            ("^/users", "/users/1", true),
            ("/users$", "/x/users", true),
            ("/users$", "/users/1", false),
            ("/users$", "users", false),
            ("^/users$", "/users", true),
            ("^/users$", "/users/1", false),
            ("^/us$ers$", "/us$ers", false),
            ("/us\\$", "/us$", true),
            ("^", "/users", true),
            ("$", "/users", true),
            ("/users/{id}$", "/users/7", true),
            ("/users/{id}$", "/users/7/x", false),
            ("/users/{id:[0-9]+}$", "/users/abc", true),
            ("^/v[0-9]+/debug$", "/v12/debug", true),
            ("^/v[0-9]+/debug$", "/x/v1/debug", false),
            ("\\.(bak|old)$", "/index.php.bak", true),
            // A counted repetition is parsed as a template segment.
            ("/items/[0-9]{3}$", "/items/123", true),
            ("/items/[0-9]{3}$", "/items/1x", true),
            ("/items/[0-9]{3}$", "/items/1", false),
            ("/files/*/raw", "/files/a/raw", true),
            ("/files/*/raw", "/files/a/b/raw", false),
            ("/files/*", "/files/a/b", true),
            ("/a(", "/a(", false),
            // Syntax that regex-lite parses differently from RE2.
            ("\\Q/a.b\\E$", "/a.b", true),
            ("\\Q/a.b\\E$", "/axb", false),
            ("^/[^[]k", "/ak", true),
            ("^/[^[]k", "/[k", false),
            ("/[a&&b]$", "/&", true),
            ("/\\<x", "/<x", true),
            ("/a{", "/a{", true),
        ] {
            assert_eq!(is_found(rule, path), found, "{rule} in {path}");
        }
    }

    #[test]
    fn expression_may_have_a_thousand_alternatives() {
        let names: Vec<String> = (0..1000).map(|number| format!("name{number:04}")).collect();
        let path = format!("^/({})$", names.join("|"));
        for ignore_case in [false, true] {
            let pattern = Pattern::compile(&path, ignore_case, Anchors::default());
            assert!(pattern.is_match("/name0999"));
            assert!(!pattern.is_match("/name1000"));
        }
    }

    #[test]
    fn letter_case_and_ends_can_be_set() {
        let ignoring = Pattern::compile("/cAsE", true, Anchors::default());
        assert!(ignoring.is_match("/Case") && ignoring.is_match("/x/cASEs"));
        assert!(!ignoring.is_match("/Cas"));
        let end = Pattern::compile("^/cAsE$", true, Anchors::default());
        assert!(end.is_match("/CASE") && !end.is_match("/case/1"));
        assert!(matches!(end, Pattern::Text { .. }));
        let accents = Pattern::compile("/CafÉ/[À-Ý]$", true, Anchors::default());
        assert!(accents.is_match("/cAFé/É") && accents.is_match("/CAFÉ/à"));
        assert!(!is_found("/CafÉ", "/Café"));
        let both = Anchors {
            prefix: true,
            suffix: true,
        };
        for (rule, path, found) in [
            ("/a", "/a", true),
            ("/a", "/a/b", false),
            ("/a", "/x/a", false),
            ("a", "/a", true),
            ("/a|/b", "/x/b", false),
            ("/a|/b", "/b", true),
        ] {
            assert_eq!(
                Pattern::compile(rule, false, both).is_match(path),
                found,
                "{rule} in {path}"
            );
        }
    }
}
