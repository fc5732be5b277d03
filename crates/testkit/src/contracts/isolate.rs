//! The contract of [`Isolate`], as far as a chain can observe it. Who receives an event is hidden from chains.

use super::{Case, Outcome, abbreviated, cases, ensure, ensure_eq};
use gatewright_dataplane::chain::Settings;
use gatewright_dataplane::isolate::{Direct, Isolate};
use gatewright_dataplane::sessions::Known;
use gatewright_dataplane::snapshot::Api;
use gatewright_model::json;
use gatewright_protocol::events::{Event, EventKind};
use gatewright_protocol::ledger::Consume;
use gatewright_protocol::time::millis;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Returns every case.
#[must_use]
pub fn cases() -> Vec<Case<dyn Isolate>> {
    cases![
        the_clock_tells_unix_milliseconds_and_never_goes_back,
        a_session_that_was_put_is_known_from_then_on,
        an_organisation_that_nobody_named_has_no_session,
        how_keys_are_recognised_stays_the_same,
        a_ledger_whose_object_does_not_live_here_has_to_be_called,
        an_event_is_raised_without_a_wait,
    ]
}

async fn the_clock_tells_unix_milliseconds_and_never_goes_back(isolate: &dyn Isolate) -> Outcome {
    let begin = millis("2026-01-01T00:00:00.000Z").unwrap_or_default();
    let end = millis("2126-01-01T00:00:00.000Z").unwrap_or_default();
    let mut last = begin;
    for _ in 0..100 {
        let now = isolate.now_ms();
        ensure(format!("{now} came after {last}"), now >= last)?;
        ensure(format!("{now} is no time of this century"), now < end)?;
        last = now;
    }
    Ok(())
}

async fn a_session_that_was_put_is_known_from_then_on(isolate: &dyn Isolate) -> Outcome {
    let name = "contract";
    let published = (1, &BTreeMap::new());
    let known = Known::new("hash".to_owned(), 1, "{}".to_owned(), published);
    isolate.sessions().borrow_mut().put(name, Rc::new(known));
    let found = isolate.sessions().borrow_mut().get(name, 1);
    ensure_eq(
        "its hash",
        found.map(|known| known.hash.clone()).as_deref(),
        Some("hash"),
    )?;
    let newer = isolate.sessions().borrow_mut().get(name, 2);
    ensure("it is known under newer policies", newer.is_none())?;
    isolate.sessions().borrow_mut().remove(name);
    let gone = isolate.sessions().borrow_mut().get(name, 1);
    ensure("it is known still", gone.is_none())
}

async fn an_organisation_that_nobody_named_has_no_session(isolate: &dyn Isolate) -> Outcome {
    for org in ["contract-nobody", ""] {
        ensure(format!("{org:?} has one"), !isolate.has_session(org))?;
    }
    Ok(())
}

async fn how_keys_are_recognised_stays_the_same(isolate: &dyn Isolate) -> Outcome {
    let config = isolate.config();
    ensure("there is no organisation", !config.default_org.is_empty())?;
    ensure_eq(
        "another look",
        abbreviated(isolate.config()),
        abbreviated(config),
    )
}

async fn a_ledger_whose_object_does_not_live_here_has_to_be_called(
    isolate: &dyn Isolate,
) -> Outcome {
    let ask = Consume::look();
    let counted = isolate.count_directly("key:contract-nobody", &ask);
    ensure_eq("what was counted", counted, Direct::Elsewhere)
}

async fn an_event_is_raised_without_a_wait(isolate: &dyn Isolate) -> Outcome {
    let text = r#"{"api_id":"contract","event_handlers":{"events":{"QuotaExceeded":[
        {"handler_name":"eh_log_handler","handler_meta":{"prefix":"contract"}},
        {"handler_name":"eh_web_hook_handler","handler_meta":{"id":"contract","event_timeout":0}}]}}}"#;
    let value = json::parse(text).map_err(|issues| abbreviated(&issues))?;
    let api = Api::read(&value, 1, &Settings::default());
    let event = Event::of_token(EventKind::QuotaExceeded, "default", "hash");
    isolate.raise(&api, event.clone());
    isolate.raise(&api, event);
    Ok(())
}
