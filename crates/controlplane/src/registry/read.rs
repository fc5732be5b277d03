//! The Registry's replies to reading commands.

mod outlook;

use crate::registry::index::{Index, change};
use crate::registry::publish::{self, Report, Wanted};
use crate::registry::records::Records;
use crate::registry::rows::{Entry, Record, Rows};
use crate::registry::{Replied, Turn, refuse};
use gatewright_api::shape::{
    GenerationPlan, Outlook, Pending, PendingPolicy, ReloadState, STATUS_LIST_MAX, Version,
    Versions,
};
use gatewright_model::definition::Allowed;
use gatewright_model::json;
use gatewright_model::mask;
use gatewright_model::openapi::{DocumentKind, administered, stored};
use gatewright_model::order;
use gatewright_model::shape::Root;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::registry::{Listed, Refusal, Reply, body};
use outlook::Now;
use std::fmt::Display;

/// Returns the stored document with what its headers need.
pub(super) fn document(rows: &Rows, index: &Index, id: &str) -> Replied {
    let Some(entry) = index.live(id) else {
        return refuse(Refusal::NotFound);
    };
    let Some(text) = rows.text(id, entry.revision)? else {
        return Err(StoreError::new(
            "read document",
            format!("{id} has no text"),
        ));
    };
    let reply = Reply::Document {
        revision: entry.revision,
        pending: Index::pending(entry).is_some(),
        base: index.bases_of(id).next().map(|base| base.id.clone()),
    };
    Ok((reply, text))
}

/// Returns the document at a revision, also for a deleted API.
pub(super) fn revision(rows: &Rows, index: &Index, id: &str, revision: u64) -> Replied {
    if index.find(rows, id)?.is_none() {
        return refuse(Refusal::NotFound);
    }
    match rows.text(id, revision)? {
        Some(text) => Ok((
            Reply::Document {
                revision,
                pending: false,
                base: None,
            },
            text,
        )),
        None => refuse(Refusal::NoRevision),
    }
}

/// Returns the document that the last reload has published.
pub(super) fn published(rows: &Rows, index: &Index, id: &str) -> Replied {
    match index.get(id).and_then(|entry| entry.published) {
        Some(published) => revision(rows, index, id, published),
        None => refuse(Refusal::NotFound),
    }
}

/// Lists the revisions of an API, also of a deleted one.
pub(super) fn revisions(turn: &Turn<'_>, id: &str, before: Option<u64>, limit: u32) -> Replied {
    let Some(entry) = turn.index.find(turn.rows, id)? else {
        return refuse(Refusal::NotFound);
    };
    let listed = turn.revisions(entry.head(), turn.org_of(&entry), (before, limit))?;
    Ok((Reply::Json, body(&listed)?))
}

/// The approximate size of a page of the documents' list, in bytes.
const PAGE_BYTES: usize = 512 * 1024;

/// Returns what a list shows of an API, with its secrets masked if `masked`; `None` if the list does not include it.
fn shown(
    rows: &Rows,
    entry: &Entry,
    (listed, masked): (Listed, bool),
) -> Result<Option<String>, StoreError> {
    let is_listed = match (listed, entry.facts.document) {
        (Listed::Classic, kind) => kind != Some(DocumentKind::Mcp),
        (Listed::WithProxies, _) => true,
        (Listed::Oas | Listed::OasFile | Listed::OasPublic, kind) => {
            kind == Some(DocumentKind::Oas)
        }
        (Listed::Mcp, kind) => kind == Some(DocumentKind::Mcp),
    };
    if !is_listed {
        return Ok(None);
    }
    let mut text = rows.text(&entry.id, entry.revision)?.unwrap_or_default();
    if masked {
        text = mask::masked(Root::ApiDefinition, &text)
            .map_err(|_| StoreError::new("mask document", entry.id.clone()))?;
    }
    let shown = match (listed, entry.facts.document) {
        (_, None) => text,
        (Listed::Classic | Listed::WithProxies, Some(_)) => {
            stored::classic(&text).map_err(|error| broken(&entry.id, &error))?
        }
        (_, Some(_)) => {
            let (_, document) = stored::document(&text).unwrap_or((DocumentKind::Oas, "null"));
            match listed {
                Listed::OasFile => element(document),
                Listed::OasPublic => {
                    let public = administered::public(document);
                    element(&public.map_err(|error| broken(&entry.id, &error.0))?)
                }
                _ => document.to_owned(),
            }
        }
    };
    Ok(Some(shown))
}

/// Lays out a document as an element of an array.
fn element(document: &str) -> String {
    let array = json::laid_out(&format!("[{document}]")).unwrap_or_default();
    let document = array.strip_prefix("[\n  ");
    let document = document.and_then(|rest| rest.strip_suffix("\n]"));
    document.unwrap_or("null").to_owned()
}

fn broken(id: &str, error: &dyn Display) -> StoreError {
    StoreError::new("read document", format!("{id}: {error}"))
}

/// Returns a page of the array of all documents, from an id on; the first page starts at the empty id. The line before
/// the text is the id that the next page starts at, empty for none. A document written between two pages appears at its
/// position, or not yet.
pub(super) fn list_from(rows: &Rows, index: &Index, listed: (Listed, bool), from: &str) -> Replied {
    let (open, between, close) = match listed.0 {
        Listed::OasFile | Listed::OasPublic => ("[\n  ", ",\n  ", "\n]\n"),
        _ => ("[", ",", "]\n"),
    };
    let mut page = String::new();
    let mut entries = index.from(from).filter(|entry| !entry.deleted);
    let mut next = "";
    for entry in entries.by_ref() {
        if page.len() >= PAGE_BYTES {
            next = &entry.id;
            break;
        }
        let Some(text) = shown(rows, entry, listed)? else {
            continue;
        };
        let is_first = from.is_empty() && page.is_empty();
        page.push_str(if is_first { open } else { between });
        page.push_str(&text);
    }
    if from.is_empty() && page.is_empty() {
        page.push_str("[]\n");
    } else if next.is_empty() {
        page.push_str(close);
    }
    Ok((Reply::Json, format!("{next}\n{page}")))
}

/// Returns all documents as one array, each as it is stored: for isolates of the previous release.
pub(super) fn list(rows: &Rows, index: &Index) -> Replied {
    let mut array = String::from("[");
    for entry in index.all().filter(|entry| !entry.deleted) {
        let Some(text) = shown(rows, entry, (Listed::Classic, false))? else {
            continue;
        };
        if array.len() > 1 {
            array.push(',');
        }
        array.push_str(&text);
    }
    array.push_str("]\n");
    Ok((Reply::Json, array))
}

/// Lists the versions of a base: itself first, the rest by version name (reference 1.3).
pub(super) fn versions(index: &Index, id: &str, search: &str, access: Option<&str>) -> Replied {
    let Some(base) = index.live(id) else {
        return refuse(Refusal::NotFound);
    };
    let default = base.facts.default_version.as_str();
    let own = base.facts.version_name.as_str();
    let own_default = default.is_empty() || default == "self" || default == own;
    let mut apis = vec![version(base, own, own_default)];
    let named = base.facts.versions.iter().collect();
    for (name, id) in order::sorted(named, |(name, _)| name.clone()) {
        if let Some(entry) = index.live(id) {
            apis.push(version(entry, name, default == name));
        }
    }
    let needle = search.to_lowercase();
    apis.retain(|api| {
        let texts = [&api.id, &api.name, &api.version_name];
        texts
            .iter()
            .any(|text| text.to_lowercase().contains(&needle))
            && match access {
                Some("internal") => api.internal,
                Some("external") => !api.internal,
                // Other words do not filter.
                _ => true,
            }
    });
    let versions = Versions {
        status: "success".to_owned(),
        apis: Some(apis).filter(|apis| !apis.is_empty()),
    };
    Ok((Reply::Json, body(&versions)?))
}

fn version(entry: &Entry, name: &str, is_default: bool) -> Version {
    Version {
        id: entry.id.clone(),
        name: entry.facts.name.clone(),
        version_name: name.to_owned(),
        internal: entry.facts.internal,
        expiration_date: entry.facts.expiration.clone(),
        is_default_version: is_default,
    }
}

/// Returns the last reload's report, a short one without the list of what is loaded, and what the next reload would
/// change.
pub(super) fn status(
    rows: &Rows,
    (index, records): (&Index, &Records),
    allowed: &Allowed,
    (reloading, is_short): (bool, bool),
) -> Replied {
    let report = Report::read(rows)?;
    let now = Now::of(&report, allowed);
    let mut status = report.status();
    if reloading {
        status.state = ReloadState::Reloading;
    }
    if is_short {
        status.loaded.clear();
    }
    let plan = plan(rows, (index, records), &now, &Wanted::Everything)?;
    status.pending_total = plan.pending_total;
    status.pending = plan.pending;
    status.pending_policies = plan.pending_policies;
    Ok((Reply::Json, body(&status)?))
}

/// Returns what publishing a generation again would change.
pub(super) fn generation(
    rows: &Rows,
    stored: (&Index, &Records),
    allowed: &Allowed,
    (wanted, generation): (&Wanted, u64),
) -> Replied {
    let now = Now::of(&Report::read(rows)?, allowed);
    let plan = plan(rows, stored, &now, wanted)?;
    Ok((Reply::Json, body(&GenerationPlan { generation, ..plan })?))
}

/// Determines what a reload would change.
fn plan(
    rows: &Rows,
    (index, records): (&Index, &Records),
    now: &Now<'_>,
    wanted: &Wanted,
) -> Result<GenerationPlan, StoreError> {
    let apis = wanted.apis(rows, index)?;
    let mut pending: Vec<Pending> = apis
        .iter()
        .filter_map(|entry| pending_api(entry, wanted.api(entry)))
        .collect();
    let published = publish::published_policies(rows)?;
    let policies = wanted.policies(rows, records, &published)?;
    let policies = policies.iter().filter_map(|policy| {
        let loaded = published.get(&policy.id).copied();
        pending_policy(policy, wanted.policy(policy, loaded), loaded)
    });
    let mut policies: Vec<PendingPolicy> = policies.collect();
    let total = pending.len().saturating_add(policies.len());
    pending.truncate(STATUS_LIST_MAX);
    policies.truncate(STATUS_LIST_MAX);
    now.look_ahead(rows, &apis, wanted, &mut pending)?;
    Ok(GenerationPlan {
        generation: 0,
        pending_total: u32::try_from(total).unwrap_or(u32::MAX),
        pending,
        pending_policies: policies,
    })
}

fn pending_api(entry: &Entry, wanted: Option<u64>) -> Option<Pending> {
    Some(Pending {
        change: change(wanted, entry.published)?,
        api_id: entry.id.clone(),
        name: entry.facts.name.clone(),
        listen_path: entry.facts.listen_path.clone(),
        revision: wanted.unwrap_or(entry.revision),
        loaded_revision: entry.published,
        outlook: Outlook::default(),
        reason: None,
        served_now: false,
        served_path: None,
        takes_over: None,
    })
}

fn pending_policy(
    policy: &Record,
    wanted: Option<u64>,
    loaded: Option<u64>,
) -> Option<PendingPolicy> {
    Some(PendingPolicy {
        change: change(wanted, loaded)?,
        id: publish::shown_id(policy).to_owned(),
        name: policy.facts.name.clone(),
        revision: wanted.unwrap_or(policy.revision),
        loaded_revision: loaded,
    })
}
