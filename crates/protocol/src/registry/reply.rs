//! The replies of the Registry.

use crate::backup::Page;
use crate::records::Answer;
use crate::sign_in::SignedIn;
use gatewright_api::dashboard::shape::Credential;
use gatewright_api::message::Action;
use gatewright_model::issue::Issue;
use serde::{Deserialize, Serialize};

/// Why the Registry refused a command; nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(
    missing_docs,
    reason = "the members name the documents that stand in the way"
)]
pub enum Refusal {
    /// No such document, or it is deleted.
    NotFound,
    /// The document has no such revision, or that revision is a deletion.
    NoRevision,
    /// A condition failed.
    Precondition { current: Option<u64> },
    /// Another public API has this domain and listen path.
    RouteTaken {
        id: String,
        name: String,
        listen_path: String,
        domain: String,
    },
    /// The listen path would shadow one of the gateway's own paths.
    Reserved { path: String },
    /// `base_api_id` names no API.
    NoBase { base: String },
    /// An API that becomes a base needs a name for its own version.
    BaseNameNeeded { base: String },
    /// The policies of a session can't be applied.
    Policies { reason: String },
    /// Access rights don't match their API.
    Rights { reason: String },
    /// A session would have access to every API, which is not allowed here.
    NoRights,
    /// An import can't start or continue; `line` is the line at fault, 0 for none.
    Import { line: u64, reason: String },
    /// It exists already.
    Exists,
    /// MCP proxies take their tools from this API.
    Referenced { ids: Vec<String> },
    /// An MCP proxy can't take its tools from the API that it names.
    Source { status: u16, reason: String },
    /// A selection can't be published.
    Selection {
        status: u16,
        /// The pointer to the member at fault.
        pointer: String,
        reason: String,
    },
    /// For a Ledger: there is no such session, and every session is kept by its Ledger, so this one need not ask again.
    Settled,
    /// For a Ledger: the session is kept by the Ledger of its name, in one of the objects for these values of
    /// `LEDGER_SHARDS`, separated by commas, the latest first.
    Kept { shards: String },
}

/// The reply of the Registry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the members are those of the answers")]
pub enum Reply {
    Refused(Refusal),
    Written {
        action: Action,
        revision: u64,
        /// Warnings for the author that need knowledge of every document.
        issues: Vec<Issue>,
    },
    /// The document follows the line.
    Document {
        revision: u64,
        pending: bool,
        base: Option<String>,
    },
    /// The body of the response follows the line: an isolate need not parse it.
    Json,
    Credential(Credential),
    Dashboard(Answer),
    /// The session follows the line.
    Session {
        id: String,
        revision: u64,
        reset: u64,
        /// When the session stops existing, in Unix milliseconds; 0 means never.
        ends: u64,
        aside: Aside,
    },
    /// A part of an export.
    Page(Page),
    /// The owner of a sign-in.
    SignedIn(SignedIn),
}

/// What accompanies a session in a reply.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Aside {
    /// The Ledger whose counters this write resets too; empty for none.
    pub clears: String,
    /// From the previous release: how long isolates may still take the key for unknown, in milliseconds. Otherwise the
    /// Ledger waits.
    pub wait_ms: u64,
    /// Warnings for the author of a write that need knowledge of every document.
    pub issues: Vec<Issue>,
    /// The policies of a key that have changed since the last reload.
    pub pending: Vec<String>,
    /// Whether the session's Ledger keeps what was written. A Registry of the previous release leaves that to the
    /// Ledger, which has to be told that something was written.
    #[serde(default)]
    pub kept: bool,
}
