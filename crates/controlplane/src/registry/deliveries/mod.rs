//! The delivery of notifications to webhooks.
//!
//! The promise: a notification and its deliveries are stored in one commit, and a delivery stays due until the result
//! of an attempt is stored too. So every subscribed notification arrives at least once, whatever is interrupted, and
//! always with the same id.

pub mod message;
pub mod outcome;
pub mod pump;
pub mod secret;
pub mod signal;

mod ask;
mod shipment;

pub(super) use ask::ask;
pub use shipment::Shipment;

use crate::config::WebhookConfig;
use crate::registry::journal::Journal;
use crate::registry::records::Records;
use crate::registry::rows::{Change, DeliveryRow, Rows};
use crate::registry::{Registry, State};
use gatewright_api::dashboard::delivery::{Attempt, Delivery};
use gatewright_api::dashboard::shape::Notice;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::time::{millis, rfc3339};
use pump::Bell;
use serde_json::Value;
use shipment::shipment;
use std::rc::Rc;

/// The maximum number of concurrent calls to one webhook: one that hangs leaves room for the others.
const AT_ONCE_PER_HOOK: usize = 3;
/// The number of deliveries after which surplus ones are removed.
const TRIM_EVERY: u64 = 50;

/// What is known about deliveries without reading them.
#[derive(Debug, Default)]
pub struct Deliveries {
    /// The number of the newest delivery.
    last: u64,
    /// Webhooks that may have pending deliveries.
    waiting: Vec<String>,
    /// How many finished deliveries of each webhook are retained.
    kept: u32,
}

/// State that the object holds only in memory.
#[derive(Debug, Default)]
pub(super) struct InProgress {
    /// Webhook and notification of each call in progress.
    calls: Vec<(String, String)>,
    bell: Rc<Bell>,
}

impl InProgress {
    fn of(&self, hook: &str) -> usize {
        self.calls.iter().filter(|(of, _)| of == hook).count()
    }
}

impl Deliveries {
    /// Reads which webhooks have pending deliveries. `kept` finished ones are retained for each webhook.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn load(rows: &Rows, kept: u32) -> Result<Self, StoreError> {
        Ok(Self {
            kept,
            last: rows.last_delivery()?,
            waiting: rows.waiting_hooks()?,
        })
    }

    /// Notes that a webhook has pending deliveries.
    fn wait(&mut self, hook: &str) {
        if !self.waiting.iter().any(|known| known == hook) {
            self.waiting.push(hook.to_owned());
        }
    }

    /// Creates the row of a new delivery.
    fn row(&mut self, hook: &str, org: &str, delivery: Delivery) -> DeliveryRow {
        self.last = self.last.saturating_add(1);
        if delivery.next_at.is_some() {
            self.wait(hook);
        }
        DeliveryRow {
            number: self.last,
            hook: hook.to_owned(),
            org: org.to_owned(),
            tries: 0,
            delivery,
        }
    }

    /// Creates the deliveries of a notification to these webhooks, due at once.
    fn of(&mut self, org: &str, notice: &Notice, hooks: &[String]) -> Vec<Change<'static>> {
        let changes = hooks.iter().map(|hook| {
            let delivery = Delivery {
                notice_id: notice.id.clone(),
                seq: notice.seq,
                kind: notice.kind.clone(),
                next_at: Some(notice.at.clone()),
                ..Delivery::default()
            };
            Change::Delivery(self.row(hook, org, delivery))
        });
        changes.collect()
    }
}

/// Creates the next notification of an organisation with its deliveries: to all subscribers, and to these other
/// webhooks.
pub(super) fn announce<'a>(
    (journal, deliveries, records): (&mut Journal, &mut Deliveries, &Records),
    org: &'a str,
    kind: &str,
    data: Value,
    now: &str,
    others: &[String],
) -> Vec<Change<'a>> {
    let subscribed = records.subscribed(org, kind).map(str::to_owned);
    let mut hooks: Vec<String> = subscribed.collect();
    for other in others {
        if !hooks.contains(other) {
            hooks.push(other.clone());
        }
    }
    announce_only((journal, deliveries), org, kind, data, now, &hooks)
}

/// Creates the next notification of an organisation with deliveries to these webhooks only.
fn announce_only<'a>(
    (journal, deliveries): (&mut Journal, &mut Deliveries),
    org: &'a str,
    kind: &str,
    data: Value,
    now: &str,
    hooks: &[String],
) -> Vec<Change<'a>> {
    let notice = journal.notice(org, kind, data, now);
    let mut changes = match &notice {
        Change::Notice { notice, .. } => deliveries.of(org, notice, hooks),
        _ => Vec::new(),
    };
    changes.push(notice);
    changes.extend(journal.trim(org, kind));
    changes
}

impl Registry {
    pub(super) fn with_state<T>(
        &mut self,
        run: impl FnOnce(&Rows, &mut State, &mut InProgress) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut state = self.take_state()?;
        let done = run(&self.rows, &mut state, &mut self.in_progress)?;
        self.state = Some(state);
        Ok(done)
    }

    /// Returns calls that are due at `now`, in Unix milliseconds, at most `room` of them; they count as in progress
    /// until [`Registry::finish_delivery`].
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn take_due(&mut self, now: u64, room: usize) -> Result<Vec<Shipment>, StoreError> {
        self.with_state(|rows, state, in_progress| {
            let mut shipments = Vec::new();
            for row in due(rows, state, in_progress, &rfc3339(now), room)? {
                let call = (row.hook.clone(), row.delivery.notice_id.clone());
                in_progress.calls.push(call);
                shipments.push(shipment(rows, state, row, now)?);
            }
            Ok(shipments)
        })
    }

    /// Stores the result of a call that ended at `now`, in Unix milliseconds.
    ///
    /// # Errors
    /// If the rows can't be read or written; then the delivery remains due.
    pub fn finish_delivery(
        &mut self,
        (hook, notice_id): (&str, &str),
        attempt: Attempt,
        now: u64,
        config: &WebhookConfig,
    ) -> Result<(), StoreError> {
        self.with_state(|rows, state, in_progress| {
            let same = |call: &(String, String)| call.0 == hook && call.1 == notice_id;
            in_progress.calls.retain(|call| !same(call));
            let Some(mut row) = rows.delivery(hook, notice_id)? else {
                return Ok(());
            };
            outcome::enter(&mut row, attempt, now, config);
            let trim = row.number.is_multiple_of(TRIM_EVERY);
            let mut changes = vec![Change::Delivery(row)];
            if trim {
                let keep = state.deliveries.kept;
                changes.push(Change::TrimDeliveries { hook, keep });
            }
            rows.commit(&changes)
        })
    }

    /// Returns when the next call is due, in Unix milliseconds; `None` if none is.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn next_delivery(&mut self) -> Result<Option<u64>, StoreError> {
        self.with_state(|rows, state, in_progress| {
            let mut next: Option<u64> = None;
            for hook in &state.deliveries.waiting {
                let limit = in_progress.of(hook).saturating_add(1);
                let first = pending(rows, in_progress, hook, limit)?.into_iter().next();
                let at = first.and_then(|row| millis(row.delivery.next_at.as_deref()?));
                next = match (next, at) {
                    (Some(a), Some(b)) => Some(a.min(b)),
                    (a, b) => a.or(b),
                };
            }
            Ok(next)
        })
    }

    /// Drops the calls of an interrupted run; they are due again.
    fn forget_calls(&mut self) {
        self.in_progress.calls.clear();
    }

    fn bell(&self) -> Rc<Bell> {
        Rc::clone(&self.in_progress.bell)
    }

    /// Wakes the delivery run, because there may be more to do.
    pub fn ring(&self) {
        self.in_progress.bell.ring();
    }
}

/// Returns pending deliveries to a webhook that are not in progress, earliest first.
fn pending(
    rows: &Rows,
    in_progress: &InProgress,
    hook: &str,
    limit: usize,
) -> Result<Vec<DeliveryRow>, StoreError> {
    let limit = u32::try_from(limit).unwrap_or(u32::MAX);
    let mut found = rows.pending(hook, limit)?;
    found.retain(|row| {
        let same = |call: &(String, String)| call.0 == hook && call.1 == row.delivery.notice_id;
        !in_progress.calls.iter().any(same)
    });
    Ok(found)
}

/// Returns due deliveries, at most `room`: webhooks with fewer calls in progress come first, so that one with many
/// deliveries does not hold up the others.
fn due(
    rows: &Rows,
    state: &mut State,
    in_progress: &InProgress,
    now: &str,
    room: usize,
) -> Result<Vec<DeliveryRow>, StoreError> {
    let mut candidates = Vec::new();
    let mut idle = Vec::new();
    if room == 0 {
        return Ok(Vec::new());
    }
    for hook in &state.deliveries.waiting {
        let busy = in_progress.of(hook);
        let found = pending(
            rows,
            in_progress,
            hook,
            busy.saturating_add(AT_ONCE_PER_HOOK),
        )?;
        if found.is_empty() && busy == 0 {
            idle.push(hook.clone());
        }
        let lanes = busy..AT_ONCE_PER_HOOK;
        for (lane, row) in lanes.zip(found) {
            if row.delivery.next_at.as_deref().is_some_and(|at| at <= now) {
                candidates.push((lane, row));
            }
        }
    }
    state.deliveries.waiting.retain(|hook| !idle.contains(hook));
    let mut first = Vec::new();
    while first.len() < room {
        let urgent = candidates
            .iter()
            .enumerate()
            .min_by_key(|(_, (lane, row))| {
                let at = row.delivery.next_at.as_deref();
                (*lane, at, row.number)
            });
        let Some((at, _)) = urgent else { break };
        first.push(candidates.swap_remove(at).1);
    }
    Ok(first)
}
