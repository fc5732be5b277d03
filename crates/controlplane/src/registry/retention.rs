//! Removal of historical data when its time is over.
//!
//! The promise: nothing that is in use is removed (the newest revision of anything, the published one, one that a
//! pending delivery is sent by, a pending delivery, the newest number of anything that is numbered), and no step is so
//! large that requests wait for it. A sweep goes through everything, step by step, and starts again after some hours,
//! or when the settings change.

use crate::config::Retention;
use crate::registry::rows::{Change, DocumentId, Head, Rows};
use crate::registry::{Registry, Turn, publish};
use gatewright_api::resource::Subject;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::time::rfc3339;

/// Milliseconds between two sweeps.
const EVERY_MS: u64 = 6 * 3_600_000;
/// Milliseconds between two steps, in which requests are handled.
const PAUSE_MS: u64 = 20;
const DAY_MS: u64 = 86_400_000;
/// The approximate maximum number of rows that a step removes.
const ROWS: u32 = 500;
/// The maximum number of documents, organisations or webhooks that a step examines.
const LOOKED_AT: usize = 50;
/// The bookkeeping value that says when the last sweep ended, and with which settings.
const SWEPT: &str = "swept";

/// The progress of a sweep: it continues after the item named here.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Cursor {
    /// The kind and the id of a document, and the revision.
    Documents(Subject, String, u64),
    Audit,
    /// The organisation and the number.
    Notices(String, u64),
    /// The webhook.
    Deliveries(String),
    Credentials,
}

/// The state of sweeps.
#[derive(Debug)]
pub(crate) struct Sweep {
    settings: Option<Retention>,
    /// When the last one ended, in Unix milliseconds.
    ended: Option<u64>,
    /// When the next step is due, in Unix milliseconds.
    due: u64,
    /// Where the sweep in progress continues; `None` if there is none.
    cursor: Option<Cursor>,
    removed: u64,
}

impl Sweep {
    /// Reads when the last one ended.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub(crate) fn load(rows: &Rows, settings: Option<Retention>) -> Result<Self, StoreError> {
        let swept = rows.value(SWEPT)?.unwrap_or_default();
        let (at, mark) = swept.split_once(' ').unwrap_or_default();
        let ended = at.parse::<u64>().ok();
        let same = settings.is_some_and(|settings| settings.mark() == mark);
        let next = ended.filter(|_| same).map(|at| at.saturating_add(EVERY_MS));
        Ok(Self {
            settings,
            ended,
            // An alarm needs a positive time.
            due: next.unwrap_or(1),
            cursor: None,
            removed: 0,
        })
    }
}

impl Sweep {
    /// Returns when the last one ended, in RFC 3339.
    pub(crate) fn ended(&self) -> Option<String> {
        self.ended.map(rfc3339)
    }
}

/// The outcome of a step.
struct Step {
    removed: usize,
    next: Option<Cursor>,
}

/// Returns a step that removed nothing and continues at `next`.
fn skip(next: impl Into<Option<Cursor>>) -> Result<Step, StoreError> {
    let next = next.into();
    Ok(Step { removed: 0, next })
}

/// Returns the newest removable revision of a list, oldest first and each with its time; all before it are removable,
/// too. A revision is removable if it is below a number and its successor was stored before a time.
fn surplus(found: &[(u64, String)], below: u64, before: &str) -> Option<u64> {
    let mut over = found.windows(2).filter_map(|pair| match pair {
        [(revision, _), (_, at)] if *revision < below && at.as_str() < before => Some(*revision),
        _ => None,
    });
    over.next_back()
}

/// Returns the number below which revisions are removable. A deleted document retains none by count, except the
/// deletion itself.
fn below(head: Head<'_>, kept: u32) -> u64 {
    match head.live() {
        None => head.revision,
        Some(revision) => revision.saturating_add(1).saturating_sub(kept.into()),
    }
}

impl Turn<'_> {
    /// Returns the time this many days ago.
    fn days_ago(&self, days: u32) -> String {
        let ago = u64::from(days).saturating_mul(DAY_MS);
        rfc3339(self.now_ms().saturating_sub(ago))
    }

    /// Returns the time before which a deletion can no longer be undone.
    pub(in crate::registry) fn gone_before(&self) -> Option<String> {
        let days = self.sweep.settings?.revision_days?;
        Some(self.days_ago(days))
    }

    fn sweep_from(&mut self, cursor: Cursor, settings: Retention) -> Result<Step, StoreError> {
        let ago = |days: Option<u32>| days.map(|days| self.days_ago(days));
        match cursor {
            Cursor::Documents(kind, id, revision) => match ago(settings.revision_days) {
                Some(before) => {
                    let from = (DocumentId { kind, id: &id }, revision);
                    self.sweep_documents(from, settings.revisions, &before)
                }
                None => skip(Cursor::Audit),
            },
            Cursor::Audit => match ago(settings.audit_days) {
                Some(before) => self.sweep_audit(&before),
                None => skip(Cursor::Notices(String::new(), 0)),
            },
            Cursor::Notices(org, seq) => match ago(settings.notification_days) {
                Some(before) => self.sweep_notices(&org, seq, &before),
                None => skip(Cursor::Deliveries(String::new())),
            },
            Cursor::Deliveries(hook) => self.sweep_deliveries(hook, settings.deliveries),
            Cursor::Credentials => match ago(settings.credential_days) {
                Some(before) => self.sweep_credentials(&before),
                None => skip(None),
            },
        }
    }

    fn sweep_documents(
        &self,
        (after, revision): (DocumentId<'_>, u64),
        kept: u32,
        before: &str,
    ) -> Result<Step, StoreError> {
        let mut published = None;
        let limit = u32::try_from(LOOKED_AT).map_or(u32::MAX, |most| most.saturating_add(1));
        let documents = self.documents_from(after, limit)?;
        for (looked_at, document) in documents.iter().enumerate() {
            let head = document.head();
            let of = head.of;
            let at = |revision| Cursor::Documents(of.kind, of.id.to_owned(), revision);
            if looked_at == LOOKED_AT {
                return skip(at(0));
            }
            let from = if of == after { revision } else { 0 };
            let found = self.rows.oldest_revisions(of, from, ROWS)?;
            let mut below = below(head, kept);
            if of.kind == Subject::Policy {
                below = below.min(self.oldest_in_use(of.id, &mut published)?);
            }
            let Some(upto) = surplus(&found, below, before) else {
                continue;
            };
            let change = Change::TrimRevisions {
                of,
                upto,
                published: self.published(of),
                gone: head.deleted && upto.saturating_add(1) == head.revision,
            };
            self.rows.commit(&[change])?;
            let removed = found.iter().filter(|(number, _)| *number <= upto).count();
            let next = Some(at(upto));
            return Ok(Step { removed, next });
        }
        skip(Cursor::Audit)
    }

    /// Returns the oldest revision of a policy that is published or that a retained generation has served. `published`
    /// caches the list of those that are published.
    fn oldest_in_use(&self, id: &str, published: &mut Option<String>) -> Result<u64, StoreError> {
        let list = match published.take() {
            Some(list) => list,
            None => publish::policies(self.rows)?,
        };
        let now = publish::policy_revision(&list, id).unwrap_or(u64::MAX);
        *published = Some(list);
        Ok(match self.rows.oldest_served_policy(id)? {
            0 => now,
            served => served.min(now),
        })
    }

    fn sweep_audit(&mut self, before: &str) -> Result<Step, StoreError> {
        let mut found = self.rows.oldest_audit(ROWS)?;
        let last = self.journal.next_audit().saturating_sub(1);
        found.retain(|(seq, at)| at.as_str() < before && *seq < last);
        let Some((upto, _)) = found.last() else {
            return skip(Cursor::Notices(String::new(), 0));
        };
        self.rows.commit(&[Change::TrimAudit { upto: *upto }])?;
        let (removed, next) = (found.len(), Some(Cursor::Audit));
        Ok(Step { removed, next })
    }

    fn sweep_notices(&mut self, after: &str, seq: u64, before: &str) -> Result<Step, StoreError> {
        let mut cursor = None;
        let orgs = self.journal.orgs_from(after);
        for (looked_at, (org, last)) in orgs.enumerate() {
            if looked_at == LOOKED_AT {
                cursor = Some(Cursor::Notices(org.to_owned(), 0));
                break;
            }
            let from = if org == after { seq } else { 0 };
            let mut found = self.rows.oldest_notices(org, from, ROWS)?;
            found.retain(|(seq, at)| at.as_str() < before && *seq < last);
            let Some((upto, _)) = found.last() else {
                continue;
            };
            let next = Some(Cursor::Notices(org.to_owned(), *upto));
            self.rows
                .commit(&[Change::TrimNotices { org, upto: *upto }])?;
            let removed = found.len();
            return Ok(Step { removed, next });
        }
        let next = cursor.or(Some(Cursor::Deliveries(String::new())));
        Ok(Step { removed: 0, next })
    }

    fn sweep_deliveries(&mut self, after: String, kept: u32) -> Result<Step, StoreError> {
        let mut last = after;
        for _ in 0..LOOKED_AT {
            let Some(hook) = self.rows.next_hook(&last)? else {
                return skip(Cursor::Credentials);
            };
            let found = self.rows.surplus_deliveries(&hook, kept, ROWS)?;
            if let (Some(newest), Some(oldest)) = (found.first(), found.last()) {
                self.rows.commit(&[Change::RemoveDeliveries {
                    hook: &hook,
                    from: *oldest,
                    to: *newest,
                }])?;
                let removed = found.len();
                // The same webhook may have more.
                let next = Some(Cursor::Deliveries(last));
                return Ok(Step { removed, next });
            }
            last = hook;
        }
        skip(Cursor::Deliveries(last))
    }

    fn sweep_credentials(&mut self, before: &str) -> Result<Step, StoreError> {
        let limit = usize::try_from(ROWS).unwrap_or(usize::MAX);
        let ended = self.credentials.ended_before(before, limit);
        if ended.is_empty() {
            return skip(None);
        }
        let gone = ended.iter().map(|hash| Change::CredentialRemoved { hash });
        self.rows.commit(&gone.collect::<Vec<_>>())?;
        for hash in &ended {
            self.credentials.remove(hash);
        }
        let (removed, next) = (ended.len(), Some(Cursor::Credentials));
        Ok(Step { removed, next })
    }
}

impl Registry {
    /// Returns when the next step of a sweep is due, in Unix milliseconds; `None` if nothing is ever removed.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn next_sweep(&mut self) -> Result<Option<u64>, StoreError> {
        self.with_state(|_, state, _| Ok(state.sweep.settings.map(|_| state.sweep.due)))
    }

    /// Removes a bounded part of the data that is no longer retained, if a step is due. `now` is RFC 3339 in UTC.
    ///
    /// # Errors
    /// If the rows can't be read or written; then the sweep starts again.
    pub fn sweep(&mut self, now: &str) -> Result<(), StoreError> {
        self.in_turn(now, |turn| {
            let now = turn.now_ms();
            let Some(settings) = turn.sweep.settings.filter(|_| turn.sweep.due <= now) else {
                return Ok(());
            };
            let cursor = turn.sweep.cursor.take();
            let cursor =
                cursor.unwrap_or_else(|| Cursor::Documents(Subject::Api, String::new(), 0));
            let step = turn.sweep_from(cursor, settings)?;
            let removed = u64::try_from(step.removed).unwrap_or(u64::MAX);
            turn.sweep.removed = turn.sweep.removed.saturating_add(removed);
            turn.sweep.due = now.saturating_add(PAUSE_MS);
            turn.sweep.cursor = step.next;
            if turn.sweep.cursor.is_none() {
                let value = format!("{now} {}", settings.mark());
                let (name, value) = (SWEPT, value.as_str());
                turn.rows.commit(&[Change::Value { name, value }])?;
                turn.sweep.ended = Some(now);
                turn.sweep.due = now.saturating_add(EVERY_MS);
                let removed = std::mem::take(&mut turn.sweep.removed);
                if removed > 0 {
                    let line = format!("retention: {removed} rows of the past removed");
                    turn.journal.log(vec![line]);
                }
            }
            Ok(())
        })
    }
}
