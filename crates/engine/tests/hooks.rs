//! Deliveries to webhooks, their secrets and the stream of notifications, over the ports in memory.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

use futures_util::FutureExt;
use gatewright_engine::http::Response;
use gatewright_engine::ports::{Fetched, Outgoing, Unfetched};
use gatewright_engine::registry::deliveries::KEPT;
use gatewright_testkit::platform::{DASHBOARD_TOKEN, Memory};
use gatewright_testkit::rows::Fault;
use serde_json::{Value, json};

const TARGET: &str = "https://hooks.example/in";
const IDP: &str =
    r#"{"name":"Keycloak","client_idp_id":"kc","jwks_uri":"https://idp.example/jwks"}"#;

fn now<T>(future: impl Future<Output = T>) -> T {
    future.now_or_never().unwrap()
}

fn call_as(gate: &Memory, token: &str, method: &str, target: &str, body: &str) -> Response {
    let bearer = format!("Bearer {token}");
    let headers = [("authorization", bearer.as_str())];
    now(gate.send_with(method, target, body, &headers))
}

fn call(gate: &Memory, method: &str, target: &str, body: &str) -> Response {
    call_as(gate, DASHBOARD_TOKEN, method, target, body)
}

fn value(response: &Response) -> Value {
    serde_json::from_str(&response.body).unwrap()
}

fn webhook(subscriptions: &[&str]) -> String {
    json!({
        "name": "h", "method": "POST", "target_path": TARGET, "webhook_id": "h",
        "subscriptions": subscriptions, "header_map": {"X-Team": "ops"},
    })
    .to_string()
}

/// A provider, and a webhook that gets what happens to it.
fn subscribed(subscriptions: &[&str]) -> Memory {
    let gate = Memory::default();
    assert_eq!(call(&gate, "POST", "/api/clientidps", IDP).status, 201);
    let made = call(&gate, "POST", "/api/hooks", &webhook(subscriptions));
    assert_eq!(made.status, 200, "{}", made.body);
    gate
}

fn patch(gate: &Memory, n: usize) {
    let patch = json!({format!("api-{n}"): {"scope_to_policy": {"s": "p"}}}).to_string();
    let answer = call(gate, "PATCH", "/api/clientidps/kc/mappings", &patch);
    assert_eq!(answer.status, 200, "{}", answer.body);
}

fn answers(gate: &Memory, status: u16) {
    let fetched = Fetched {
        status,
        ..Fetched::default()
    };
    gate.web.answer(TARGET, Ok(fetched));
}

fn log(gate: &Memory) -> Vec<Value> {
    let answer = call(gate, "GET", "/api/hooks/h/deliveries", "");
    assert_eq!(answer.status, 200, "{}", answer.body);
    value(&answer)["deliveries"].as_array().unwrap().clone()
}

fn header<'a>(outgoing: &'a Outgoing, name: &str) -> &'a str {
    let found = outgoing.headers.iter().find(|(key, _)| key == name);
    found.map(|(_, value)| value.as_str()).unwrap()
}

fn ids(sent: &[Outgoing]) -> Vec<&str> {
    sent.iter().map(|one| header(one, "webhook-id")).collect()
}

#[test]
fn a_notification_is_delivered_once_it_is_stored() {
    let gate = subscribed(&["NoticeClientIdPChanged"]);
    answers(&gate, 204);
    patch(&gate, 1);
    let [waiting] = &log(&gate)[..] else { panic!() };
    assert_eq!(
        (&waiting["state"], &waiting["attempts"]),
        (&json!("pending"), &json!([]))
    );
    assert_eq!(now(gate.deliver()), Ok(None));
    let sent = gate.web.take_sent();
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0].url, TARGET);
    assert_eq!(header(&sent[0], "x-team"), "ops");
    let body: Value = serde_json::from_str(sent[0].body.as_deref().unwrap()).unwrap();
    let notice = &value(&call(&gate, "GET", "/api/notifications?after=1", ""))["notifications"][0];
    assert_eq!(header(&sent[0], "webhook-id"), notice["id"]);
    assert_eq!(
        body,
        json!({"type": "NoticeClientIdPChanged", "timestamp": notice["at"], "data": notice["data"]})
    );
    let [done] = &log(&gate)[..] else { panic!() };
    assert_eq!(
        (
            &done["state"],
            &done["attempts"][0]["status"],
            &done["next_at"]
        ),
        (&json!("delivered"), &json!(204), &Value::Null)
    );
    now(gate.deliver()).unwrap();
    assert!(gate.web.take_sent().is_empty(), "it is sent once");
}

#[test]
fn only_those_who_subscribed_in_the_organisation_get_it() {
    for (subscriptions, count) in [
        (&["*"][..], 1),
        (&["ApiAdded", "NoticeClientIdPChanged"], 1),
        (&["ApiAdded"], 0),
        (&[], 0),
    ] {
        let gate = subscribed(subscriptions);
        let body = json!({"name": "o", "org_id": "other", "permissions": {"hooks": "write", "clientidps": "read", "apis": "read"}});
        let issued = now(gate.send("POST", "/gateway/dashboard/credentials", &body.to_string()));
        let other = value(&issued)["token"].as_str().unwrap().to_owned();
        let made = call_as(&gate, &other, "POST", "/api/hooks", &webhook(&["*"]));
        assert_eq!(made.status, 200);
        patch(&gate, 1);
        answers(&gate, 200);
        now(gate.deliver()).unwrap();
        assert_eq!(gate.web.take_sent().len(), count, "{subscriptions:?}");
        let log = value(&call_as(
            &gate,
            &other,
            "GET",
            "/api/hooks/h/deliveries",
            "",
        ));
        assert_eq!(log["deliveries"], json!([]));
    }
}

#[test]
fn a_commit_that_fails_leaves_no_delivery() {
    let gate = subscribed(&["*"]);
    gate.rows.fail_next(Fault::BeforePersist);
    let patch = r#"{"a":{"scope_to_policy":{}}}"#;
    assert_eq!(
        call(&gate, "PATCH", "/api/clientidps/kc/mappings", patch).status,
        503
    );
    assert_eq!(
        call(
            &gate,
            "PATCH",
            "/api/clientidps/kc/mappings?dry_run=true",
            patch
        )
        .status,
        200
    );
    now(gate.deliver()).unwrap();
    assert!(gate.web.take_sent().is_empty());
    assert_eq!(log(&gate), Vec::<Value>::new());
}

#[test]
fn an_attempt_that_is_not_stored_is_made_again_under_the_same_id() {
    let gate = subscribed(&["*"]);
    answers(&gate, 200);
    patch(&gate, 1);
    gate.rows.fail_next(Fault::BeforePersist);
    assert!(now(gate.deliver()).is_err());
    // Whatever ends the object in between: its memory is lost, its rows are not.
    gate.restart();
    assert_eq!(now(gate.deliver()), Ok(None));
    let sent = gate.web.take_sent();
    assert_eq!(sent.len(), 2);
    assert_eq!(ids(&sent)[0], ids(&sent)[1]);
    assert_eq!(log(&gate)[0]["state"], "delivered");
}

#[test]
fn a_receiver_that_fails_is_tried_again_later_and_then_given_up() {
    let gate = subscribed(&["*"]);
    gate.web.answer(TARGET, Err(Unfetched::TimedOut));
    patch(&gate, 1);
    let mut seen = Vec::new();
    for _ in 0..40 {
        let next = now(gate.deliver()).unwrap();
        seen.extend(gate.web.take_sent());
        gate.restart();
        if next.is_none() {
            break;
        }
        gate.wait(600);
    }
    assert_eq!(seen.len(), 7);
    assert!(ids(&seen).iter().all(|id| *id == ids(&seen)[0]));
    let stamps: Vec<&str> = seen
        .iter()
        .map(|one| header(one, "webhook-timestamp"))
        .collect();
    assert!(
        stamps.windows(2).all(|pair| pair[0] < pair[1]),
        "{stamps:?}"
    );
    let [failed] = &log(&gate)[..] else { panic!() };
    assert_eq!(
        (&failed["state"], &failed["next_at"]),
        (&json!("failed"), &Value::Null)
    );
    assert_eq!(
        failed["attempts"][0]["error"],
        "The server did not answer in time"
    );
    // By hand it starts anew.
    answers(&gate, 200);
    let id = failed["notice_id"].as_str().unwrap();
    let retried = call(
        &gate,
        "POST",
        &format!("/api/hooks/h/deliveries/{id}/retry"),
        "",
    );
    assert_eq!(
        (retried.status, &value(&retried)["state"]),
        (200, &json!("pending"))
    );
    now(gate.deliver()).unwrap();
    assert_eq!(ids(&gate.web.take_sent()), [id]);
    assert_eq!(log(&gate)[0]["state"], "delivered");
    let unknown = call(&gate, "POST", "/api/hooks/h/deliveries/ntc_x_1/retry", "");
    assert_eq!(unknown.status, 404);
}

#[test]
fn a_receiver_that_is_gone_is_called_once() {
    let gate = subscribed(&["*"]);
    answers(&gate, 410);
    patch(&gate, 1);
    assert_eq!(now(gate.deliver()), Ok(None));
    assert_eq!(log(&gate)[0]["state"], "failed");
}

#[test]
fn what_waits_for_a_deleted_webhook_is_given_up() {
    let gate = subscribed(&["*"]);
    patch(&gate, 1);
    assert_eq!(call(&gate, "DELETE", "/api/hooks/h", "").status, 200);
    patch(&gate, 2);
    assert_eq!(now(gate.deliver()), Ok(None));
    assert!(gate.web.take_sent().is_empty());
    let log = log(&gate);
    assert_eq!((log.len(), &log[0]["state"]), (1, &json!("failed")));
}

#[test]
fn the_log_is_read_in_pages_and_bounded() {
    let gate = subscribed(&["*"]);
    answers(&gate, 200);
    let many = usize::try_from(KEPT).unwrap() + 60;
    for n in 0..many {
        patch(&gate, n % 5);
        now(gate.deliver()).unwrap();
    }
    let mut after = String::new();
    let mut seqs = Vec::new();
    loop {
        let page = call(
            &gate,
            "GET",
            &format!("/api/hooks/h/deliveries?limit=200{after}"),
            "",
        );
        let page = value(&page);
        seqs.extend(
            page["deliveries"]
                .as_array()
                .unwrap()
                .iter()
                .map(|one| one["seq"].as_u64().unwrap()),
        );
        let Some(next) = page["next"].as_u64() else {
            break;
        };
        after = format!("&after={next}");
    }
    assert!(
        seqs.len() >= usize::try_from(KEPT).unwrap() && seqs.len() < many,
        "{}",
        seqs.len()
    );
    assert_eq!(seqs[0], u64::try_from(many).unwrap() + 1);
    assert!(seqs.windows(2).all(|pair| pair[0] == pair[1] + 1));
    for query in ["limit=x", "after=x"] {
        let wrong = call(
            &gate,
            "GET",
            &format!("/api/hooks/h/deliveries?{query}"),
            "",
        );
        assert_eq!(wrong.status, 400);
    }
}

#[test]
fn one_webhook_with_much_to_do_does_not_hold_up_another() {
    let gate = subscribed(&["*"]);
    for n in 0..20 {
        patch(&gate, n);
    }
    let other = "https://other.example/in";
    let second = json!({"method": "POST", "target_path": other, "subscriptions": ["*"]});
    call(&gate, "POST", "/api/hooks", &second.to_string());
    patch(&gate, 21);
    answers(&gate, 200);
    let well = Fetched {
        status: 200,
        ..Fetched::default()
    };
    gate.web.answer(other, Ok(well));
    // A run ends after a while, and says that there is more.
    while now(gate.deliver()).unwrap().is_some() {}
    let sent = gate.web.take_sent();
    let at = sent.iter().position(|one| one.url == other).unwrap();
    assert!(at < 4, "{at}");
    assert_eq!(sent.len(), 22);
}

#[test]
fn a_secret_is_shown_once_and_stands_nowhere_else() {
    let gate = Memory::default();
    let dry = call(&gate, "POST", "/api/hooks?dry_run=true", &webhook(&["*"]));
    assert!(!dry.body.contains("whsec_"), "{}", dry.body);
    let made = call(&gate, "POST", "/api/hooks", &webhook(&["*"]));
    let first = value(&made)["signing_secret"].as_str().unwrap().to_owned();
    assert!(first.starts_with("whsec_"));
    let rotated = call(&gate, "POST", "/api/hooks/h/secret", "");
    let second = value(&rotated)["secret"].as_str().unwrap().to_owned();
    assert!(second != first && value(&rotated)["previous_until"].is_string());
    let put = call(&gate, "PUT", "/api/hooks/h", &webhook(&["*"]));
    let tested = call(&gate, "POST", "/api/hooks/h/test", "");
    let all = [
        put.body,
        tested.body,
        call(&gate, "GET", "/api/hooks", "").body,
        call(&gate, "GET", "/api/hooks/h", "").body,
        call(&gate, "GET", "/api/hooks/h/revisions/1", "").body,
        call(&gate, "POST", "/api/hooks/h/revisions/1/restore", "").body,
        call(&gate, "GET", "/api/hooks/h/deliveries", "").body,
        call(&gate, "GET", "/api/audit", "").body,
        call(&gate, "GET", "/api/notifications", "").body,
    ];
    for body in all {
        assert!(!body.contains("whsec_"), "{body}");
    }
    let audit = value(&call(&gate, "GET", "/api/audit?subject=webhook", ""));
    assert_eq!(
        audit["entries"].as_array().unwrap().len(),
        4,
        "made, rotated, replaced, restored"
    );
}

#[test]
fn both_secrets_sign_for_a_day() {
    let gate = subscribed(&["*"]);
    answers(&gate, 200);
    let count = |gate: &Memory| {
        assert_eq!(call(gate, "POST", "/api/hooks/h/test", "").status, 200);
        let sent = gate.web.take_sent();
        header(&sent[0], "webhook-signature").split(' ').count()
    };
    assert_eq!(count(&gate), 1);
    call(&gate, "POST", "/api/hooks/h/secret", "");
    assert_eq!(count(&gate), 2);
}

#[test]
fn a_test_tells_what_came_of_it_and_is_logged() {
    let gate = subscribed(&[]);
    answers(&gate, 302);
    let tested = value(&call(&gate, "POST", "/api/hooks/h/test", ""));
    assert_eq!(
        (&tested["delivered"], &tested["status"]),
        (&json!(false), &json!(302))
    );
    assert!(
        tested["error"]
            .as_str()
            .unwrap()
            .contains("redirects are not followed")
    );
    answers(&gate, 200);
    let tested = value(&call(&gate, "POST", "/api/hooks/h/test", ""));
    assert_eq!(
        (&tested["delivered"], &tested["error"]),
        (&json!(true), &Value::Null)
    );
    let sent = gate.web.take_sent();
    let body: Value = serde_json::from_str(sent[1].body.as_deref().unwrap()).unwrap();
    assert_eq!(body["type"], "Test");
    let log = log(&gate);
    let states: Vec<&Value> = log.iter().map(|one| &one["state"]).collect();
    assert_eq!(states, ["delivered", "failed"]);
    assert_eq!(log[0]["notice_id"], header(&sent[1], "webhook-id"));
    let id = log[0]["notice_id"].as_str().unwrap();
    let again = call(
        &gate,
        "POST",
        &format!("/api/hooks/h/deliveries/{id}/retry"),
        "",
    );
    assert_eq!(again.status, 404);
    assert_eq!(call(&gate, "POST", "/api/hooks/none/test", "").status, 400);
}

#[test]
fn a_private_target_is_refused_when_it_is_stored_and_when_it_is_called() {
    let gate = subscribed(&["*"]);
    let private = webhook(&["*"]).replace(TARGET, "http://169.254.169.254/latest");
    for (method, path) in [("POST", "/api/hooks"), ("PUT", "/api/hooks/h")] {
        let refused = call(&gate, method, path, &private);
        assert_eq!(refused.status, 400);
        let refused = value(&refused);
        assert_eq!(refused["Message"], "Webhook object validation failed.");
        assert_eq!(refused["issues"][0]["pointer"], "/target_path");
    }
    gate.web.allow_private(true);
    assert_eq!(call(&gate, "PUT", "/api/hooks/h", &private).status, 200);
    gate.web.allow_private(false);
    patch(&gate, 1);
    now(gate.deliver()).unwrap();
    assert!(gate.web.take_sent().is_empty());
    let error = log(&gate)[0]["attempts"][0]["error"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(error.contains("private network"), "{error}");
}

#[test]
fn a_reader_of_hooks_can_send_nothing() {
    let gate = subscribed(&["*"]);
    let body = json!({"name": "r", "permissions": {"hooks": "read"}}).to_string();
    let issued = now(gate.send("POST", "/gateway/dashboard/credentials", &body));
    let reader = value(&issued)["token"].as_str().unwrap().to_owned();
    for path in ["test", "secret", "deliveries/x/retry"] {
        let path = format!("/api/hooks/h/{path}");
        assert_eq!(
            call_as(&gate, &reader, "POST", &path, "").status,
            403,
            "{path}"
        );
    }
    assert_eq!(
        call_as(&gate, &reader, "GET", "/api/hooks/h/deliveries", "").status,
        200
    );
}

#[test]
fn nobody_subscribes_to_what_they_may_not_read() {
    let gate = subscribed(&["*"]);
    let body = json!({"name": "w", "permissions": {"hooks": "write", "apis": "read"}}).to_string();
    let issued = now(gate.send("POST", "/gateway/dashboard/credentials", &body));
    let writer = value(&issued)["token"].as_str().unwrap().to_owned();
    for (subscriptions, status) in [
        (&["ApiAdded", "GroupReload"][..], 200),
        (&[], 200),
        (&["NoticeClientIdPChanged"], 403),
        (&["*"], 403),
    ] {
        let body = webhook(subscriptions).replace(r#""webhook_id":"h""#, r#""webhook_id":"""#);
        let made = call_as(&gate, &writer, "POST", "/api/hooks", &body);
        assert_eq!(made.status, status, "{subscriptions:?}: {}", made.body);
    }
    let taken = webhook(&["*"]).replace(TARGET, "https://elsewhere.example/");
    assert_eq!(
        call_as(&gate, &writer, "PUT", "/api/hooks/h", &taken).status,
        403
    );
}

fn stream(gate: &Memory, token: &str, target: &str, last: Option<&str>) -> Response {
    let bearer = format!("Bearer {token}");
    let mut headers = vec![("authorization", bearer.as_str())];
    headers.extend(last.map(|last| ("last-event-id", last)));
    now(gate.send_with("GET", target, "", &headers))
}

/// Looks once: the next message and the events.
fn look(gate: &Memory, message: &str) -> (String, String) {
    let text = gate.look(message).unwrap();
    let (next, events) = text.split_once('\n').unwrap_or(("", ""));
    (next.to_owned(), events.to_owned())
}

#[test]
fn a_stream_goes_on_where_the_reader_was() {
    let gate = subscribed(&[]);
    let opened = stream(&gate, DASHBOARD_TOKEN, "/api/notifications/stream", None);
    assert_eq!(opened.header("content-type"), Some("text/event-stream"));
    assert_eq!(opened.header("cache-control"), Some("no-store"));
    let (next, events) = look(&gate, opened.stream.as_deref().unwrap());
    assert_eq!(events, "", "it begins now");
    patch(&gate, 1);
    let (next, events) = look(&gate, &next);
    assert!(
        events.starts_with("id: 2\nevent: NoticeClientIdPChanged\ndata: {\"seq\":2,"),
        "{events}"
    );
    assert!(events.ends_with("}\n\n"));
    assert_eq!(look(&gate, &next).1, "");
    for (target, last, first) in [
        ("/api/notifications/stream?after=0", None, "id: 1\n"),
        ("/api/notifications/stream?after=0", Some("1"), "id: 2\n"),
        ("/api/notifications/stream", Some("0"), "id: 1\n"),
    ] {
        let opened = stream(&gate, DASHBOARD_TOKEN, target, last);
        let (_, events) = look(&gate, opened.stream.as_deref().unwrap());
        assert!(events.starts_with(first), "{target} {last:?}: {events}");
    }
    let wrong = stream(
        &gate,
        DASHBOARD_TOKEN,
        "/api/notifications/stream",
        Some("x"),
    );
    assert_eq!(wrong.status, 400);
}

#[test]
fn a_stream_has_what_its_credential_may_read_and_ends_with_it() {
    let gate = subscribed(&[]);
    let body = json!({"name": "r", "permissions": {"apis": "read"}}).to_string();
    let issued = value(&now(gate.send(
        "POST",
        "/gateway/dashboard/credentials",
        &body,
    )));
    let token = issued["token"].as_str().unwrap();
    let opened = stream(&gate, token, "/api/notifications/stream?after=0", None);
    for n in 0..250 {
        patch(&gate, n % 5);
    }
    now(gate.send("POST", "/gateway/apis", r#"{"api_id":"a","name":"A","proxy":{"listen_path":"/a/","target_url":"http://up.example/"}}"#));
    let (next, events) = look(&gate, opened.stream.as_deref().unwrap());
    assert!(
        events.contains("event: ApiAdded") && !events.contains("NoticeClientIdPChanged"),
        "{events}"
    );
    assert_eq!(look(&gate, &next).1, "");
    let id = issued["credential"]["id"].as_str().unwrap();
    now(gate.send(
        "DELETE",
        &format!("/gateway/dashboard/credentials/{id}"),
        "",
    ));
    assert_eq!(gate.look(&next).unwrap(), "", "nothing tells the end");
}
