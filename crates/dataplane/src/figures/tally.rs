//! How a request changes the sums of its API.

use crate::failure::Failure;
use crate::isolate::AskedVia;
use gatewright_protocol::figures::{BOUNDS_MS, Tally};
use gatewright_protocol::ledger::Verdict;

/// What caused a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The key: missing, unknown, without rights, expired.
    Key,
    /// A rate.
    Rate,
    /// A quota.
    Quota,
    /// Any other reason.
    Other,
}

impl Kind {
    /// The kind of the gateway's answer; `None` for trouble with the upstream.
    #[must_use]
    pub const fn of(failure: Failure) -> Option<Self> {
        Some(match failure {
            Failure::CredentialMissing
            | Failure::CredentialUnknown
            | Failure::CredentialMalformed
            | Failure::OauthMissing
            | Failure::OauthMalformed
            | Failure::OauthUnknown
            | Failure::OauthClientUnknown
            | Failure::ApiDisallowed
            | Failure::VersionDisallowed
            | Failure::CertificateRequired
            | Failure::KeyInactive
            | Failure::KeyExpired
            | Failure::ResourceDisallowed => Self::Key,
            Failure::RateLimit | Failure::ApiRate | Failure::OrgRate => Self::Rate,
            Failure::Quota | Failure::OrgQuota => Self::Quota,
            failure if failure.is_of_upstream() => return None,
            _ => Self::Other,
        })
    }
}

pub(super) fn answered(tally: &mut Tally, status: u16, ms: Option<f64>) {
    add(&mut tally.requests, 1);
    if status >= 500 {
        add(&mut tally.errors, 1);
    }
    let Some(ms) = ms else {
        add(&mut tally.cache_hits, 1);
        return;
    };
    add(&mut tally.answered, 1);
    let ms = whole(ms);
    add(&mut tally.latency_ms, ms);
    let bucket = BOUNDS_MS
        .iter()
        .position(|bound| ms <= u64::from(*bound))
        .unwrap_or(BOUNDS_MS.len());
    if let Some(bucket) = tally.buckets.get_mut(bucket) {
        add(bucket, 1);
    }
}

pub(super) const fn missed(tally: &mut Tally) {
    add(&mut tally.cache_misses, 1);
}

pub(super) const fn asked(tally: &mut Tally, via: AskedVia, verdict: Option<&Verdict>) {
    let sum = match via {
        AskedVia::Call => &mut tally.ledger_calls,
        AskedVia::Direct => &mut tally.direct_counts,
        AskedVia::Lease => &mut tally.leased_counts,
    };
    add(sum, 1);
    if matches!(verdict, Some(Verdict::Leased(..))) {
        add(&mut tally.leases, 1);
    }
}

pub(super) fn failed(tally: &mut Tally, failure: Failure) {
    add(&mut tally.requests, 1);
    if failure.status() >= 500 {
        add(&mut tally.errors, 1);
    }
    match Kind::of(failure) {
        Some(Kind::Key) => add(&mut tally.key_failures, 1),
        Some(Kind::Rate) => add(&mut tally.rate_limited, 1),
        Some(Kind::Quota) => add(&mut tally.quota_exceeded, 1),
        Some(Kind::Other) => add(&mut tally.refused, 1),
        None => {}
    }
}

const fn add(sum: &mut u64, more: u64) {
    *sum = sum.saturating_add(more);
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float becomes the nearest integer of the range"
)]
fn whole(ms: f64) -> u64 {
    ms.round() as u64
}
