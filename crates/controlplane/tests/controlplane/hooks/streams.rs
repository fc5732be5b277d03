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

/// Creates an API whose name, and so whose notification, has `bytes`.
fn long_notice(gate: &Memory, id: &str, bytes: usize) {
    let name = "n".repeat(bytes);
    let api = json!({
        "api_id": id, "name": name, "active": true,
        "proxy": {"listen_path": format!("/{id}/"), "target_url": "http://up.example/"},
    });
    let made = now(gate.send("POST", "/gateway/apis", &api.to_string()));
    assert_eq!(made.status, 200, "{}", made.body);
}

#[test]
fn a_page_of_notifications_is_bounded_by_bytes_and_the_next_one_continues() {
    const MOST: usize = 1024 * 1024;
    const LONG: usize = 300_000;
    let gate = Memory::default();
    for n in 0..20 {
        long_notice(&gate, &format!("a{n}"), if n % 2 == 0 { LONG } else { 10 });
    }
    let mut numbers = Vec::new();
    let mut pages = 0;
    loop {
        let after = numbers.last().copied().unwrap_or(0);
        let target = format!("/api/notifications?after={after}&limit=1000");
        let page = call(&gate, "GET", &target, "");
        assert!(page.body.len() < MOST + 2 * LONG, "{}", page.body.len());
        let page = value(&page);
        assert_eq!(page["last"], 20);
        let found = page["notifications"].as_array().unwrap();
        if found.is_empty() {
            break;
        }
        numbers.extend(found.iter().map(|notice| notice["seq"].as_u64().unwrap()));
        pages += 1;
    }
    assert_eq!(numbers, (1..=20).collect::<Vec<u64>>());
    assert!(pages >= 3, "{pages}");

    let opened = stream(
        &gate,
        DASHBOARD_TOKEN,
        "/api/notifications/stream?after=0",
        None,
    );
    let mut message = opened.stream.unwrap();
    let mut ids = Vec::new();
    loop {
        let (next, events) = look(&gate, &message);
        assert!(events.len() < MOST + 2 * LONG, "{}", events.len());
        if events.is_empty() {
            break;
        }
        let lines = events.lines().filter_map(|line| line.strip_prefix("id: "));
        ids.extend(lines.map(|id| id.parse::<u64>().unwrap()));
        message = next;
    }
    assert_eq!(ids, numbers);
}

/// Even a notification that is longer than a page is sent.
#[test]
fn a_page_has_at_least_one_notification() {
    let gate = Memory::default();
    long_notice(&gate, "a", 900_000);
    long_notice(&gate, "b", 900_000);
    long_notice(&gate, "c", 900_000);
    let page = value(&call(&gate, "GET", "/api/notifications?after=0", ""));
    assert_eq!(page["notifications"].as_array().unwrap().len(), 2);
}
