//! When the records of keys end (reference 2.1, *Storage lifetime*), and their removal.
//!
//! The promise: from that moment on the key counts as deleted everywhere, and soon after it is deleted, with an audit
//! entry and a notification.

use super::{SessionRow, over};
use crate::registry::rows::Rows;
use crate::registry::{Registry, Turn};
use gatewright_model::definition::{ApplicationProtocol, version_names};
use gatewright_model::json::{self, Value};
use gatewright_model::session::{ApiLifetime, Lifetimes, Session};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::sessions::Owner;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many sessions are deleted at once, so that requests are handled in between.
const AT_ONCE: u32 = 100;
/// The latest time that the platform's clock can represent, in Unix milliseconds (ECMA-262, *Time Values*). Anything
/// later counts as never.
const LAST: u64 = 8_640_000_000_000_000;

/// What is known about the ends of sessions without reading them.
#[derive(Debug, Default)]
pub(crate) struct Ends {
    /// No session ends before this time, in Unix milliseconds; `None` if none ends.
    first: Option<u64>,
    /// The rules of APIs that keys have named, each with the revision it was read from.
    apis: BTreeMap<String, (u64, ApiRules)>,
}

/// The rules of an API for the sessions of its keys.
#[derive(Clone, Debug, Default)]
pub(super) struct ApiRules {
    lifetime: ApiLifetime,
    /// `dont_set_quota_on_create`.
    keeps_quota: bool,
    pub(super) application_protocol: ApplicationProtocol,
    /// The versions that a key may name; `None` if any will do, or if other APIs are its versions.
    pub(super) versions: Option<Arc<[String]>>,
}

impl Ends {
    /// Reads when the first session ends.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub(crate) fn load(rows: &Rows) -> Result<Self, StoreError> {
        Ok(Self {
            first: first(rows)?,
            apis: BTreeMap::new(),
        })
    }

    /// Notes the end of a session that was stored.
    pub(in crate::registry) fn note(&mut self, ends: u64) {
        if ends > 0 {
            self.first = Some(self.first.map_or(ends, |first| first.min(ends)));
        }
    }
}

fn first(rows: &Rows) -> Result<Option<u64>, StoreError> {
    let oauth = rows
        .first_oauth_end()?
        .map(|ends| ends.saturating_mul(1000));
    let rows = rows.ending(LAST, 1)?;
    let session = rows.first().map(|row| row.facts.ends);
    Ok(session.into_iter().chain(oauth).min())
}

/// Returns the rules of each API that a session names; `None` for an unknown one.
pub(super) fn rules(
    turn: &mut Turn<'_>,
    session: &Session,
) -> Result<Vec<Option<ApiRules>>, StoreError> {
    let rights = session.access_rights.iter();
    rights.map(|(id, _)| rules_of(turn, id)).collect()
}

fn rules_of(turn: &mut Turn<'_>, id: &str) -> Result<Option<ApiRules>, StoreError> {
    let Some(entry) = turn.index.live(id) else {
        return Ok(None);
    };
    if let Some((revision, rules)) = turn.ends.apis.get(id)
        && *revision == entry.revision
    {
        return Ok(Some(rules.clone()));
    }
    let text = turn.rows.text(id, entry.revision)?.unwrap_or_default();
    let rules = json::parse(&text).map_or_else(|_| ApiRules::default(), |api| read(&api));
    let known = (entry.revision, rules.clone());
    turn.ends.apis.insert(id.to_owned(), known);
    Ok(Some(rules))
}

fn read(api: &Value<'_>) -> ApiRules {
    let on = |name| api.bool(name).unwrap_or_default();
    ApiRules {
        lifetime: ApiLifetime {
            session_lifetime: api.int("session_lifetime").unwrap_or_default(),
            respects_expiration: on("session_lifetime_respects_key_expiration"),
        },
        keeps_quota: on("dont_set_quota_on_create"),
        application_protocol: ApplicationProtocol::read(api),
        versions: versions(api),
    }
}

fn versions(api: &Value<'_>) -> Option<Arc<[String]>> {
    let on = |pointer| api.pointer(pointer).and_then(Value::as_bool) == Some(true);
    let others = api.pointer("/definition/versions").map(Value::members);
    let any = on("/version_data/not_versioned") || on("/definition/enabled");
    let checked = !any && others.is_none_or(<[_]>::is_empty);
    checked.then(|| version_names(api).into())
}

/// Whether every API of a session has `dont_set_quota_on_create` (specification, rule 5). An unknown one does not.
pub(super) fn keeps_quota(rules: &[Option<ApiRules>]) -> bool {
    let keeps = |rules: &Option<ApiRules>| rules.as_ref().is_some_and(|rules| rules.keeps_quota);
    !rules.is_empty() && rules.iter().all(keeps)
}

/// Returns when a session that is stored now ends, in Unix milliseconds; 0 for never. `session` has its policies
/// applied. Sessions of organisations never end.
pub(super) fn ends(
    turn: &Turn<'_>,
    owner: Owner,
    session: &Session,
    rules: &[Option<ApiRules>],
) -> u64 {
    if owner == Owner::Organisation {
        return 0;
    }
    if !session.oauth_client_id.is_empty() && session.expires > 0 {
        // An OAuth token that has expired is as unknown as one that was revoked (reference 1.9).
        let ends = session.expires.unsigned_abs().saturating_mul(1000);
        return if ends <= LAST { ends } else { 0 };
    }
    let apis: Vec<_> = rules.iter().flatten().map(|rules| rules.lifetime).collect();
    let of = Lifetimes {
        apis: &apis,
        respects_expiration: turn.lifetimes.respects_expiration,
        forced: turn.lifetimes.forced,
    };
    let now = turn.now_ms();
    let seconds = session.lifetime(&of, turn.now_seconds());
    let ends = seconds.map(|seconds| {
        let ms = seconds.unsigned_abs().saturating_mul(1000);
        now.saturating_add(ms)
    });
    ends.filter(|ends| *ends <= LAST).unwrap_or(0)
}

impl Turn<'_> {
    /// Returns a session, unless its time is over.
    pub(super) fn session(
        &self,
        owner: Owner,
        id: &str,
    ) -> Result<Option<(SessionRow, String)>, StoreError> {
        let now = self.now_ms();
        let found = self.rows.session(owner, id)?;
        Ok(found.filter(|(row, _)| !row.is_over(now)))
    }

    /// Returns the first of these sessions whose time is not over, with its text if its Ledger does not keep it yet.
    pub(super) fn first_session(
        &self,
        owner: Owner,
        ids: &[String],
    ) -> Result<Option<(SessionRow, Option<String>)>, StoreError> {
        let now = self.now_ms();
        let found = self.rows.sessions_of(owner, ids)?;
        Ok(found.into_iter().find(|(row, _)| !row.is_over(now)))
    }

    /// Returns a session that is to end. Where it may live in an object for another `LEDGER_SHARDS`, its Ledger has to lend
    /// it, so that it is fetched from there first: its end would not be heard of there.
    pub(in crate::registry) fn ending(
        &self,
        owner: Owner,
        id: &str,
    ) -> Result<Option<SessionRow>, StoreError> {
        match self.placed.is_open() {
            true => Ok(self.rows.session(owner, id)?.map(|(row, _)| row)),
            false => self.rows.session_row(owner, id),
        }
    }

    /// Returns the session that a write replaces. One whose time is over is deleted first, unless the write is a dry
    /// run.
    pub(super) fn replaced(
        &mut self,
        owner: Owner,
        id: &str,
        is_dry_run: bool,
    ) -> Result<Option<(SessionRow, String)>, StoreError> {
        let now = self.now_ms();
        match self.rows.session(owner, id)? {
            Some((row, _)) if row.is_over(now) => {
                if !is_dry_run {
                    over::end(self, &row)?;
                }
                Ok(None)
            }
            found => Ok(found),
        }
    }
}

impl Registry {
    /// Returns when the next session ends, in Unix milliseconds, or a time before that.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn next_end(&mut self) -> Result<Option<u64>, StoreError> {
        self.with_state(|_, state, _| Ok(state.ends.first))
    }

    /// Deletes a bounded number of sessions whose time is over, and OAuth codes and tokens that have ended; `now` is
    /// RFC 3339 in UTC.
    ///
    /// # Errors
    /// If the rows can't be read or written, or sessions are wanted; what was not deleted remains due.
    pub fn remove_ended(&mut self, now: &str) -> Result<(), StoreError> {
        self.in_turn(now, |turn| {
            let over = turn.rows.ending(turn.now_ms(), AT_ONCE)?;
            let ids = over.iter();
            turn.rows
                .want(ids.map(|row| (row.owner.word(), row.id.as_str(), 0)))?;
            if turn.rows.wants() {
                return Err(StoreError::new("end sessions", "their Ledgers have them"));
            }
            for row in &over {
                over::end(turn, row)?;
            }
            turn.rows.lapse_oauth(turn.now_seconds())?;
            turn.ends.first = first(turn.rows)?;
            Ok(())
        })
    }
}
