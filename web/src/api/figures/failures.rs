//! Failed requests, as shown by the overview.

use gatewright_model::json::Value;

use crate::api::read::{Read, list, number, text, texts};
use crate::api::{Api, ApiError, Call};

/// A kind of failed requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailureKind {
    /// The id of the API they were sent to.
    pub api_id: String,
    /// The version of the API; empty if there is none.
    pub version: String,
    /// The status of their responses.
    pub status: u16,
    /// The reason.
    pub reason: String,
}

impl Read for FailureKind {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            api_id: value.str("api_id").ok_or("api_id")?.to_owned(),
            version: text(value, "version"),
            status: number(value, "status"),
            reason: text(value, "reason"),
        })
    }
}

/// The number of failed requests of a kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailureSum {
    /// The kind.
    pub kind: FailureKind,
    /// How many.
    pub count: u64,
    /// The most recent minute with one, Unix seconds.
    pub last: i64,
}

impl Read for FailureSum {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            kind: FailureKind::read(value)?,
            count: number(value, "count"),
            last: number(value, "last_seen"),
        })
    }
}

/// The failed requests of a kind in one minute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailureMinute {
    /// The start of the minute, Unix seconds.
    pub at: i64,
    /// The kind.
    pub kind: FailureKind,
    /// How many.
    pub count: u64,
    /// One of them, as an example.
    pub sample: Option<FailedRequest>,
}

impl Read for FailureMinute {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            at: number(value, "at"),
            kind: FailureKind::read(value)?,
            count: number(value, "count"),
            sample: object(value, "sample")?,
        })
    }
}

/// A failed request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailedRequest {
    /// When the response was sent, Unix seconds.
    pub at: i64,
    /// Its method.
    pub method: String,
    /// Its path, unchanged.
    pub path: String,
    /// The names of its query parameters.
    pub query: Vec<String>,
    /// Its headers; `None` for a value that is not kept.
    pub headers: Vec<(String, Option<String>)>,
    /// The name of the link that refused it.
    pub link: String,
    /// The hash of its key; empty if it had none.
    pub key: String,
    /// The attempt to reach its upstream.
    pub upstream: Option<FailedUpstream>,
}

impl Read for FailedRequest {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        let headers = value
            .get("headers")
            .map(Value::items)
            .unwrap_or_default()
            .iter();
        let headers = headers.filter_map(|pair| match pair.items() {
            [name, value] => Some((name.as_str()?.to_owned(), value.as_str().map(str::to_owned))),
            _ => None,
        });
        Ok(Self {
            at: number(value, "at"),
            method: text(value, "method"),
            path: text(value, "path"),
            query: texts(value.get("query")),
            headers: headers.collect(),
            link: text(value, "link"),
            key: text(value, "key_hash"),
            upstream: object(value, "upstream")?,
        })
    }
}

/// The attempt to reach the upstream of a failed request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailedUpstream {
    /// Its host.
    pub host: String,
    /// Milliseconds until the response or until the attempt was abandoned.
    pub ms: u64,
    /// The timeout in milliseconds; 0 for no limit.
    pub timeout_ms: u64,
    /// The platform's error message; empty if there was a response.
    pub error: String,
}

impl Read for FailedUpstream {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            host: text(value, "host"),
            ms: number(value, "ms"),
            timeout_ms: number(value, "timeout_ms"),
            error: text(value, "error"),
        })
    }
}

/// Reads a member that is an object or null.
fn object<T: Read>(value: &Value<'_>, name: &str) -> Result<Option<T>, &'static str> {
    let member = value.get(name).filter(|member| !member.is_null());
    member.map(T::read).transpose()
}

/// Failed requests by kind, the most frequent first, and by kind and minute, the newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failures {
    /// By kind.
    pub kinds: Vec<FailureSum>,
    /// By kind and minute.
    pub minutes: Vec<FailureMinute>,
    /// Names of APIs by id.
    apis: Names,
    /// Names of keys by hash.
    keys: Names,
}

type Names = Vec<(String, String)>;

impl Failures {
    /// Returns the name to show for an API.
    #[must_use]
    pub fn api<'a>(&'a self, id: &'a str) -> &'a str {
        called(&self.apis, id).unwrap_or(id)
    }

    /// Returns the name to show for a key; empty if it has none.
    #[must_use]
    pub fn key(&self, hash: &str) -> &str {
        called(&self.keys, hash).unwrap_or_default()
    }
}

fn called<'a>(names: &'a Names, id: &str) -> Option<&'a str> {
    let found = names.iter().find(|(known, _)| known == id);
    found.map(|(_, name)| name.as_str())
}

fn names(value: &Value<'_>, name: &str) -> Names {
    let members = value.get(name).map(Value::members).unwrap_or_default();
    let members = members.iter();
    members
        .filter_map(|member| Some((member.name.to_string(), member.value.as_str()?.to_owned())))
        .collect()
}

impl Read for Failures {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            kinds: list(value, "kinds")?,
            minutes: list(value, "minutes")?,
            apis: names(value, "api_names"),
            keys: names(value, "key_aliases"),
        })
    }
}

impl Api {
    /// Returns the failed requests that match a query.
    ///
    /// # Errors
    /// As for every request.
    pub async fn failures(self, query: &str) -> Result<Failures, ApiError> {
        let call = Call::get(format!("/gateway/health/failures?{query}"));
        self.send(call).await?.read()
    }
}
