//! Builds a tree from the parser's events.

use super::tree::{Id, Kind, Node, Notation, Tag, Tree};
use super::{MAX_BYTES, MAX_NODES};
use crate::findings::Findings;
use crate::issue::{Issue, IssueCode};
use crate::json::pointer::push_token;
use crate::json::{MAX_DEPTH, Span};
use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError, StructureStyle, options};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A parsed YAML document.
#[derive(Debug)]
pub struct Yaml<'a> {
    pub(super) text: &'a str,
    pub(super) tree: Tree<'a>,
}

/// Reads the single document of a text.
///
/// # Errors
/// One issue for the first thing that is not YAML, or not supported here.
pub fn read(text: &str) -> Result<Yaml<'_>, Vec<Issue>> {
    let mut builder = Builder {
        text,
        tree: Tree::new(),
        open: Vec::new(),
        anchors: BTreeMap::new(),
        is_begun: false,
    };
    match builder.document() {
        Ok(()) => Ok(Yaml {
            text,
            tree: builder.tree,
        }),
        Err(stop) => {
            let mut findings = Findings::default();
            findings.error(stop.code, stop.span, builder.pointer(), stop.message);
            Err(findings.into_issues(text))
        }
    }
}

/// Why reading stops.
struct Stop {
    code: IssueCode,
    span: Span,
    message: Cow<'static, str>,
}

fn stop<T>(span: Span, message: impl Into<Cow<'static, str>>) -> Result<T, Stop> {
    stop_for(IssueCode::Syntax, span, message)
}

fn stop_for<T>(
    code: IssueCode,
    span: Span,
    message: impl Into<Cow<'static, str>>,
) -> Result<T, Stop> {
    let message = message.into();
    Err(Stop {
        code,
        span,
        message,
    })
}

/// The message for a document that is too deeply nested.
pub(super) fn too_deep() -> String {
    format!("lists and maps nest deeper than {MAX_DEPTH} levels; flatten the document")
}

struct Builder<'a> {
    text: &'a str,
    tree: Tree<'a>,
    open: Vec<Open>,
    anchors: BTreeMap<usize, Id>,
    is_begun: bool,
}

/// A list or map that is still being read.
struct Open {
    id: Id,
    /// The key that waits for its value.
    key: Option<Id>,
}

impl<'a> Builder<'a> {
    fn document(&mut self) -> Result<(), Stop> {
        let first = Span { start: 0, end: 0 };
        if self.text.len() > MAX_BYTES {
            let message = format!("the text is longer than {MAX_BYTES} bytes; shorten it");
            return stop_for(IssueCode::TooLarge, first, message);
        }
        if self.text.starts_with('\u{feff}') {
            let message =
                "the text begins with a byte order mark (U+FEFF); save it as UTF-8 without one";
            return stop(first, message);
        }
        let options = options! { emit_comments: false };
        for event in Parser::new_from_str_with_options(self.text, options) {
            match event {
                Ok((event, span)) => self.event(event, span_of(&span))?,
                Err(error) => return self.refused(&error),
            }
        }
        match self.is_begun {
            true => Ok(()),
            false => stop(first, "the text is empty; expected a YAML document"),
        }
    }

    fn event(&mut self, event: Event<'a>, span: Span) -> Result<(), Stop> {
        if self.tree.len() > MAX_NODES {
            let message =
                format!("the text has more than {MAX_NODES} names and values; shorten it");
            return stop_for(IssueCode::TooLarge, span, message);
        }
        match event {
            Event::DocumentStart(_, version) => {
                if self.is_begun {
                    let message = "another YAML document begins here; send one at a time";
                    return stop(span, message);
                }
                self.is_begun = true;
                if version.is_some_and(|version| (version.major, version.minor) == (1, 1)) {
                    let message = "this document says that it is YAML 1.1, where yes, no, on and off are booleans; documents are read as YAML 1.2, so write true and false and remove the directive";
                    return stop(span, message);
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                let node = self.scalar(text, style, span, tag_of(tag.as_deref()));
                self.add(node, anchor);
            }
            Event::SequenceStart(style, anchor, tag) => {
                self.begin(Kind::List(Vec::new(), style), span, anchor, tag.as_deref())?;
            }
            Event::MappingStart(style, anchor, tag) => {
                self.begin(Kind::Map(Vec::new(), style), span, anchor, tag.as_deref())?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(span),
            Event::Alias(anchor) => {
                let target = self.anchors.get(&anchor).copied().unwrap_or_default();
                if self.open.iter().any(|open| open.id == target) {
                    let message = "this alias stands for something that it is part of; write out what is meant";
                    return stop(span, message);
                }
                let kind = Kind::Alias(target);
                let tag = Tag::None;
                self.add(Node { span, tag, kind }, 0);
            }
            _ => {}
        }
        Ok(())
    }

    fn scalar(&self, text: Cow<'a, str>, style: ScalarStyle, span: Span, tag: Tag<'a>) -> Node<'a> {
        let (kind, span) = match style {
            // The parser reports an absent value as `~`.
            ScalarStyle::Plain if span.start == span.end => (Kind::Plain(Cow::Borrowed("")), span),
            ScalarStyle::Plain => (Kind::Plain(text), span),
            ScalarStyle::Literal | ScalarStyle::Folded => {
                let end = block_end(span.of(self.text), &text);
                let end = span.start.saturating_add(end);
                (Kind::Text(text, Notation::Block), Span { end, ..span })
            }
            _ => (Kind::Text(text, Notation::Quoted), span),
        };
        Node { span, tag, kind }
    }

    fn begin(
        &mut self,
        kind: Kind<'a>,
        span: Span,
        anchor: usize,
        tag: Option<&granit_parser::Tag>,
    ) -> Result<(), Stop> {
        if self.open.len() >= MAX_DEPTH {
            return stop_for(IssueCode::TooDeep, span, too_deep());
        }
        let tag = tag_of(tag);
        let id = self.add(Node { span, tag, kind }, anchor);
        self.open.push(Open { id, key: None });
        Ok(())
    }

    fn add(&mut self, node: Node<'a>, anchor: usize) -> Id {
        let is_nothing = matches!(&node.kind, Kind::Plain(text) if text.is_empty());
        let id = self.tree.push(node);
        if anchor != 0 {
            self.anchors.insert(anchor, id);
        }
        let Some(open) = self.open.last_mut() else {
            self.tree.root = id;
            return id;
        };
        let key = open.key;
        let key_end = key.map(|key| self.tree.node(key).span.end);
        match self.tree.node_mut(open.id).map(|node| &mut node.kind) {
            Some(Kind::List(items, _)) => items.push(id),
            Some(Kind::Map(entries, _)) => match key {
                None => open.key = Some(id),
                Some(key) => {
                    entries.push((key, id));
                    open.key = None;
                }
            },
            _ => {}
        }
        if let (true, Some(end), Some(node)) = (is_nothing, key_end, self.tree.node_mut(id)) {
            node.span = Span { start: end, end };
        }
        id
    }

    fn end(&mut self, span: Span) {
        let Some(open) = self.open.pop() else {
            return;
        };
        let (style, last) = match &self.tree.node(open.id).kind {
            Kind::List(items, style) => (*style, items.last().copied()),
            Kind::Map(entries, style) => (*style, entries.last().map(|(_, value)| *value)),
            _ => return,
        };
        let last = last.map(|last| self.tree.node(last).span.end);
        if let Some(node) = self.tree.node_mut(open.id) {
            node.span.end = match style {
                StructureStyle::Block => last.unwrap_or(node.span.start),
                StructureStyle::Flow => span.end,
            };
        }
    }

    /// Returns the JSON Pointer of the next node.
    fn pointer(&self) -> String {
        let mut pointer = String::new();
        for open in &self.open {
            match (&self.tree.node(open.id).kind, open.key) {
                (Kind::List(items, _), _) => {
                    // The last one is still being read, unless it is a scalar.
                    let is_open = items.last().is_some_and(|last| self.is_open(*last));
                    let index = items.len().saturating_sub(usize::from(is_open));
                    push_token(&mut pointer, &index.to_string());
                }
                (Kind::Map(entries, _), key) => {
                    let last = entries.last().filter(|(_, value)| self.is_open(*value));
                    let key = key.or(last.map(|(key, _)| *key));
                    if let Some(name) = key.and_then(|key| self.tree.name(key)) {
                        push_token(&mut pointer, name);
                    }
                }
                _ => {}
            }
        }
        pointer
    }

    fn is_open(&self, id: Id) -> bool {
        self.open.iter().any(|open| open.id == id)
    }

    fn refused<T>(&self, error: &ScanError) -> Result<T, Stop> {
        let at = error.marker().byte_offset().unwrap_or_default();
        let character = self.text.get(at..).and_then(|rest| rest.chars().next());
        let end = at.saturating_add(character.map_or(0, char::len_utf8));
        let span = Span { start: at, end };
        match error.kind() {
            ErrorKind::RecursionLimitExceeded => stop_for(IssueCode::TooDeep, span, too_deep()),
            kind => stop(span, describe(kind)),
        }
    }
}

fn span_of(span: &granit_parser::Span) -> Span {
    let range = span.byte_range().unwrap_or_default();
    Span {
        start: range.start,
        end: range.end,
    }
}

fn tag_of<'a>(tag: Option<&granit_parser::Tag>) -> Tag<'a> {
    let Some(tag) = tag else {
        return Tag::None;
    };
    if let Some(name) = tag.core_suffix() {
        return Tag::Type(Cow::Owned(name.to_owned()));
    }
    match (tag.original_handle(), tag.suffix()) {
        ("", "!") => Tag::Type(Cow::Borrowed("!")),
        ("", suffix) => Tag::Other(Cow::Owned(format!("!<{suffix}>"))),
        (handle, suffix) => Tag::Other(Cow::Owned(format!("{handle}{suffix}"))),
    }
}

/// Returns the end of a block scalar's last line, before its line break: the parser's span extends to the start of the
/// next node.
fn block_end(lines: &str, text: &str) -> usize {
    // With `+`, the trailing empty lines are part of it.
    let keeps = text.ends_with("\n\n") || text.bytes().all(|byte| byte == b'\n');
    match lines.rfind('\n').filter(|_| keeps) {
        Some(last) => last,
        None => lines.trim_end().len(),
    }
}

/// Describes the problem and the remedy, where the parser only reports what it found.
fn describe(kind: &ErrorKind) -> Cow<'static, str> {
    let message = match kind {
        ErrorKind::MappingValueNotAllowed
        | ErrorKind::InvalidColonPlacement
        | ErrorKind::BlockSequenceEntryNotAllowed => {
            "a name, or a list, can't begin here; write quotes around a text with a colon in it, or check the indentation"
        }
        ErrorKind::SimpleKeyExpected
        | ErrorKind::InvalidSimpleKey
        | ErrorKind::ExpectedBlockMappingKey => {
            "expected name: value here; check the indentation, or write quotes around a text of several lines"
        }
        ErrorKind::TabInBlockIndentation
        | ErrorKind::TabInIndentation
        | ErrorKind::TabAtBlockScalarStart
        | ErrorKind::TabNotAllowed => "YAML is not indented with tabs; use blanks",
        ErrorKind::InvalidIndentation
        | ErrorKind::InvalidBlockScalarIndent
        | ErrorKind::InvalidFlowScalarIndent
        | ErrorKind::ExpectedBlockSequenceEntry => {
            "this is not indented as what it belongs to; check the blanks before it"
        }
        ErrorKind::UnclosedQuotedScalar => "the text that begins here has no closing quote",
        ErrorKind::UnknownQuotedScalarEscape => {
            "unknown escape; a backslash itself is written \\\\, or as it is between single quotes"
        }
        ErrorKind::UnknownAnchor => {
            "no anchor of this name stands before it; write & and the name before what is meant, or quotes around a text"
        }
        ErrorKind::UnexpectedCharacter { .. } => {
            "no text without quotes begins with this character; write quotes around it"
        }
        ErrorKind::UnclosedFlowCollection { .. } => {
            "the bracket that begins here is not closed; close it"
        }
        _ => {
            return Cow::Owned(format!(
                "{kind}; write it otherwise, or check the indentation"
            ));
        }
    };
    Cow::Borrowed(message)
}
