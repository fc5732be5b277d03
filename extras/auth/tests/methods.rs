//! The methods from their outside: what is wished for, in which order, and what is reported (reference 3.9, 3.10).

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use gatewright_extra_auth::call;
use gatewright_model::json::{Value, parse, quote};

const NOW: i64 = 1_700_000_000;
/// `jwk` of RFC 7517 appendix A.1, the first half, and one that nobody knows the type of.
const SET: &str = r#"{"keys":[{"kty":"XYZ","kid":"r1"},
    {"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM","use":"enc","kid":"enc"},
    {"kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4","y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM","use":"sig","kid":"e1"},
    {"kty":"RSA","n":"0vx7","e":"AQAB","alg":"RS256","kid":"r1"},
    {"kty":"oct","k":"c2VjcmV0","kid":"o1"}]}"#;

fn token(header: &str, claims: &str) -> String {
    let encode = |text: &str| BASE64_URL_SAFE_NO_PAD.encode(text);
    format!(
        "{}.{}.{}",
        encode(header),
        encode(claims),
        encode("signature")
    )
}

fn facts(credential: Option<&str>, more: &str) -> String {
    let credential = credential.map_or_else(|| "null".to_owned(), quote);
    let now = NOW.checked_mul(1000).unwrap();
    format!("{{\"now\":{now},\"org\":\"acme\",\"credential\":{credential}{more}}}")
}

/// What comes of a credential, with these answers to its wishes so far.
fn prove(method: &str, settings: &str, facts: &str, answers: &[&str]) -> String {
    let answers = format!("[{}]", answers.join(","));
    call(method, settings, facts, answers.as_bytes()).remove(0)
}

fn jwt(settings: &str, header: &str, claims: &str, answers: &[&str]) -> String {
    let token = token(header, claims);
    prove("jwt", settings, &facts(Some(&token), ""), answers)
}

/// Status and message of a refusal.
fn refusal(report: &str) -> (i64, String) {
    let report = parse(report).unwrap_or_else(|_| panic!("{report}"));
    let refused = report
        .get("refused")
        .unwrap_or_else(|| panic!("{report:?}"));
    (
        refused.int("status").unwrap(),
        refused.str("message").unwrap().to_owned(),
    )
}

fn says(report: &str, name: &str) -> String {
    let value = parse(report).unwrap_or_else(|_| panic!("{report}"));
    let found = value
        .pointer(name)
        .unwrap_or_else(|| panic!("{name}: {report}"));
    found.span.of(report).to_owned()
}

/// A definition with a shared secret.
fn shared(more: &str) -> String {
    let source = quote(&BASE64_STANDARD.encode("secret"));
    format!("{{\"api_id\":\"a\",\"jwt_source\":{source},\"jwt_default_policies\":[\"p\"]{more}}}")
}

fn set(text: &str) -> String {
    format!("{{\"status\":200,\"body\":{}}}", quote(text))
}

const HS: &str = r#"{"alg":"HS256"}"#;
const NOT_AUTHORIZED: (i64, &str) = (403, "Key not authorized");

fn refused(report: &str, (status, message): (i64, &str)) {
    assert_eq!(refusal(report), (status, message.to_owned()), "{report}");
}

#[test]
fn a_signature_is_wished_to_be_checked_and_decides() {
    let claims = r#"{"sub":"anna","exp":1700000100,"n":1.50}"#;
    let wish = jwt(&shared(""), HS, claims, &[]);
    assert_eq!(
        says(&wish, "/verify/key"),
        quote(&BASE64_STANDARD.encode("secret"))
    );
    assert_eq!(
        says(&wish, "/verify/import"),
        r#"{"name":"HMAC","hash":"SHA-256"}"#
    );
    refused(&jwt(&shared(""), HS, claims, &["false"]), NOT_AUTHORIZED);
    let good = jwt(&shared(""), HS, claims, &["true"]);
    assert_eq!(
        says(&good, "/session"),
        r#"{"alias":"anna","expires":1700000100}"#
    );
    assert_eq!(says(&good, "/policies"), r#"["p"]"#);
    // md5 -s anna
    assert_eq!(
        says(&good, "/token"),
        r#""acmea70f9e38ff015afaa9ab0aacabee2e13""#
    );
    assert_eq!(says(&good, "/until"), "1700000060000");
    assert_eq!(says(&good, "/claims/n"), r#""1.50""#);
    assert_eq!(says(&good, "/claims/alg"), r#""HS256""#);
    // Never beyond its own end.
    let soon = jwt(
        &shared(""),
        HS,
        r#"{"sub":"anna","exp":1700000010}"#,
        &["true"],
    );
    assert_eq!(says(&soon, "/until"), "1700000010000");
}

#[test]
fn what_is_no_token_is_refused_without_a_wish() {
    for sent in ["", "Bearer", "a.b.c", "Bearer bearer a.b.c", "no-token"] {
        let report = prove("jwt", &shared(""), &facts(Some(sent), ""), &[]);
        refused(&report, NOT_AUTHORIZED);
    }
    refused(
        &prove("jwt", &shared(""), &facts(None, ""), &[]),
        (400, "Authorization field missing"),
    );
    // The first of several, with and without the word before it.
    let good = token(HS, r#"{"sub":"anna"}"#);
    for sent in [
        good.clone(),
        format!("bEARER {good}"),
        format!("Bearer {good}, Bearer bad"),
    ] {
        let wish = prove("jwt", &shared(""), &facts(Some(&sent), ""), &[]);
        assert!(wish.starts_with("{\"verify\""), "{wish}");
    }
}

/// Case A17 of known attacks: the token does not choose how it is checked.
#[test]
fn a_token_does_not_choose_how_it_is_checked() {
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
        refused(&jwt(&settings, header, "{}", &[]), unexpected);
    }
    for header in [
        r#"{"alg":"NONE"}"#,
        r#"{"alg":""}"#,
        "{}",
        r#"{"alg":"hs256"}"#,
    ] {
        refused(&jwt(&shared(""), header, "{}", &[]), NOT_AUTHORIZED);
    }
    // A key that the token brings along, or an address of one, is not looked at.
    let brought = r#"{"alg":"RS256","kid":"r9","jku":"http://evil/keys","x5u":"http://evil/crt","jwk":{"kty":"RSA","n":"AQAB","e":"AQAB"}}"#;
    let wish = jwt(rsa, brought, "{}", &[]);
    assert_eq!(says(&wish, "/fetch/url"), "\"http://idp/keys\"");
    let again = jwt(rsa, brought, "{}", &[&set(SET)]);
    assert_eq!(says(&again, "/fetch/url"), "\"http://idp/keys\"");
    refused(
        &jwt(rsa, brought, "{}", &[&set(SET), &set(SET)]),
        NOT_AUTHORIZED,
    );
    // The name of a key is a name and nothing else.
    for kid in ["../../keys/r1", "r1\\u0000", "r1'--", "R1"] {
        let header = format!("{{\"alg\":\"RS256\",\"kid\":\"{kid}\"}}");
        refused(
            &jwt(rsa, &header, "{}", &[&set(SET), &set(SET)]),
            NOT_AUTHORIZED,
        );
    }
    // A token that names none, where there are many: nobody is asked.
    refused(&jwt(rsa, r#"{"alg":"RS256"}"#, "{}", &[]), NOT_AUTHORIZED);
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
    refused(&jwt(&of("hmac", &source), HS, "{}", &[]), NOT_AUTHORIZED);
    let bare: String = pem.lines().filter(|line| !line.starts_with('-')).collect();
    refused(&jwt(&of("hmac", &bare), HS, "{}", &[]), NOT_AUTHORIZED);
    // With its own algorithm it is what it is, in PEM and in DER; with another curve or type it is none.
    for source in [source.as_str(), bare.as_str()] {
        let wish = jwt(&of("ecdsa", source), r#"{"alg":"ES256"}"#, "{}", &[]);
        assert_eq!(says(&wish, "/verify/key"), quote(&bare));
        assert_eq!(says(&wish, "/verify/format"), "\"spki\"");
        refused(
            &jwt(&of("ecdsa", source), r#"{"alg":"ES384"}"#, "{}", &[]),
            NOT_AUTHORIZED,
        );
        refused(
            &jwt(&of("rsa", source), r#"{"alg":"RS256"}"#, "{}", &[]),
            NOT_AUTHORIZED,
        );
    }
    for source in ["%%%", "c2VjcmV0", der.as_str()] {
        refused(
            &jwt(&of("rsa", source), r#"{"alg":"RS256"}"#, "{}", &[]),
            NOT_AUTHORIZED,
        );
    }
}

#[test]
fn keys_of_a_set_are_taken_by_name_type_and_use() {
    let of = |method: &str| {
        format!(
            "{{\"api_id\":\"a\",\"jwt_signing_method\":\"{method}\",\"jwt_source\":\"http://idp/keys\"}}"
        )
    };
    let verify = |method: &str, header: &str| jwt(&of(method), header, "{}", &[&set(SET)]);
    // The one of a type that nobody knows is passed over.
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
    // Not for this algorithm, curve or use: the set is asked for once more, in case it has another by now.
    for (method, header) in [
        ("rsa", r#"{"alg":"PS256","kid":"r1"}"#),
        ("ecdsa", r#"{"alg":"ES384","kid":"e1"}"#),
        ("ecdsa", r#"{"alg":"ES256","kid":"enc"}"#),
        ("rsa", r#"{"alg":"RS256","kid":"e1"}"#),
        ("hmac", r#"{"alg":"HS256","kid":"r1"}"#),
    ] {
        let again = verify(method, header);
        assert_eq!(says(&again, "/fetch/seconds"), "10", "{header}");
        let ended = jwt(&of(method), header, "{}", &[&set(SET), &set(SET)]);
        refused(&ended, NOT_AUTHORIZED);
    }
}

#[test]
fn sets_are_asked_in_order_and_one_that_fails_is_passed_over() {
    let settings = r#"{"api_id":"a","jwt_signing_method":"rsa","jwt_source":"ignored",
        "jwt_jwks_uris":[{"url":"http://one/"},{"url":"http://two/","cache_timeout":"10m"}]}"#;
    let header = r#"{"alg":"RS256","kid":"r1"}"#;
    let ask = |answers: &[&str]| jwt(settings, header, "{}", answers);
    let first = ask(&[]);
    assert_eq!(says(&first, "/fetch/url"), "\"http://one/\"");
    assert_eq!(says(&first, "/fetch/seconds"), "240");
    assert_eq!(says(&first, "/fetch/of"), "\"a\"");
    let failed = r#"{"status":500,"body":"{\"keys\":[]}"}"#;
    let second = ask(&[failed]);
    assert_eq!(says(&second, "/fetch/url"), "\"http://two/\"");
    assert_eq!(says(&second, "/fetch/seconds"), "600");
    assert!(ask(&[failed, &set(SET)]).starts_with("{\"verify\""));
    // One that can't be read is asked for once more at once, and then no more.
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
fn times_and_rules_refuse_with_their_words() {
    for (settings, claims, reason) in [
        ("", r#"{"exp":1699999999}"#, "token has expired"),
        (
            ",\"jwt_allowed_issuers\":[\"i\"]",
            r#"{"iss":"j"}"#,
            "invalid issuer claim: j",
        ),
    ] {
        let report = jwt(&shared(settings), HS, claims, &["true"]);
        refused(&report, (401, &format!("Key not authorized: {reason}")));
    }
    let skewed = shared(",\"jwt_expires_at_validation_skew\":4000000000");
    let good = jwt(&skewed, HS, r#"{"sub":"a","exp":1577836800}"#, &["true"]);
    assert_eq!(says(&good, "/session/expires"), "5577836800");
}

#[test]
fn an_identity_is_the_first_claim_that_is_a_text() {
    let of = |settings: &str, claims: &str| jwt(&shared(settings), HS, claims, &["true"]);
    let alias = |settings: &str, claims: &str| says(&of(settings, claims), "/session/alias");
    let base = ",\"jwt_identity_base_field\":\"user.id\"";
    assert_eq!(alias(base, r#"{"sub":"s","user":{"id":"u"}}"#), "\"u\"");
    assert_eq!(
        alias(base, r#"{"sub":"s","user.id":"dotted"}"#),
        "\"dotted\""
    );
    assert_eq!(alias(base, r#"{"sub":"s","user":{"id":7}}"#), "\"s\"");
    let several = ",\"jwt_subject_claims\":[\"a\",\"b\"]";
    assert_eq!(alias(several, r#"{"sub":"s","b":"second"}"#), "\"second\"");
    let empty = "found an empty user ID in predefined base claim, claim: user.id";
    refused(&of(base, r#"{"sub":"s","user":{"id":""}}"#), (403, empty));
    refused(
        &of("", r#"{"sub":""}"#),
        (403, "found an empty user ID in sub claim"),
    );
    refused(
        &of("", "{}"),
        (403, "no suitable claims for user ID were found"),
    );
    // The name of its key is nobody's.
    let report = jwt(
        &shared(""),
        r#"{"alg":"HS256","kid":"anna"}"#,
        "{}",
        &["true"],
    );
    refused(&report, (403, "no suitable claims for user ID were found"));
}

#[test]
fn policies_are_those_of_claim_scopes_and_definition() {
    let mapping = r#","jwt_policy_field_name":"pol","scopes":{"jwt":{"scope_claim_name":"scp","scope_to_policy":{"read":"r","write":"w"}}}"#;
    let of = |claims: &str| {
        let claims = format!("{{\"sub\":\"a\",{claims}\"x\":1}}");
        jwt(&shared(mapping), HS, &claims, &["true"])
    };
    let policies = |claims: &str| says(&of(claims), "/policies");
    assert_eq!(policies(""), r#"["p"]"#);
    assert_eq!(policies(r#""pol":"mine","#), r#"["mine"]"#);
    assert_eq!(says(&of(r#""pol":"mine","#), "/base"), "\"mine\"");
    assert_eq!(policies(r#""pol":["mine"],"#), r#"["p"]"#);
    assert_eq!(policies(r#""scp":"write other read","#), r#"["w","r"]"#);
    assert_eq!(
        policies(r#""scp":["write","write"],"pol":"mine","#),
        r#"["mine","w"]"#
    );
    assert_eq!(policies(r#""scope":"write","#), r#"["p"]"#);
    let none = (
        403,
        "key not authorized: no matching policy found in scope claim",
    );
    for scopes in [
        r#""scp":"other","#,
        r#""scp":"write,read","#,
        r#""scp":"","pol":"mine","#,
        r#""scp":7,"#,
    ] {
        refused(&of(scopes), none);
    }
    let source = BASE64_STANDARD.encode("secret");
    let bare = format!("{{\"api_id\":\"a\",\"jwt_source\":\"{source}\"}}");
    let report = jwt(&bare, HS, r#"{"sub":"a"}"#, &["true"]);
    refused(
        &report,
        (403, "key not authorized: no matching policy found"),
    );
    // The older members.
    let older = shared(
        r#","jwt_scope_claim_name":"realm.scopes","jwt_scope_to_policy_mapping":{"write":"w"}"#,
    );
    let report = jwt(
        &older,
        HS,
        r#"{"sub":"a","realm":{"scopes":["write"]}}"#,
        &["true"],
    );
    assert_eq!(says(&report, "/policies"), r#"["w"]"#);
}

#[test]
fn a_client_of_a_token_lends_its_policy() {
    let settings = shared(",\"jwt_client_base_field\":\"client\"");
    let sent = token(HS, r#"{"sub":"a","client":"app-1"}"#);
    let ask = |more: &str| prove("jwt", &settings, &facts(Some(&sent), more), &["true"]);
    assert_eq!(ask(""), r#"{"key":"app-1"}"#);
    let good = ask(r#","session":{"apply_policies":["gold"]}"#);
    assert_eq!(says(&good, "/policies"), r#"["gold"]"#);
    assert!(!good.contains("until"), "a key's policy may change: {good}");
    for session in ["null", "{}", r#"{"apply_policies":[]}"#] {
        refused(
            &ask(&format!(",\"session\":{session}")),
            (403, "key not authorized: no matching policy found"),
        );
    }
}

#[test]
fn without_a_key_of_the_definition_the_named_key_has_its_own() {
    let settings = r#"{"api_id":"a"}"#;
    let sent = token(r#"{"alg":"HS256","kid":"k"}"#, r#"{"sub":"s"}"#);
    let ask = |settings: &str, more: &str, answers: &[&str]| {
        prove("jwt", settings, &facts(Some(&sent), more), answers)
    };
    assert_eq!(ask(settings, "", &[]), r#"{"key":"k"}"#);
    assert_eq!(
        ask(r#"{"api_id":"a","jwt_skip_kid":true}"#, "", &[]),
        r#"{"key":"s"}"#
    );
    let session = r#","session":{"jwt_data":{"secret":"own"}}"#;
    let wish = ask(settings, session, &[]);
    assert_eq!(
        says(&wish, "/verify/key"),
        quote(&BASE64_STANDARD.encode("own"))
    );
    assert_eq!(says(&ask(settings, session, &["true"]), "/stored"), "true");
    refused(&ask(settings, session, &["false"]), NOT_AUTHORIZED);
    for session in ["null", "{}", r#"{"jwt_data":{"secret":""}}"#] {
        refused(
            &ask(settings, &format!(",\"session\":{session}"), &[]),
            NOT_AUTHORIZED,
        );
    }
}

/// What is trusted besides definitions, with these mappings of a provider for the API.
fn trust(providers: &str) -> String {
    format!(",\"trust\":{{\"forgotten\":{{\"b\":9}},\"providers\":[{providers}]}}")
}

#[test]
fn a_provider_maps_scopes_beside_the_definition() {
    let mapping = |api: &str| format!("{{\"{api}\":{{\"scope_to_policy\":{{\"read\":\"r\"}}}}}}");
    let provider = |org: &str, issuer: &str, api: &str| {
        let mapping = mapping(api);
        format!(
            "{{\"org\":\"{org}\",\"issuer\":\"{issuer}\",\"jwks_uri\":\"https://idp/keys\",\"scope_claim_name\":\"\",\"api_mappings\":{mapping}}}"
        )
    };
    let sent = token(
        HS,
        r#"{"sub":"a","iss":"https://idp","scope":"read admin"}"#,
    );
    let ask = |settings: &str, providers: &str| {
        prove(
            "jwt",
            settings,
            &facts(Some(&sent), &trust(providers)),
            &["true"],
        )
    };
    let plain = shared("");
    let of = |providers: &str| says(&ask(&plain, providers), "/policies");
    assert_eq!(of(&provider("acme", "https://idp", "a")), r#"["r"]"#);
    assert_eq!(of(&provider("acme", "", "a")), r#"["r"]"#);
    // Of another organisation, API or issuer.
    for other in [
        provider("other", "https://idp", "a"),
        provider("acme", "https://idp", "b"),
        provider("acme", "https://else", "a"),
    ] {
        assert_eq!(of(&other), r#"["p"]"#, "{other}");
    }
    // Beside what the definition maps, and beside the policy of a claim.
    let mapped = shared(r#","scopes":{"jwt":{"scope_to_policy":{"admin":"d"}}}"#);
    let report = ask(&mapped, &provider("acme", "https://idp", "a"));
    assert_eq!(says(&report, "/policies"), r#"["d","r"]"#);
    let unmapped = provider("acme", "https://idp", "a").replace("\"read\"", "\"write\"");
    refused(
        &ask(&plain, &unmapped),
        (
            403,
            "key not authorized: no matching policy found in scope claim",
        ),
    );
}

#[test]
fn a_provider_has_the_keys_where_the_definition_has_none() {
    let provider = r#"{"org":"acme","issuer":"https://idp","jwks_uri":"https://idp/keys","scope_claim_name":"scp","api_mappings":{"a":{"scope_to_policy":{"read":"r"}}}}"#;
    let ask = |settings: &str, header: &str, claims: &str, answers: &[&str]| {
        let facts = facts(Some(&token(header, claims)), &trust(provider));
        prove("jwt", settings, &facts, answers)
    };
    let claims = r#"{"sub":"s","iss":"https://idp","scp":["read"]}"#;
    let bare = r#"{"api_id":"a"}"#;
    let wish = ask(bare, ID, claims, &[]);
    assert_eq!(says(&wish, "/fetch/url"), "\"https://idp/keys\"");
    let good = ask(bare, ID, claims, &[&set(SET), "true"]);
    assert_eq!(says(&good, "/policies"), r#"["r"]"#);
    // A shared secret in its set is nobody's, and a method of the definition is the one.
    let unexpected = (403, "Key not authorized: Unexpected signing method");
    refused(
        &ask(bare, r#"{"alg":"HS256","kid":"o1"}"#, claims, &[]),
        unexpected,
    );
    let rsa = r#"{"api_id":"a","jwt_signing_method":"rsa"}"#;
    refused(&ask(rsa, ID, claims, &[]), unexpected);
    // A source in the definition comes first.
    let named = r#"{"api_id":"a","jwt_signing_method":"ecdsa","jwt_source":"https://own/keys"}"#;
    let wish = ask(named, ID, claims, &[]);
    assert_eq!(says(&wish, "/fetch/url"), "\"https://own/keys\"");
    // A token of nobody who is known is looked for among the keys.
    let other = r#"{"sub":"s","iss":"https://else"}"#;
    assert_eq!(ask(bare, HS, other, &[]), r#"{"key":"s"}"#);
}

#[test]
fn what_was_fetched_before_is_forgotten_by_its_number() {
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

const ID: &str = r#"{"alg":"ES256","kid":"e1"}"#;

fn oidc(settings: &str, header: &str, claims: &str, answers: &[&str]) -> String {
    prove(
        "oidc",
        settings,
        &facts(Some(&token(header, claims)), ""),
        answers,
    )
}

#[test]
fn a_provider_says_where_its_keys_are() {
    let client = BASE64_STANDARD.encode("client-1");
    let settings = format!(
        r#"{{"api_id":"a","openid_options":{{"providers":[{{"issuer":"https://idp/x","client_ids":{{"{client}":"p"}}}}],"segregate_by_client":false}}}}"#
    );
    let claims =
        r#"{"iss":"https://idp/x","aud":["other","client-1"],"sub":"anna","exp":1700000100}"#;
    let found = set(r#"{"issuer":"https://idp/x","jwks_uri":"https://idp/keys"}"#);
    let ask = |answers: &[&str]| oidc(&settings, ID, claims, answers);
    assert_eq!(
        says(&ask(&[]), "/fetch/url"),
        "\"https://idp/x/.well-known/openid-configuration\""
    );
    assert_eq!(says(&ask(&[&found]), "/fetch/url"), "\"https://idp/keys\"");
    assert!(ask(&[&found, &set(SET)]).starts_with("{\"verify\""));
    let good = ask(&[&found, &set(SET), "true"]);
    assert_eq!(says(&good, "/policies"), r#"["p"]"#);
    assert_eq!(says(&good, "/base"), "\"p\"");
    let apart = settings.replace(
        "\"segregate_by_client\":false",
        "\"segregate_by_client\":true",
    );
    let other = oidc(&apart, ID, claims, &[&found, &set(SET), "true"]);
    assert_ne!(says(&good, "/token"), says(&other, "/token"));
    let no = (401, "Key not authorised");
    refused(&ask(&[&found, &set(SET), "false"]), no);
    // Another provider answers there, or none.
    for answer in [
        set(r#"{"issuer":"https://idp/y","jwks_uri":"https://idp/keys"}"#),
        set("{}"),
        r#"{"status":0,"body":""}"#.to_owned(),
    ] {
        refused(&ask(&[&answer]), no);
    }
    let all = [found.as_str(), &set(SET), "true"];
    for (header, claims) in [
        (r#"{"alg":"HS256","kid":"o1"}"#, claims),
        (r#"{"alg":"none"}"#, claims),
        (
            ID,
            r#"{"iss":"https://idp/y","aud":"client-1","sub":"anna","exp":1700000100}"#,
        ),
        (
            ID,
            r#"{"iss":"https://idp/x","aud":"client-2","sub":"anna","exp":1700000100}"#,
        ),
        (
            ID,
            r#"{"iss":"https://idp/x","sub":"anna","exp":1700000100}"#,
        ),
        (
            ID,
            r#"{"iss":"https://idp/x","aud":"client-1","sub":"anna","exp":1700000000}"#,
        ),
        (
            ID,
            r#"{"iss":"https://idp/x","aud":"client-1","sub":"anna"}"#,
        ),
        (
            ID,
            r#"{"iss":"https://idp/x","aud":"client-1","exp":1700000100}"#,
        ),
    ] {
        refused(&oidc(&settings, header, claims, &all), no);
    }
    for sent in [None, Some("Basic abc"), Some("Bearer a.b.c")] {
        refused(&prove("oidc", &settings, &facts(sent, ""), &[]), no);
    }
}

#[test]
fn another_provider_is_asked_about_opaque_tokens() {
    let settings = |cache: &str, more: &str| {
        format!(
            r#"{{"api_id":"a","name":"A","versions":["v1"],"external_oauth":{{"providers":[{{"introspection":{{"enabled":true,"url":"https://idp/ask","client_id":"me","client_secret":"s&s","cache":{cache}{more}}}}}]}}}}"#
        )
    };
    let plain = settings("null", "");
    let ask = |settings: &str, answers: &[&str]| {
        prove(
            "externalOAuth",
            settings,
            &facts(Some("Bearer opaque+1"), ""),
            answers,
        )
    };
    let wish = ask(&plain, &[]);
    assert_eq!(
        says(&wish, "/fetch/form"),
        "\"client_id=me&client_secret=s%26s&token=opaque%2B1\""
    );
    assert_eq!(says(&wish, "/fetch/seconds"), "0");
    let kept = settings(r#"{"enabled":true,"timeout":5}"#, "");
    assert_eq!(says(&ask(&kept, &[]), "/fetch/seconds"), "5");
    let good = ask(&plain, &[&set(r#"{"active":true,"sub":"anna"}"#)]);
    assert_eq!(
        says(&good, "/session/access_rights"),
        r#"{"a":{"api_id":"a","api_name":"A","versions":["v1"]}}"#
    );
    let invalid = (401, "access token is not valid");
    let failed = (500, "error happened during the access token validation");
    for (answer, refusal) in [
        (set(r#"{"active":false}"#), invalid),
        (set(r#"{"active":true}"#), invalid),
        (set(r#"{"sub":"anna"}"#), failed),
        (set(r#"{"active":"true","sub":"anna"}"#), failed),
        (set("sorry"), failed),
        (
            r#"{"status":500,"body":"{\"active\":true,\"sub\":\"a\"}"}"#.to_owned(),
            failed,
        ),
        (r#"{"status":0,"body":""}"#.to_owned(), failed),
        (
            set(r#"{"active":true,"sub":"anna","exp":1}"#),
            (401, "key not authorized: token has expired"),
        ),
    ] {
        refused(&ask(&plain, &[&answer]), refusal);
    }
    let named = settings("null", r#","identity_base_field":"username""#);
    let good = ask(&named, &[&set(r#"{"active":true,"username":"berta"}"#)]);
    assert_eq!(says(&good, "/session/alias"), "\"berta\"");
    refused(
        &prove("externalOAuth", &plain, &facts(None, ""), &[]),
        (400, "authorization field missing"),
    );
    refused(
        &ask(r#"{"api_id":"a","external_oauth":{"providers":[]}}"#, &[]),
        (500, "access token validation method is not specified"),
    );
}

#[test]
fn tokens_of_another_provider_are_checked_as_their_provider_says() {
    let source = BASE64_STANDARD.encode("secret");
    let settings = format!(
        r#"{{"api_id":"a","external_oauth":{{"providers":[{{"jwt":{{"enabled":true,"signing_method":"hmac","source":"{source}"}}}}]}}}}"#
    );
    let ask = |header: &str, claims: &str, answers: &[&str]| {
        let token = token(header, claims);
        prove(
            "externalOAuth",
            &settings,
            &facts(Some(&token), ""),
            answers,
        )
    };
    let good = ask(HS, r#"{"sub":"anna"}"#, &["true"]);
    assert_eq!(says(&good, "/session/alias"), "\"anna\"");
    let invalid = (401, "access token is not valid");
    refused(&ask(HS, r#"{"sub":"anna"}"#, &["false"]), invalid);
    refused(&ask(HS, "{}", &["true"]), invalid);
    refused(
        &ask(r#"{"alg":"none"}"#, r#"{"sub":"anna"}"#, &["true"]),
        invalid,
    );
    refused(
        &ask(r#"{"alg":"RS256"}"#, r#"{"sub":"anna"}"#, &["true"]),
        invalid,
    );
    refused(
        &ask(HS, r#"{"sub":"anna","exp":1}"#, &["true"]),
        (401, "key not authorized: token has expired"),
    );
}

#[test]
fn whatever_comes_there_is_an_answer_and_no_report_has_the_token_in_it() {
    let secret = "canary-signature";
    let token = format!(
        "{}.{}",
        token(HS, r#"{"sub":"a"}"#).rsplit_once('.').unwrap().0,
        secret
    );
    for answers in ["[]", "[false]", "[true]", "[{}]", "[null,1]", "{}", "null"] {
        let report = call(
            "jwt",
            &shared(""),
            &facts(Some(&token), ""),
            answers.as_bytes(),
        );
        let report = &report[0];
        let is_wish = report.starts_with("{\"verify\"");
        assert!(is_wish || !report.contains(secret), "{report}");
        assert!(parse(report).is_ok_and(|report| !Value::members(&report).is_empty()));
    }
    for (method, settings, facts) in [
        ("jwt", "", "{}"),
        ("jwt", "{}", ""),
        ("nothing", "{}", "{}"),
    ] {
        assert_eq!(call(method, settings, facts, b"[]"), [String::new()]);
    }
}
