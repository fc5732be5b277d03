//! What came of a plan: done, failed and why, not begun; what to try again and what to take back.

use super::plan::{Line, Undo};
use super::selection::Pick;
use super::{Kind, Write};
use crate::api::ApiError;

/// What came of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was done; this takes it back.
    Done(Option<Write>),
    /// It was not, for a reason.
    Failed(String),
    /// It was stopped before.
    NotBegun,
}

/// One document of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The document.
    pub pick: Pick,
    /// What the plan said.
    pub says: String,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// What something was done to, in the order of the plan.
    pub entries: Vec<Entry>,
}

impl Outcome {
    /// What came of a write that was answered with this entity tag.
    #[must_use]
    pub fn of(kind: Kind, pick: &Pick, undo: &Undo, answer: Result<String, ApiError>) -> Self {
        match answer {
            Ok(etag) => Self::Done(match undo {
                Undo::Text(text) => Some(Write::put(kind, pick, text.clone(), &etag)),
                Undo::Write(write) => Some(write.clone()),
                Undo::Never => None,
            }),
            Err(error) => Self::Failed(why(&error)),
        }
    }
}

/// Why something was not done, in a sentence.
#[must_use]
pub fn why(error: &ApiError) -> String {
    match error {
        ApiError::Stale(_) => {
            "Somebody changed it meanwhile; theirs was not written over.".to_owned()
        }
        error => format!("{}: {error}", error.title()),
    }
}

impl Report {
    /// Nothing of it has been done yet.
    #[must_use]
    pub fn begin(lines: &[Line]) -> Self {
        let entry = |line: &Line| Entry {
            pick: line.pick.clone(),
            says: line.says.clone(),
            outcome: Outcome::NotBegun,
        };
        let acting = lines.iter().filter(|line| line.acts());
        Self {
            entries: acting.map(entry).collect(),
        }
    }

    fn count(&self, is: impl Fn(&Outcome) -> bool) -> usize {
        let entries = self.entries.iter();
        entries.filter(|entry| is(&entry.outcome)).count()
    }

    /// How many have come to an end.
    #[must_use]
    pub fn ended(&self) -> usize {
        self.count(|outcome| *outcome != Outcome::NotBegun)
    }

    /// How many failed.
    #[must_use]
    pub fn failed(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::Failed(_)))
    }

    /// How many of each there are.
    #[must_use]
    pub fn words(&self) -> String {
        let (failed, all) = (self.failed(), self.entries.len());
        let done = self.ended().saturating_sub(failed);
        let left = all.saturating_sub(self.ended());
        let mut said = format!("{done} done");
        for (count, what) in [(failed, "failed"), (left, "not begun")] {
            if count > 0 {
                said.push_str(&format!(", {count} {what}"));
            }
        }
        said
    }

    /// What was not done: to be looked at anew and tried again.
    #[must_use]
    pub fn again(&self) -> Vec<Pick> {
        let left = self.entries.iter();
        let left = left.filter(|entry| !matches!(entry.outcome, Outcome::Done(_)));
        left.map(|entry| entry.pick.clone()).collect()
    }

    /// What was done.
    #[must_use]
    pub fn done(&self) -> Vec<&Pick> {
        let done = self.entries.iter();
        let done = done.filter(|entry| matches!(entry.outcome, Outcome::Done(_)));
        done.map(|entry| &entry.pick).collect()
    }

    /// What takes back all that was done, as far as that can be: a plan of its own.
    #[must_use]
    pub fn undo(&self) -> Vec<Line> {
        let line = |entry: &Entry| match &entry.outcome {
            Outcome::Done(Some(write)) => Some(Line {
                pick: entry.pick.clone(),
                step: super::plan::Step::Send(write.clone(), Undo::Never),
                says: "Is as it was before".to_owned(),
            }),
            _ => None,
        };
        self.entries.iter().filter_map(line).collect()
    }
}
