//! Batches: several requests to one API in a single call (specification, *Batch request*).
//!
//! The promise: an item can do nothing that a single request couldn't. It passes the same chain in this process, never
//! a socket whose address someone else could choose; it can't leave its API, state a client address, or contain another
//! batch; and nothing is sent before every item has been validated. Responses are in request order, even if items run
//! in parallel.

pub(crate) mod parse;
mod relative;
pub(crate) mod reply;

pub use parse::Item;
pub use reply::{Answer, Unit};

use crate::chain::trace::Trace;
use crate::config::BatchLimits;
use crate::driver::{OwnRoute, Purpose, Run, own_route};
use crate::exchange::{ConnectionAddress, Entry, Request};
use crate::failure::Failure;
use crate::headers::{Fields, Headers};
use crate::isolate::Isolate;
use crate::path::{self, RequestPath};
use crate::router::Match;
use crate::snapshot::{Api, Snapshot};
use futures_util::future::join_all;
use gatewright_api::message::{BATCH_CREATION_FAILED, BATCH_MALFORMED, StatusMessage};
use gatewright_model::issue::Issue;
use gatewright_protocol::http::Response;
use std::cell::Cell;
use std::rc::Rc;

/// The bytes that the responses of a batch may still use.
#[derive(Debug)]
pub struct Budget {
    /// The limit for one item.
    pub item: usize,
    left: Cell<usize>,
}

impl Budget {
    /// Creates a budget with limits for one item and for all of them.
    #[must_use]
    pub const fn new(item: usize, total: usize) -> Self {
        Self {
            item,
            left: Cell::new(total),
        }
    }

    /// Takes bytes from what is left for all items; false if there is not enough.
    #[must_use]
    pub fn take(&self, bytes: usize) -> bool {
        match self.left.get().checked_sub(bytes) {
            Some(left) => {
                self.left.set(left);
                true
            }
            None => false,
        }
    }

    /// Returns the bytes of a dropped response, or many large responses arriving at once would leave nothing for the
    /// others.
    pub fn give_back(&self, bytes: usize) {
        self.left.set(self.left.get().saturating_add(bytes));
    }
}

/// Runs requests through their chains and sends them.
pub trait Dispatch {
    /// Runs a request to its end and reads its response within the budget, decoding compressed bodies; what exceeds the
    /// budget is dropped. Gives up when the batch's time is over.
    async fn run(&self, run: Run, item: &Item, budget: &Budget) -> (Option<Run>, Answer);
}

/// The context in which a batch runs.
#[derive(Debug)]
pub struct Scope<'a> {
    /// The set of APIs the batch started with.
    pub snapshot: &'a Rc<Snapshot>,
    /// The isolate it runs in.
    pub isolate: &'a Rc<dyn Isolate>,
    /// The API that the batch was sent to.
    pub api: &'a Rc<Api>,
    /// How the path named that API.
    pub base: &'a Base,
    /// `http` or `https`.
    pub scheme: &'static str,
    /// The `host[:port]` that the batch was sent to.
    pub authority: &'a str,
    /// The address of the connection.
    pub connection_address: ConnectionAddress,
    /// The address of the batch's client: no item can state a different one.
    pub client_address: Rc<str>,
}

/// The part of a batch's path that named its API; items are confined below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    /// The decoded path without a trailing slash; empty for an API that listens on `/`.
    pub path: String,
    /// Whether it is the API's id instead of its listen path.
    pub by_id: bool,
}

impl Base {
    /// The base of a batch, from what its path named. A batch sent to an API's id still has its items below the listen
    /// path (reference 4).
    #[must_use]
    pub fn of(found: &Match<Api>, path: &RequestPath) -> Self {
        if found.by_id {
            return Self::listening(&found.api);
        }
        let named = path.decoded().get(..found.listen).unwrap_or_default();
        Self {
            path: named.trim_end_matches('/').to_owned(),
            by_id: false,
        }
    }

    /// The base under which clients know an API; by its id if its listen path has templates, or if it is internal and
    /// has no clients.
    #[must_use]
    pub fn listening(api: &Api) -> Self {
        let definition = &api.definition;
        let listen_path = &definition.proxy.listen_path;
        let by_id = definition.internal || listen_path.contains('{');
        let path = if by_id {
            format!("/{}", definition.api_id)
        } else {
            listen_path.clone()
        };
        Self {
            path: path.trim_end_matches('/').to_owned(),
            by_id,
        }
    }
}

/// Runs a batch. At most one byte more than the limit has been read into `body`.
pub async fn run<D: Dispatch>(
    scope: &Scope<'_>,
    limits: &BatchLimits,
    body: &[u8],
    dispatch: &D,
) -> Response {
    if body.len() > limits.request_bytes {
        let limit = limits.request_bytes;
        return refuse(
            413,
            format!("The batch is larger than the {limit} bytes allowed (BATCH_MAX_REQUEST_BYTES)"),
            Vec::new(),
        );
    }
    let trusted = trusted_header(scope.api);
    let batch = match parse::parse(body, &scope.base.path, trusted, limits.requests) {
        Ok(batch) => batch,
        Err(parse::Refusal::Malformed(issues)) => {
            return refuse(400, BATCH_MALFORMED.to_owned(), issues);
        }
        Err(parse::Refusal::Creation(issues)) => {
            return refuse(400, BATCH_CREATION_FAILED.to_owned(), issues);
        }
        Err(parse::Refusal::TooMany) => {
            let limit = limits.requests;
            return refuse(
                413,
                format!(
                    "The batch has more than the {limit} requests allowed (BATCH_MAX_REQUESTS)"
                ),
                Vec::new(),
            );
        }
    };
    let budget = Budget::new(limits.response_bytes, limits.total_bytes);
    let units = if batch.sequential {
        let mut units = Vec::with_capacity(batch.items.len());
        for item in &batch.items {
            units.push(run_item(scope, item, &budget, dispatch).await);
        }
        units
    } else {
        join_all(
            batch
                .items
                .iter()
                .map(|item| run_item(scope, item, &budget, dispatch)),
        )
        .await
    };
    Response::json(200, &units)
}

/// The answer to an administrator's batch for an API that doesn't accept batches.
#[must_use]
pub fn disabled() -> Response {
    let message = "The API has no batch endpoint: set enable_batch_request_support and reload";
    Response::json(400, &StatusMessage::error(message))
}

async fn run_item<D: Dispatch>(
    scope: &Scope<'_>,
    item: &Item,
    budget: &Budget,
    dispatch: &D,
) -> Unit {
    match item_run(scope, item, None) {
        Some(run) => {
            let (run, answer) = dispatch.run(run, item, budget).await;
            Unit::answered(item, answer, run.and_then(|run| run.failure))
        }
        None => {
            let failure = Failure::NoRoute;
            Unit::answered(
                item,
                Answer::of(crate::driver::plain(failure)),
                Some(failure),
            )
        }
    }
}

/// The header in which the operator trusts a client's address, in lower case; empty for none.
pub(crate) fn trusted_header(api: &Api) -> &str {
    let settings = api.chains.first().map(|version| &version.chain.settings);
    let trusted = settings.and_then(|settings| settings.client_ip_header.as_deref());
    trusted.unwrap_or_default()
}

/// The headers of an item, including the length of its body.
fn fields(item: &Item) -> Vec<(String, String)> {
    let mut fields = item.headers.clone();
    if !item.body.is_empty() || matches!(item.method.as_str(), "POST" | "PUT" | "PATCH") {
        fields.push(("content-length".to_owned(), item.body.len().to_string()));
    }
    fields
}

/// Starts the run of an item; `None` if its path belongs to another API, nested below.
pub(crate) fn item_run(scope: &Scope<'_>, item: &Item, trace: Option<Trace>) -> Option<Run> {
    let path = RequestPath::parse(&item.path).ok()?;
    let found = scope.snapshot.router.find(scope.authority, path.decoded());
    let listen = scope.base.path.len();
    // An unsaved definition that is debugged has the same id as the loaded one.
    let is_another = |other: &Api| other.definition.api_id != scope.api.definition.api_id;
    // Paths that another API serves below this one's listen path stay that API's, and so does a path that an upstream
    // may take for one of them.
    let router = &scope.snapshot.router;
    let mut readings = path::readings(path.decoded()).into_iter();
    let leaves = |other: &Match<Api>| is_another(&other.api) && other.listen > listen;
    let is_foreign = found.as_ref().is_some_and(leaves)
        || readings.any(|path| {
            router
                .find(scope.authority, &path)
                .as_ref()
                .is_some_and(leaves)
        });
    if is_foreign && !scope.base.by_id {
        return None;
    }
    let mine = match found {
        Some(mine) if Rc::ptr_eq(&mine.api, scope.api) => mine,
        _ => Match {
            api: Rc::clone(scope.api),
            listen: listen.saturating_add(1),
            by_id: scope.base.by_id,
        },
    };
    let rest = path.decoded().get(mine.listen..).unwrap_or_default();
    let purpose = match own_route(scope.api, rest) {
        OwnRoute::Standing => Purpose::Standing,
        OwnRoute::Batch | OwnRoute::Oauth | OwnRoute::None => Purpose::Serve,
    };
    let request = Request {
        method: item.method.clone(),
        scheme: scope.scheme,
        authority: scope.authority.to_owned(),
        path,
        query: item.query.clone(),
        has_bare_query: false,
        headers: Headers::new(Rc::new(Fields(fields(item)))),
        connection_address: scope.connection_address.clone(),
        client_address: Some(Rc::clone(&scope.client_address)),
        entry: Entry::Client,
        sent_as: item.sent_as.clone(),
        now_ms: scope.isolate.now_ms(),
    };
    let run = Run::new(scope.snapshot, scope.isolate, &mine, request, trace);
    Some(run.for_purpose(purpose))
}

fn refuse(status: u16, message: String, issues: Vec<Issue>) -> Response {
    Response::json(
        status,
        &StatusMessage {
            issues,
            ..StatusMessage::error(message)
        },
    )
}
