//! Where in a document a place of its text is, also while the text is not JSON yet.

use std::borrow::Cow;

use super::scan::Reader;
use crate::json::{Span, parse};
use crate::shape::{Root, Spot};

/// What stands, or is about to stand, at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The name of a member. `colon` tells whether one follows.
    Name { colon: bool },
    /// A value.
    Value,
    /// Neither: between a name and its colon, behind a value, outside of the document.
    Other,
}

/// The surroundings of a place of a text.
#[derive(Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    frames: Vec<Frame>,
    /// The frames that are open there, outermost first, and where each was.
    way: Vec<(usize, Step)>,
    /// What stands there.
    pub(super) place: Place,
    /// The token at the place, or an empty span.
    pub(super) token: Span,
}

/// Where inside a frame a place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// In the value of the member whose name stands there.
    Member(Span),
    /// In the element of that index.
    Element(usize),
    /// Between members or elements.
    Between,
}

/// An object or an array.
#[derive(Debug)]
pub(super) struct Frame {
    pub(super) is_object: bool,
    /// Names, and values that are strings.
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
    /// Reads a text around an offset in bytes.
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
        let (way, place, token) =
            found.unwrap_or_else(|| (way(&frames, &open), Place::Other, here));
        Self {
            text,
            frames,
            way,
            place,
            token,
        }
    }

    /// What the table says about the object or array around the place, and about the place itself
    /// if it is a value.
    pub(super) fn spot(&self, root: Root) -> Option<(Spot, Option<Spot>)> {
        let mut spot = Spot::root(root);
        let last = self.way.len().saturating_sub(1);
        for (depth, (frame, step)) in self.way.iter().enumerate() {
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

    /// The text of a member of a frame.
    fn tag(&self, frame: usize, name: &str) -> Option<&'a str> {
        let members = &self.frames.get(frame)?.members;
        let found = members
            .iter()
            .find(|(found, _)| unquoted(found.of(self.text)) == name)?;
        found.1?.of(self.text).strip_prefix('"')?.strip_suffix('"')
    }

    /// The names of the members of the object around the place, except the one that stands there.
    pub(super) fn siblings(&self) -> Vec<Cow<'a, str>> {
        let frame = self
            .way
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

    /// The name whose value the place is, and the name at the place if it is one.
    pub(super) fn name(&self) -> Option<Cow<'a, str>> {
        match (self.place, self.way.last()?.1) {
            (Place::Name { .. }, _) => Some(unquoted(self.token.of(self.text))),
            (_, Step::Member(name)) => Some(unquoted(name.of(self.text))),
            _ => None,
        }
    }

    /// The way to the place in words, as in messages.
    pub(super) fn dotted(&self) -> String {
        let step = |(_, step): &(usize, Step)| match step {
            Step::Member(name) => Some(unquoted(name.of(self.text)).into_owned()),
            Step::Element(index) => Some(index.to_string()),
            Step::Between => None,
        };
        let mut steps: Vec<String> = self.way.iter().filter_map(step).collect();
        if let Place::Name { .. } = self.place {
            steps.extend(self.name().map(Cow::into_owned));
        }
        steps.join(".")
    }
}

/// A string token without its quotes and escapes; as it is where that can't be read.
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

/// The way through the open frames.
pub(super) fn way(frames: &[Frame], open: &[usize]) -> Vec<(usize, Step)> {
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
