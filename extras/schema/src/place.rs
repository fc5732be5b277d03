//! Positions of values within a body.

use std::fmt::{Display, Formatter, Result};

/// The position of a value in a body, displayed as members and indices joined by dots.
#[derive(Debug)]
pub(crate) enum Place<'p> {
    /// The body itself.
    Root,
    /// A member of an object.
    Member(&'p Place<'p>, &'p str),
    /// An item of a list, counted from 0.
    Item(&'p Place<'p>, usize),
}

impl Display for Place<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        match self {
            Self::Root => out.write_str("(root)"),
            Self::Member(Self::Root, name) => out.write_str(name),
            Self::Member(outer, name) => write!(out, "{outer}.{name}"),
            Self::Item(Self::Root, index) => write!(out, "{index}"),
            Self::Item(outer, index) => write!(out, "{outer}.{index}"),
        }
    }
}
