//! The keys that verify tokens, and which of them a token selects.

use gatewright_model::json::{Value, parse};

use super::{Token, part};

/// Where a definition gets the keys from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keys {
    /// From key sets at these URLs.
    Sets(Vec<String>),
    /// One key, or a secret, in the definition itself.
    Here,
    /// Not from the definition: from identity providers, or each API key has its own secret.
    Elsewhere,
}

fn is_address(text: &str) -> bool {
    let start = text.get(..8).unwrap_or(text).to_ascii_lowercase();
    start.starts_with("http://") || start.starts_with("https://")
}

/// Returns where a definition gets the keys from (`jwt_jwks_uris` takes precedence over `jwt_source`).
#[must_use]
pub fn keys_of(definition: &str) -> Keys {
    let Ok(definition) = parse(definition) else {
        return Keys::Elsewhere;
    };
    let uris = definition.get("jwt_jwks_uris").map(Value::items);
    let uris = uris.unwrap_or_default().iter();
    let urls: Vec<String> = uris
        .filter_map(|uri| uri.str("url"))
        .filter(|url| !url.is_empty())
        .map(str::to_owned)
        .collect();
    if !urls.is_empty() {
        return Keys::Sets(urls);
    }
    let source = definition.str("jwt_source").unwrap_or_default().trim();
    if source.is_empty() {
        return Keys::Elsewhere;
    }
    if is_address(source) {
        return Keys::Sets(vec![source.to_owned()]);
    }
    match part(source) {
        Some(address) if is_address(address.trim()) => Keys::Sets(vec![address.trim().to_owned()]),
        _ => Keys::Here,
    }
}

/// A key in a set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SetKey {
    /// Its key id; empty if it has none.
    pub kid: String,
    /// Its type, and its algorithm or curve.
    pub kind: String,
    /// Whether the token's header names it.
    pub is_named: bool,
    /// Whether it can be used with the token's algorithm.
    pub fits: bool,
}

/// Returns the key type that an algorithm uses (RFC 7518 section 3.1, RFC 8037 section 3.1).
fn type_of(algorithm: &str) -> &'static str {
    match algorithm.get(..2) {
        Some("RS" | "PS") => "RSA",
        Some("ES") => "EC",
        Some("HS") => "oct",
        Some("Ed") => "OKP",
        _ => "",
    }
}

/// Reads the keys of a set (RFC 7517) as seen by a token.
///
/// # Errors
/// If it is not a key set.
pub fn keys_in(set: &str, token: &Token) -> Result<Vec<SetKey>, &'static str> {
    let no_set = "This is not a key set: a JSON object with a list of keys is expected.";
    let Ok(set) = parse(set) else {
        return Err(no_set);
    };
    let keys = set.get("keys").ok_or(no_set)?;
    let key = |key: &Value<'_>| {
        let text = |name: &str| key.str(name).unwrap_or_default();
        let (kid, kty, alg) = (text("kid"), text("kty"), text("alg"));
        let words = [kty, alg, text("crv")]
            .into_iter()
            .filter(|word| !word.is_empty());
        let words: Vec<&str> = words.collect();
        SetKey {
            kid: kid.to_owned(),
            kind: words.join(" "),
            is_named: key.str("kid").is_some() && token.kid.as_deref() == Some(kid),
            fits: kty == type_of(&token.algorithm)
                && (alg.is_empty() || alg == token.algorithm)
                && text("use") != "enc",
        }
    };
    Ok(keys.items().iter().map(key).collect())
}

/// Says which key of the sets a token is verified with, as a sentence, and returns whether there is one.
#[must_use]
pub fn found(token: &Token, keys: &[SetKey]) -> (bool, String) {
    let Some(kid) = &token.kid else {
        return (
            false,
            "The token names no key (kid), so none of a set is tried.".to_owned(),
        );
    };
    let mut named = keys.iter().filter(|key| key.is_named).peekable();
    if named.peek().is_none() {
        return (false, format!("No key of the set is called “{kid}”."));
    }
    match named.any(|key| key.fits) {
        true => (
            true,
            format!("“{kid}” is in the set and can check {}.", token.algorithm),
        ),
        false => (
            false,
            format!(
                "“{kid}” is in the set, but it is no key for {}.",
                token.algorithm
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{HEADER, encoded, token};
    use super::*;
    use gatewright_model::json::quote;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn definition_locates_its_keys() {
        let of = |source: &str| keys_of(&format!("{{\"jwt_source\":{}}}", quote(source)));
        let url = "https://idp.example/jwks";
        let sets = || Keys::Sets(vec![url.to_owned()]);
        assert_eq!(of(url), sets());
        assert_eq!(of(&encoded(url)), sets());
        assert_eq!(of("c2VjcmV0"), Keys::Here);
        assert_eq!(of(""), Keys::Elsewhere);
        assert_eq!(keys_of("{"), Keys::Elsewhere);
        let both = format!(
            r#"{{"jwt_source":"c2VjcmV0","jwt_jwks_uris":[{{"url":"{url}"}},{{"url":""}}]}}"#
        );
        assert_eq!(keys_of(&both), sets());
    }

    #[test]
    fn key_is_selected_by_id_and_type() {
        let set = r#"{"keys":[{"kid":"k1","kty":"RSA","alg":"RS256"},{"kid":"k2","kty":"EC","crv":"P-256"},{"kty":"RSA"}]}"#;
        let found_by = |header: &str| {
            let token = token(header, "{}");
            found(&token, &keys_in(set, &token).unwrap())
        };
        assert!(found_by(HEADER).0);
        assert!(found_by(r#"{"alg":"ES256","kid":"k2"}"#).0);
        for (header, part) in [
            (r#"{"alg":"PS256","kid":"k1"}"#, "no key for PS256"),
            (r#"{"alg":"RS256","kid":"k2"}"#, "no key for RS256"),
            (r#"{"alg":"RS256","kid":"k3"}"#, "No key"),
            (r#"{"alg":"RS256"}"#, "names no key"),
        ] {
            let (is_there, said) = found_by(header);
            assert!(!is_there && said.contains(part), "{said}");
        }
        let token = token(HEADER, "{}");
        assert_eq!(keys_in(set, &token).unwrap()[1].kind, "EC P-256");
        assert!(keys_in("{}", &token).is_err() && keys_in("<", &token).is_err());
    }
}
