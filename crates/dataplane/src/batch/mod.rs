//! Batches: several requests to one API in one call (specification, *Batch request*).
//!
//! The promise: an item can do nothing that a single request could not do. It passes the same
//! chain in this process, never over a socket whose address somebody else could choose; it can't
//! leave its API, name a client address, or carry another batch; and nothing is sent before every
//! item has been checked. Answers come in request order, also when items run in parallel.

pub(crate) mod parse;
mod relative;
pub(crate) mod reply;

pub use parse::Item;
pub use reply::{Answer, Unit};

use crate::config::BatchLimits;
use crate::failure::Failure;
use crate::gate::{Refusal, Way};
use crate::plan::{self, Base, Forward, Head};
use crate::snapshot::{Api, Snapshot};
use futures_util::future::join_all;
use gatewright_api::message::{BATCH_CREATION_FAILED, BATCH_MALFORMED, StatusMessage};
use gatewright_model::issue::Issue;
use gatewright_protocol::http::Response;
use std::cell::Cell;
use std::rc::Rc;

/// Bytes that the answers of a batch may still have.
#[derive(Debug)]
pub struct Budget {
    /// For one item.
    pub item: usize,
    left: Cell<usize>,
}

impl Budget {
    /// So many bytes for one item, and for all of them.
    #[must_use]
    pub const fn new(item: usize, total: usize) -> Self {
        Self {
            item,
            left: Cell::new(total),
        }
    }

    /// Takes bytes out of what is left for all items; false if there is not enough.
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
}

/// Why an item has no answer of its upstream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsent {
    /// The chain answered instead.
    Failure(Failure),
    /// The answer does not fit into the budget.
    TooLarge,
}

/// The way to an upstream.
pub trait Dispatch {
    /// Lets an item pass [`crate::gate`], as a request of its own.
    async fn pass(
        &self,
        scope: &Scope<'_>,
        item: &Item,
        forward: &Forward<'_>,
    ) -> Result<Way, Refusal>;
    /// Sends an item its way and reads its answer within the budget, compressed bodies decoded; what
    /// lies beyond the budget is left away. Gives up when the batch's time is over.
    async fn send(&self, item: &Item, way: &Way, budget: &Budget) -> Result<Answer, Unsent>;
}

/// What a batch runs against.
#[derive(Debug)]
pub struct Scope<'a> {
    /// The set of APIs that the batch began with.
    pub snapshot: &'a Snapshot,
    /// The API that it was sent to.
    pub api: &'a Rc<Api>,
    /// How its path named that API.
    pub base: &'a Base,
    /// `host[:port]` that it was sent to.
    pub authority: &'a str,
}

/// Runs a batch. `body` has been read up to one byte more than the limit allows.
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
    let batch = match parse::parse(body, &scope.base.path, limits.requests) {
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

async fn run_item<D: Dispatch>(
    scope: &Scope<'_>,
    item: &Item,
    budget: &Budget,
    dispatch: &D,
) -> Unit {
    let head = Head {
        method: &item.method,
        authority: scope.authority,
        path: &item.path,
        query: &item.query,
    };
    let way = match plan::plan_item(scope.snapshot, scope.api, scope.base, &head) {
        Ok(forward) => {
            let passed = dispatch.pass(scope, item, &forward).await;
            passed.map_err(|refusal| refusal.failure)
        }
        Err(failure) => Err(failure),
    };
    let sent = match way {
        Ok(way) => dispatch.send(item, &way, budget).await,
        Err(failure) => Err(Unsent::Failure(failure)),
    };
    match sent {
        Ok(answer) if answer.cut => Unit::unsent(item, Unsent::TooLarge),
        Ok(answer) => Unit::answered(item, answer),
        Err(why) => Unit::unsent(item, why),
    }
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
