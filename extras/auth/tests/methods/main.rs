//! The methods from the outside: what is wished for, in which order, and what is reported (reference 3.9, 3.10).

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail loudly"
)]

mod external;
mod jwt;
mod keys;
mod providers;

use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use gatewright_extra_auth::call;
use gatewright_model::json::{parse, quote};

const NOW: i64 = 1_700_000_000;
/// `jwk` of RFC 7517 appendix A.1, the first half, and a key of an unknown type.
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

/// Returns the report on a credential, with these results of its wishes so far.
fn prove(method: &str, settings: &str, facts: &str, answers: &[&str]) -> String {
    let answers = format!("[{}]", answers.join(","));
    call(method, settings, facts, answers.as_bytes()).remove(0)
}

fn ask_jwt(settings: &str, header: &str, claims: &str, answers: &[&str]) -> String {
    let token = token(header, claims);
    prove("jwt", settings, &facts(Some(&token), ""), answers)
}

/// Returns the status and message of a refusal.
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

/// Returns a definition with a shared secret.
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

const ID: &str = r#"{"alg":"ES256","kid":"e1"}"#;
