//! How the limits of a key stand.

use super::Passed;
use super::limits::Refused;
use crate::snapshot::Api;
use gatewright_model::amount::Amount;

/// What `{listen_path}/gateway/rate-limits/` answers (reference 1.8), for a request that would pass.
/// Without a quota or a rate its numbers are -1.
#[must_use]
pub fn standing(passed: &Passed, api: &Api) -> String {
    let session = passed
        .known
        .as_ref()
        .and_then(|known| known.session.as_ref());
    let limit = session.map(|session| *session.applied(&api.definition.api_id).limit);
    let limit = limit.unwrap_or_default();
    let quota = passed
        .counts
        .iter()
        .find(|(count, _)| Refused::by(count) == Refused::Quota);
    let (max, remaining, renews) = match quota {
        Some((_, standing)) => (limit.quota_max, Some(standing.remaining), standing.at),
        None => (-1, None, u64::MAX),
    };
    let renews = (renews != u64::MAX).then_some(renews / 1000);
    let rated = limit.rate.is_limited() && !api.limits.ignores_rates;
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
