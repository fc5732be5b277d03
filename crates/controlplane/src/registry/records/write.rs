//! The decisions about writes to documents of the dashboard. Each stores either everything that belongs to it
//! (document, revision, audit entry, notification) or nothing.

mod mappings;

use super::compose::{self, Owner};
use super::index::Conflict;
use super::read::may_subscribe;
use super::{Outcome, RecordFacts, categories, refuse, trail_org};
use crate::config::DEFINITION_MAX_BYTES;
use crate::registry::Turn;
use crate::registry::commit::{self, Event};
use crate::registry::credentials::Actor;
use crate::registry::deliveries::secret::HookSecrets;
use crate::registry::journal::{AuditedWrite, CLIENT_IDP_CHANGED};
use crate::registry::rows::{Body, Change, Document, Record, patched};
use gatewright_api::message::Action;
use gatewright_model::diff;
use gatewright_model::document::issue_at;
use gatewright_model::issue::{Issue, IssueCode, Severity};
use gatewright_model::order;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::records::{Answer, Kind, RecordCommand, RecordRefusal};
use gatewright_protocol::registry::Guard;
use gatewright_protocol::secret::Secret;
use serde_json::json;

/// A write that is decided on but not yet stored.
struct Draft {
    record: Record,
    action: Action,
    /// The text before, if there was one.
    old: Option<String>,
    /// The text after; `None` for a deletion.
    new: Option<String>,
    /// The merge patch from the old text to the new one, if the client sent one.
    patch: Option<String>,
    /// For the notification, the APIs whose mappings changed.
    apis: Vec<String>,
    /// The secret that signs the calls of a new webhook.
    secret: Option<Secret>,
    issues: Vec<Issue>,
}

/// Carries out a writing command.
pub(crate) fn write(
    turn: &mut Turn<'_>,
    actor: &Actor,
    command: &RecordCommand,
    text: &str,
) -> Outcome {
    let (guard, drafted) = match command {
        RecordCommand::Create {
            kind,
            id,
            guard,
            secret,
        } => {
            let drafted = create(turn, actor, *kind, id, guard, text)?;
            let secret = secret.clone();
            (guard, drafted.map(|draft| Draft { secret, ..draft }))
        }
        RecordCommand::Replace { kind, id, guard } => {
            let whole = |_: &str| Ok(text.to_owned());
            (guard, replace(turn, actor, *kind, id, guard, whole)?)
        }
        RecordCommand::Amend { kind, id, guard } => {
            let whole = |old: &str| patched(old, text);
            (guard, replace(turn, actor, *kind, id, guard, whole)?)
        }
        RecordCommand::Delete { kind, id, guard } => {
            (guard, delete(turn, actor, *kind, id, guard)?)
        }
        RecordCommand::Restore {
            kind,
            id,
            revision,
            guard,
        } => (guard, restore(turn, actor, *kind, id, *revision, guard)?),
        RecordCommand::PatchMappings { id, guard } => {
            (guard, mappings::patch(turn, actor, id, guard, text)?)
        }
        RecordCommand::SetMapping { id, api_id, guard } => (
            guard,
            mappings::set_mapping(turn, actor, id, api_id, guard, text)?,
        ),
        RecordCommand::RemoveMapping { id, api_id, guard } => (
            guard,
            mappings::remove_mapping(turn, actor, id, api_id, guard)?,
        ),
        _ => return Err(StoreError::new("write record", "no writing command")),
    };
    match drafted {
        Err(refusal) => refuse(refusal),
        Ok(draft) => match obstacle(turn, actor, &draft)? {
            Some(refusal) => refuse(refusal),
            None => settle(turn, actor, draft, guard.dry_run),
        },
    }
}

type Drafted = Result<Result<Draft, RecordRefusal>, StoreError>;

fn create(
    turn: &Turn<'_>,
    actor: &Actor,
    kind: Kind,
    id: &str,
    guard: &Guard,
    text: &str,
) -> Drafted {
    if !guard.allows(None) {
        return Ok(Err(RecordRefusal::Precondition { current: None }));
    }
    let new = compose::create(kind, text, &owner(turn, actor, id))?;
    let facts = RecordFacts::read(kind, &new);
    let record = match turn
        .records
        .continued(turn.rows, kind, &actor.org, id, &facts)?
    {
        Some(old) if old.deleted => next(turn, &old, facts),
        Some(_) => {
            let id = id.to_owned();
            return Ok(Err(RecordRefusal::StableIdTaken { id }));
        }
        None => Record {
            kind,
            id: id.to_owned(),
            org: actor.org.clone(),
            revision: 1,
            deleted: false,
            created_at: turn.now.to_owned(),
            updated_at: turn.now.to_owned(),
            facts,
        },
    };
    Ok(Ok(draft(record, Action::Added, None, Some(new))))
}

fn replace(
    turn: &Turn<'_>,
    actor: &Actor,
    kind: Kind,
    id: &str,
    guard: &Guard,
    text: impl Fn(&str) -> Result<String, StoreError>,
) -> Drafted {
    let (record, old) = match current(turn, actor, kind, id, guard)? {
        Ok(found) => found,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let text = text(&old)?;
    let new = match compose::replace(kind, &text, &old, &owner(turn, actor, &record.id))? {
        Ok(new) => new,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let record = next(turn, &record, RecordFacts::read(kind, &new));
    Ok(Ok(draft(record, Action::Modified, Some(old), Some(new))))
}

fn delete(turn: &Turn<'_>, actor: &Actor, kind: Kind, id: &str, guard: &Guard) -> Drafted {
    let (record, old) = match current(turn, actor, kind, id, guard)? {
        Ok(found) => found,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let gone = Record {
        deleted: true,
        ..next(turn, &record, record.facts.clone())
    };
    Ok(Ok(draft(gone, Action::Deleted, Some(old), None)))
}

fn restore(
    turn: &Turn<'_>,
    actor: &Actor,
    kind: Kind,
    id: &str,
    revision: Option<u64>,
    guard: &Guard,
) -> Drafted {
    let Some(record) = turn.records.get(turn.rows, kind, &actor.org, id)? else {
        return Ok(Err(RecordRefusal::NotFound));
    };
    let record = &*record;
    let live = (!record.deleted).then_some(record.revision);
    if !guard.allows(live) {
        return Ok(Err(RecordRefusal::Precondition { current: live }));
    }
    if revision.is_none() && live.is_some() {
        return Ok(Err(RecordRefusal::NotDeleted));
    }
    // A deletion has the revision number after that of the text it removed.
    let wanted = revision.unwrap_or_else(|| record.revision.saturating_sub(1));
    let Some(text) = turn.records.text(turn.rows, record, wanted)? else {
        return Ok(Err(RecordRefusal::NoRevision));
    };
    let old = match live {
        Some(revision) => turn.records.text(turn.rows, record, revision)?,
        None => None,
    };
    let text = compose::restore(kind, text, turn.now)?;
    let record = next(turn, record, RecordFacts::read(kind, &text));
    Ok(Ok(draft(record, Action::Restored, old, Some(text))))
}

/// Returns the live document that a write is about, if the write's conditions hold.
fn current(
    turn: &Turn<'_>,
    actor: &Actor,
    kind: Kind,
    id: &str,
    guard: &Guard,
) -> Result<Result<(Record, String), RecordRefusal>, StoreError> {
    let Some(record) = turn.records.live(kind, &actor.org, id) else {
        return Ok(Err(RecordRefusal::NotFound));
    };
    let current = Some(record.revision);
    if !guard.allows(current) {
        return Ok(Err(RecordRefusal::Precondition { current }));
    }
    match turn.records.text(turn.rows, record, record.revision)? {
        Some(text) => Ok(Ok((record.clone(), text))),
        None => Err(StoreError::new(
            "read document",
            format!("{id} has no text"),
        )),
    }
}

fn owner<'a>(turn: &'a Turn<'_>, actor: &'a Actor, id: &'a str) -> Owner<'a> {
    Owner {
        id,
        org: &actor.org,
        actor: &actor.name,
        now: turn.now,
    }
}

fn next(turn: &Turn<'_>, record: &Record, facts: RecordFacts) -> Record {
    Record {
        revision: record.revision.saturating_add(1),
        deleted: false,
        updated_at: turn.now.to_owned(),
        facts,
        ..record.clone()
    }
}

fn draft(record: Record, action: Action, old: Option<String>, new: Option<String>) -> Draft {
    Draft {
        record,
        action,
        old,
        new,
        patch: None,
        apis: Vec::new(),
        secret: None,
        issues: Vec::new(),
    }
}

/// Returns why a document can't be stored.
fn obstacle(
    turn: &Turn<'_>,
    actor: &Actor,
    draft: &Draft,
) -> Result<Option<RecordRefusal>, StoreError> {
    let Some(new) = &draft.new else {
        return Ok(None);
    };
    if new.len() > DEFINITION_MAX_BYTES {
        return Ok(Some(RecordRefusal::TooLarge));
    }
    let Record {
        kind, id, facts, ..
    } = &draft.record;
    let full = full(turn, *kind, &actor.org, id);
    if let Some(issues) = too_much(*kind, facts, new, full) {
        return Ok(Some(RecordRefusal::Invalid { issues }));
    }
    // A caller who may not read notifications can't have them sent either.
    let unreadable = |name: &String| !may_subscribe(actor, name);
    if *kind == Kind::Webhook && facts.subscriptions.iter().any(unreadable) {
        return Ok(Some(RecordRefusal::NotPermitted));
    }
    let conflict = turn
        .records
        .conflict(turn.rows, *kind, &actor.org, id, facts)?;
    let taken = |id: &String| Some(RecordRefusal::StableIdTaken { id: id.clone() });
    match conflict {
        Some(Conflict::StableId) => return Ok(taken(&facts.stable_id)),
        Some(Conflict::InternalId) => return Ok(taken(&facts.internal_id)),
        Some(Conflict::Name) => {
            let name = facts.name.clone();
            return Ok(Some(RecordRefusal::NameTaken { name }));
        }
        None => {}
    }
    if facts.categories.is_empty() {
        return Ok(None);
    }
    let known = categories(turn, &actor.org);
    let lower = order::set(known.iter().map(|known| known.to_lowercase()));
    let unknown = |name: &&String| !lower.contains(&name.to_lowercase());
    let names: Vec<String> = facts.categories.iter().filter(unknown).cloned().collect();
    Ok((!names.is_empty()).then_some(RecordRefusal::UnknownCategories { names, known }))
}

/// The longest name of a document, in bytes, and the most subscriptions of a webhook. The Registry holds both in memory,
/// for every document of every organisation.
const NAME_MAX: usize = 1024;
const SUBSCRIPTIONS_MAX: usize = 100;
/// The longest name of a notification, in bytes.
const SUBSCRIPTION_MAX: usize = 128;
/// The most webhooks of an organisation: a notification may have a delivery to each.
const WEBHOOKS_MAX: usize = 1000;

/// Returns why an organisation can't have one more document of a kind, unless it has this one.
fn full(turn: &Turn<'_>, kind: Kind, org: &str, id: &str) -> Option<String> {
    let (max, remedy) = match kind {
        Kind::Webhook => (WEBHOOKS_MAX, ""),
        // Only holders of rights at every organisation write policies.
        Kind::Policy => return None,
        Kind::Ruleset | Kind::ClientIdp => (
            turn.documents_per_org,
            ": delete some, or raise DOCUMENTS_PER_ORG_MAX",
        ),
    };
    let is_new = turn.records.of_id(kind, id).is_none();
    let all = turn.records.all(kind, org);
    (is_new && all.take(max).count() == max).then(|| {
        let plural = kind.row().plural;
        format!("an organisation has at most {max} {plural}{remedy}")
    })
}

/// Returns what the Registry would have to hold too much of; `None` for a document that it has room for.
fn too_much(
    kind: Kind,
    facts: &RecordFacts,
    text: &str,
    full: Option<String>,
) -> Option<Vec<Issue>> {
    let (pointer, message) = if let Some(message) = full {
        ("", message)
    } else if kind == Kind::Policy {
        return None;
    } else if facts.name.len() > NAME_MAX {
        ("/name", format!("a name has at most {NAME_MAX} bytes"))
    } else if facts.subscriptions.len() > SUBSCRIPTIONS_MAX {
        let message = format!("a webhook has at most {SUBSCRIPTIONS_MAX} subscriptions");
        ("/subscriptions", message)
    } else if facts
        .subscriptions
        .iter()
        .any(|name| name.len() > SUBSCRIPTION_MAX)
    {
        let message = format!("a subscription has at most {SUBSCRIPTION_MAX} bytes");
        ("/subscriptions", message)
    } else {
        return None;
    };
    let kind = (Severity::Error, IssueCode::Format);
    Some(issue_at(text, pointer, kind, message))
}

/// Stores a draft, or in a dry run returns what it would change.
fn settle(turn: &mut Turn<'_>, actor: &Actor, draft: Draft, dry_run: bool) -> Outcome {
    let mut record = draft.record;
    let answer = |changes, record: &Record| Answer::Written {
        id: record.id.clone(),
        action: draft.action,
        revision: record.revision,
        changes,
        issues: draft.issues.clone(),
    };
    let shown = |new: Option<String>, old: Option<String>| new.or(old).unwrap_or_default();
    if dry_run {
        let before = draft.old.as_deref().unwrap_or("{}");
        let changes = diff::changes(before, draft.new.as_deref().unwrap_or("{}"));
        let changes = changes.unwrap_or_default();
        return Ok((answer(changes, &record), shown(draft.new, draft.old)));
    }
    let body = match (&draft.new, &draft.patch) {
        (None, _) => Body::Gone,
        // Patches are replayed on reading, so once they are as long as the text, the full text is stored.
        (Some(new), Some(patch)) if record.facts.patched < length(new) => Body::Patch(patch),
        (Some(new), _) => {
            record.facts.patched = 0;
            Body::Text(new)
        }
    };
    let before = draft
        .old
        .as_ref()
        .map(|_| record.revision.saturating_sub(1));
    let mut changes = vec![Change::Document {
        document: Document::Record(record.clone()),
        action: draft.action,
        body,
    }];
    if let Some(secret) = draft.secret {
        changes.push(Change::Secrets {
            hook: &record.id,
            secrets: HookSecrets::rotated(None, secret, 0),
        });
    }
    if record.kind == Kind::Webhook && record.deleted {
        changes.push(Change::StopDeliveries { hook: &record.id });
    }
    let org = trail_org(turn, &record).to_owned();
    let audited = AuditedWrite {
        actor: &actor.name,
        ..AuditedWrite::of(record.head(), &org, draft.action, before)
    };
    // Isolates use changed providers without a reload.
    let lists = record.kind == Kind::ClientIdp;
    let write = commit::Draft {
        audited,
        changes,
        event: lists.then(|| provider_changed(&record, draft.action, &draft.apis)),
        lists,
    };
    commit::commit(turn, vec![write])?;
    let text = shown(draft.new, draft.old);
    if !record.deleted {
        turn.records
            .keep(record.kind, &record.id, record.revision, text.clone());
    }
    Ok((answer(Vec::new(), &record), text))
}

/// Builds the notification of a write to an identity provider.
fn provider_changed(record: &Record, action: Action, apis: &[String]) -> Event {
    let data = json!({
        "_id": record.id,
        "client_idp_id": record.facts.stable_id,
        "name": record.facts.name,
        "action": action,
        "revision": record.revision,
        "api_ids": apis,
    });
    Event::new(CLIENT_IDP_CHANGED, data)
}

fn length(text: &str) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX)
}
