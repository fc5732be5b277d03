//! The standing of a key's limits.

use crate::counters::{Counter, Kind, Scope, State};
use gatewright_model::session::Session;

/// The body of `{listen_path}/gateway/rate-limits/` (reference 1.8), for a request that would pass. Without a quota or
/// a rate, the limits are the session's values, 0 or -1, and nothing remains.
#[must_use]
pub fn standing(session: &Session, api_id: &str, counters: &[Counter]) -> String {
    let limit = *session.applied(api_id).limit;
    let of_key = counters.iter();
    let of_key = of_key.filter(|counter| matches!(counter.scope, Scope::Key | Scope::Pattern));
    let mut standings = of_key.filter_map(|counter| match &counter.state {
        State::Admitted(standings) => Some(counter.ask.counts.iter().zip(standings)),
        _ => None,
    });
    let quota =
        standings.find_map(|mut counts| counts.find(|(count, _)| Kind::of(count) == Kind::Quota));
    let (remaining, renews) = quota.map_or((0, u64::MAX), |(_, standing)| {
        (standing.remaining, standing.at)
    });
    let renews = if renews == u64::MAX { 0 } else { renews / 1000 };
    format!(
        "{{\"quota\":{{\"quota_max\":{},\"quota_remaining\":{remaining},\"quota_renews\":{renews}}},\
         \"rate_limit\":{{\"requests\":{},\"per_unit\":{}}}}}\n",
        limit.quota_max, limit.rate.rate, limit.rate.per,
    )
}
