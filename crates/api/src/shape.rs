//! Response bodies that this project adds to the specification: the summary list, the revisions and the reload report.
//! The console's tests read what is serialized here.

use crate::message::Action;
use gatewright_model::issue::Issue;
use gatewright_model::openapi::DocumentKind;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What has happened to a document since the data plane loaded it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// Stored, but never loaded.
    Added,
    /// Loaded at another revision.
    Modified,
    /// Deleted, but still loaded.
    Deleted,
}

/// The state of an API, in order of precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Deleted; can be restored.
    Deleted,
    /// Disabled by `"active": false`.
    Inactive,
    /// Not served publicly.
    Internal,
    /// Skipped by the last reload, at this very revision.
    Invalid,
    /// Stored, but not loaded yet.
    Pending,
    /// Loaded as stored.
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
    /// Its listen path as in the definition.
    pub listen_path: String,
    /// Its domain, empty for none.
    pub domain: String,
    /// Its target URL.
    pub target_url: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// False if the definition disables it.
    pub active: bool,
    /// Whether it has no public route.
    pub internal: bool,
    /// Whether no credential is needed.
    pub keyless: bool,
    /// Whether the batch endpoint is enabled.
    pub batch: bool,
    /// Its state.
    pub state: State,
    /// What a reload would change, if anything.
    pub pending: Option<Change>,
    /// Why the last reload skipped it, if it did.
    pub problem: Option<String>,
    /// The number of warnings of the validator.
    pub warnings: u32,
    /// Its current revision.
    pub revision: u64,
    /// When that revision was stored, RFC 3339.
    pub updated_at: String,
    /// The kind of OpenAPI document that it is administered as; null for a classic definition.
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
    /// The number of pages, at least 1.
    pub pages: u32,
    /// The number of rows on all pages.
    pub total: u32,
}

/// One stored revision of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    /// Its number, from 1, never used twice for an id.
    pub revision: u64,
    /// When it was stored, RFC 3339.
    pub at: String,
    /// The action that created it.
    pub action: Action,
    /// The size of the document in bytes.
    pub bytes: u64,
    /// Whether it is the stored one.
    pub current: bool,
    /// The actor in the audit trail; empty if the trail no longer has the entry.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub by: String,
}

/// The revisions of one API, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revisions {
    /// The API's id.
    pub api_id: String,
    /// At most as many as requested.
    pub revisions: Vec<Revision>,
}

/// One version of a base API (reference 1.3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// The API's id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its version name at the base API.
    #[serde(rename = "versionName")]
    pub version_name: String,
    /// Whether it has no public route of its own.
    pub internal: bool,
    /// When it expires, empty for never.
    #[serde(rename = "expirationDate")]
    pub expiration_date: String,
    /// Whether it is the version for requests that don't name one.
    #[serde(rename = "isDefaultVersion")]
    pub is_default_version: bool,
}

/// The response of `GET /gateway/apis/{apiID}/versions` (reference 1.3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Versions {
    /// Always `success`.
    pub status: String,
    /// The base first, the others by version name; null if there are none.
    pub apis: Option<Vec<Version>>,
}

/// The state of the reload mechanism.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReloadState {
    /// Idle.
    #[default]
    Idle,
    /// A reload is in progress.
    Reloading,
    /// The last reload failed; the previous set is still served.
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
    /// Its domain, empty for none.
    pub domain: String,
    /// The loaded revision; 0 for a file that was put into KV by hand.
    pub revision: u64,
    /// Members that this runtime stores but does not act on.
    #[serde(default)]
    pub warnings: Vec<Issue>,
    /// The number of warnings, if only the first are listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warnings_total: Option<u32>,
}

/// A document that the last reload could not load.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    /// The API's id, empty if the document has none.
    pub api_id: String,
    /// The API's name, empty if the document has none.
    pub name: String,
    /// Its key in KV.
    pub file: String,
    /// The skipped revision; 0 for a file that was put into KV by hand.
    #[serde(default)]
    pub revision: u64,
    /// The reason, in a sentence.
    pub reason: String,
    /// The issues in the document, if the reason lies in it.
    #[serde(default)]
    pub issues: Vec<Issue>,
    /// The number of issues, if only the first are listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issues_total: Option<u32>,
}

/// What an API with a pending change will be after the next reload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outlook {
    /// Served publicly.
    #[default]
    Served,
    /// Loaded, but without a public route.
    Internal,
    /// Not loaded, because it is disabled.
    Inactive,
    /// Not loaded, because it can't be served as defined.
    Skipped,
    /// Removed.
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
    /// The state of the API after the reload, by the same checks as the reload's.
    pub outlook: Outlook,
    /// Why it will be skipped, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether the gateway currently serves an earlier revision of it.
    pub served_now: bool,
    /// The listen path under which it is currently served, if it differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served_path: Option<String>,
    /// The id of another API that is currently served under its listen path.
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

/// The response of `GET /gateway/reload/status`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReloadStatus {
    /// The number of reloads; 0 before the first one.
    pub generation: u64,
    /// When the last successful reload was done, RFC 3339.
    pub reloaded_at: Option<String>,
    /// The state of the reload mechanism.
    pub state: ReloadState,
    /// Why the last reload failed, if it did.
    pub error: Option<String>,
    /// Why the last full reload failed, if it did: publishing a part or an earlier generation afterwards does not clear
    /// this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_error: Option<String>,
    /// The number of loaded APIs.
    pub loaded_total: u32,
    /// The loaded APIs.
    pub loaded: Vec<Loaded>,
    /// The number of APIs that could not be loaded.
    #[serde(default)]
    pub skipped_total: u32,
    /// The documents that could not be loaded, and why.
    pub skipped: Vec<Skipped>,
    /// The number of pending changes, of APIs and of policies.
    pub pending_total: u32,
    /// The pending changes of APIs.
    pub pending: Vec<Pending>,
    /// The pending changes of policies.
    #[serde(default)]
    pub pending_policies: Vec<PendingPolicy>,
}

/// The response of `GET /gateway/reload`: the specified message, and with `?block=true` the result. `GET
/// /gateway/reload/status` lists what is counted here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReloadMessage {
    /// `ok`.
    pub status: String,
    /// Empty.
    pub message: String,
    /// The number of APIs served now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loaded: Option<u32>,
    /// The number of APIs that could not be loaded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skipped: Option<u32>,
    /// The number of changes, of APIs and of policies, that are pending again because of writes in the meantime.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<u32>,
}

/// What prevents a reload with `?strict=true`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReloadCheck {
    /// The number of APIs that would be skipped.
    pub skipped: u32,
    /// The number of APIs and policies with members that would have no effect.
    pub without_effect: u32,
    /// The first reasons of both kinds, a sentence each.
    pub reasons: Vec<String>,
}

/// A set that was served and can be published again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastGeneration {
    /// Its number.
    pub generation: u64,
    /// When it was published, RFC 3339.
    pub reloaded_at: Option<String>,
    /// Who published it; empty for generations from before this was recorded.
    #[serde(default)]
    pub by: String,
    /// The number of APIs it served.
    pub loaded: u32,
    /// The number of APIs it could not serve.
    pub skipped: u32,
    /// The number of its policies.
    pub policies: u32,
    /// The number of APIs and policies that differ from the previous set.
    pub changes: u32,
    /// Whether only a selection of what was stored was published.
    #[serde(default)]
    pub selected: bool,
    /// The generation that it published again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<u64>,
    /// Whether it is the set being served.
    #[serde(default)]
    pub served: bool,
}

/// The response of `GET /gateway/reload/generations`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastGenerations {
    /// The newest first.
    pub generations: Vec<PastGeneration>,
}

/// The response of `GET /gateway/reload/generations/{generation}`: what publishing it again would change.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GenerationPlan {
    /// Its number.
    pub generation: u64,
    /// The number of changes, of APIs and of policies.
    pub pending_total: u32,
    /// The changes of APIs.
    pub pending: Vec<Pending>,
    /// The changes of policies.
    pub pending_policies: Vec<PendingPolicy>,
}

/// The response of `/hello` and `/ready` (reference 1.1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Health {
    /// `pass`, `warn` or `fail`.
    pub status: String,
    /// The version of the specification, with a `v` in front.
    pub version: String,
    /// This software's version, with a `v` in front; not part of the specification.
    pub gatewright_version: String,
    /// The name of the service.
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
    /// When it was checked, RFC 3339.
    pub time: String,
}

/// A document from another server: the response of `POST /gateway/openapi/fetch`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FetchedDocument {
    /// Always `success`.
    pub status: String,
    /// The address it came from.
    pub url: String,
    /// Its `Content-Type`, empty if the server named none.
    pub content_type: String,
    /// The text of the document.
    pub text: String,
}
