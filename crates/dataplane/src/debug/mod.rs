//! `POST /gateway/debug` (reference 1.8): one request through the chain, with its steps.
//!
//! The promise: what is told is what happened. The request passes the same gate as those of clients
//! and counts against the same limits; it is held below its API as an item of a batch is, and can say
//! nothing about the connection or the client's address. No text of the trace, of the logs or of the
//! dump holds the token that was sent.

mod ask;
mod dump;
mod error;
mod mask;

pub use ask::{Ask, Wanted};
pub use error::Error;

use crate::batch::parse::Refusal as Unread;
use crate::batch::{Answer, Budget, Dispatch, Item, Scope, Unsent, reply};
use crate::gate::{Refusal, Way};
use crate::plan::{self, Base, Head};
use crate::snapshot::{Api, Snapshot};
use crate::trace::Trace;
use gatewright_api::debug::{self, Debugged, Decision};
use gatewright_api::message::API_NOT_FOUND;
use gatewright_model::json::Value;
use gatewright_protocol::http::Response;
use mask::Mask;

/// How much of an answer's body is shown, in bytes.
pub const SHOWN_BYTES: usize = 256 * 1024;

/// Sends the request of `ask` through the chain and tells its steps. `dispatch` tells its own to the
/// same `trace`.
///
/// # Errors
/// Why there was nothing to send.
pub async fn run<D: Dispatch>(
    (snapshot, authority): (&Snapshot, &str),
    ask: &Ask<'_>,
    (trace, dispatch): (&Trace<'_>, &D),
) -> Result<Response, Error> {
    let api = match &ask.wanted {
        Wanted::Given(api) => api,
        Wanted::Loaded(id) => {
            let found = snapshot.router.get(id);
            found.ok_or_else(|| Error::Refused(404, API_NOT_FOUND.to_owned()))?
        }
    };
    let base = Base::listening(api);
    let item = item(ask, api, &base)?;
    let domain = api.definition.domain.to_ascii_lowercase();
    // Where an API listens on a host of its own, that is where its clients send to.
    let own = !domain.is_empty() && !domain.contains('{');
    let scope = Scope {
        snapshot,
        api,
        base: &base,
        authority: if own { &domain } else { authority },
    };
    let mask = Mask::of(api, &item);
    let sent = chain(
        &scope,
        &item,
        (&mask, &unsent_headers(ask, &item)),
        (trace, dispatch),
    )
    .await;
    let answer = sent.unwrap_or_else(|refusal| answered(&item, &refusal));
    Ok(reply(&scope, &item, &mask, trace, answer))
}

/// The request, held below its API.
fn item(ask: &Ask<'_>, api: &Api, base: &Base) -> Result<Item, Error> {
    let read = crate::batch::parse::request(ask.text, ("/request", &ask.request), &base.path);
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
    if plan::is_own(api, &item.method, rest) {
        return Err(unexpected(
            "/request/path: the gateway answers this path itself; call it there",
        ));
    }
    item.sent_as.clone_from(&ask.sent_as);
    Ok(item)
}

/// Headers that were asked for and that nobody may set.
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

/// The request's way: its answer, or why it has none of its upstream.
async fn chain<D: Dispatch>(
    scope: &Scope<'_>,
    item: &Item,
    (mask, unsent_headers): (&Mask, &[String]),
    (trace, dispatch): (&Trace<'_>, &D),
) -> Result<Answer, Refusal> {
    let head = Head {
        method: &item.method,
        authority: scope.authority,
        path: &item.path,
        query: &item.query,
    };
    let forward = plan::plan_item(scope.snapshot, scope.api, scope.base, &head);
    route(trace, scope, item, forward.is_ok());
    let forward = forward?;
    let passed = dispatch.pass(scope, item, &forward).await;
    let way = passed.inspect_err(|refusal| {
        // What could not be asked has no step of its own.
        if !trace.is_refused() {
            let message = refusal.failure.message();
            trace.note("ledger", Decision::Refused, message.to_owned());
        }
    })?;
    let sent_on = sent_on(item, &way, unsent_headers);
    trace.note("forward", Decision::Passed, mask.hide(&sent_on));
    let budget = Budget::new(SHOWN_BYTES, SHOWN_BYTES);
    match dispatch.send(item, &way, &budget).await {
        Ok(answer) => {
            trace.note("upstream", Decision::Passed, told(&answer));
            Ok(answer)
        }
        Err(Unsent::TooLarge) => Err(unsent(trace, crate::failure::Failure::Upstream)),
        Err(Unsent::Failure(failure)) => Err(unsent(trace, failure)),
    }
}

fn unsent(trace: &Trace<'_>, failure: crate::failure::Failure) -> Refusal {
    let message = failure.message();
    trace.note("upstream", Decision::Refused, message.to_owned());
    failure.into()
}

fn route(trace: &Trace<'_>, scope: &Scope<'_>, item: &Item, found: bool) {
    let Item { method, path, .. } = item;
    let definition = &scope.api.definition;
    let (name, id, revision) = (&definition.name, &definition.api_id, scope.api.revision);
    let (decision, detail) = if !found {
        let detail = format!("{method} {path} belongs to another API, which listens further down");
        (Decision::Refused, detail)
    } else if revision == 0 {
        let detail = format!("{method} {path} to {name} ({id}), as the definition was sent");
        (Decision::Passed, detail)
    } else {
        let detail = format!("{method} {path} to {name} ({id}), revision {revision}");
        (Decision::Passed, detail)
    };
    trace.note("route", decision, detail);
}

/// The request as it leaves, and what of it does not.
fn sent_on(item: &Item, way: &Way, unsent_headers: &[String]) -> String {
    let mut text = format!("{} {}", item.method, way.url);
    let stripped = way.stripped.iter().map(|(name, _)| name.clone());
    let stripped: Vec<String> = stripped.collect();
    for (what, names) in [
        (", token taken out of ", stripped.as_slice()),
        (", not sent: ", unsent_headers),
    ] {
        if !names.is_empty() {
            text.push_str(what);
            text.push_str(&names.join(", "));
        }
    }
    text
}

/// What has come back, in a sentence.
fn told(answer: &Answer) -> String {
    let mut headers = answer.headers.iter();
    let media = headers.find(|(name, _)| name == "content-type");
    let media = media.map_or("no content type", |(_, media)| media);
    let (status, length) = (answer.status, answer.body.len());
    let cut = if answer.cut { "the first " } else { "" };
    format!("{status}, {cut}{length} bytes, {media}")
}

/// The answer that the gateway gives itself.
fn answered(item: &Item, refusal: &Refusal) -> Answer {
    let (media, body) = refusal.failure.body(reply::content_type(item));
    let told = refusal.headers.iter();
    let told = told.map(|(name, value)| ((*name).to_owned(), value.clone()));
    let media = [("content-type".to_owned(), media.to_owned())];
    Answer {
        status: refusal.failure.status(),
        headers: media.into_iter().chain(told).collect(),
        body: body.into_bytes(),
        cut: false,
    }
}

fn reply(
    scope: &Scope<'_>,
    item: &Item,
    mask: &Mask,
    trace: &Trace<'_>,
    mut answer: Answer,
) -> Response {
    let truncated = answer.cut;
    if truncated {
        answer.body.truncate(SHOWN_BYTES);
        whole_characters(&mut answer.body);
    }
    let (body, encoding) = reply::text(answer.body);
    let answer = debug::Answer {
        status: answer.status,
        headers: reply::fields(answer.headers),
        body,
        body_encoding: encoding.map(str::to_owned),
        truncated,
    };
    let began = trace.began();
    let steps = trace.take();
    Response::json(
        200,
        &Debugged {
            message: "ok".to_owned(),
            response: dump::dump(scope, item, mask, &answer),
            logs: dump::logs(&scope.api.definition, began, &steps),
            trace: steps,
            answer: Some(answer),
            issues: Vec::new(),
        },
    )
}

/// Takes away the beginning of a character whose end was cut off.
fn whole_characters(body: &mut Vec<u8>) {
    if let Err(error) = std::str::from_utf8(body)
        && error.error_len().is_none()
    {
        body.truncate(error.valid_up_to());
    }
}
