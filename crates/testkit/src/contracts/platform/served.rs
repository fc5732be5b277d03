//! What the isolate serves, and requests that run through it.

use super::super::{Case, Outcome, abbreviated, cases, ensure, ensure_eq, unexpected};
use super::definition;
use super::documents::stored;
use gatewright_controlplane::error::Error;
use gatewright_controlplane::ports::{Platform, Reloaded};
use gatewright_protocol::http::Response;
use gatewright_protocol::served::ServedAsk;
use serde_json::{Value, json};

pub(super) fn cases<P: Platform>() -> Vec<Case<P>> {
    cases![
        a_reload_that_is_waited_for_is_done_when_it_is_served,
        a_reload_that_nobody_waits_for_is_started,
        what_is_served_is_answered_for_what_was_asked_for,
        a_batch_runs_through_a_loaded_api,
        a_batch_through_an_api_that_is_not_loaded_has_no_answer,
        a_debugged_request_runs_through_a_definition,
        a_debugged_request_that_is_none_is_malformed,
    ]
}

/// Stores and publishes a definition.
async fn serve<P: Platform>(platform: &P, id: &str) -> Outcome {
    stored(platform, id, &definition(id).to_string()).await?;
    let reloaded = platform.reload(true, None).await.map_err(unexpected)?;
    ensure_eq("the reload", reloaded, Reloaded::Done)
}

fn parsed(answer: &Response) -> Result<Value, String> {
    let body = serde_json::from_str(&answer.body);
    body.map_err(|error| format!("{error}: {}", abbreviated(&answer.body)))
}

async fn a_reload_that_is_waited_for_is_done_when_it_is_served<P: Platform>(
    platform: &P,
) -> Outcome {
    serve(platform, "contract-reload").await?;
    ensure("nothing is loaded", platform.loaded())?;
    let ask = ServedAsk {
        apis: vec!["contract-reload".to_owned()],
        ..ServedAsk::default()
    };
    let served = platform.served(&ask).await.ok_or("nothing is served")?;
    ensure("it is not served", served.api("contract-reload").is_some())
}

async fn a_reload_that_nobody_waits_for_is_started<P: Platform>(platform: &P) -> Outcome {
    let reloaded = platform.reload(false, None).await.map_err(unexpected)?;
    ensure_eq("the reload", reloaded, Reloaded::Started)
}

async fn what_is_served_is_answered_for_what_was_asked_for<P: Platform>(platform: &P) -> Outcome {
    serve(platform, "contract-served").await?;
    let ids = |ids: [&str; 2]| ids.map(str::to_owned).to_vec();
    let ask = ServedAsk {
        apis: ids(["contract-served", "contract-unknown"]),
        policies: ids(["contract-no-policy", ""]),
        chains: ids(["contract-served", "contract-unknown"]),
    };
    let served = platform.served(&ask).await.ok_or("nothing is served")?;
    let names = served.apis.iter().map(|api| api.name.as_str());
    ensure_eq("the APIs", names.collect::<Vec<_>>(), ["contract-served"])?;
    ensure_eq("how many policies", served.policies.len(), 0)?;
    let chains = served.chains.iter().map(|chain| chain.api_id.as_str());
    ensure_eq(
        "the chains",
        chains.collect::<Vec<_>>(),
        ["contract-served"],
    )
}

async fn a_batch_runs_through_a_loaded_api<P: Platform>(platform: &P) -> Outcome {
    serve(platform, "contract-batch").await?;
    let body = json!({ "requests": [{ "relative_url": "mocked", "method": "GET" }] }).to_string();
    let answer = platform.batch("contract-batch", body.as_bytes());
    let answer = answer.await.ok_or("it has no answer")?;
    ensure_eq("the status", answer.status, 200)?;
    let unit = parsed(&answer)?;
    ensure_eq("the code", unit.pointer("/0/code"), Some(&json!(203)))?;
    let body = unit.pointer("/0/body");
    ensure_eq("the body", body, Some(&json!("mocked \u{fc}")))
}

async fn a_batch_through_an_api_that_is_not_loaded_has_no_answer<P: Platform>(
    platform: &P,
) -> Outcome {
    let body = json!({ "requests": [{ "relative_url": "mocked" }] }).to_string();
    let answer = platform.batch("contract-unknown", body.as_bytes());
    ensure_eq("the answer", answer.await, None)
}

async fn a_debugged_request_runs_through_a_definition<P: Platform>(platform: &P) -> Outcome {
    let definition = definition("contract-debug");
    let body = json!({
        "spec": definition,
        "request": { "method": "GET", "path": "/contract-debug/mocked" },
    });
    let answer = platform
        .debug(&body.to_string(), Some(&definition.to_string()))
        .await;
    let answer = answer.map_err(|error| format!("it was refused: {}", abbreviated(&error)))?;
    ensure_eq("the status", answer.status, 200)?;
    let body = parsed(&answer)?;
    let steps = body.get("trace").and_then(Value::as_array);
    ensure(
        "there are no steps",
        steps.is_some_and(|steps| !steps.is_empty()),
    )?;
    ensure(
        "the mock has not answered",
        answer.body.contains("mocked \u{fc}"),
    )
}

async fn a_debugged_request_that_is_none_is_malformed<P: Platform>(platform: &P) -> Outcome {
    match platform.debug("{\"request\":", None).await {
        Err(Error::Malformed(issues)) => ensure("no issue says why", !issues.is_empty()),
        Ok(answer) => Err(format!("it was answered with {}", abbreviated(&answer))),
        Err(error) => Err(format!("it was refused with {}", abbreviated(&error))),
    }
}
