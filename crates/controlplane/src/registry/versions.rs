//! A base API and its versions: creating or deleting a version rewrites the base's `definition` in the same transaction
//! (reference 1.3). The base's text changes only where it has to.

use crate::registry::index::{Facts, Index, WasVersion};
use crate::registry::rows::{Entry, Rows};
use crate::registry::write::next;
use gatewright_model::document;
use gatewright_model::issue::{Issue, IssueCode, Severity};
use gatewright_model::json::pointer::push_token;
use gatewright_model::json::{self, edit, quote};
use gatewright_model::openapi::stored;
use gatewright_model::{merge, order};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::registry::{Refusal, VersionOf};
use serde_json::{Map, Value, json};

/// The next entry of a base, and its text.
pub(super) type Base = (Entry, String);

/// Makes `id` a version of its base.
pub(super) fn add(
    rows: &Rows,
    index: &Index,
    wanted: &VersionOf,
    id: &str,
    now: &str,
) -> Result<Result<Base, Refusal>, StoreError> {
    let base = wanted.base.clone();
    let Some(entry) = index.live(&base).filter(|entry| entry.id != id) else {
        return Ok(Err(Refusal::NoBase { base }));
    };
    if entry.facts.version_name.is_empty() && wanted.base_name.is_empty() {
        return Ok(Err(Refusal::BaseNameNeeded { base }));
    }
    let facts = &entry.facts;
    let text = text_of(rows, entry)?;
    let has = |pointer: &str| {
        json::parse(&text).is_ok_and(|value| {
            value
                .pointer(pointer)
                .and_then(json::Value::as_str)
                .is_some_and(|text| !text.is_empty())
        })
    };
    let mut edits = containers(&text);
    edits.push(("/definition/enabled".to_owned(), "true".to_owned()));
    let renamed = !wanted.base_name.is_empty() && wanted.base_name != facts.version_name;
    if renamed {
        edits.push(("/definition/name".to_owned(), quote(&wanted.base_name)));
    }
    if !has("/definition/key") {
        edits.push(("/definition/key".to_owned(), quote("x-api-version")));
    }
    if !has("/definition/location") {
        edits.push(("/definition/location".to_owned(), quote("header")));
    }
    if wanted.set_default {
        edits.push(("/definition/default".to_owned(), quote(&wanted.name)));
    } else if facts.default_version.is_empty() {
        edits.push(("/definition/default".to_owned(), quote("self")));
    } else if renamed && facts.default_version == facts.version_name {
        // The default stays the base, which has another name now.
        edits.push(("/definition/default".to_owned(), quote(&wanted.base_name)));
    }
    edits.push((version_pointer(&wanted.name), quote(id)));
    let mut edited = text.clone();
    for (pointer, value) in edits {
        edited = edit::set(&edited, &pointer, &value).map_err(|error| broken(&error))?;
    }
    let edited = stored::with_versions(&edited);
    Ok(Ok((
        next(Some(entry), &entry.id, Facts::read(&edited), now),
        edited,
    )))
}

/// Warns about versions of a base whose APIs are not stored.
pub(super) fn unknown(index: &Index, entry: &Entry, text: &str) -> Vec<Issue> {
    let versions = entry.facts.versions.iter();
    let lost = versions.filter(|(_, id)| *id != entry.id && index.misses(id));
    lost.take(document::NEAR_MAX)
        .flat_map(|(name, id)| {
            let means = "requests for this version are refused";
            let message = document::unknown_id("stored API", id, Some(index.ids()), means);
            let kind = (Severity::Warning, IssueCode::Conflict);
            document::issue_at(text, &version_pointer(name), kind, message)
        })
        .collect()
}

/// Removes a deleted version from its bases.
pub(super) fn remove(
    rows: &Rows,
    index: &Index,
    id: &str,
    now: &str,
) -> Result<Vec<Base>, StoreError> {
    // An API that is a version of itself is deleted along with itself.
    let bases = index.bases_of(id).filter(|entry| entry.id != id);
    bases.map(|entry| without(rows, entry, id, now)).collect()
}

/// Returns a base without one of its versions.
fn without(rows: &Rows, entry: &Entry, id: &str, now: &str) -> Result<Base, StoreError> {
    let mut names = Map::new();
    let mut default = None;
    for (name, version) in &entry.facts.versions {
        if version != id {
            continue;
        }
        names.insert(name.clone(), Value::Null);
        if entry.facts.default_version == *name {
            default = Some(own_name(entry));
        }
    }
    changed(rows, entry, (names, default), now)
}

/// Returns a base with these versions changed, null for one that is removed, and with this default if there is one: in
/// one edit, because thousands of names may lead to one version.
fn changed(
    rows: &Rows,
    entry: &Entry,
    (names, default): (Map<String, Value>, Option<&str>),
    now: &str,
) -> Result<Base, StoreError> {
    let mut definition = Map::new();
    definition.insert("versions".to_owned(), names.into());
    definition.extend(default.map(|name| ("default".to_owned(), name.into())));
    let patch = json!({ "definition": definition }).to_string();
    let text = merge::merge(&text_of(rows, entry)?, &patch)
        .map_err(|error| StoreError::new("edit base API", format!("{error:?}")))?;
    let text = stored::with_versions(&text);
    Ok((next(Some(entry), &entry.id, Facts::read(&text), now), text))
}

/// Returns the role of an API in its bases.
pub(super) fn of(index: &Index, id: &str) -> Vec<WasVersion> {
    let mut found = Vec::new();
    for base in index.bases_of(id).filter(|base| base.id != id) {
        let names = base.facts.versions.iter();
        for (name, _) in names.filter(|(_, version)| version == id) {
            found.push(WasVersion {
                base: base.id.clone(),
                name: name.clone(),
                is_default: base.facts.default_version == *name,
            });
        }
    }
    found
}

/// Restores a version to the bases it was removed from, unless its name has been reused since.
pub(super) fn bring_back(
    rows: &Rows,
    index: &Index,
    (id, was): (&str, &[WasVersion]),
    now: &str,
) -> Result<Vec<Base>, StoreError> {
    let mut bases: Vec<Base> = Vec::new();
    // The roles in one base follow each other.
    for was in was.chunk_by(|one, next| one.base == next.base) {
        let base = was.first().and_then(|was| index.live(&was.base));
        let Some(entry) = base else {
            continue;
        };
        let taken = order::set(entry.facts.versions.iter().map(|(name, _)| name));
        let mut names = Map::new();
        let mut default = None;
        for was in was.iter().filter(|was| !taken.contains(&was.name)) {
            names.insert(was.name.clone(), id.into());
            if was.is_default && entry.facts.default_version == own_name(entry) {
                default = Some(was.name.as_str());
            }
        }
        if !names.is_empty() {
            bases.push(changed(rows, entry, (names, default), now)?);
        }
    }
    Ok(bases)
}

/// Returns the name of a base's own version.
fn own_name(base: &Entry) -> &str {
    match base.facts.version_name.as_str() {
        "" => "self",
        name => name,
    }
}

fn text_of(rows: &Rows, entry: &Entry) -> Result<String, StoreError> {
    rows.text(&entry.id, entry.revision)?
        .ok_or_else(|| StoreError::new("read base API", format!("{} has no text", entry.id)))
}

/// Returns the edits that make objects of those that are null: documents of this family have null where nothing was
/// sent.
fn containers(text: &str) -> Vec<(String, String)> {
    let Ok(base) = json::parse(text) else {
        return Vec::new();
    };
    let is_null = |pointer: &&str| base.pointer(pointer).is_some_and(json::Value::is_null);
    let null = ["/definition", "/definition/versions"]
        .into_iter()
        .filter(is_null);
    null.map(|pointer| (pointer.to_owned(), "{}".to_owned()))
        .collect()
}

fn version_pointer(name: &str) -> String {
    let mut pointer = "/definition/versions".to_owned();
    push_token(&mut pointer, name);
    pointer
}

fn broken(error: &edit::EditError) -> StoreError {
    StoreError::new("edit base API", error.to_string())
}
