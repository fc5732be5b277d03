//! The contract of [`Platform`]: what the administration needs besides the two ports below it.

mod documents;
mod ledgers;
mod served;
mod vault;

use super::{Case, Outcome, cases, ensure, ensure_eq, unexpected};
use gatewright_controlplane::ports::Platform;
use gatewright_protocol::figures::{Failing, Span, read, read_failures};
use gatewright_protocol::registry::Command;
use gatewright_protocol::time::millis;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// How often the clock is read until it has advanced; each reading follows a call that takes time.
const MAX_READINGS: usize = 1000;

/// Returns every case.
#[must_use]
pub fn cases<P: Platform>() -> Vec<Case<P>> {
    let mut cases = own();
    cases.extend(documents::cases());
    cases.extend(served::cases());
    cases.extend(ledgers::cases());
    cases.extend(vault::cases());
    cases
}

fn own<P: Platform>() -> Vec<Case<P>> {
    cases![
        the_clock_tells_utc_with_milliseconds,
        the_clock_moves_and_never_back,
        random_ids_are_32_hexadecimal_digits_that_differ,
        random_tokens_are_256_bits_that_differ,
        what_is_configured_is_known,
        every_component_is_alive,
        a_file_is_found_by_its_path,
        figures_are_reported,
        failures_are_reported,
    ]
}

/// Returns a definition that answers `/mocked` itself.
fn definition(id: &str) -> Value {
    json!({
        "name": id, "api_id": id, "active": true, "use_keyless": true,
        "enable_batch_request_support": true,
        "proxy": {
            "listen_path": format!("/{id}/"), "target_url": "http://127.0.0.1:9",
            "strip_listen_path": true,
        },
        "version_data": { "not_versioned": true, "versions": { "Default": {
            "name": "Default", "use_extended_paths": true,
            "extended_paths": { "mock_response": [
                { "path": "/mocked", "method": "GET", "code": 203, "body": "mocked \u{fc}" },
            ] },
        } } },
    })
}

async fn the_clock_tells_utc_with_milliseconds<P: Platform>(platform: &P) -> Outcome {
    let now = platform.now();
    let at = millis(&now).ok_or_else(|| format!("{now} is no such time"))?;
    let begin = millis("2026-01-01T00:00:00.000Z").unwrap_or_default();
    ensure(format!("{now} is long ago"), at >= begin)
}

async fn the_clock_moves_and_never_back<P: Platform>(platform: &P) -> Outcome {
    let begun = platform.now();
    let mut last = begun.clone();
    for _ in 0..MAX_READINGS {
        platform
            .call(&Command::Status, "")
            .await
            .map_err(unexpected)?;
        let now = platform.now();
        ensure(format!("{now} came after {last}"), now >= last)?;
        if now > begun {
            return Ok(());
        }
        last = now;
    }
    Err(format!("it stood still at {begun}"))
}

async fn random_ids_are_32_hexadecimal_digits_that_differ<P: Platform>(platform: &P) -> Outcome {
    let mut ends = BTreeSet::new();
    for _ in 0..500 {
        let id = platform.random_id();
        let digits = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        ensure(
            format!("{id} is no such id"),
            id.len() == 32 && id.bytes().all(digits),
        )?;
        // The ids of documents are the last 24 digits.
        let is_new = ends.insert(id.chars().skip(8).collect::<String>());
        ensure(format!("the end of {id} came twice"), is_new)?;
    }
    Ok(())
}

async fn random_tokens_are_256_bits_that_differ<P: Platform>(platform: &P) -> Outcome {
    let mut all = BTreeSet::new();
    for _ in 0..500 {
        let token = platform.random_token();
        let letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        // The last of 43 characters has four bits (RFC 4648 section 4).
        let ends = token.ends_with(|last: char| "AEIMQUYcgkosw048".contains(last));
        let right = token.len() == 43 && token.bytes().all(letter) && ends;
        ensure(format!("{token} is no such token"), right)?;
        ensure("a token came twice", all.insert(token))?;
    }
    Ok(())
}

async fn what_is_configured_is_known<P: Platform>(platform: &P) -> Outcome {
    for (what, text) in [
        ("the secret", platform.secret()),
        ("the dashboard's token", platform.dashboard_token()),
        ("the organisation", Some(platform.default_org())),
    ] {
        ensure(
            format!("{what} is missing"),
            text.is_some_and(|text| !text.is_empty()),
        )?;
    }
    Ok(())
}

async fn every_component_is_alive<P: Platform>(platform: &P) -> Outcome {
    // The second call may be answered from memory, and must give the same result.
    for _ in 0..2 {
        let components = platform.components().await;
        let names: Vec<_> = components.iter().map(|component| component.name).collect();
        ensure_eq("the components", names, ["registry", "kv"])?;
        for component in components {
            ensure_eq(component.name, component.failure, None)?;
        }
    }
    Ok(())
}

async fn a_file_is_found_by_its_path<P: Platform>(platform: &P) -> Outcome {
    let found = platform
        .file("openapi/gateway.json")
        .await
        .map_err(unexpected)?;
    let text = found.ok_or("openapi/gateway.json is missing")?;
    let document: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    ensure(
        "it is no OpenAPI document",
        document.get("openapi").is_some(),
    )?;
    let none = platform
        .file("openapi/nothing.json")
        .await
        .map_err(unexpected)?;
    ensure_eq("a file that is not there", none, None::<String>)
}

async fn figures_are_reported<P: Platform>(platform: &P) -> Outcome {
    let span = Span {
        grain: 10,
        most: 10,
        ..Span::default()
    };
    let answer = platform.figures(&span).await.map_err(unexpected)?;
    // The first line gives the count of numbers in the others.
    let found = |line: &&str| !line.is_empty() && !line.starts_with("n ");
    let lines = answer.lines().filter(found).count();
    ensure_eq("how many lines can be read", read(&answer).count(), lines)
}

async fn failures_are_reported<P: Platform>(platform: &P) -> Outcome {
    let failing = Failing {
        until: u64::MAX >> 12,
        statuses: (0, 999),
        most: 10,
        ..Failing::default()
    };
    let answer = platform.failures(&failing).await.map_err(unexpected)?;
    let lines = answer.lines().filter(|line| !line.is_empty()).count();
    ensure_eq(
        "how many lines can be read",
        read_failures(&answer).count(),
        lines,
    )
}
