//! One isolate in memory: what its chains can observe, and a record of its calls.

use crate::ledgers::Ledgers;
use crate::platform::Clock;
use gatewright_dataplane::config::IdentityConfig;
use gatewright_dataplane::events::outbox::Outbox;
use gatewright_dataplane::isolate::{Asked, Direct, Isolate};
use gatewright_dataplane::leases::Leases;
use gatewright_dataplane::proofs::{ProofCall, Proofs};
use gatewright_dataplane::publication::Publication;
use gatewright_dataplane::sessions::Sessions;
use gatewright_dataplane::snapshot::Api;
use gatewright_dataplane::upstreams::{Answers, Upstreams};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::events::{Event, Handler};
use gatewright_protocol::ledger::{Consume, Verdict};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

/// The state of an isolate, and a record of its calls.
#[derive(Debug, Default)]
pub struct IsolateState {
    /// The next reports about credentials, in order; if it is empty, proving fails.
    reports: RefCell<VecDeque<String>>,
    /// The calls to prove credentials.
    proof_calls: RefCell<Vec<ProofCall>>,
    sessions: RefCell<Sessions>,
    proofs: RefCell<Proofs>,
    pub(crate) leases: RefCell<Leases>,
    /// The known state of upstreams.
    pub(crate) upstreams: RefCell<Upstreams>,
    /// The cached answers about upstreams.
    answers: RefCell<Answers>,
    /// What it serves, and which organisations have a session.
    pub(crate) publication: RefCell<Rc<Publication>>,
    /// The names of the objects that were called at once, per round; `registry` is one of them.
    rounds: RefCell<Vec<Vec<String>>>,
    /// How long requests have waited, in milliseconds.
    waits: RefCell<Vec<u64>>,
    faults: RefCell<BTreeSet<String>>,
    /// Whether the objects of the Ledgers live in this isolate.
    hosts_ledgers: Cell<bool>,
    pub(crate) outbox: RefCell<Outbox>,
}

impl IsolateState {
    /// Returns the objects called since the last call of this function, in order.
    pub fn take_calls(&self) -> Vec<String> {
        self.rounds.take().concat()
    }

    /// Returns the same by rounds: the objects of one round were called at once.
    pub fn take_rounds(&self) -> Vec<Vec<String>> {
        self.rounds.take()
    }

    /// Returns the waits since the last call of this function, in milliseconds.
    pub fn take_waits(&self) -> Vec<u64> {
        self.waits.take()
    }

    /// Makes a call to every Ledger fail (`session`, `consume`, `keep`), every call to the Ledger of this name, the query of
    /// a Ledger to the Registry (`find`), or the one for what is published (`published`).
    pub fn fail(&self, call: &str) {
        self.faults.borrow_mut().insert(call.to_owned());
    }

    /// Queues reports for the next credentials to be proved.
    pub fn report(&self, reports: &[&str]) {
        let reports = reports.iter().map(|report| (*report).to_owned());
        self.reports.borrow_mut().extend(reports);
    }

    /// Returns the calls to prove credentials since the last call of this function.
    pub fn take_proofs(&self) -> Vec<ProofCall> {
        self.proof_calls.take()
    }

    /// Returns the next report about a credential.
    pub(crate) fn prove(&self, call: ProofCall) -> Option<String> {
        self.proof_calls.borrow_mut().push(call);
        self.reports.borrow_mut().pop_front()
    }

    /// Moves the objects of the Ledgers into this isolate, which may then count on them directly.
    pub fn host_ledgers(&self) {
        self.hosts_ledgers.set(true);
    }

    /// Forgets which signals were sent recently, like an isolate that has just started.
    pub fn forget_signals(&self) {
        self.outbox.borrow_mut().lost();
    }

    /// Ends all faults.
    pub fn heal(&self) {
        self.faults.borrow_mut().clear();
    }

    /// Fails if this call was made to fail.
    pub(crate) fn check(&self, call: &str) -> Result<(), StoreError> {
        match self.faults.borrow().contains(call) {
            true => Err(StoreError::new("call", format!("{call}: injected fault"))),
            false => Ok(()),
        }
    }

    pub(crate) fn record_round(&self, round: Vec<String>) {
        self.rounds.borrow_mut().push(round);
    }

    pub(crate) fn waited(&self, ms: u64) {
        self.waits.borrow_mut().push(ms);
    }
}

/// An isolate, as seen by the chains of one request.
pub(crate) struct MemoryIsolate {
    pub(crate) state: Rc<IsolateState>,
    pub(crate) ledgers: Rc<Ledgers>,
    pub(crate) config: IdentityConfig,
    pub(crate) clock: Clock,
    pub(crate) log: Rc<RefCell<Vec<String>>>,
}

impl Isolate for MemoryIsolate {
    fn now_ms(&self) -> u64 {
        self.clock.now_ms()
    }

    fn sessions(&self) -> &RefCell<Sessions> {
        &self.state.sessions
    }

    fn proofs(&self) -> &RefCell<Proofs> {
        &self.state.proofs
    }

    fn trust(&self) -> (u64, Rc<str>) {
        self.state.publication.borrow().trust()
    }

    fn has_session(&self, org: &str) -> bool {
        self.state.publication.borrow().has_session(org)
    }

    fn config(&self) -> &IdentityConfig {
        &self.config
    }

    fn leases(&self) -> &RefCell<Leases> {
        &self.state.leases
    }

    fn upstreams(&self) -> &RefCell<Upstreams> {
        &self.state.upstreams
    }

    fn answers(&self) -> &RefCell<Answers> {
        &self.state.answers
    }

    fn count_directly(&self, ledger: &str, ask: &Consume) -> Direct {
        match self.state.hosts_ledgers.get() {
            true => self.ledgers.count_directly(ledger, ask, self.now_ms()),
            false => Direct::Elsewhere,
        }
    }

    fn counted(&self, _: &str, _: Asked<'_>, _: &Verdict) {}

    fn missed(&self, _: &str) {}

    fn raise(&self, api: &Api, event: Event) {
        for handler in api.handlers.of(event.kind) {
            if let Handler::Log(prefix) = handler {
                self.log.borrow_mut().push(event.line(prefix, "now"));
            }
        }
        let mut outbox = self.state.outbox.borrow_mut();
        outbox.put(&api.handlers, &event, self.now_ms());
    }
}
