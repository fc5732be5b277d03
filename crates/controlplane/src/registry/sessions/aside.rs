//! Side effects of a session's write, and warnings for its author.

use super::{Sent, rights};
use crate::registry::index::change;
use crate::registry::{Turn, publish};
use gatewright_model::document::issue_at;
use gatewright_model::issue::{IssueCode, Severity};
use gatewright_model::json;
use gatewright_model::order;
use gatewright_model::session::Session;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::pattern::Pattern;
use gatewright_protocol::records::Kind;
use gatewright_protocol::registry::Aside;
use gatewright_protocol::sessions::{Owner, SessionAsk};
use std::collections::BTreeSet;

/// Returns those of the named policies whose revision in use differs from the stored one, or that are not in use until
/// a reload.
pub(super) fn pending(turn: &Turn<'_>, mut named: Vec<String>) -> Result<Vec<String>, StoreError> {
    if named.is_empty() {
        return Ok(named);
    }
    let published = publish::policies(turn.rows)?;
    let published = published.lines().filter_map(|line| line.split_once(' '));
    let published = order::map(published);
    let live = |id: &str| turn.records.live(Kind::Policy, "", id);
    let mut gone = BTreeSet::new();
    if named.iter().any(|id| live(id).is_none()) {
        for id in published.keys() {
            if turn.records.of_id(Kind::Policy, id).is_none() {
                let record = turn.rows.record(Kind::Policy, id)?;
                gone.extend(
                    record
                        .into_iter()
                        .flat_map(|it| [it.id, it.facts.stable_id]),
                );
            }
        }
    }
    named.retain(|id| {
        let Some(record) = live(id) else {
            return gone.contains(id);
        };
        let loaded = published.get(&*record.id);
        let loaded = loaded.and_then(|revision| revision.parse().ok());
        change(Some(record.revision), loaded).is_some()
    });
    Ok(named)
}

/// A session that is being stored.
pub(super) struct Stored<'a> {
    /// The session as it was sent.
    pub(super) sent: &'a Sent<'a>,
    /// The session with its policies applied.
    pub(super) session: &'a Session,
    /// The hash of its key, or its organisation.
    pub(super) id: &'a str,
    /// The organisation of its key.
    pub(super) org: &'a str,
    /// Whether it replaces another one.
    pub(super) replaces: bool,
    /// Whether its counters are reset.
    pub(super) is_reset: bool,
}

/// Returns the side effects of a write, and the warnings for its author.
pub(super) fn of(
    turn: &mut Turn<'_>,
    ask: &SessionAsk,
    stored: &Stored<'_>,
) -> Result<Aside, StoreError> {
    let mut aside = Aside {
        kept: true,
        pending: match ask.owner {
            Owner::Key => pending(turn, stored.sent.session.policies.clone())?,
            Owner::Organisation => Vec::new(),
        },
        ..Aside::default()
    };
    unknown_org(turn, ask.owner, stored, &mut aside);
    if ask.checks {
        aside.issues.extend(rights::unknown(turn, stored.sent)?);
    }
    if ask.owner == Owner::Key && stored.is_reset && stored.replaces {
        cleared(stored, &mut aside);
    }
    Ok(aside)
}

/// Warns about an organisation without APIs: until it has one, its keys grant access to nothing, and its session limits
/// nothing.
fn unknown_org(turn: &Turn<'_>, owner: Owner, stored: &Stored<'_>, aside: &mut Aside) {
    let (org, pointer, what) = match owner {
        Owner::Key => (
            stored.session.org_id.as_str(),
            "/org_id",
            "this key opens nothing",
        ),
        Owner::Organisation => (stored.id, "", "this session limits nothing"),
    };
    let mut live = turn.index.all().filter(|entry| !entry.deleted);
    if org.is_empty() || live.any(|entry| turn.org_of(entry) == org) {
        return;
    }
    let message = format!(
        "no API belongs to the organisation {}, so {what}; write the org_id of an API, or give one this",
        json::quote(org)
    );
    let kind = (Severity::Warning, IssueCode::Conflict);
    let found = issue_at(stored.sent.text, pointer, kind, message);
    aside.issues.extend(found);
}

/// Resets counters that are not the key's own: those under a text that it shares with others (`rate_limit_pattern`). If
/// the text contains parts of requests, the counters are unknown and belong to whoever sends them, so they are not
/// reset, and the author is told.
fn cleared(stored: &Stored<'_>, aside: &mut Aside) {
    let Some(pattern) = Pattern::of(stored.session, stored.id) else {
        return;
    };
    match pattern.own(stored.org) {
        Some(place) => aside.clears = place.ledger,
        None => aside.issues.extend(issue_at(
            stored.sent.text,
            "/meta_data/rate_limit_pattern",
            (Severity::Info, IssueCode::Conflict),
            "requests are a part of this text, so what is counted under it goes on until its windows \
             end; write another text to let it start anew"
                .to_owned(),
        )),
    }
}
