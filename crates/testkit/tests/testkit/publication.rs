//! How isolates load what is published: with a KV that fails, and with many concurrent requests.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

use futures_util::FutureExt;
use futures_util::future::join_all;
use gatewright_dataplane::chain::Settings;
use gatewright_dataplane::publication::{Publication, Source};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::snapshot::Generation;
use gatewright_testkit::platform::Memory;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// A KV and a Registry whose answers take time, which passes when everyone waits.
#[derive(Default)]
struct Slow {
    kv: RefCell<BTreeMap<String, Result<String, StoreError>>>,
    registry: RefCell<BTreeMap<String, String>>,
    /// The calls to KV and the Registry.
    calls: RefCell<Vec<String>>,
    /// The reads that never finish, because their request was cancelled.
    stuck: Cell<u32>,
    now: Cell<u64>,
}

/// How long an answer takes, in milliseconds.
const ANSWER_MS: u64 = 50;

impl Slow {
    fn put(&self, key: &str, value: &str) {
        let value = Ok(value.to_owned());
        self.kv.borrow_mut().insert(key.to_owned(), value);
    }

    fn fail(&self, key: &str) {
        let error = Err(StoreError::new("get", "fault"));
        self.kv.borrow_mut().insert(key.to_owned(), error);
    }

    fn ask(&self, key: &str, value: &str) {
        let mut registry = self.registry.borrow_mut();
        registry.insert(key.to_owned(), value.to_owned());
    }

    fn take_calls(&self) -> Vec<String> {
        self.calls.take()
    }

    async fn pass(&self, ms: u64) {
        let until = self.now.get().saturating_add(ms);
        poll_fn(|context| {
            if self.now.get() >= until {
                return Poll::Ready(());
            }
            context.waker().wake_by_ref();
            Poll::Pending
        })
        .await;
    }

    /// Runs a future until it ends; each poll advances time by a millisecond.
    fn run<T>(&self, run: impl Future<Output = T>) -> T {
        let mut run = pin!(run);
        let mut context = Context::from_waker(Waker::noop());
        for _ in 0..1_000_000 {
            if let Poll::Ready(answer) = run.as_mut().poll(&mut context) {
                return answer;
            }
            self.now.set(self.now.get().saturating_add(1));
        }
        panic!("it waits for ever");
    }
}

impl Source for Slow {
    async fn kv(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.calls.borrow_mut().push(format!("kv {key}"));
        if let Some(left) = self.stuck.get().checked_sub(1) {
            self.stuck.set(left);
            std::future::pending::<()>().await;
        }
        self.pass(ANSWER_MS).await;
        self.kv.borrow().get(key).cloned().transpose()
    }

    async fn registry(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.calls.borrow_mut().push(format!("registry {key}"));
        self.pass(ANSWER_MS).await;
        let registry = self.registry.borrow();
        match registry.get("fails") {
            Some(text) => Err(StoreError::new("call registry", text)),
            None => Ok(registry.get(key).cloned()),
        }
    }

    async fn wait(&self, ms: u32) {
        self.pass(ms.into()).await;
    }

    fn now_ms(&self) -> u64 {
        self.now.get()
    }

    fn settings(&self) -> Settings {
        Settings::default()
    }
}

fn api(id: &str) -> String {
    format!(
        "{{\"revision\":1,\"definition\":{{\"name\":\"{id}\",\"api_id\":\"{id}\",\"use_keyless\":true,\
         \"proxy\":{{\"listen_path\":\"/{id}/\",\"target_url\":\"http://up/\"}}}}}}"
    )
}

fn chunk(ids: &[&str]) -> String {
    let apis: Vec<String> = ids.iter().map(|id| api(id)).collect();
    format!("{{\"apis\":[{}]}}", apis.join(","))
}

/// Returns a location whose KV has a set of two chunks.
fn location() -> Slow {
    let slow = Slow::default();
    slow.put("orgs", "{\"keys\":[\"acme\"],\"version\":3}");
    slow.put(
        "generation",
        "{\"generation\":7,\"chunks\":2,\"before\":[6,1]}",
    );
    slow.put("snapshot/7/0", &chunk(&["a"]));
    slow.put("snapshot/7/1", &chunk(&["b"]));
    slow
}

fn serves(publication: &Publication) -> (u64, Vec<&'static str>) {
    let snapshot = publication.snapshot().unwrap();
    let there = |id: &&str| snapshot.router.get(id).is_some();
    let ids = ["a", "b", "old", "new"].into_iter().filter(there);
    (snapshot.generation, ids.collect())
}

#[test]
fn a_hundred_first_requests_load_the_set_once_and_chunk_by_chunk() {
    let slow = location();
    let isolate = Publication::default();
    let loaded = slow.run(join_all((0..100).map(|_| isolate.ensure(&slow))));
    assert!(
        loaded
            .iter()
            .all(|loaded| loaded.as_ref().unwrap().generation == 7)
    );
    assert_eq!(
        slow.take_calls(),
        [
            "kv orgs",
            "kv generation",
            "kv snapshot/7/0",
            "kv snapshot/7/1"
        ]
    );
    assert_eq!(serves(&isolate), (7, vec!["a", "b"]));
    assert!(isolate.has_session("acme") && !isolate.has_session("other"));
    // One after the other, and the other requests within a few milliseconds of the first.
    assert!(
        (4 * ANSWER_MS..4 * ANSWER_MS + 30).contains(&slow.now.get()),
        "{}",
        slow.now.get()
    );
}

#[test]
fn a_load_whose_request_is_cancelled_is_taken_over() {
    let slow = location();
    slow.stuck.set(1);
    let isolate = Publication::default();
    let cut = isolate.ensure(&slow);
    assert!(
        cut.now_or_never().is_none(),
        "it is under way when its client goes"
    );
    drop(slow.take_calls());
    slow.run(isolate.ensure(&slow)).unwrap();
    assert_eq!(serves(&isolate), (7, vec!["a", "b"]));
    assert_eq!(slow.take_calls().len(), 4);
    assert!(slow.now.get() < 4000, "{}", slow.now.get());
}

#[test]
fn waiting_requests_get_the_error_of_a_failed_load_and_the_next_one_retries() {
    let slow = location();
    slow.put("snapshot/7/1", "{");
    slow.ask("fails", "it is away");
    let isolate = Publication::default();
    let loaded = slow.run(join_all((0..20).map(|_| isolate.ensure(&slow))));
    assert!(loaded.iter().all(Result::is_err));
    let calls = slow.take_calls();
    let reads = calls.iter().filter(|calls| *calls == "kv snapshot/7/0");
    assert_eq!(reads.count(), 1, "{calls:?}");
    slow.put("snapshot/7/1", &chunk(&["b"]));
    slow.run(isolate.ensure(&slow)).unwrap();
    assert_eq!(serves(&isolate), (7, vec!["a", "b"]));
}

#[test]
fn chunks_missing_in_kv_are_fetched_from_the_registry() {
    for (key, value) in [
        ("orgs", "{\"keys\":[\"acme\"],\"version\":3}".to_owned()),
        ("generation", "{\"generation\":7,\"chunks\":2}".to_owned()),
        ("snapshot/7/0", chunk(&["a"])),
        ("snapshot/7/1", chunk(&["b"])),
    ] {
        for fault in ["missing", "failing", "garbled"] {
            let slow = location();
            match fault {
                "missing" => drop(slow.kv.borrow_mut().remove(key)),
                "failing" => slow.fail(key),
                _ => slow.put(key, "{\"generation\":{]"),
            }
            slow.ask(key, &value);
            let isolate = Publication::default();
            slow.run(isolate.ensure(&slow)).unwrap();
            assert_eq!(serves(&isolate), (7, vec!["a", "b"]), "{fault} {key}");
            assert!(isolate.has_session("acme"), "{fault} {key}");
            let calls = slow.take_calls();
            let calls: Vec<_> = calls
                .iter()
                .filter(|calls| calls.starts_with("registry"))
                .collect();
            assert_eq!(calls, [&format!("registry {key}")], "{fault}");
        }
    }
}

#[test]
fn the_previous_set_is_served_if_nobody_has_the_new_one() {
    let slow = location();
    slow.kv.borrow_mut().remove("snapshot/7/1");
    slow.put("snapshot/6/0", &chunk(&["old"]));
    let isolate = Publication::default();
    slow.run(isolate.ensure(&slow)).unwrap();
    assert_eq!(serves(&isolate), (6, vec!["old"]));
    // Once it is there, the next look finds it.
    slow.put("snapshot/7/1", &chunk(&["b"]));
    slow.run(isolate.look(&slow)).unwrap();
    assert_eq!(serves(&isolate), (7, vec!["a", "b"]));
}

#[test]
fn a_pointer_that_is_so_old_that_its_set_is_gone_leads_to_the_newest() {
    let slow = location();
    slow.put("generation", "{\"generation\":2,\"chunks\":1}");
    slow.ask(
        "generation",
        "{\"generation\":7,\"chunks\":2,\"before\":[6,1]}",
    );
    let isolate = Publication::default();
    slow.run(isolate.ensure(&slow)).unwrap();
    assert_eq!(serves(&isolate), (7, vec!["a", "b"]));
    // And it never goes back to an older set.
    slow.put("snapshot/2/0", &chunk(&["old"]));
    slow.run(isolate.look(&slow)).unwrap();
    assert_eq!(serves(&isolate), (7, vec!["a", "b"]));
}

#[test]
fn a_just_published_set_is_loaded_from_kv_or_the_registry() {
    let slow = location();
    let isolate = Publication::default();
    slow.run(isolate.ensure(&slow)).unwrap();
    let published = Generation {
        generation: 8,
        chunks: 1,
        ..Generation::default()
    };
    // Nobody has it: the publisher gets an error, and the previous set is still served.
    slow.run(isolate.take(&slow, published.clone()))
        .unwrap_err();
    assert_eq!(serves(&isolate).0, 7);
    slow.ask("snapshot/8/0", &chunk(&["new"]));
    slow.run(isolate.take(&slow, published)).unwrap();
    assert_eq!(serves(&isolate), (8, vec!["new"]));
}

#[test]
fn only_a_higher_list_of_organisations_replaces_what_an_isolate_has_learnt() {
    let isolate = Publication::default();
    let list = |keys: &str, version| format!("{{\"keys\":[\"{keys}\"],\"version\":{version}}}");
    isolate.learn_orgs("{\"keys\":[\"first\"]}").unwrap();
    assert!(isolate.has_session("first"), "of a version before");
    isolate.learn_orgs(&list("acme", 4)).unwrap();
    isolate.learn_orgs(&list("stale", 3)).unwrap();
    isolate.learn_orgs(&list("same", 4)).unwrap();
    isolate.learn_orgs("[").unwrap_err();
    assert!(isolate.has_session("acme") && !isolate.has_session("stale"));
    isolate.learn_orgs(&list("newer", 5)).unwrap();
    assert!(isolate.has_session("newer") && !isolate.has_session("acme"));
}

#[test]
fn an_isolate_without_a_list_of_organisations_serves_nobody() {
    let slow = location();
    slow.kv.borrow_mut().remove("orgs");
    slow.ask("fails", "it is away");
    let isolate = Publication::default();
    slow.run(isolate.ensure(&slow)).unwrap_err();
    assert!(isolate.snapshot().is_none());
    slow.registry.borrow_mut().clear();
    slow.ask("orgs", "{\"keys\":[\"acme\"],\"version\":3}");
    slow.run(isolate.ensure(&slow)).unwrap();
    assert!(isolate.has_session("acme"));
}

#[test]
fn an_installation_that_has_published_nothing_serves_an_empty_set() {
    let memory = Memory::default();
    memory.load().now_or_never().unwrap().unwrap();
    assert_eq!(memory.snapshot().unwrap().generation, 0);
    memory.isolate.fail("published");
    memory.load().now_or_never().unwrap().unwrap_err();
}
