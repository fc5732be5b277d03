//! The claims of a token: texts, times, and the variables derived from them.

use gatewright_model::amount::Amount;
use gatewright_model::json::{Kind, Value, written};
pub use gatewright_model::scopes::claim;

/// Returns a claim that is a string.
#[must_use]
pub fn text<'v>(claims: &'v Value<'_>, name: &str) -> Option<&'v str> {
    claim(claims, name).and_then(Value::as_str)
}

/// The tolerance of each time, in seconds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Skews {
    /// Of `exp`.
    pub expires: i64,
    /// Of `nbf`.
    pub not_before: i64,
    /// Of `iat`.
    pub issued: i64,
}

/// Returns a time in whole seconds: `None` if it is absent, `Some(None)` if it is not a number. A fraction is left out,
/// as in the reference: the current time has none either, so a token would be refused in the second it was issued.
fn time(claims: &Value<'_>, name: &str) -> Option<Option<i64>> {
    claims.member(name).map(|member| match member.value.kind {
        Kind::Number(_) => Some(Amount::read(&member.value).floor()),
        _ => None,
    })
}

/// Returns when a token expires, in Unix seconds including the skew; `None` for never.
#[must_use]
pub fn ends(claims: &Value<'_>, skews: Skews) -> Option<i64> {
    let time = time(claims, "exp")??;
    Some(time.saturating_add(skews.expires))
}

/// Checks the times of a token (RFC 7519 section 4.1). One that may not be used yet gets only that reason.
///
/// # Errors
/// What is wrong, in the reference's words.
pub fn check_times(claims: &Value<'_>, skews: Skews, now: i64) -> Result<(), &'static str> {
    let begun = |name, skew: i64| {
        let latest = now.saturating_add(skew);
        time(claims, name).is_none_or(|time| time.is_some_and(|time| time <= latest))
    };
    if !begun("nbf", skews.not_before) {
        return Err("token is not valid yet");
    }
    if !begun("iat", skews.issued) {
        return Err("token used before issued");
    }
    let earliest = now.saturating_sub(skews.expires);
    match time(claims, "exp") {
        Some(None) => Err("token has expired"),
        Some(Some(time)) if time <= earliest => Err("token has expired"),
        _ => Ok(()),
    }
}

/// Returns the variables of a token (reference 3.11) as JSON: the fields of its header and its claims, which take
/// precedence over fields of the same name.
#[must_use]
pub fn variables(claims: &Value<'_>, header: Option<&Value<'_>>) -> Vec<(String, String)> {
    let mut variables: Vec<(String, String)> = Vec::new();
    let fields = header.map(Value::members).unwrap_or_default();
    for member in fields.iter().chain(claims.members()) {
        variables.retain(|(name, _)| *name != member.name);
        variables.push((member.name.to_string(), written(&member.value)));
    }
    variables
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatewright_model::json::parse;

    #[test]
    fn times_are_checked_with_a_skew_each() {
        let check = |claims: &str, skews: Skews| check_times(&parse(claims).unwrap(), skews, 1000);
        let none = Skews::default();
        let some = Skews {
            expires: 5,
            not_before: 6,
            issued: 7,
        };
        for (claims, plain, skewed) in [
            ("{}", Ok(()), Ok(())),
            (r#"{"exp":1001,"nbf":1000,"iat":1000}"#, Ok(()), Ok(())),
            (
                r#"{"exp":1001.9,"nbf":1000.9,"iat":1000.9}"#,
                Ok(()),
                Ok(()),
            ),
            (r#"{"exp":1000.9}"#, Err("token has expired"), Ok(())),
            (r#"{"nbf":1001}"#, Err("token is not valid yet"), Ok(())),
            (r#"{"iat":1001}"#, Err("token used before issued"), Ok(())),
            (r#"{"exp":1000}"#, Err("token has expired"), Ok(())),
            (
                r#"{"exp":995}"#,
                Err("token has expired"),
                Err("token has expired"),
            ),
            (
                r#"{"exp":"1001"}"#,
                Err("token has expired"),
                Err("token has expired"),
            ),
            (
                r#"{"exp":null}"#,
                Err("token has expired"),
                Err("token has expired"),
            ),
            (r#"{"nbf":1006}"#, Err("token is not valid yet"), Ok(())),
            (
                r#"{"nbf":1007,"exp":1}"#,
                Err("token is not valid yet"),
                Err("token is not valid yet"),
            ),
            (r#"{"iat":1007}"#, Err("token used before issued"), Ok(())),
            (
                r#"{"iat":1008,"exp":1}"#,
                Err("token used before issued"),
                Err("token used before issued"),
            ),
        ] {
            assert_eq!(check(claims, none), plain, "{claims}");
            assert_eq!(check(claims, some), skewed, "{claims}");
        }
    }

    #[test]
    fn a_name_with_dots_is_a_claim_or_a_path() {
        let claims = parse(r#"{"a.b":"name","a":{"b":"path","c":{"d":"deep"}}}"#).unwrap();
        assert_eq!(text(&claims, "a.b"), Some("name"));
        assert_eq!(text(&claims, "a.c.d"), Some("deep"));
        assert_eq!(text(&claims, "a.c"), None);
        assert_eq!(text(&claims, "a.x.d"), None);
    }

    #[test]
    fn claims_take_precedence_over_fields_of_the_header() {
        let claims = r#"{"s":"t","n":4102444800,"e":1e3,"b":true,"l":["a b",1,null],"o":{},"z":null,"alg":"x"}"#;
        let header = parse(r#"{"alg":"HS256","kid":"k"}"#).unwrap();
        let variables = variables(&parse(claims).unwrap(), Some(&header));
        let texts: Vec<String> = variables
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        assert_eq!(
            texts.join(" "),
            r#"kid="k" s="t" n=4102444800 e=1e3 b=true l=["a b",1,null] o={} z=null alg="x""#
        );
    }
}
