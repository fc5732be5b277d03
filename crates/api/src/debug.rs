//! Bodies of `POST /gateway/debug` (reference 1.8): one request through the chain, step by step.

use gatewright_model::issue::Issue;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a step of the chain did with the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// It let it go on.
    Passed,
    /// It ended it; the answer is the gateway's.
    Refused,
    /// There was nothing to do.
    Skipped,
    /// It wanted to end it, and that did not count: another refusal came before it, or what it was
    /// decided with was out of date.
    Deferred,
}

/// In which phase of the request a step was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// To the upstream.
    #[default]
    Request,
    /// Back to the client.
    Response,
}

/// What a step changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Changed {
    /// A header field, which the change names.
    Header,
    /// Where the request goes.
    Target,
    /// The method.
    Method,
    /// The body; the texts say how long it was and is.
    Body,
    /// The status of the answer.
    Status,
}

/// One thing that a step changed. Without `from` it was added, without `to` it was removed. Never a
/// token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// What it was.
    pub what: Changed,
    /// The name of a header field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it was before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// What it is now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

/// One step of the chain. Times are milliseconds of the platform's clock, which may stand still
/// between two waits for something outside
/// (<https://developers.cloudflare.com/workers/reference/security-model/>).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Which one: the name of a link of the chain, such as `auth_token` or `counters`, or `route`,
    /// `version`, `loop`, `forward`, `upstream` or `error_overrides`.
    pub name: String,
    /// On which way it was.
    #[serde(default)]
    pub phase: Phase,
    /// What it did.
    pub decision: Decision,
    /// Why, in sentences, the last one without a full stop. Never a token.
    pub detail: String,
    /// When it ended, since the request began.
    pub at_ms: u64,
    /// How long it took.
    pub ms: u64,
    /// What it changed, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
}

/// What came back to the request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// Header fields; a name that stands twice has two values.
    pub headers: BTreeMap<String, Vec<String>>,
    /// The body, decoded; no more than the beginning of a long one.
    pub body: String,
    /// `base64` where the body is no text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_encoding: Option<String>,
    /// Whether there was more of the body.
    pub truncated: bool,
}

/// The answer of `POST /gateway/debug`. The first three members are the reference's, in its order;
/// of a definition that can't be served there is no answer and no trace.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Debugged {
    /// `ok`, or `error` for a definition that can't be served.
    pub message: String,
    /// Request and answer as one text, credentials hidden.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub response: String,
    /// The steps as lines of JSON.
    pub logs: String,
    /// The steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trace: Vec<Step>,
    /// What came back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// What has gone wrong on the way to the upstream, with the ids of API and request.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub details: String,
    /// What is wrong with the definition.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<Issue>,
}
