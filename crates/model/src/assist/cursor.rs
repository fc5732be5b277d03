//! Locates the cursor in a document, even while the text is not valid JSON.

use std::borrow::Cow;

use super::scan::Reader;
use crate::findings::Findings;
use crate::form::Subject;
use crate::json::pointer::push_token;
use crate::json::{Span, parse, parse_into};
use crate::shape::Spot;

/// What is, or is about to be, written at the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CursorKind {
    /// The name of a member; `colon` says whether a colon follows.
    Name { colon: bool },
    /// A value.
    Value,
    /// Neither: between a name and its colon, after a value, outside the document.
    Other,
}

/// The surroundings of the cursor in a text.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    frames: Vec<Frame>,
    /// The frames open at the cursor, outermost first, by index, and where in each the cursor is.
    path: Vec<(usize, Step)>,
    /// What is written at the cursor.
    pub(super) kind: CursorKind,
    /// The token at the cursor, or an empty span.
    pub(super) token: Span,
}

/// Where inside a frame the cursor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// In the value of the member whose name has this span.
    Member(Span),
    /// In the element with this index.
    Element(usize),
    /// Between members or elements.
    Between,
}

/// An object or an array.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) is_object: bool,
    /// Spans of the names, and of values that are strings.
    pub(super) members: Vec<(Span, Option<Span>)>,
    pub(super) state: State,
    pub(super) index: usize,
}

/// What an object expects next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Name,
    Colon,
    Value,
    Comma,
}

impl<'a> Cursor<'a> {
    /// Reads a text around a byte offset.
    pub(super) fn new(text: &'a str, offset: usize) -> Self {
        let mut reader = Reader::new(text, offset);
        reader.read();
        let Reader {
            frames,
            found,
            open,
            ..
        } = reader;
        let here = Span {
            start: offset,
            end: offset,
        };
        let (path, kind, token) =
            found.unwrap_or_else(|| (path(&frames, &open), CursorKind::Other, here));
        Self {
            text,
            frames,
            path,
            kind,
            token,
        }
    }

    /// Finds what the table says about the object or array around the cursor, and about the value at the cursor if
    /// there is one.
    pub(super) fn spot(&self, subject: Subject) -> Option<(Spot, Option<Spot>)> {
        let has = |name: &str| {
            let whole = self.frames.first().map(|frame| frame.members.as_slice());
            let mut names = whole.unwrap_or_default().iter();
            names.any(|(found, _)| unquoted(found.of(self.text)) == name)
        };
        let mut spot = subject.spot_of(&|name| self.tag(0, name), &has);
        let last = self.path.len().saturating_sub(1);
        for (depth, (frame, step)) in self.path.iter().enumerate() {
            let next = match step {
                Step::Between => None,
                Step::Element(index) => spot.step(&index.to_string(), |_| None),
                Step::Member(name) => {
                    let name = unquoted(name.of(self.text));
                    spot.step(&name, |tag| self.tag(*frame, tag))
                }
            };
            if depth == last {
                return Some((spot, next));
            }
            spot = next?;
        }
        None
    }

    /// Returns the text of a member of a frame.
    fn tag(&self, frame: usize, name: &str) -> Option<&'a str> {
        let members = &self.frames.get(frame)?.members;
        let found = members
            .iter()
            .find(|(found, _)| unquoted(found.of(self.text)) == name)?;
        found.1?.of(self.text).strip_prefix('"')?.strip_suffix('"')
    }

    /// Returns the member names of the object around the cursor, except the one at the cursor.
    pub(super) fn siblings(&self) -> Vec<Cow<'a, str>> {
        let frame = self
            .path
            .last()
            .and_then(|(frame, _)| self.frames.get(*frame));
        let members = frame
            .map(|frame| frame.members.as_slice())
            .unwrap_or_default();
        let others = members.iter().filter(|(name, _)| *name != self.token);
        others
            .map(|(name, _)| unquoted(name.of(self.text)))
            .collect()
    }

    /// Returns the name the cursor is in, or the name of the value it is in.
    pub(super) fn name(&self) -> Option<Cow<'a, str>> {
        match (self.kind, self.path.last()?.1) {
            (CursorKind::Name { .. }, _) => Some(unquoted(self.token.of(self.text))),
            (_, Step::Member(name)) => Some(unquoted(name.of(self.text))),
            _ => None,
        }
    }

    /// Whether the table knows the support for the member at the cursor.
    pub(super) fn has_support(&self, subject: Subject) -> bool {
        let first = match self.path.first() {
            Some((_, Step::Member(name))) => Some(unquoted(name.of(self.text))),
            _ => self.name(),
        };
        subject.has_support(&first.unwrap_or_default())
    }

    /// Returns the JSON Pointer of the object or array around the cursor.
    pub(super) fn around(&self) -> String {
        self.pointer(self.path.len().saturating_sub(1))
    }

    /// Returns the JSON Pointer of the value at the cursor.
    pub(super) fn here(&self) -> String {
        self.pointer(self.path.len())
    }

    fn pointer(&self, count: usize) -> String {
        let mut pointer = String::new();
        for (_, step) in self.path.iter().take(count) {
            match step {
                Step::Member(name) => push_token(&mut pointer, &unquoted(name.of(self.text))),
                Step::Element(index) => push_token(&mut pointer, &index.to_string()),
                Step::Between => {}
            }
        }
        pointer
    }

    /// Returns the text as valid JSON, if only a name being typed at the cursor prevents it from being that.
    pub(super) fn readable(&self) -> Option<String> {
        let is_json = |text: &String| parse_into(text, &mut Findings::default()).is_some();
        let with = |name: &str| {
            let mut text = self.text.to_owned();
            text.replace_range(self.token.start..self.token.end, name);
            text
        };
        let tries = [self.token.of(self.text), "\"\"", "\"\":0", "\"\":0,"];
        tries.into_iter().map(with).find(is_json)
    }

    /// Returns the path to the cursor in the form used in messages.
    pub(super) fn dotted(&self) -> String {
        let step = |(_, step): &(usize, Step)| match step {
            Step::Member(name) => Some(unquoted(name.of(self.text)).into_owned()),
            Step::Element(index) => Some(index.to_string()),
            Step::Between => None,
        };
        let mut steps: Vec<String> = self.path.iter().filter_map(step).collect();
        if let CursorKind::Name { .. } = self.kind {
            steps.extend(self.name().map(Cow::into_owned));
        }
        steps.join(".")
    }
}

/// Removes quotes and escapes from a string token; unchanged if it can't be read.
pub(super) fn unquoted(token: &str) -> Cow<'_, str> {
    let Some(inner) = token.strip_prefix('"') else {
        return Cow::Borrowed(token);
    };
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    if !inner.contains('\\') {
        return Cow::Borrowed(inner);
    }
    let read = parse(token).ok();
    let text = read.and_then(|value| value.as_str().map(str::to_owned));
    text.map_or(Cow::Borrowed(inner), Cow::Owned)
}

/// Returns the path through the open frames.
pub(super) fn path(frames: &[Frame], open: &[usize]) -> Vec<(usize, Step)> {
    let step = |id: &usize| {
        let step = match frames.get(*id) {
            Some(frame) if !frame.is_object => Step::Element(frame.index),
            Some(frame) if matches!(frame.state, State::Value | State::Comma) => frame
                .members
                .last()
                .map_or(Step::Between, |(name, _)| Step::Member(*name)),
            _ => Step::Between,
        };
        (*id, step)
    };
    open.iter().map(step).collect()
}
