//! The claims of a JSON Web Token and their effects (reference 3.9).

use super::{HS, NOT_AUTHORIZED, ask_jwt, facts, prove, refused, says, shared, token};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use gatewright_extra_auth::call;
use gatewright_model::json::quote;

#[test]
fn requested_signature_check_decides() {
    let claims = r#"{"sub":"anna","exp":1700000100,"n":1.50}"#;
    let wish = ask_jwt(&shared(""), HS, claims, &[]);
    assert_eq!(
        says(&wish, "/verify/key"),
        quote(&BASE64_STANDARD.encode("secret"))
    );
    assert_eq!(
        says(&wish, "/verify/import"),
        r#"{"name":"HMAC","hash":"SHA-256"}"#
    );
    refused(
        &ask_jwt(&shared(""), HS, claims, &["false"]),
        NOT_AUTHORIZED,
    );
    let good = ask_jwt(&shared(""), HS, claims, &["true"]);
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
    assert_eq!(says(&good, "/claims/n"), "1.50");
    assert_eq!(says(&good, "/claims/alg"), r#""HS256""#);
    // Never beyond its own expiry.
    let soon = ask_jwt(
        &shared(""),
        HS,
        r#"{"sub":"anna","exp":1700000010}"#,
        &["true"],
    );
    assert_eq!(says(&soon, "/until"), "1700000010000");
}

#[test]
fn malformed_token_is_refused_without_signature_check() {
    for sent in ["", "Bearer", "a.b.c", "Bearer bearer a.b.c", "no-token"] {
        let report = prove("jwt", &shared(""), &facts(Some(sent), ""), &[]);
        refused(&report, NOT_AUTHORIZED);
    }
    refused(
        &prove("jwt", &shared(""), &facts(None, ""), &[]),
        (400, "Authorization field missing"),
    );
    // The first of several, with and without the scheme.
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

#[test]
fn times_and_rules_refuse_with_their_messages() {
    for (settings, claims, reason) in [
        ("", r#"{"exp":1699999999}"#, "token has expired"),
        (
            ",\"jwt_allowed_issuers\":[\"i\"]",
            r#"{"iss":"j"}"#,
            "invalid issuer claim: j",
        ),
    ] {
        let report = ask_jwt(&shared(settings), HS, claims, &["true"]);
        refused(&report, (401, &format!("Key not authorized: {reason}")));
        assert!(report.contains("\"flag\":\"TCV\""), "{report}");
    }
    let other = ask_jwt(&shared(""), HS, "{}", &["false"]);
    assert!(other.contains("\"flag\":\"TKI\""), "{other}");
    let skewed = shared(",\"jwt_expires_at_validation_skew\":4000000000");
    let good = ask_jwt(&skewed, HS, r#"{"sub":"a","exp":1577836800}"#, &["true"]);
    assert_eq!(says(&good, "/session/expires"), "5577836800");
}

#[test]
fn identity_is_the_first_string_claim() {
    let of = |settings: &str, claims: &str| ask_jwt(&shared(settings), HS, claims, &["true"]);
    let alias = |settings: &str, claims: &str| says(&of(settings, claims), "/session/alias");
    let base = ",\"jwt_identity_base_field\":\"user.id\"";
    assert_eq!(alias(base, r#"{"sub":"s","user":{"id":"u"}}"#), "\"u\"");
    assert_eq!(
        alias(base, r#"{"sub":"s","user.id":"dotted"}"#),
        "\"dotted\""
    );
    assert_eq!(alias(base, r#"{"sub":"s","user":{"id":7}}"#), "\"s\"");
    let several = ",\"is_oas\":true,\"jwt_subject_claims\":[\"a\",\"b\"]";
    assert_eq!(alias(several, r#"{"sub":"s","b":"second"}"#), "\"second\"");
    assert_eq!(alias(several, r#"{"sub":"s","b":7}"#), "\"s\"");
    let empty = "found an empty user ID in predefined base claim, claim: sub";
    refused(&of(several, r#"{"sub":""}"#), (403, empty));
    refused(&of(",\"is_oas\":true", r#"{"sub":""}"#), (403, empty));
    // It is the one that is compared with the allowed subjects.
    let allowed = format!("{several},\"jwt_allowed_subjects\":[\"s\"]");
    assert_eq!(alias(&allowed, r#"{"sub":"x","a":"s"}"#), "\"s\"");
    refused(
        &of(&allowed, r#"{"sub":"s","a":"x"}"#),
        (401, "Key not authorized: invalid subject value: x"),
    );
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
    // The id of its key doesn't identify anybody.
    let report = ask_jwt(
        &shared(""),
        r#"{"alg":"HS256","kid":"anna"}"#,
        "{}",
        &["true"],
    );
    refused(&report, (403, "no suitable claims for user ID were found"));
}

#[test]
fn policies_come_from_claim_scopes_and_definition() {
    let mapping = r#","jwt_policy_field_name":"pol","scopes":{"jwt":{"scope_claim_name":"scp","scope_to_policy":{"read":"r","write":"w"}}}"#;
    let of = |claims: &str| {
        let claims = format!("{{\"sub\":\"a\",{claims}\"x\":1}}");
        ask_jwt(&shared(mapping), HS, &claims, &["true"])
    };
    let policies = |claims: &str| says(&of(claims), "/policies");
    assert_eq!(policies(""), r#"["p"]"#);
    // The first default policy has to exist, as a named one has.
    assert_eq!(says(&of(""), "/base"), "\"p\"");
    assert!(!of(r#""scp":"write","#).contains("\"base\""));
    assert_eq!(policies(r#""pol":"mine","#), r#"["mine"]"#);
    assert_eq!(says(&of(r#""pol":"mine","#), "/base"), "\"mine\"");
    assert_eq!(policies(r#""pol":["mine"],"#), r#"["p"]"#);
    assert_eq!(policies(r#""scp":"write other read","#), r#"["w","r"]"#);
    // The message if the policies don't exist.
    let several = "\"key not authorized: could not apply several policies\"";
    let scoped = of(r#""scp":"write","#);
    assert_eq!(says(&scoped, "/refused/message"), several);
    for named in ["", r#""pol":"mine","#, r#""scp":"write","pol":"mine","#] {
        assert!(!of(named).contains("refused"), "{named}");
    }
    assert_eq!(
        policies(r#""scp":["write","write"],"pol":"mine","#),
        r#"["mine","w"]"#
    );
    assert_eq!(policies(r#""scope":"write","#), r#"["p"]"#);
    // Scopes without a mapping leave the policy that the token names; a value that can't be scopes counts as absent.
    assert_eq!(policies(r#""scp":"","pol":"mine","#), r#"["mine"]"#);
    assert_eq!(policies(r#""scp":"other","pol":"mine","#), r#"["mine"]"#);
    for none in ["[]", "[7]", "7", "null"] {
        assert_eq!(policies(&format!("\"scp\":{none},")), r#"["p"]"#, "{none}");
    }
    let none = (
        403,
        "key not authorized: no matching policy found in scope claim",
    );
    for scopes in [
        r#""scp":"other","#,
        r#""scp":"write,read","#,
        r#""scp":["write read"],"#,
        r#""scp":"","#,
    ] {
        refused(&of(scopes), none);
    }
    // The claims of a document replace the older member.
    let listed = shared(r#","jwt_base_policy_claims":["mine"],"jwt_policy_field_name":"pol""#);
    let report = ask_jwt(&listed, HS, r#"{"sub":"a","pol":"x"}"#, &["true"]);
    assert_eq!(says(&report, "/policies"), r#"["p"]"#);
    let source = BASE64_STANDARD.encode("secret");
    let bare = format!("{{\"api_id\":\"a\",\"jwt_source\":\"{source}\"}}");
    let report = ask_jwt(&bare, HS, r#"{"sub":"a"}"#, &["true"]);
    refused(
        &report,
        (403, "key not authorized: no matching policy found"),
    );
    // The older members.
    let older = shared(
        r#","jwt_scope_claim_name":"realm.scopes","jwt_scope_to_policy_mapping":{"write":"w"}"#,
    );
    let report = ask_jwt(
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
    let asked =
        |settings: &str, more: &str| prove("jwt", settings, &facts(Some(&sent), more), &["true"]);
    let ask = |more: &str| asked(&settings, more);
    assert_eq!(ask(""), r#"{"key":"app-1"}"#);
    let good = ask(r#","session":{"apply_policies":["gold"]}"#);
    assert_eq!(says(&good, "/policies"), r#"["gold"]"#);
    assert!(!good.contains("until"), "a key's policy may change: {good}");
    let alone = settings.replace("jwt_default_policies", "x");
    for session in ["null", "{}", r#"{"apply_policies":[]}"#] {
        let session = format!(",\"session\":{session}");
        assert_eq!(says(&ask(&session), "/policies"), r#"["p"]"#);
        refused(
            &asked(&alone, &session),
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
    // If it names no key, it can't be signed with one's secret.
    for claims in ["{}", r#"{"sub":""}"#] {
        refused(&ask_jwt(settings, HS, claims, &[]), NOT_AUTHORIZED);
    }
}

/// A right signature needs no further call; a wrong one is refused by the next.
#[test]
fn what_follows_from_a_right_signature_comes_with_the_wish_to_verify_it() {
    let rules = ",\"jwt_allowed_issuers\":[\"i\"]";
    for claims in [
        r#"{"sub":"anna","iss":"i"}"#,
        r#"{"sub":"anna","iss":"j"}"#,
        r#"{"sub":"anna","iss":"i","exp":1}"#,
    ] {
        let token = token(HS, claims);
        let said = call("jwt", &shared(rules), &facts(Some(&token), ""), b"[]");
        let ask = |answers| ask_jwt(&shared(rules), HS, claims, answers);
        let [wish, signature, signed, report] = said.as_slice() else {
            panic!("{said:?}");
        };
        assert_eq!(*wish, ask(&[]));
        assert_eq!(format!("{signed}.{signature}"), token);
        assert_eq!(*report, ask(&["true"]), "{claims}");
        refused(&ask(&["false"]), NOT_AUTHORIZED);
    }
}
