//! The administration of clients.

use super::{
    BACK, admin, admin_ok, client, definition, gateway, own_token, policy, refused, reload,
};
use super::{token, use_token};
use futures_util::FutureExt;
use gatewright_controlplane::ports::Platform;
use gatewright_protocol::http::Request;
use gatewright_protocol::oauth::{ClientPart, OauthAsk, OauthClient};
use gatewright_protocol::registry::{Command, Refusal, Reply};
use gatewright_testkit::platform::SECRET;
use serde_json::{Value, json};

#[test]
fn a_client_is_made_read_listed_changed_and_deleted() {
    let memory = gateway();
    let sent = json!({ "client_id": "c", "secret": "s", "redirect_uri": BACK, "policy_id": "p",
        "api_id": "a", "description": "first", "meta_data": { "team": "a" } });
    let made = admin(&memory, "POST", "oauth/clients/create", &sent);
    let text = |description: &str, meta: &str| {
        format!(
            "{{\"client_id\":\"c\",\"redirect_uri\":\"{BACK}\",\"policy_id\":\"p\",\"secret\":\"s\",\
             \"meta_data\":{meta},\"description\":\"{description}\"}}"
        )
    };
    let first = text("first", "{\"team\":\"a\"}");
    assert_eq!(made.body, format!("{first}\n"));
    let read = |path: &str| admin(&memory, "GET", path, &Value::Null).body;
    assert_eq!(read("oauth/clients/a/c"), format!("{first}\n"));
    assert_eq!(read("oauth/clients/a"), format!("[{first}]\n"));
    assert_eq!(read("oauth/clients/b"), "[]\n");
    assert_eq!(read("oauth/clients/apis/c?orgID=default"), "[\"a\"]\n");
    assert_eq!(read("oauth/clients/apis/c?orgID=other"), "[]\n");
    let sent = json!({ "redirect_uri": BACK, "description": "second", "policy_id": "p",
        "secret": "ignored", "client_id": "ignored" });
    let changed = admin(&memory, "PUT", "oauth/clients/a/c", &sent);
    assert_eq!(changed.body, format!("{}\n", text("second", "null")));
    let gone = admin(&memory, "DELETE", "oauth/clients/a/c", &Value::Null);
    let expected = "{\"key\":\"c\",\"status\":\"ok\",\"action\":\"deleted\"}\n";
    assert_eq!(gone.body, expected);
    let missing = (404, "OAuth Client ID not found".to_owned());
    for (method, path) in [
        ("GET", "oauth/clients/a/c"),
        ("DELETE", "oauth/clients/a/c"),
        ("DELETE", "oauth/clients/none/c"),
        ("PUT", "oauth/clients/a/c/rotate"),
        ("GET", "oauth/clients/none/c/tokens"),
        // Without an organisation this is a client of the API `apis`.
        ("GET", "oauth/clients/apis/c"),
    ] {
        assert_eq!(
            refused(&memory, method, path, &Value::Null),
            missing,
            "{method} {path}"
        );
    }
    let rotated = refused(&memory, "PUT", "oauth/clients/none/c/rotate", &Value::Null);
    assert_eq!(rotated, (404, "API doesn't exist".to_owned()));
    let unknown = admin(&memory, "GET", "oauth/clients/none", &Value::Null);
    assert_eq!((unknown.status, unknown.body.as_str()), (404, "null\n"));
}

#[test]
fn what_is_no_client_is_refused_in_the_order_of_the_reference() {
    let memory = gateway();
    policy(&memory, "closed", &["plain"]);
    policy(&memory, "elsewhere", &["gone"]);
    for (body, expected) in [
        (json!("{"), (500, "Unmarshalling failed")),
        (json!("[]"), (500, "Unmarshalling failed")),
        (json!({ "client_id": 5 }), (500, "Unmarshalling failed")),
        (json!({ "api_id": "none" }), (400, "API doesn't exist")),
        (json!({ "api_id": "plain" }), (400, "API is not OAuth2")),
        (json!({}), (400, "Policy doesn't exist")),
        (
            json!({ "policy_id": "none" }),
            (400, "Policy doesn't exist"),
        ),
        (json!({ "policy_id": "closed" }), (400, "API is not OAuth2")),
        (
            json!({ "policy_id": "elsewhere" }),
            (400, "API doesn't exist"),
        ),
    ] {
        let (status, message) = refused(&memory, "POST", "oauth/clients/create", &body);
        assert_eq!((status, message.as_str()), expected, "{body}");
    }
    let colon = json!({ "api_id": "a", "client_id": "a:b" });
    let (status, message) = refused(&memory, "POST", "oauth/clients/create", &colon);
    assert_eq!(status, 400);
    assert!(message.starts_with("/client_id: "), "{message}");
    policy(&memory, "only-b", &["b"]);
    let contains = "Policy access rights doesn't contain API this OAuth client belongs to";
    for (path, body, expected) in [
        ("a/none", json!("{"), (500, "Unmarshalling failed")),
        ("none/c", json!({}), (404, "API doesn't exist")),
        (
            "a/none",
            json!({ "policy_id": "none" }),
            (404, "Policy doesn't exist"),
        ),
        ("a/none", json!({ "policy_id": "only-b" }), (400, contains)),
        ("a/none", json!({}), (404, "OAuth Client ID not found")),
    ] {
        let path = format!("oauth/clients/{path}");
        let (status, message) = refused(&memory, "PUT", &path, &body);
        assert_eq!((status, message.as_str()), expected, "{path} {body}");
    }
    assert_eq!(
        admin_ok(&memory, "GET", "oauth/clients/a", &Value::Null),
        json!([])
    );
}

#[test]
fn a_client_that_is_no_utf8_is_the_fault_of_its_sender() {
    let memory = gateway();
    let request = Request {
        method: "POST".to_owned(),
        path: "/gateway/oauth/clients/create".to_owned(),
        headers: vec![("x-gateway-authorization".to_owned(), SECRET.to_owned())],
        body: vec![b'"', 0xff, b'"'],
        ..Request::default()
    };
    let answer = memory.answer(&request).now_or_never().unwrap();
    assert_eq!(answer.status, 400, "{}", answer.body);
}

#[test]
fn an_id_and_a_secret_are_made_where_none_are_sent() {
    let memory = gateway();
    let made = admin_ok(
        &memory,
        "POST",
        "oauth/clients/create",
        &json!({ "api_id": "a" }),
    );
    assert_eq!(made["client_id"].as_str().unwrap().len(), 32);
    assert_eq!(made["secret"].as_str().unwrap().len(), 43);
    assert_eq!(made.get("policy_id"), None);
}

#[test]
fn no_secret_is_stored_as_it_is() {
    let memory = gateway();
    let sent = json!({ "client_id": "c", "secret": "a-secret-of-a-client", "redirect_uri": BACK,
        "policy_id": "p", "api_id": "a" });
    admin_ok(&memory, "POST", "oauth/clients/create", &sent);
    let statement = "SELECT client FROM oauth_client";
    let stored = super::rows(&memory, statement);
    assert_eq!(stored.len(), 1);
    assert!(!stored[0].contains("a-secret-of-a-client"), "{}", stored[0]);
}

#[test]
fn an_update_that_began_before_a_rotation_does_not_bring_the_old_secret_back() {
    let memory = gateway();
    client(&memory, "c");
    let ask = |ask: &OauthAsk| {
        let writes = Command::Oauth {
            writes: ask.writes(),
        };
        let text = serde_json::to_string(ask).unwrap();
        memory.call(&writes, &text).now_or_never().unwrap().unwrap()
    };
    let named = OauthAsk::Client {
        api: "a".to_owned(),
        id: "c".to_owned(),
    };
    let before: OauthClient = serde_json::from_str(&ask(&named).1).unwrap();
    admin_ok(&memory, "PUT", "oauth/clients/a/c/rotate", &Value::Null);
    let update = OauthAsk::PutClients {
        clients: vec![OauthClient {
            description: "late".to_owned(),
            ..before
        }],
        is_new: false,
        part: ClientPart::Settings,
    };
    assert_eq!(ask(&update).0, Reply::Json);
    let shown = admin_ok(&memory, "GET", "oauth/clients/a/c", &Value::Null);
    assert_eq!(shown["description"], "late");
    assert_ne!(shown["secret"], "s");
    assert_eq!(token(&memory, "c", "grant_type=client_credentials").0, 403);
    // Nor does it create a client that was deleted meanwhile.
    admin_ok(&memory, "DELETE", "oauth/clients/a/c", &Value::Null);
    assert_eq!(ask(&update).0, Reply::Refused(Refusal::NotFound));
}

#[test]
fn a_new_secret_ends_the_old_one_and_no_token() {
    let memory = gateway();
    client(&memory, "c");
    let issued = own_token(&memory, "c");
    let rotated = admin_ok(&memory, "PUT", "oauth/clients/a/c/rotate", &Value::Null);
    assert_ne!(rotated["secret"], "s");
    let (status, body) = token(&memory, "c", "grant_type=client_credentials");
    assert_eq!(
        (status, &body["error"]),
        (403, &json!("unauthorized_client"))
    );
    assert_eq!(use_token(&memory, "/a/x", &issued).0, 200);
    let read = admin_ok(&memory, "GET", "oauth/clients/a/c", &Value::Null);
    assert_eq!(read, rotated);
}

#[test]
fn another_policy_ends_the_tokens_of_a_client() {
    let memory = gateway();
    policy(&memory, "q", &["a"]);
    reload(&memory);
    client(&memory, "c");
    let issued = own_token(&memory, "c");
    let sent = |policy: &str| json!({ "redirect_uri": BACK, "policy_id": policy });
    admin_ok(&memory, "PUT", "oauth/clients/a/c", &sent("p"));
    assert_eq!(use_token(&memory, "/a/x", &issued).0, 200);
    admin_ok(&memory, "PUT", "oauth/clients/a/c", &sent("q"));
    assert_eq!(
        use_token(&memory, "/a/x", &issued),
        (403, "Key not authorised".to_owned())
    );
    assert_eq!(use_token(&memory, "/a/x", &own_token(&memory, "c")).0, 200);
}

#[test]
fn a_client_of_a_policy_is_known_to_all_of_its_apis() {
    let memory = gateway();
    admin_ok(&memory, "POST", "apis", &definition("c", &json!({})));
    reload(&memory);
    let sent = json!({ "client_id": "c", "secret": "s", "redirect_uri": BACK, "policy_id": "p",
        "meta_data": { "team": "blue" } });
    admin_ok(&memory, "POST", "oauth/clients/create", &sent);
    let at = admin_ok(
        &memory,
        "GET",
        "oauth/clients/apis/c?orgID=default",
        &Value::Null,
    );
    assert_eq!(at, json!(["a", "b"]));
    let issued = own_token(&memory, "c");
    assert_eq!(use_token(&memory, "/a/x", &issued).0, 200);
    assert_eq!(use_token(&memory, "/b/x", &issued).0, 200);
    let revoked = "Key not authorised. OAuth client access was revoked".to_owned();
    assert_eq!(use_token(&memory, "/c/x", &issued), (403, revoked.clone()));
    // A change at one of the APIs applies at the others.
    admin_ok(&memory, "PUT", "oauth/clients/b/c/rotate", &Value::Null);
    let (status, _) = token(&memory, "c", "grant_type=client_credentials");
    assert_eq!(status, 403);
    // Removing it at one API leaves the others.
    admin_ok(&memory, "DELETE", "oauth/clients/a/c", &Value::Null);
    assert_eq!(use_token(&memory, "/a/x", &issued), (403, revoked.clone()));
    assert_eq!(use_token(&memory, "/b/x", &issued).0, 200);
    admin_ok(&memory, "DELETE", "oauth/clients/b/c", &Value::Null);
    assert_eq!(use_token(&memory, "/b/x", &issued), (403, revoked));
}

#[test]
fn a_client_that_comes_back_does_not_bring_its_tokens_back() {
    let memory = gateway();
    client(&memory, "c");
    let issued = own_token(&memory, "c");
    admin_ok(&memory, "DELETE", "oauth/clients/a/c", &Value::Null);
    client(&memory, "c");
    let revoked = "Key not authorised. OAuth client access was revoked".to_owned();
    assert_eq!(use_token(&memory, "/a/x", &issued), (403, revoked));
    let listed = admin_ok(&memory, "GET", "oauth/clients/a/c/tokens", &Value::Null);
    assert_eq!(listed, json!([]));
}

#[test]
fn deleting_a_client_does_not_undo_a_concurrent_change_of_its_token() {
    let memory = gateway();
    let sent = json!({ "client_id": "c", "secret": "s", "redirect_uri": BACK, "policy_id": "p" });
    admin_ok(&memory, "POST", "oauth/clients/create", &sent);
    own_token(&memory, "c");
    let keys = admin_ok(&memory, "GET", "keys", &Value::Null);
    let path = format!("keys/{}", keys["keys"][0].as_str().unwrap());
    let stored = format!("{path}?applied=false");
    // The first write of the deletion closes the client.
    let read = stored.clone();
    memory.before_write(1, move |memory| {
        let mut session = admin_ok(memory, "GET", &read, &Value::Null);
        session["alias"] = json!("changed");
        admin_ok(memory, "PUT", &path, &session);
    });
    admin_ok(&memory, "DELETE", "oauth/clients/a/c", &Value::Null);
    let session = admin_ok(&memory, "GET", &stored, &Value::Null);
    assert_eq!(session["alias"], "changed");
    assert_eq!(session["oauth_apis"], json!(["b"]));
}
