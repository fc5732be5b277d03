//! Reading responses: members that a page can't do without are required, all others have a default.

use gatewright_model::json::{Kind, Value, parse};
use gatewright_model::openapi::DocumentKind;
use gatewright_model::{Issue, IssueCode, Position, Severity};
use serde::Deserialize;
use serde::de::value::{Error, StrDeserializer};

use super::types::{
    BatchAnswer, Fetched, Modified, PastGeneration, PastGenerations, Pending, Refusal,
    ReloadStatus, Revision, Revisions, Skipped, Summary, SummaryPage,
};

/// A value that can be read from a response.
pub trait Read: Sized {
    /// Reads it.
    ///
    /// # Errors
    /// The name of the member that is missing or has the wrong type.
    fn read(value: &Value<'_>) -> Result<Self, &'static str>;
}

pub(in crate::api) fn text(value: &Value<'_>, name: &str) -> String {
    value.str(name).unwrap_or_default().to_owned()
}

pub(in crate::api) fn some_text(value: &Value<'_>, name: &str) -> Option<String> {
    value.str(name).map(str::to_owned)
}

pub(in crate::api) fn flag(value: &Value<'_>, name: &str) -> bool {
    value.bool(name).unwrap_or_default()
}

pub(in crate::api) fn number<T: TryFrom<i64> + Default>(value: &Value<'_>, name: &str) -> T {
    let number = value.int(name).unwrap_or_default();
    T::try_from(number).unwrap_or_default()
}

pub(in crate::api) fn texts(value: Option<&Value<'_>>) -> Vec<String> {
    let items = value.map(Value::items).unwrap_or_default();
    items
        .iter()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}

/// Reads an optional list; empty if it is missing.
pub(in crate::api) fn list<T: Read>(value: &Value<'_>, name: &str) -> Result<Vec<T>, &'static str> {
    let items = value.get(name).map(Value::items).unwrap_or_default();
    items.iter().map(T::read).collect()
}

/// Reads a required list.
pub(in crate::api) fn needed<T: Read>(
    value: &Value<'_>,
    name: &'static str,
) -> Result<Vec<T>, &'static str> {
    match value.get(name).map(|member| &member.kind) {
        Some(Kind::Array(items)) => items.iter().map(T::read).collect(),
        _ => Err(name),
    }
}

impl<T: Read> Read for Vec<T> {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        match &value.kind {
            Kind::Array(items) => items.iter().map(T::read).collect(),
            _ => Err("the list"),
        }
    }
}

impl Read for SummaryPage {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            apis: needed(value, "apis")?,
            page: number(value, "page"),
            pages: number(value, "pages"),
            total: number(value, "total"),
        })
    }
}

impl Read for Summary {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            api_id: value.str("api_id").ok_or("api_id")?.to_owned(),
            name: text(value, "name"),
            listen_path: text(value, "listen_path"),
            domain: text(value, "domain"),
            target_url: text(value, "target_url"),
            tags: texts(value.get("tags")),
            active: flag(value, "active"),
            keyless: flag(value, "keyless"),
            batch: flag(value, "batch"),
            state: text(value, "state"),
            pending: some_text(value, "pending"),
            problem: some_text(value, "problem"),
            warnings: number(value, "warnings"),
            revision: number(value, "revision"),
            updated_at: text(value, "updated_at"),
            document: match value.str("document") {
                Some("oas") => Some(DocumentKind::Oas),
                Some("mcp") => Some(DocumentKind::Mcp),
                _ => None,
            },
        })
    }
}

impl Read for Modified {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            key: value.str("key").ok_or("key")?.to_owned(),
            action: text(value, "action"),
            issues: list(value, "issues")?,
            etag: String::new(),
        })
    }
}

impl Read for Revisions {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            revisions: needed(value, "revisions")?,
        })
    }
}

impl Read for Revision {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            revision: number(value, "revision"),
            at: text(value, "at"),
            action: text(value, "action"),
            bytes: number(value, "bytes"),
            current: flag(value, "current"),
            by: text(value, "by"),
        })
    }
}

impl Read for ReloadStatus {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            generation: number(value, "generation"),
            reloaded_at: some_text(value, "reloaded_at"),
            state: text(value, "state"),
            error: some_text(value, "error"),
            full_error: some_text(value, "full_error"),
            loaded_total: number(value, "loaded_total"),
            skipped: list(value, "skipped")?,
            pending_total: number(value, "pending_total"),
            pending: {
                let mut pending: Vec<Pending> = needed(value, "pending")?;
                pending.extend(list::<Pending>(value, "pending_policies")?);
                pending
            },
        })
    }
}

impl Read for Skipped {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            api_id: text(value, "api_id"),
            name: text(value, "name"),
            file: text(value, "file"),
            reason: text(value, "reason"),
            issues: list(value, "issues")?,
        })
    }
}

impl Read for Pending {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        let api_id = value.str("api_id");
        Ok(Self {
            policy: api_id.is_none(),
            api_id: api_id
                .or_else(|| value.str("id"))
                .ok_or("api_id")?
                .to_owned(),
            name: text(value, "name"),
            listen_path: text(value, "listen_path"),
            change: text(value, "change"),
            revision: number(value, "revision"),
            loaded_revision: value
                .int("loaded_revision")
                .and_then(|number| u64::try_from(number).ok()),
            outlook: text(value, "outlook"),
            reason: some_text(value, "reason"),
            served_now: flag(value, "served_now"),
            served_path: some_text(value, "served_path"),
            takes_over: some_text(value, "takes_over"),
        })
    }
}

impl Read for PastGenerations {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self(needed(value, "generations")?))
    }
}

impl Read for PastGeneration {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        let again = value.int("again");
        Ok(Self {
            generation: number(value, "generation"),
            reloaded_at: some_text(value, "reloaded_at"),
            by: text(value, "by"),
            loaded: number(value, "loaded"),
            skipped: number(value, "skipped"),
            policies: number(value, "policies"),
            changes: number(value, "changes"),
            selected: flag(value, "selected"),
            again: again.and_then(|number| u64::try_from(number).ok()),
            served: flag(value, "served"),
        })
    }
}

impl Read for BatchAnswer {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        let headers = value.get("headers").map(Value::members).unwrap_or_default();
        let header = |member: &gatewright_model::json::Member<'_>| {
            (member.name.to_string(), texts(Some(&member.value)))
        };
        Ok(Self {
            relative_url: text(value, "relative_url"),
            code: number(value, "code"),
            headers: headers.iter().map(header).collect(),
            body: text(value, "body"),
            body_encoding: some_text(value, "body_encoding"),
            error: some_text(value, "error"),
        })
    }
}

impl Read for Fetched {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            url: value.str("url").ok_or("url")?.to_owned(),
            text: value.str("text").ok_or("text")?.to_owned(),
        })
    }
}

impl Read for Refusal {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        let texts = ["message", "details"].map(|name| text(value, name));
        let joined = || texts.join(" ").trim_end().to_owned();
        Ok(Self {
            message: logged(value).unwrap_or_else(joined),
            issues: list(value, "issues")?,
            request_id: some_text(value, "request_id"),
        })
    }
}

/// Returns why a definition can't be tried, which only the first line of `logs` says.
fn logged(value: &Value<'_>) -> Option<String> {
    let line = parse(value.str("logs")?.lines().next()?).ok()?;
    some_text(&line, "msg")
}

impl Read for Issue {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        let position = |line: &str, column: &str| Position {
            line: number(value, line),
            column: number(value, column),
        };
        Ok(Self {
            pointer: text(value, "pointer"),
            code: word::<IssueCode>(value, "code").ok_or("code")?,
            severity: word::<Severity>(value, "severity").ok_or("severity")?,
            message: text(value, "message"),
            start: position("line", "column"),
            end: position("end_line", "end_column"),
        })
    }
}

/// Reads a member that is one of the model's enumerated words.
fn word<'v, T: Deserialize<'v>>(value: &'v Value<'_>, name: &str) -> Option<T> {
    T::deserialize(StrDeserializer::<Error>::new(value.str(name)?)).ok()
}

/// Reads a list of issues, or returns none if the value is something else.
#[must_use]
pub fn issues_of(value: &Value<'_>) -> Vec<Issue> {
    Vec::read(value).unwrap_or_default()
}

/// Parses a list of issues, or returns none if the text holds something else.
#[must_use]
pub fn issues(text: &str) -> Vec<Issue> {
    let value = gatewright_model::json::parse(text);
    value.map(|value| issues_of(&value)).unwrap_or_default()
}
