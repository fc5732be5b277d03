//! What is wrong with a value, in the words of the reference (3.14).

use std::fmt::{Display, Formatter, Result};

/// A problem and its position.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Problem {
    /// The members and indices that lead to it, innermost first.
    path: Vec<String>,
    what: What,
}

#[derive(Clone, Debug, PartialEq)]
enum What {
    /// A message.
    Message(String),
    /// A message without a position.
    Bare(String),
    /// The problems of each alternative.
    Alternatives(Vec<Problem>),
    /// The problems of the parts, which all have to match.
    Parts(Vec<Problem>),
    /// The check ran out of steps.
    TooMuch,
}

impl Problem {
    /// Creates a problem with a message.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self::of(What::Message(message.into()))
    }

    /// Creates a problem with a message that never has a position.
    pub(crate) fn bare(message: impl Into<String>) -> Self {
        Self::of(What::Bare(message.into()))
    }

    /// Creates a problem for a value that matches none of the alternatives.
    pub(crate) fn alternatives(problems: Vec<Self>) -> Self {
        Self::of(What::Alternatives(problems))
    }

    /// Creates a problem for a value that doesn't match some of the parts.
    pub(crate) fn parts(problems: Vec<Self>) -> Self {
        Self::of(What::Parts(problems))
    }

    /// Creates a problem for a check that ran out of steps.
    pub(crate) fn too_much() -> Self {
        Self::of(What::TooMuch)
    }

    fn of(what: What) -> Self {
        Self {
            path: Vec::new(),
            what,
        }
    }

    /// Prepends a member or index to the position; those within alternatives and parts stay relative to it.
    pub(crate) fn inside(mut self, name: &str) -> Self {
        if matches!(self.what, What::Bare(_)) {
            return self;
        }
        self.path.push(name.to_owned());
        self
    }
}

impl Display for Problem {
    fn fmt(&self, out: &mut Formatter<'_>) -> Result {
        if !self.path.is_empty() {
            out.write_str("Error at \"")?;
            for name in self.path.iter().rev() {
                write!(out, "/{name}")?;
            }
            out.write_str("\": ")?;
        }
        let (problems, between) = match &self.what {
            What::Message(message) | What::Bare(message) => return out.write_str(message),
            What::TooMuch => {
                return out.write_str("it asks for too much work, or is nested too deep");
            }
            What::Alternatives(problems) => (problems, " Or "),
            What::Parts(problems) => (problems, " And "),
        };
        out.write_str("doesn't match schema due to: ")?;
        for (index, problem) in problems.iter().enumerate() {
            if index > 0 {
                out.write_str(between)?;
            }
            write!(out, "{problem}")?;
        }
        Ok(())
    }
}
