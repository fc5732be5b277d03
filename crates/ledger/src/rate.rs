//! A rate: never more than so many admissions in any window of so many milliseconds.
//!
//! Admissions are kept in slots of a thousandth of the window, so that a rate of a million costs no
//! more memory than one of a thousand. A slot counts until its *end* is out of the window: nothing
//! is ever admitted too early, and at most a thousandth of what is allowed is admitted later than
//! it could be.

use crate::direct::DIRECT_MS;
use crate::smoothing::Allowance;
use crate::stored::{joined, number};
use gatewright_model::json::Value;
use gatewright_protocol::ledger::LEASE_MS;
use gatewright_protocol::limits::RateLimit;
use std::collections::VecDeque;

/// Slots of a window.
const SLOTS: u64 = 1000;
/// Slots that are stored: what a restart has to know may be coarser.
const STORED_SLOTS: usize = 64;
/// In windows up to this length (milliseconds) what happens between two writes is bounded by time,
/// in longer ones by number.
const SHORT_WINDOW: u64 = 10_000;
/// For how many milliseconds a write to the storage covers a short window.
const COVERED: u64 = 1000;

/// The admissions of a window. Times are Unix milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// The end of each slot that holds any, oldest first, and how many it holds.
    slots: VecDeque<(u64, u32)>,
    /// How many they hold together.
    total: u64,
    /// The end of the slot that an admission was counted in last. What is leased stands behind it.
    newest: u64,
    /// How many admissions the stored state still covers, and until when.
    covered: Covered,
    /// The same of the state that is known to be on the disk.
    confirmed: Covered,
    /// How much of a smoothed rate is let through.
    pub(crate) allowance: Allowance,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Covered {
    left: u32,
    until: u64,
}

impl Covered {
    const fn covers(self, now: u64) -> bool {
        self.left > 0 && now <= self.until
    }

    /// Counts admissions. True if all of them were covered.
    const fn take(&mut self, count: u32, now: u64) -> bool {
        let covers = self.left >= count && self.covers(now);
        self.left = self.left.saturating_sub(count);
        covers
    }
}

/// What is stored of a [`Window`]: the slots, and what may happen before the next write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredWindow {
    slots: Vec<(u64, u32)>,
    /// So many admissions,
    ahead: u32,
    /// but none later than this.
    until: u64,
    /// How much of a smoothed rate is let through.
    allowance: Allowance,
}

impl StoredWindow {
    /// Reads one; `None` for anything else.
    pub(crate) fn read(value: &Value<'_>) -> Option<Self> {
        let slot = |slot: &Value<'_>| match slot.as_array()? {
            [end, count] => Some((end.as_u64()?, u32::try_from(count.as_u64()?).ok()?)),
            _ => None,
        };
        let slots = value.get("slots")?.as_array()?.iter();
        let allowance = value.get("allowance");
        Some(Self {
            slots: slots.map(slot).collect::<Option<_>>()?,
            ahead: number(value, "ahead")?,
            until: number(value, "until")?,
            allowance: allowance.map_or_else(|| Some(Allowance::default()), Allowance::read)?,
        })
    }

    /// Writes it.
    pub(crate) fn written(&self) -> String {
        let slots = self.slots.iter();
        let slots = joined(slots.map(|(end, count)| format!("[{end},{count}]")));
        let Self { ahead, until, .. } = self;
        let mut written = format!("{{\"slots\":[{slots}],\"ahead\":{ahead},\"until\":{until}");
        if !self.allowance.is_none() {
            written.push_str(&format!(",\"allowance\":{}", self.allowance.written()));
        }
        written.push('}');
        written
    }

    /// The state after a restart: everything that was covered counts as admitted, as late as it can
    /// be. The object before this one may be counted on directly for a while yet, and what it has leased last
    /// may be used for as long as a lease lasts.
    #[must_use]
    pub fn restore(self, now: u64) -> Window {
        let mut rate = Window {
            total: self.slots.iter().map(|(_, count)| u64::from(*count)).sum(),
            newest: self.slots.last().map_or(0, |(end, _)| *end),
            slots: self.slots.into(),
            allowance: self.allowance,
            ..Window::default()
        };
        if self.ahead > 0 {
            let latest = self.until.saturating_add(LEASE_MS);
            rate.put(now.saturating_add(DIRECT_MS).min(latest), self.ahead);
        }
        rate
    }
}

/// A lease that has ended.
#[derive(Clone, Copy, Debug)]
pub struct EndedBooking {
    /// How many admissions were booked for it.
    pub count: u32,
    /// How many there were.
    pub used: u32,
    /// True if its time has passed.
    pub is_over: bool,
}

/// The end of the slot that a time is in.
fn slot_of(limit: RateLimit, at: u64) -> u64 {
    let width = (limit.window_ms / SLOTS).max(1);
    let into = at.checked_rem(width).unwrap_or(0);
    // In slots of a millisecond the admission has its own time.
    match into {
        0 if width == 1 => at,
        into => at.saturating_sub(into).saturating_add(width),
    }
}

impl Window {
    /// Forgets what is out of the window.
    fn advance(&mut self, window_ms: u64, now: u64) {
        while let Some((end, count)) = self.slots.front()
            && end.saturating_add(window_ms) <= now
        {
            self.total = self.total.saturating_sub(u64::from(*count));
            self.slots.pop_front();
        }
    }

    /// Counts so many in the slot that ends then.
    fn put(&mut self, end: u64, count: u32) {
        self.total = self.total.saturating_add(u64::from(count));
        let at = match self.slots.back() {
            Some((last, _)) if *last >= end => {
                self.slots.partition_point(|(known, _)| *known < end)
            }
            _ => self.slots.len(),
        };
        match self.slots.get_mut(at) {
            Some((known, held)) if *known == end => *held = held.saturating_add(count),
            _ => self.slots.insert(at, (end, count)),
        }
    }

    /// Takes so many out of the slot that ends then; nothing if it has left the window.
    fn take_out(&mut self, end: u64, count: u32) {
        let Ok(at) = self.slots.binary_search_by_key(&end, |(end, _)| *end) else {
            return;
        };
        let Some((_, held)) = self.slots.get_mut(at) else {
            return;
        };
        let count = count.min(*held);
        *held = held.saturating_sub(count);
        let is_empty = *held == 0;
        self.total = self.total.saturating_sub(u64::from(count));
        if is_empty {
            self.slots.remove(at);
        }
    }

    /// The end of the slot of a time. A clock that was set back must not let an admission leave the window
    /// before those that came earlier.
    fn slot(&self, limit: RateLimit, now: u64) -> u64 {
        slot_of(limit, now).max(self.newest)
    }

    /// How many admissions are in the window now.
    pub(crate) fn usage(&mut self, window_ms: u64, now: u64) -> u64 {
        self.advance(window_ms, now);
        self.total
    }

    /// How many requests could be admitted now.
    pub fn remaining(&mut self, limit: RateLimit, now: u64) -> u32 {
        self.advance(limit.window_ms, now);
        let left = u64::from(limit.limit).saturating_sub(self.total);
        u32::try_from(left).unwrap_or(u32::MAX)
    }

    /// How many milliseconds pass until the next request can be admitted; 0 if it can be now.
    pub fn wait(&mut self, limit: RateLimit, now: u64) -> u64 {
        if self.remaining(limit, now) > 0 {
            return 0;
        }
        // With a limit that was lowered more than the oldest slot has to go.
        let mut over = self.total.saturating_sub(u64::from(limit.limit));
        for (end, count) in &self.slots {
            if u64::from(*count) > over {
                return end.saturating_add(limit.window_ms).saturating_sub(now);
            }
            over = over.saturating_sub(u64::from(*count));
        }
        0
    }

    /// From when on nothing counts any more.
    #[must_use]
    pub fn empty_at(&self, limit: RateLimit) -> u64 {
        let last = self.slots.back();
        last.map_or(0, |(end, _)| end.saturating_add(limit.window_ms))
    }

    /// Counts an admission that [`Self::remaining`] has allowed. True if the state has to be stored
    /// before anybody hears of it.
    pub fn admit(&mut self, limit: RateLimit, now: u64) -> bool {
        self.newest = self.slot(limit, now);
        self.put(self.newest, 1);
        self.confirmed.take(1, now);
        !self.covered.take(1, now)
    }

    /// Counts so many admissions of a lease that [`Self::remaining`] has allowed, at the latest moment they
    /// can be used. Answers the end of their slot, for [`Self::end_lease`], and whether the state has to be
    /// stored before anybody hears of it.
    pub fn lease(&mut self, limit: RateLimit, count: u32, until: u64, now: u64) -> (u64, bool) {
        let end = self.slot(limit, until);
        self.put(end, count);
        self.confirmed.take(count, now);
        (end, !self.covered.take(count, now))
    }

    /// Ends a lease that [`Self::lease`] has booked in this slot. What was used before the lease's end was so by
    /// now at the latest.
    pub fn end_lease(&mut self, limit: RateLimit, slot: u64, lease: EndedBooking, now: u64) {
        let EndedBooking {
            count,
            used,
            is_over,
        } = lease;
        let end = self.slot(limit, now);
        let is_booked = self
            .slots
            .binary_search_by_key(&slot, |(end, _)| *end)
            .is_ok();
        if is_over || end >= slot || !is_booked {
            self.take_out(slot, count.saturating_sub(used));
            return;
        }
        self.take_out(slot, count);
        if used > 0 {
            self.newest = end;
            self.put(end, used);
        }
    }

    /// True if an admission is covered by what is known to be on the disk.
    #[must_use]
    pub const fn is_confirmed(&self, now: u64) -> bool {
        self.confirmed.covers(now) && self.covered.covers(now)
    }

    /// Says that what was stored last is on the disk.
    pub const fn confirm(&mut self) {
        self.confirmed = self.covered;
    }

    /// Gives back an admission that was counted then and refused elsewhere. What is stored counts it still, so
    /// a restart can only admit fewer; where its slot is not known any more, it stays counted.
    pub fn give_back(&mut self, limit: RateLimit, counted_at: u64) {
        self.take_out(slot_of(limit, counted_at), 1);
    }

    /// What to store, with room for the admissions until the next write.
    pub fn store(&mut self, limit: RateLimit, now: u64) -> StoredWindow {
        let (ahead, until) = if limit.window_ms <= SHORT_WINDOW {
            (limit.limit, now.saturating_add(COVERED))
        } else {
            ((limit.limit / 100).max(1), u64::MAX)
        };
        self.covered = Covered { left: ahead, until };
        StoredWindow {
            ahead,
            until,
            ..self.settle()
        }
    }

    /// What to store when nothing is under way: no room, so that a restart knows the exact number.
    #[must_use]
    pub fn settle(&self) -> StoredWindow {
        let each = self.slots.len().div_ceil(STORED_SLOTS).max(1);
        let slots: Vec<(u64, u32)> = self.slots.iter().copied().collect();
        let merged = slots.chunks(each).map(|chunk| {
            let end = chunk.last().map_or(0, |(end, _)| *end);
            let sum = chunk
                .iter()
                .fold(0_u32, |sum, (_, count)| sum.saturating_add(*count));
            (end, sum)
        });
        StoredWindow {
            slots: merged.collect(),
            ahead: 0,
            until: 0,
            allowance: self.allowance,
        }
    }

    /// Says that the stored state covers nothing any more.
    pub fn uncover(&mut self) {
        self.covered = Covered::default();
        self.confirmed = Covered::default();
    }
}
