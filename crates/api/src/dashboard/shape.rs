//! Response bodies of the dashboard API, and of the gateway endpoints that serve it.

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
    /// Its display name, also used in the audit trail.
    pub name: String,
    /// The organisation it is limited to.
    pub org_id: String,
    /// Its permissions.
    pub permissions: Permissions,
    /// When it was issued, RFC 3339.
    pub created_at: String,
    /// When it expires, RFC 3339; null for never.
    pub expires_at: Option<String>,
    /// When it was revoked, RFC 3339; null if it wasn't.
    pub revoked_at: Option<String>,
}

/// All issued credentials, newest first: `GET /gateway/dashboard/credentials`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credentials {
    /// The credentials, revoked ones included.
    pub credentials: Vec<Credential>,
}

/// The response that issues a credential; the only one that contains the token.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Issued {
    /// The id of the credential.
    pub key: String,
    /// Always `ok`.
    pub status: String,
    /// Always `added`.
    pub action: String,
    /// The token to send in `Authorization: Bearer`.
    pub token: String,
    /// The issued credential.
    pub credential: Credential,
}

/// One notification.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Notice {
    /// Its number in its organisation: from 1, without gaps.
    pub seq: u64,
    /// Its id, the same in every delivery, so that a receiver can recognise a repetition.
    pub id: String,
    /// The name of the event, such as `NoticeClientIdPChanged`.
    #[serde(rename = "type")]
    pub kind: String,
    /// When its cause was stored, RFC 3339.
    pub at: String,
    /// Details of the event; never a secret.
    pub data: serde_json::Value,
}

/// A page of an organisation's notifications, oldest first: `GET /api/notifications`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Notices {
    /// The notifications after `after`.
    pub notifications: Vec<Notice>,
    /// The number of the newest notification, 0 for none.
    pub last: u64,
}

/// An audit trail entry: one administrative write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditEntry {
    /// Its number, counted over all organisations.
    pub seq: u64,
    /// When it happened, RFC 3339.
    pub at: String,
    /// The organisation it happened in.
    pub org_id: String,
    /// The actor: the name of a credential, `dashboard` for `DASHBOARD_TOKEN`, `gateway` for the gateway secret.
    pub actor: String,
    /// The action.
    pub action: Action,
    /// The kind of document.
    pub subject: Subject,
    /// The id of the document.
    pub id: String,
    /// The document's name at that time.
    pub name: String,
    /// The revision before the write, null for none.
    pub before: Option<u64>,
    /// The revision after the write, null for none.
    pub after: Option<u64>,
    /// The IP address of the client, null if none is known: the gateway has acted by itself, or did not record it yet.
    #[serde(default)]
    pub ip_address: Option<String>,
    /// The client's `User-Agent`, at most 256 bytes of it, null for none.
    #[serde(default)]
    pub user_agent: Option<String>,
    /// The id of the request, as in its response's `X-Request-Id`, null for none.
    #[serde(default)]
    pub request_id: Option<String>,
}

/// A page of the audit trail, newest first: `GET /api/audit`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Audit {
    /// The entries.
    pub entries: Vec<AuditEntry>,
    /// The value of `before` for the next page; null on the last one.
    pub next: Option<u64>,
}

/// The effect that a write would have: any write of the dashboard API with `?dry_run=true`.
#[derive(Debug, Serialize, Deserialize)]
pub struct Preview {
    /// Always true.
    pub dry_run: bool,
    /// The revision that would be created.
    pub revision: u64,
    /// The document that would be stored.
    pub document: Box<RawValue>,
    /// The differences from the stored document.
    pub changes: Vec<Change>,
    /// Warnings for the author.
    pub issues: Vec<Issue>,
}
