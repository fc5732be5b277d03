//! What is wrong with a value, in the words of the reference (3.14).

use std::fmt::{Display, Formatter, Result};

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Problem {
    /// The members and positions that lead to it, the innermost first.
    path: Vec<String>,
    what: What,
}

#[derive(Clone, Debug, PartialEq)]
enum What {
    /// In words.
    Words(String),
    /// In words that never say where.
    Bare(String),
    /// What each of the alternatives has found.
    Alternatives(Vec<Problem>),
    /// What the parts have found that all have to hold.
    Parts(Vec<Problem>),
    /// It could not be found out with the steps that there are.
    TooMuch,
}

impl Problem {
    /// Something that is said in words.
    pub(crate) fn saying(words: impl Into<String>) -> Self {
        Self::of(What::Words(words.into()))
    }

    /// Something that is said in words, wherever it is.
    pub(crate) fn bare(words: impl Into<String>) -> Self {
        Self::of(What::Bare(words.into()))
    }

    /// None of the alternatives fits.
    pub(crate) fn alternatives(problems: Vec<Self>) -> Self {
        Self::of(What::Alternatives(problems))
    }

    /// Some of the parts don't fit.
    pub(crate) fn parts(problems: Vec<Self>) -> Self {
        Self::of(What::Parts(problems))
    }

    /// There were too many steps.
    pub(crate) fn too_much() -> Self {
        Self::of(What::TooMuch)
    }

    fn of(what: What) -> Self {
        Self {
            path: Vec::new(),
            what,
        }
    }

    /// The same of a member or an item; what alternatives and parts have found begins where they do.
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
            What::Words(words) | What::Bare(words) => return out.write_str(words),
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
