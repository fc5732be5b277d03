//! One request through the chain: what the console reads of its steps and its answer.

use gatewright_model::json::Value;

use super::read::{Read, flag, list, needed, number, some_text, text, texts};
use super::{Api, ApiError, Call};

/// One step of the chain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// Which one, as the gateway calls it.
    pub name: String,
    /// request or response.
    pub phase: String,
    /// passed, refused, skipped or deferred.
    pub decision: String,
    /// Why.
    pub detail: String,
    /// When it ended, in milliseconds since the request began.
    pub at_ms: u64,
    /// How many milliseconds it took.
    pub ms: u64,
    /// What it changed.
    pub changes: Vec<StepChange>,
}

/// One thing that a step changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StepChange {
    /// header, target, method, body or status.
    pub what: String,
    /// The name of a header.
    pub name: String,
    /// What it was; nothing if it was added.
    pub from: Option<String>,
    /// What it is now; nothing if it was removed.
    pub to: Option<String>,
}

/// What came back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answered {
    /// The status code.
    pub status: u16,
    /// Header fields with their values.
    pub headers: Vec<(String, Vec<String>)>,
    /// The body, or the beginning of it.
    pub body: String,
    /// `base64` where the body is no text.
    pub body_encoding: Option<String>,
    /// Whether there was more of it.
    pub truncated: bool,
}

/// A request that was sent through the chain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Debugged {
    /// The steps, in their order.
    pub trace: Vec<Step>,
    /// The answer.
    pub answer: Answered,
    /// Request and answer as one text.
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
    /// Sends one request through the chain; `body` is what `Trial::to_json` makes. It is a real one.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if the API is not loaded, [`ApiError::Refused`] with a sentence about what
    /// can't be sent.
    pub async fn debug(self, body: &str) -> Result<Debugged, ApiError> {
        self.send(Call::post("/gateway/debug").json(body))
            .await?
            .read()
    }
}
