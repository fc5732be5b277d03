//! The contract of [`Platform`]: what the administration needs besides the two ports below it.

use super::{Case, Outcome, cases, holds, same, shown, trouble};
use gatewright_controlplane::error::Error;
use gatewright_controlplane::ports::{LedgerCall, Platform, Reloaded};
use gatewright_protocol::figures::{Span, read};
use gatewright_protocol::http::Response;
use gatewright_protocol::ledger::{Consume, Count, Limit, Standing, Verdict};
use gatewright_protocol::limits::QuotaLimit;
use gatewright_protocol::registry::{Command, Guard, Refusal, Reply, Write};
use gatewright_protocol::served::ServedAsk;
use gatewright_protocol::time::millis;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// How often the clock is looked at until it has moved; each look follows a call that takes time.
const LOOKS: usize = 1000;

/// All of them.
#[must_use]
pub fn cases<P: Platform>() -> Vec<Case<P>> {
    cases![
        the_clock_tells_utc_with_milliseconds,
        the_clock_moves_and_never_back,
        random_ids_are_32_hexadecimal_digits_that_differ,
        random_tokens_are_256_bits_that_differ,
        what_is_configured_is_known,
        a_document_comes_back_byte_for_byte,
        a_large_document_comes_over,
        a_condition_that_fails_is_an_answer_and_changes_nothing,
        a_document_that_is_missing_is_an_answer,
        a_reload_that_is_waited_for_is_done_when_it_is_served,
        a_reload_that_nobody_waits_for_is_started,
        what_is_served_is_told_of_what_was_asked_for,
        every_component_is_alive,
        a_file_is_found_by_its_path,
        a_ledger_counts,
        a_ledger_without_a_session_knows_none,
        a_write_is_announced_to_a_ledger_without_an_answer,
        the_organisations_with_a_session_are_told,
        a_batch_runs_through_a_loaded_api,
        a_batch_through_an_api_that_is_not_loaded_has_no_answer,
        a_debugged_request_runs_through_a_definition,
        a_debugged_request_that_is_none_is_malformed,
        figures_are_told,
    ]
}

/// A definition that answers `/mocked` itself.
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

async fn write<P: Platform>(
    platform: &P,
    id: &str,
    text: &str,
    guard: Guard,
) -> Result<Reply, String> {
    let command = Command::Write(Write {
        id: id.to_owned(),
        update: false,
        guard,
        version_of: None,
    });
    let (reply, _) = platform.call(&command, text).await.map_err(trouble)?;
    Ok(reply)
}

/// Stores a document.
async fn stored<P: Platform>(platform: &P, id: &str, text: &str) -> Result<u64, String> {
    match write(platform, id, text, Guard::default()).await? {
        Reply::Written { revision, .. } => Ok(revision),
        other => Err(format!("the write was answered with {}", shown(&other))),
    }
}

/// The revision and the text of a document.
async fn found<P: Platform>(platform: &P, id: &str) -> Result<(u64, String), String> {
    let command = Command::Read { id: id.to_owned() };
    match platform.call(&command, "").await.map_err(trouble)? {
        (Reply::Document { revision, .. }, text) => Ok((revision, text)),
        (other, _) => Err(format!("the read was answered with {}", shown(&other))),
    }
}

/// Stores a definition and serves it.
async fn serve<P: Platform>(platform: &P, id: &str) -> Outcome {
    stored(platform, id, &definition(id).to_string()).await?;
    let reloaded = platform.reload(true).await.map_err(trouble)?;
    same("the reload", reloaded, Reloaded::Done)
}

fn parsed(answer: &Response) -> Result<Value, String> {
    let body = serde_json::from_str(&answer.body);
    body.map_err(|error| format!("{error}: {}", shown(&answer.body)))
}

async fn the_clock_tells_utc_with_milliseconds<P: Platform>(platform: &P) -> Outcome {
    let now = platform.now();
    let at = millis(&now).ok_or_else(|| format!("{now} is no such time"))?;
    let begin = millis("2026-01-01T00:00:00.000Z").unwrap_or_default();
    holds(format!("{now} is long ago"), at >= begin)
}

async fn the_clock_moves_and_never_back<P: Platform>(platform: &P) -> Outcome {
    let begun = platform.now();
    let mut last = begun.clone();
    for _ in 0..LOOKS {
        platform.call(&Command::Status, "").await.map_err(trouble)?;
        let now = platform.now();
        holds(format!("{now} came after {last}"), now >= last)?;
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
        holds(
            format!("{id} is none"),
            id.len() == 32 && id.bytes().all(digits),
        )?;
        // Ids of documents are the last 24 digits.
        let is_new = ends.insert(id.chars().skip(8).collect::<String>());
        holds(format!("the end of {id} came twice"), is_new)?;
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
        holds(format!("{token} is none"), right)?;
        holds("a token came twice", all.insert(token))?;
    }
    Ok(())
}

async fn what_is_configured_is_known<P: Platform>(platform: &P) -> Outcome {
    for (what, text) in [
        ("the secret", platform.secret()),
        ("the dashboard's token", platform.dashboard_token()),
        ("the organisation", Some(platform.default_org())),
    ] {
        holds(
            format!("{what} is missing"),
            text.is_some_and(|text| !text.is_empty()),
        )?;
    }
    Ok(())
}

async fn a_document_comes_back_byte_for_byte<P: Platform>(platform: &P) -> Outcome {
    let id = "contract-bytes";
    let text = "{ \"api_id\": \"contract-bytes\", \"name\": \"\u{fc} \u{1f600} \\u2028\",\r\n\t\"n\": 1.0, \
                \"big\": 12345678901234567890, \"z\": {}, \"a\": [ ], \"proxy\": {\"listen_path\": \
                \"/contract-bytes/\", \"target_url\": \"http://up\"} }\n";
    let revision = stored(platform, id, text).await?;
    same(
        "what is stored",
        found(platform, id).await?,
        (revision, text.to_owned()),
    )
}

async fn a_large_document_comes_over<P: Platform>(platform: &P) -> Outcome {
    let id = "contract-large";
    let mut large = definition(id);
    let notes = vec!["\u{20ac}".repeat(1000); 300];
    if let Some(members) = large.as_object_mut() {
        members.insert("config_data".to_owned(), json!({ "notes": notes }));
    }
    let text = large.to_string();
    let revision = stored(platform, id, &text).await?;
    let found = found(platform, id).await?;
    same("its length", found.1.len(), text.len())?;
    holds("it has another text or revision", found == (revision, text))
}

async fn a_condition_that_fails_is_an_answer_and_changes_nothing<P: Platform>(
    platform: &P,
) -> Outcome {
    let id = "contract-condition";
    let text = definition(id).to_string();
    let revision = stored(platform, id, &text).await?;
    let guard = Guard {
        absent: true,
        ..Guard::default()
    };
    let current = Some(revision);
    same(
        "the answer",
        write(platform, id, "{}", guard).await?,
        Reply::Refused(Refusal::Precondition { current }),
    )?;
    same(
        "what is stored",
        found(platform, id).await?,
        (revision, text),
    )
}

async fn a_document_that_is_missing_is_an_answer<P: Platform>(platform: &P) -> Outcome {
    let id = "contract-missing".to_owned();
    let (reply, text) = platform
        .call(&Command::Read { id }, "")
        .await
        .map_err(trouble)?;
    let wanted = (Reply::Refused(Refusal::NotFound), String::new());
    same("the answer", (reply, text), wanted)
}

async fn a_reload_that_is_waited_for_is_done_when_it_is_served<P: Platform>(
    platform: &P,
) -> Outcome {
    serve(platform, "contract-reload").await?;
    holds("nothing is loaded", platform.loaded())?;
    let ask = ServedAsk {
        apis: vec!["contract-reload".to_owned()],
        ..ServedAsk::default()
    };
    let served = platform.served(&ask).await.ok_or("nothing is served")?;
    holds("it is not served", served.api("contract-reload").is_some())
}

async fn a_reload_that_nobody_waits_for_is_started<P: Platform>(platform: &P) -> Outcome {
    let reloaded = platform.reload(false).await.map_err(trouble)?;
    same("the reload", reloaded, Reloaded::Started)
}

async fn what_is_served_is_told_of_what_was_asked_for<P: Platform>(platform: &P) -> Outcome {
    serve(platform, "contract-served").await?;
    let ids = |ids: [&str; 2]| ids.map(str::to_owned).to_vec();
    let ask = ServedAsk {
        apis: ids(["contract-served", "contract-unknown"]),
        policies: ids(["contract-no-policy", ""]),
        chains: ids(["contract-served", "contract-unknown"]),
    };
    let served = platform.served(&ask).await.ok_or("nothing is served")?;
    let names = served.apis.iter().map(|api| api.name.as_str());
    same("the APIs", names.collect::<Vec<_>>(), ["contract-served"])?;
    same("how many policies", served.policies.len(), 0)?;
    let chains = served.chains.iter().map(|chain| chain.api_id.as_str());
    same(
        "the chains",
        chains.collect::<Vec<_>>(),
        ["contract-served"],
    )
}

async fn every_component_is_alive<P: Platform>(platform: &P) -> Outcome {
    // What was asked a moment ago may be answered from memory, and says the same.
    for _ in 0..2 {
        let components = platform.components().await;
        let names: Vec<_> = components.iter().map(|component| component.name).collect();
        same("the components", names, ["registry", "kv"])?;
        for component in components {
            same(component.name, component.failure, None)?;
        }
    }
    Ok(())
}

async fn a_file_is_found_by_its_path<P: Platform>(platform: &P) -> Outcome {
    let found = platform
        .file("openapi/gateway.json")
        .await
        .map_err(trouble)?;
    let text = found.ok_or("openapi/gateway.json is missing")?;
    let document: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    holds(
        "it is no OpenAPI document",
        document.get("openapi").is_some(),
    )?;
    let none = platform
        .file("openapi/nothing.json")
        .await
        .map_err(trouble)?;
    same("a file that is not there", none, None::<String>)
}

/// Counts against a quota of two.
fn ask() -> LedgerCall {
    LedgerCall::Ask(Consume {
        counts: vec![Count {
            name: "quota".to_owned(),
            limit: Limit::Quota(QuotaLimit {
                max: 2,
                window_ms: 0,
            }),
        }],
        show: vec![0],
        ..Consume::default()
    })
}

async fn a_ledger_counts<P: Platform>(platform: &P) -> Outcome {
    let at = u64::MAX;
    let left = |remaining| vec![Standing { remaining, at }];
    for wanted in [
        Verdict::Admitted(left(1)),
        Verdict::Admitted(left(0)),
        Verdict::Refused {
            by: 0,
            retry_ms: u64::MAX,
            standings: left(0),
        },
    ] {
        let verdict = platform.ledger("api:contract-counts", ask()).await;
        same("the verdict", verdict.map_err(trouble)?, Some(wanted))?;
    }
    let other = platform.ledger("api:contract-others", ask()).await;
    let wanted = Some(Verdict::Admitted(left(1)));
    same("another Ledger's", other.map_err(trouble)?, wanted)
}

async fn a_ledger_without_a_session_knows_none<P: Platform>(platform: &P) -> Outcome {
    for name in ["key:contract", "org:contract"] {
        let call = LedgerCall::Ask(Consume::look());
        let verdict = platform.ledger(name, call).await.map_err(trouble)?;
        same(name, verdict, Some(Verdict::Unknown))?;
    }
    Ok(())
}

async fn a_write_is_announced_to_a_ledger_without_an_answer<P: Platform>(platform: &P) -> Outcome {
    for call in [LedgerCall::Hold, LedgerCall::Release, LedgerCall::Release] {
        let verdict = platform.ledger("key:contract-write", call).await;
        same("the answer", verdict.map_err(trouble)?, None)?;
    }
    Ok(())
}

async fn the_organisations_with_a_session_are_told<P: Platform>(platform: &P) -> Outcome {
    platform.orgs_changed().await.map_err(trouble)
}

async fn a_batch_runs_through_a_loaded_api<P: Platform>(platform: &P) -> Outcome {
    serve(platform, "contract-batch").await?;
    let body = json!({ "requests": [{ "relative_url": "mocked", "method": "GET" }] }).to_string();
    let answer = platform.batch("contract-batch", body.as_bytes());
    let answer = answer.await.ok_or("it has no answer")?;
    same("the status", answer.status, 200)?;
    let unit = parsed(&answer)?;
    same("the code", unit.pointer("/0/code"), Some(&json!(203)))?;
    let body = unit.pointer("/0/body");
    same("the body", body, Some(&json!("mocked \u{fc}")))
}

async fn a_batch_through_an_api_that_is_not_loaded_has_no_answer<P: Platform>(
    platform: &P,
) -> Outcome {
    let body = json!({ "requests": [{ "relative_url": "mocked" }] }).to_string();
    let answer = platform.batch("contract-unknown", body.as_bytes());
    same("the answer", answer.await, None)
}

async fn a_debugged_request_runs_through_a_definition<P: Platform>(platform: &P) -> Outcome {
    let body = json!({
        "spec": definition("contract-debug"),
        "request": { "method": "GET", "path": "/contract-debug/mocked" },
    });
    let answer = platform.debug(&body.to_string()).await;
    let answer = answer.map_err(|error| format!("it was refused: {}", shown(&error)))?;
    same("the status", answer.status, 200)?;
    let body = parsed(&answer)?;
    let steps = body.get("trace").and_then(Value::as_array);
    holds(
        "there are no steps",
        steps.is_some_and(|steps| !steps.is_empty()),
    )?;
    holds(
        "the mock has not answered",
        answer.body.contains("mocked \u{fc}"),
    )
}

async fn a_debugged_request_that_is_none_is_malformed<P: Platform>(platform: &P) -> Outcome {
    match platform.debug("{\"request\":").await {
        Err(Error::Malformed(issues)) => holds("no issue says why", !issues.is_empty()),
        Ok(answer) => Err(format!("it was answered with {}", shown(&answer))),
        Err(error) => Err(format!("it was refused with {}", shown(&error))),
    }
}

async fn figures_are_told<P: Platform>(platform: &P) -> Outcome {
    let span = Span {
        grain: 10,
        most: 10,
        ..Span::default()
    };
    let answer = platform.figures(&span).await.map_err(trouble)?;
    let lines = answer.lines().filter(|line| !line.is_empty()).count();
    same("how many lines can be read", read(&answer).count(), lines)
}
