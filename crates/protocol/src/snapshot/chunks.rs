//! Divides the documents of a set into chunks.

use super::brief;
use crate::discovery::Discovery;
use crate::target::Target;
use gatewright_api::shape::{Loaded, STATUS_LIST_MAX, Skipped};
use gatewright_model::definition::{self, Allowed, ApiDefinition, route};
use gatewright_model::issue::{Issue, Severity};
use gatewright_model::json;
use std::collections::BTreeMap;

/// The size at which a chunk is closed. A value in KV may have 25 MiB, but each chunk is held in memory as text while
/// it is written or read, and an isolate has 128 MB for everything.
const CHUNK_BYTES: usize = 4 * 1024 * 1024;

/// The size from which a chunk ends before the next API that [`begins`] one. Chunks are named by their content: where
/// one ends must not depend on how many APIs precede it, or every API added or removed would change all later chunks.
/// Smaller chunks would make a reload write less, and every isolate read more often.
const CHUNK_LEAST_BYTES: usize = 256 * 1024;
/// One in this many APIs begins a chunk.
const BEGINS: u32 = 32;

/// Whether a chunk may end before this API: determined by its file's name alone (FNV-1a,
/// <https://www.rfc-editor.org/rfc/rfc9923>).
fn begins(file: &str) -> bool {
    let hash = file.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    // The lowest bits are the least random.
    (hash >> 16).is_multiple_of(BEGINS)
}

/// Appends a JSON text without the whitespace between its tokens (RFC 8259 section 2).
fn push_compact(to: &mut String, text: &str) {
    let (mut is_text, mut is_escaped, mut from) = (false, false, 0);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b' ' | b'\t' | b'\n' | b'\r' if !is_text => {
                to.push_str(text.get(from..at).unwrap_or_default());
                from = at.saturating_add(1);
            }
            _ => {}
        }
    }
    to.push_str(text.get(from..).unwrap_or_default());
}

/// A document that a reload is to load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its key in KV.
    pub file: String,
    /// Its revision; 0 for a file that somebody put into KV.
    pub revision: u64,
    /// Its text.
    pub text: String,
}

/// Why a document can't be served.
type Fault = (String, Vec<Issue>);

/// Checks whether a definition can be served as written. A member that protects an API or changes its requests and has
/// no effect here makes it unservable, unless the operator allows it.
///
/// # Errors
/// The reason in a sentence, and the pointers in the document.
pub fn check(text: &str, allowed: &Allowed) -> Result<(ApiDefinition, Vec<Issue>), Fault> {
    check_value(text, &parse(text)?, allowed)
}

fn parse(text: &str) -> Result<json::Value<'_>, Fault> {
    json::parse(text).map_err(|issues| (first(&issues), issues))
}

fn check_value(
    text: &str,
    value: &json::Value<'_>,
    allowed: &Allowed,
) -> Result<(ApiDefinition, Vec<Issue>), Fault> {
    let issues = definition::validate_value(text, value);
    if issues.iter().any(|issue| issue.severity == Severity::Error) {
        return Err((first(&issues), issues));
    }
    let open = definition::unservable(text, value, allowed);
    if let Some(issue) = open.first() {
        let reason = format!("Not served: {} ({})", issue.message, issue.pointer);
        return Err((reason, open));
    }
    let read = ApiDefinition::read(value);
    let target = definition::target::check(&read.proxy.target_url);
    let is_loop = matches!(target, Ok(definition::target::Target::Loop(_)));
    if !is_loop && !has_targets(value) && Target::parse(&read.proxy.target_url).is_none() {
        let reason = match read.proxy.target_url.as_str() {
            "" => "It has no target_url, no target_list that is balanced, and no service registry"
                .to_owned(),
            url => format!("The target {url} can't be reached by this runtime"),
        };
        return Err((reason, issues));
    }
    Ok((read, issues))
}

/// Whether there is no `target_url`, and requests go to the members of a list or to upstreams from a service registry.
fn has_targets(definition: &json::Value<'_>) -> bool {
    let Some(proxy) = definition.get("proxy") else {
        return false;
    };
    let is_balanced = proxy.bool("enable_load_balancing") == Some(true);
    let listed = proxy.get("target_list").map(json::Value::items);
    let mut listed = listed.unwrap_or_default().iter();
    let is_listed = listed.any(|target| target.as_str().and_then(Target::parse).is_some());
    let is_discovered = Discovery::read(proxy.get("service_discovery")).is_some();
    proxy.str("target_url").unwrap_or_default().is_empty()
        && (is_discovered || is_balanced && is_listed)
}

fn first(issues: &[Issue]) -> String {
    definition::first_reason(issues).map_or_else(
        || "The document is broken".to_owned(),
        |issue| issue.message.clone(),
    )
}

/// The outcome for the documents of a set: the first of them, and their totals.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The documents that the set contains.
    pub loaded: Vec<Loaded>,
    /// How many it contains.
    pub loaded_total: u32,
    /// The documents that were skipped.
    pub skipped: Vec<Skipped>,
    /// How many were skipped.
    pub skipped_total: u32,
}

/// Collects the documents of a set into chunks.
#[derive(Debug, Default)]
pub struct Chunks {
    /// The members without effect that APIs may be served with.
    allowed: Allowed,
    open: String,
    outcome: Outcome,
    /// The file that serves a route, and the one that has an id.
    routes: BTreeMap<String, String>,
    ids: BTreeMap<String, String>,
}

impl Chunks {
    /// Creates an empty set whose APIs may have these members without effect.
    #[must_use]
    pub fn allowing(allowed: Allowed) -> Self {
        Self {
            allowed,
            ..Self::default()
        }
    }

    /// Adds a document, or records why it can't be served. Returns a chunk when one is full.
    pub fn add(&mut self, candidate: &Candidate) -> Option<String> {
        let text = &candidate.text;
        let checked = parse(text).and_then(|value| {
            let (read, warnings) = check_value(text, &value, &self.allowed)?;
            Ok((read, warnings, definition::effective(&value)))
        });
        let (read, warnings, published) = match checked {
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
        let is_full = self.open.len().saturating_add(published.len()) > CHUNK_BYTES
            || self.open.len() >= CHUNK_LEAST_BYTES && begins(&candidate.file);
        let full = if is_full { self.close() } else { None };
        self.open.push_str(if self.open.is_empty() {
            "{\"apis\":["
        } else {
            ","
        });
        self.open.push_str(&format!(
            "{{\"revision\":{},\"definition\":",
            candidate.revision
        ));
        self.open.push_str(&published);
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

    /// Returns the chunks of policies; empty if there are none. Sets of earlier releases have no such chunks.
    #[must_use]
    pub fn policies(texts: &[String]) -> Vec<String> {
        let mut chunks: Vec<String> = Vec::new();
        for text in texts {
            match chunks.last_mut() {
                Some(open) if open.len().saturating_add(text.len()) <= CHUNK_BYTES => {
                    open.push(',')
                }
                _ => chunks.push("{\"apis\":[],\"policies\":[".to_owned()),
            }
            if let Some(open) = chunks.last_mut() {
                push_compact(open, text);
            }
        }
        chunks.iter_mut().for_each(|chunk| chunk.push_str("]}"));
        chunks
    }

    /// Returns how many APIs the set has so far.
    #[must_use]
    pub fn count(&self) -> usize {
        usize::try_from(self.outcome.loaded_total).unwrap_or(usize::MAX)
    }

    /// Returns the last chunk, which may be empty, and the outcome for each document.
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

    /// The Registry prevents collisions; only a file that was put into KV by hand can cause one.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::Chunk;

    #[test]
    fn compact_is_the_same_without_the_space_between_tokens() {
        let text =
            "\u{20}{ \"a b\" : [ 1.0 ,\t\"\\\\\" , \"\\\" \u{20ac} \"\r\n] ,\n \"c\\n\" : true }\n";
        let mut compact = "x".to_owned();
        push_compact(&mut compact, text);
        assert_eq!(
            compact,
            "x{\"a b\":[1.0,\"\\\\\",\"\\\" \u{20ac} \"],\"c\\n\":true}"
        );
    }

    /// Returns the chunks of a set of these APIs, about a kilobyte each.
    fn chunks(ids: impl Iterator<Item = u32>, changed: u32) -> Vec<String> {
        let mut chunks = Chunks::default();
        let mut full = Vec::new();
        for id in ids {
            let name = if id == changed { "changed" } else { "a" };
            let filler = "f".repeat(900);
            let text = format!(
                r#"{{"api_id": "{id}", "name": "{name}", "use_keyless": true, "tags": ["{filler}"],
                "proxy": {{"listen_path": "/{id}/", "target_url": "http://up/"}}}}"#
            );
            full.extend(chunks.add(&Candidate {
                file: format!("apis/{id}.json"),
                revision: 1,
                text,
            }));
        }
        let (last, outcome) = chunks.finish();
        assert_eq!(outcome.skipped_total, 0);
        full.push(last);
        full
    }

    #[test]
    fn what_changes_in_a_set_changes_the_chunks_around_it_and_no_others() {
        let before = chunks(0..1000, u32::MAX);
        assert!((3..=5).contains(&before.len()), "{}", before.len());
        let news = |after: &[String]| after.iter().filter(|chunk| !before.contains(chunk)).count();
        for id in [0, 17, 500, 999] {
            assert_eq!(news(&chunks(0..1000, id)), 1, "{id} is changed");
            let without = (0..1000).filter(|known| *known != id);
            assert!(news(&chunks(without, u32::MAX)) <= 2, "{id} is gone");
        }
        assert!(news(&chunks(0..1001, u32::MAX)) <= 1, "one more");
        let all: usize = before
            .iter()
            .map(|chunk| Chunk::read(chunk).unwrap().apis.len())
            .sum();
        assert_eq!(all, 1000);
    }

    #[test]
    fn no_policy_is_split_between_chunks() {
        assert_eq!(Chunks::policies(&[]), Vec::<String>::new());
        let text = format!("{{\"id\":\"{}\"}}", "p".repeat(CHUNK_BYTES / 3));
        let chunks = Chunks::policies(&vec![text; 5]);
        let counts = chunks
            .iter()
            .map(|chunk| Chunk::read(chunk).unwrap().policies.len());
        assert_eq!(counts.collect::<Vec<_>>(), [2, 2, 1]);
    }
}
