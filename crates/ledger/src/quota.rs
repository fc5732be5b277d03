//! A quota: at most this many requests in a window that starts with the first of them (reference 3.4).

use crate::stored::number;
use gatewright_model::json::Value;
use gatewright_protocol::limits::QuotaLimit;

/// The usage of a quota. Times are Unix milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quota {
    used: u64,
    /// When the window ends; 0 before the first request, `u64::MAX` for never.
    renews_at: u64,
    /// How many more admissions the stored state covers.
    covered: u64,
    /// The same for the state that is known to be on disk.
    confirmed: u64,
}

/// The stored form of a [`Quota`]: the usage, including what may be used before the next write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoredQuota {
    used: u64,
    renews_at: u64,
}

impl StoredQuota {
    /// Reads a stored quota; `None` for anything else.
    pub(crate) fn read(value: &Value<'_>) -> Option<Self> {
        Some(Self {
            used: number(value, "used")?,
            renews_at: number(value, "renews_at")?,
        })
    }

    /// Returns its JSON.
    pub(crate) fn to_json(self) -> String {
        let Self { used, renews_at } = self;
        format!("{{\"used\":{used},\"renews_at\":{renews_at}}}")
    }

    /// Restores the state after a restart: everything that was covered counts as used.
    #[must_use]
    pub fn restore(self) -> Quota {
        Quota {
            used: self.used,
            renews_at: self.renews_at,
            ..Quota::default()
        }
    }
}

impl Quota {
    /// Returns the usage in the current window.
    #[must_use]
    pub const fn used(&self, now: u64) -> u64 {
        if now >= self.renews_at { 0 } else { self.used }
    }

    /// Returns how many requests are left.
    #[must_use]
    pub fn remaining(&self, limit: QuotaLimit, now: u64) -> u64 {
        limit.max.saturating_sub(self.used(now))
    }

    /// Returns when the window ends; if it has not started, when it would end if it started now.
    #[must_use]
    pub const fn renews_at(&self, limit: QuotaLimit, now: u64) -> u64 {
        if now < self.renews_at {
            self.renews_at
        } else if limit.window_ms == 0 {
            u64::MAX
        } else {
            now.saturating_add(limit.window_ms)
        }
    }

    /// Returns when it stops counting anything, `u64::MAX` for never.
    #[must_use]
    pub const fn empty_at(&self) -> u64 {
        self.renews_at
    }

    /// Counts admissions that [`Self::remaining`] allows. Returns whether the state has to be stored before they are
    /// reported.
    pub fn admit(&mut self, limit: QuotaLimit, count: u64, now: u64) -> bool {
        let begins = now >= self.renews_at;
        if begins {
            self.renews_at = self.renews_at(limit, now);
            self.used = 0;
        }
        self.used = self.used.saturating_add(count);
        let covered = self.covered >= count && !begins;
        self.covered = self.covered.saturating_sub(count);
        self.confirmed = self.confirmed.saturating_sub(count);
        !covered
    }

    /// Whether an admission is covered by what is known to be on disk.
    #[must_use]
    pub const fn is_confirmed(&self, now: u64) -> bool {
        self.confirmed > 0 && self.covered > 0 && now < self.renews_at
    }

    /// Records that the state stored last is on disk.
    pub const fn confirm(&mut self) {
        self.confirmed = self.covered;
    }

    /// Gives back admissions of the window that ends then; ignored for any other window.
    pub const fn give_back(&mut self, renews_at: u64, count: u64) {
        if self.renews_at == renews_at {
            self.used = self.used.saturating_sub(count);
        }
    }

    /// Returns what to store, with room for the admissions until the next write: a hundredth of the quota, which a
    /// crash in the next second loses.
    pub fn store(&mut self, limit: QuotaLimit) -> StoredQuota {
        let left = limit.max.saturating_sub(self.used);
        self.covered = (limit.max / 100).clamp(1, 1000).min(left);
        StoredQuota {
            used: self.used.saturating_add(self.covered),
            renews_at: self.renews_at,
        }
    }

    /// Returns what to store when no request is in progress: the exact number.
    #[must_use]
    pub const fn settle(&self) -> StoredQuota {
        StoredQuota {
            used: self.used,
            renews_at: self.renews_at,
        }
    }

    /// Records that the stored state covers nothing any more.
    pub const fn uncover(&mut self) {
        self.covered = 0;
        self.confirmed = 0;
    }
}
