//! Part of link 40: skips targets that are down (`check_host_against_uptime_tests`; reference 3.2, *every host
//! down*).
//!
//! The tests are run by an object; an isolate asks it at most once per second which of an organisation's hosts are
//! down. If it can't be reached, the last answer is used for a minute.

use crate::chain::{Compiler, Middleware, Need, Step};
use crate::exchange::{Exchange, Target};
use crate::upstreams::{Answer, Lifetime, Look};
use gatewright_model::json::Value;
use std::rc::Rc;

/// How long an isolate uses an answer, in milliseconds.
const LEASE_MS: u64 = 1000;
/// How long it uses an answer if no other can be obtained, in milliseconds.
const STALE_MS: u64 = 60_000;

/// Finds out which hosts are down.
#[derive(Debug)]
pub struct UptimeTests;

/// Whether targets that are down are skipped; `definition` may also set this in an older member.
pub(super) fn skips_down(definition: &Value<'_>) -> bool {
    let proxy = definition.get("proxy");
    let is_on = |value: &Value<'_>| value.bool("check_host_against_uptime_tests") == Some(true);
    is_on(definition) || proxy.is_some_and(is_on)
}

/// The cache key of the answer.
pub(super) fn key(exchange: &Exchange) -> String {
    format!("down {}", exchange.org())
}

impl Middleware for UptimeTests {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        let balanced = from.definition.get("proxy")?.bool("enable_load_balancing");
        if balanced != Some(true) || !skips_down(from.definition) {
            return None;
        }
        from.origin("/proxy/check_host_against_uptime_tests", "");
        Some(Self)
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        if matches!(exchange.target, Target::Absolute(_)) {
            return Step::Next;
        }
        let isolate = Rc::clone(&exchange.isolate);
        let mut answers = isolate.answers().borrow_mut();
        let now = isolate.now_ms();
        let key = key(exchange);
        match exchange.upstreams_answer.take() {
            None => {
                if let Look::Ask { .. } = answers.look(&key, false, now) {
                    return Step::Need(Need::Upstreams(key));
                }
            }
            Some(Some(hosts)) => {
                let hosts = hosts.lines().map(str::to_owned).collect();
                let lifetime = Lifetime {
                    at: now,
                    fresh: now.saturating_add(LEASE_MS),
                    ends: now.saturating_add(STALE_MS),
                };
                answers.keep(&key, Answer::Down(hosts), lifetime);
            }
            Some(None) => {
                if answers.failed(&key, now).is_none() {
                    answers.keep(&key, Answer::Down(Vec::new()), Lifetime::default());
                }
            }
        }
        Step::Next
    }
}
