//! The gate of the data plane in memory.

use crate::platform::Memory;
use gatewright_api::session::KeyList;
use gatewright_dataplane::events::outbox::Outbox;
use gatewright_dataplane::failure::Failure;
use gatewright_dataplane::gate::sessions::Sessions;
use gatewright_dataplane::gate::source::Carrier;
use gatewright_dataplane::gate::{self, GateConfig, Gatekeeper, Incoming, Refusal, Stored, Way};
use gatewright_dataplane::plan::{self, Forward, Head, Plan};
use gatewright_dataplane::snapshot::Api;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::events::{Event, Handler};
use gatewright_protocol::ledger::{Consume, Verdict};
use gatewright_protocol::registry::{Command, Reply, decode, encode};
use gatewright_protocol::sessions::{Act, Owner, SessionAsk};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// What an isolate keeps for its gate, and whom the gate has asked.
#[derive(Debug, Default)]
pub struct Guard {
    sessions: RefCell<Sessions>,
    orgs: RefCell<BTreeSet<String>>,
    /// The names of the objects that were asked, in their order; `registry` is one of them.
    calls: RefCell<Vec<String>>,
    /// How long the gate has waited each time, milliseconds.
    waits: RefCell<Vec<u64>>,
    faults: RefCell<BTreeSet<&'static str>>,
    outbox: RefCell<Outbox>,
}

/// Where every request comes from.
const ORIGIN: &str = "192.0.2.7";

impl Guard {
    /// The objects that were asked since the last call of this.
    pub fn take_calls(&self) -> Vec<String> {
        self.calls.take()
    }

    /// The waits since the last call of this, in milliseconds.
    pub fn take_waits(&self) -> Vec<u64> {
        self.waits.take()
    }

    /// Makes a call of a Ledger fail (`consume`, `hold`, `release`), or the gate's question to the
    /// Registry (`find`).
    pub fn fail(&self, call: &'static str) {
        self.faults.borrow_mut().insert(call);
    }

    /// Forgets what was told lately, as an isolate does that has just begun.
    pub fn forget_told(&self) {
        self.outbox.borrow_mut().lost();
    }

    /// Ends all faults.
    pub fn heal(&self) {
        self.faults.borrow_mut().clear();
    }

    /// Fails if it was said so.
    pub(crate) fn check(&self, call: &'static str) -> Result<(), StoreError> {
        match self.faults.borrow().contains(call) {
            true => Err(StoreError::new(call, "injected fault")),
            false => Ok(()),
        }
    }

    fn called(&self, name: &str) {
        self.calls.borrow_mut().push(name.to_owned());
    }
}

/// A request of the data plane.
#[derive(Clone, Copy, Debug)]
pub struct Visit<'a> {
    /// The method.
    pub method: &'a str,
    /// The path, with its query.
    pub target: &'a str,
    /// The headers, their names in lower case.
    pub headers: &'a [(&'a str, &'a str)],
}

impl Memory {
    /// Lets a request pass, or says why not.
    ///
    /// # Errors
    /// Why it does not pass.
    pub async fn visit(&self, visit: &Visit<'_>) -> Result<Way, Refusal> {
        let (forward, _) = self.planned(visit)?;
        let header = |name: &str| header(visit, name);
        let incoming = incoming(&forward, visit, &header);
        let snapshot = self.snapshot().unwrap_or_default();
        let passed = gate::pass(self, &snapshot, &forward.api, &incoming, false).await?;
        Ok(gate::way(&forward, &incoming.carrier, passed))
    }

    /// How the limits of a request's key stand, as `{listen_path}/gateway/rate-limits/` tells.
    ///
    /// # Errors
    /// Why the request would not pass.
    pub async fn standing(&self, visit: &Visit<'_>) -> Result<String, Refusal> {
        let (forward, asks) = self.planned(visit)?;
        assert!(asks, "{} is no rate-limits endpoint", visit.target);
        let header = |name: &str| header(visit, name);
        let incoming = incoming(&forward, visit, &header);
        let snapshot = self.snapshot().unwrap_or_default();
        let passed = gate::pass(self, &snapshot, &forward.api, &incoming, true).await?;
        Ok(gate::standing(&passed, &forward.api))
    }

    /// Tells the Registry of the events that wait. Answers how many there were.
    ///
    /// # Errors
    /// If the Registry fails.
    pub fn send_events(&self) -> Result<usize, StoreError> {
        let now = Self::now_ms(self);
        let (signals, _) = self.guard.outbox.borrow_mut().take(now);
        let count = signals.len();
        self.ask(&encode(&Command::Raise(signals), "")?)?;
        Ok(count)
    }

    /// The API of a request, and whether the request asks how limits stand.
    fn planned<'v>(&self, visit: &Visit<'v>) -> Result<(Forward<'v>, bool), Failure> {
        let snapshot = self.snapshot().unwrap_or_default();
        let head = Head {
            method: visit.method,
            authority: "gateway.example",
            path: split(visit).0,
            query: split(visit).1,
        };
        match plan::plan(&snapshot, &head)? {
            Plan::Forward(forward) => Ok((forward, false)),
            Plan::RateLimits(forward) => Ok((forward, true)),
            Plan::Batch(..) => panic!("a batch has no gate of its own"),
        }
    }

    /// Learns which organisations have a session, as an isolate does from KV.
    pub(crate) fn learn_orgs(&self) -> Result<(), StoreError> {
        let ask = SessionAsk {
            owner: Owner::Organisation,
            act: Act::List,
            ..SessionAsk::default()
        };
        let answer = self.ask(&encode(&Command::Session(ask), "")?)?;
        let (_, text) = decode::<Reply>(&answer)?;
        let list: KeyList = serde_json::from_str(text).unwrap();
        self.guard.orgs.replace(list.keys.into_iter().collect());
        Ok(())
    }
}

fn split<'v>(visit: &Visit<'v>) -> (&'v str, &'v str) {
    visit.target.split_once('?').unwrap_or((visit.target, ""))
}

fn header(visit: &Visit<'_>, name: &str) -> Option<String> {
    let mut headers = visit.headers.iter();
    let found = headers.find(|(key, _)| *key == name);
    found.map(|(_, value)| (*value).to_owned())
}

fn incoming<'a>(
    forward: &'a Forward<'_>,
    visit: &Visit<'a>,
    header: &'a dyn Fn(&str) -> Option<String>,
) -> Incoming<'a> {
    Incoming {
        method: visit.method,
        path: &forward.path,
        rest: forward.rest(),
        carrier: Carrier {
            query: split(visit).1,
            header,
        },
        sent_as: None,
    }
}

impl Gatekeeper for Memory {
    async fn consume(&self, ledger: &str, ask: &Consume) -> Result<(Verdict, String), StoreError> {
        self.guard.called(ledger);
        self.guard.check("consume")?;
        Self::consume(self, ledger, ask)
    }

    async fn find(&self, hashes: Vec<String>) -> Result<Option<Stored>, StoreError> {
        self.guard.called("registry");
        self.guard.check("find")?;
        let command = Command::Session(SessionAsk::find(Owner::Key, hashes));
        let answer = self.ask(&encode(&command, "")?)?;
        Ok(match decode(&answer)? {
            (Reply::Session { id, revision, .. }, text) => Some(Stored {
                hash: id,
                revision,
                text: text.to_owned(),
            }),
            _ => None,
        })
    }

    async fn wait(&self, ms: u64) {
        self.guard.waits.borrow_mut().push(ms);
        Self::wait(self, ms.div_ceil(1000));
    }

    fn sessions(&self) -> &RefCell<Sessions> {
        &self.guard.sessions
    }

    fn has_session(&self, org: &str) -> bool {
        self.guard.orgs.borrow().contains(org)
    }

    fn now_ms(&self) -> u64 {
        Self::now_ms(self)
    }

    fn client_address(&self) -> String {
        ORIGIN.to_owned()
    }

    fn config(&self) -> &GateConfig {
        &self.gate
    }

    fn raise(&self, api: &Api, event: Event) {
        for handler in api.handlers.of(event.kind) {
            if let Handler::Log(prefix) = handler {
                self.log.borrow_mut().push(event.line(prefix, "now"));
            }
        }
        let mut outbox = self.guard.outbox.borrow_mut();
        outbox.put(&api.handlers, &event, Self::now_ms(self));
    }
}
