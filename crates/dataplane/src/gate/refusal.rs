//! Why a request does not pass, and what its answer says about that.

use super::config::GateConfig;
use super::limits::{self, Header, Refused, Shown};
use crate::failure::Failure;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::ledger::{Consume, Count, Standing};

/// Why a request does not pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The answer.
    pub failure: Failure,
    /// Headers that come with it.
    pub headers: Vec<Header>,
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self {
            failure,
            headers: Vec::new(),
        }
    }
}

pub(super) fn refused_by(counts: &[Count], by: u32) -> Refused {
    let place = usize::try_from(by).unwrap_or(usize::MAX);
    counts.get(place).map_or(Refused::Rate, Refused::by)
}

/// Headers of the answer to a request that has passed.
pub(super) fn headers(
    config: &GateConfig,
    now_ms: u64,
    counts: &[Count],
    standings: &[Standing],
) -> Vec<Header> {
    let mut headers = limits::headers(config.shown, counts, standings, now_ms);
    if config.fields {
        headers.extend(limits::fields(counts, standings, now_ms));
    }
    headers
}

/// The refusal of a request with a key, by the limit at this place and for so long.
pub(super) fn refused(
    config: &GateConfig,
    now_ms: u64,
    asked: &Consume,
    (by, retry_ms): (u32, u64),
    standings: &[Standing],
) -> Refusal {
    let failure = match refused_by(&asked.counts, by) {
        Refused::Rate => Failure::RateLimit,
        Refused::Quota => Failure::Quota,
    };
    refusal(config, failure, retry_ms, &asked.counts, standings, now_ms)
}

/// A refusal by a limit. Its `X-RateLimit-*` come only where they carry rates (reference 3.4).
pub(super) fn refusal(
    config: &GateConfig,
    failure: Failure,
    retry_ms: u64,
    counts: &[Count],
    standings: &[Standing],
    now_ms: u64,
) -> Refusal {
    let mut headers = Vec::new();
    if config.shown == Shown::RateLimits && failure == Failure::RateLimit {
        headers.extend(limits::headers(config.shown, counts, standings, now_ms));
    }
    if config.fields {
        headers.extend(limits::fields(counts, standings, now_ms));
        headers.extend(limits::retry_after(retry_ms));
    }
    Refusal { failure, headers }
}

/// The log has the reason; the answer only that the limits can't be checked.
pub(super) fn unavailable(_: StoreError) -> Refusal {
    Failure::LimitsUnavailable.into()
}
