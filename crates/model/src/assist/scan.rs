//! One pass over the tokens of a text, which need not be valid JSON.
//!
//! A string ends at the end of its line at the latest; a missing comma or colon is ignored.

use super::cursor::{CursorKind, Frame, State, Step, path};
use crate::json::Span;

/// Containers nested deeper than in any accepted document are not tracked.
const MAX_DEPTH: usize = crate::json::MAX_DEPTH;

/// The frames open at the cursor, what is written there, and the token there.
pub(super) type Found = (Vec<(usize, Step)>, CursorKind, Span);

/// Reads tokens and tracks the containers they open.
pub(super) struct Reader<'a> {
    text: &'a str,
    offset: usize,
    at: usize,
    pub(super) frames: Vec<Frame>,
    pub(super) open: Vec<usize>,
    /// The number of open containers that are too deep to be tracked.
    beyond: usize,
    pub(super) found: Option<Found>,
}

impl<'a> Reader<'a> {
    pub(super) const fn new(text: &'a str, offset: usize) -> Self {
        Self {
            text,
            offset,
            at: 0,
            frames: Vec::new(),
            open: Vec::new(),
            beyond: 0,
            found: None,
        }
    }

    pub(super) fn read(&mut self) {
        while let Some(token) = self.token() {
            // The cursor is before this token, or in it.
            if self.found.is_none() && self.offset <= token.start && !self.touches(token) {
                self.find(None, token);
            }
            let byte = token.of(self.text).as_bytes().first().copied().unwrap_or(0);
            match byte {
                b'{' | b'[' => self.enter(byte == b'{'),
                b'}' | b']' => self.leave(),
                b':' => self.set(State::Value),
                b',' => self.comma(),
                _ => self.scalar(token, byte == b'"'),
            }
        }
        if self.found.is_none() {
            let end = Span {
                start: self.text.len(),
                end: self.text.len(),
            };
            self.find(None, end);
        }
    }

    /// Whether the cursor is in a name or a value. Before the quote of a name, a new member can be written; after a
    /// closing quote, the cursor is no longer in the string.
    fn touches(&self, token: Span) -> bool {
        let text = token.of(self.text);
        if text.starts_with(['{', '}', '[', ']', ':', ',']) {
            return false;
        }
        let string = text.starts_with('"');
        let closed = string && text.len() > 1 && text.ends_with('"');
        let frame = self.open.last().and_then(|id| self.frames.get(*id));
        let value = frame.is_none_or(|frame| !frame.is_object || frame.state == State::Value);
        let begun = self.offset > token.start || self.offset == token.start && (value || !string);
        begun && (self.offset < token.end || self.offset == token.end && !closed)
    }

    fn top(&mut self) -> Option<&mut Frame> {
        if self.beyond > 0 {
            return None;
        }
        self.open.last().and_then(|id| self.frames.get_mut(*id))
    }

    fn set(&mut self, state: State) {
        if let Some(frame) = self.top().filter(|frame| frame.is_object) {
            frame.state = state;
        }
    }

    fn enter(&mut self, is_object: bool) {
        self.set(State::Comma);
        if self.beyond > 0 || self.open.len() >= MAX_DEPTH {
            self.beyond = self.beyond.saturating_add(1);
            return;
        }
        self.open.push(self.frames.len());
        self.frames.push(Frame {
            is_object,
            members: Vec::new(),
            state: State::Name,
            index: 0,
        });
    }

    fn leave(&mut self) {
        if self.beyond > 0 {
            self.beyond = self.beyond.saturating_sub(1);
        } else {
            self.open.pop();
        }
    }

    fn comma(&mut self) {
        if let Some(frame) = self.top() {
            frame.state = State::Name;
            frame.index = frame.index.saturating_add(1);
        }
    }

    fn scalar(&mut self, token: Span, string: bool) {
        let touched = self.found.is_none() && self.touches(token);
        let Some(frame) = self.top() else {
            return;
        };
        if !frame.is_object {
            if touched {
                self.find(Some(CursorKind::Value), token);
            }
            return;
        }
        // A second string where a colon is expected starts a new member: the one before is unfinished.
        let name = string && matches!(frame.state, State::Name | State::Comma | State::Colon)
            || frame.state == State::Name;
        if name {
            frame.members.push((token, None));
            frame.state = State::Colon;
            if touched {
                let rest = self.text.get(token.end..).unwrap_or_default();
                let colon = rest.trim_start().starts_with(':');
                self.find(Some(CursorKind::Name { colon }), token);
            }
        } else if frame.state == State::Value {
            if let Some((_, value)) = frame.members.last_mut().filter(|_| string) {
                *value = Some(token);
            }
            if touched {
                self.find(Some(CursorKind::Value), token);
            }
            self.set(State::Comma);
        }
    }

    /// Records what is at the cursor. Between tokens, the expected token decides.
    fn find(&mut self, kind: Option<CursorKind>, token: Span) {
        let path = path(&self.frames, &self.open);
        let empty = Span {
            start: self.offset,
            end: self.offset,
        };
        let frame = self.open.last().and_then(|id| self.frames.get(*id));
        let between = || match frame.filter(|_| self.beyond == 0) {
            Some(frame) if !frame.is_object => CursorKind::Value,
            Some(frame) => match frame.state {
                State::Name => CursorKind::Name { colon: false },
                State::Value => CursorKind::Value,
                State::Colon | State::Comma => CursorKind::Other,
            },
            None if self.frames.is_empty() => CursorKind::Value,
            None => CursorKind::Other,
        };
        let span = if kind.is_some() { token } else { empty };
        self.found = Some((path, kind.unwrap_or_else(between), span));
    }

    /// Returns the next token: a punctuation mark, a string up to the end of its line, or a word.
    fn token(&mut self) -> Option<Span> {
        let rest = self.text.as_bytes().get(self.at..)?;
        let blank = |byte: &u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
        let skipped = rest.iter().position(|byte| !blank(byte))?;
        let start = self.at.saturating_add(skipped);
        let rest = rest.get(skipped..)?;
        let length = match rest.first()? {
            b'{' | b'}' | b'[' | b']' | b':' | b',' => 1,
            b'"' => string_length(rest),
            _ => {
                let end = |byte: &u8| blank(byte) || b"{}[]:,\"".contains(byte);
                rest.iter().position(end).unwrap_or(rest.len())
            }
        };
        self.at = start.saturating_add(length);
        Some(Span {
            start,
            end: self.at,
        })
    }
}

fn string_length(rest: &[u8]) -> usize {
    let mut bytes = rest.iter().enumerate().skip(1);
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => {
                bytes.next();
            }
            b'"' => return at.saturating_add(1),
            b'\n' | b'\r' => return at,
            _ => {}
        }
    }
    rest.len()
}
