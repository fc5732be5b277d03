//! The stream of notifications.

use super::*;

fn stream(gate: &Memory, token: &str, target: &str, last: Option<&str>) -> Response {
    let bearer = format!("Bearer {token}");
    let mut headers = vec![("authorization", bearer.as_str())];
    headers.extend(last.map(|last| ("last-event-id", last)));
    now(gate.send_with("GET", target, "", &headers))
}

/// Polls once and returns the next message and the events.
fn look(gate: &Memory, message: &str) -> (String, String) {
    let text = gate.look(message).unwrap();
    let (next, events) = text.split_once('\n').unwrap_or(("", ""));
    (next.to_owned(), events.to_owned())
}

#[test]
fn stream_resumes_at_the_last_event() {
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
fn stream_is_filtered_by_and_ends_with_its_credential() {
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
