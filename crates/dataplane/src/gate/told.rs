//! What the gate tells of its steps. Nothing here decides: each function looks at what was decided,
//! and does nothing where nobody listens.

use super::Incoming;
mod limits;

pub(super) use limits::api_rate;

use super::decide::{access, holds, is_unchecked};
use super::sessions::Known;
use super::source::TokenSource;
use crate::failure::Failure;
use crate::gate::GateConfig;
use crate::snapshot::Api;
use crate::trace::Trace;
use gatewright_api::debug::Decision::{self, Passed, Refused as Ended, Skipped};
use gatewright_model::session::Session;
use gatewright_protocol::ledger::{Consume, Count, Standing, Verdict};
use gatewright_protocol::sessions::Owner;
use gatewright_protocol::time::rfc3339;

/// Who listens.
type Listener<'t> = Option<&'t Trace<'t>>;

fn note(trace: Listener<'_>, name: &str, decision: Decision, detail: &str) {
    if let Some(trace) = trace {
        trace.note(name, decision, detail.to_owned());
    }
}

/// Which counters a Ledger shows: all of them to who listens.
pub(super) fn shown(trace: Listener<'_>, counts: &[Count]) -> Vec<u32> {
    let wanted = if trace.is_some() { counts.len() } else { 0 };
    (0..).take(wanted).collect()
}

pub(super) fn no_organisation(trace: Listener<'_>, org: &str) {
    if let Some(trace) = trace {
        let detail = format!("The organisation {org} has no session of its own");
        trace.note("organisation", Skipped, detail);
    }
}

pub(super) fn keyless(trace: Listener<'_>) {
    note(
        trace,
        "token",
        Skipped,
        "The API asks for no key (use_keyless)",
    );
}

pub(super) fn no_api_rate(trace: Listener<'_>) {
    note(
        trace,
        "api_rate",
        Skipped,
        "The API has no rate of its own (global_rate_limit)",
    );
}

/// The session of an organisation, after its Ledger has answered.
pub(super) fn organisation(
    trace: Listener<'_>,
    (org, inactive): (&str, bool),
    (ask, verdict): (&Consume, &Verdict),
) {
    let Some(trace) = trace else { return };
    let now_ms = trace.now();
    let (decision, state) = match verdict {
        Verdict::Stale { revision } => (
            Passed,
            format!("revision {revision} of its session came with its Ledger's answer"),
        ),
        Verdict::Unknown => (Skipped, "it has no session any more".to_owned()),
        Verdict::Admitted(_) if inactive => (Ended, "it is switched off (is_inactive)".to_owned()),
        Verdict::Admitted(standings) if standings.is_empty() => {
            (Passed, "it is active and has no limits".to_owned())
        }
        Verdict::Admitted(standings) => (Passed, limits::states(now_ms, &ask.counts, standings)),
        Verdict::Refused { standings, .. } => {
            (Ended, limits::states(now_ms, &ask.counts, standings))
        }
    };
    trace.note(
        "organisation",
        decision,
        format!("Organisation {org}: {state}"),
    );
}

/// Where the token is.
pub(super) fn token(trace: Listener<'_>, source: &TokenSource, incoming: &Incoming<'_>) {
    let Some(trace) = trace else { return };
    let places = source.places();
    let name = |kind: &str| places.iter().find(|(known, _)| *known == kind);
    let named = |&(kind, name): &(&str, &str)| format!("{kind} {name}");
    let (decision, detail) = if incoming.sent_as.is_some() {
        let detail = "Sent as a stored key; its token is not known, so none is sent on";
        (Passed, detail.to_owned())
    } else if let Some((kind, _)) = source.search(&incoming.carrier)
        && source.find(&incoming.carrier).is_some()
    {
        (
            Passed,
            format!("In the {}", name(kind).map_or_else(String::new, named)),
        )
    } else {
        let places: Vec<String> = places.iter().map(named).collect();
        (Ended, format!("None in the {}", places.join(", the ")))
    };
    trace.note("token", decision, detail);
}

/// Where the session of a key comes from; nowhere if it is not known.
pub(super) fn key(trace: Listener<'_>, from: &str, known: Option<&Known>) {
    let Some(trace) = trace else { return };
    let (decision, detail) = match known {
        Some(Known { hash, revision, .. }) => {
            (Passed, format!("{from}: {hash}, revision {revision}"))
        }
        None => (Ended, from.to_owned()),
    };
    trace.note("key", decision, detail);
}

/// What the Ledger of a key says about its session.
pub(super) fn ledger(trace: Listener<'_>, known: &Known, shared: Option<&str>, verdict: &Verdict) {
    let Some(trace) = trace else { return };
    let name = Owner::Key.ledger(&known.hash);
    let detail = match verdict {
        Verdict::Stale { revision } => {
            format!("{name} knows a newer session, revision {revision}; decided again with that")
        }
        Verdict::Unknown => format!("{name} knows no such session any more; looked for again"),
        _ => match shared {
            None => format!("{name} confirms the session"),
            Some(shared) => {
                format!("{name} confirms the session, {shared} counts (rate_limit_pattern)")
            }
        },
    };
    trace.note("ledger", Passed, detail);
}

pub(super) fn throttle(trace: Listener<'_>, ms: u64, retries: i64) {
    if let Some(trace) = trace {
        let detail = format!("Over its rate: waited {ms} ms, try {retries} (throttle_interval)");
        trace.note("throttle", Passed, detail);
    }
}

/// What a session says about a request, and what the limits say: the counters that were asked for,
/// which of them refused, and how they stand.
pub(super) fn decided(
    trace: Listener<'_>,
    config: &GateConfig,
    api: &Api,
    (known, incoming): (&Known, &Incoming<'_>),
    (ask, refused, standings): (&Consume, Option<(u32, u64)>, &[Standing]),
) {
    if let Some(trace) = trace
        && let Some(session) = session(trace, config, api, known)
        && rights(trace, config, api, (known, session), incoming)
    {
        limits::limits(trace, api, (ask, refused, standings));
    }
}

fn session<'k>(
    trace: &Trace<'_>,
    config: &GateConfig,
    api: &Api,
    known: &'k Known,
) -> Option<&'k Session> {
    let held = holds(config, trace.now(), api, known);
    let (decision, detail) = match (&held, &known.session) {
        (Ok(session), _) => (Passed, told(session)),
        (Err(_), None) => (Ended, "Its policies can't be applied".to_owned()),
        (Err(Failure::CredentialUnknown), Some(session)) => (
            Ended,
            format!("It belongs to another organisation, {}", session.org_id),
        ),
        (Err(Failure::KeyExpired), Some(session)) => (
            Ended,
            format!("It has ended at {}", seconds(session.expires)),
        ),
        (Err(failure), Some(_)) => (Ended, failure.message().to_owned()),
    };
    trace.note("session", decision, detail);
    held.ok()
}

/// A session that can be used, for people.
fn told(session: &Session) -> String {
    let end = match session.expires {
        ..=0 => "never ends".to_owned(),
        expires => format!("ends at {}", seconds(expires)),
    };
    let policies = match session.policies.as_slice() {
        [] => "no policies".to_owned(),
        policies => format!("policies {} applied", policies.join(", ")),
    };
    let name = match session.alias.as_str() {
        "" => String::new(),
        alias => format!("{alias}: "),
    };
    format!("{name}active, {end}, {policies}")
}

fn seconds(unix: i64) -> String {
    let seconds = u64::try_from(unix).unwrap_or_default();
    rfc3339(seconds.saturating_mul(1000))
}

fn rights(
    trace: &Trace<'_>,
    config: &GateConfig,
    api: &Api,
    (known, session): (&Known, &Session),
    incoming: &Incoming<'_>,
) -> bool {
    let allowed = access(config, api, known, session, incoming);
    let right = session.access(&api.definition.api_id);
    let (version, method, path) = (&api.version, incoming.method, incoming.path);
    let detail = match (&allowed, right) {
        (Ok(_), None) => "A key without access rights, which opens every API here".to_owned(),
        (Err(_), None) if session.access_rights.is_empty() => {
            "It has no access rights (ALLOW_MASTER_KEYS is off)".to_owned()
        }
        (Err(_), None) => "Its access rights do not name this API".to_owned(),
        (Err(Failure::VersionDisallowed), Some(_)) => {
            format!("It may not use the version {version}")
        }
        (Err(_), Some(_)) if is_unchecked(api, session) => {
            "It restricts GraphQL or MCP here, which is not looked at yet".to_owned()
        }
        (Err(_), Some(_)) => format!("None of its allowed_urls allows {method} {path}"),
        (Ok(_), Some(right)) => {
            let behind = incoming.behind();
            let rules = known.rules(&api.definition.api_id);
            let rule = rules.urls.rule(method, &[path, &behind]);
            match rule.and_then(|place| right.allowed_urls.get(place)) {
                Some(rule) => format!(
                    "This API, version {version}, by its allowed_urls {}",
                    rule.url
                ),
                None => format!("This API, version {version}, every path"),
            }
        }
    };
    let decision = if allowed.is_ok() { Passed } else { Ended };
    trace.note("access", decision, detail);
    allowed.is_ok()
}
