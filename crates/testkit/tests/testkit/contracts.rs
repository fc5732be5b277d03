//! The fakes of this crate fulfil the contracts of their ports, as the adapters of the worker do on workerd
//! (`worker/tests/contracts.test.mjs`).

#![allow(clippy::panic, reason = "a test may fail loudly")]

use futures_util::FutureExt;
use gatewright_testkit::contracts::{
    Case, dispatch, edge, egress, isolate, kv, platform, servers, sql,
};
use gatewright_testkit::kv::{MemoryKv, Time};
use gatewright_testkit::platform::Memory;
use gatewright_testkit::sql::FaultySql;
use gatewright_testkit::sqlite::Sqlite;
use gatewright_testkit::web::MemoryWeb;
use std::borrow::Borrow;
use std::cell::Cell;
use std::rc::Rc;

/// The address of the contracts' server: a private one, as in the test of the worker.
const SERVER: &str = "http://127.0.0.1:8080";
const NOBODY: &str = "http://127.0.0.1:9";

/// Runs every case on a port of its own, and reports all that fail.
fn check<P: ?Sized, B: Borrow<P>>(cases: &[Case<P>], port: impl Fn() -> B) {
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let port = port();
            let outcome = case.check(port.borrow()).now_or_never();
            let outcome = outcome.unwrap_or_else(|| Err("it waits".to_owned()));
            Some(format!("{}: {}", case.name, outcome.err()?))
        })
        .collect();
    assert!(
        !cases.is_empty() && wrong.is_empty(),
        "{}",
        wrong.join("\n")
    );
}

/// Creates the servers of third parties, with or without calls to private networks.
fn web(allow_private: bool) -> MemoryWeb {
    let web = MemoryWeb::default();
    web.serve(SERVER);
    web.allow_private(allow_private);
    web
}

#[test]
fn kv_in_memory_keeps_its_contract() {
    check(&kv::cases(), MemoryKv::default);
}

/// A clock that advances only on demand.
#[derive(Clone, Debug, Default)]
struct Hand(Rc<Cell<u64>>);

impl Time for Hand {
    fn now_ms(&self) -> u64 {
        self.0.get()
    }

    fn pass(&self, ms: u32) {
        self.0.set(self.0.get().saturating_add(ms.into()));
    }
}

/// A namespace at the edge with its clock.
struct AtEdge(MemoryKv, Hand);

impl edge::Locations for AtEdge {
    type Kv = MemoryKv;

    fn at(&self, location: &str) -> MemoryKv {
        self.0.at(location)
    }

    fn pass(&self, ms: u32) {
        self.1.pass(ms);
    }
}

#[test]
fn kv_in_memory_is_as_bad_as_that_of_the_edge() {
    check(&edge::cases(), || {
        let hand = Hand::default();
        AtEdge(MemoryKv::at_edge(hand.clone()), hand)
    });
}

#[test]
fn the_web_in_memory_keeps_the_contract_of_egress() {
    check(&egress::cases(), || egress::Outside {
        open: web(true),
        closed: web(false),
        server: SERVER.to_owned(),
        nobody: NOBODY.to_owned(),
    });
}

#[test]
fn the_platform_in_memory_keeps_its_contract() {
    check(&platform::cases(), Memory::default);
}

#[test]
fn the_dispatcher_in_memory_keeps_its_contract() {
    check(&dispatch::cases(), || {
        let memory = Memory::default();
        memory.web.serve(SERVER);
        memory.web.end(NOBODY);
        dispatch::Batches {
            isolate: memory.isolate(),
            settings: memory.settings.clone(),
            dispatch: memory,
            server: SERVER.to_owned(),
            nobody: NOBODY.to_owned(),
        }
    });
}

#[test]
fn the_isolate_in_memory_keeps_its_contract() {
    check(&isolate::cases(), || Memory::default().isolate());
}

#[test]
fn sqlite_in_memory_keeps_its_contract_also_when_it_was_used() {
    let database = FaultySql::<Sqlite>::default();
    for round in 1..=2 {
        for name in sql::names() {
            assert_eq!(
                sql::check(&name, &database),
                Ok(()),
                "{name}, round {round}"
            );
        }
    }
    assert!(sql::names().count() > 20);
}

#[test]
fn a_case_that_is_missing_is_wrong() {
    use gatewright_testkit::contracts;
    let memory = MemoryKv::default();
    let missing = contracts::check(kv::cases(), "no such case", &memory);
    assert_eq!(
        missing.now_or_never(),
        Some(Err("there is no case no such case".to_owned()))
    );
    let names = contracts::lines("kv", &kv::cases::<MemoryKv>());
    assert!(
        names.starts_with("kv a_key_that_was_never_set_has_no_value\n"),
        "{names}"
    );
    assert!(servers::describe().contains("\"path\":\"/gzip\""));
}
