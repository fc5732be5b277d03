//! A traced request: its steps through the chain and its response, as far as the console reads them.

use gatewright_model::json::Value;

use super::read::{Read, flag, list, needed, number, some_text, text, texts};
use super::{Api, ApiError, Call};

/// One step through the chain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// The name of the link.
    pub name: String,
    /// `request` or `response`.
    pub phase: String,
    /// `passed`, `refused`, `skipped` or `deferred`.
    pub decision: String,
    /// The reason for the decision.
    pub detail: String,
    /// When it ended, in milliseconds since the request started.
    pub at_ms: u64,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// What it changed.
    pub changes: Vec<StepChange>,
}

/// One change that a step made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepChange {
    /// `header`, `target`, `method`, `body` or `status`.
    pub what: String,
    /// The name of the header, if it is one.
    pub name: String,
    /// The value before; `None` if it was added.
    pub from: Option<String>,
    /// The value after; `None` if it was removed.
    pub to: Option<String>,
}

/// The response to a traced request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answered {
    /// The status code.
    pub status: u16,
    /// Header fields with their values.
    pub headers: Vec<(String, Vec<String>)>,
    /// The body, or its beginning.
    pub body: String,
    /// `base64` if the body is not text.
    pub body_encoding: Option<String>,
    /// Whether the body was cut off.
    pub truncated: bool,
}

/// A traced request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Debugged {
    /// Its steps, in order.
    pub trace: Vec<Step>,
    /// The response.
    pub answer: Answered,
    /// The request and the response as one text.
    pub dump: String,
}

impl Read for Step {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            name: value.str("name").ok_or("name")?.to_owned(),
            decision: value.str("decision").ok_or("decision")?.to_owned(),
            detail: text(value, "detail"),
            at_ms: number(value, "at_ms"),
            ms: number(value, "ms"),
            phase: some_text(value, "phase").unwrap_or_else(|| "request".to_owned()),
            changes: list(value, "changes")?,
        })
    }
}

impl Read for StepChange {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            what: value.str("what").ok_or("what")?.to_owned(),
            name: text(value, "name"),
            from: some_text(value, "from"),
            to: some_text(value, "to"),
        })
    }
}

impl Read for Answered {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        let headers = value.get("headers").map(Value::members).unwrap_or_default();
        Ok(Self {
            status: number(value, "status"),
            headers: headers
                .iter()
                .map(|field| (field.name.to_string(), texts(Some(&field.value))))
                .collect(),
            body: text(value, "body"),
            body_encoding: some_text(value, "body_encoding"),
            truncated: flag(value, "truncated"),
        })
    }
}

impl Read for Debugged {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            trace: needed(value, "trace")?,
            answer: Answered::read(value.get("answer").ok_or("answer")?)?,
            dump: text(value, "response"),
        })
    }
}

impl Api {
    /// Sends one real request through the chain and traces it; `body` is the output of `Trial::to_json`.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if the API is not loaded, [`ApiError::Refused`] with a sentence about what can't be sent.
    pub async fn debug(self, body: &str) -> Result<Debugged, ApiError> {
        self.send(Call::post("/gateway/debug").json(body))
            .await?
            .read()
    }
}
