//! The responses of the administration API, as far as the console reads them.
//!
//! They are read with the model's own JSON parser: the console has it anyway, and a second one would add a tenth to its
//! first load.

use gatewright_model::Issue;
use gatewright_model::json::{Member, Value, edit, parse};
use gatewright_model::openapi::DocumentKind;

/// One page of the summary list: `GET /gateway/apis?view=summary`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SummaryPage {
    /// The APIs of this page.
    pub apis: Vec<Summary>,
    /// The number of this page, starting at 1.
    pub page: u32,
    /// How many pages there are.
    pub pages: u32,
    /// How many APIs match in total, on all pages.
    pub total: u64,
}

/// An API as the list shows it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Its id.
    pub api_id: String,
    /// Its name.
    pub name: String,
    /// The path it is served under.
    pub listen_path: String,
    /// The host name it is served on; empty for any.
    pub domain: String,
    /// The URL that requests are forwarded to.
    pub target_url: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// False only if it was deactivated.
    pub active: bool,
    /// Whether it is open to requests without a key.
    pub keyless: bool,
    /// Whether it accepts batches.
    pub batch: bool,
    /// `live`, `pending`, `inactive`, `internal`, `invalid` or `deleted`.
    pub state: String,
    /// What the next reload does to it: `added`, `modified` or `deleted`.
    pub pending: Option<String>,
    /// Why the last reload skipped it.
    pub problem: Option<String>,
    /// How many warnings its definition has.
    pub warnings: u32,
    /// The number of the stored revision.
    pub revision: u64,
    /// When that revision was stored, RFC 3339.
    pub updated_at: String,
    /// The kind of document it is administered as; `None` for a classic definition.
    pub document: Option<DocumentKind>,
}

impl Summary {
    /// Returns the name to show: the name, or else the id.
    #[must_use]
    pub fn title(&self) -> &str {
        match self.name.as_str() {
            "" => &self.api_id,
            name => name,
        }
    }
}

/// A stored document and the values of its response headers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// The text, byte for byte.
    pub text: String,
    /// Its strong entity tag, including the quotes.
    pub etag: String,
    /// Whether the gateway still serves an older revision.
    pub pending: bool,
    /// The id of the API that it is a version of.
    pub base_api: Option<String>,
}

impl Document {
    /// Returns the revision in its entity tag.
    #[must_use]
    pub fn revision(&self) -> Option<u64> {
        self.etag.trim_matches('"').parse().ok()
    }

    /// Returns the document without the members that are computed when it is read, given by their pointers without the
    /// leading slash; `*` matches every member of an object.
    #[must_use]
    pub fn without(mut self, derived: &[&str]) -> Self {
        for member in derived {
            for pointer in self.pointers(member) {
                if let Ok(text) = edit::remove(&self.text, &pointer) {
                    self.text = text;
                }
            }
        }
        self
    }

    fn pointers(&self, pattern: &str) -> Vec<String> {
        let Some((object, rest)) = pattern.split_once("/*/") else {
            return vec![format!("/{pattern}")];
        };
        let value = parse(&self.text).ok();
        let object = format!("/{object}");
        let found = value.as_ref().and_then(|value| value.pointer(&object));
        let members = found.map(Value::members).unwrap_or_default();
        let name = |name: &str| name.replace('~', "~0").replace('/', "~1");
        let one = |member: &Member<'_>| format!("{object}/{}/{rest}", name(&member.name));
        members.iter().map(one).collect()
    }
}

/// A write that was accepted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Modified {
    /// The id of the document.
    pub key: String,
    /// `added`, `modified`, `deleted` or `restored`.
    pub action: String,
    /// Warnings about the definition.
    pub issues: Vec<Issue>,
    /// The entity tag of the stored revision (from the header).
    pub etag: String,
}

/// The revisions of an API, newest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Revisions {
    /// The revisions.
    pub revisions: Vec<Revision>,
}

/// One revision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Revision {
    /// Its number.
    pub revision: u64,
    /// When it was stored, RFC 3339.
    pub at: String,
    /// `added`, `modified`, `deleted` or `restored`.
    pub action: String,
    /// The length of its text in bytes.
    pub bytes: u64,
    /// Whether it is the one that is stored now.
    pub current: bool,
    /// Who made it; empty if that is no longer known.
    pub by: String,
}

/// What is loaded, skipped and pending: `GET /gateway/reload/status`. The lists have at most 1000 entries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReloadStatus {
    /// The number of the current generation.
    pub generation: u64,
    /// When the last reload was, RFC 3339.
    pub reloaded_at: Option<String>,
    /// `idle`, `reloading` or `failed`.
    pub state: String,
    /// Why the last reload failed.
    pub error: Option<String>,
    /// Why the last full reload failed, even if a part was published since.
    pub full_error: Option<String>,
    /// How many APIs are loaded.
    pub loaded_total: u64,
    /// The APIs that the last reload skipped.
    pub skipped: Vec<Skipped>,
    /// How many changes are stored but not loaded.
    pub pending_total: u64,
    /// Those changes: first of APIs, then of policies.
    pub pending: Vec<Pending>,
}

/// An API that couldn't be loaded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skipped {
    /// Its id; empty if the definition has none.
    pub api_id: String,
    /// Its name.
    pub name: String,
    /// The name of the file it was published as.
    pub file: String,
    /// The reason, in one sentence.
    pub reason: String,
    /// What is wrong with it.
    pub issues: Vec<Issue>,
}

/// A change that is stored but not loaded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pending {
    /// Whether it concerns a policy rather than an API.
    pub policy: bool,
    /// Its id.
    pub api_id: String,
    /// Its name.
    pub name: String,
    /// The path it will be served under.
    pub listen_path: String,
    /// `added`, `modified` or `deleted`.
    pub change: String,
    /// The revision that will be loaded.
    pub revision: u64,
    /// The revision that is loaded.
    pub loaded_revision: Option<u64>,
    /// The state of the API after the reload: `served`, `internal`, `inactive`, `skipped` or `deleted`; empty for a
    /// policy.
    pub outlook: String,
    /// Why it will be skipped.
    pub reason: Option<String>,
    /// Whether the gateway serves an earlier revision of it now.
    pub served_now: bool,
    /// The listen path it is served under now, if that differs.
    pub served_path: Option<String>,
    /// The id of the API that is served under its listen path now.
    pub takes_over: Option<String>,
}

/// The published sets that can be published again, newest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PastGenerations(pub Vec<PastGeneration>);

/// A set that was published.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PastGeneration {
    /// Its number.
    pub generation: u64,
    /// When it was published.
    pub reloaded_at: Option<String>,
    /// Who published it; empty if that is not known.
    pub by: String,
    /// How many APIs were served.
    pub loaded: usize,
    /// How many APIs were skipped.
    pub skipped: usize,
    /// How many policies it had.
    pub policies: usize,
    /// How many changes it made to the set before.
    pub changes: usize,
    /// Whether only a selection of what was stored was published.
    pub selected: bool,
    /// The earlier generation that it published again, if it did.
    pub again: Option<u64>,
    /// Whether it is the one that is served now.
    pub served: bool,
}

/// The response to one request of a batch.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BatchAnswer {
    /// The URL as it was requested.
    pub relative_url: String,
    /// The status; 0 if the request could not be sent.
    pub code: u16,
    /// The headers; a repeated one has several values.
    pub headers: Vec<(String, Vec<String>)>,
    /// The body.
    pub body: String,
    /// `base64` if the body is not UTF-8.
    pub body_encoding: Option<String>,
    /// Why the request could not be sent.
    pub error: Option<String>,
}

/// A document that the gateway fetched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fetched {
    /// The address it was fetched from.
    pub url: String,
    /// The document.
    pub text: String,
}

/// An error of either API; their envelopes differ.
#[derive(Clone, Debug, Default)]
pub(in crate::api) struct Refusal {
    pub(in crate::api) message: String,
    pub(in crate::api) issues: Vec<Issue>,
    pub(in crate::api) request_id: Option<String>,
}
