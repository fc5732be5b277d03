//! A published set of APIs: how it is written by a reload, and in which form an isolate reads it.

pub mod brief;

use crate::error::StoreError;
use crate::target::Target;
use gatewright_api::shape::{Loaded, STATUS_LIST_MAX, Skipped};
use gatewright_model::definition::{self, Allowed, ApiDefinition, route};
use gatewright_model::issue::{Issue, Severity};
use gatewright_model::json;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// The key that says which set is served.
pub const GENERATION_KEY: &str = "generation";

/// The key that names the organisations with a session ([`Orgs`]). Only the Registry writes it: soon after
/// one has got its first session or lost it, and after a reload.
pub const ORGS_KEY: &str = "orgs";

/// The value of [`ORGS_KEY`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Orgs {
    /// The organisations.
    pub keys: Vec<String>,
    /// Counts the lists: a higher one is newer. Those of earlier versions have none.
    #[serde(default)]
    pub version: u64,
}

impl Orgs {
    /// Reads a list.
    ///
    /// # Errors
    /// If the text is none.
    pub fn read(text: &str) -> Result<Self, StoreError> {
        serde_json::from_str(text)
            .map_err(|error| StoreError::new("read organisations", error.to_string()))
    }
}

/// What a finished reload means for the isolate that waits for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Published {
    /// The generation that KV names now.
    pub generation: u64,
    /// How many chunks it has.
    pub chunks: usize,
    /// True if files still have to be written, behind the answer.
    pub files_left: bool,
}

/// The value of [`GENERATION_KEY`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Generation {
    /// Its number.
    pub generation: u64,
    /// How many chunks it has.
    pub chunks: usize,
    /// The set that was served before: its number, 0 for none, and how many chunks it has. Earlier versions
    /// don't name it.
    #[serde(default)]
    pub before: (u64, usize),
}

impl Generation {
    /// Reads the value of [`GENERATION_KEY`].
    ///
    /// # Errors
    /// If the text is none.
    pub fn read(text: &str) -> Result<Self, StoreError> {
        serde_json::from_str(text)
            .map_err(|error| StoreError::new("read generation", error.to_string()))
    }

    /// The set before.
    #[must_use]
    pub const fn set_before(self) -> Self {
        let (generation, chunks) = self.before;
        Self {
            generation,
            chunks,
            before: (0, 0),
        }
    }
}

/// Size at which a chunk is closed. A value in KV may have 25 MiB, but each chunk is held in
/// memory as text while it is written or read, and an isolate has 128 MB for everything.
const CHUNK_BYTES: usize = 4 * 1024 * 1024;

/// The key of a chunk. It is written once and never changed.
#[must_use]
pub fn key(generation: u64, chunk: usize) -> String {
    format!("snapshot/{generation}/{chunk}")
}

/// The generation and the number of the chunk that has this key; `None` for the key of anything else.
#[must_use]
pub fn read_key(key: &str) -> Option<(u64, usize)> {
    let (generation, chunk) = key.strip_prefix("snapshot/")?.split_once('/')?;
    Some((generation.parse().ok()?, chunk.parse().ok()?))
}

/// A document that a reload wants to load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its key in KV.
    pub file: String,
    /// Its revision, 0 for a file that somebody put into KV.
    pub revision: u64,
    /// Its text.
    pub text: String,
}

/// Why a document can't be served.
type Fault = (String, Vec<Issue>);

/// Checks whether a definition can be served as it says. What protects an API or changes its requests
/// and has no effect here makes it unservable, unless the operator allows it.
///
/// # Errors
/// The reason in a sentence, and the pointers in the document.
pub fn check(text: &str, allowed: &Allowed) -> Result<(ApiDefinition, Vec<Issue>), Fault> {
    let value = json::parse(text).map_err(|issues| (first(&issues), issues))?;
    let issues = definition::validate_value(text, &value);
    if issues.iter().any(|issue| issue.severity == Severity::Error) {
        return Err((first(&issues), issues));
    }
    let open = definition::unservable(text, &value, allowed);
    if let Some(issue) = open.first() {
        let reason = format!("Not served: {} ({})", issue.message, issue.pointer);
        return Err((reason, open));
    }
    let read = ApiDefinition::read(&value);
    let target = definition::target::check(&read.proxy.target_url);
    let is_loop = matches!(target, Ok(definition::target::Target::Loop(_)));
    if !is_loop && Target::parse(&read.proxy.target_url).is_none() {
        let reason = match read.proxy.target_url.as_str() {
            "" => "It has no target_url, and this runtime does not take targets from elsewhere yet"
                .to_owned(),
            url => format!("The target {url} can't be reached by this runtime"),
        };
        return Err((reason, issues));
    }
    Ok((read, issues))
}

fn first(issues: &[Issue]) -> String {
    definition::first_reason(issues).map_or_else(
        || "The document is broken".to_owned(),
        |issue| issue.message.clone(),
    )
}

/// What has become of the documents of a set: the first of them, and how many there are.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Those that the set holds.
    pub loaded: Vec<Loaded>,
    /// How many it holds.
    pub loaded_total: u32,
    /// Those that it can't hold.
    pub skipped: Vec<Skipped>,
    /// How many it can't hold.
    pub skipped_total: u32,
}

/// Collects the documents of a set into chunks.
#[derive(Debug, Default)]
pub struct Chunks {
    /// What APIs are served with although it has no effect.
    allowed: Allowed,
    open: String,
    outcome: Outcome,
    /// The file that serves a route, and the one that has an id.
    routes: BTreeMap<String, String>,
    ids: BTreeMap<String, String>,
}

impl Chunks {
    /// An empty set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty set whose APIs may ask for that without effect.
    #[must_use]
    pub fn allowing(allowed: Allowed) -> Self {
        Self {
            allowed,
            ..Self::default()
        }
    }

    /// Adds a document, or notes why it can't be served. Answers a chunk when one is full.
    pub fn add(&mut self, candidate: &Candidate) -> Option<String> {
        let (read, warnings) = match check(&candidate.text, &self.allowed) {
            Ok(checked) => checked,
            Err((reason, issues)) => {
                let read = json::parse(&candidate.text).map(|value| ApiDefinition::read(&value));
                self.skip(candidate, read.unwrap_or_default(), reason, issues);
                return None;
            }
        };
        if let Some(reason) = self.collision(&read) {
            self.skip(candidate, read, reason, Vec::new());
            return None;
        }
        self.ids.insert(read.api_id.clone(), candidate.file.clone());
        if !read.internal {
            let route = route::route_key(&read.domain, &read.proxy.listen_path);
            self.routes.insert(route, candidate.file.clone());
        }
        let full = if self.open.len().saturating_add(candidate.text.len()) > CHUNK_BYTES {
            self.close()
        } else {
            None
        };
        self.open.push_str(if self.open.is_empty() {
            "{\"apis\":["
        } else {
            ","
        });
        self.open.push_str(&format!(
            "{{\"revision\":{},\"definition\":",
            candidate.revision
        ));
        self.open.push_str(&candidate.text);
        self.open.push('}');
        self.load(Loaded {
            api_id: read.api_id,
            name: read.name,
            listen_path: read.proxy.listen_path,
            domain: read.domain,
            revision: candidate.revision,
            warnings,
            warnings_total: None,
        });
        full
    }

    /// A chunk of policies; none if there are none. Sets of before have no such chunk.
    #[must_use]
    pub fn policies(texts: &[String]) -> Option<String> {
        (!texts.is_empty()).then(|| format!("{{\"apis\":[],\"policies\":[{}]}}", texts.join(",")))
    }

    /// The last chunk, which may be an empty one, and what became of each document.
    #[must_use]
    pub fn finish(mut self) -> (String, Outcome) {
        let last = self.close().unwrap_or_else(|| "{\"apis\":[]}".to_owned());
        (last, self.outcome)
    }

    fn close(&mut self) -> Option<String> {
        if self.open.is_empty() {
            return None;
        }
        let mut chunk = std::mem::take(&mut self.open);
        chunk.push_str("]}");
        Some(chunk)
    }

    /// The Registry lets no collision in; a file that was put into KV by hand can bring one.
    fn collision(&self, read: &ApiDefinition) -> Option<String> {
        if let Some(file) = self.ids.get(&read.api_id) {
            return Some(format!("The id {} belongs to {file}", read.api_id));
        }
        if read.internal {
            return None;
        }
        let path = &read.proxy.listen_path;
        if let Some(reserved) = route::reserved(path) {
            return Some(format!(
                "The listen path {path} would hide the gateway's own {reserved}"
            ));
        }
        let file = self.routes.get(&route::route_key(&read.domain, path))?;
        Some(format!(
            "The listen path {path} on the same domain is served by {file} already"
        ))
    }

    fn load(&mut self, mut api: Loaded) {
        let outcome = &mut self.outcome;
        outcome.loaded_total = outcome.loaded_total.saturating_add(1);
        if outcome.loaded.len() < STATUS_LIST_MAX {
            brief::loaded(&mut api);
            outcome.loaded.push(api);
        }
    }

    fn skip(
        &mut self,
        candidate: &Candidate,
        read: ApiDefinition,
        reason: String,
        issues: Vec<Issue>,
    ) {
        let outcome = &mut self.outcome;
        outcome.skipped_total = outcome.skipped_total.saturating_add(1);
        if outcome.skipped.len() < STATUS_LIST_MAX {
            let mut api = Skipped {
                api_id: read.api_id,
                name: read.name,
                file: candidate.file.clone(),
                revision: candidate.revision,
                reason,
                issues,
                issues_total: None,
            };
            brief::skipped(&mut api);
            outcome.skipped.push(api);
        }
    }
}

/// A chunk as an isolate reads it.
#[derive(Debug, Deserialize)]
pub struct Chunk<'a> {
    /// The APIs.
    #[serde(borrow)]
    pub apis: Vec<ChunkApi<'a>>,
    /// The texts of policies.
    #[serde(borrow, default)]
    pub policies: Vec<&'a RawValue>,
}

/// An API of a chunk.
#[derive(Debug, Deserialize)]
pub struct ChunkApi<'a> {
    /// The revision it was stored under, 0 for a file that somebody put into KV.
    pub revision: u64,
    /// Its definition.
    #[serde(borrow)]
    pub definition: &'a RawValue,
}

impl<'a> Chunk<'a> {
    /// Reads a chunk.
    ///
    /// # Errors
    /// If the text is not one that a reload has written.
    pub fn read(text: &'a str) -> Result<Self, StoreError> {
        serde_json::from_str(text)
            .map_err(|error| StoreError::new("read snapshot", error.to_string()))
    }
}
