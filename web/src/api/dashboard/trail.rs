//! The audit trail.

use gatewright_model::diff::{Change, ChangeKind};
use gatewright_model::json::Value;

use crate::api::read::{Read, list, some_text, text};
use crate::api::{Api, ApiError, Call};

/// The path of its endpoints.
const PATH: &str = "/api/audit";

/// One administrative write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Its number.
    pub seq: u64,
    /// When it was made, RFC 3339.
    pub at: String,
    /// Who made it: the name of a credential, or `dashboard` or `gateway`.
    pub actor: String,
    /// `added`, `modified`, `deleted` or `restored`.
    pub action: String,
    /// The kind of document.
    pub subject: String,
    /// The id of the document.
    pub id: String,
    /// The name of the document at that time.
    pub name: String,
    /// The revision before the write.
    pub before: Option<u64>,
    /// The revision after the write.
    pub after: Option<u64>,
    /// The client's address.
    pub ip_address: Option<String>,
    /// The client's `User-Agent`.
    pub user_agent: Option<String>,
    /// The id of the request.
    pub request_id: Option<String>,
}

/// A page of entries, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entries {
    /// The entries.
    pub entries: Vec<Entry>,
    /// The cursor of the next page; `None` on the last page.
    pub next: Option<u64>,
}

/// An entry with its changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryDetails {
    /// The entry.
    pub entry: Entry,
    /// The changed members, with secrets masked.
    pub changes: Vec<Change>,
}

fn some_number(value: &Value<'_>, name: &str) -> Option<u64> {
    value
        .int(name)
        .and_then(|number| u64::try_from(number).ok())
}

impl Read for Entry {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            seq: some_number(value, "seq").ok_or("seq")?,
            at: text(value, "at"),
            actor: text(value, "actor"),
            action: text(value, "action"),
            subject: text(value, "subject"),
            id: text(value, "id"),
            name: text(value, "name"),
            before: some_number(value, "before"),
            after: some_number(value, "after"),
            ip_address: some_text(value, "ip_address"),
            user_agent: some_text(value, "user_agent"),
            request_id: some_text(value, "request_id"),
        })
    }
}

impl Read for Entries {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        value.get("entries").ok_or("entries")?;
        Ok(Self {
            entries: list(value, "entries")?,
            next: some_number(value, "next"),
        })
    }
}

impl Read for Change {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            pointer: text(value, "pointer"),
            kind: match value.str("kind") {
                Some("added") => ChangeKind::Added,
                Some("removed") => ChangeKind::Removed,
                _ => ChangeKind::Changed,
            },
            before: some_text(value, "before"),
            after: some_text(value, "after"),
        })
    }
}

impl Read for EntryDetails {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            entry: Entry::read(value.get("entry").ok_or("entry")?)?,
            changes: list(value, "changes")?,
        })
    }
}

impl Api {
    /// Returns a page of the audit trail; `query` is the output of `Trail::to_request`.
    ///
    /// # Errors
    /// [`ApiError::Refused`] with a sentence about a malformed filter.
    pub async fn audit(self, query: &str) -> Result<Entries, ApiError> {
        self.send(Call::get(format!("{PATH}?{query}")))
            .await?
            .read()
    }

    /// Returns an entry of the trail with its changes.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if there is none that the token may see.
    pub async fn audit_entry(self, seq: u64) -> Result<EntryDetails, ApiError> {
        self.send(Call::get(format!("{PATH}/{seq}"))).await?.read()
    }

    /// Returns the trail as the text of a file; `query` is the output of `Trail::to_file`.
    ///
    /// # Errors
    /// As for [`Api::audit`].
    pub async fn audit_file(self, query: &str) -> Result<String, ApiError> {
        let answer = self.send(Call::get(format!("{PATH}?{query}"))).await?;
        Ok(answer.text)
    }
}
