//! Bodies of `POST /gateway/debug` (reference 1.8): one request through the chain, step by step.

use gatewright_model::issue::Issue;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a step of the chain did with the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// It let the request pass.
    Passed,
    /// It ended the request; the gateway answered.
    Refused,
    /// There was nothing to do.
    Skipped,
    /// It would have ended the request, but this did not count: another refusal preceded it, or the data for the
    /// decision was out of date.
    Deferred,
}

/// The phase of the request in which a step ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// On the way to the upstream.
    #[default]
    Request,
    /// On the way back to the client.
    Response,
}

/// What a step changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Changed {
    /// A header field, named by the change.
    Header,
    /// The URL that the request is sent to.
    Target,
    /// The method.
    Method,
    /// The status of the response.
    Status,
}

/// One change by a step. Without `from` it was added, without `to` it was removed. Never contains a token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// What changed.
    pub what: Changed,
    /// The name of a header field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The old value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The new value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

/// One step of the chain. Times are milliseconds of the platform's clock, which may only advance while the worker waits
/// for I/O (<https://developers.cloudflare.com/workers/reference/security-model/>).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// Its name: that of a link of the chain, such as `auth_token` or `counters`, or `route`, `version`, `loop`,
    /// `forward`, `upstream` or `error_overrides`.
    pub name: String,
    /// The phase in which it ran.
    #[serde(default)]
    pub phase: Phase,
    /// Its decision.
    pub decision: Decision,
    /// The reason, in sentences, the last one without a full stop. Never contains a token.
    pub detail: String,
    /// When it ended, in milliseconds since the request started.
    pub at_ms: u64,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// Its changes, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<Change>,
}

/// The response to the request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The status code.
    pub status: u16,
    /// Header fields; a repeated name has several values.
    pub headers: BTreeMap<String, Vec<String>>,
    /// The body, decoded; only the start of a long one.
    pub body: String,
    /// `base64` if the body is not text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body_encoding: Option<String>,
    /// Whether the body was cut off.
    pub truncated: bool,
}

/// The response of `POST /gateway/debug`. The first three members are the reference's, in its order; for a definition
/// that can't be served there is no `response` and no `trace`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Debugged {
    /// `ok`, or `error` for a definition that can't be served.
    pub message: String,
    /// Request and response as one text, credentials hidden.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub response: String,
    /// The steps as lines of JSON.
    pub logs: String,
    /// The steps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trace: Vec<Step>,
    /// The response to the debugged request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<Answer>,
    /// What went wrong on the way to the upstream, with the ids of API and request.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub details: String,
    /// The errors in the definition.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<Issue>,
}
