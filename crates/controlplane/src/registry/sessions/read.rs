//! The Registry's replies to reading commands about sessions.

use super::applied::{self, applied};
use super::{Sent, SessionRow, aside, rights};
use crate::registry::{Replied, Turn, refuse};
use gatewright_api::session::{KeyList, KeyPage, KeySummary};
use gatewright_model::json;
use gatewright_model::order::sorted_by;
use gatewright_model::policy::{self, Named, Policy};
use gatewright_model::session::{Limit, Session};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::limits::{RateLimit, quota};
use gatewright_protocol::records::Kind;
use gatewright_protocol::registry::{Aside, Refusal, Reply, body};
use gatewright_protocol::sessions::{Act, Owner, SessionAsk, SessionQuery, SessionSort};

/// A minute in milliseconds.
const MINUTE: u64 = 60_000;

/// Carries out a reading command.
pub(crate) fn read(turn: &mut Turn<'_>, ask: &SessionAsk, text: &str) -> Replied {
    match ask.act {
        Act::List => list(turn, ask),
        Act::Apply => apply(turn, ask, text),
        Act::Check => {
            let sent = Sent::read(text)?;
            match rights::misfit(turn, &sent)? {
                Some(refusal) => refuse(refusal),
                None => Ok((Reply::Json, body(&rights::unknown(turn, &sent)?)?)),
            }
        }
        _ => find(turn, ask),
    }
}

fn find(turn: &mut Turn<'_>, ask: &SessionAsk) -> Replied {
    let found = match ask.shards {
        // Its Ledger has to have it until its end is stored, even if its time is over.
        Some(_) => turn
            .rows
            .sessions_of(ask.owner, &ask.ids)?
            .into_iter()
            .next(),
        None => turn.first_session(ask.owner, &ask.ids)?,
    };
    match (found, ask.shards) {
        (Some((row, Some(text))), Some(_)) if turn.placed.moves() => {
            // With what this Ledger has in the object where it was before.
            let over = turn.journal.last_audit();
            turn.rows.hand_over_again(&row, &text, over)?;
            refuse(Refusal::Kept {
                shards: turn.placed.shards(),
            })
        }
        (Some((row, Some(text))), Some(_)) => Ok((row.reply(), text)),
        (Some(_), Some(_)) => refuse(Refusal::Kept {
            shards: turn.placed.shards(),
        }),
        (None, Some(shards)) if is_settled(turn, shards)? => refuse(Refusal::Settled),
        (Some((row, text)), None) => show(turn, row, text),
        (None, None) => {
            // Whoever reads that it is gone finds it gone everywhere.
            for id in &ask.ids {
                turn.rows.hand_over_end(ask.owner, id)?;
            }
            refuse(Refusal::NotFound)
        }
        (None, Some(_)) => refuse(Refusal::NotFound),
    }
}

/// Whether a Ledger that doesn't have a session knows that there is none. A key that was just generated may not have got
/// to its Ledger yet.
fn is_settled(turn: &Turn<'_>, shards: u32) -> Result<bool, StoreError> {
    let is_settled = turn.placed.is_settled(shards) && !turn.collects;
    Ok(is_settled && !turn.rows.has_open_handovers()?)
}

/// Shows a session. If its handover is open, its Ledger gets it first: what was read is effective.
fn show(turn: &Turn<'_>, row: SessionRow, text: Option<String>) -> Replied {
    if let Some(text) = &text {
        turn.rows
            .hand_over_again(&row, text, turn.journal.last_audit())?;
    }
    let text = turn.rows.session_text(&row, text)?;
    Ok((row.reply(), text))
}

/// Shows a session with its policies applied. If they can't be, it is shown as far as they change it (reference 1.6).
fn apply(turn: &Turn<'_>, ask: &SessionAsk, text: &str) -> Replied {
    let applied = applied(turn, ask.owner, text)?;
    if ask.owner == Owner::Organisation {
        let text = applied.map_or_else(|_| text.to_owned(), |applied| applied.text);
        let reply = SessionRow::default().reply_with(Aside::default());
        return Ok((reply, policy::shown(&text, &[])));
    }
    let ids = policy::named(text).unwrap_or_default();
    let aside = Aside {
        pending: aside::pending(turn, ids.clone())?,
        ..Aside::default()
    };
    let found = applied::named(turn, ids)?.unwrap_or_default();
    let named = found.iter().map(|(id, text)| Named {
        id,
        text: text.as_deref(),
    });
    let named: Vec<Named<'_>> = named.collect();
    let text = match applied {
        Ok(applied) => policy::shown(&applied.text, &named),
        Err(_) => policy::shown(&policy::attempted(text, &named), &[]),
    };
    Ok((SessionRow::default().reply_with(aside), text))
}

/// Whether a session has counters that outlast a minute: quotas, and rates over longer windows.
pub(in crate::registry) fn may_count(
    turn: &Turn<'_>,
    owner: Owner,
    text: &str,
) -> Result<bool, StoreError> {
    let applied = applied(turn, owner, text)?;
    let applied = applied.map_or_else(|_| text.to_owned(), |applied| applied.text);
    let session = Session::parse(&applied).unwrap_or_default();
    let counts = |limit: &Limit| {
        let rate = RateLimit::of(limit.rate);
        quota(limit, "").is_some() || rate.is_some_and(|rate| rate.window_ms > MINUTE)
    };
    let mut rights = session.access_rights.iter();
    let any = rights.any(|(_, access)| access.limit.as_ref().is_some_and(counts));
    Ok(any || counts(&session.limit))
}

fn list(turn: &Turn<'_>, ask: &SessionAsk) -> Replied {
    let now = turn.now_ms();
    let policies_of_api = match &ask.query.api {
        Some(api) => granting(turn, api)?,
        None => Vec::new(),
    };
    let query = SessionQuery {
        now,
        policies_of_api,
        ..ask.query.clone()
    };
    if let Some(behind) = &query.behind {
        return ids(turn, ask.owner, &query, behind);
    }
    let (rows, total) = turn.rows.sessions(ask.owner, &query)?;
    if !query.summary {
        let mut keys: Vec<String> = rows.into_iter().map(|row| row.id).collect();
        // The order of reference 1.6, unless another one was requested.
        if query.page.is_none() && query.sort == SessionSort::default() && !query.descending {
            keys = sorted_by(keys, Ord::cmp);
        }
        return Ok((Reply::Json, body(&KeyList { keys })?));
    }
    let per_page = match query.page {
        Some(_) => query.per_page.max(1),
        None => total.max(1),
    };
    let summary = |row: SessionRow| KeySummary {
        state: row.state(now),
        key_hash: row.id,
        org_id: row.facts.org_id,
        alias: row.facts.alias,
        expires: row.facts.expires,
        policies: row.facts.policies,
        apis: row.facts.apis,
        tags: row.facts.tags,
        revision: row.revision,
        created_at: row.created_at,
        updated_at: row.updated_at,
    };
    let page = KeyPage {
        keys: rows.into_iter().map(summary).collect(),
        total,
        page: query.page.unwrap_or(1).max(1),
        pages: total.div_ceil(per_page).max(1),
    };
    Ok((Reply::Json, body(&page)?))
}

/// The number of ids on a page of their complete list.
const IDS: u32 = 10_000;

/// Returns a page of the list of all ids. The line before the text is the last id of the page, empty on the last page.
/// A key that is created or removed between two pages may or may not be in the list.
fn ids(turn: &Turn<'_>, owner: Owner, query: &SessionQuery, behind: &str) -> Replied {
    let ids = turn.rows.session_ids(owner, query, behind, IDS)?;
    let quoted: Vec<String> = ids.iter().map(|id| json::quote(id)).collect();
    let is_last = u32::try_from(ids.len()).is_ok_and(|found| found < IDS);
    let next = ids.last().filter(|_| !is_last).map_or("", String::as_str);
    let begin = match (behind, quoted.as_slice()) {
        ("", _) => "{\"keys\":[",
        (_, []) => "",
        _ => ",",
    };
    let end = if is_last { "]}\n" } else { "" };
    let text = format!("{next}\n{begin}{}{end}", quoted.join(","));
    Ok((Reply::Json, text))
}

/// Returns the policies that grant access to an API, by every id that a key may use for one.
fn granting(turn: &Turn<'_>, api: &str) -> Result<Vec<String>, StoreError> {
    let mut found = Vec::new();
    for id in turn.rows.policies_naming(api)? {
        let Some(record) = turn.records.of_id(Kind::Policy, &id) else {
            continue;
        };
        let text = turn.records.text(turn.rows, record, record.revision)?;
        let policy = text.and_then(|text| Policy::parse(&text).ok());
        let grants = |policy: Policy| {
            policy.partitions.grants_access() && policy.apis.iter().any(|known| known == api)
        };
        if policy.is_some_and(grants) {
            found.extend([record.id.clone(), record.facts.stable_id.clone()]);
        }
    }
    Ok(found)
}
