//! Bodies of the dashboard API's answers, and of the gateway endpoints that serve it.

use super::Permissions;
use crate::message::Action;
use gatewright_model::diff::Change;
use gatewright_model::issue::Issue;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

pub use crate::resource::Subject;

/// A dashboard credential without its token, which is shown once and not stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Credential {
    /// Its id.
    pub id: String,
    /// What people call it; the audit trail names it so.
    pub name: String,
    /// The organisation it is confined to.
    pub org_id: String,
    /// What it may do.
    pub permissions: Permissions,
    /// When it was issued, RFC 3339.
    pub created_at: String,
    /// When it ends, RFC 3339; null for never.
    pub expires_at: Option<String>,
    /// When it was revoked, RFC 3339; null if it was not.
    pub revoked_at: Option<String>,
}

/// Everything that was issued, newest first: `GET /gateway/dashboard/credentials`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credentials {
    /// The credentials, revoked ones included.
    pub credentials: Vec<Credential>,
}

/// The answer that issues a credential; the only one that has the token.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Issued {
    /// The id of the credential.
    pub key: String,
    /// Always `ok`.
    pub status: String,
    /// Always `added`.
    pub action: String,
    /// What goes behind `Authorization: Bearer`.
    pub token: String,
    /// What was issued.
    pub credential: Credential,
}

/// One notification.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Notice {
    /// Its number in its organisation: from 1, without gaps.
    pub seq: u64,
    /// The same for every delivery, so that a receiver can tell a repetition.
    pub id: String,
    /// The name of the event, such as `NoticeClientIdPChanged`.
    #[serde(rename = "type")]
    pub kind: String,
    /// When its cause was stored, RFC 3339.
    pub at: String,
    /// What happened; never a secret.
    pub data: serde_json::Value,
}

/// A part of an organisation's notifications, oldest first: `GET /api/notifications`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Notices {
    /// The notifications behind `after`.
    pub notifications: Vec<Notice>,
    /// The number of the newest one there is, 0 for none.
    pub last: u64,
}

/// One administrative write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditEntry {
    /// Its number, over all organisations.
    pub seq: u64,
    /// When, RFC 3339.
    pub at: String,
    /// The organisation it happened in.
    pub org_id: String,
    /// Who: the name of a credential, `dashboard` for `DASHBOARD_TOKEN`, `gateway` for the gateway
    /// secret.
    pub actor: String,
    /// What was done.
    pub action: Action,
    /// To what kind of document.
    pub subject: Subject,
    /// The id of the document.
    pub id: String,
    /// Its name at that time.
    pub name: String,
    /// The revision before, null if there was none.
    pub before: Option<u64>,
    /// The revision after, null if there is none.
    pub after: Option<u64>,
}

/// A page of the audit trail, newest first: `GET /api/audit`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Audit {
    /// The entries.
    pub entries: Vec<AuditEntry>,
    /// What goes into `before` for the next page; null on the last one.
    pub next: Option<u64>,
}

/// What a write would do: every write of the dashboard API with `?dry_run=true`.
#[derive(Debug, Serialize, Deserialize)]
pub struct Preview {
    /// Always true.
    pub dry_run: bool,
    /// The revision that it would get.
    pub revision: u64,
    /// The document as it would be stored.
    pub document: Box<RawValue>,
    /// What is different from the stored one.
    pub changes: Vec<Change>,
    /// What its author should know.
    pub issues: Vec<Issue>,
}
