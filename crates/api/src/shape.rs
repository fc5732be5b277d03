//! Bodies of the answers that this project adds to the specification: the summary list, the
//! revisions and the reload report. The console's tests read what is written here.

use crate::message::Action;
use gatewright_model::issue::Issue;
use gatewright_model::openapi::DocumentKind;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What has happened to a document since the data plane loaded it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Stored, never loaded.
    Added,
    /// Another revision is loaded.
    Modified,
    /// Deleted, but still loaded.
    Deleted,
}

/// The state of an API, the most telling one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Deleted; can be restored.
    Deleted,
    /// Switched off with `"active": false`.
    Inactive,
    /// Not served publicly.
    Internal,
    /// The last reload skipped this very revision.
    Invalid,
    /// Stored, not loaded yet.
    Pending,
    /// Loaded as it is stored.
    Live,
}

/// A row of the summary list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// The API's id.
    pub api_id: String,
    /// Its name.
    pub name: String,
    /// Its organisation.
    pub org_id: String,
    /// Its listen path as the definition has it.
    pub listen_path: String,
    /// Its domain, empty if it has none.
    pub domain: String,
    /// Where its requests go.
    pub target_url: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// False if the definition switches it off.
    pub active: bool,
    /// True if it has no public route.
    pub internal: bool,
    /// True if no credential is needed.
    pub keyless: bool,
    /// True if the batch endpoint is on.
    pub batch: bool,
    /// The state that a list shows.
    pub state: State,
    /// What a reload would change, if anything.
    pub pending: Option<Change>,
    /// Why the last reload skipped it, if it did.
    pub problem: Option<String>,
    /// How many warnings the validator has about it.
    pub warnings: u32,
    /// Its current revision.
    pub revision: u64,
    /// When that revision was stored, RFC 3339.
    pub updated_at: String,
    /// The OpenAPI document that it is administered as; none for a classic definition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<DocumentKind>,
}

/// A page of the summary list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummaryPage {
    /// The rows of this page.
    pub apis: Vec<Summary>,
    /// This page, from 1.
    pub page: u32,
    /// How many pages there are, at least 1.
    pub pages: u32,
    /// How many rows there are on all pages.
    pub total: u32,
}

/// One stored revision of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    /// Its number, from 1, never used twice for an id.
    pub revision: u64,
    /// When it was stored, RFC 3339.
    pub at: String,
    /// What made it.
    pub action: Action,
    /// Size of the document in bytes.
    pub bytes: u64,
    /// True for the one that is stored now.
    pub current: bool,
    /// Who made it, as the audit trail says; empty where that no longer knows.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub by: String,
}

/// The revisions of one API, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revisions {
    /// The API's id.
    pub api_id: String,
    /// At most as many as asked for.
    pub revisions: Vec<Revision>,
}

/// One version of a base API (reference 1.3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// The API's id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The name under which the base API knows it.
    #[serde(rename = "versionName")]
    pub version_name: String,
    /// True if it has no public route of its own.
    pub internal: bool,
    /// When it expires, empty if never.
    #[serde(rename = "expirationDate")]
    pub expiration_date: String,
    /// True for the version that a request without one gets.
    #[serde(rename = "isDefaultVersion")]
    pub is_default_version: bool,
}

/// The answer of `GET /gateway/apis/{apiID}/versions` (reference 1.3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Versions {
    /// Always `success`.
    pub status: String,
    /// The base first, the rest by version name; null if there is none.
    pub apis: Option<Vec<Version>>,
}

/// What the reloading machinery is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReloadState {
    /// Nothing.
    #[default]
    Idle,
    /// A reload is under way.
    Reloading,
    /// The last reload failed; the set before it keeps serving.
    Failed,
}

/// An API that the last reload loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loaded {
    /// The API's id.
    pub api_id: String,
    /// Its name.
    pub name: String,
    /// Its listen path.
    pub listen_path: String,
    /// Its domain, empty if it has none.
    pub domain: String,
    /// The loaded revision; 0 for a file that was put into KV by hand.
    pub revision: u64,
    /// Members that this runtime stores but does not act on.
    #[serde(default)]
    pub warnings: Vec<Issue>,
    /// How many there are, where these are only the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings_total: Option<u32>,
}

/// A document that the last reload could not load.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// The API's id, empty where the document has none.
    pub api_id: String,
    /// Its name, empty where the document has none.
    pub name: String,
    /// Its key in KV.
    pub file: String,
    /// The skipped revision; 0 for a file that was put into KV by hand.
    #[serde(default)]
    pub revision: u64,
    /// Why, in a sentence.
    pub reason: String,
    /// The positions in the document, if the reason lies in it.
    #[serde(default)]
    pub issues: Vec<Issue>,
    /// How many there are, where these are only the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issues_total: Option<u32>,
}

/// What an API whose change is pending will be after the next reload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outlook {
    /// Served to everybody who may.
    #[default]
    Served,
    /// Loaded, but without a public route.
    Internal,
    /// Not loaded, because it is switched off.
    Inactive,
    /// Not loaded, because it can't be served as it says.
    Skipped,
    /// Gone.
    Deleted,
}

/// A change that a reload would bring.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    /// The API's id.
    pub api_id: String,
    /// Its name.
    pub name: String,
    /// Its listen path.
    pub listen_path: String,
    /// What has happened since the last reload.
    pub change: Change,
    /// The stored revision.
    pub revision: u64,
    /// The loaded revision, if one is.
    pub loaded_revision: Option<u64>,
    /// What the API will be after the reload, by the checks that the reload does.
    pub outlook: Outlook,
    /// Why it will be skipped, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether the gateway serves an earlier revision of it now.
    pub served_now: bool,
    /// The listen path under which it is served now, where that is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served_path: Option<String>,
    /// The id of the other API that is served under its listen path now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub takes_over: Option<String>,
}

/// A change of a policy that a reload would bring.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingPolicy {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What has happened since the last reload.
    pub change: Change,
    /// The stored revision.
    pub revision: u64,
    /// The loaded revision, if one is.
    pub loaded_revision: Option<u64>,
}

/// The most entries that a list of [`ReloadStatus`] holds; the totals count all.
pub const STATUS_LIST_MAX: usize = 1000;

/// The answer of `GET /gateway/reload/status`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReloadStatus {
    /// Counts the reloads; 0 before the first one.
    pub generation: u64,
    /// When the last successful reload was done, RFC 3339.
    pub reloaded_at: Option<String>,
    /// What is going on now.
    pub state: ReloadState,
    /// Why the last reload failed, if it did.
    pub error: Option<String>,
    /// Why the last reload of everything failed, if it did: a part or an earlier generation that was published after it
    /// does not mend that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_error: Option<String>,
    /// How many APIs are loaded.
    pub loaded_total: u32,
    /// The loaded APIs.
    pub loaded: Vec<Loaded>,
    /// How many could not be loaded.
    #[serde(default)]
    pub skipped_total: u32,
    /// What could not be loaded, and why.
    pub skipped: Vec<Skipped>,
    /// How many changes wait, of APIs and of policies.
    pub pending_total: u32,
    /// The changes of APIs that wait for a reload.
    pub pending: Vec<Pending>,
    /// Those of policies.
    #[serde(default)]
    pub pending_policies: Vec<PendingPolicy>,
}

/// The answer of `GET /gateway/reload`: the specified message, and where `?block=true` has waited what came of it;
/// `GET /gateway/reload/status` says what each of them is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReloadMessage {
    /// `ok`.
    pub status: String,
    /// Empty.
    pub message: String,
    /// How many APIs are served now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loaded: Option<u32>,
    /// How many could not be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<u32>,
    /// How many changes, of APIs and of policies, wait again: writes that came meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<u32>,
}

/// What stands in the way of a reload with `?strict=true`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReloadCheck {
    /// How many APIs would be skipped.
    pub skipped: u32,
    /// How many APIs and policies have members that would have no effect.
    pub without_effect: u32,
    /// The first of both, a sentence each.
    pub reasons: Vec<String>,
}

/// A set that was served and can be published again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastGeneration {
    /// Its number.
    pub generation: u64,
    /// When it was published, RFC 3339.
    pub reloaded_at: Option<String>,
    /// Who published it; empty where that was not noted yet.
    #[serde(default)]
    pub by: String,
    /// How many APIs it served.
    pub loaded: u32,
    /// How many it could not.
    pub skipped: u32,
    /// How many policies it had.
    pub policies: u32,
    /// How many APIs and policies were not as in the set before.
    pub changes: u32,
    /// True if only some of what was stored was published.
    #[serde(default)]
    pub selected: bool,
    /// The generation that was published again by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<u64>,
    /// True for the set that is served.
    #[serde(default)]
    pub served: bool,
}

/// The answer of `GET /gateway/reload/generations`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastGenerations {
    /// The newest first.
    pub generations: Vec<PastGeneration>,
}

/// The answer of `GET /gateway/reload/generations/{generation}`: what publishing it again would change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GenerationPlan {
    /// Its number.
    pub generation: u64,
    /// How many changes there are, of APIs and of policies.
    pub pending_total: u32,
    /// Those of APIs.
    pub pending: Vec<Pending>,
    /// Those of policies.
    pub pending_policies: Vec<PendingPolicy>,
}

/// The answer of `/hello` and `/ready` (reference 1.1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Health {
    /// `pass`, `warn` or `fail`.
    pub status: String,
    /// The version of the specification, with a `v` in front.
    pub version: String,
    /// This software's version, with a `v` in front; beyond the specification.
    pub gatewright_version: String,
    /// What answers.
    pub description: String,
    /// The state of each component.
    pub details: BTreeMap<String, ComponentHealth>,
}

/// The state of one component (reference 1.1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComponentHealth {
    /// `pass` or `fail`.
    pub status: String,
    /// Always `datastore`.
    #[serde(rename = "componentType")]
    pub component_type: String,
    /// When it was looked at, RFC 3339.
    pub time: String,
}

/// A document from another server: the answer of `POST /gateway/openapi/fetch`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FetchedDocument {
    /// Always `success`.
    pub status: String,
    /// The address it came from.
    pub url: String,
    /// Its `Content-Type`, empty if the server named none.
    pub content_type: String,
    /// The document itself.
    pub text: String,
}
