//! Sends many requests, a few at a time.

use std::cell::RefCell;
use std::future::Future;

use futures_util::future::join_all;
use js_sys::{Promise, Uint8Array};
use leptos::prelude::*;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen_futures::JsFuture;

use crate::api::Api;
use crate::state::bulk::Kind;
use crate::state::bulk::excerpt::Excerpt;
use crate::state::bulk::plan::{Line, Step};
use crate::state::bulk::report::{Outcome, Report, why};
use crate::state::files;

/// Concurrent requests: a browser has six connections to a host, and the page needs one, too.
const AT_ONCE: usize = 4;

#[wasm_bindgen]
extern "C" {
    /// Computes a digest of bytes; unavailable on a page from another machine over plain HTTP.
    #[wasm_bindgen(js_namespace = ["crypto", "subtle"], catch)]
    fn digest(how: &str, bytes: &Uint8Array) -> Result<Promise, JsValue>;
}

/// Runs `work` on each item until one call returns that no more is wanted. Calls that have started run to completion.
pub(super) async fn each_of<T, W: Future<Output = bool>>(items: Vec<T>, work: impl Fn(T) -> W) {
    let left = RefCell::new(items.into_iter());
    let worker = async || {
        loop {
            let next = left.borrow_mut().next();
            let Some(item) = next else { break };
            if !work(item).await {
                // Drops the remaining items, so that no worker takes another one.
                left.borrow_mut().by_ref().for_each(drop);
                break;
            }
        }
    };
    join_all((0..AT_ONCE).map(|_| worker())).await;
}

/// A run in progress.
#[derive(Clone, Copy)]
pub(super) struct Run {
    /// The client.
    pub(super) api: Api,
    /// The kind of the documents.
    pub(super) kind: Kind,
    /// The result of each document so far.
    pub(super) report: RwSignal<Report>,
    /// Whether to start no more.
    pub(super) stop: RwSignal<bool>,
}

impl Run {
    /// Sends the requests of a plan. Stopping does not undo what was sent.
    pub(super) async fn carry_out(self, lines: Vec<Line>) {
        let lines: Vec<Line> = lines.into_iter().filter(Line::acts).collect();
        let numbered = lines.into_iter().enumerate().collect();
        each_of(numbered, async |(at, line): (usize, Line)| {
            let Step::Send(write, undo) = &line.step else {
                return true;
            };
            if self.stop.try_get_untracked() != Some(false) {
                return false;
            }
            let answer = self.api.carry_out(write).await;
            let outcome = Outcome::of(self.kind, &line.pick, undo, answer);
            self.note(at, outcome)
        })
        .await;
    }

    /// Records an outcome; returns whether anybody still needs it.
    fn note(self, at: usize, outcome: Outcome) -> bool {
        let noted = self.report.try_update(|report| {
            if let Some(entry) = report.entries.get_mut(at) {
                entry.outcome = outcome;
            }
        });
        noted.is_some()
    }

    /// Exports the documents of a plan into a file.
    pub(super) async fn export(self, lines: Vec<Line>, passphrase: String) {
        let ids: Vec<String> = lines.into_iter().map(|line| line.pick.id).collect();
        let made = self.file(ids.clone(), &passphrase).await;
        for (at, id) in ids.iter().enumerate() {
            let outcome = match &made {
                Ok(found) if found.iter().any(|found| found == id) => Outcome::Done(None),
                Ok(_) => Outcome::Failed("It is not stored any more.".to_owned()),
                Err(why) => Outcome::Failed(why.clone()),
            };
            self.note(at, outcome);
        }
    }

    /// Saves the file, and returns which documents are in it.
    async fn file(self, ids: Vec<String>, passphrase: &str) -> Result<Vec<String>, String> {
        let mut excerpt = Excerpt::of(self.kind, ids.clone());
        let read = self.api.export(passphrase, |line| excerpt.push(line)).await;
        read.map_err(|error| why(&error))?;
        let found: Vec<String> = ids.into_iter().filter(|id| excerpt.has(id)).collect();
        if found.is_empty() {
            return Ok(found);
        }
        let body = excerpt
            .body()
            .ok_or("The export was interrupted. Try again.")?;
        let sha256 = sha256(&body.text).await.ok_or(
            "The browser computes digests only over HTTPS or on this machine, and a file without one can't be imported.",
        )?;
        let name = format!("gatewright-{}.ndjson", file_name(self.kind));
        if files::save(&name, "application/x-ndjson", &body.closed(&sha256)) {
            Ok(found)
        } else {
            Err("The browser refused to save the file.".to_owned())
        }
    }
}

const fn file_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Api => "apis",
        Kind::Key => "keys",
        Kind::Policy => "policies",
    }
}

/// Returns the SHA-256 of a text in hexadecimal digits; `None` where the page can't compute it.
async fn sha256(text: &str) -> Option<String> {
    let bytes = Uint8Array::from(text.as_bytes());
    let made = JsFuture::from(digest("SHA-256", &bytes).ok()?).await.ok()?;
    let bytes = Uint8Array::new(&made).to_vec();
    Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
