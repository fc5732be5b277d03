//! A plan: what a verb will do to each document, or why it can't. It is based on what was read of each, so that a later
//! change by somebody else is never overwritten.

use super::change::{Change, change};
use super::selection::Pick;
use super::verb::Verb;
use super::{Kind, Write};
use crate::api::Document;
use crate::state::draft::plural;

/// A document as it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The stored document with its entity tag.
    pub document: Document,
    /// What references it, in words: "12 keys", "the policy Gold".
    pub users: Vec<String>,
}

/// How a write is undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undo {
    /// By storing this text again, provided that the document still has the entity tag of the write.
    Text(String),
    /// By this request.
    Write(Write),
    /// It can't be undone.
    Never,
}

/// What happens to a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A request is sent.
    Send(Write, Undo),
    /// It is written to the file.
    Export,
    /// No change is needed.
    Already,
    /// It is left out unless the user insists.
    Held,
    /// It is impossible.
    Cannot,
}

/// The line of one document in a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The document.
    pub pick: Pick,
    /// What happens to it.
    pub step: Step,
    /// The same in words.
    pub says: String,
}

impl Line {
    /// Whether it does something.
    #[must_use]
    pub const fn acts(&self) -> bool {
        matches!(self.step, Step::Send(..) | Step::Export)
    }

    /// Returns its rank in the plan: what needs attention comes first.
    const fn rank(&self) -> u8 {
        match self.step {
            Step::Cannot => 0,
            Step::Held => 1,
            Step::Send(..) | Step::Export => 2,
            Step::Already => 3,
        }
    }
}

/// An order for a bulk action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The verb.
    pub verb: Verb,
    /// The kind of documents.
    pub kind: Kind,
    /// What the user entered.
    pub input: String,
    /// Whether documents that are referenced elsewhere are deleted anyway.
    pub insists: bool,
    /// The current time, Unix seconds.
    pub now: i64,
}

/// What happens to each document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// One line per document, impossible ones first.
    pub lines: Vec<Line>,
}

impl Plan {
    /// Plans an order for documents that were read, or couldn't be, with the reason.
    #[must_use]
    pub fn of(order: &Order, looked: &[(Pick, Result<Seen, String>)]) -> Self {
        let line = |(pick, seen): &(Pick, Result<Seen, String>)| {
            let (step, says) = match seen {
                Ok(seen) => order.step(pick, seen),
                Err(why) => (Step::Cannot, why.clone()),
            };
            Line {
                pick: pick.clone(),
                step,
                says,
            }
        };
        let mut lines: Vec<Line> = looked.iter().map(line).collect();
        lines.sort_by_key(Line::rank);
        Self { lines }
    }

    /// Returns how many documents something is done to.
    #[must_use]
    pub fn count(&self) -> usize {
        self.lines.iter().filter(|line| line.acts()).count()
    }

    /// Whether documents are left out because they are referenced elsewhere.
    #[must_use]
    pub fn holds(&self) -> bool {
        self.lines.iter().any(|line| line.step == Step::Held)
    }

    /// Summarises how many lines there are of each step.
    #[must_use]
    pub fn words(&self) -> String {
        let of = |rank: u8| self.lines.iter().filter(|line| line.rank() == rank).count();
        let parts = [
            (of(2), "to do"),
            (of(3), "unchanged"),
            (of(1), "left out because still in use"),
            (of(0), "not possible"),
        ];
        let parts = parts.iter().filter(|(count, _)| *count > 0);
        let parts: Vec<String> = parts
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        parts.join(", ")
    }
}

impl Order {
    fn step(&self, pick: &Pick, seen: &Seen) -> (Step, String) {
        let Seen { document, users } = seen;
        match self.verb {
            Verb::Export => (Step::Export, "Will be exported".to_owned()),
            Verb::Delete if !users.is_empty() && !self.insists => {
                (Step::Held, format!("Used by {}", users.join(", ")))
            }
            Verb::Delete => {
                let write = Write::delete(self.kind, pick, &document.etag);
                let undo = Write::restore(self.kind, pick, document);
                let says = match (self.kind, users.is_empty()) {
                    (Kind::Key, _) => "Will be revoked".to_owned(),
                    (_, true) => "Will be deleted".to_owned(),
                    (_, false) => format!("Will be deleted, although used by {}", users.join(", ")),
                };
                (
                    Step::Send(write, undo.map_or(Undo::Never, Undo::Write)),
                    says,
                )
            }
            verb => {
                let text = &document.text;
                match change(verb, self.kind, pick, &self.input, text, self.now) {
                    Change::Text(new, says) => {
                        let write = Write::put(self.kind, pick, new, &document.etag);
                        let of_users = (verb == Verb::Deactivate && !users.is_empty())
                            .then(|| format!("; used by {}", users.join(", ")));
                        let says = says + &of_users.unwrap_or_default();
                        (Step::Send(write, Undo::Text(text.clone())), says)
                    }
                    Change::Already(why) => (Step::Already, why.to_owned()),
                    Change::Cannot(why) => (Step::Cannot, why),
                }
            }
        }
    }

    /// Returns the label of the button that carries out the plan.
    #[must_use]
    pub fn button(&self, count: usize) -> String {
        let many = plural(count, self.kind.noun());
        match self.verb {
            Verb::Tag | Verb::Untag | Verb::AddPolicy | Verb::RemovePolicy => {
                format!("Change {many}")
            }
            verb => format!("{} {many}", verb.label(self.kind)),
        }
    }
}
