//! `POST /gateway/debug` (reference 1.8): one request through the chain, with its steps.
//!
//! The promise: it shows what actually happened. The request passes the same chain as those of clients and counts
//! against the same limits; it is confined to its API like a batch item, and can state nothing about the connection or
//! the client's address. No text of the trace, the logs or the dump contains the token that was sent.

mod ask;
mod dump;
mod error;
mod mask;

pub use ask::{Ask, Wanted};
pub use error::Error;

use crate::batch::parse::Refusal as Unread;
use crate::batch::{Answer, Base, Budget, Dispatch, Item, Scope, item_run, reply};
use crate::chain::trace::{Change, Changed, Outcome, Phase, Trace, TraceStep, UNSHOWN};
use crate::driver::{OwnRoute, own_route, plain};
use crate::failure::Failure;
use crate::isolate::Isolate;
use crate::snapshot::{Api, Snapshot};
use gatewright_api::debug::{self, Debugged, Decision, Step};
use gatewright_api::message::API_NOT_FOUND;
use gatewright_model::json::Value;
use gatewright_protocol::http::Response;
use gatewright_protocol::target::without_user;
use mask::Mask;
use std::rc::Rc;

/// How much of a response body is shown, in bytes.
pub const SHOWN_BYTES: usize = 256 * 1024;

/// The context in which a request is debugged.
pub struct Bench<'a> {
    /// The set of APIs.
    pub snapshot: &'a Rc<Snapshot>,
    /// The isolate.
    pub isolate: &'a Rc<dyn Isolate>,
    /// `http` or `https`.
    pub scheme: &'static str,
    /// The `host[:port]` under which clients call APIs without a domain of their own.
    pub authority: &'a str,
    /// The address of the administrator.
    pub client_address: Rc<str>,
}

/// Sends the request of `ask` through the chain and reports its steps.
///
/// # Errors
/// Why nothing was sent.
pub async fn run<D: Dispatch>(
    bench: &Bench<'_>,
    ask: &Ask<'_>,
    dispatch: &D,
) -> Result<Response, Error> {
    let api = match &ask.wanted {
        Wanted::Given(api) => api,
        Wanted::Loaded(id) => {
            let found = bench.snapshot.router.get(id);
            found.ok_or_else(|| Error::Refused(404, API_NOT_FOUND.to_owned()))?
        }
    };
    let base = Base::listening(api);
    let item = item(ask, api, &base)?;
    let domain = api.definition.domain.to_ascii_lowercase();
    // An API with its own host is called on that host by its clients.
    let own = !domain.is_empty() && !domain.contains('{');
    let scope = Scope {
        snapshot: bench.snapshot,
        isolate: bench.isolate,
        api,
        base: &base,
        scheme: bench.scheme,
        authority: if own { &domain } else { bench.authority },
        connection_address: (&*bench.client_address).into(),
        client_address: Rc::clone(&bench.client_address),
    };
    let mask = Mask::of(api, &item);
    let began = bench.isolate.now_ms();
    let mut trace = Trace::default();
    let unsent = unsent_headers(ask, &item);
    route(&mut trace, &scope, &item, &unsent, began);
    let (steps, answer) = match item_run(&scope, &item, Some(trace.clone())) {
        Some(run) => {
            let budget = Budget::new(SHOWN_BYTES, SHOWN_BYTES);
            let (run, answer) = dispatch.run(run, &item, &budget).await;
            let failed = run.as_ref().is_some_and(|run| run.failure.is_some());
            let mut trace = run.and_then(|run| run.exchange.trace).unwrap_or_default();
            if !failed {
                trace.note(describe(&answer));
                trace.end(
                    "upstream",
                    Phase::Response,
                    Outcome::Passed,
                    bench.isolate.now_ms(),
                );
            }
            (trace.into_steps(), answer)
        }
        None => {
            trace.note("The path belongs to another API, which listens further down".to_owned());
            trace.end("route", Phase::Request, Outcome::Refused, began);
            (trace.into_steps(), Answer::of(plain(Failure::NoRoute)))
        }
    };
    let mut steps = shown(&steps, &mask, began);
    if ask.hides_values {
        hide_values(&mut steps);
    }
    Ok(reply(&scope, &item, &mask, (began, steps), answer))
}

/// The steps as reported, without credentials.
fn shown(steps: &[TraceStep], mask: &Mask, began: u64) -> Vec<Step> {
    let mut last = began;
    let change = |change: &Change| debug::Change {
        what: change.what,
        name: change.name.clone(),
        from: change.from.as_deref().map(|text| mask.hide(text)),
        to: change.to.as_deref().map(|text| mask.hide(text)),
    };
    let shown = |step: &TraceStep| {
        let before = std::mem::replace(&mut last, step.at_ms);
        Step {
            name: step.link.to_owned(),
            phase: match step.phase {
                Phase::Request => debug::Phase::Request,
                Phase::Response => debug::Phase::Response,
            },
            decision: match step.outcome {
                Outcome::Passed => Decision::Passed,
                Outcome::Skipped => Decision::Skipped,
                Outcome::Answered | Outcome::Refused => Decision::Refused,
                Outcome::Deferred => Decision::Deferred,
            },
            detail: mask.hide(&step.detail),
            changes: step.changes.iter().map(change).collect(),
            at_ms: step.at_ms.saturating_sub(began),
            ms: step.at_ms.saturating_sub(before),
        }
    };
    steps.iter().map(shown).collect()
}

/// Removes the values of headers that rules have set, and user names from addresses: they may be secrets of the
/// definition.
fn hide_values(steps: &mut [Step]) {
    for change in steps.iter_mut().flat_map(|step| &mut step.changes) {
        for value in [&mut change.from, &mut change.to].into_iter().flatten() {
            match change.what {
                Changed::Header => UNSHOWN.clone_into(value),
                Changed::Target => *value = without_user(value),
                Changed::Method | Changed::Status => {}
            }
        }
    }
}

/// The request, confined to its API.
fn item(ask: &Ask<'_>, api: &Api, base: &Base) -> Result<Item, Error> {
    let trusted = crate::batch::trusted_header(api);
    let read =
        crate::batch::parse::request(ask.text, ("/request", &ask.request), &base.path, trusted);
    let mut item = read.map_err(|unread| match unread {
        Unread::Creation(issues) => {
            let first = issues.first();
            unexpected(&first.map_or_else(String::new, |issue| {
                format!("{}: {}", issue.pointer, issue.message)
            }))
        }
        Unread::Malformed(issues) => Error::Malformed(issues),
        Unread::TooMany => Error::Malformed(Vec::new()),
    })?;
    let rest = item.path.strip_prefix(&base.path).unwrap_or_default();
    if own_route(api, rest) != OwnRoute::None {
        return Err(unexpected(
            "/request/path: the gateway answers this path itself; call it there",
        ));
    }
    item.sent_as.clone_from(&ask.sent_as);
    Ok(item)
}

/// The requested headers that callers can't set.
fn unsent_headers(ask: &Ask<'_>, item: &Item) -> Vec<String> {
    let asked = ask.request.get("headers").map(Value::members);
    let asked = asked.unwrap_or_default().iter();
    let names = asked.map(|member| member.name.to_ascii_lowercase());
    let sent = |name: &String| item.headers.iter().any(|(sent, _)| sent == name);
    names.filter(|name| !sent(name)).collect()
}

fn unexpected(reason: &str) -> Error {
    Error::Refused(500, format!("Unexpected failure: {reason}"))
}

fn route(trace: &mut Trace, scope: &Scope<'_>, item: &Item, unsent: &[String], now_ms: u64) {
    let Item { method, path, .. } = item;
    let definition = &scope.api.definition;
    let (name, id, revision) = (&definition.name, &definition.api_id, scope.api.revision);
    trace.note(match revision {
        0 => format!("{method} {path} to {name} ({id}), as the definition was sent"),
        _ => format!("{method} {path} to {name} ({id}), revision {revision}"),
    });
    if !unsent.is_empty() {
        trace.note(format!("not sent: {}", unsent.join(", ")));
    }
    trace.end("route", Phase::Request, Outcome::Passed, now_ms);
}

/// Describes the response in a sentence.
fn describe(answer: &Answer) -> String {
    let mut headers = answer.headers.iter();
    let media = headers.find(|(name, _)| name == "content-type");
    let media = media.map_or("no content type", |(_, media)| media);
    let (status, length) = (answer.status, answer.body.len());
    let cut = if answer.cut { "the first " } else { "" };
    format!("{status}, {cut}{length} bytes, {media}")
}

fn reply(
    scope: &Scope<'_>,
    item: &Item,
    mask: &Mask,
    (began, steps): (u64, Vec<Step>),
    mut answer: Answer,
) -> Response {
    let truncated = answer.cut;
    if truncated {
        answer.body.truncate(SHOWN_BYTES);
        drop_cut_character(&mut answer.body);
    }
    let (body, encoding) = reply::text(answer.body);
    let answer = debug::Answer {
        status: answer.status,
        headers: reply::fields(answer.headers),
        body,
        body_encoding: encoding.map(str::to_owned),
        truncated,
    };
    Response::json(
        200,
        &Debugged {
            message: "ok".to_owned(),
            response: dump::dump(scope, item, mask, &answer),
            logs: dump::logs(&scope.api.definition, began, &steps),
            details: upstream_trouble(&steps),
            trace: steps,
            answer: Some(answer),
            issues: Vec::new(),
        },
    )
}

/// What the upstream step reports, if it failed.
fn upstream_trouble(steps: &[Step]) -> String {
    let last = steps.iter().rfind(|step| step.name == "upstream");
    let failed = last.filter(|step| step.decision == Decision::Refused);
    failed.map_or_else(String::new, |step| step.detail.clone())
}

/// Removes a character at the end that was cut off.
fn drop_cut_character(body: &mut Vec<u8>) {
    if let Err(error) = std::str::from_utf8(body)
        && error.error_len().is_none()
    {
        body.truncate(error.valid_up_to());
    }
}
