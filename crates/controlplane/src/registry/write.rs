//! The decisions about writes. Each stores either everything that belongs to it or nothing.

use crate::registry::commit::{self, Draft, Event};
use crate::registry::index::{Facts, Index};
use crate::registry::journal::{API_ADDED, API_REMOVED, API_UPDATED, AuditedWrite};
use crate::registry::rows::{Body, Change, Document, Entry};
use crate::registry::{Replied, Turn, certificates, refuse, versions, webhook_handlers};
use gatewright_api::message::Action;
use gatewright_model::definition::route;
use gatewright_model::mcp::paired;
use gatewright_model::openapi::DocumentKind;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::registry::{Guard, Refusal, Reply, Write};
use serde_json::json;

/// One definition that a write stores.
struct Append<'a> {
    entry: Entry,
    action: Action,
    text: Option<&'a str>,
}

impl<'a> Append<'a> {
    /// Appends a base whose versions have changed.
    fn of_base((entry, text): &'a versions::Base) -> Self {
        Self {
            entry: entry.clone(),
            action: Action::Modified,
            text: Some(text),
        }
    }
}

/// Creates or replaces a document.
pub(super) fn write(turn: &mut Turn<'_>, write: &Write, text: &str) -> Replied {
    let (rows, now) = (turn.rows, turn.now);
    let index = &*turn.index;
    let live = index.live(&write.id).map(|entry| entry.revision);
    if write.update && live.is_none() {
        return refuse(Refusal::NotFound);
    }
    if !write.guard.allows(live) {
        return refuse(Refusal::Precondition { current: live });
    }
    let facts = Facts::read(text);
    let before = index.live(&write.id).map(|entry| entry.facts.document);
    if write.update && before.is_some_and(|kind| kind != facts.document) {
        // A lookup by kind would no longer find it.
        return refuse(Refusal::NotFound);
    }
    if let Some(refusal) = obstacle(turn, &write.id, &facts) {
        return refuse(refusal);
    }
    let base = match &write.version_of {
        None => None,
        Some(wanted) => match versions::add(rows, index, wanted, &write.id, now)? {
            Ok(base) => Some(base),
            Err(refusal) => return refuse(refusal),
        },
    };
    let action = if write.update {
        Action::Modified
    } else {
        Action::Added
    };
    let old = index.find(rows, &write.id)?;
    let mut appends = vec![Append {
        entry: next(old.as_deref(), &write.id, facts, now),
        action,
        text: Some(text),
    }];
    appends.extend(base.iter().map(Append::of_base));
    commit(turn, &appends, &write.guard)
}

/// Deletes a document. Its revisions remain, and the number of the deletion is never reused.
pub(super) fn delete(turn: &mut Turn<'_>, id: &str, guard: &Guard) -> Replied {
    let (rows, now) = (turn.rows, turn.now);
    let index = &*turn.index;
    let Some(entry) = index.live(id) else {
        return refuse(Refusal::NotFound);
    };
    if !guard.allows(Some(entry.revision)) {
        return refuse(Refusal::Precondition {
            current: Some(entry.revision),
        });
    }
    let ids = proxies_of(index, id);
    if !ids.is_empty() {
        return refuse(Refusal::Referenced { ids });
    }
    let mut gone = next(Some(entry), id, entry.facts.clone(), now);
    gone.deleted = true;
    gone.facts.was_version = versions::of(index, id);
    let bases = versions::remove(rows, index, id, now)?;
    let mut appends = vec![Append {
        entry: gone,
        action: Action::Deleted,
        text: None,
    }];
    appends.extend(bases.iter().map(Append::of_base));
    commit(turn, &appends, guard)
}

/// Stores an earlier revision as the newest one.
pub(super) fn restore(turn: &mut Turn<'_>, id: &str, revision: u64, guard: &Guard) -> Replied {
    let (rows, now) = (turn.rows, turn.now);
    let index = &*turn.index;
    let Some(entry) = index.find(rows, id)? else {
        return refuse(Refusal::NotFound);
    };
    let live = (!entry.deleted).then_some(entry.revision);
    if !guard.allows(live) {
        return refuse(Refusal::Precondition { current: live });
    }
    let Some(text) = rows.text(id, revision)? else {
        return refuse(Refusal::NoRevision);
    };
    let facts = Facts::read(&text);
    if let Some(refusal) = obstacle(turn, id, &facts) {
        return refuse(refusal);
    }
    let was = entry.facts.was_version.as_slice();
    let bases = versions::bring_back(rows, index, (id, was), now)?;
    let mut appends = vec![Append {
        entry: next(Some(&entry), id, facts, now),
        action: Action::Restored,
        text: Some(&text),
    }];
    appends.extend(bases.iter().map(Append::of_base));
    commit(turn, &appends, guard)
}

/// Stores the appends unless it is a dry run, and replies about the first one.
fn commit(turn: &mut Turn<'_>, appends: &[Append<'_>], guard: &Guard) -> Replied {
    let Some(first) = appends.first() else {
        return Err(StoreError::new("commit", "nothing to append"));
    };
    let mut issues = Vec::new();
    if let Some(text) = first.text {
        let org = turn.org_of(&first.entry);
        issues = webhook_handlers::unknown(turn.records, org, text);
        issues.extend(certificates::unknown(turn, text)?);
        issues.extend(versions::unknown(turn.index, &first.entry, text));
    }
    let reply = Reply::Written {
        action: first.action,
        revision: first.entry.revision,
        issues,
    };
    if !guard.dry_run {
        let orgs: Vec<String> = appends
            .iter()
            .map(|append| turn.org_of(&append.entry).to_owned())
            .collect();
        let drafts: Vec<Draft<'_>> = appends
            .iter()
            .zip(&orgs)
            .map(|(append, org)| draft(turn.index, append, org))
            .collect();
        commit::commit(turn, drafts)?;
    }
    Ok((reply, String::new()))
}

/// Drafts the write of one definition.
fn draft<'a>(index: &Index, append: &'a Append<'_>, org: &'a str) -> Draft<'a> {
    let Append {
        entry,
        action,
        text,
    } = append;
    let live = index.live(&entry.id).map(|entry| entry.revision);
    let audited = AuditedWrite::of(entry.head(), org, *action, live);
    let kind = match (entry.deleted, live) {
        (true, _) => API_REMOVED,
        (false, None) => API_ADDED,
        (false, Some(_)) => API_UPDATED,
    };
    let data = json!({
        "api_id": entry.id,
        "name": entry.facts.name,
        "action": action,
        "revision": entry.revision,
    });
    let stored = Change::Document {
        document: Document::Definition(entry.clone()),
        action: *action,
        body: text.map_or(Body::Gone, Body::Text),
    };
    Draft {
        event: Some(Event::new(kind, data)),
        ..Draft::new(audited, vec![stored])
    }
}

/// Builds the entry that a document gets with its next revision; `old` is the one before, deleted or not.
pub(super) fn next(old: Option<&Entry>, id: &str, facts: Facts, now: &str) -> Entry {
    Entry {
        id: id.to_owned(),
        revision: old.map_or(0, |entry| entry.revision).saturating_add(1),
        deleted: false,
        published: old.and_then(|entry| entry.published),
        updated_at: now.to_owned(),
        facts,
    }
}

/// Returns the API that provides the tools of an MCP proxy: its upstream is `gateway://{id}/mcp` (reference 6.4).
pub(super) fn source(facts: &Facts) -> Option<&str> {
    let is_proxy = facts.document == Some(DocumentKind::Mcp);
    is_proxy.then(|| paired(&facts.target_url)).flatten()
}

/// Returns the MCP proxies whose tools an API provides.
fn proxies_of(index: &Index, id: &str) -> Vec<String> {
    let live = index.all().filter(|entry| !entry.deleted);
    let proxies = live.filter(|entry| source(&entry.facts) == Some(id));
    proxies.map(|entry| entry.id.clone()).collect()
}

/// Returns why an API can't have this text, given all others.
fn obstacle(turn: &Turn<'_>, id: &str, facts: &Facts) -> Option<Refusal> {
    route_refusal(turn.index, id, facts).or_else(|| source_refusal(turn, facts))
}

/// Returns why an API can't provide the tools of the MCP proxy that names it (reference 1.5).
fn source_refusal(turn: &Turn<'_>, facts: &Facts) -> Option<Refusal> {
    let id = source(facts)?;
    let (status, reason) = match turn.index.live(id) {
        None => (
            400,
            format!("paired REST API {id} is not loaded; create it first"),
        ),
        Some(entry) => {
            if turn.org_of(entry) != turn.org_or_default(&facts.org_id) {
                (
                    403,
                    "paired REST API belongs to a different OrgID".to_owned(),
                )
            } else if entry.facts.document != Some(DocumentKind::Oas) {
                let reason = format!(
                    "paired REST API {id} is a Classic API; REST-as-MCP sources must be gateway OAS APIs"
                );
                (400, reason)
            } else {
                return None;
            }
        }
    };
    Some(Refusal::Source { status, reason })
}

/// Checks a route: two public APIs can't share a domain and listen path, and none may hide the gateway's paths.
fn route_refusal(index: &Index, id: &str, facts: &Facts) -> Option<Refusal> {
    let key = facts.route()?;
    if let Some(path) = route::reserved(&facts.listen_path) {
        return Some(Refusal::Reserved {
            path: path.to_owned(),
        });
    }
    let other = index.route_owner(&key, id)?;
    Some(Refusal::RouteTaken {
        id: other.id.clone(),
        name: other.facts.name.clone(),
        listen_path: other.facts.listen_path.clone(),
        domain: other.facts.domain.clone(),
    })
}
