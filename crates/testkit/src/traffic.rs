//! Requests of the data plane in memory: the loop around the driver, like the worker's, with the real Ledgers and
//! Registry and an upstream that reports what it was sent.

use crate::isolate::MemoryIsolate;
use crate::platform::Memory;
use crate::web::{Rest, StartedResponse};
use gatewright_controlplane::admin::oauth::Call;
use gatewright_controlplane::ports::{Outgoing, Unfetched};
use gatewright_dataplane::batch;
use gatewright_dataplane::driver::directive::{self, About};
use gatewright_dataplane::driver::{
    self, Given, Next, OwnRoute, Purpose, Routed, Run, Sending, UpstreamAnswer, Wanted,
};
use gatewright_dataplane::exchange::{Entry, Request};
use gatewright_dataplane::failure::{Answer, Failure};
use gatewright_dataplane::headers::{Fields, Headers};
use gatewright_dataplane::identity::Stored;
use gatewright_dataplane::isolate::Isolate;
use gatewright_dataplane::router::Match;
use gatewright_dataplane::snapshot::{Api, Snapshot};
use gatewright_protocol::asking;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::registry::{Command, encode};
use gatewright_protocol::sessions::SessionAsk;
use serde_json::json;
use std::cell::Cell;
use std::rc::Rc;

/// The client address of every request.
pub(crate) const ORIGIN: &str = "192.0.2.7";

/// The host that every request is sent to.
pub(crate) const AUTHORITY: &str = "gateway.example";

/// A request of the data plane.
#[derive(Clone, Copy, Debug)]
pub struct Visit<'a> {
    /// The method.
    pub method: &'a str,
    /// The path, with its query.
    pub target: &'a str,
    /// The headers, their names in lower case.
    pub headers: &'a [(&'a str, &'a str)],
    /// The body.
    pub body: &'a str,
}

/// A request that was not refused.
#[derive(Clone, Debug, Default)]
pub struct Passed {
    /// How it was forwarded; `None` if the gateway answered it.
    pub sent: Option<Sending>,
    /// The status of the response.
    pub status: u16,
    /// The headers of the response, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body of the response.
    pub body: String,
}

impl Passed {
    /// Returns the URL it was forwarded to.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.sent.as_ref().expect("a request that was sent").url
    }
}

/// A request that was refused.
#[derive(Clone, Debug)]
pub struct Refused {
    /// The reason.
    pub failure: Failure,
    /// The headers of the response.
    pub headers: Vec<(String, String)>,
    /// The body of the response.
    pub body: String,
}

/// The parts of a client's request that the upstream sees.
pub(crate) struct Client<'a> {
    pub(crate) method: &'a str,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: &'a str,
}

/// The result of a run.
pub(crate) struct Ended {
    pub(crate) sent: Option<Sending>,
    pub(crate) answer: batch::Answer,
}

impl Memory {
    /// Passes a request to the OAuth 2.0 server, as `entry.js` does.
    async fn authorised(&self, found: &Match<Api>, rest: &str, visit: &Visit<'_>) -> Passed {
        let (path, query) = visit.target.split_once('?').unwrap_or((visit.target, ""));
        let rest = rest.trim_matches('/');
        let below = path.trim_end_matches('/').strip_suffix(rest).unwrap();
        let call = Call {
            api: found.api.definition.api_id.clone(),
            rest: rest.to_owned(),
            base: format!("http://{AUTHORITY}{}", below.trim_end_matches('/')),
            query: query.to_owned(),
            address: ORIGIN.to_owned(),
        };
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let request = gatewright_protocol::http::Request {
            method: visit.method.to_owned(),
            path: path.to_owned(),
            headers: visit.headers.iter().map(own).collect(),
            body: visit.body.as_bytes().to_vec(),
            ..Default::default()
        };
        let answer = self.authorise(&call, &request).await;
        let headers = answer.headers.into_iter();
        Passed {
            sent: None,
            status: answer.status,
            headers: headers
                .map(|(name, value)| (name.to_owned(), value))
                .collect(),
            body: answer.body,
        }
    }

    /// Sends a request through the data plane.
    ///
    /// # Errors
    /// Why it was refused.
    pub async fn visit(&self, visit: &Visit<'_>) -> Result<Passed, Refused> {
        let snapshot = self.served_set();
        let (path, query) = visit.target.split_once('?').unwrap_or((visit.target, ""));
        let (found, path) = match driver::route(&snapshot, AUTHORITY, path, query) {
            Routed::Api(found, path) => (found, path),
            Routed::Answer(answer) => return unrouted(answer),
        };
        let rest = path.decoded().get(found.listen..).unwrap_or_default();
        let purpose = match driver::own_route(&found.api, rest) {
            OwnRoute::None => Purpose::Serve,
            OwnRoute::Standing => Purpose::Standing,
            OwnRoute::Oauth => return Ok(self.authorised(&found, rest, visit).await),
            OwnRoute::Batch => panic!("a batch has no chain of its own"),
        };
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let headers: Vec<_> = visit.headers.iter().map(own).collect();
        let isolate = self.isolate();
        let request = Request {
            method: visit.method.to_owned(),
            scheme: "http",
            authority: AUTHORITY.to_owned(),
            path,
            query: query.to_owned(),
            has_bare_query: false,
            headers: Headers::new(Rc::new(Fields(headers.clone()))),
            connection_address: ORIGIN.into(),
            client_address: None,
            entry: Entry::Client,
            sent_as: None,
            now_ms: isolate.now_ms(),
        };
        let run = Run::new(&snapshot, &isolate, &found, request, None).for_purpose(purpose);
        let client = Client {
            method: visit.method,
            headers,
            body: visit.body,
        };
        let (run, ended) = self.drive(run, &client, usize::MAX).await;
        let body = String::from_utf8(ended.answer.body).unwrap();
        match run.failure {
            Some(failure) => Err(Refused {
                failure,
                headers: ended.answer.headers,
                body,
            }),
            None => Ok(Passed {
                sent: ended.sent,
                status: ended.answer.status,
                headers: ended.answer.headers,
                body,
            }),
        }
    }

    /// Returns the state of the limits of a request's key, as `{listen_path}/gateway/rate-limits/` shows it.
    ///
    /// # Errors
    /// Why the request would not pass.
    pub async fn rate_limit_status(&self, visit: &Visit<'_>) -> Result<String, Refused> {
        let passed = self.visit(visit).await?;
        assert!(passed.sent.is_none(), "{} was sent on", visit.target);
        Ok(passed.body)
    }

    /// Sends the pending events to the Registry. Returns how many there were.
    ///
    /// # Errors
    /// If the Registry fails.
    pub fn send_events(&self) -> Result<usize, StoreError> {
        let now = self.now_ms();
        let (signals, _) = self.isolate.outbox.borrow_mut().take(now);
        let count = signals.len();
        self.ask(&encode(&Command::Raise(signals), "")?)?;
        Ok(count)
    }

    /// Returns the isolate as it is currently configured.
    #[must_use]
    pub fn isolate(&self) -> Rc<dyn Isolate> {
        Rc::new(MemoryIsolate {
            state: Rc::clone(&self.isolate),
            ledgers: Rc::clone(&self.ledgers),
            config: self.gate.clone(),
            clock: self.clock.clone(),
            log: Rc::clone(&self.log),
        })
    }

    /// Returns the set that is served, or an empty one.
    pub(crate) fn served_set(&self) -> Rc<Snapshot> {
        let empty = || Rc::new(Snapshot::empty(0, self.settings.clone()));
        self.snapshot().unwrap_or_else(empty)
    }

    /// Gives a run what it needs until it has ended; the response body is limited to this many bytes.
    pub(crate) async fn drive(
        &self,
        mut run: Run,
        client: &Client<'_>,
        most: usize,
    ) -> (Run, Ended) {
        let mut given = Given::Start;
        loop {
            let next = run.advance(given);
            // Checks that everything the driver says can be passed to JavaScript.
            directive::write(&next, About::default()).unwrap();
            given = match next {
                Next::Need(wanted) => self.give(wanted, client),
                Next::Answer(answer) => {
                    let ended = Ended {
                        sent: None,
                        answer: batch::Answer::of(answer),
                    };
                    return (run, ended);
                }
                Next::Send(sending) => match self.upstream(client, &sending, most) {
                    Ok(answer) => return answered(run, *sending, answer),
                    Err(failure) => Given::Failed(failure),
                },
                Next::Reuse(_) => panic!("nothing is kept"),
                Next::Pass(_) | Next::Override(_) => panic!("nothing has been sent"),
            };
        }
    }

    fn give(&self, wanted: Wanted, client: &Client<'_>) -> Given {
        match wanted {
            Wanted::Body { max } => {
                let body = client.body.as_bytes();
                Given::Body((body.len() <= max).then(|| body.to_vec()))
            }
            // There are no extras here: what depends on one is tested with it.
            Wanted::Extra(_) => Given::Extra(gatewright_dataplane::extras::Extracted::Failed),
            Wanted::Proof(call) => Given::Proof(self.isolate.prove(*call)),
            Wanted::Counters(asks) => {
                let names = asks.iter().map(|(ledger, _)| ledger.clone());
                self.isolate.record_round(names.collect());
                let ask = |(ledger, ask): &(String, _)| {
                    self.isolate.check("consume").ok()?;
                    self.isolate.check(ledger).ok()?;
                    self.consume(ledger, ask).ok()
                };
                Given::Counters(asks.iter().map(ask).collect())
            }
            Wanted::Cached(_) => Given::Cached(None),
            Wanted::Session { hashes } => Given::Session(self.find(hashes)),
            Wanted::Time { ms } => {
                self.isolate.waited(ms);
                self.wait(ms.div_ceil(1000));
                Given::Time
            }
            Wanted::Upstreams(message) => panic!("one process asks nobody: {message}"),
            Wanted::UpstreamBody { .. } => panic!("nothing has been answered"),
        }
    }

    fn find(&self, hashes: Vec<String>) -> Result<Option<Stored>, StoreError> {
        self.isolate.check("session")?;
        let ask = SessionAsk::meet(hashes);
        let [ledger, message] = asking::lookup(&ask)?;
        let asked = Cell::new("session");
        let registry = |message: &str| {
            asked.set("registry");
            self.isolate.check("find")?;
            self.ask(message)
        };
        let answer = self
            .ledgers
            .find(&ledger, &message, self.now_ms(), registry);
        self.isolate.record_round(vec![asked.get().to_owned()]);
        let answer = answer?;
        Ok(asking::found(&answer)?.map(|(session, text)| Stored {
            hash: session.id,
            revision: session.revision,
            text: text.to_owned(),
        }))
    }

    /// Returns the upstream's response: that of the servers of [`Memory::web`], or otherwise what it was sent, as JSON.
    /// Below `/down` it is unreachable, below `/long` its response is endless, below `/status/` it responds with the
    /// status named there, below `/size/` with that many bytes.
    fn upstream(
        &self,
        client: &Client<'_>,
        sending: &Sending,
        most: usize,
    ) -> Result<batch::Answer, Failure> {
        let url = sending.url.as_str();
        self.upstream_calls.borrow_mut().push(url.to_owned());
        if url.contains("/down") {
            return Err(Failure::UpstreamLookup);
        }
        let mut headers = client.headers.clone();
        headers.retain(|(name, _)| sending.headers.get(name).is_none());
        let edits = sending.headers.iter();
        headers
            .extend(edits.filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned()))));
        let body = sending.body.as_deref();
        let body = body.map_or(client.body.into(), String::from_utf8_lossy);
        let method = sending.method.as_deref().unwrap_or(client.method);
        let outgoing = Outgoing {
            method: method.to_owned(),
            url: url.to_owned(),
            headers: headers.clone(),
            body: (!body.is_empty()).then(|| body.to_string()),
        };
        if let Some(answer) = self.web.call(&outgoing) {
            return called(answer, most);
        }
        let echo = json!({
            "method": method,
            "url": url,
            "headers": headers,
            "body": body,
        });
        let mut body = echo.to_string().into_bytes();
        let cut = url.contains("/long");
        if cut {
            // Characters of three bytes, the last one cut in the middle.
            body = "\u{20ac}".repeat(most).into_bytes();
        }
        let number = |behind: &str| url.split_once(behind)?.1.parse().ok();
        if let Some(size) = number("/size/") {
            body = vec![b'x'; size];
        }
        let status = number("/status/").and_then(|status| u16::try_from(status).ok());
        let media = ("content-type".to_owned(), "application/json".to_owned());
        Ok(batch::Answer {
            status: status.unwrap_or(200),
            headers: vec![media],
            body,
            cut,
        })
    }
}

/// Converts the answer of a server of the contracts, or the platform's error.
fn called(
    answer: Result<StartedResponse, Unfetched>,
    most: usize,
) -> Result<batch::Answer, Failure> {
    let response = answer.map_err(|unfetched| match unfetched {
        Unfetched::TimedOut => Failure::UpstreamTimeout,
        Unfetched::Unreachable | Unfetched::TooLarge => Failure::UpstreamRefused,
    })?;
    let (body, cut) = match response.body {
        Rest::Whole(body) => (body, false),
        Rest::Endless => (vec![b'x'; most], true),
        Rest::Stuck => return Err(Failure::UpstreamTimeout),
    };
    Ok(batch::Answer {
        status: response.status,
        headers: response.headers,
        body,
        cut,
    })
}

/// Converts the response to a request that belongs to no API.
fn unrouted(answer: Answer) -> Result<Passed, Refused> {
    let failure = match answer.status {
        400 => Failure::BrokenPath,
        404 => Failure::NoRoute,
        status => {
            return Ok(Passed {
                sent: None,
                status,
                headers: answer.headers,
                body: answer.body,
            });
        }
    };
    Err(Refused {
        failure,
        headers: answer.headers,
        body: answer.body,
    })
}

/// Lets the rules change the upstream's response.
fn answered(mut run: Run, sending: Sending, mut answer: batch::Answer) -> (Run, Ended) {
    let mut edits = [sending.answer.clone(), sending.after.clone()].concat();
    let looks = sending.inspect.from_status();
    if looks.is_some_and(|from| answer.status >= from) {
        let text = |max: usize| {
            let bytes = answer.body.get(..max).unwrap_or(&answer.body);
            String::from_utf8_lossy(bytes).into_owned()
        };
        let mut body = None;
        let changed = loop {
            let status = answer.status;
            match run.advance(Given::Upstream(UpstreamAnswer { status, body })) {
                Next::Need(Wanted::UpstreamBody { max }) => body = Some(text(max)),
                Next::Pass(_) => break None,
                Next::Override(changed) => break Some(changed),
                next => panic!("an answer that has begun: {next:?}"),
            }
        };
        if let Some(changed) = changed {
            answer.status = changed.status;
            let named = |name: &str| changed.headers.iter().any(|(own, _)| own == name);
            answer.headers.retain(|(name, _)| !named(name));
            answer.headers.extend(changed.headers.iter().cloned());
            if let Some(body) = changed.body {
                answer.body = body.into_bytes();
            }
            edits = changed.answer;
        }
    }
    edits
        .iter()
        .for_each(|edit| edit.apply(&mut answer.headers));
    let sent = Some(sending);
    (run, Ended { sent, answer })
}
