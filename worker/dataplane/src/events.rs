//! Events on their way from a request to whoever hears of them. No request waits for that: the log gets
//! its line at once, and the Registry is told behind the answer.

use crate::Visit;
use crate::isolate::Isolate;
use gatewright_dataplane::gate::{self, Refusal};
use gatewright_dataplane::plan::{self, Head, Plan};
use gatewright_dataplane::snapshot::Api;
use gatewright_protocol::events::{Event, Handler};
use gatewright_protocol::registry::{Command, encode};
use gatewright_worker_platform::glue;
use gatewright_worker_platform::objects::ask;
use gatewright_worker_platform::time::{now, now_ms};
use worker::{Env, console_error, console_log};

/// Milliseconds between two sends of one isolate, so that a flood of events is no flood of commits.
const PAUSE_MS: f64 = 1000.0;

/// Tells the handlers of an API of an event.
pub(crate) fn raise(visit: &Visit<'_>, api: &Api, event: &Event) {
    let isolate = visit.isolate;
    for handler in api.handlers.of(event.kind) {
        if let Handler::Log(prefix) = handler {
            console_log!("{}", event.line(prefix, &now()));
        }
    }
    let mut outbox = isolate.outbox.borrow_mut();
    outbox.put(&api.handlers, event, now_ms());
    if outbox.wants_sender(now_ms()) {
        let env = visit.env.clone();
        visit.context.wait_until(async move { send(&env).await });
    }
}

/// The same for a request that the Ledger has refused on the short way.
pub(crate) fn refused(visit: &Visit<'_>, refusal: &Refusal) {
    let Some(snapshot) = visit.isolate.snapshot() else {
        return;
    };
    let head = Head {
        method: visit.method,
        authority: &visit.url.authority,
        path: visit.url.path,
        query: visit.url.query,
    };
    let Ok(Plan::Forward(forward)) = plan::plan(&snapshot, &head) else {
        return;
    };
    let header = |name: &str| visit.header(name);
    let incoming = crate::gate::incoming(&forward, (visit.method, visit.url.query), &header);
    let gate = &visit.isolate.gate;
    let place = (gate, &visit.isolate.sessions, snapshot.generation);
    if let Some(event) = gate::event_of(place, &forward.api, &incoming, refusal.failure) {
        let trusted = visit.isolate.client_ip_header.as_deref();
        let origin = glue::client_address(visit.request, trusted);
        raise(visit, &forward.api, &Event { origin, ..event });
    }
}

/// Tells the Registry what waits, until nothing does.
async fn send(env: &Env) {
    let isolate = Isolate::get(env);
    loop {
        let (signals, dropped) = isolate.outbox.borrow_mut().take(now_ms());
        if dropped > 0 {
            console_error!("events: {dropped} dropped, there were too many at once");
        }
        if signals.is_empty() {
            return;
        }
        let count = signals.len();
        let told = match encode(&Command::Raise(signals), "") {
            Ok(message) => ask(env, "write", &message).await,
            Err(error) => Err(error),
        };
        match told {
            Ok(refused) if refused.ends_with("\n0") => {}
            Ok(_) => console_error!("events: some dropped, their webhooks have too many waiting"),
            Err(error) => {
                console_error!("events: {count} lost: {error}");
                isolate.outbox.borrow_mut().lost();
            }
        }
        glue::wait(PAUSE_MS).await;
    }
}
