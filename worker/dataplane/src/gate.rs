//! The gate's port over the platform: Ledgers, the Registry, and what this isolate remembers.

use crate::{Visit, events};
use gatewright_dataplane::gate::sessions::Sessions;
use gatewright_dataplane::gate::source::Carrier;
use gatewright_dataplane::gate::{self, GateConfig, Gatekeeper, Incoming, Refusal, Stored, Way};
use gatewright_dataplane::plan::Forward;
use gatewright_dataplane::snapshot::{Api, Snapshot};
use gatewright_dataplane::trace::Trace;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::events::Event;
use gatewright_protocol::ledger::{Consume, Verdict};
use gatewright_protocol::registry::{Command, Reply, decode, encode};
use gatewright_protocol::sessions::{Owner, SessionAsk};
use gatewright_worker_platform::glue;
use gatewright_worker_platform::objects::{ask, ask_ledger};
use gatewright_worker_platform::time::now_ms;
use std::cell::RefCell;
use worker::console_error;

/// What stands between a request and its API.
pub(crate) struct Gate<'a> {
    pub(crate) visit: &'a Visit<'a>,
    /// Who listens to its steps, if somebody does.
    pub(crate) trace: Option<&'a Trace<'a>>,
    /// Where the request is counted.
    pub(crate) place: u32,
}

impl Gatekeeper for Gate<'_> {
    async fn consume(&self, ledger: &str, ask: &Consume) -> Result<(Verdict, String), StoreError> {
        let answer = ask_ledger(self.visit.env, ledger, ask).await;
        match &answer {
            Ok((verdict, _)) => self.visit.isolate.note(self.place, ledger, ask, verdict),
            Err(error) => console_error!("ledger: {error}"),
        }
        answer
    }

    async fn find(&self, hashes: Vec<String>) -> Result<Option<Stored>, StoreError> {
        let command = Command::Session(SessionAsk::find(Owner::Key, hashes));
        let answer = ask(self.visit.env, "call", &encode(&command, "")?).await;
        if let Err(error) = &answer {
            console_error!("key: {error}");
        }
        let answer = answer?;
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
        #[expect(clippy::cast_precision_loss, reason = "a wait has no days")]
        glue::wait(ms as f64).await;
    }

    fn sessions(&self) -> &RefCell<Sessions> {
        &self.visit.isolate.sessions
    }

    fn has_session(&self, org: &str) -> bool {
        self.visit.isolate.orgs.borrow().contains(org)
    }

    fn now_ms(&self) -> u64 {
        now_ms()
    }

    fn config(&self) -> &GateConfig {
        &self.visit.isolate.gate
    }

    fn client_address(&self) -> String {
        let trusted = self.visit.isolate.client_ip_header.as_deref();
        glue::client_address(self.visit.request, trusted)
    }

    fn raise(&self, api: &Api, event: Event) {
        events::raise(self.visit, api, &event);
    }

    fn trace(&self) -> Option<&Trace<'_>> {
        self.trace
    }
}

/// Lets a request pass; if not, it is counted here.
///
/// # Errors
/// Why it does not pass.
pub(crate) async fn pass(
    gate: &Gate<'_>,
    snapshot: &Snapshot,
    forward: &Forward<'_>,
    incoming: &Incoming<'_>,
) -> Result<Way, Refusal> {
    let passed = gate::pass(gate, snapshot, &forward.api, incoming, false).await;
    if let Err(refusal) = &passed {
        gate.visit.isolate.count_failed(gate.place, refusal.failure);
    }
    let passed = passed?;
    Ok(gate::way(forward, &incoming.carrier, passed))
}

/// How the limits of a request's key stand, as JSON.
///
/// # Errors
/// Why it would not pass.
pub(crate) async fn standing(
    visit: &Visit<'_>,
    snapshot: &Snapshot,
    forward: &Forward<'_>,
    header: &dyn Fn(&str) -> Option<String>,
) -> Result<String, Refusal> {
    let incoming = incoming(forward, (visit.method, visit.url.query), header);
    let passed = gate::pass(&at(visit, forward), snapshot, &forward.api, &incoming, true).await?;
    Ok(gate::standing(&passed, &forward.api))
}

/// The gate of a request to which nobody listens.
pub(crate) fn at<'a>(visit: &'a Visit<'_>, forward: &Forward<'_>) -> Gate<'a> {
    Gate {
        visit,
        place: visit.isolate.place(&forward.api),
        trace: None,
    }
}

/// A request at the gate; it brings its method and query.
pub(crate) fn incoming<'a>(
    forward: &'a Forward<'_>,
    (method, query): (&'a str, &'a str),
    header: &'a dyn Fn(&str) -> Option<String>,
) -> Incoming<'a> {
    Incoming {
        method,
        path: &forward.path,
        rest: forward.rest(),
        carrier: Carrier { query, header },
        sent_as: None,
    }
}
