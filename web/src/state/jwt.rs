//! A JSON Web Token, as far as it can be read without a key, and what a definition makes of it.
//!
//! This only shows what the edge would look at; whether the token is valid is up to the edge.

mod given;
mod keys;

use gatewright_model::json::{Kind, Value, parse};
use gatewright_model::scopes;
use gatewright_model::text::base64;

use super::clock::{relative, until};
pub use given::{Given, asks_for_jwt, given};
pub use keys::{Keys, SetKey, found, keys_in, keys_of};

/// A decoded token.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Token {
    /// The token itself, without a preceding `Bearer`.
    pub compact: String,
    /// Its header, JSON as written.
    pub header: String,
    /// Its claims, JSON as written.
    pub claims: String,
    /// The algorithm in its header.
    pub algorithm: String,
    /// The key id in its header.
    pub kid: Option<String>,
}

/// Returns the text after `Bearer`, or else all of it.
fn bare(entered: &str) -> &str {
    let entered = entered.trim();
    match entered.get(..7) {
        Some(word) if word.eq_ignore_ascii_case("bearer ") => {
            entered.get(7..).unwrap_or_default().trim_start()
        }
        _ => entered,
    }
}

/// Decodes a part of a token: base64url without padding (RFC 7515 section 2).
fn part(text: &str) -> Option<String> {
    let mut text = text.replace('-', "+").replace('_', "/");
    while !text.len().is_multiple_of(4) {
        text.push('=');
    }
    String::from_utf8(base64::decode(&text)?).ok()
}

/// Returns header and claims of a token in the compact form (RFC 7515 section 7.1), as written.
#[must_use]
pub fn parts(entered: &str) -> Option<[String; 2]> {
    let token = bare(entered);
    if token.contains(char::is_whitespace) {
        return None;
    }
    let mut parts = token.split('.');
    let (header, claims, _, None) = (parts.next()?, parts.next()?, parts.next()?, parts.next())
    else {
        return None;
    };
    Some([part(header)?, part(claims)?])
}

impl Token {
    /// Reads what the user entered.
    ///
    /// # Errors
    /// Why it is not a token; empty if nothing was entered.
    pub fn read(entered: &str) -> Result<Self, &'static str> {
        let compact = bare(entered);
        if compact.is_empty() {
            return Err("");
        }
        if compact.split('.').count() == 5 {
            return Err(
                "It has five parts: it is encrypted (JWE), but the gateway accepts signed ones only.",
            );
        }
        let Some([header, claims]) = parts(compact) else {
            return Err(
                "This is not a token: it needs three parts with full stops between them, in base64url.",
            );
        };
        let (algorithm, kid) = {
            let object = |text| parse(text).ok().filter(is_object);
            let (Some(read), Some(_)) = (object(&header), object(&claims)) else {
                return Err("Its header or its claims are not a JSON object.");
            };
            let text = |name| read.str(name).map(str::to_owned);
            (text("alg").unwrap_or_default(), text("kid"))
        };
        Ok(Self {
            compact: compact.to_owned(),
            header,
            claims,
            algorithm,
            kid,
        })
    }

    /// Returns the most important claims in reading order: labels and values.
    #[must_use]
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        let claims = parse(&self.claims).ok();
        let claim = |name: &str| {
            let claim = claims.as_ref()?.member(name)?;
            let value = &claim.value;
            let text = match &value.kind {
                Kind::String(text) => text.to_string(),
                Kind::Array(_) => scopes::words(value).join(", "),
                _ => value.span.of(&self.claims).to_owned(),
            };
            (!text.is_empty()).then_some(text)
        };
        let algorithm = Some(self.algorithm.clone()).filter(|text| !text.is_empty());
        let facts = [
            (
                "Signed by",
                algorithm.or_else(|| Some("nothing".to_owned())),
            ),
            ("Key", self.kid.clone()),
            ("Issuer", claim("iss")),
            ("Subject", claim("sub")),
            ("Audience", claim("aud")),
            ("Client", claim("azp").or_else(|| claim("client_id"))),
            ("Id", claim("jti")),
        ];
        let some = |(name, text): (&'static str, Option<String>)| Some((name, text?));
        facts.into_iter().filter_map(some).collect()
    }

    /// Returns its times, in words.
    #[must_use]
    pub fn times(&self, now_ms: f64) -> Vec<Time> {
        let Ok(claims) = parse(&self.claims) else {
            return Vec::new();
        };
        let time = |(claim, does, did, is_bad): Known| {
            let seconds = seconds(claims.get(claim)?, &self.claims)?;
            #[expect(
                clippy::cast_precision_loss,
                reason = "times are far below 2^53 seconds"
            )]
            let at_ms = seconds as f64 * 1000.0;
            let is_ahead = at_ms > now_ms;
            let description = match is_ahead {
                true => format!("{does} {}", until(now_ms, at_ms)),
                false => format!("{did} {}", relative(now_ms, at_ms)),
            };
            Some(Time {
                claim: claim.to_owned(),
                description,
                seconds,
                is_bad: is_bad(is_ahead),
            })
        };
        let known: [Known; 4] = [
            ("iat", "issued", "issued", |ahead| ahead),
            ("nbf", "begins", "began", |ahead| ahead),
            ("exp", "expires", "expired", |ahead| !ahead),
            ("auth_time", "logged in", "logged in", |_| false),
        ];
        known.into_iter().filter_map(time).collect()
    }

    /// Whether it never expires.
    #[must_use]
    pub fn is_endless(&self) -> bool {
        parse(&self.claims).is_ok_and(|claims| claims.get("exp").is_none())
    }

    /// Returns its issuer.
    #[must_use]
    pub fn issuer(&self) -> String {
        let claims = parse(&self.claims);
        let issuer = claims.as_ref().ok().and_then(|claims| claims.str("iss"));
        issuer.unwrap_or_default().to_owned()
    }
}

fn is_object(value: &Value<'_>) -> bool {
    matches!(value.kind, Kind::Object(_))
}

/// Reads a time in whole seconds; it may be written with a fraction (RFC 7519 section 2, *NumericDate*).
fn seconds(value: &Value<'_>, source: &str) -> Option<i64> {
    let text = value.span.of(source);
    let text = text.split_once('.').map_or(text, |(whole, _)| whole);
    text.parse().ok()
}

/// A claim with a time: its name, what happens then, what has happened if it is past, and whether it is a reason to
/// refuse the token, given whether it is in the future.
type Known = (&'static str, &'static str, &'static str, fn(bool) -> bool);

/// A time in a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Time {
    /// The name of its claim.
    pub claim: String,
    /// What happens then, and how far away that is.
    pub description: String,
    /// Unix seconds.
    pub seconds: i64,
    /// Whether it is a reason to refuse the token, by this browser's clock and without any tolerance for clock skew.
    pub is_bad: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[allow(
        clippy::arithmetic_side_effects,
        reason = "three bytes fit into 24 bits"
    )]
    pub(super) fn encoded(text: &str) -> String {
        const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        let mut out = String::new();
        for chunk in text.as_bytes().chunks(3) {
            let byte = |at: usize| u32::from(chunk.get(at).copied().unwrap_or_default());
            let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
            for at in 0..=chunk.len() {
                let letter = (bits >> (18 - 6 * at)) & 63;
                out.push(char::from(LETTERS[letter as usize]));
            }
        }
        out
    }

    pub(super) fn token(header: &str, claims: &str) -> Token {
        Token::read(&format!(
            "Bearer {}.{}.c2ln",
            encoded(header),
            encoded(claims)
        ))
        .unwrap()
    }

    pub(super) const HEADER: &str = r#"{"alg":"RS256","kid":"k1"}"#;

    #[test]
    fn token_is_decoded_with_its_claims() {
        let token = token(
            HEADER,
            r#"{"iss":"https://a/","sub":"ann","aud":["x","y"],"iat":900,"nbf":1100,"exp":1000.5,"n":1.0}"#,
        );
        assert_eq!(
            token.facts(),
            [
                ("Signed by", "RS256"),
                ("Key", "k1"),
                ("Issuer", "https://a/"),
                ("Subject", "ann"),
                ("Audience", "x, y")
            ]
            .map(|(name, text)| (name, text.to_owned()))
        );
        let times = token.times(1_060_000.0);
        let said: Vec<(&str, &str, bool)> = times
            .iter()
            .map(|time| (&*time.claim, &*time.description, time.is_bad))
            .collect();
        assert_eq!(
            said,
            [
                ("iat", "issued 3 min ago", false),
                ("nbf", "begins in 40 s", true),
                ("exp", "expired 1 min ago", true)
            ]
        );
        assert!(!token.is_endless());
        assert!(token.claims.contains("1.0"), "it stays as it is written");
        assert_eq!(token.issuer(), "https://a/");
    }

    #[test]
    fn non_tokens_are_identified() {
        assert_eq!(Token::read(" "), Err(""));
        let object = encoded("{}");
        for (entered, part) in [
            ("a.b.c.d.e".to_owned(), "encrypted"),
            ("abc".to_owned(), "three parts"),
            (format!("{object}.{object}"), "three parts"),
            (format!("{}.{object}.x", encoded("[]")), "not a JSON object"),
            (format!("{object}.{}.x", encoded("1")), "not a JSON object"),
        ] {
            assert!(
                Token::read(&entered).unwrap_err().contains(part),
                "{entered}"
            );
        }
        assert!(token("{}", "{}").is_endless());
    }
}
