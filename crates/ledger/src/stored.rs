//! The stored form of a Ledger, in JSON.
//!
//! The promise: what a release has written, the next one reads, and the previous one reads or refuses. Unknown members
//! are ignored, and those that were added later have a default.
//!
//! `{"format":1,"reset":0,"rates":{"<name>":[{"limit":0,"window_ms":0},{"slots":[[<end>,<count>]],"ahead":0,"until":0,
//! "allowance":{"requests":0,"changed_at":0}}]},"quotas":{"<name>":[{"max":0,"window_ms":0},{"used":0,
//! "renews_at":0}]},"leased":true,"kept":0,"copy":0,"gone":0,"until":0}`, where `allowance` and everything from
//! `leased` on are omitted if empty. `kept` or `copy` is the revision of the session that is stored beside it; `gone` is
//! that of the session that ended, and `until` when everything can be deleted. Text written before formats had numbers
//! has no `format`, and is read like 1. In the previous release, `holds` were writes of the session in progress: then
//! nothing was known of it.

use crate::quota::StoredQuota;
use crate::rate::StoredWindow;
use crate::session::Gone;
use gatewright_model::json::{self, Kind, Value, quote};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::limits::{QuotaLimit, RateLimit};

/// The format that is written. It and lower ones are read.
const FORMAT: u64 = 1;

/// The stored state of a Ledger.
#[derive(Debug)]
pub(crate) struct Stored {
    pub(crate) reset: u64,
    pub(crate) rates: Vec<(String, (RateLimit, StoredWindow))>,
    pub(crate) quotas: Vec<(String, (QuotaLimit, StoredQuota))>,
    /// Whether there may be leases until the next state is stored.
    pub(crate) leased: bool,
    /// The revision of the session that lives here, and is stored with it.
    pub(crate) kept: Option<u64>,
    /// The revision of the session whose copy is stored with it.
    pub(crate) copy: Option<u64>,
    /// The end of the session.
    pub(crate) gone: Option<Gone>,
}

impl Stored {
    /// Parses a stored state.
    ///
    /// # Errors
    /// If it can't be read, or was written by a later release.
    pub(crate) fn read(text: &str) -> Result<Self, StoreError> {
        let broken = |reason: &str| StoreError::new("read the state of a Ledger", reason);
        let value = json::parse(text).map_err(|issues| {
            let first = issues.first().map(|issue| issue.message.as_str());
            broken(first.unwrap_or_default())
        })?;
        let format = optional(&value, "format").ok_or_else(|| broken("its format is no number"))?;
        if format > FORMAT {
            return Err(broken(&format!(
                "format {format} is of a later release, this one reads up to {FORMAT}"
            )));
        }
        let read = || {
            Some(Self {
                reset: optional(&value, "reset")?,
                rates: counters(&value, "rates", rate_limit, StoredWindow::read)?,
                quotas: counters(&value, "quotas", quota_limit, StoredQuota::read)?,
                leased: value.bool("leased").unwrap_or_default(),
                kept: number(&value, "kept"),
                copy: number(&value, "copy").filter(|_| value.get("holds").is_none()),
                gone: gone(&value),
            })
        };
        read().ok_or_else(|| broken("a counter is not as a Ledger writes it"))
    }

    /// Returns its JSON.
    pub(crate) fn to_json(&self) -> String {
        let rates = self.rates.iter().map(|(name, (limit, rate))| {
            let RateLimit { limit, window_ms } = limit;
            let rate = rate.to_json();
            member(
                name,
                &format!("[{{\"limit\":{limit},\"window_ms\":{window_ms}}},{rate}]"),
            )
        });
        let quotas = self.quotas.iter().map(|(name, (limit, quota))| {
            let QuotaLimit { max, window_ms } = limit;
            let quota = quota.to_json();
            member(
                name,
                &format!("[{{\"max\":{max},\"window_ms\":{window_ms}}},{quota}]"),
            )
        });
        let (rates, quotas) = (joined(rates), joined(quotas));
        let leased = if self.leased { ",\"leased\":true" } else { "" };
        let mut written = format!(
            "{{\"format\":{FORMAT},\"reset\":{},\"rates\":{{{rates}}},\"quotas\":{{{quotas}}}{leased}",
            self.reset
        );
        let numbers = [
            ("kept", self.kept),
            ("copy", self.copy),
            ("gone", self.gone.map(|gone| gone.revision)),
            ("until", self.gone.map(|gone| gone.until)),
        ];
        for (name, number) in numbers {
            if let Some(number) = number {
                written.push_str(&format!(",\"{name}\":{number}"));
            }
        }
        written.push('}');
        written
    }
}

/// Formats a member of an object.
fn member(name: &str, value: &str) -> String {
    quote(name) + ":" + value
}

/// Joins members or elements with commas.
pub(crate) fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<String>>().join(",")
}

/// Returns the number in a member.
pub(crate) fn number<N: TryFrom<u64>>(object: &Value<'_>, name: &str) -> Option<N> {
    N::try_from(object.get(name)?.as_u64()?).ok()
}

/// Returns the number in a member, 0 if it is missing; `None` if it is not a number.
fn optional(object: &Value<'_>, name: &str) -> Option<u64> {
    object.get(name).map_or(Some(0), Value::as_u64)
}

/// Reads the members of a member that is an object, none if it is missing; `None` if anything in it can't be read.
fn members<T>(
    object: &Value<'_>,
    name: &str,
    read: impl Fn(&Value<'_>) -> Option<T>,
) -> Option<Vec<(String, T)>> {
    let members = match object.get(name).map(|value| &value.kind) {
        None => &[][..],
        Some(Kind::Object(members)) => members,
        Some(_) => return None,
    };
    let members = members.iter();
    members
        .map(|member| Some((member.name.clone().into_owned(), read(&member.value)?)))
        .collect()
}

/// Formats counters, each a pair of its limit and its state.
fn counters<L, S>(
    object: &Value<'_>,
    name: &str,
    limit: fn(&Value<'_>) -> Option<L>,
    state: fn(&Value<'_>) -> Option<S>,
) -> Option<Vec<(String, (L, S))>> {
    members(object, name, |counter| match counter.as_array()? {
        [known, counted] => Some((limit(known)?, state(counted)?)),
        _ => None,
    })
}

fn gone(state: &Value<'_>) -> Option<Gone> {
    Some(Gone {
        revision: number(state, "gone")?,
        until: number(state, "until")?,
    })
}

fn rate_limit(value: &Value<'_>) -> Option<RateLimit> {
    Some(RateLimit {
        limit: number(value, "limit")?,
        window_ms: number(value, "window_ms")?,
    })
}

fn quota_limit(value: &Value<'_>) -> Option<QuotaLimit> {
    Some(QuotaLimit {
        max: number(value, "max")?,
        window_ms: number(value, "window_ms")?,
    })
}
