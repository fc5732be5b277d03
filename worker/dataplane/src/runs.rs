//! Requests on their way: what `serve.js` has begun and goes on with when it has what was wanted.
//!
//! A run is kept by its number from one call to the next. Each call answers the next directive
//! ([`gatewright_dataplane::driver::directive`]); the last one lets go of the run.

use crate::isolate::Isolate;
use crate::plane::PlatformHeaders;
use gatewright_dataplane::driver::directive::{self, About};
use gatewright_dataplane::driver::{Counted, Given, Next, Run, UpstreamAnswer};
use gatewright_dataplane::extras::Extracted;
use gatewright_dataplane::failure::{Answer, Failure};
use gatewright_dataplane::identity::Stored;
use gatewright_protocol::asking;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::ledger::Verdict;
use gatewright_protocol::registry::decode;
use gatewright_worker_platform::time::whole;
use js_sys::Array;
use std::cell::RefCell;
use wasm_bindgen::prelude::*;
use worker::console_error;

thread_local! {
    static RUNS: RefCell<Runs> = RefCell::default();
}

/// The runs by their numbers; a number that is free again is used again.
#[derive(Default)]
struct Runs {
    runs: Vec<Option<Held>>,
    free: Vec<u32>,
}

/// A run, and where its request is counted.
struct Held {
    run: Run,
    figures: u32,
    /// True for an item of a batch: whoever has begun it wants the run back.
    is_item: bool,
}

impl Runs {
    fn put(&mut self, held: Held) -> u32 {
        let Some(id) = self.free.pop() else {
            let id = u32::try_from(self.runs.len()).unwrap_or(u32::MAX);
            self.runs.push(Some(held));
            return id;
        };
        self.back(id, held);
        id
    }

    fn back(&mut self, id: u32, held: Held) {
        let index = usize::try_from(id).unwrap_or(usize::MAX);
        if let Some(slot) = self.runs.get_mut(index) {
            *slot = Some(held);
        }
    }

    fn take(&mut self, id: u32) -> Option<Held> {
        let index = usize::try_from(id).unwrap_or(usize::MAX);
        self.runs.get_mut(index)?.take()
    }
}

/// Begins a run; answers its first directive.
pub(crate) fn begin(isolate: &Isolate, run: Run) -> String {
    let figures = isolate.figures.borrow_mut().api_index(&run.counted_as);
    let held = Held {
        run,
        figures,
        is_item: false,
    };
    let id = RUNS.with_borrow_mut(|runs| runs.put(held));
    resume(id, Given::Start)
}

/// Begins the run of an item of a batch; answers its number and its first directive.
pub(crate) fn begin_item(isolate: &Isolate, run: Run) -> (u32, String) {
    let figures = isolate.figures.borrow_mut().api_index(&run.counted_as);
    let held = Held {
        run,
        figures,
        is_item: true,
    };
    let id = RUNS.with_borrow_mut(|runs| runs.put(held));
    (id, resume(id, Given::Start))
}

/// Takes the run of an item back when it has ended.
pub(crate) fn end_item(id: u32) -> Option<Run> {
    RUNS.with_borrow_mut(|runs| {
        let held = runs.take(id)?;
        runs.free.push(id);
        Some(held.run)
    })
}

/// Goes on with a run.
fn resume(id: u32, given: Given) -> String {
    let Some(mut held) = RUNS.with_borrow_mut(|runs| runs.take(id)) else {
        return write(&gone(), About::default());
    };
    let next = held.run.advance(given);
    let ends = matches!(next, Next::Answer(_));
    if let (true, Some(failure), Some(isolate)) = (ends, held.run.failure, Isolate::current()) {
        isolate.count_failed(held.figures, failure);
    }
    let about = About {
        run: id,
        figures: held.figures,
        questions: Isolate::current()
            .is_some_and(|isolate| isolate.leases.borrow().has_questions()),
        failed: (ends && held.run.failure.is_some()).then(|| held.run.failed_as()),
    };
    let text = write(&next, about);
    RUNS.with_borrow_mut(|runs| runs.back(id, held));
    text
}

/// The answer to a request whose run is gone: the module has begun anew meanwhile.
fn gone() -> Next {
    let failure = Failure::LimitsUnavailable;
    Next::Answer(Answer {
        status: failure.status(),
        headers: vec![("content-type".to_owned(), "application/json".to_owned())],
        body: format!("{{\n    \"error\": \"{}\"\n}}", failure.message()),
    })
}

fn write(next: &Next, about: About<'_>) -> String {
    directive::write(next, about).unwrap_or_else(|error| {
        console_error!("directive: {error}");
        String::new()
    })
}

/// Lets go of a run. That of an item is taken back by whoever has begun it.
#[wasm_bindgen]
pub fn drop(id: u32) {
    RUNS.with_borrow_mut(|runs| {
        if let Some(held) = runs.take(id) {
            if held.is_item {
                runs.back(id, held);
            } else {
                runs.free.push(id);
            }
        }
    });
}

/// Goes on with the Ledgers' answers: texts in the order of the questions, or undefined.
#[wasm_bindgen(js_name = resumeCounters)]
#[expect(
    clippy::needless_pass_by_value,
    reason = "JavaScript gives its values away"
)]
pub fn resume_counters(id: u32, answers: Array) -> String {
    let read = |answer: JsValue| -> Counted {
        let answer = answer.as_string()?;
        let (verdict, text) = decode::<Verdict>(&answer).ok()?;
        Some((verdict, text.to_owned()))
    };
    let answers: Vec<Counted> = answers.iter().map(read).collect();
    resume(id, Given::Counters(answers))
}

/// Goes on with the Registry's answer about a session; undefined if it could not be asked.
#[wasm_bindgen(js_name = resumeSession)]
pub fn resume_session(id: u32, answer: Option<String>) -> String {
    let unreachable = || StoreError::new("find session", "no answer".to_owned());
    let found = answer.ok_or_else(unreachable).and_then(|answer| {
        let found = asking::found(&answer)?;
        Ok(found.map(|(session, text)| Stored {
            hash: session.id,
            revision: session.revision,
            text: text.to_owned(),
        }))
    });
    resume(id, Given::Session(found))
}

/// Goes on with the body; undefined if it is longer than was asked for.
#[wasm_bindgen(js_name = resumeBody)]
pub fn resume_body(id: u32, body: Option<Vec<u8>>) -> String {
    resume(id, Given::Body(body))
}

/// Goes on with what the process with the objects says about upstreams; undefined if it could not be asked.
#[wasm_bindgen(js_name = resumeUpstreams)]
#[must_use]
pub fn resume_upstreams(id: u32, answer: Option<String>) -> String {
    resume(id, Given::Upstreams(answer))
}

/// Goes on with what is noted about what the cache has; undefined for nothing.
#[wasm_bindgen(js_name = resumeCached)]
#[must_use]
pub fn resume_cached(id: u32, noted: Option<String>) -> String {
    resume(id, Given::Cached(noted))
}

/// How the upstream's answer behind all rules is kept, as a text for `serve.js`
/// ([`directive::keeping`]); undefined if it is not. It was asked for at this time, Unix milliseconds. With `of_get`
/// it is the answer to the GET beside a HEAD.
#[wasm_bindgen]
#[must_use]
pub fn keep(
    id: u32,
    status: u16,
    headers: web_sys::Headers,
    asked: f64,
    of_get: bool,
) -> Option<String> {
    RUNS.with_borrow(|runs| {
        let held = runs.runs.get(usize::try_from(id).ok()?)?.as_ref()?;
        let headers = PlatformHeaders(headers);
        let keep = held.run.keep((status, &headers), whole(asked), of_get)?;
        directive::keeping(&keep).ok()
    })
}

/// What the answer to a HEAD says about the answer to a GET that is kept and was noted like this, empty for none, as
/// `Run::said_of_get` answers it; undefined for nothing.
#[wasm_bindgen(js_name = saidOfGet)]
#[must_use]
pub fn said_of_get(id: u32, noted: &str, status: u16, headers: web_sys::Headers) -> Option<String> {
    RUNS.with_borrow(|runs| {
        let held = runs.runs.get(usize::try_from(id).ok()?)?.as_ref()?;
        let headers = PlatformHeaders(headers);
        held.run.said_of_get(noted, (status, &headers))
    })
}

/// What the client gets to know a session by, which the upstream calls so.
#[wasm_bindgen]
#[must_use]
pub fn session(id: u32, of_upstream: &str) -> Option<String> {
    RUNS.with_borrow(|runs| {
        let held = runs.runs.get(usize::try_from(id).ok()?)?.as_ref()?;
        held.run.session(of_upstream)
    })
}

/// What a request has failed of whose upstream has answered with an error, as JSON.
#[wasm_bindgen(js_name = failedAs)]
#[must_use]
pub fn failed_as(id: u32) -> Option<String> {
    RUNS.with_borrow(|runs| {
        let held = runs.runs.get(usize::try_from(id).ok()?)?.as_ref()?;
        directive::failing(&held.run.failed_as()).ok()
    })
}

/// The address beside its own that an answer names, by its path and query, as a scope of the cache; undefined for
/// one that can't be kept.
#[wasm_bindgen]
#[must_use]
pub fn named(id: u32, path: &str, query: &str) -> Option<String> {
    RUNS.with_borrow(|runs| {
        let held = runs.runs.get(usize::try_from(id).ok()?)?.as_ref()?;
        held.run.named(path, query)
    })
}

/// Goes on with what an extra has reported, and whether it has put another body in the place of the one it
/// read; undefined if it has failed, or has not been called because the body is longer than it may be.
#[wasm_bindgen(js_name = resumeExtra)]
#[must_use]
pub fn resume_extra(id: u32, report: Option<String>, replaced: bool, fits: bool) -> String {
    let extracted = match report {
        Some(text) => Extracted::Report { text, replaced },
        None if fits => Extracted::Failed,
        None => Extracted::TooLarge,
    };
    resume(id, Given::Extra(extracted))
}

/// Goes on with what is said about a credential; undefined if nobody could say it.
#[wasm_bindgen(js_name = resumeProof)]
#[must_use]
pub fn resume_proof(id: u32, report: Option<String>) -> String {
    resume(id, Given::Proof(report))
}

/// Goes on when the time has passed.
#[wasm_bindgen(js_name = resumeTime)]
#[must_use]
pub fn resume_time(id: u32) -> String {
    resume(id, Given::Time)
}

/// Goes on with what the upstream has answered: its status, and the beginning of its body if that was
/// asked for.
#[wasm_bindgen(js_name = resumeUpstream)]
pub fn resume_upstream(id: u32, status: u16, body: Option<String>) -> String {
    resume(id, Given::Upstream(UpstreamAnswer { status, body }))
}

/// Goes on where the upstream could not be reached. The address could hold a credential, so the log has
/// no more than the platform's text.
#[wasm_bindgen(js_name = resumeFailed)]
#[must_use]
pub fn resume_failed(id: u32, error: &str) -> String {
    let failure = Failure::from_upstream(error);
    if failure.is_of_upstream() {
        let api = RUNS.with_borrow(|runs| {
            let index = usize::try_from(id).unwrap_or(usize::MAX);
            let held = runs.runs.get(index).and_then(Option::as_ref);
            held.map_or_else(String::new, |held| {
                format!("{} {}", held.run.counted_as, held.run.exchange.log_id())
            })
        });
        console_error!("upstream of {api}: {}: {error}", failure.cause());
    }
    resume(id, Given::Failed(failure))
}
