//! What a chain has done to one request, for people (reference 1.8, *debug*). The driver writes it from
//! the steps themselves: no second code decides again to explain.

use crate::exchange::Target;
pub use gatewright_api::debug::Changed;

/// Which half of the chain a step belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// On the way to the upstream.
    #[default]
    Request,
    /// On the way back.
    Response,
}

/// What came of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The request went on.
    Passed,
    /// The link had nothing to say about this request.
    Skipped,
    /// The request ended here.
    Answered,
    /// The request was refused here.
    Refused,
    /// The link wanted to refuse the request, and that did not count: another refusal came before it, or
    /// the session that it was decided with was out of date.
    Deferred,
}

/// One thing that a step has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// What.
    pub what: Changed,
    /// The header's name.
    pub name: Option<String>,
    /// What it was before, where that is known.
    pub from: Option<String>,
    /// What it is now; `None` for nothing.
    pub to: Option<String>,
}

/// Headers that hold credentials: a trace shows that they change, not what they are.
const SECRET: [&str; 4] = [
    "authorization",
    "cookie",
    "proxy-authorization",
    "set-cookie",
];

impl Change {
    /// A header of the request.
    #[must_use]
    pub fn header(name: &str, from: Option<String>, to: Option<&str>) -> Self {
        let name = name.to_ascii_lowercase();
        let shown = |value: String| {
            if SECRET.contains(&name.as_str()) {
                "…".to_owned()
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

    /// A header of the answer.
    #[must_use]
    pub fn answer_header(name: &str, to: Option<&str>) -> Self {
        Self::header(name, None, to)
    }

    /// The method.
    #[must_use]
    pub fn method(from: &str, to: &str) -> Self {
        Self {
            what: Changed::Method,
            name: None,
            from: Some(from.to_owned()),
            to: Some(to.to_owned()),
        }
    }

    /// Where the request goes.
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

    /// The size of a body, in bytes.
    #[must_use]
    pub fn body(from: usize, to: usize) -> Self {
        Self {
            what: Changed::Body,
            name: None,
            from: Some(from.to_string()),
            to: Some(to.to_string()),
        }
    }

    /// The status of the answer.
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
    /// Which half of the chain.
    pub phase: Phase,
    /// What came of it.
    pub outcome: Outcome,
    /// The same in words.
    pub detail: String,
    /// What it has changed.
    pub changes: Vec<Change>,
    /// When it ended, Unix milliseconds.
    pub at_ms: u64,
}

/// Each with a capital letter at its beginning, and full stops between them.
fn sentences(words: &[String]) -> String {
    let sentence = |words: &String| {
        let (first, rest) = words.split_at_checked(1).unwrap_or((words, ""));
        first.to_ascii_uppercase() + rest
    };
    words.iter().map(sentence).collect::<Vec<_>>().join(". ")
}

/// The steps of one request so far.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    steps: Vec<TraceStep>,
    words: Vec<String>,
    changes: Vec<Change>,
}

impl Trace {
    /// Says in words what the link at hand does.
    pub fn note(&mut self, words: String) {
        self.words.push(words);
    }

    /// Notes a change that the link at hand makes.
    pub fn change(&mut self, change: Change) {
        self.changes.push(change);
    }

    /// Ends the step at hand.
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

    /// True if the link at hand has said and changed nothing so far.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.words.is_empty() && self.changes.is_empty()
    }

    /// The steps, in their order.
    #[must_use]
    pub fn into_steps(self) -> Vec<TraceStep> {
        self.steps
    }
}
