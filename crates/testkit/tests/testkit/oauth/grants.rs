//! The grants that are exchanged for tokens.

use super::{
    BACK, admin_ok, approve, basic, client, error, gateway, own_token, post_form, use_token,
};
use super::{definition, reload, send, text, token};
use serde_json::{Value, json};

#[test]
fn a_client_gets_a_token_for_itself() {
    let memory = gateway();
    client(&memory, "c");
    let (status, body) = token(
        &memory,
        "c",
        "grant_type=client_credentials&scope=read%20write",
    );
    assert_eq!(status, 200, "{body}");
    assert_eq!(body["token_type"], "bearer");
    assert_eq!(body["expires_in"], 3600);
    assert_eq!(body["scope"], "read write");
    assert_eq!(body.get("refresh_token"), None);
    let issued = text(&body, "access_token");
    assert_eq!(use_token(&memory, "/a/x", &issued).0, 200);
    // The same in JSON, without a trailing slash.
    let sent = basic("c", "s");
    let headers = [
        ("authorization", sent.as_str()),
        ("content-type", "application/json"),
    ];
    let answer = send(
        &memory,
        "POST",
        "/a/oauth/token",
        &headers,
        r#"{"grant_type": "client_credentials"}"#,
    );
    assert_eq!(answer.status, 200, "{}", answer.body);
    let header = |name: &str| {
        answer
            .headers
            .iter()
            .find(|(key, _)| key == name)
            .unwrap()
            .1
            .clone()
    };
    assert_eq!(
        header("cache-control"),
        "no-cache, no-store, must-revalidate"
    );
    assert_eq!(header("expires"), "0");
}

#[test]
fn a_token_is_the_second_word_of_the_first_header() {
    let memory = gateway();
    client(&memory, "c");
    let own = own_token(&memory, "c");
    for (sent, expected) in [
        (format!("bEARER {own}"), (200, "")),
        (format!("Bearer {own} more"), (200, "")),
        // The form in which the runtime joins two headers.
        (format!("Bearer {own}, Bearer x"), (200, "")),
        (
            format!("Bearer x, Bearer {own}"),
            (403, "Key not authorised"),
        ),
        (format!("Bearer  {own}"), (403, "Key not authorised")),
        (format!("Token {own}"), (400, "Bearer token malformed")),
        (own.clone(), (400, "Authorization field missing")),
        ("Bearer".to_owned(), (400, "Authorization field missing")),
    ] {
        let answer = send(&memory, "GET", "/a/x", &[("authorization", &sent)], "");
        let body = match answer.status {
            200 => "",
            _ => answer.body.as_str(),
        };
        assert_eq!((answer.status, body), expected, "{sent}");
    }
}

#[test]
fn every_refusal_is_that_of_the_reference() {
    let memory = gateway();
    client(&memory, "c");
    client(&memory, "other");
    let own = "grant_type=client_credentials";
    let (right, wrong, nobody) = (basic("c", "s"), basic("c", "x"), basic("n", "s"));
    for (sent, body, expected) in [
        ("", own, "invalid_request"),
        ("Bearer x", own, "invalid_request"),
        (&wrong, own, "unauthorized_client"),
        (&nobody, own, "server_error"),
        (&right, "", "unsupported_grant_type"),
        (
            &right,
            "grant_type=password&username=a&password=b",
            "unsupported_grant_type",
        ),
        (&wrong, "grant_type=other", "unsupported_grant_type"),
        (&right, "grant_type=authorization_code", "invalid_grant"),
        (
            &right,
            "grant_type=authorization_code&code=x",
            "invalid_grant",
        ),
        (&right, "grant_type=refresh_token", "invalid_grant"),
        (
            &right,
            "grant_type=refresh_token&refresh_token=x",
            "invalid_grant",
        ),
        (
            &right,
            "grant_type=client_credentials&grant_type=client_credentials",
            "invalid_request",
        ),
    ] {
        let (status, answer) =
            post_form(&memory, "/a/oauth/token/", &[("authorization", sent)], body);
        assert_eq!(
            (status, &answer["error"]),
            (403, &error(expected)),
            "{sent} {body}"
        );
    }
    let get = send(
        &memory,
        "GET",
        "/a/oauth/token/",
        &[("authorization", &right)],
        "",
    );
    assert_eq!(get.status, 403);
    assert!(
        get.body
            .starts_with("{\"error\":\"invalid_request\",\"error_description\":")
    );
    let headers = [("authorization", right.as_str())];
    let put = send(&memory, "PUT", "/a/oauth/token/", &headers, "");
    assert_eq!(put.status, 405, "{}", put.body);
    // A body that can't be parsed requests no grant.
    let headers = [
        ("authorization", right.as_str()),
        ("content-type", "application/json"),
    ];
    for body in ["{", "[]", r#"{"grant_type":7}"#] {
        let answer = send(&memory, "POST", "/a/oauth/token/", &headers, body);
        let expected = "{\"error\":\"unsupported_grant_type\"";
        assert!(answer.body.starts_with(expected), "{}", answer.body);
    }
    // A client with the client credentials grant needs no redirect URI.
    let bare = json!({ "client_id": "bare", "secret": "s", "policy_id": "p", "api_id": "a" });
    admin_ok(&memory, "POST", "oauth/clients/create", &bare);
    assert_eq!(token(&memory, "bare", own).0, 200);
    // At an API that does not know the client.
    let (status, answer) = post_form(
        &memory,
        "/b/oauth/token/",
        &[("authorization", &right)],
        own,
    );
    assert_eq!((status, &answer["error"]), (403, &error("server_error")));
    // Without the OAuth server it is an ordinary path of the API.
    assert_eq!(post_form(&memory, "/plain/oauth/token/", &[], own).0, 401);
}

/// Returns tokens for a code.
fn tokens_by_code(memory: &gatewright_testkit::platform::Memory, client: &str) -> Value {
    let back = "http:%2F%2Fclient.example%2Fcallback";
    let asked = format!("response_type=code&client_id={client}&redirect_uri={back}&scope=a%20b");
    let (status, approved) = approve(memory, &asked);
    assert_eq!(status, 200, "{approved}");
    let code = text(&approved, "code");
    let (status, tokens) = token(
        memory,
        client,
        &format!("grant_type=authorization_code&code={code}&redirect_uri={back}"),
    );
    assert_eq!(status, 200, "{tokens}");
    tokens
}

fn refresh(
    memory: &gatewright_testkit::platform::Memory,
    client: &str,
    token: &str,
) -> (u16, Value) {
    let body = format!("grant_type=refresh_token&refresh_token={token}");
    super::token(memory, client, &body)
}

#[test]
fn a_refresh_ends_both_previous_tokens() {
    let memory = gateway();
    client(&memory, "c");
    let first = tokens_by_code(&memory, "c");
    let (status, second) = refresh(&memory, "c", &text(&first, "refresh_token"));
    assert_eq!(status, 200, "{second}");
    assert_eq!(second["scope"], "a b");
    let unknown = (403, "Key not authorised".to_owned());
    assert_eq!(
        use_token(&memory, "/a/x", &text(&first, "access_token")),
        unknown
    );
    assert_eq!(
        use_token(&memory, "/a/x", &text(&second, "access_token")).0,
        200
    );
    let (status, again) = refresh(&memory, "c", &text(&first, "refresh_token"));
    assert_eq!((status, &again["error"]), (403, &error("invalid_grant")));
    // Another client can't use it, and its attempt doesn't use it up.
    client(&memory, "other");
    let (status, other) = refresh(&memory, "other", &text(&second, "refresh_token"));
    assert_eq!((status, &other["error"]), (403, &error("invalid_client")));
    let more = format!(
        "grant_type=refresh_token&refresh_token={}&scope=c",
        text(&second, "refresh_token")
    );
    assert_eq!(token(&memory, "c", &more).1["error"], "access_denied");
    let less = more.replace("scope=c", "scope=a");
    assert_eq!(token(&memory, "c", &less).1["scope"], "a");
}

#[test]
fn a_refresh_counts_on() {
    let memory = gateway();
    let rights = json!({ "a": { "api_id": "a", "versions": ["Default"] } });
    let few = json!({ "id": "few", "name": "few", "quota_max": 2, "quota_renewal_rate": 3600,
        "rate": 1000, "per": 60, "access_rights": rights });
    admin_ok(&memory, "POST", "policies", &few);
    reload(&memory);
    let sent = json!({ "client_id": "c", "secret": "s", "redirect_uri": BACK, "policy_id": "few",
        "api_id": "a" });
    admin_ok(&memory, "POST", "oauth/clients/create", &sent);
    let first = tokens_by_code(&memory, "c");
    assert_eq!(
        use_token(&memory, "/a/x", &text(&first, "access_token")).0,
        200
    );
    let (_, second) = refresh(&memory, "c", &text(&first, "refresh_token"));
    let second = text(&second, "access_token");
    assert_eq!(use_token(&memory, "/a/x", &second).0, 200);
    assert_eq!(
        use_token(&memory, "/a/x", &second),
        (403, "Quota exceeded".to_owned())
    );
}

#[test]
fn tokens_expire_as_announced_to_their_client() {
    let memory = gateway();
    client(&memory, "c");
    let tokens = tokens_by_code(&memory, "c");
    let issued = text(&tokens, "access_token");
    memory.wait(3599);
    assert_eq!(use_token(&memory, "/a/x", &issued).0, 200);
    memory.wait(2);
    assert_eq!(
        use_token(&memory, "/a/x", &issued),
        (403, "Key not authorised".to_owned())
    );
    // Its refresh token stays, even after the alarm has fired.
    memory.delete_expired_keys().unwrap();
    let (status, second) = refresh(&memory, "c", &text(&tokens, "refresh_token"));
    assert_eq!(status, 200, "{second}");
    memory.wait(1_209_601);
    let (status, late) = refresh(&memory, "c", &text(&second, "refresh_token"));
    assert_eq!((status, &late["error"]), (403, &error("invalid_grant")));
    // Nothing of it is left.
    memory.delete_expired_keys().unwrap();
    assert_eq!(
        super::rows(&memory, "SELECT access FROM oauth_token"),
        Vec::<String>::new()
    );
    assert_eq!(memory.next_end(), None);
}

#[test]
fn the_operator_says_how_long_tokens_last_and_what_errors_are() {
    let mut memory = gateway();
    memory.oauth.token_seconds = 60;
    memory.oauth.error_status = 400;
    client(&memory, "c");
    let (_, body) = token(&memory, "c", "grant_type=client_credentials");
    assert_eq!(body["expires_in"], 60);
    let (status, _) = token(&memory, "c", "grant_type=none");
    assert_eq!(status, 400);
}

#[test]
fn an_address_that_sends_wrong_secrets_has_to_wait() {
    let memory = gateway();
    client(&memory, "c");
    let wrong = basic("c", "wrong");
    let own = "grant_type=client_credentials";
    for _ in 0..100 {
        let (status, _) = post_form(
            &memory,
            "/a/oauth/token/",
            &[("authorization", &wrong)],
            own,
        );
        assert_eq!(status, 403);
    }
    let (status, answer) = token(&memory, "c", own);
    assert_eq!(
        (status, &answer["error"]),
        (403, &error("unauthorized_client"))
    );
    memory.wait(11);
    own_token(&memory, "c");
}

#[test]
fn a_client_without_a_policy_gets_tokens_by_rules_only() {
    let memory = gateway();
    let bare = json!({ "client_id": "bare", "secret": "s", "redirect_uri": BACK, "api_id": "a" });
    admin_ok(&memory, "POST", "oauth/clients/create", &bare);
    let (status, answer) = token(&memory, "bare", "grant_type=client_credentials");
    assert_eq!((status, &answer["error"]), (403, &error("server_error")));
    let asked = format!("response_type=token&client_id=bare&redirect_uri={BACK}");
    let (status, answer) = approve(&memory, &format!("{asked}&state=s"));
    assert_eq!((status, &answer["error"]), (403, &error("server_error")));
    let expected = "http://client.example/callback#error=server_error&error_description=The%20authorization%20server%20encountered%20an%20unexpected%20condition%20that%20prevented%20it%20from%20fulfilling%20the%20request.";
    assert_eq!(answer["redirect_to"], expected);
    let rules = r#"{"access_rights":{"a":{"api_id":"a","versions":["Default"]}},"org_id":"other"}"#;
    let (status, answer) = approve(&memory, &format!("{asked}&key_rules={rules}"));
    assert_eq!(status, 200, "{answer}");
    let issued = text(&answer, "access_token");
    assert_eq!(use_token(&memory, "/a/x", &issued).0, 200);
    assert_eq!(answer.get("refresh_token"), None);
    // Rules that are not a session grant nothing; for a client with a policy, the policy applies.
    client(&memory, "c");
    let asked = format!("response_type=token&client_id=c&redirect_uri={BACK}&key_rules=no%20json");
    assert_eq!(approve(&memory, &asked).0, 200);
}

#[test]
fn what_is_not_allowed_is_not_issued() {
    let memory = gateway();
    let only = json!({ "oauth_meta": { "allowed_access_types": ["authorization_code"],
        "allowed_authorize_types": ["code"], "auth_login_redirect": "http://login.example" } });
    admin_ok(&memory, "POST", "apis", &definition("a", &only));
    reload(&memory);
    client(&memory, "c");
    let tokens = tokens_by_code(&memory, "c");
    assert_eq!(tokens.get("refresh_token"), None);
    let (status, answer) = approve(&memory, "response_type=token&client_id=c");
    assert_eq!(
        (status, &answer["error"]),
        (403, &error("unsupported_response_type"))
    );
    assert_eq!(answer.get("redirect_to"), None);
}

#[test]
fn the_listener_in_the_definition_is_notified_of_tokens_by_their_hashes() {
    let memory = gateway();
    let told = json!({ "notifications": { "oauth_on_keychange_url": "http://listener.example/told",
        "shared_secret": "between-us" } });
    admin_ok(&memory, "POST", "apis", &definition("a", &told));
    reload(&memory);
    client(&memory, "c");
    let fetched = gatewright_controlplane::ports::Fetched {
        status: 200,
        ..Default::default()
    };
    memory
        .web
        .answer("http://listener.example/told", Ok(fetched));
    let first = tokens_by_code(&memory, "c");
    let (_, second) = refresh(&memory, "c", &text(&first, "refresh_token"));
    let sent = memory.web.take_sent();
    let bodies: Vec<Value> = sent
        .iter()
        .map(|sent| serde_json::from_str(sent.body.as_deref().unwrap()).unwrap())
        .collect();
    let hash = gatewright_protocol::oauth::token_hash;
    let access = |tokens: &Value| gatewright_protocol::token::hash(&text(tokens, "access_token"));
    let refreshed = |tokens: &Value| hash(&text(tokens, "refresh_token"));
    assert_eq!(bodies[0]["new_oauth_token"], access(&first));
    assert_eq!(bodies[0]["notification_type"], "new");
    assert_eq!(bodies[0]["auth_code"].as_str().unwrap().len(), 64);
    assert_eq!(
        bodies[1],
        json!({ "auth_code": "", "new_oauth_token": access(&second), "refresh_token": refreshed(&second),
            "old_refresh_token": refreshed(&first), "notification_type": "refresh" })
    );
    let secret = (
        "x-gateway-shared-secret".to_owned(),
        "between-us".to_owned(),
    );
    assert!(sent[0].headers.contains(&secret));
}

#[test]
fn a_user_of_basic_authentication_gets_a_token_by_the_password() {
    let memory = gateway();
    let allowed = json!({ "oauth_meta": { "allowed_access_types": ["password", "refresh_token"],
        "allowed_authorize_types": [], "auth_login_redirect": "" } });
    admin_ok(&memory, "POST", "apis", &definition("a", &allowed));
    reload(&memory);
    client(&memory, "c");
    let user = json!({ "org_id": "default", "alias": "ann", "meta_data": { "user": "ann" },
        "hmac_enabled": true, "hmac_string": "a-secret-of-ann",
        "access_rights": { "a": { "api_id": "a", "versions": ["Default"] } },
        "basic_auth_data": { "password": "a-password" } });
    admin_ok(&memory, "POST", "keys/ann", &user);
    let ask = |user: &str, password: &str| {
        let body = format!("grant_type=password&username={user}&password={password}&scope=s");
        token(&memory, "c", &body)
    };
    for (user, password, expected) in [
        ("ann", "", "invalid_grant"),
        ("", "a-password", "invalid_grant"),
        ("ann", "wrong", "access_denied"),
        ("bob", "a-password", "access_denied"),
    ] {
        let (status, body) = ask(user, password);
        assert_eq!(
            (status, &body["error"]),
            (403, &error(expected)),
            "{user} {password}"
        );
    }
    let (status, body) = ask("ann", "a-password");
    assert_eq!(status, 200, "{body}");
    assert_eq!(body["scope"], "s");
    let issued = text(&body, "access_token");
    assert_eq!(use_token(&memory, "/a/x", &issued).0, 200);
    let session = admin_ok(&memory, "GET", &format!("keys/{issued}"), &Value::Null);
    assert_eq!(session["meta_data"]["user"], "ann");
    assert_eq!(session.get("hmac_string"), None);
    let (status, again) = refresh(&memory, "c", &text(&body, "refresh_token"));
    assert_eq!(status, 200, "{again}");
    // A user whom the gateway refuses gets no token.
    let off =
        json!({ "is_inactive": true, "org_id": "default", "access_rights": user["access_rights"] });
    admin_ok(&memory, "PUT", "keys/ann", &off);
    assert_eq!(ask("ann", "a-password").1["error"], "access_denied");
}
