//! Texts that share what they are parts of.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt::{Debug, Formatter};
use std::ops::Deref;
use std::rc::Rc;

/// A part of a text, such as a string of a body: to have many of them, none is copied.
#[derive(Clone)]
pub(crate) struct Text {
    whole: Rc<str>,
    start: usize,
    end: usize,
}

impl Text {
    /// Returns the part of a text between two offsets in bytes; empty if there is none.
    pub(crate) fn part(whole: &Rc<str>, start: usize, end: usize) -> Self {
        Self {
            whole: Rc::clone(whole),
            start,
            end,
        }
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        self.whole.get(self.start..self.end).unwrap_or_default()
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self {
            whole: text.into(),
            start: 0,
            end: text.len(),
        }
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        self
    }
}

impl Debug for Text {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        Debug::fmt(&**self, out)
    }
}

impl Borrow<str> for Text {
    fn borrow(&self) -> &str {
        self
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Text {}

impl PartialOrd for Text {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text {
    fn cmp(&self, other: &Self) -> Ordering {
        (**self).cmp(&**other)
    }
}
