//! How the limits of a key stand.

use crate::counters::{Counter, Kind, Scope, State};
use crate::limits::ApiLimits;
use gatewright_model::amount::Amount;
use gatewright_model::session::Session;

/// What `{listen_path}/gateway/rate-limits/` answers (reference 1.8), for a request that would pass.
/// Without a quota or a rate its numbers are -1.
#[must_use]
pub fn standing(
    session: &Session,
    api_id: &str,
    limits: &ApiLimits,
    counters: &[Counter],
) -> String {
    let limit = *session.applied(api_id).limit;
    let of_key = counters.iter();
    let of_key = of_key.filter(|counter| matches!(counter.scope, Scope::Key | Scope::Pattern));
    let mut standings = of_key.filter_map(|counter| match &counter.state {
        State::Admitted(standings) => Some(counter.ask.counts.iter().zip(standings)),
        _ => None,
    });
    let quota =
        standings.find_map(|mut counts| counts.find(|(count, _)| Kind::of(count) == Kind::Quota));
    let (max, remaining, renews) = match quota {
        Some((_, standing)) => (limit.quota_max, Some(standing.remaining), standing.at),
        None => (-1, None, u64::MAX),
    };
    let renews = (renews != u64::MAX).then_some(renews / 1000);
    let rated = limit.rate.is_limited() && !limits.ignores_rates;
    let number = |amount: Amount| amount.to_string();
    let (requests, per) = match rated {
        true => (number(limit.rate.rate), number(limit.rate.per)),
        false => ("-1".to_owned(), "-1".to_owned()),
    };
    let shown = |number: Option<u64>, none: &str| {
        number.map_or_else(|| none.to_owned(), |number| number.to_string())
    };
    format!(
        "{{\"quota\":{{\"quota_max\":{max},\"quota_remaining\":{},\"quota_renews\":{}}},\
         \"rate_limit\":{{\"requests\":{requests},\"per_unit\":{per}}}}}\n",
        shown(remaining, "-1"),
        shown(renews, "0"),
    )
}
