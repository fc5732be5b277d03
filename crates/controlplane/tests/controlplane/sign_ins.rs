//! Signing in to the console: what a cookie opens, for whom, and until when.

use crate::{now, value};
use gatewright_api::dashboard::endpoint::DASHBOARD;
use gatewright_api::endpoint::{ENDPOINTS, Right};
use gatewright_protocol::http::Response;
use gatewright_testkit::platform::{DASHBOARD_TOKEN, Memory, SECRET};
use gatewright_testkit::sql::dump;
use serde_json::{Value, json};

const SESSION: &str = "/console/session";
const HOUR: u64 = 3600;

/// Sends a request as a page of the console would.
fn ask(gate: &Memory, method: &str, target: &str, cookie: &str, more: &[(&str, &str)]) -> Response {
    let mut headers = vec![
        ("x-gateway-console", "1"),
        ("sec-fetch-site", "same-origin"),
        ("cookie", cookie),
    ];
    headers.extend(more);
    now(gate.send_with(method, target, "", &headers))
}

fn sign_in(gate: &Memory, cookie: &str, credentials: &[(&str, &str)]) -> Response {
    ask(gate, "POST", SESSION, cookie, credentials)
}

/// Returns the cookie that a response sets.
fn cookie(answer: &Response) -> String {
    assert_eq!(answer.status, 200, "{}", answer.body);
    let set = answer.header("set-cookie").unwrap();
    set.split_once(';').unwrap().0.to_owned()
}

const BY_SECRET: (&str, &str) = ("x-gateway-authorization", SECRET);

fn bearer(token: &str) -> String {
    format!("Bearer {token}")
}

fn by_secret(gate: &Memory) -> String {
    cookie(&sign_in(gate, "", &[BY_SECRET]))
}

fn by_token(gate: &Memory, token: &str) -> String {
    cookie(&sign_in(gate, "", &[("authorization", &bearer(token))]))
}

/// Returns the statuses of the administration and of the dashboard for a cookie.
fn opens(gate: &Memory, cookie: &str) -> (u16, u16) {
    let status = |path| ask(gate, "GET", path, cookie, &[]).status;
    (status("/gateway/apis"), status("/api/notifications"))
}

/// Issues a credential and returns its id and its token.
fn issue(gate: &Memory, name: &str, permissions: &Value) -> (String, String) {
    let body = json!({"name": name, "permissions": permissions});
    let answer = now(gate.send("POST", "/gateway/dashboard/credentials", &body.to_string()));
    let member = |name| value(&answer)[name].as_str().unwrap().to_owned();
    (member("key"), member("token"))
}

#[test]
fn cookie_grants_the_rights_of_its_credential() {
    let gate = Memory::default();
    let (_, anna) = issue(&gate, "anna", &json!({"hooks": "read"}));
    assert_eq!(opens(&gate, &by_secret(&gate)), (200, 401));
    assert_eq!(opens(&gate, &by_token(&gate, DASHBOARD_TOKEN)), (403, 200));
    assert_eq!(opens(&gate, &by_token(&gate, &anna)), (403, 200));
    assert_eq!(opens(&gate, ""), (403, 401));
    let guess = format!("gateway-session={}", "a".repeat(43));
    assert_eq!(opens(&gate, &guess), (403, 401));
}

#[test]
fn further_credential_joins_the_sign_in_under_a_new_cookie() {
    let gate = Memory::default();
    let (_, anna) = issue(&gate, "anna", &json!({"hooks": "read"}));
    let first = by_secret(&gate);
    let answer = sign_in(&gate, &first, &[("authorization", &bearer(&anna))]);
    let second = cookie(&answer);
    assert_ne!(first, second);
    assert_eq!(opens(&gate, &first), (403, 401));
    assert_eq!(opens(&gate, &second), (200, 200));
    let who = value(&answer);
    assert_eq!(
        (&who["kind"], &who["name"]),
        (&json!("credential"), &json!("anna"))
    );
    assert_eq!(who["rights"]["hooks"], "read");
    assert_eq!(who["rights"]["rulesets"], "deny");
    assert_eq!(who["rights"]["gateway"]["keys"], "write");
    assert_eq!(who, value(&ask(&gate, "GET", SESSION, &second, &[])));
}

#[test]
fn wrong_credential_is_refused() {
    let gate = Memory::default();
    let before = by_secret(&gate);
    for (credentials, status) in [
        (vec![("x-gateway-authorization", "wrong")], 403),
        (vec![("authorization", "Bearer wrong")], 401),
        (vec![BY_SECRET, ("authorization", "Bearer wrong")], 401),
        (
            vec![
                ("x-gateway-authorization", "wrong"),
                ("authorization", DASHBOARD_TOKEN),
            ],
            403,
        ),
        (vec![], 400),
    ] {
        let answer = sign_in(&gate, &before, &credentials);
        assert_eq!(answer.status, status, "{credentials:?} {}", answer.body);
        assert_eq!(answer.header("set-cookie"), None);
    }
    assert_eq!(opens(&gate, &before), (200, 401));
    assert_eq!(ask(&gate, "GET", SESSION, "", &[]).status, 401);
    assert_eq!(ask(&gate, "PUT", SESSION, "", &[]).status, 405);
}

#[test]
fn cross_origin_pages_cannot_use_the_cookie() {
    let gate = Memory::default();
    let token = by_token(&gate, DASHBOARD_TOKEN);
    let both = cookie(&sign_in(&gate, &token, &[BY_SECRET]));
    let foreign = [
        vec![],
        vec![("sec-fetch-site", "same-origin")],
        vec![("x-gateway-console", "1"), ("sec-fetch-site", "cross-site")],
        vec![("x-gateway-console", "1"), ("sec-fetch-site", "same-site")],
        vec![("x-gateway-console", "1"), ("sec-fetch-site", "none")],
        vec![
            ("x-gateway-console", "1"),
            ("origin", "http://evil.example"),
        ],
        vec![("x-gateway-console", "1"), ("origin", "null")],
    ];
    for headers in foreign {
        let headers: Vec<_> = headers
            .into_iter()
            .chain([("cookie", both.as_str())])
            .collect();
        for endpoint in ENDPOINTS.iter().filter(|row| row.right() != Right::Public) {
            let answer = now(gate.send_with(endpoint.method, endpoint.path, "", &headers));
            assert_eq!(
                answer.status, 403,
                "{} {} {headers:?}",
                endpoint.method, endpoint.path
            );
        }
        for endpoint in DASHBOARD {
            let answer = now(gate.send_with(endpoint.method, endpoint.path, "", &headers));
            assert_eq!(
                answer.status, 401,
                "{} {} {headers:?}",
                endpoint.method, endpoint.path
            );
        }
        for method in ["GET", "POST", "DELETE"] {
            let answer = now(gate.send_with(method, SESSION, "", &headers));
            assert_eq!(answer.status, 403, "{method} {headers:?}");
        }
    }
    // A browser without `Sec-Fetch-Site` sends `Origin` with a request that changes something.
    let silent = [("x-gateway-console", "1"), ("cookie", both.as_str())];
    assert_eq!(
        now(gate.send_with("GET", "/gateway/apis", "", &silent)).status,
        200
    );
    assert_eq!(
        now(gate.send_with("POST", "/gateway/reload", "", &silent)).status,
        403
    );
    assert_eq!(opens(&gate, &both), (200, 200));
}

#[test]
fn sign_in_has_idle_and_absolute_timeouts() {
    let gate = Memory::default();
    gate.stop_clock();
    let idle = by_secret(&gate);
    gate.wait(8 * HOUR - 1);
    assert_eq!(opens(&gate, &idle).0, 200);
    // That counted as a use.
    gate.wait(8 * HOUR - 1);
    assert_eq!(opens(&gate, &idle).0, 200);
    gate.wait(8 * HOUR);
    assert_eq!(opens(&gate, &idle).0, 403);
    let used = by_secret(&gate);
    for _ in 0..23 {
        gate.wait(HOUR);
        assert_eq!(opens(&gate, &used).0, 200);
    }
    gate.wait(HOUR);
    assert_eq!(opens(&gate, &used).0, 403);
}

#[test]
fn sign_in_ends_with_its_credential() {
    let mut gate = Memory::default();
    let (id, anna) = issue(&gate, "anna", &json!({"hooks": "write"}));
    let (alone, root) = (by_token(&gate, &anna), by_token(&gate, DASHBOARD_TOKEN));
    let both = cookie(&sign_in(&gate, &by_token(&gate, &anna), &[BY_SECRET]));
    let revoked = now(gate.send(
        "DELETE",
        &format!("/gateway/dashboard/credentials/{id}"),
        "",
    ));
    assert_eq!(revoked.status, 200);
    assert_eq!(opens(&gate, &alone), (403, 401));
    assert_eq!(ask(&gate, "GET", SESSION, &alone, &[]).status, 401);
    assert_eq!(opens(&gate, &both), (200, 401));
    assert_eq!(opens(&gate, &root), (403, 200));
    gate.secret = Some("another secret, long enough".to_owned());
    assert_eq!(opens(&gate, &both), (403, 401));
    assert_eq!(opens(&gate, &root), (403, 200));
}

#[test]
fn sign_out_ends_one_or_all_sign_ins_of_a_credential() {
    let gate = Memory::default();
    let (_, anna) = issue(&gate, "anna", &json!({"hooks": "write"}));
    let (_, ben) = issue(&gate, "ben", &json!({"hooks": "write"}));
    let of = |token: &str| by_token(&gate, token);
    let (one, two, three, other, secret) =
        (of(&anna), of(&anna), of(&anna), of(&ben), by_secret(&gate));
    let out = ask(&gate, "DELETE", SESSION, &one, &[]);
    assert_eq!(out.status, 200, "{}", out.body);
    let gone = "gateway-session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict";
    assert_eq!(out.header("set-cookie"), Some(gone));
    assert_eq!(opens(&gate, &one), (403, 401));
    assert_eq!(opens(&gate, &two), (403, 200));
    let everywhere = format!("{SESSION}?everywhere=true");
    // A cookie that is signed out ends no other sign-ins.
    ask(&gate, "DELETE", &everywhere, &one, &[]);
    assert_eq!(opens(&gate, &two), (403, 200));
    assert_eq!(ask(&gate, "DELETE", &everywhere, &two, &[]).status, 200);
    for ended in [&two, &three] {
        assert_eq!(opens(&gate, ended), (403, 401));
    }
    assert_eq!(opens(&gate, &other), (403, 200));
    assert_eq!(opens(&gate, &secret), (200, 401));
}

#[test]
fn sign_out_everywhere_ignores_outdated_secrets() {
    let mut gate = Memory::default();
    let (_, anna) = issue(&gate, "anna", &json!({"hooks": "write"}));
    let mixed = |gate: &Memory| cookie(&sign_in(gate, &by_token(gate, &anna), &[BY_SECRET]));
    let (old, also_old) = (mixed(&gate), by_secret(&gate));
    let new = "another secret, long enough";
    gate.secret = Some(new.to_owned());
    let credential = [("x-gateway-authorization", new)];
    let other = cookie(&sign_in(&gate, "", &credential));
    let by_anna = by_token(&gate, &anna);
    let everywhere = format!("{SESSION}?everywhere=true");
    // None of its credentials is valid any more, so only it ends.
    let out = ask(&gate, "DELETE", &everywhere, &also_old, &[]);
    assert_eq!(out.status, 200, "{}", out.body);
    assert_eq!(opens(&gate, &other), (200, 401));
    assert_eq!(opens(&gate, &old), (403, 200));
    // Its token is still valid, and ends the sign-ins made with it.
    assert_eq!(ask(&gate, "DELETE", &everywhere, &old, &[]).status, 200);
    assert_eq!(opens(&gate, &other), (200, 401));
    for ended in [&old, &by_anna] {
        assert_eq!(opens(&gate, ended), (403, 401));
    }
    // So does the current secret.
    let second = cookie(&sign_in(&gate, "", &credential));
    ask(&gate, "DELETE", &everywhere, &other, &[]);
    assert_eq!(opens(&gate, &second), (403, 401));
}

#[test]
fn sign_out_everywhere_needs_a_live_sign_in() {
    let gate = Memory::default();
    gate.stop_clock();
    let (idle, used) = (by_secret(&gate), by_secret(&gate));
    gate.wait(8 * HOUR - 1);
    assert_eq!(opens(&gate, &used).0, 200);
    gate.wait(1);
    let everywhere = format!("{SESSION}?everywhere=true");
    assert_eq!(ask(&gate, "DELETE", &everywhere, &idle, &[]).status, 200);
    assert_eq!(opens(&gate, &used).0, 200);
}

#[test]
fn stream_ends_with_its_sign_in() {
    let gate = Memory::default();
    let cookie = by_token(&gate, DASHBOARD_TOKEN);
    let opened = ask(&gate, "GET", "/api/notifications/stream", &cookie, &[]);
    let message = opened.stream.unwrap();
    assert!(!gate.look(&message).unwrap().is_empty());
    ask(&gate, "DELETE", SESSION, &cookie, &[]);
    assert_eq!(gate.look(&message).unwrap(), "");
}

/// Otherwise signing in again would give a credential another share of the streams.
#[test]
fn streams_of_sign_ins_count_towards_their_credential() {
    let gate = Memory::default();
    let (_, anna) = issue(&gate, "anna", &json!({"apis": "read"}));
    let (_, ben) = issue(&gate, "ben", &json!({"apis": "read"}));
    let stream_of = |cookie: &str, headers: &[(&str, &str)]| {
        let opened = ask(&gate, "GET", "/api/notifications/stream", cookie, headers);
        assert_eq!(opened.status, 200, "{}", opened.body);
        opened.stream_of
    };
    let bearer = format!("Bearer {anna}");
    let direct = stream_of("", &[("authorization", &bearer)]);
    for _ in 0..2 {
        let cookie = by_token(&gate, &anna);
        assert_eq!(stream_of(&cookie, &[]), direct);
    }
    assert_ne!(stream_of(&by_token(&gate, &ben), &[]), direct);
    assert_eq!(stream_of(&by_token(&gate, DASHBOARD_TOKEN), &[]), "root");
}

#[test]
fn stored_values_do_not_authenticate() {
    let gate = Memory::default();
    let (_, anna) = issue(&gate, "anna", &json!({"hooks": "write"}));
    let cookies = [
        by_secret(&gate),
        by_token(&gate, DASHBOARD_TOKEN),
        by_token(&gate, &anna),
    ];
    let stored = dump(&gate.sql).unwrap();
    let texts = cookies
        .iter()
        .map(|cookie| cookie.split_once('=').unwrap().1);
    for text in texts.chain([SECRET, DASHBOARD_TOKEN, &anna]) {
        assert!(!stored.contains(text), "{text}");
    }
}

#[test]
fn cookie_is_valid_only_at_the_console_host() {
    let mut gate = Memory::default();
    let cookie = by_secret(&gate);
    // As on a single machine, where a page of an upstream is on the same host with another port.
    gate.environment.console_hosts = vec!["gateway.test:8788".to_owned()];
    assert_eq!(opens(&gate, &cookie).0, 403);
    assert_eq!(ask(&gate, "GET", SESSION, &cookie, &[]).status, 403);
}

#[test]
fn explicit_credential_overrides_cookie() {
    let gate = Memory::default();
    let cookie = by_secret(&gate);
    let wrong = [("x-gateway-authorization", "wrong")];
    assert_eq!(
        ask(&gate, "GET", "/gateway/apis", &cookie, &wrong).status,
        403
    );
}

#[test]
fn signed_out_callers_learn_the_environment() {
    let mut gate = Memory::default();
    gate.environment.name = "production".to_owned();
    gate.environment.color = "red";
    let expected = json!({"name": "production", "color": "red"});
    let out = ask(&gate, "GET", SESSION, "", &[]);
    assert_eq!((out.status, &value(&out)["environment"]), (401, &expected));
    let who = value(&ask(&gate, "GET", SESSION, &by_secret(&gate), &[]));
    assert_eq!(who["environment"], expected);
    assert!(who["version"].as_str().unwrap().starts_with('v'));
}

#[test]
fn organisation_credentials_get_no_global_rights() {
    let gate = Memory::default();
    let ask = |org: &str, permissions: Value| {
        let body = json!({"name": "anna", "org_id": org, "permissions": permissions});
        let answer = now(gate.send("POST", "/gateway/dashboard/credentials", &body.to_string()));
        (answer.status, answer.body)
    };
    let (status, text) = ask(
        "acme",
        json!({"hooks": "read", "gateway": {"keys": "read"}}),
    );
    assert_eq!(status, 400, "{text}");
    assert!(text.contains("/permissions/gateway"), "{text}");
    assert_eq!(ask("acme", json!({"hooks": "read"})).0, 200);
    assert_eq!(ask("default", json!({"gateway": {"keys": "read"}})).0, 200);
}

/// Returns the audit trail's entries about sign-ins, newest first.
/// Signing in again and again ends sign-ins of the same credential only.
#[test]
fn a_credential_has_a_limited_number_of_sign_ins() {
    let gate = Memory::default();
    let (_, token) = issue(&gate, "ci", &json!({"rulesets": "read"}));
    let (_, other) = issue(&gate, "other", &json!({"rulesets": "read"}));
    let everybody = [by_secret(&gate), by_token(&gate, &other)];
    let own: Vec<String> = (0..101).map(|_| by_token(&gate, &token)).collect();
    let is_in = |cookie: &str| ask(&gate, "GET", SESSION, cookie, &[]).status == 200;
    let ended = own.iter().position(|cookie| is_in(cookie));
    assert_eq!(ended, Some(1), "the least recently used one has ended");
    assert!(everybody.iter().all(|cookie| is_in(cookie)));
}

fn trail(gate: &Memory) -> Vec<Value> {
    let bearer = bearer(DASHBOARD_TOKEN);
    let target = "/api/audit?subject=sign_in";
    let answer = now(gate.send_with("GET", target, "", &[("authorization", &bearer)]));
    let of = |entry: &Value| json!([entry["actor"], entry["action"], entry["name"], entry["id"]]);
    let page = value(&answer);
    page["entries"].as_array().unwrap().iter().map(of).collect()
}

#[test]
fn sign_in_and_out_are_audited() {
    let gate = Memory::default();
    let host = "gateway.test";
    let (_, anna) = issue(&gate, "anna", &json!({"hooks": "read"}));
    let first = by_secret(&gate);
    // It replaces the first sign-in, which does not count as signing out.
    let joined = cookie(&sign_in(
        &gate,
        &first,
        &[("authorization", &bearer(&anna))],
    ));
    ask(&gate, "GET", SESSION, &joined, &[]);
    let root = by_token(&gate, DASHBOARD_TOKEN);
    let wrong = [("x-gateway-authorization", "wrong")];
    assert_eq!(sign_in(&gate, "", &wrong).status, 403);
    let wrong = [("authorization", "Bearer wrong")];
    assert_eq!(sign_in(&gate, "", &wrong).status, 401);
    assert_eq!(ask(&gate, "DELETE", SESSION, &joined, &[]).status, 200);
    // Signing out again, or without being signed in, adds no entry.
    ask(&gate, "DELETE", SESSION, &joined, &[]);
    let everywhere = format!("{SESSION}?everywhere=true");
    assert_eq!(ask(&gate, "DELETE", &everywhere, &root, &[]).status, 200);
    assert_eq!(
        trail(&gate),
        [
            json!(["dashboard", "deleted", host, "everywhere"]),
            json!(["anna", "deleted", host, ""]),
            json!(["dashboard", "added", host, ""]),
            json!(["anna", "added", host, ""]),
            json!(["gateway", "added", host, ""]),
        ]
    );
    // A caller without full rights does not see these entries.
    let (_, reader) = issue(&gate, "reader", &json!({"apis": "read"}));
    let target = "/api/audit?subject=sign_in";
    let answer = now(gate.send_with("GET", target, "", &[("authorization", &bearer(&reader))]));
    assert_eq!(value(&answer)["entries"], json!([]));
}
