//! The Registry's replies to reading commands about documents of the dashboard.

use super::{Outcome, RecordFacts, categories, json, refuse, trail_org};
use crate::registry::Turn;
use crate::registry::credentials::Actor;
use crate::registry::journal::CLIENT_IDP_CHANGED;
use crate::registry::rows::{DocumentId, Kinds, Record};
use crate::registry::stream::event;
use gatewright_api::RESOURCES;
use gatewright_api::dashboard::shape::{Audit, AuditEntry, Notice, Notices};
use gatewright_api::dashboard::{Access, Group};
use gatewright_api::resource::{Resource, Subject};
use gatewright_model::json::parse;
use gatewright_model::{mask, order};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::records::{
    Answer, AuditFilter, Kind, RecordCommand, RecordQuery, RecordRefusal, RecordSort,
};
use serde_json::json;
use std::borrow::Cow;

/// The maximum number of entries on a page of notifications or of the audit trail.
const PAGE_MAX: u32 = 1000;
/// The maximum size of a page of documents in bytes: the Registry holds it in memory, and a reply may have 32 MiB
/// (<https://developers.cloudflare.com/workers/runtime-apis/rpc/>).
const LIST_BYTES: usize = 16 * 1024 * 1024;
/// The maximum number of notifications that a stream sends at once; it reads more once the client has received them.
const WATCH_PAGE: u32 = 100;
/// The size of a page of notifications in bytes, from which on it ends: one notification may contain the names of all
/// APIs, and each of hundreds of streams holds a page until its client has received it.
const NOTICES_BYTES: usize = 1024 * 1024;

/// Carries out a reading command.
pub(crate) fn read(turn: &Turn<'_>, actor: &Actor, command: &RecordCommand) -> Outcome {
    match command {
        RecordCommand::Admit => plain(Answer::Admitted),
        RecordCommand::Read { kind, id } => document(turn, actor, *kind, id, None),
        RecordCommand::ReadRevision { kind, id, revision } => {
            document(turn, actor, *kind, id, Some(*revision))
        }
        RecordCommand::Revisions {
            kind,
            id,
            before,
            limit,
        } => revisions(turn, actor, *kind, id, *before, *limit),
        RecordCommand::List { kind, query } => list(turn, actor, *kind, query),
        RecordCommand::Categories => json(&json!({ "categories": categories(turn, &actor.org) })),
        RecordCommand::Notices { after, limit } => notices(turn, actor, *after, *limit),
        RecordCommand::Watch(after) => watch(turn, actor, *after),
        RecordCommand::Audit(filter) => audit(turn, actor, filter),
        RecordCommand::AuditEntry { seq } => audit_entry(turn, actor, *seq),
        _ => Err(StoreError::new("read record", "no reading command")),
    }
}

fn plain(answer: Answer) -> Outcome {
    Ok((answer, String::new()))
}

/// Returns a document, or its text at a revision; the latter also for a deleted one.
fn document(
    turn: &Turn<'_>,
    actor: &Actor,
    kind: Kind,
    id: &str,
    revision: Option<u64>,
) -> Outcome {
    let record = match revision {
        None => turn.records.live(kind, &actor.org, id).map(Cow::Borrowed),
        Some(_) => turn.records.get(turn.rows, kind, &actor.org, id)?,
    };
    let Some(record) = record else {
        return refuse(RecordRefusal::NotFound);
    };
    let revision = revision.unwrap_or(record.revision);
    match turn.records.text(turn.rows, &record, revision)? {
        Some(text) => Ok((Answer::Document { revision }, seen_by(actor, kind, text)?)),
        None => refuse(RecordRefusal::NoRevision),
    }
}

/// Returns the text of a document, with its secrets masked for callers who may not write it. Only webhooks have any.
fn seen_by(actor: &Actor, kind: Kind, text: String) -> Result<String, StoreError> {
    if kind != Kind::Webhook || actor.permissions.of(Group::Hooks) >= Access::Write {
        return Ok(text);
    }
    mask::masked(kind.row().root, &text).map_err(|_| StoreError::new("mask document", "no JSON"))
}

fn revisions(
    turn: &Turn<'_>,
    actor: &Actor,
    kind: Kind,
    id: &str,
    before: Option<u64>,
    limit: u32,
) -> Outcome {
    let Some(record) = turn.records.get(turn.rows, kind, &actor.org, id)? else {
        return refuse(RecordRefusal::NotFound);
    };
    let org = trail_org(turn, &record);
    json(&turn.revisions(record.head(), org, (before, limit))?)
}

fn list(turn: &Turn<'_>, actor: &Actor, kind: Kind, query: &RecordQuery) -> Outcome {
    // No text is retained of a document that was deleted too long ago.
    let gone = turn.gone_before().unwrap_or_default();
    let query = &lowered(query);
    let deleted = match query.deleted {
        true => turn.rows.deleted_records(kind, &actor.org, &gone)?,
        false => Vec::new(),
    };
    let live = turn.records.all(kind, &actor.org);
    let mut found: Vec<&Record> = match query.deleted {
        true => deleted.iter().collect(),
        false => live.collect(),
    };
    found.retain(|record| answers(record, query));
    found = sorted(found, query);
    let total = u32::try_from(found.len()).unwrap_or(u32::MAX);
    let per_page = match query.page {
        Some(_) => query.per_page.max(1),
        None => total.max(1),
    };
    let pages = total.div_ceil(per_page).max(1);
    let page = query.page.unwrap_or(1).max(1);
    let skipped = usize::try_from(page.saturating_sub(1).saturating_mul(per_page));
    let shown = usize::try_from(per_page).unwrap_or(usize::MAX);
    let mut array = String::from("[");
    for record in found.iter().skip(skipped.unwrap_or(usize::MAX)).take(shown) {
        if array.len() > 1 {
            array.push(',');
        }
        let newest = record.revision.saturating_sub(u64::from(record.deleted));
        match turn.records.text(turn.rows, record, newest)? {
            Some(text) => array.push_str(&seen_by(actor, kind, text)?),
            None => array.push_str("null"),
        }
        if array.len() > LIST_BYTES {
            return refuse(RecordRefusal::TooLarge);
        }
    }
    array.push(']');
    Ok((Answer::List { pages, total }, array))
}

/// Returns a query with everything that is compared regardless of case in lower case.
fn lowered(query: &RecordQuery) -> RecordQuery {
    let categories = query.categories.iter().map(|one| one.to_lowercase());
    RecordQuery {
        search: query.search.trim().to_lowercase(),
        categories: order::set(categories).into_iter().collect(),
        ..query.clone()
    }
}

/// Whether a document is one of those that a query asks for, which is [`lowered`] and has its categories in order.
fn answers(record: &Record, query: &RecordQuery) -> bool {
    let RecordFacts {
        stable_id,
        name,
        active,
        is_template,
        resource_type,
        categories,
        ..
    } = &record.facts;
    let wanted = |category: &String| {
        query
            .categories
            .binary_search(&category.to_lowercase())
            .is_ok()
    };
    [name, stable_id, &record.id]
        .into_iter()
        .any(|text| text.to_lowercase().contains(&query.search))
        && query.active.is_none_or(|wanted| wanted == *active)
        && query
            .is_template
            .is_none_or(|wanted| wanted == *is_template)
        && (query.categories.is_empty() || categories.iter().any(wanted))
        && query
            .resource_type
            .as_ref()
            .is_none_or(|wanted| wanted == resource_type)
}

/// Sorts documents. `found` is ordered by id, and sorting is stable, so ties stay in that order.
fn sorted<'r>(found: Vec<&'r Record>, query: &RecordQuery) -> Vec<&'r Record> {
    let mut sorted = order::sorted(found, |record| match query.sort {
        RecordSort::Name => record.facts.name.to_lowercase(),
        RecordSort::DateCreated => record.created_at.clone(),
        RecordSort::LastUpdated => record.updated_at.clone(),
    });
    if query.descending {
        sorted.reverse();
    }
    sorted
}

fn notices(turn: &Turn<'_>, actor: &Actor, after: u64, limit: u32) -> Outcome {
    json(&Notices {
        notifications: readable_notices(turn, actor, after, limit.clamp(1, PAGE_MAX))?,
        last: turn.journal.last_notice(&actor.org),
    })
}

/// Returns notifications after a number that the caller may read, at most `limit`. A page ends early when it has
/// [`NOTICES_BYTES`]; it has at least one unless there are none.
fn readable_notices(
    turn: &Turn<'_>,
    actor: &Actor,
    after: u64,
    limit: u32,
) -> Result<Vec<Notice>, StoreError> {
    let reads = |group| actor.permissions.of(group) >= Access::Read;
    let kinds = match (reads(Group::ClientIdps), reads(Group::Apis)) {
        (true, true) => Kinds::All,
        (true, false) => Kinds::Only(CLIENT_IDP_CHANGED),
        (false, true) => Kinds::AllBut(CLIENT_IDP_CHANGED),
        (false, false) => return Ok(Vec::new()),
    };
    let bounds = (limit, NOTICES_BYTES);
    turn.rows.notices(&actor.org, kinds, after, bounds)
}

/// Returns what a stream sends next. Notifications that the caller may not read are skipped.
fn watch(turn: &Turn<'_>, actor: &Actor, after: Option<u64>) -> Outcome {
    let Some(after) = after else {
        return plain(Answer::Watched(turn.journal.last_notice(&actor.org)));
    };
    // A stream polls, and mostly there is nothing new to read.
    let newest = turn.journal.last_notice(&actor.org);
    if after >= newest {
        return plain(Answer::Watched(after));
    }
    let mut text = String::new();
    let notices = readable_notices(turn, actor, after, WATCH_PAGE)?;
    for notice in &notices {
        text.push_str(&event(notice)?);
    }
    let next = notices.last().map_or(newest, |last| last.seq);
    Ok((Answer::Watched(next), text))
}

/// Whether a caller may read all notifications with a name, `*` for all names.
pub(super) fn may_subscribe(actor: &Actor, name: &str) -> bool {
    let reads = |group| actor.permissions.of(group) >= Access::Read;
    match name {
        "*" => reads(Group::ClientIdps) && reads(Group::Apis),
        name => reads(notice_group(name)),
    }
}

/// Returns the group that a notification is about.
fn notice_group(kind: &str) -> Group {
    if kind == CLIENT_IDP_CHANGED {
        Group::ClientIdps
    } else {
        Group::Apis
    }
}

/// Returns the kinds of documents whose history a caller may read.
fn readable(actor: &Actor) -> Vec<Subject> {
    let access = |group| actor.permissions.of(group);
    let all = Group::ALL
        .into_iter()
        .all(|group| access(group) == Access::Write);
    let may_read = |row: &&&Resource| match row.group {
        Some(group) => access(group) >= Access::Read,
        None => all,
    };
    let readable = RESOURCES.iter().filter(may_read);
    readable.map(|row| row.subject).collect()
}

fn audit(turn: &Turn<'_>, actor: &Actor, filter: &AuditFilter) -> Outcome {
    let mut filter = filter.clone();
    let readable = readable(actor);
    if filter.subjects.is_empty() {
        filter.subjects = readable;
    } else {
        filter.subjects.retain(|subject| readable.contains(subject));
        if filter.subjects.is_empty() {
            return plain(Answer::Audit(Audit::default()));
        }
    }
    filter.org = Some(actor.org.clone());
    filter.limit = filter.limit.clamp(1, PAGE_MAX);
    let entries = turn.rows.audit(&filter)?;
    let full = entries.len() >= usize::try_from(filter.limit).unwrap_or(usize::MAX);
    let next = entries.last().filter(|_| full).map(|entry| entry.seq);
    plain(Answer::Audit(Audit { entries, next }))
}

fn audit_entry(turn: &Turn<'_>, actor: &Actor, seq: u64) -> Outcome {
    let readable = readable(actor);
    let may_read =
        |entry: &AuditEntry| entry.org_id == actor.org && readable.contains(&entry.subject);
    let Some(entry) = turn.rows.audit_entry(seq)?.filter(may_read) else {
        return refuse(RecordRefusal::NotFound);
    };
    let side = |revision| {
        let text = text_at(turn, &entry, revision)?;
        Ok(text.filter(|text| is_of(turn, actor, entry.subject, text)))
    };
    let (before, after): (_, Option<String>) = (side(entry.before)?, side(entry.after)?);
    // With only one side, the diff would show changes that nobody made.
    let texts = match (before, after) {
        (Some(before), Some(after)) => format!("[{before},{after}]"),
        _ => "[null,null]".to_owned(),
    };
    Ok((Answer::AuditEntry(entry), texts))
}

/// Whether the text of a document was one of the caller's organisation: an API or a policy may have been moved to it
/// from another one, whose document it may not read.
fn is_of(turn: &Turn<'_>, actor: &Actor, subject: Subject, text: &str) -> bool {
    if !matches!(subject, Subject::Api | Subject::Policy) {
        return true;
    }
    let value = parse(text);
    let org = value.as_ref().ok().and_then(|value| value.str("org_id"));
    text == "null" || turn.org_or_default(org.unwrap_or_default()) == actor.org
}

/// Returns the document of an audit entry at a revision, `null` if there was none; `None` if it is no longer retained.
fn text_at(
    turn: &Turn<'_>,
    entry: &AuditEntry,
    revision: Option<u64>,
) -> Result<Option<String>, StoreError> {
    match (revision, entry.subject.resource().compared) {
        (Some(revision), Some(_)) => {
            let of = DocumentId {
                kind: entry.subject,
                id: &entry.id,
            };
            turn.rows.text_of(of, revision)
        }
        _ => Ok(Some("null".to_owned())),
    }
}
