//! Authorization codes, and the redirect to the login page.

use super::{
    BACK, admin_ok, approve, basic, client, error, gateway, post_form, send, text, token, use_token,
};
use gatewright_testkit::platform::Memory;
use serde_json::{Value, json};

const ASKED: &str =
    "response_type=code&client_id=c&redirect_uri=http:%2F%2Fclient.example%2Fcallback";

fn code(memory: &Memory, more: &str) -> String {
    let (status, approved) = approve(memory, &format!("{ASKED}{more}"));
    assert_eq!(status, 200, "{approved}");
    text(&approved, "code")
}

fn exchange(memory: &Memory, client: &str, code: &str, more: &str) -> (u16, Value) {
    token(
        memory,
        client,
        &format!("grant_type=authorization_code&code={code}{more}"),
    )
}

#[test]
fn the_login_page_gets_the_request_unchanged() {
    let memory = gateway();
    client(&memory, "c");
    let query = format!("{ASKED}&state=a%20b&other=1");
    let answer = send(
        &memory,
        "GET",
        &format!("/a/oauth/authorize/?{query}"),
        &[],
        "",
    );
    assert_eq!(answer.status, 307);
    let location = |answer: &super::Passed| {
        let found = answer.headers.iter().find(|(name, _)| name == "location");
        found.unwrap().1.clone()
    };
    assert_eq!(
        location(&answer),
        format!("http://login.example/approve?{query}")
    );
    let headers = [("content-type", "application/x-www-form-urlencoded")];
    let answer = send(&memory, "POST", "/a/oauth/authorize", &headers, ASKED);
    assert_eq!(
        (answer.status, location(&answer).as_str()),
        (307, "http://login.example/approve")
    );
    for (query, description) in [
        (
            "response_type=code&client_id=none",
            "The authorization server encountered",
        ),
        (
            "response_type=code&client_id=c&redirect_uri=http://evil.example/",
            "The request is missing",
        ),
        (
            "response_type=code&client_id=c&redirect_uri=http://client.example/callback/more",
            "The request is missing",
        ),
        (
            "response_type=code&client_id=c&client_id=c",
            "The request is missing",
        ),
        (
            "response_type=other&client_id=c",
            "The authorization server does not support",
        ),
        (
            "response_type=code&client_id=c&code_challenge=short",
            "The request is missing",
        ),
    ] {
        let answer = send(
            &memory,
            "GET",
            &format!("/a/oauth/authorize?{query}"),
            &[],
            "",
        );
        let body: Value = serde_json::from_str(&answer.body).unwrap();
        assert_eq!(
            (answer.status, &body["status"]),
            (403, &json!("error")),
            "{query}"
        );
        assert!(
            text(&body, "message").starts_with(description),
            "{query}: {body}"
        );
    }
    assert_eq!(
        send(&memory, "PUT", "/a/oauth/authorize", &[], "").status,
        405
    );
}

#[test]
fn only_the_login_page_approves() {
    let memory = gateway();
    client(&memory, "c");
    let path = "/a/gateway/oauth/authorize-client/";
    for headers in [vec![], vec![("x-gateway-authorization", "wrong")]] {
        let (status, answer) = post_form(&memory, path, &headers, ASKED);
        let expected = "Attempted administrative access with invalid or missing key!";
        assert_eq!((status, &answer["message"]), (403, &json!(expected)));
    }
}

#[test]
fn a_code_is_answered_with_the_address_that_it_goes_to() {
    let memory = gateway();
    client(&memory, "c");
    let (_, approved) = approve(&memory, &format!("{ASKED}&state=x%20y"));
    let code = text(&approved, "code");
    assert_eq!(approved["state"], "x y");
    assert_eq!(
        approved["redirect_to"],
        format!("{BACK}?code={code}&state=x+y")
    );
    let (_, bare) = approve(&memory, "response_type=code&client_id=c");
    let code = text(&bare, "code");
    assert_eq!(
        bare,
        json!({ "code": code, "redirect_to": format!("{BACK}?code={code}") })
    );
}

#[test]
fn the_login_page_is_told_where_an_error_goes_once_client_and_response_type_are_accepted() {
    let memory = gateway();
    client(&memory, "c");
    let back = |error: &str, state: &str| {
        let description = "The+request+is+missing+a+required+parameter%2C+includes+an+invalid+parameter+value%2C+includes+a+parameter+more+than+once%2C+or+is+otherwise+malformed.";
        json!(format!(
            "{BACK}?error={error}&error_description={description}{state}"
        ))
    };
    for (asked, expected, state, to) in [
        ("", "unsupported_response_type", Value::Null, Value::Null),
        (
            "response_type=other&client_id=none&state=s",
            "unsupported_response_type",
            Value::Null,
            Value::Null,
        ),
        (
            "response_type=code&client_id=none&state=s",
            "server_error",
            json!("s"),
            Value::Null,
        ),
        (
            "response_type=code&client_id=c&redirect_uri=http://evil.example/",
            "invalid_request",
            Value::Null,
            back("invalid_request", ""),
        ),
        (
            "response_type=token&client_id=c&redirect_uri=http://evil.example/&state=s",
            "invalid_request",
            json!("s"),
            back("invalid_request", "&state=s"),
        ),
    ] {
        let (status, answer) = approve(&memory, asked);
        assert_eq!(
            (status, &answer["error"]),
            (403, &error(expected)),
            "{asked}"
        );
        assert_eq!(
            (&answer["state"], &answer["redirect_to"]),
            (&state, &to),
            "{asked}"
        );
    }
}

#[test]
fn a_failed_exchange_does_not_use_up_a_code_and_a_right_one_does() {
    let memory = gateway();
    client(&memory, "c");
    client(&memory, "other");
    let code = code(&memory, "");
    let other = format!("&redirect_uri={BACK}/other");
    for (client, more, expected) in [
        ("other", "", "invalid_grant"),
        ("c", other.as_str(), "invalid_request"),
    ] {
        let (status, answer) = exchange(&memory, client, &code, more);
        assert_eq!(
            (status, &answer["error"]),
            (403, &error(expected)),
            "{client} {more}"
        );
    }
    let wrong = basic("c", "wrong");
    let body = format!("grant_type=authorization_code&code={code}");
    let (status, answer) = post_form(
        &memory,
        "/a/oauth/token/",
        &[("authorization", &wrong)],
        &body,
    );
    assert_eq!(
        (status, &answer["error"]),
        (403, &error("unauthorized_client"))
    );
    // The redirect URI may be omitted.
    let (status, tokens) = exchange(&memory, "c", &code, "");
    assert_eq!(status, 200, "{tokens}");
    assert_eq!(
        use_token(&memory, "/a/x", &text(&tokens, "access_token")).0,
        200
    );
    let (status, answer) = exchange(&memory, "c", &code, "");
    assert_eq!((status, &answer["error"]), (403, &error("invalid_grant")));
}

#[test]
fn a_code_that_comes_again_ends_what_was_issued_for_it() {
    let memory = gateway();
    client(&memory, "c");
    client(&memory, "other");
    let refresh = |token: &str| {
        let body = format!("grant_type=refresh_token&refresh_token={token}");
        self::token(&memory, "c", &body)
    };
    for refreshes in 0..3 {
        let (code, bystander) = (code(&memory, ""), code(&memory, ""));
        let (status, kept) = exchange(&memory, "c", &bystander, "");
        assert_eq!(status, 200, "{kept}");
        let (_, mut tokens) = exchange(&memory, "c", &code, "");
        for _ in 0..refreshes {
            let (status, next) = refresh(&text(&tokens, "refresh_token"));
            assert_eq!(status, 200, "{next}");
            tokens = next;
        }
        let access = text(&tokens, "access_token");
        // Another client can't end anything with it.
        assert_eq!(exchange(&memory, "other", &code, "").0, 403);
        assert_eq!(use_token(&memory, "/a/x", &access).0, 200);
        for _ in 0..2 {
            let (status, answer) = exchange(&memory, "c", &code, "&redirect_uri=http://x.example");
            assert_eq!((status, &answer["error"]), (403, &error("invalid_grant")));
            assert_eq!(use_token(&memory, "/a/x", &access).0, 403);
            let (status, answer) = refresh(&text(&tokens, "refresh_token"));
            assert_eq!((status, &answer["error"]), (403, &error("invalid_grant")));
        }
        assert_eq!(
            use_token(&memory, "/a/x", &text(&kept, "access_token")).0,
            200
        );
    }
}

#[test]
fn a_code_ends_by_itself_and_with_its_client() {
    let memory = gateway();
    client(&memory, "c");
    let late = code(&memory, "");
    memory.wait(251);
    assert_eq!(
        exchange(&memory, "c", &late, "").1["error"],
        "invalid_grant"
    );
    let orphan = code(&memory, "");
    admin_ok(&memory, "DELETE", "oauth/clients/a/c", &Value::Null);
    client(&memory, "c");
    assert_eq!(
        exchange(&memory, "c", &orphan, "").1["error"],
        "invalid_grant"
    );
    memory.wait(251);
    memory.delete_expired_keys().unwrap();
    assert_eq!(
        super::rows(&memory, "SELECT code FROM oauth_code"),
        Vec::<String>::new()
    );
}

#[test]
fn a_challenge_is_met_by_its_verifier_alone() {
    let memory = gateway();
    client(&memory, "c");
    let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    // RFC 7636, appendix B.
    let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
    let hashed = format!("&code_challenge={challenge}&code_challenge_method=S256");
    let plain = format!("&code_challenge={verifier}");
    for sent in [&hashed, &plain] {
        let code = code(&memory, sent);
        for wrong in [
            String::new(),
            format!("&code_verifier={}", "x".repeat(43)),
            format!("&code_verifier={challenge}x"),
        ] {
            let (status, answer) = exchange(&memory, "c", &code, &wrong);
            assert_eq!(
                (status, &answer["error"]),
                (403, &error("invalid_grant")),
                "{sent} {wrong}"
            );
        }
        let right = format!("&code_verifier={verifier}");
        assert_eq!(exchange(&memory, "c", &code, &right).0, 200, "{sent}");
    }
    // A verifier without a challenge belongs to somebody else's code (RFC 9700 section 2.1.1).
    let code = code(&memory, "");
    let (status, _) = exchange(&memory, "c", &code, &format!("&code_verifier={verifier}"));
    assert_eq!(status, 403);
    for wrong in [
        "&code_challenge_method=other",
        "&code_challenge_method=s256",
    ] {
        let (status, answer) = approve(
            &memory,
            &format!("{ASKED}&code_challenge={challenge}{wrong}"),
        );
        assert_eq!(
            (status, &answer["error"]),
            (403, &error("invalid_request")),
            "{wrong}"
        );
    }
}

#[test]
fn clients_find_out_where_everything_is() {
    let memory = gateway();
    let answer = send(
        &memory,
        "GET",
        "/a/.well-known/oauth-authorization-server",
        &[],
        "",
    );
    let found: Value = serde_json::from_str(&answer.body).unwrap();
    assert_eq!(
        found,
        json!({
            "issuer": "http://gateway.example/a",
            "authorization_endpoint": "http://gateway.example/a/oauth/authorize",
            "token_endpoint": "http://gateway.example/a/oauth/token",
            "revocation_endpoint": "http://gateway.example/a/oauth/revoke",
            "response_types_supported": ["code", "token"],
            "grant_types_supported": ["authorization_code", "refresh_token", "client_credentials", "implicit"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic"],
            "revocation_endpoint_auth_methods_supported": ["none"],
            "code_challenge_methods_supported": ["S256", "plain"],
        })
    );
}
