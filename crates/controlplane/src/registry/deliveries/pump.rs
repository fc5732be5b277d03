//! The calls themselves: several concurrently, each attempt stored as soon as it has ended.

use super::{Shipment, outcome, signal};
use crate::config::WebhookConfig;
use crate::egress;
use crate::ports::Egress;
use crate::registry::Registry;
use futures_util::future::{Either, poll_fn, select};
use futures_util::stream::{FuturesUnordered, StreamExt};
use gatewright_api::dashboard::delivery::Attempt;
use gatewright_protocol::error::StoreError;
use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::task::{Poll, Waker};

/// The maximum number of concurrent calls. More than six only wait in the runtime
/// (<https://developers.cloudflare.com/workers/platform/limits/#simultaneous-open-connections>).
const AT_ONCE: usize = 6;
/// How long one run starts new calls, in milliseconds. An alarm that fires in the meantime waits for the run's end, and
/// may be for a reload.
const RUN_MS: u64 = 20_000;

/// Wakes a run that waits for its calls when there is more to send.
#[derive(Debug, Default)]
pub struct Bell {
    rung: Cell<bool>,
    waker: RefCell<Option<Waker>>,
}

impl Bell {
    pub(super) fn ring(&self) {
        self.rung.set(true);
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    async fn heard(&self) {
        poll_fn(|context| {
            if self.rung.take() {
                return Poll::Ready(());
            }
            self.waker.replace(Some(context.waker().clone()));
            Poll::Pending
        })
        .await;
    }
}

/// Delivers what is due, until nothing is. `clock` is in Unix milliseconds. Only one run may be in progress. `tell`
/// gets a line for the log for each failed call of a definition's handler, because only stored webhooks have a log that
/// can be read.
///
/// # Errors
/// If the rows can't be read or written; what was in progress is then due again.
pub async fn run<E: Egress>(
    registry: &RefCell<Registry>,
    egress: &E,
    clock: &impl Fn() -> u64,
    config: &WebhookConfig,
    tell: &impl Fn(&str),
) -> Result<(), StoreError> {
    registry.borrow_mut().forget_calls();
    let bell = registry.borrow().bell();
    let until = clock().saturating_add(RUN_MS);
    let mut calls = FuturesUnordered::new();
    loop {
        let now = clock();
        if now < until {
            let room = AT_ONCE.saturating_sub(calls.len());
            let due = registry.borrow_mut().take_due(now, room)?;
            calls.extend(
                due.into_iter()
                    .map(|shipment| call(egress, clock, shipment)),
            );
        }
        if calls.is_empty() {
            return Ok(());
        }
        let ended = match select(pin!(calls.next()), pin!(bell.heard())).await {
            Either::Left((ended, _)) => ended,
            Either::Right(_) => None,
        };
        if let Some((hook, notice_id, attempt)) = ended {
            if let Some(error) = attempt.error.as_ref().filter(|_| signal::is_handler(&hook)) {
                tell(&format!("event {notice_id} for {hook}: {error}"));
            }
            let call = (hook.as_str(), notice_id.as_str());
            registry
                .borrow_mut()
                .finish_delivery(call, attempt, clock(), config)?;
        }
    }
}

async fn call<E: Egress>(
    egress: &E,
    clock: &impl Fn() -> u64,
    shipment: Shipment,
) -> (String, String, Attempt) {
    let began = clock();
    let answer = match shipment.outgoing {
        Ok(outgoing) => egress::send(egress, outgoing).await,
        Err(reason) => Err(reason.to_owned()),
    };
    let mut attempt = outcome::attempt(answer, began, clock());
    // The log of a definition's handler can't be read.
    if signal::is_handler(&shipment.hook) {
        attempt.response = None;
    }
    (shipment.hook, shipment.notice_id, attempt)
}
