//! A rate: at most this many admissions in any window of this many milliseconds.
//!
//! Admissions are kept in slots of a thousandth of the window, so that a rate of a million costs no more memory than
//! one of a thousand. A slot counts until its *end* leaves the window: nothing is ever admitted too early, and at most
//! a thousandth of what is allowed is admitted later than it could be.

use crate::direct::DIRECT_MS;
use crate::smoothing::Allowance;
use crate::stored::{joined, number};
use gatewright_model::json::Value;
use gatewright_protocol::ledger::LEASE_MS;
use gatewright_protocol::limits::RateLimit;
use std::collections::VecDeque;

/// The slots per window.
const SLOTS: u64 = 1000;
/// The slots that are stored: after a restart a coarser history is enough.
const STORED_SLOTS: usize = 64;
/// In windows up to this length (milliseconds) admissions between two writes are bounded by time, in longer ones by
/// number.
const SHORT_WINDOW: u64 = 10_000;
/// How long a write to the storage covers a short window, in milliseconds.
const COVERED: u64 = 1000;

/// The admissions of a window. Times are Unix milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// The end of each slot that is not empty, oldest first, and its admissions.
    slots: VecDeque<(u64, u32)>,
    /// The admissions in all slots.
    total: u64,
    /// The end of the slot of the latest admission. Leased ones are in later slots.
    newest: u64,
    /// How many more admissions the stored state covers, and until when.
    covered: Covered,
    /// The same for the state that is known to be on disk.
    confirmed: Covered,
    /// The current allowance of a smoothed rate.
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

    /// Counts admissions. Returns whether all of them were covered.
    const fn take(&mut self, count: u32, now: u64) -> bool {
        let covers = self.left >= count && self.covers(now);
        self.left = self.left.saturating_sub(count);
        covers
    }
}

/// The stored form of a [`Window`]: the slots, and what may be admitted before the next write.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredWindow {
    slots: Vec<(u64, u32)>,
    /// The most admissions before the next write,
    ahead: u32,
    /// and the latest time of one.
    until: u64,
    /// The current allowance of a smoothed rate.
    allowance: Allowance,
}

impl StoredWindow {
    /// Reads a stored window; `None` for anything else.
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

    /// Returns its JSON.
    pub(crate) fn to_json(&self) -> String {
        let slots = self.slots.iter();
        let slots = joined(slots.map(|(end, count)| format!("[{end},{count}]")));
        let Self { ahead, until, .. } = self;
        let mut written = format!("{{\"slots\":[{slots}],\"ahead\":{ahead},\"until\":{until}");
        if !self.allowance.is_unchanged() {
            written.push_str(&format!(",\"allowance\":{}", self.allowance.to_json()));
        }
        written.push('}');
        written
    }

    /// Restores the state after a restart: everything that was covered counts as admitted, as late as possible. The
    /// previous object may be counted on directly for a while yet, and what it last leased may be used for the duration
    /// of a lease.
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
            rate.add(now.saturating_add(DIRECT_MS).min(latest), self.ahead);
        }
        rate
    }
}

/// A lease that has ended.
#[derive(Clone, Copy, Debug)]
pub struct EndedBooking {
    /// How many admissions were booked for it.
    pub count: u32,
    /// How many were used.
    pub used: u32,
    /// Whether its time has passed.
    pub is_over: bool,
}

/// Returns the end of the slot that contains a time.
fn slot_of(limit: RateLimit, at: u64) -> u64 {
    let width = (limit.window_ms / SLOTS).max(1);
    let into = at.checked_rem(width).unwrap_or(0);
    // With slots of one millisecond, the slot ends at the admission's own time.
    match into {
        0 if width == 1 => at,
        into => at.saturating_sub(into).saturating_add(width),
    }
}

impl Window {
    /// Drops what has left the window.
    fn advance(&mut self, window_ms: u64, now: u64) {
        while let Some((end, count)) = self.slots.front()
            && end.saturating_add(window_ms) <= now
        {
            self.total = self.total.saturating_sub(u64::from(*count));
            self.slots.pop_front();
        }
    }

    /// Adds admissions to the slot that ends then.
    fn add(&mut self, end: u64, count: u32) {
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

    /// Removes admissions from the slot that ends then; nothing if it has left the window.
    fn remove(&mut self, end: u64, count: u32) {
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

    /// Returns the end of the slot for a time. A clock that was set back must not let an admission leave the window
    /// before earlier ones.
    fn slot(&self, limit: RateLimit, now: u64) -> u64 {
        slot_of(limit, now).max(self.newest)
    }

    /// Returns how many admissions are in the window now.
    pub(crate) fn usage(&mut self, window_ms: u64, now: u64) -> u64 {
        self.advance(window_ms, now);
        self.total
    }

    /// Returns how many requests could be admitted now.
    pub fn remaining(&mut self, limit: RateLimit, now: u64) -> u32 {
        self.advance(limit.window_ms, now);
        let left = u64::from(limit.limit).saturating_sub(self.total);
        u32::try_from(left).unwrap_or(u32::MAX)
    }

    /// Returns in how many milliseconds the next request can be admitted; 0 means now.
    pub fn wait(&mut self, limit: RateLimit, now: u64) -> u64 {
        if self.remaining(limit, now) > 0 {
            return 0;
        }
        // After a limit was lowered, more than the oldest slot has to leave the window.
        let mut over = self.total.saturating_sub(u64::from(limit.limit));
        for (end, count) in &self.slots {
            if u64::from(*count) > over {
                return end.saturating_add(limit.window_ms).saturating_sub(now);
            }
            over = over.saturating_sub(u64::from(*count));
        }
        0
    }

    /// Returns when it stops counting anything.
    #[must_use]
    pub fn empty_at(&self, limit: RateLimit) -> u64 {
        let last = self.slots.back();
        last.map_or(0, |(end, _)| end.saturating_add(limit.window_ms))
    }

    /// Counts an admission that [`Self::remaining`] allows. Returns whether the state has to be stored before it is
    /// reported.
    pub fn admit(&mut self, limit: RateLimit, now: u64) -> bool {
        self.newest = self.slot(limit, now);
        self.add(self.newest, 1);
        self.confirmed.take(1, now);
        !self.covered.take(1, now)
    }

    /// Counts the admissions of a lease that [`Self::remaining`] allows, at the latest time at which they can be used.
    /// Returns the end of their slot, for [`Self::end_lease`], and whether the state has to be stored before they are
    /// reported.
    pub fn lease(&mut self, limit: RateLimit, count: u32, until: u64, now: u64) -> (u64, bool) {
        let end = self.slot(limit, until);
        self.add(end, count);
        self.confirmed.take(count, now);
        (end, !self.covered.take(count, now))
    }

    /// Ends a lease that [`Self::lease`] has booked in this slot. Anything used before the lease's end was used by now
    /// at the latest.
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
            self.remove(slot, count.saturating_sub(used));
            return;
        }
        self.remove(slot, count);
        if used > 0 {
            self.newest = end;
            self.add(end, used);
        }
    }

    /// Whether an admission is covered by what is known to be on disk.
    #[must_use]
    pub const fn is_confirmed(&self, now: u64) -> bool {
        self.confirmed.covers(now) && self.covered.covers(now)
    }

    /// Records that the state stored last is on disk.
    pub const fn confirm(&mut self) {
        self.confirmed = self.covered;
    }

    /// Gives back an admission that was counted at this time and then refused elsewhere. The stored state still counts
    /// it, so a restart can only admit fewer; if its slot isn't known any more, it stays counted.
    pub fn give_back(&mut self, limit: RateLimit, counted_at: u64) {
        self.remove(slot_of(limit, counted_at), 1);
    }

    /// Returns what to store, with room for the admissions until the next write.
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

    /// Returns what to store when no request is in progress: no room, so that a restart knows the exact number.
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

    /// Records that the stored state covers nothing any more.
    pub fn uncover(&mut self) {
        self.covered = Covered::default();
        self.confirmed = Covered::default();
    }
}
