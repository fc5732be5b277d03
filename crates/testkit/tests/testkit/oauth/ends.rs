//! Listing, revoking and removing tokens.

use super::{
    admin_ok, approve, client, gateway, own_token, post_form, refused, send, text, token, use_token,
};
use gatewright_testkit::platform::Memory;
use serde_json::{Value, json};

const UNKNOWN: &str = "Key not authorised";

/// Returns an access token and its refresh token.
fn token_pair(memory: &Memory, client: &str) -> (String, String) {
    let (_, approved) = approve(memory, &format!("response_type=code&client_id={client}"));
    let code = text(&approved, "code");
    let (status, tokens) = token(
        memory,
        client,
        &format!("grant_type=authorization_code&code={code}"),
    );
    assert_eq!(status, 200, "{tokens}");
    (
        text(&tokens, "access_token"),
        text(&tokens, "refresh_token"),
    )
}

fn can_refresh(memory: &Memory, client: &str, refresh: &str) -> bool {
    let body = format!("grant_type=refresh_token&refresh_token={refresh}");
    token(memory, client, &body).0 == 200
}

#[test]
fn a_token_is_revoked_at_once_and_its_refresh_token_by_itself() {
    let memory = gateway();
    client(&memory, "c");
    let revoked = json!({ "status": "ok", "message": "token revoked successfully" });
    let (access, refresh) = token_pair(&memory, "c");
    assert_eq!(use_token(&memory, "/a/x", &access).0, 200);
    let body = json!(format!("token={access}&client_id=c&org_id=default"));
    assert_eq!(admin_ok(&memory, "POST", "oauth/revoke", &body), revoked);
    assert_eq!(
        use_token(&memory, "/a/x", &access),
        (403, UNKNOWN.to_owned())
    );
    assert!(can_refresh(&memory, "c", &refresh));
    // Both kinds are looked up whatever the hint says, and without one too.
    for hint in [
        "",
        "&token_type_hint=access_token",
        "&token_type_hint=refresh_token",
    ] {
        let (access, refresh) = token_pair(&memory, "c");
        let body = json!(format!("token={refresh}&client_id=c{hint}"));
        assert_eq!(admin_ok(&memory, "POST", "oauth/revoke", &body), revoked);
        assert!(!can_refresh(&memory, "c", &refresh), "{hint}");
        assert_eq!(use_token(&memory, "/a/x", &access).0, 200, "{hint}");
        let body = json!(format!("token={access}&client_id=c{hint}"));
        assert_eq!(admin_ok(&memory, "POST", "oauth/revoke", &body), revoked);
        assert_eq!(
            use_token(&memory, "/a/x", &access),
            (403, UNKNOWN.to_owned()),
            "{hint}"
        );
        // Revoking an unknown token succeeds.
        assert_eq!(admin_ok(&memory, "POST", "oauth/revoke", &body), revoked);
    }
}

#[test]
fn nobody_revokes_by_another_client_or_organisation() {
    let memory = gateway();
    client(&memory, "c");
    client(&memory, "other");
    let access = own_token(&memory, "c");
    let body = json!(format!("token={access}&client_id=other"));
    admin_ok(&memory, "POST", "oauth/revoke", &body);
    assert_eq!(use_token(&memory, "/a/x", &access).0, 200);
    for (body, expected) in [
        (
            json!({ "token": "x", "client_id": "c" }),
            "token is required",
        ),
        (json!("client_id=c"), "token is required"),
        (json!("token=%zz"), "cannot parse form. Form malformed"),
        (json!("token=x"), "client_id is required"),
        (
            json!("token=x&client_id=nobody"),
            "oauth client doesn't exist",
        ),
        (
            json!("token=x&client_id=c&org_id=other"),
            "oauth client doesn't exist",
        ),
    ] {
        let (status, message) = refused(&memory, "POST", "oauth/revoke", &body);
        assert_eq!((status, message.as_str()), (400, expected), "{body}");
    }
}

#[test]
fn who_has_a_token_may_end_it_below_the_listen_path() {
    let memory = gateway();
    client(&memory, "c");
    let (access, refresh) = token_pair(&memory, "c");
    let (status, answer) = post_form(&memory, "/b/oauth/revoke", &[], &format!("token={access}"));
    assert_eq!(
        (status, &answer["message"]),
        (200, &json!("token revoked successfully"))
    );
    assert_eq!(
        use_token(&memory, "/a/x", &access).0,
        200,
        "it is not one of b"
    );
    post_form(&memory, "/a/oauth/revoke", &[], &format!("token={access}"));
    assert_eq!(
        use_token(&memory, "/a/x", &access),
        (403, UNKNOWN.to_owned())
    );
    post_form(
        &memory,
        "/a/oauth/revoke/",
        &[],
        &format!("token={refresh}"),
    );
    assert!(!can_refresh(&memory, "c", &refresh));
    let (status, answer) = post_form(&memory, "/a/oauth/revoke", &[], "");
    assert_eq!(
        (status, &answer["message"]),
        (400, &json!("token is required"))
    );
    let answer = send(&memory, "GET", "/a/oauth/revoke?token=x", &[], "");
    assert!(answer.body.contains("token is required"), "{}", answer.body);
    for path in ["/a/oauth/revoke", "/a/oauth/revoke_all"] {
        let (status, answer) = post_form(&memory, path, &[], "client_id=%");
        let message = json!("error parsing form. Form malformed");
        assert_eq!((status, &answer["message"]), (400, &message), "{path}");
    }
}

#[test]
fn a_client_ends_all_of_its_tokens_by_its_secret() {
    let memory = gateway();
    client(&memory, "c");
    client(&memory, "other");
    let path = "oauth/revoke_all";
    for (body, expected) in [
        (json!(""), (401, "client_id is required")),
        (json!("client_id=c"), (401, "client_secret is required")),
        (
            json!("client_id=c&client_secret=x"),
            (401, "client secret is wrong"),
        ),
        (
            json!("client_id=none&client_secret=x"),
            (404, "oauth client doesn't exist"),
        ),
    ] {
        let (status, message) = refused(&memory, "POST", path, &body);
        assert_eq!((status, message.as_str()), expected, "{body}");
        let expected = match expected.0 {
            404 => (404, "error getting oauth client"),
            _ => expected,
        };
        let (status, answer) =
            post_form(&memory, "/a/oauth/revoke_all", &[], body.as_str().unwrap());
        assert_eq!(
            (status, answer["message"].as_str().unwrap()),
            expected,
            "{body}"
        );
    }
    for below in [false, true] {
        let mine = [token_pair(&memory, "c"), token_pair(&memory, "c")];
        let others = own_token(&memory, "other");
        let body = "client_id=c&client_secret=s&org_id=default";
        let answer = match below {
            true => post_form(&memory, "/a/oauth/revoke_all", &[], body).1,
            false => admin_ok(&memory, "POST", path, &json!(body)),
        };
        assert_eq!(answer["message"], "tokens revoked successfully");
        for (access, refresh) in mine {
            assert_eq!(
                use_token(&memory, "/a/x", &access),
                (403, UNKNOWN.to_owned())
            );
            assert!(!can_refresh(&memory, "c", &refresh));
        }
        assert_eq!(use_token(&memory, "/a/x", &others).0, 200);
    }
}

#[test]
fn tokens_are_listed_by_their_hashes() {
    let memory = gateway();
    client(&memory, "c");
    let path = "oauth/clients/a/c/tokens";
    let list = |path: &str| admin_ok(&memory, "GET", path, &Value::Null);
    assert_eq!(list(path), json!([]));
    assert_eq!(list("oauth/clients/a/none/tokens"), json!([]));
    let page = |number: u32, total: u32, tokens: &Value| {
        json!({ "Pagination": { "page_num": number, "page_total": total, "page_size": 100 },
            "Tokens": tokens })
    };
    assert_eq!(
        list("oauth/clients/a/none/tokens?page=2"),
        page(2, 0, &json!([]))
    );
    let first = own_token(&memory, "c");
    memory.wait(1);
    let second = own_token(&memory, "c");
    let hash = gatewright_protocol::token::hash;
    let now = memory.now_ms() / 1000;
    let tokens = json!([
        { "code": hash(&first), "expires": now + 3599 },
        { "code": hash(&second), "expires": now + 3600 },
    ]);
    assert_eq!(list(path), tokens);
    assert_eq!(list(&format!("{path}?page=1")), page(1, 1, &tokens));
    assert_eq!(list(&format!("{path}?page=zero")), page(1, 1, &tokens));
    assert_eq!(list(&format!("{path}?page=2")), page(2, 1, &json!([])));
    // A token is a key: it can be read and deleted as one.
    let key = admin_ok(&memory, "GET", &format!("keys/{first}"), &Value::Null);
    assert_eq!(key["oauth_client_id"], "c");
    admin_ok(
        &memory,
        "DELETE",
        &format!("keys/{}?hashed=1", hash(&first)),
        &Value::Null,
    );
    assert_eq!(
        use_token(&memory, "/a/x", &first),
        (403, UNKNOWN.to_owned())
    );
    assert_eq!(list(path), json!([tokens[1]]));
}

#[test]
fn more_tokens_than_a_page_end_with_their_client() {
    let memory = gateway();
    client(&memory, "c");
    let tokens: Vec<String> = (0..103).map(|_| own_token(&memory, "c")).collect();
    let page = admin_ok(
        &memory,
        "GET",
        "oauth/clients/a/c/tokens?page=2",
        &Value::Null,
    );
    assert_eq!(page["Pagination"]["page_total"], 2);
    assert_eq!(page["Tokens"].as_array().unwrap().len(), 3);
    admin_ok(&memory, "DELETE", "oauth/clients/a/c", &Value::Null);
    for token in tokens {
        assert_eq!(use_token(&memory, "/a/x", &token).0, 403);
    }
}

#[test]
fn refresh_tokens_are_ended_and_lapsed_ones_forgotten() {
    let memory = gateway();
    client(&memory, "c");
    let (access, refresh) = token_pair(&memory, "c");
    let path = format!("oauth/refresh/{refresh}");
    for (path, expected) in [
        (
            "oauth/refresh/x".to_owned(),
            (400, "Missing parameter api_id"),
        ),
        (
            "oauth/refresh/x?api_id=none".to_owned(),
            (404, "API for this refresh token not found"),
        ),
        (
            "oauth/refresh/x?api_id=plain".to_owned(),
            (400, "OAuth is not enabled on this API"),
        ),
    ] {
        let (status, message) = refused(&memory, "DELETE", &path, &Value::Null);
        assert_eq!((status, message.as_str()), expected);
    }
    // There is none at this API.
    admin_ok(&memory, "DELETE", &format!("{path}?api_id=b"), &Value::Null);
    let ended = admin_ok(&memory, "DELETE", &format!("{path}?api_id=a"), &Value::Null);
    assert_eq!(
        ended,
        json!({ "key": refresh, "status": "ok", "action": "deleted" })
    );
    assert!(!can_refresh(&memory, "c", &refresh));
    assert_eq!(use_token(&memory, "/a/x", &access).0, 200);
    for (path, expected) in [
        ("oauth/tokens", (422, "scope parameter is required")),
        ("oauth/tokens/?scope=all", (400, "unknown scope")),
        ("oauth/tokens?scope=", (400, "unknown scope")),
    ] {
        let (status, message) = refused(&memory, "DELETE", path, &Value::Null);
        assert_eq!((status, message.as_str()), expected);
    }
    memory.wait(3601);
    let purged = admin_ok(&memory, "DELETE", "oauth/tokens?scope=lapsed", &Value::Null);
    assert_eq!(
        purged,
        json!({ "status": "ok", "message": "lapsed tokens purged" })
    );
    assert_eq!(
        super::rows(&memory, "SELECT access FROM oauth_token"),
        Vec::<String>::new()
    );
}

#[test]
fn no_token_is_stored_as_it_is() {
    let memory = gateway();
    client(&memory, "c");
    let (_, approved) = approve(&memory, "response_type=code&client_id=c");
    let code = text(&approved, "code");
    let (access, refresh) = token_pair(&memory, "c");
    for table in [
        "oauth_token",
        "oauth_code",
        "session",
        "session_text",
        "audit",
        "notice",
        "delivery",
    ] {
        for row in super::rows(&memory, &format!("SELECT * FROM {table}")) {
            for secret in [&code, &access, &refresh] {
                assert!(!row.contains(secret.as_str()), "{table}: {row}");
            }
        }
    }
}

#[test]
fn the_trail_says_who_made_and_removed_a_client() {
    let memory = gateway();
    client(&memory, "c");
    admin_ok(&memory, "DELETE", "oauth/clients/a/c", &Value::Null);
    let rows = super::rows(&memory, "SELECT * FROM audit");
    let is_recorded = |action: &str| {
        rows.iter()
            .any(|row| row.contains("oauth_client") && row.contains(action))
    };
    assert!(is_recorded("added") && is_recorded("deleted"), "{rows:?}");
}
