//! The Registry's commands about documents of the dashboard, and its replies.

mod kind;

pub use kind::{Kind, Row};

use crate::caller::{Caller, Need};
use crate::registry::Guard;
use crate::secret::Secret;
use gatewright_api::dashboard::shape::Audit;
use gatewright_api::message::Action;
use gatewright_model::diff::Change;
use gatewright_model::issue::Issue;
use serde::{Deserialize, Serialize};

/// A command with its caller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    /// The caller.
    pub caller: Caller,
    /// What the caller must be allowed to do.
    pub need: Need,
    /// The command.
    pub command: RecordCommand,
}

/// The filter, order and page of a list (reference 1.11).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordQuery {
    /// Part of a name, a stable or an internal id, case-insensitive.
    pub search: String,
    /// Only active, or only inactive documents; `None` for both.
    pub active: Option<bool>,
    /// Only templates, or only documents that are none; `None` for both.
    pub is_template: Option<bool>,
    /// Only documents with one of these categories, case-insensitive.
    pub categories: Vec<String>,
    /// Only this resource type.
    pub resource_type: Option<String>,
    /// Deleted documents instead of the others.
    pub deleted: bool,
    /// The order.
    pub sort: RecordSort,
    /// Whether to reverse the order.
    pub descending: bool,
    /// The page, from 1; `None` for all rows on one page.
    pub page: Option<u32>,
    /// Rows per page.
    pub per_page: u32,
}

/// The member that orders a list. Ties are broken by id, so pages never overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names of the sorted members")]
pub enum RecordSort {
    Name,
    DateCreated,
    #[default]
    LastUpdated,
}

/// A command about documents of the dashboard. A document, mapping or patch follows the line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the members are those of the endpoints")]
pub enum RecordCommand {
    /// `id` is the internal id for the new document, `secret` the one that signs a webhook's calls.
    Create {
        kind: Kind,
        id: String,
        guard: Guard,
        secret: Option<Secret>,
    },
    Replace {
        kind: Kind,
        id: String,
        guard: Guard,
    },
    /// The text is a merge patch: members that it doesn't name are unchanged.
    Amend {
        kind: Kind,
        id: String,
        guard: Guard,
    },
    Delete {
        kind: Kind,
        id: String,
        guard: Guard,
    },
    /// Without a revision, restores the newest one that has a text.
    Restore {
        kind: Kind,
        id: String,
        revision: Option<u64>,
        guard: Guard,
    },
    /// The text is a merge patch for the mappings of a client identity provider.
    PatchMappings {
        id: String,
        guard: Guard,
    },
    /// Replaces or adds one mapping.
    SetMapping {
        id: String,
        api_id: String,
        guard: Guard,
    },
    RemoveMapping {
        id: String,
        api_id: String,
        guard: Guard,
    },
    /// Only checks whether the caller is authorised.
    Admit,
    Read {
        kind: Kind,
        id: String,
    },
    ReadRevision {
        kind: Kind,
        id: String,
        revision: u64,
    },
    Revisions {
        kind: Kind,
        id: String,
        before: Option<u64>,
        limit: u32,
    },
    List {
        kind: Kind,
        query: RecordQuery,
    },
    Categories,
    Notices {
        after: u64,
        limit: u32,
    },
    /// Notifications after a number, as far as the caller may read them; without a number, only the number of the
    /// newest.
    Watch(Option<u64>),
    /// A command about the deliveries of a webhook.
    Hook(HookAsk),
    /// The Registry fills in the organisation and the kinds that the caller may read.
    Audit(AuditFilter),
    /// One entry with the document before and after it.
    AuditEntry {
        seq: u64,
    },
}

impl RecordCommand {
    /// Whether the command stores something, unless it is refused or a dry run.
    #[must_use]
    pub const fn writes(&self) -> bool {
        match self {
            Self::Create { .. }
            | Self::Replace { .. }
            | Self::Amend { .. }
            | Self::Delete { .. }
            | Self::Restore { .. }
            | Self::PatchMappings { .. }
            | Self::SetMapping { .. }
            | Self::RemoveMapping { .. } => true,
            Self::Hook(ask) => ask.act.writes(),
            Self::Admit
            | Self::Read { .. }
            | Self::ReadRevision { .. }
            | Self::Revisions { .. }
            | Self::List { .. }
            | Self::Categories
            | Self::Notices { .. }
            | Self::Watch(_)
            | Self::Audit(_)
            | Self::AuditEntry { .. } => false,
        }
    }
}

/// A command about the deliveries of a webhook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookAsk {
    /// An id of the webhook.
    pub id: String,
    /// What to do.
    pub act: HookAct,
}

/// What to do about the deliveries of a webhook. The reply is the body of the endpoint's response.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HookAct {
    /// Lists deliveries with numbers below the first, at most the second many.
    List(Option<u64>, u32),
    /// Makes the delivery of this notification due.
    Retry(String),
    /// Makes this the current secret.
    Rotate(Secret),
    /// Signs a sample that is sent under this id; replies with the signed sample, or why there is none.
    Sign(String),
    /// Records the result of a sample: the attempt follows the line.
    Note(String),
}

impl HookAct {
    /// Whether the command stores something.
    #[must_use]
    pub const fn writes(&self) -> bool {
        matches!(self, Self::Retry(_) | Self::Rotate(_) | Self::Note(_))
    }
}

/// Why a command was not carried out; nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the members name what stands in the way")]
pub enum RecordRefusal {
    /// The credential is unknown, expired or revoked.
    NotAuthorised,
    /// The credential may not do this.
    NotPermitted,
    /// No such document in the organisation, or it is deleted.
    NotFound,
    /// The document has no such revision, or that revision is a deletion.
    NoRevision,
    /// The provider has no mapping for this API.
    NoMapping,
    /// The webhook has no such delivery, or it was a sample.
    NoDelivery,
    /// The document is not deleted, so it can't be brought back.
    NotDeleted,
    /// A condition failed.
    Precondition { current: Option<u64> },
    /// Another document has this stable id.
    StableIdTaken { id: String },
    /// Another ruleset has this name.
    NameTaken { name: String },
    /// A ruleset's `ruleset_id` never changes.
    StableIdFixed { id: String },
    /// No API of the organisation has these categories.
    UnknownCategories {
        names: Vec<String>,
        known: Vec<String>,
    },
    /// The result would not be a valid document.
    Invalid { issues: Vec<Issue> },
    /// The result would be larger than a document may be.
    TooLarge,
}

/// The reply of the Registry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the members are those of the answers")]
pub enum Answer {
    Refused(RecordRefusal),
    Admitted,
    /// The document follows the line, as it is stored now; for a deletion, as it was.
    Written {
        id: String,
        action: Action,
        revision: u64,
        /// What has changed; only in a dry run.
        changes: Vec<Change>,
        /// Warnings for the author.
        issues: Vec<Issue>,
    },
    /// The document follows the line.
    Document {
        revision: u64,
    },
    /// An array of documents follows the line.
    List {
        pages: u32,
        total: u32,
    },
    /// Where the next watch starts; the text for the event stream follows the line.
    Watched(u64),
    /// The body of the response follows the line.
    Json,
    Audit(Audit),
    /// The documents before and after follow the line, each as JSON or `null`, in an array.
    AuditEntry(gatewright_api::dashboard::shape::AuditEntry),
}

/// A filter for entries of the audit trail, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct AuditFilter {
    /// The organisation; `None` for the one without a name.
    pub org: Option<String>,
    /// Only this actor.
    pub actor: Option<String>,
    /// Only these kinds of documents.
    pub subjects: Vec<gatewright_api::dashboard::shape::Subject>,
    /// Only this document.
    pub id: Option<String>,
    /// Only this action.
    pub action: Option<Action>,
    /// The start of the time range, RFC 3339 in UTC.
    pub from: Option<String>,
    /// The end of the time range, exclusive, RFC 3339 in UTC.
    pub to: Option<String>,
    /// Only entries with a smaller number.
    pub before: Option<u64>,
    /// The most entries.
    pub limit: u32,
    /// Only entries with this text, in lower case, in the id, the name, the actor, the address or the request id.
    pub part: Option<String>,
    /// Only writes from this IP address.
    pub ip_address: Option<String>,
    /// Only what the request with this id has written.
    pub request_id: Option<String>,
}
