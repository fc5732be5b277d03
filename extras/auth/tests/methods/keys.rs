//! Which key verifies a token, and which never does.

use super::{
    HS, ID, NOT_AUTHORIZED, SET, ask_jwt, facts, prove, refused, says, set, shared, token,
};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use gatewright_model::json::quote;

/// Case A17 of known attacks: the token must not choose how it is verified.
#[test]
fn token_cannot_choose_its_algorithm() {
    let unexpected = (403, "Key not authorized: Unexpected signing method");
    let rsa = r#"{"api_id":"a","jwt_signing_method":"rsa","jwt_source":"http://idp/keys"}"#;
    for (settings, header) in [
        (shared(""), r#"{"alg":"none"}"#),
        (rsa.to_owned(), r#"{"alg":"none"}"#),
        (rsa.to_owned(), r#"{"alg":"HS256","kid":"r1"}"#),
        (rsa.to_owned(), r#"{"alg":"ES256","kid":"e1"}"#),
        (shared(""), r#"{"alg":"RS256"}"#),
        (
            shared(",\"jwt_signing_method\":\"RSA\""),
            r#"{"alg":"RS256"}"#,
        ),
        (
            shared(",\"jwt_signing_method\":\"eddsa\""),
            r#"{"alg":"EdDSA"}"#,
        ),
    ] {
        refused(&ask_jwt(&settings, header, "{}", &[]), unexpected);
    }
    for header in [
        r#"{"alg":"NONE"}"#,
        r#"{"alg":""}"#,
        "{}",
        r#"{"alg":"hs256"}"#,
    ] {
        refused(&ask_jwt(&shared(""), header, "{}", &[]), NOT_AUTHORIZED);
    }
    // A key in the token itself, or the address of one, is ignored.
    let brought = r#"{"alg":"RS256","kid":"r9","jku":"http://evil/keys","x5u":"http://evil/crt","jwk":{"kty":"RSA","n":"AQAB","e":"AQAB"}}"#;
    let wish = ask_jwt(rsa, brought, "{}", &[]);
    assert_eq!(says(&wish, "/fetch/url"), "\"http://idp/keys\"");
    let again = ask_jwt(rsa, brought, "{}", &[&set(SET)]);
    assert_eq!(says(&again, "/fetch/url"), "\"http://idp/keys\"");
    refused(
        &ask_jwt(rsa, brought, "{}", &[&set(SET), &set(SET)]),
        NOT_AUTHORIZED,
    );
    // The id of a key is a name and nothing else.
    for kid in ["../../keys/r1", "r1\\u0000", "r1'--", "R1"] {
        let header = format!("{{\"alg\":\"RS256\",\"kid\":\"{kid}\"}}");
        refused(
            &ask_jwt(rsa, &header, "{}", &[&set(SET), &set(SET)]),
            NOT_AUTHORIZED,
        );
    }
    // Without an id where there are many keys, nothing is fetched.
    refused(
        &ask_jwt(rsa, r#"{"alg":"RS256"}"#, "{}", &[]),
        NOT_AUTHORIZED,
    );
}

#[test]
fn a_public_key_is_no_secret() {
    let pem = "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAErZzXa9h79Ol+CdmhTXpWFVW+bpJ/\n90BWnUwZRao/Zu2um8DHAlw6ld712gTscfqM/Nnlh2GuRnBcYdQsShG+xw==\n-----END PUBLIC KEY-----\n";
    let der = BASE64_STANDARD.encode(pem.lines().nth(1).unwrap());
    let of = |method: &str, source: &str| {
        format!(
            "{{\"api_id\":\"a\",\"jwt_signing_method\":\"{method}\",\"jwt_source\":\"{source}\"}}"
        )
    };
    let source = BASE64_STANDARD.encode(pem);
    refused(
        &ask_jwt(&of("hmac", &source), HS, "{}", &[]),
        NOT_AUTHORIZED,
    );
    let bare: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
    refused(&ask_jwt(&of("hmac", &bare), HS, "{}", &[]), NOT_AUTHORIZED);
    // It works with its own algorithm, in PEM and in DER; with another curve or type it doesn't.
    for source in [source.as_str(), bare.as_str()] {
        let wish = ask_jwt(&of("ecdsa", source), r#"{"alg":"ES256"}"#, "{}", &[]);
        assert_eq!(says(&wish, "/verify/key"), quote(&bare));
        assert_eq!(says(&wish, "/verify/format"), "\"spki\"");
        refused(
            &ask_jwt(&of("ecdsa", source), r#"{"alg":"ES384"}"#, "{}", &[]),
            NOT_AUTHORIZED,
        );
        refused(
            &ask_jwt(&of("rsa", source), r#"{"alg":"RS256"}"#, "{}", &[]),
            NOT_AUTHORIZED,
        );
    }
    for source in ["%%%", "c2VjcmV0", der.as_str()] {
        refused(
            &ask_jwt(&of("rsa", source), r#"{"alg":"RS256"}"#, "{}", &[]),
            NOT_AUTHORIZED,
        );
    }
}

#[test]
fn set_keys_are_selected_by_id_type_and_use() {
    let of = |method: &str| {
        format!(
            "{{\"api_id\":\"a\",\"jwt_signing_method\":\"{method}\",\"jwt_source\":\"http://idp/keys\"}}"
        )
    };
    let verify = |method: &str, header: &str| ask_jwt(&of(method), header, "{}", &[&set(SET)]);
    // A key of an unknown type is skipped.
    let wish = verify("rsa", r#"{"alg":"RS256","kid":"r1"}"#);
    assert_eq!(
        says(&wish, "/verify/key"),
        r#"{"kty":"RSA","n":"0vx7","e":"AQAB"}"#
    );
    let wish = verify("ecdsa", r#"{"alg":"ES256","kid":"e1"}"#);
    assert_eq!(
        says(&wish, "/verify/import"),
        r#"{"name":"ECDSA","namedCurve":"P-256"}"#
    );
    let wish = verify("hmac", r#"{"alg":"HS256","kid":"o1"}"#);
    assert_eq!(says(&wish, "/verify/key"), "\"c2VjcmV0\"");
    // Not for this algorithm, curve or use: the set is fetched once more, in case it has another one by now.
    for (method, header) in [
        ("rsa", r#"{"alg":"PS256","kid":"r1"}"#),
        ("ecdsa", r#"{"alg":"ES384","kid":"e1"}"#),
        ("ecdsa", r#"{"alg":"ES256","kid":"enc"}"#),
        ("rsa", r#"{"alg":"RS256","kid":"e1"}"#),
        ("hmac", r#"{"alg":"HS256","kid":"r1"}"#),
    ] {
        let again = verify(method, header);
        assert_eq!(says(&again, "/fetch/seconds"), "10", "{header}");
        let ended = ask_jwt(&of(method), header, "{}", &[&set(SET), &set(SET)]);
        refused(&ended, NOT_AUTHORIZED);
    }
}

#[test]
fn a_set_may_have_an_rsa_key_in_pem_only() {
    let pem = "-----BEGIN PUBLIC KEY-----\nMFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAJ+WBFPl0m/Kw1X3reQNPJ8lKhpvR5vG\nTThm/PXFBXzHBXV0kKvukQhSytgMPy+ke/cHsQf+FCjG0qHI1Elc3DMCAwEAAQ==\n-----END PUBLIC KEY-----\n";
    let bare: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
    let settings =
        r#"{"api_id":"a","jwt_signing_method":"rsa","jwt_source":"http://idp/keys"}"#.to_owned();
    let header = r#"{"alg":"RS256","kid":"c1"}"#;
    let with = |kty: &str, x5c: &str| {
        set(&format!(
            "{{\"keys\":[{{\"kid\":\"c1\",\"kty\":\"{kty}\",\"x5c\":[\"{x5c}\"]}}]}}"
        ))
    };
    let wish = ask_jwt(
        &settings,
        header,
        "{}",
        &[&with("RSA", &BASE64_STANDARD.encode(pem))],
    );
    assert_eq!(says(&wish, "/verify/key"), quote(&bare));
    assert_eq!(says(&wish, "/verify/format"), "\"spki\"");
    // As in the family, not in DER, which is what RFC 7517 has there beside the key itself.
    for unusable in [
        with("RSA", &bare),
        with("EC", &BASE64_STANDARD.encode(pem)),
        with("RSA", ""),
    ] {
        let ended = ask_jwt(&settings, header, "{}", &[&unusable, &unusable]);
        refused(&ended, NOT_AUTHORIZED);
    }
}

#[test]
fn sets_are_tried_in_order_skipping_failures() {
    let settings = r#"{"api_id":"a","jwt_signing_method":"rsa","jwt_source":"ignored",
        "jwt_jwks_uris":[{"url":"http://one/"},{"url":"http://two/","cache_timeout":"10m"}]}"#;
    let header = r#"{"alg":"RS256","kid":"r1"}"#;
    let ask = |answers: &[&str]| ask_jwt(settings, header, "{}", answers);
    let first = ask(&[]);
    assert_eq!(says(&first, "/fetch/url"), "\"http://one/\"");
    assert_eq!(says(&first, "/fetch/seconds"), "240");
    assert_eq!(says(&first, "/fetch/of"), "\"a\"");
    let failed = r#"{"status":500,"body":"{\"keys\":[]}"}"#;
    let second = ask(&[failed]);
    assert_eq!(says(&second, "/fetch/url"), "\"http://two/\"");
    assert_eq!(says(&second, "/fetch/seconds"), "600");
    assert!(ask(&[failed, &set(SET)]).starts_with("{\"verify\""));
    // A set that can't be parsed is fetched once more immediately, and then no more.
    let broken = set("sorry");
    assert_eq!(says(&ask(&[&broken]), "/fetch/seconds"), "0");
    assert_eq!(
        says(&ask(&[&broken, &broken]), "/fetch/url"),
        "\"http://two/\""
    );
    refused(&ask(&[&broken, &broken, failed]), NOT_AUTHORIZED);
    let unreachable = r#"{"status":0,"body":""}"#;
    refused(&ask(&[unreachable, unreachable]), NOT_AUTHORIZED);
}

#[test]
fn a_set_given_before_it_is_wished_for_saves_only_the_wish() {
    let two = r#"{"api_id":"a","jwt_signing_method":"ecdsa","jwt_jwks_uris":[{"url":"http://one/"},{"url":"http://two/"}]}"#;
    let ask = |header: &str, answers: &[&str]| ask_jwt(two, header, r#"{"sub":"u"}"#, answers);
    let wish = ask(ID, &[]);
    let to = says(&wish, "/fetch");
    let (good, none) = (set(SET), set(r#"{"keys":[]}"#));
    let ahead = |to: &str| good.replacen('{', &format!("{{\"to\":{to},"), 1);
    // The other set is still wished for, and so is this one anew for an unknown id.
    for header in [ID, r#"{"alg":"ES256","kid":"e2"}"#] {
        for others in [
            &[][..],
            &[&*none],
            &[&*none, &*good],
            &[&*none, &*good, "true"],
        ] {
            let asked = [&[&*good], others].concat();
            let given = ahead(&to);
            let given = [&[&*given], others].concat();
            assert_eq!(
                ask(header, &given),
                ask(header, &asked),
                "{header} {others:?}"
            );
        }
    }
    // That of another API, address or time is not used.
    for (from, other) in [
        ("\"a\"", "\"b\""),
        ("one", "uno"),
        ("240", "241"),
        (":0}", ":1}"),
    ] {
        let other = to.replace(from, other);
        assert_ne!(other, to);
        assert_eq!(ask(ID, &[&ahead(&other)]), wish);
    }
}

#[test]
fn fetched_sets_are_invalidated_by_number() {
    let settings = |api: &str| {
        format!(
            "{{\"api_id\":\"{api}\",\"jwt_signing_method\":\"ecdsa\",\"jwt_source\":\"https://own/keys\"}}"
        )
    };
    let since = |api: &str, trust: &str| {
        let facts = facts(Some(&token(ID, "{}")), trust);
        says(&prove("jwt", &settings(api), &facts, &[]), "/fetch/since")
    };
    assert_eq!(since("a", ""), "0");
    let forgotten = ",\"trust\":{\"forgotten\":{\"*\":4,\"b\":9},\"providers\":[]}";
    assert_eq!(
        (since("a", forgotten), since("b", forgotten)),
        ("4".to_owned(), "9".to_owned())
    );
}
