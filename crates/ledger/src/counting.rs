//! Counts a request against all of its limits, or against none.

use crate::quota::Quota;
use crate::rate::Window;
use crate::{Ledger, MAX_COUNTERS};
use gatewright_protocol::ledger::{Consume, Count, Limit, Standing, Step, Verdict, lease_ms};
use gatewright_protocol::limits::{QuotaLimit, RateLimit};

impl Ledger {
    pub(crate) fn count(&mut self, ask: &Consume, now: u64) -> Verdict {
        if ask.clear {
            self.clear(now);
            return Verdict::Admitted(Vec::new());
        }
        let counts = ask.counts.as_slice();
        if !ask.back.is_empty() {
            for (count, at) in counts.iter().zip(&ask.back) {
                self.take_back(count, *at);
            }
            return Verdict::Admitted(Vec::new());
        }
        let is_ahead = ask.lease.as_ref().is_some_and(|lease| lease.is_ahead);
        let steps: Vec<Step> = match ask.peek || is_ahead {
            true => Vec::new(),
            false => counts.iter().map(|count| self.smooth(count, now)).collect(),
        };
        let refusing = match ask.peek {
            true => None,
            false => self.refusing(ask, now),
        };
        let is_counted = refusing.is_none() && !ask.peek && !is_ahead;
        if is_counted {
            for count in counts {
                self.admit(count, now);
            }
        }
        let shown = ask.show.iter().filter_map(|index| {
            let index = usize::try_from(*index).ok()?;
            Some((counts.get(index)?, steps.get(index).copied()))
        });
        let standings = shown.map(|(count, step)| Standing {
            counted_at: if is_counted { now } else { 0 },
            step: step.unwrap_or_default(),
            ..self.standing(count, now)
        });
        let standings = standings.collect();
        let Some(index) = refusing else {
            let want = ask
                .lease
                .as_ref()
                .filter(|lease| lease.want > 0 && !ask.peek);
            return match want.and_then(|want| self.lease(ask, want, now)) {
                Some(lease) => Verdict::Leased(standings, lease),
                None => Verdict::Admitted(standings),
            };
        };
        if let (Some(_), Some(ms)) = (&ask.lease, lease_ms(counts)) {
            // Until then the isolate refuses by itself.
            self.unsaved |= self.leases.is_unstored();
            self.leases.extend_until(now.saturating_add(ms));
        }
        let retry_ms = counts.get(index).map_or(0, |count| self.wait(count, now));
        Verdict::Refused {
            by: u32::try_from(index).unwrap_or(u32::MAX),
            retry_ms,
            standings,
        }
    }

    /// Takes back a request. `at` is when a rate counted it, or when the window of a quota ends, in Unix milliseconds.
    fn take_back(&mut self, count: &Count, at: u64) {
        match count.limit {
            Limit::Quota(_) => {
                if let Some((_, quota)) = self.quotas.get_mut(&count.name) {
                    quota.give_back(at, 1);
                }
            }
            Limit::Rate(limit) => {
                if let Some((_, rate)) = self.rates.get_mut(&count.name) {
                    rate.give_back(limit, at);
                }
            }
        }
    }

    /// Returns the index of the first limit that is exhausted.
    pub(crate) fn refusing(&mut self, ask: &Consume, now: u64) -> Option<usize> {
        let mut counts = ask.counts.iter();
        counts.position(|count| !self.has_room(count, now))
    }

    fn has_room(&mut self, count: &Count, now: u64) -> bool {
        self.standing(count, now).remaining > 0
    }

    fn wait(&mut self, count: &Count, now: u64) -> u64 {
        let at = self.standing(count, now).at;
        match count.limit {
            Limit::Quota(_) if at != u64::MAX => at.saturating_sub(now),
            Limit::Rate(_) | Limit::Quota(_) => at,
        }
    }

    pub(crate) fn standing(&mut self, count: &Count, now: u64) -> Standing {
        match count.limit {
            Limit::Rate(limit) => {
                let limit = self.effective_limit(count, limit);
                let allowance = count.smoothing.map_or(0, |_| limit.limit);
                match self.rates.get_mut(&count.name) {
                    Some((_, rate)) => Standing {
                        remaining: u64::from(rate.remaining(limit, now)),
                        at: rate.wait(limit, now),
                        allowance,
                        ..Standing::default()
                    },
                    None => Standing {
                        remaining: u64::from(limit.limit),
                        allowance,
                        ..Standing::default()
                    },
                }
            }
            Limit::Quota(limit) => {
                let quota = self.quotas.get(&count.name).map(|(_, quota)| *quota);
                let quota = quota.unwrap_or_default();
                Standing {
                    remaining: quota.remaining(limit, now),
                    at: quota.renews_at(limit, now),
                    ..Standing::default()
                }
            }
        }
    }

    fn admit(&mut self, count: &Count, now: u64) {
        let store = match count.limit {
            Limit::Rate(limit) => self.rate(&count.name, limit, now).admit(limit, now),
            Limit::Quota(limit) => self.quota(&count.name, limit).admit(limit, 1, now),
        };
        self.unsaved |= store;
    }

    /// Returns the counter of a rate, with its current limit.
    pub(crate) fn rate(&mut self, name: &str, limit: RateLimit, now: u64) -> &mut Window {
        let full = self.rates.len().saturating_add(self.quotas.len()) >= MAX_COUNTERS;
        if full && !self.rates.contains_key(name) {
            // Only rates without recent counts can be dropped without a loss.
            self.rates
                .retain(|_, (limit, rate)| rate.remaining(*limit, now) < limit.limit);
        }
        let known = self.rates.entry(name.to_owned());
        let (kept, rate) = known.or_insert_with(|| (limit, Window::default()));
        *kept = limit;
        rate
    }

    /// Returns the counter of a quota, with its current limit.
    pub(crate) fn quota(&mut self, name: &str, limit: QuotaLimit) -> &mut Quota {
        let known = self.quotas.entry(name.to_owned());
        let (kept, quota) = known.or_insert_with(|| (limit, Quota::default()));
        *kept = limit;
        quota
    }
}
