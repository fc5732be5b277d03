//! The policies that scopes, or the scopes in a token, map to by a client identity provider.
//!
//! A token is only read here and sent nowhere; checking its signature is up to the edge.

use gatewright_model::json::{Kind, Value, parse, quote};
use gatewright_model::scopes::{self, CLAIM};

use super::jwt;

/// The member of a document with the mappings, the member of a mapping with its scopes, and the member of a document
/// that names the claim.
const MAPPINGS: &str = "api_mappings";
const SCOPES: &str = "scope_to_policy";
const CLAIM_NAME: &str = "scope_claim_name";

/// What was entered, and what it gives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The claim with the token's scopes; `None` if scopes were entered.
    pub claim: Option<String>,
    /// Whether that claim is missing from the token.
    pub is_missing: bool,
    /// The scopes, each with the policy it maps to, if any.
    pub scopes: Vec<(String, Option<String>)>,
    /// Their policies, without duplicates.
    pub policies: Vec<String>,
}

impl Reading {
    /// Returns the session that the edge makes of the policies, as a JSON object.
    #[must_use]
    pub fn session(&self) -> String {
        let ids: Vec<String> = self.policies.iter().map(|id| quote(id)).collect();
        format!("{{\"apply_policies\":[{}]}}", ids.join(","))
    }
}

/// Reads scopes separated by blanks, or a token, and maps them by a provider's document and its mapping for one API.
#[must_use]
pub fn read(document: &str, api_id: &str, entered: &str) -> Reading {
    let Ok(document) = parse(document) else {
        return Reading::default();
    };
    let api = document.get(MAPPINGS).and_then(|all| all.get(api_id));
    let mapping = api.and_then(|mapping| mapping.get(SCOPES));
    let members = mapping.map(Value::members).unwrap_or_default().iter();
    let mapping: Vec<(&str, &str)> = members
        .filter_map(|member| Some((&*member.name, member.value.as_str()?)))
        .collect();
    let entered = entered.trim();
    let claims = payload(entered);
    let claims = claims.as_deref().and_then(|text| parse(text).ok());
    let claims = claims.filter(|claims| matches!(claims.kind, Kind::Object(_)));
    let Some(claims) = claims else {
        let words: Vec<&str> = entered.split_whitespace().collect();
        return given(&mapping, &words, None);
    };
    let name = document.str(CLAIM_NAME).filter(|name| !name.is_empty());
    let name = name.unwrap_or(CLAIM);
    let found = scopes::claim(&claims, name);
    let words = found.map(scopes::words).unwrap_or_default();
    Reading {
        is_missing: found.is_none(),
        ..given(&mapping, &words, Some(name.to_owned()))
    }
}

fn given(mapping: &[(&str, &str)], words: &[&str], claim: Option<String>) -> Reading {
    let policy = |scope: &str| {
        let first = scopes::policies(mapping, &[scope]).into_iter().next();
        first.map(str::to_owned)
    };
    let policies = scopes::policies(mapping, words).into_iter();
    Reading {
        claim,
        is_missing: false,
        scopes: words
            .iter()
            .map(|scope| ((*scope).to_owned(), policy(scope)))
            .collect(),
        policies: policies.map(str::to_owned).collect(),
    }
}

/// Returns the claims of a token in the compact form, as written.
fn payload(entered: &str) -> Option<String> {
    jwt::parts(entered).map(|[_, claims]| claims)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    const DOCUMENT: &str = r#"{"scope_claim_name":"","api_mappings":{"a":{"scope_to_policy":{"read":"p1","write":"p2","all":"p1"}}}}"#;

    fn scopes_of(reading: &Reading) -> Vec<(&str, Option<&str>)> {
        let pairs = reading.scopes.iter();
        pairs
            .map(|(scope, policy)| (scope.as_str(), policy.as_deref()))
            .collect()
    }

    #[test]
    fn scopes_are_read_with_blanks_between_them() {
        let reading = read(DOCUMENT, "a", " read  other\nall ");
        assert_eq!(reading.claim, None);
        assert_eq!(
            scopes_of(&reading),
            [("read", Some("p1")), ("other", None), ("all", Some("p1"))]
        );
        assert_eq!(reading.session(), r#"{"apply_policies":["p1"]}"#);
        assert!(read(DOCUMENT, "b", "read").policies.is_empty());
        assert_eq!(read(DOCUMENT, "a", ""), Reading::default());
    }

    #[test]
    fn token_contains_its_scopes() {
        // {"alg":"none"} . {"scope":"write read","realm":{"roles":["all"]}} . x
        let token = "eyJhbGciOiJub25lIn0.eyJzY29wZSI6IndyaXRlIHJlYWQiLCJyZWFsbSI6eyJyb2xlcyI6WyJhbGwiXX19.x";
        for entered in [token.to_owned(), format!("bearer {token}")] {
            let reading = read(DOCUMENT, "a", &entered);
            assert_eq!(reading.claim.as_deref(), Some("scope"));
            assert_eq!(
                scopes_of(&reading),
                [("write", Some("p2")), ("read", Some("p1"))]
            );
            assert_eq!(reading.policies, ["p2", "p1"]);
        }
        let by_path = DOCUMENT.replace(
            "\"scope_claim_name\":\"\"",
            "\"scope_claim_name\":\"realm.roles\"",
        );
        assert_eq!(
            scopes_of(&read(&by_path, "a", token)),
            [("all", Some("p1"))]
        );
        let without = DOCUMENT.replace("\"scope_claim_name\":\"\"", "\"scope_claim_name\":\"scp\"");
        let reading = read(&without, "a", token);
        assert!(reading.is_missing && reading.scopes.is_empty());
    }

    #[test]
    fn token_lookalike_is_read_as_scopes() {
        for entered in ["a.b.c", "urn:x.y.z", "eyJh.e30=.x y"] {
            assert_eq!(read(DOCUMENT, "a", entered).claim, None, "{entered}");
        }
    }
}
