//! The outcome of a plan: what was done, failed and why, or not started; what can be tried again or undone.

use super::plan::{Line, Undo};
use super::selection::Pick;
use super::{Kind, Write};
use crate::api::ApiError;

/// The outcome for a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was done; the request undoes it, if that is possible.
    Done(Option<Write>),
    /// It failed, for this reason.
    Failed(String),
    /// The plan was stopped before.
    NotBegun,
}

/// The entry of one document in a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The document.
    pub pick: Pick,
    /// The plan's description.
    pub says: String,
    /// The outcome.
    pub outcome: Outcome,
}

/// The outcome of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The documents to which the plan does something, in its order.
    pub entries: Vec<Entry>,
}

impl Outcome {
    /// Returns the outcome of a write, given the entity tag in its response.
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

/// Returns why something failed, as a sentence.
#[must_use]
pub fn why(error: &ApiError) -> String {
    match error {
        ApiError::Stale(_) => {
            "Somebody else has changed it meanwhile; their change was not overwritten.".to_owned()
        }
        error => format!("{}: {error}", error.title()),
    }
}

impl Report {
    /// Creates a report in which nothing has started.
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

    /// Returns how many are done or have failed.
    #[must_use]
    pub fn ended(&self) -> usize {
        self.count(|outcome| *outcome != Outcome::NotBegun)
    }

    /// Returns how many have failed.
    #[must_use]
    pub fn failed(&self) -> usize {
        self.count(|outcome| matches!(outcome, Outcome::Failed(_)))
    }

    /// Summarises how many entries there are of each outcome.
    #[must_use]
    pub fn words(&self) -> String {
        let (failed, all) = (self.failed(), self.entries.len());
        let done = self.ended().saturating_sub(failed);
        let left = all.saturating_sub(self.ended());
        let mut summary = format!("{done} done");
        for (count, what) in [(failed, "failed"), (left, "not started")] {
            if count > 0 {
                summary.push_str(&format!(", {count} {what}"));
            }
        }
        summary
    }

    /// Returns what was not done, to be planned again.
    #[must_use]
    pub fn again(&self) -> Vec<Pick> {
        let left = self.entries.iter();
        let left = left.filter(|entry| !matches!(entry.outcome, Outcome::Done(_)));
        left.map(|entry| entry.pick.clone()).collect()
    }

    /// Returns what was done.
    #[must_use]
    pub fn done(&self) -> Vec<&Pick> {
        let done = self.entries.iter();
        let done = done.filter(|entry| matches!(entry.outcome, Outcome::Done(_)));
        done.map(|entry| &entry.pick).collect()
    }

    /// Returns a plan that undoes everything that was done, as far as possible.
    #[must_use]
    pub fn undo(&self) -> Vec<Line> {
        let line = |entry: &Entry| match &entry.outcome {
            Outcome::Done(Some(write)) => Some(Line {
                pick: entry.pick.clone(),
                step: super::plan::Step::Send(write.clone(), Undo::Never),
                says: "Back to what it was before".to_owned(),
            }),
            _ => None,
        };
        self.entries.iter().filter_map(line).collect()
    }
}
