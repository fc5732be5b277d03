//! A readable record of what a chain did to one request (reference 1.8, *debug*). The driver writes it from the steps
//! themselves: no separate code repeats the decisions to explain them.

use crate::exchange::Target;
pub use gatewright_api::debug::Changed;

/// The half of the chain a step belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// The request's way to the upstream.
    #[default]
    Request,
    /// The response's way back.
    Response,
}

/// The outcome of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The request continued.
    Passed,
    /// The link had no effect on this request.
    Skipped,
    /// The request ended here.
    Answered,
    /// The request was refused here.
    Refused,
    /// The link's refusal did not take effect: another refusal preceded it, or the session it was based on was out of
    /// date.
    Deferred,
}

/// A change made by a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What was changed.
    pub what: Changed,
    /// The header's name.
    pub name: Option<String>,
    /// The old value, if known.
    pub from: Option<String>,
    /// The new value; `None` if it was removed.
    pub to: Option<String>,
}

/// What a trace shows instead of a value.
pub const UNSHOWN: &str = "…";

/// Headers that hold credentials: a trace shows that they change, but not their values.
const SECRET: [&str; 4] = [
    "authorization",
    "cookie",
    "proxy-authorization",
    "set-cookie",
];

impl Change {
    /// A change of a request header.
    #[must_use]
    pub fn header(name: &str, from: Option<String>, to: Option<&str>) -> Self {
        let name = name.to_ascii_lowercase();
        let shown = |value: String| {
            if SECRET.contains(&name.as_str()) {
                UNSHOWN.to_owned()
            } else {
                value
            }
        };
        Self {
            what: Changed::Header,
            from: from.map(shown),
            to: to.map(str::to_owned).map(shown),
            name: Some(name),
        }
    }

    /// A change of a response header.
    #[must_use]
    pub fn answer_header(name: &str, to: Option<&str>) -> Self {
        Self::header(name, None, to)
    }

    /// A change of the method.
    #[must_use]
    pub fn method(from: &str, to: &str) -> Self {
        Self {
            what: Changed::Method,
            name: None,
            from: Some(from.to_owned()),
            to: Some(to.to_owned()),
        }
    }

    /// A change of the request's destination.
    #[must_use]
    pub fn target(to: &Target) -> Self {
        let to = match to {
            Target::Asked => None,
            Target::Path { path, query } if query.is_empty() => Some(path.clone()),
            Target::Path { path, query } => Some(format!("{path}?{query}")),
            Target::Absolute(url) => Some(url.clone()),
            Target::Loop(to) => Some(to.address()),
        };
        Self {
            what: Changed::Target,
            name: None,
            from: None,
            to,
        }
    }

    /// A change of the response's status.
    #[must_use]
    pub fn status(from: u16, to: u16) -> Self {
        Self {
            what: Changed::Status,
            name: None,
            from: Some(from.to_string()),
            to: Some(to.to_string()),
        }
    }
}

/// One step of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceStep {
    /// The link's name.
    pub link: &'static str,
    /// The half of the chain.
    pub phase: Phase,
    /// The outcome.
    pub outcome: Outcome,
    /// The outcome in words.
    pub detail: String,
    /// The changes it made.
    pub changes: Vec<Change>,
    /// When it ended, in Unix milliseconds.
    pub at_ms: u64,
}

/// Joins texts into sentences, each capitalised and with full stops between them.
fn sentences(words: &[String]) -> String {
    let sentence = |words: &String| {
        let (first, rest) = words.split_at_checked(1).unwrap_or((words, ""));
        first.to_ascii_uppercase() + rest
    };
    words.iter().map(sentence).collect::<Vec<_>>().join(". ")
}

/// The steps of a request so far.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    steps: Vec<TraceStep>,
    words: Vec<String>,
    changes: Vec<Change>,
}

impl Trace {
    /// Adds a remark to the current step.
    pub fn note(&mut self, words: String) {
        self.words.push(words);
    }

    /// Adds a change to the current step.
    pub fn change(&mut self, change: Change) {
        self.changes.push(change);
    }

    /// Ends the current step.
    pub fn end(&mut self, link: &'static str, phase: Phase, outcome: Outcome, at_ms: u64) {
        let changes = std::mem::take(&mut self.changes);
        let words = std::mem::take(&mut self.words);
        let silent = words.is_empty() && changes.is_empty();
        self.steps.push(TraceStep {
            link,
            phase,
            outcome: match outcome {
                Outcome::Passed if silent => Outcome::Skipped,
                outcome => outcome,
            },
            detail: sentences(&words),
            changes,
            at_ms,
        });
    }

    /// Whether the current step has no remarks or changes yet.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.words.is_empty() && self.changes.is_empty()
    }

    /// The steps, in order.
    #[must_use]
    pub fn into_steps(self) -> Vec<TraceStep> {
        self.steps
    }
}
