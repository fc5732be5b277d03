//! How limits stand, in words.

use super::super::limits::Refused;
use super::Listener;
use crate::snapshot::Api;
use crate::trace::Trace;
use gatewright_api::debug::Decision::{Passed, Refused as Ended, Skipped};
use gatewright_protocol::ledger::{Consume, Count, Limit, Standing, Verdict};

/// The limits of a key.
pub(super) fn limits(
    trace: &Trace<'_>,
    api: &Api,
    (ask, refused, standings): (&Consume, Option<(u32, u64)>, &[Standing]),
) {
    let now_ms = trace.now();
    if api.limits.ignores_rates {
        let detail = "The API looks at no rates of keys (disable_rate_limit)";
        trace.note("rate", Skipped, detail.to_owned());
    }
    if api.limits.ignores_quotas {
        let detail = "The API looks at no quotas of keys (disable_quota)";
        trace.note("quota", Skipped, detail.to_owned());
    }
    if ask.counts.is_empty() && !api.limits.ignores_rates && !api.limits.ignores_quotas {
        trace.note(
            "rate",
            Skipped,
            "The key has no rate and no quota".to_owned(),
        );
    }
    for (place, count) in (0..).zip(&ask.counts) {
        let name = match Refused::by(count) {
            Refused::Rate => "rate",
            Refused::Quota => "quota",
        };
        let standing = usize::try_from(place).ok().and_then(|at| standings.get(at));
        let state = standing.map_or_else(String::new, |standing| state(now_ms, count, standing));
        match refused {
            Some((by, retry_ms)) if by == place => {
                trace.note(name, Ended, format!("{state}{}", again(retry_ms)));
            }
            Some(_) => trace.note(name, Skipped, format!("{state}, nothing counted")),
            None if ask.peek => trace.note(name, Skipped, format!("{state}, only looked at")),
            None => trace.note(name, Passed, state),
        }
    }
}

/// The rate of an API, after its Ledger has answered.
pub(in crate::gate) fn api_rate(trace: Listener<'_>, ask: &Consume, verdict: &Verdict) {
    let Some(trace) = trace else { return };
    let now_ms = trace.now();
    let (decision, detail) = match verdict {
        Verdict::Refused {
            standings,
            retry_ms,
            ..
        } => (
            Ended,
            format!(
                "{}{}",
                states(now_ms, &ask.counts, standings),
                again(*retry_ms)
            ),
        ),
        Verdict::Admitted(standings) => (Passed, states(now_ms, &ask.counts, standings)),
        _ => (Passed, String::new()),
    };
    trace.note("api_rate", decision, detail);
}

fn again(retry_ms: u64) -> String {
    match retry_ms {
        u64::MAX => String::new(),
        ms => format!("; again in {} s", ms.div_ceil(1000).max(1)),
    }
}

pub(super) fn states(now_ms: u64, counts: &[Count], standings: &[Standing]) -> String {
    let states: Vec<String> = counts
        .iter()
        .zip(standings)
        .map(|(count, standing)| state(now_ms, count, standing))
        .collect();
    states.join("; ")
}

/// How a limit stands, for people.
fn state(now_ms: u64, count: &Count, standing: &Standing) -> String {
    let left = standing.remaining;
    match count.limit {
        Limit::Rate(limit) => {
            let (most, window) = (limit.limit, limit.window_ms);
            let of = match count.name.strip_prefix("endpoint-") {
                Some(endpoint) => format!(" on {endpoint}"),
                None => String::new(),
            };
            format!("{left} of {most} left in {} s{of}", decimal(window))
        }
        Limit::Quota(limit) => {
            let renewed = match standing.at {
                u64::MAX => "never renewed".to_owned(),
                at => format!("renewed in {} s", at.saturating_sub(now_ms).div_ceil(1000)),
            };
            format!("{left} of {} left, {renewed}", limit.max)
        }
    }
}

/// Milliseconds as seconds, with a point only where it takes one.
fn decimal(ms: u64) -> String {
    match (ms / 1000, ms % 1000) {
        (seconds, 0) => seconds.to_string(),
        (seconds, rest) => {
            let text = format!("{seconds}.{rest:03}");
            text.trim_end_matches('0').to_owned()
        }
    }
}
