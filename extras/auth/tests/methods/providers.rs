//! Client identity providers, and OpenID Connect.

use super::{HS, ID, SET, facts, prove, refused, says, set, shared, token};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;

/// The fact `trust`, with these client identity providers.
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
    // In addition to the definition's mapping, and to the policy in a claim.
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
fn provider_keys_are_used_if_definition_has_none() {
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
    // A shared secret in its set is not used, and a method in the definition applies.
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
    // A token of an unknown issuer is looked up among the keys.
    let other = r#"{"sub":"s","iss":"https://else"}"#;
    assert_eq!(ask(bare, HS, other, &[]), r#"{"key":"s"}"#);
}

#[test]
fn first_known_client_of_the_audience_counts() {
    let (one, two) = (BASE64_STANDARD.encode("one"), BASE64_STANDARD.encode("two"));
    let settings = format!(
        r#"{{"api_id":"a","openid_options":{{"providers":[{{"issuer":"https://idp/x","client_ids":{{"{one}":"p","{two}":""}}}}]}}}}"#
    );
    let found = set(r#"{"issuer":"https://idp/x","jwks_uri":"https://idp/keys"}"#);
    let ask = |audience: &str| {
        let claims =
            format!(r#"{{"iss":"https://idp/x","aud":{audience},"sub":"anna","exp":1700000100}}"#);
        oidc(&settings, ID, &claims, &[&found, &set(SET), "true"])
    };
    assert_eq!(
        says(&ask(r#"["none","one","two"]"#), "/policies"),
        r#"["p"]"#
    );
    // The other client has no policy.
    for audience in [r#"["two","one"]"#, r#""two""#] {
        refused(&ask(audience), (401, "Key not authorised"));
    }
}

fn oidc(settings: &str, header: &str, claims: &str, answers: &[&str]) -> String {
    prove(
        "oidc",
        settings,
        &facts(Some(&token(header, claims)), ""),
        answers,
    )
}

#[test]
fn provider_discovery_locates_the_keys() {
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
    assert_eq!(
        says(&good, "/session"),
        r#"{"alias":"client-1:anna","expires":1700000100,"meta_data":{"ClientID":"client-1"}}"#
    );
    let missing = |report: &str| says(report, "/refused/message");
    assert_eq!(missing(&good), "\"Key not authorized: no matching policy\"");
    let apart = settings.replace(
        "\"segregate_by_client\":false",
        "\"segregate_by_client\":true",
    );
    let other = oidc(&apart, ID, claims, &[&found, &set(SET), "true"]);
    assert_ne!(says(&good, "/token"), says(&other, "/token"));
    let no = (401, "Key not authorised");
    refused(&ask(&[&found, &set(SET), "false"]), no);
    // Mapped scopes replace the policy of the client.
    let mapped = settings.replace(
        "\"api_id\":\"a\"",
        r#""api_id":"a","scopes":{"oidc":{"scope_to_policy":{"read":"r"}}}"#,
    );
    let scoped = claims.replace("\"sub\"", "\"scope\":\"read\",\"sub\"");
    let scoped = oidc(&mapped, ID, &scoped, &[&found, &set(SET), "true"]);
    assert_eq!(says(&scoped, "/policies"), r#"["r"]"#);
    assert_eq!(
        missing(&scoped),
        "\"Key not authorized: could not apply new policy\""
    );
    refused(
        &oidc(&mapped, ID, claims, &[&found, &set(SET), "true"]),
        (403, "key not authorized: no matching policy found"),
    );
    // The response is another provider's, or none at all.
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
