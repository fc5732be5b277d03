//! Requests in progress: what `run.js` has started, and resumes with what a directive wanted.
//!
//! A run is stored under its number between calls. Each call returns the next directive
//! ([`gatewright_dataplane::driver::directive`]); the last one releases the run.

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
use gatewright_worker_platform::time::to_millis;
use js_sys::Array;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use worker::console_error;

thread_local! {
    static RUNS: RefCell<Runs> = RefCell::default();
}

/// The runs by their numbers, which are reused.
#[derive(Default)]
struct Runs {
    runs: Vec<Option<StoredRun>>,
    free: Vec<u32>,
}

/// A run, and the index under which its request is counted.
struct StoredRun {
    run: Run,
    figures: u32,
    /// The settings of the extra that it waits for.
    settings: Option<Rc<str>>,
    /// Whether it is an item of a batch, whose starter takes the run back.
    is_item: bool,
}

impl Runs {
    fn put(&mut self, stored: StoredRun) -> u32 {
        let Some(id) = self.free.pop() else {
            let id = u32::try_from(self.runs.len()).unwrap_or(u32::MAX);
            self.runs.push(Some(stored));
            return id;
        };
        self.restore(id, stored);
        id
    }

    fn restore(&mut self, id: u32, stored: StoredRun) {
        let index = usize::try_from(id).unwrap_or(usize::MAX);
        if let Some(slot) = self.runs.get_mut(index) {
            *slot = Some(stored);
        }
    }

    fn get(&self, id: u32) -> Option<&StoredRun> {
        let index = usize::try_from(id).ok()?;
        self.runs.get(index)?.as_ref()
    }

    fn take(&mut self, id: u32) -> Option<StoredRun> {
        let index = usize::try_from(id).unwrap_or(usize::MAX);
        self.runs.get_mut(index)?.take()
    }
}

/// Starts a run; returns its first directive.
pub(crate) fn begin(isolate: &Isolate, run: Run) -> String {
    let (_, directive) = start(isolate, run, false);
    directive
}

/// Starts the run of an item of a batch; returns its number and its first directive.
pub(crate) fn begin_item(isolate: &Isolate, run: Run) -> (u32, String) {
    start(isolate, run, true)
}

fn start(isolate: &Isolate, run: Run, is_item: bool) -> (u32, String) {
    let figures = isolate.figures.borrow_mut().api_index(&run.counted_as);
    let stored = StoredRun {
        run,
        figures,
        settings: None,
        is_item,
    };
    let id = RUNS.with_borrow_mut(|runs| runs.put(stored));
    (id, resume(id, Given::Start))
}

/// Takes an item's run back once it has ended.
pub(crate) fn end_item(id: u32) -> Option<Run> {
    RUNS.with_borrow_mut(|runs| {
        let stored = runs.take(id)?;
        runs.free.push(id);
        Some(stored.run)
    })
}

/// Looks at a run that is waiting; `None` if it is gone.
fn look<T>(id: u32, at: impl FnOnce(&Run) -> Option<T>) -> Option<T> {
    RUNS.with_borrow(|runs| at(&runs.get(id)?.run))
}

/// Resumes a run.
fn resume(id: u32, given: Given) -> String {
    let Some(mut stored) = RUNS.with_borrow_mut(|runs| runs.take(id)) else {
        return write(&gone(), About::default());
    };
    let next = stored.run.advance(given);
    let ends = matches!(next, Next::Answer(_));
    if let (true, Some(failure), Some(isolate)) = (ends, stored.run.failure, Isolate::current()) {
        isolate.count_failed(stored.figures, failure);
    }
    let about = About {
        run: id,
        figures: stored.figures,
        leases_due: Isolate::current()
            .is_some_and(|isolate| isolate.leases.borrow().has_questions()),
        failed: (ends && stored.run.failure.is_some()).then(|| stored.run.failed_as()),
    };
    let text = write(&next, about);
    stored.settings = next.settings().cloned();
    RUNS.with_borrow_mut(|runs| runs.restore(id, stored));
    text
}

/// Answers a request whose run is gone because the module's instance has been replaced.
fn gone() -> Next {
    let failure = Failure::LimitsUnavailable;
    let body = format!("{{\n    \"error\": \"{}\"\n}}", failure.message());
    Next::Answer(Answer::of_type(failure.status(), "application/json", body))
}

fn write(next: &Next, about: About<'_>) -> String {
    directive::write(next, about).unwrap_or_else(|error| {
        console_error!("directive: {error}");
        String::new()
    })
}

/// Releases a run. That of an item stays until its starter takes it back.
#[wasm_bindgen(js_name = dropRun)]
pub fn drop_run(id: u32) {
    RUNS.with_borrow_mut(|runs| {
        if let Some(stored) = runs.take(id) {
            if stored.is_item {
                runs.restore(id, stored);
            } else {
                runs.free.push(id);
            }
        }
    });
}

/// Resumes with the Ledgers' replies: texts in the order of the questions, or undefined.
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

/// Resumes with the Registry's reply about a session; undefined if it could not be asked.
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

/// Resumes with the body; undefined if it is longer than the limit that was requested.
#[wasm_bindgen(js_name = resumeBody)]
pub fn resume_body(id: u32, body: Option<Vec<u8>>) -> String {
    resume(id, Given::Body(body))
}

/// Resumes with the reply about upstreams from the process with the objects; undefined if it could not be asked.
#[wasm_bindgen(js_name = resumeUpstreams)]
#[must_use]
pub fn resume_upstreams(id: u32, answer: Option<String>) -> String {
    resume(id, Given::Upstreams(answer))
}

/// Resumes with the notes of the cached entry; undefined if there is none.
#[wasm_bindgen(js_name = resumeCached)]
#[must_use]
pub fn resume_cached(id: u32, notes: Option<String>) -> String {
    resume(id, Given::Cached(notes))
}

/// Decides how the upstream's response, after all rules, is cached, as a text for `caching.js`
/// ([`directive::keeping`]); undefined if it is not. `requested_at` is when the request was sent, in Unix milliseconds.
/// With `of_get` it is the response to the GET that corresponds to a HEAD.
#[wasm_bindgen(js_name = decideCaching)]
#[must_use]
pub fn decide_caching(
    id: u32,
    status: u16,
    headers: web_sys::Headers,
    requested_at: f64,
    of_get: bool,
) -> Option<String> {
    look(id, |run| {
        let headers = PlatformHeaders(headers);
        let keep = run.keep((status, &headers), to_millis(requested_at), of_get)?;
        directive::keeping(&keep).ok()
    })
}

/// Checks with the response to a HEAD the cached response to the same GET, whose notes are `notes` (empty if there is
/// none). Returns what `Run::check_get` does; undefined if nothing follows.
#[wasm_bindgen(js_name = checkGet)]
#[must_use]
pub fn check_get(id: u32, notes: &str, status: u16, headers: web_sys::Headers) -> Option<String> {
    let headers = PlatformHeaders(headers);
    look(id, |run| run.check_get(notes, (status, &headers)))
}

/// Returns the id that the client gets for a session with this id at the upstream.
#[wasm_bindgen(js_name = clientSessionId)]
#[must_use]
pub fn client_session_id(id: u32, of_upstream: &str) -> Option<String> {
    look(id, |run| run.session(of_upstream))
}

/// Returns the session that a stream of events depends on, as `Run::stream_session` does; undefined if there is none.
#[wasm_bindgen(js_name = streamSession)]
#[must_use]
pub fn stream_session(id: u32) -> Option<String> {
    look(id, Run::stream_session)
}

/// Whether the reply to a question about a session has found this revision of it.
#[wasm_bindgen(js_name = isRevision)]
#[must_use]
pub fn is_revision(reply: &str, revision: &str) -> bool {
    let found = asking::found(reply).ok().flatten();
    found.is_some_and(|(session, _)| session.revision.to_string() == revision)
}

/// Returns, as JSON, why a request failed to which the upstream responded with an error.
#[wasm_bindgen(js_name = failureOf)]
#[must_use]
pub fn failure_of(id: u32) -> Option<String> {
    look(id, |run| directive::failing(&run.failed_as()).ok())
}

/// Returns a further address that a response names, given by path and query, as a scope of the cache; undefined if it
/// can't be cached.
#[wasm_bindgen(js_name = cacheAddress)]
#[must_use]
pub fn cache_address(id: u32, path: &str, query: &str) -> Option<String> {
    look(id, |run| run.cache_address(path, query))
}

/// Returns the settings of the extra that a run waits for: one long text, which a directive would have to escape.
#[wasm_bindgen(js_name = extraSettings)]
#[must_use]
pub fn extra_settings(id: u32) -> Option<String> {
    RUNS.with_borrow(|runs| runs.get(id)?.settings.as_deref().map(str::to_owned))
}

/// Resumes with an extra's report, and whether the extra has replaced the body it read. The report is undefined if the
/// extra failed, or was not called because the body is too long.
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

/// Resumes with the report about a credential; undefined if there is none.
#[wasm_bindgen(js_name = resumeProof)]
#[must_use]
pub fn resume_proof(id: u32, report: Option<String>) -> String {
    resume(id, Given::Proof(report))
}

/// Resumes when the time has passed.
#[wasm_bindgen(js_name = resumeTime)]
#[must_use]
pub fn resume_time(id: u32) -> String {
    resume(id, Given::Time)
}

/// Resumes with the upstream's response: its status and, if requested, the start of its body.
#[wasm_bindgen(js_name = resumeUpstream)]
pub fn resume_upstream(id: u32, status: u16, body: Option<String>) -> String {
    resume(id, Given::Upstream(UpstreamAnswer { status, body }))
}

/// Resumes after the upstream could not be reached. The address could contain a credential, so only the platform's text
/// is logged.
#[wasm_bindgen(js_name = resumeFailed)]
#[must_use]
pub fn resume_failed(id: u32, error: &str) -> String {
    let failure = Failure::from_upstream(error);
    if failure.is_of_upstream() {
        let api = look(id, |run| {
            Some(format!("{} {}", run.counted_as, run.exchange.request_id()))
        });
        let (api, cause) = (api.unwrap_or_default(), failure.cause());
        console_error!("upstream of {api}: {cause}: {error}");
    }
    resume(id, Given::Failed(failure))
}
