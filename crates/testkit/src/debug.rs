//! Debugging in memory: the gate with a listener, and an upstream that says what it was sent.

use crate::platform::Memory;
use gatewright_controlplane::error::Error;
use gatewright_dataplane::batch::{Answer, Budget, Dispatch, Item, Scope, Unsent};
use gatewright_dataplane::debug::{self, Ask};
use gatewright_dataplane::failure::Failure;
use gatewright_dataplane::gate::sessions::Sessions;
use gatewright_dataplane::gate::source::Carrier;
use gatewright_dataplane::gate::{self, GateConfig, Gatekeeper, Incoming, Refusal, Stored, Way};
use gatewright_dataplane::plan::Forward;
use gatewright_dataplane::snapshot::Api;
use gatewright_dataplane::trace::Trace;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::events::Event;
use gatewright_protocol::http::Response;
use gatewright_protocol::ledger::{Consume, Verdict};
use serde_json::json;
use std::cell::RefCell;

/// The gate of a [`Memory`] with a listener.
struct Heard<'a> {
    memory: &'a Memory,
    trace: &'a Trace<'a>,
}

impl Memory {
    /// Carries a debugged request out. The upstream answers what it was sent as JSON; below `/down` it
    /// is down, below `/long` it has no end.
    pub(crate) async fn debugged(&self, body: &str) -> Result<Response, Error> {
        let ask = match Ask::read(body, self.now_ms()).map_err(refused)? {
            Ok(ask) => ask,
            Err(unloadable) => return Ok(unloadable),
        };
        let snapshot = self.snapshot().unwrap_or_default();
        let clock = || self.now_ms();
        let trace = Trace::new(&clock);
        let heard = Heard {
            memory: self,
            trace: &trace,
        };
        let ran = debug::run((&snapshot, "gateway.example"), &ask, (&trace, &heard)).await;
        ran.map_err(refused)
    }
}

fn refused(error: debug::Error) -> Error {
    match error {
        debug::Error::Malformed(issues) => Error::Malformed(issues),
        debug::Error::Refused(status, text) => Error::Refused(status, text),
    }
}

impl Dispatch for Heard<'_> {
    async fn pass(
        &self,
        scope: &Scope<'_>,
        item: &Item,
        forward: &Forward<'_>,
    ) -> Result<Way, Refusal> {
        let header = |name: &str| {
            let mut headers = item.headers.iter();
            let found = headers.find(|(key, _)| key == name);
            found.map(|(_, value)| value.clone())
        };
        let incoming = Incoming {
            method: &item.method,
            path: &forward.path,
            rest: forward.rest(),
            carrier: Carrier {
                query: &item.query,
                header: &header,
            },
            sent_as: item.sent_as.as_deref(),
        };
        let passed = gate::pass(self, scope.snapshot, &forward.api, &incoming, false).await?;
        Ok(gate::way(forward, &incoming.carrier, passed))
    }

    async fn send(&self, item: &Item, way: &Way, budget: &Budget) -> Result<Answer, Unsent> {
        if way.url.contains("/down") {
            return Err(Unsent::Failure(Failure::UpstreamLookup));
        }
        let gone = |name: &str| way.stripped.iter().any(|(stripped, _)| stripped == name);
        let headers = item.headers.iter().filter(|(name, _)| !gone(name));
        let echo = json!({
            "method": item.method,
            "url": way.url,
            "headers": headers.collect::<Vec<_>>(),
            "body": item.body,
        });
        let mut body = echo.to_string().into_bytes();
        let cut = way.url.contains("/long");
        if cut {
            // Characters of three bytes, the last one cut in the middle.
            body = "\u{20ac}".repeat(budget.item).into_bytes();
        }
        let told = way.headers.iter();
        let told = told.map(|(name, value)| ((*name).to_owned(), value.clone()));
        let media = ("content-type".to_owned(), "application/json".to_owned());
        Ok(Answer {
            status: 200,
            headers: std::iter::once(media).chain(told).collect(),
            body,
            cut,
        })
    }
}

impl Gatekeeper for Heard<'_> {
    async fn consume(&self, ledger: &str, ask: &Consume) -> Result<(Verdict, String), StoreError> {
        Gatekeeper::consume(self.memory, ledger, ask).await
    }

    async fn find(&self, hashes: Vec<String>) -> Result<Option<Stored>, StoreError> {
        self.memory.find(hashes).await
    }

    async fn wait(&self, ms: u64) {
        Gatekeeper::wait(self.memory, ms).await;
    }

    fn sessions(&self) -> &RefCell<Sessions> {
        self.memory.sessions()
    }

    fn has_session(&self, org: &str) -> bool {
        self.memory.has_session(org)
    }

    fn now_ms(&self) -> u64 {
        Gatekeeper::now_ms(self.memory)
    }

    fn client_address(&self) -> String {
        self.memory.client_address()
    }

    fn config(&self) -> &GateConfig {
        self.memory.config()
    }

    fn raise(&self, api: &Api, event: Event) {
        self.memory.raise(api, event);
    }

    fn trace(&self) -> Option<&Trace<'_>> {
        Some(self.trace)
    }
}
