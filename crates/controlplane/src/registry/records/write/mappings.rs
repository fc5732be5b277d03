//! Writes to the mappings of a client identity provider, each a merge patch or equivalent to one.

use super::{Draft, Drafted, current, draft, length, next};
use crate::registry::Turn;
use crate::registry::credentials::Actor;
use crate::registry::records::{RecordFacts, compose};
use crate::registry::rows::patched;
use gatewright_api::message::Action;
use gatewright_model::issue::Issue;
use gatewright_model::json::{self, Value};
use gatewright_model::mappings;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::records::{Kind, RecordRefusal};
use gatewright_protocol::registry::Guard;
use serde_json::json;

/// The most patches between two full texts: reading a revision replays them, and each takes as long as its document.
const PATCHES_MAX: u64 = 32;

pub(super) fn patch(
    turn: &Turn<'_>,
    actor: &Actor,
    id: &str,
    guard: &Guard,
    patch: &str,
) -> Drafted {
    let (record, old) = match current(turn, actor, Kind::ClientIdp, id, guard)? {
        Ok(found) => found,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let whole = mappings::document_patch(patch, turn.now);
    let new = patched(&old, &whole)?;
    let mut facts = record.facts.clone();
    let counted = length(&whole).max(length(&new) / PATCHES_MAX);
    facts.patched = facts.patched.saturating_add(counted);
    let record = next(turn, &record, facts);
    Ok(Ok(Draft {
        patch: Some(whole),
        apis: named(patch),
        issues: warnings(turn, actor, &old, patch)?,
        ..draft(record, Action::Modified, Some(old), Some(new))
    }))
}

pub(super) fn set_mapping(
    turn: &Turn<'_>,
    actor: &Actor,
    id: &str,
    api_id: &str,
    guard: &Guard,
    mapping: &str,
) -> Drafted {
    let (record, old) = match current(turn, actor, Kind::ClientIdp, id, guard)? {
        Ok(found) => found,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let new = compose::set_mapping(&old, api_id, mapping)?;
    let stamp = json!({ "last_updated": turn.now }).to_string();
    let new = patched(&new, &stamp)?;
    let record = next(turn, &record, RecordFacts::read(Kind::ClientIdp, &new));
    let patch = as_patch(&old, api_id, mapping)?;
    Ok(Ok(Draft {
        apis: vec![api_id.to_owned()],
        issues: warnings(turn, actor, &old, &patch)?,
        ..draft(record, Action::Modified, Some(old), Some(new))
    }))
}

pub(super) fn remove_mapping(
    turn: &Turn<'_>,
    actor: &Actor,
    id: &str,
    api_id: &str,
    guard: &Guard,
) -> Drafted {
    let as_patch = json!({ api_id: null }).to_string();
    let drafted = patch(turn, actor, id, guard, &as_patch)?;
    Ok(drafted.and_then(|draft| {
        let had = draft
            .old
            .as_deref()
            .is_some_and(|old| has_mapping(old, api_id));
        if had {
            Ok(draft)
        } else {
            Err(RecordRefusal::NoMapping)
        }
    }))
}

/// Whether a provider maps scopes of an API.
fn has_mapping(document: &str, api_id: &str) -> bool {
    json::parse(document).is_ok_and(|value| {
        let mappings = value.get("api_mappings");
        mappings.is_some_and(|mappings| mappings.get(api_id).is_some())
    })
}

/// Returns the API ids that a patch names.
fn named(patch: &str) -> Vec<String> {
    let value = json::parse(patch);
    value.map_or_else(
        |_| Vec::new(),
        |value| {
            let names = value.members().iter();
            names.map(|member| member.name.to_string()).collect()
        },
    )
}

/// Returns the patch that replaces a mapping: scopes that the new mapping leaves out are removed.
fn as_patch(document: &str, api_id: &str, mapping: &str) -> Result<String, StoreError> {
    let mut removed = serde_json::Map::new();
    if let Ok(value) = json::parse(document) {
        let old = value.get("api_mappings").and_then(|old| old.get(api_id));
        let scopes = old.and_then(|old| old.get("scope_to_policy"));
        for scope in scopes.map(Value::members).unwrap_or_default() {
            removed.insert(scope.name.to_string(), serde_json::Value::Null);
        }
    }
    let gone = json!({ "scope_to_policy": removed }).to_string();
    let whole = patched(&gone, mapping)?;
    Ok(format!("{{{}:{whole}}}", json::quote(api_id)))
}

/// Returns warnings for the author of a patch: APIs and policies that do not exist, and removed scopes that keys still
/// use.
fn warnings(
    turn: &Turn<'_>,
    actor: &Actor,
    document: &str,
    patch: &str,
) -> Result<Vec<Issue>, StoreError> {
    let mut issues = mappings::unknown_apis(patch, &|id| {
        let api = turn.index.live(id);
        api.is_some_and(|entry| turn.org_of(entry) == actor.org)
    });
    issues.extend(mappings::unknown_policies(patch, &|id| {
        let policy = turn.records.live(Kind::Policy, "", id);
        policy
            .is_some_and(|policy| ["", actor.org.as_str()].contains(&policy.facts.org_id.as_str()))
    }));
    issues.extend(mappings::scopes_in_use(document, patch, |policies| {
        turn.rows
            .keys_with_policies(&actor.org, policies, turn.now_ms())
    })?);
    Ok(issues)
}
