//! The figures of what was served, as drawn by the overview.

#[cfg(all(test, target_arch = "wasm32"))]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod agreement;
pub mod failures;

use gatewright_model::amount::Amount;
use gatewright_model::json::Value;

use super::read::{Read, list, needed, number, text};
use super::{Api, ApiError, Call};
use crate::state::query_string::encode;

/// Counts over some period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// Requests, including refused ones.
    pub requests: u64,
    /// Responses with a status of 500 or above, and requests whose upstream could not be reached.
    pub errors: u64,
    /// Requests refused because of their key.
    pub key_failures: u64,
    /// Requests refused by a rate limit.
    pub rate_limited: u64,
    /// Requests refused by a quota.
    pub quota_exceeded: u64,
    /// Requests refused for another reason.
    pub refused: u64,
    /// Calls to Ledgers, to count requests.
    pub ledger_calls: u64,
    /// Direct counts on Ledgers in the same isolate, without a call.
    pub direct_counts: u64,
    /// Counts without any Ledger: by a lease, or a recent refusal.
    pub leased_counts: u64,
    /// Leases that isolates were granted.
    pub leases: u64,
    /// Requests served from the cache.
    pub cache_hits: u64,
    /// Cacheable requests that went to the upstream.
    pub cache_misses: u64,
    /// The average time upstreams took, in tenths of a millisecond; `None` without a response.
    pub average: Option<u64>,
    /// The 95th percentile of the time upstreams took, in tenths of a millisecond.
    pub p95: Option<u64>,
}

/// The members that are counts.
const COUNTS: [&str; 12] = [
    "requests",
    "errors",
    "key_failures",
    "rate_limited",
    "quota_exceeded",
    "refused",
    "ledger_calls",
    "direct_counts",
    "leased_counts",
    "leases",
    "cache_hits",
    "cache_misses",
];

impl Sums {
    /// Returns the counts, in the order of [`COUNTS`].
    const fn counts(&mut self) -> [&mut u64; COUNTS.len()] {
        [
            &mut self.requests,
            &mut self.errors,
            &mut self.key_failures,
            &mut self.rate_limited,
            &mut self.quota_exceeded,
            &mut self.refused,
            &mut self.ledger_calls,
            &mut self.direct_counts,
            &mut self.leased_counts,
            &mut self.leases,
            &mut self.cache_hits,
            &mut self.cache_misses,
        ]
    }

    /// Returns the number of requests refused for any reason.
    #[must_use]
    pub const fn all_refused(&self) -> u64 {
        self.key_failures
            .saturating_add(self.rate_limited)
            .saturating_add(self.quota_exceeded)
            .saturating_add(self.refused)
    }
}

/// Reads a time in milliseconds as tenths of a millisecond.
fn tenths(value: &Value<'_>, name: &str) -> Option<u64> {
    let micros = Amount::read(value.get(name)?).micros();
    u64::try_from(micros / 100_000).ok()
}

impl Read for Sums {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        let value = value.get("sums").unwrap_or(value);
        let mut sums = Self {
            average: tenths(value, "average_ms"),
            p95: tenths(value, "p95_ms"),
            ..Self::default()
        };
        for (count, name) in sums.counts().into_iter().zip(COUNTS) {
            *count = number(value, name);
        }
        Ok(sums)
    }
}

/// Counts of one step of the series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Point {
    /// The start of the step, Unix seconds.
    pub at: i64,
    /// The sums.
    pub sums: Sums,
}

impl Read for Point {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            at: number(value, "at"),
            sums: Sums::read(value)?,
        })
    }
}

/// Counts of one API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApiSums {
    /// Its id.
    pub api_id: String,
    /// Its name; empty if it is not loaded.
    pub name: String,
    /// The sums.
    pub sums: Sums,
}

impl ApiSums {
    /// Returns the name to show: the name, or else the id.
    #[must_use]
    pub fn called(&self) -> &str {
        if self.name.is_empty() {
            &self.api_id
        } else {
            &self.name
        }
    }
}

impl Read for ApiSums {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            api_id: value.str("api_id").ok_or("api_id")?.to_owned(),
            name: text(value, "name"),
            sums: Sums::read(value)?,
        })
    }
}

/// A key that has used up most of its quota.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CloseKey {
    /// The hash its token is stored under.
    pub hash: String,
    /// Its display name.
    pub alias: String,
    /// The id of the API it was used for.
    pub api_id: String,
    /// The API's name; empty if it is not loaded.
    pub api_name: String,
    /// The quota.
    pub max: u64,
    /// How much was left of it.
    pub remaining: u64,
    /// When the quota renews, Unix seconds; 0 for never.
    pub renews: i64,
}

impl Read for CloseKey {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            hash: value.str("key_hash").ok_or("key_hash")?.to_owned(),
            alias: text(value, "alias"),
            api_id: text(value, "api_id"),
            api_name: text(value, "api_name"),
            max: number(value, "quota_max"),
            remaining: number(value, "quota_remaining"),
            renews: number(value, "quota_renews"),
        })
    }
}

/// The figures of a window.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// The start of the window, Unix seconds.
    pub since: i64,
    /// The end of the window, Unix seconds.
    pub until: i64,
    /// The length of a step; the last one has not ended yet.
    pub step_seconds: i64,
    /// The counts of the window as a whole.
    pub totals: Sums,
    /// The steps, oldest first.
    pub series: Vec<Point>,
    /// The APIs with the most requests.
    pub apis: Vec<ApiSums>,
    /// Keys that are close to their quota, closest first.
    pub close: Vec<CloseKey>,
    /// Whether this is only a part of a window.
    pub is_part: bool,
}

impl Figures {
    /// Returns the start and the end of a range of steps, Unix seconds.
    #[must_use]
    pub fn times(&self, first: usize, last: usize) -> Option<(i64, i64)> {
        let (first, last) = (self.series.get(first)?, self.series.get(last)?);
        Some((first.at, last.at.saturating_add(self.step_seconds)))
    }

    /// Returns the largest of a value in its steps: what a latency of all of them is at most.
    fn most(&self, value: fn(&Sums) -> Option<u64>) -> Option<u64> {
        let steps = self.series.iter();
        steps.filter_map(|point| value(&point.sums)).max()
    }

    /// Formats a value of all steps: as `≤` the largest of theirs if it can't be added up, and as a dash if there is none.
    #[must_use]
    pub fn total_text(
        &self,
        value: fn(&Sums) -> Option<u64>,
        write: impl Fn(u64) -> String,
    ) -> String {
        match (value(&self.totals), self.most(value)) {
            (Some(exact), _) => write(exact),
            (None, Some(most)) => format!("≤ {}", write(most)),
            (None, None) => "–".to_owned(),
        }
    }

    /// Returns the part between two times, Unix seconds. Its totals have no latencies: those of several steps can't be
    /// added up.
    #[must_use]
    pub fn between(mut self, (since, until): (i64, i64)) -> Self {
        self.series
            .retain(|point| point.at >= since && point.at < until);
        let mut totals = Sums::default();
        for Point { sums, .. } in &mut self.series {
            for (total, more) in totals.counts().into_iter().zip(sums.counts()) {
                *total = total.saturating_add(*more);
            }
        }
        if let [point] = self.series.as_slice() {
            (totals.average, totals.p95) = (point.sums.average, point.sums.p95);
        }
        Self {
            since,
            until,
            totals,
            is_part: true,
            ..self
        }
    }
}

impl Read for Figures {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            since: number(value, "since"),
            until: number(value, "until"),
            step_seconds: number(value, "step_seconds"),
            totals: Sums::read(value.get("totals").ok_or("totals")?)?,
            series: needed(value, "series")?,
            apis: list(value, "apis")?,
            close: list(value, "close")?,
            is_part: false,
        })
    }
}

/// How much is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Storage {
    /// The size of the database in bytes.
    pub database: u64,
    /// The maximum size of the database in bytes.
    pub database_max: u64,
    /// Labels and numbers of the rows.
    pub rows: Vec<(&'static str, u64)>,
}

/// The members that count rows, and their labels.
const ROWS: [(&str, &str); 9] = [
    ("apis", "APIs"),
    ("api_revisions", "Revisions of APIs"),
    ("documents", "Other documents"),
    ("document_revisions", "Their revisions"),
    ("sessions", "Keys and organisations"),
    ("audit", "Audit trail"),
    ("notifications", "Notifications"),
    ("deliveries", "Deliveries"),
    ("credentials", "Credentials"),
];

impl Read for Storage {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        let rows = value.get("rows").ok_or("rows")?;
        let row = |(member, name)| (name, number(rows, member));
        Ok(Self {
            database: number(value, "database_bytes"),
            database_max: number(value, "database_max_bytes"),
            rows: ROWS.into_iter().map(row).collect(),
        })
    }
}

impl Api {
    /// Returns how much is stored.
    ///
    /// # Errors
    /// As for every call.
    pub async fn storage(self) -> Result<Storage, ApiError> {
        let call = Call::get("/gateway/health/storage".to_owned());
        self.send(call).await?.read()
    }

    /// Returns what was served in a window (`15m`, `1h`, `24h` or `7d`), by one API or, if `api_id` is empty, by all of
    /// them.
    ///
    /// # Errors
    /// As for every call.
    pub async fn figures(self, window: &str, api_id: &str) -> Result<Figures, ApiError> {
        let id = encode(api_id);
        let path = format!("/gateway/health/figures?window={window}&api_id={id}");
        self.send(Call::get(path)).await?.read()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn a_part_has_the_sums_of_its_points() {
        let point = |at: i64, requests: u64| Point {
            at,
            sums: Sums {
                requests,
                errors: 1,
                average: Some(requests),
                ..Sums::default()
            },
        };
        let figures = Figures {
            since: 0,
            until: 300,
            step_seconds: 60,
            series: vec![point(60, 1), point(120, 2), point(180, 4)],
            ..Figures::default()
        };
        assert_eq!(figures.times(1, 2), Some((120, 240)));
        assert_eq!(figures.times(1, 3), None);
        let part = figures.clone().between((120, 240));
        assert_eq!((part.since, part.until, part.is_part), (120, 240, true));
        let (requests, errors) = (part.totals.requests, part.totals.errors);
        assert_eq!((requests, errors, part.totals.average), (6, 2, None));
        let total = |value: fn(&Sums) -> Option<u64>| part.total_text(value, |n| n.to_string());
        assert_eq!(
            [
                total(|sums| Some(sums.requests)),
                total(|sums| sums.average),
                total(|sums| sums.p95)
            ],
            ["6", "≤ 4", "–"]
        );
        assert_eq!(part.times(0, 0), Some((120, 180)));
        let one = figures.between((120, 180));
        assert_eq!((one.series.len(), one.totals.average), (1, Some(2)));
    }
}
