//! The claims that a definition requires of a token (reference 3.9, *OAS claim rules*).

use crate::claims::claim;
use crate::jwt::identity;
use gatewright_model::json::{Kind, Value, decimal};

fn list(settings: &Value<'_>, name: &str) -> Vec<String> {
    crate::policies::texts(settings.get(name))
}

/// Checks the claims of a token.
///
/// # Errors
/// What is wrong with it, in the reference's words.
pub fn check(settings: &Value<'_>, claims: &Value<'_>) -> Result<(), String> {
    issuer(&list(settings, "jwt_allowed_issuers"), claims)?;
    audience(&list(settings, "jwt_allowed_audiences"), claims)?;
    let wants_id = settings.pointer("/jwt_jti_validation/enabled");
    let has_id = claims.member("jti").is_some();
    if wants_id.is_some_and(|wanted| wanted.kind == Kind::Bool(true)) && !has_id {
        return Err("JWT ID (jti) claim is required but not present in token".to_owned());
    }
    let subjects = list(settings, "jwt_allowed_subjects");
    if !subjects.is_empty() {
        let subject = identity(settings, claims)?;
        if !subjects.contains(&subject) {
            return Err(format!("invalid subject value: {subject}"));
        }
    }
    let rules = settings.get("jwt_custom_claim_validation");
    for rule in rules.map(Value::members).unwrap_or_default() {
        let is_loose = rule.value.bool("nonBlocking").unwrap_or_default();
        match custom(&rule.name, &rule.value, claims) {
            Err(reason) if !is_loose => return Err(reason),
            _ => {}
        }
    }
    Ok(())
}

fn issuer(allowed: &[String], claims: &Value<'_>) -> Result<(), String> {
    if allowed.is_empty() {
        return Ok(());
    }
    let Some(issuer) = claims.member("iss") else {
        return Err("issuer claim is required but not present in token".to_owned());
    };
    match issuer.value.as_str() {
        None => Err("issuer claim must be a string".to_owned()),
        Some(issuer) if allowed.iter().any(|known| known == issuer) => Ok(()),
        Some(issuer) => Err(format!("invalid issuer claim: {issuer}")),
    }
}

fn audience(allowed: &[String], claims: &Value<'_>) -> Result<(), String> {
    if allowed.is_empty() {
        return Ok(());
    }
    let audiences: Vec<&str> = match claims.member("aud").map(|member| &member.value.kind) {
        None => return Err("audience claim is required but not present in token".to_owned()),
        Some(Kind::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
        Some(Kind::String(audience)) => vec![audience],
        Some(_) => return Err("invalid audience claim format".to_owned()),
    };
    let known = |audience: &&str| allowed.iter().any(|known| known == audience);
    match audiences.iter().any(known) {
        true => Ok(()),
        false => Err(format!(
            "no matching audience found in token: [{}]",
            audiences.join(" ")
        )),
    }
}

/// Finds what a rule is about: a claim, by its name or path. In a path, numbers are elements of lists.
fn subject<'v, 't>(claims: &'v Value<'t>, name: &str) -> Option<&'v Value<'t>> {
    let step = |at: &'v Value<'t>, part: &str| match at.kind {
        Kind::Array(_) => at.items().get(part.parse::<usize>().ok()?),
        _ => Some(&at.member(part)?.value),
    };
    claim(claims, name).or_else(|| name.split('.').try_fold(claims, step))
}

/// Whether two values are equal, numbers however they are written.
fn equal(one: &Value<'_>, other: &Value<'_>) -> bool {
    match (&one.kind, &other.kind) {
        (Kind::Number(one), Kind::Number(other)) => decimal::compare(one, other).is_eq(),
        _ => one.same(other),
    }
}

/// Checks a rule for a custom claim.
fn custom(name: &str, rule: &Value<'_>, claims: &Value<'_>) -> Result<(), String> {
    let Some(found) = subject(claims, name) else {
        return Err(if name.contains('\\') {
            // No path has an escape.
            format!("invalid claim path: {name}")
        } else {
            format!("custom claim {name} is required but not present in token")
        });
    };
    let allowed = rule.get("allowedValues").map(Value::items);
    let allowed = allowed.unwrap_or_default();
    match rule.str("type").unwrap_or_default() {
        "exact_match" => {
            let fits = allowed.iter().any(|value| equal(value, found));
            fits.then_some(())
                .ok_or_else(|| format!("claim {name} value does not match any expected values"))
        }
        "contains" => {
            let fits = |value: &Value<'_>| match (&found.kind, value.as_str()) {
                (Kind::Array(items), _) => items.iter().any(|item| equal(item, value)),
                (Kind::String(text), Some(part)) => text.contains(part),
                _ => equal(found, value),
            };
            let any = allowed.iter().any(fits);
            any.then_some(())
                .ok_or_else(|| format!("claim {name} value does not contain any expected values"))
        }
        _ if found.is_null() => Err(format!("custom claim {name} expects a non nil value")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatewright_model::json::parse;

    #[test]
    fn each_rule_has_its_message() {
        let settings = r#"{"jwt_allowed_issuers":["i"],"jwt_allowed_audiences":["x","y"],
            "jwt_jti_validation":{"enabled":true},"jwt_allowed_subjects":["s"],
            "jwt_custom_claim_validation":{
                "role":{"type":"exact_match","allowedValues":["admin",7]},
                "user.level":{"type":"contains","allowedValues":["gold"]},
                "tenant":{"type":"required"},
                "beta":{"type":"exact_match","allowedValues":["yes"],"nonBlocking":true}}}"#;
        let settings = parse(settings).unwrap();
        let good = r#""iss":"i","aud":["z","y"],"jti":"1","sub":"s""#;
        let own = r#""role":"admin","user":{"level":"old gold"},"tenant":1"#;
        for (claims, reason) in [
            (format!("{{{good},{own}}}"), ""),
            (
                "{}".to_owned(),
                "issuer claim is required but not present in token",
            ),
            (r#"{"iss":1}"#.to_owned(), "issuer claim must be a string"),
            (
                r#"{"iss":null}"#.to_owned(),
                "issuer claim must be a string",
            ),
            (r#"{"iss":"I"}"#.to_owned(), "invalid issuer claim: I"),
            (
                r#"{"iss":"i"}"#.to_owned(),
                "audience claim is required but not present in token",
            ),
            (
                r#"{"iss":"i","aud":"q"}"#.to_owned(),
                "no matching audience found in token: [q]",
            ),
            (
                r#"{"iss":"i","aud":["q","r"]}"#.to_owned(),
                "no matching audience found in token: [q r]",
            ),
            (
                r#"{"iss":"i","aud":[1]}"#.to_owned(),
                "no matching audience found in token: []",
            ),
            (
                r#"{"iss":"i","aud":7}"#.to_owned(),
                "invalid audience claim format",
            ),
            (
                r#"{"iss":"i","aud":null}"#.to_owned(),
                "invalid audience claim format",
            ),
            (
                r#"{"iss":"i","aud":"x"}"#.to_owned(),
                "JWT ID (jti) claim is required but not present in token",
            ),
            (
                r#"{"iss":"i","aud":"x","jti":null,"sub":"t"}"#.to_owned(),
                "invalid subject value: t",
            ),
            (
                r#"{"iss":"i","aud":"x","jti":"1"}"#.to_owned(),
                "no suitable claims for user ID were found",
            ),
            (
                format!("{{{good}}}"),
                "custom claim role is required but not present in token",
            ),
            (
                format!("{{{good},\"role\":null}}"),
                "claim role value does not match any expected values",
            ),
            (
                format!("{{{good},\"role\":[\"admin\"]}}"),
                "claim role value does not match any expected values",
            ),
            (
                format!("{{{good},\"role\":7}}"),
                "custom claim user.level is required but not present in token",
            ),
            (
                format!("{{{good},\"role\":7,\"user\":{{\"level\":\"g\"}}}}"),
                "claim user.level value does not contain any expected values",
            ),
            (
                format!("{{{good},\"role\":7,\"user\":{{\"level\":null}}}}"),
                "claim user.level value does not contain any expected values",
            ),
            (
                format!(
                    "{{{good},{}}}",
                    own.replace("\"tenant\":1", "\"tenant\":null")
                ),
                "custom claim tenant expects a non nil value",
            ),
            (
                format!("{{{good},\"role\":7,\"user\":{{\"level\":[\"gold\"]}}}}"),
                "custom claim tenant is required but not present in token",
            ),
        ] {
            let checked = check(&settings, &parse(&claims).unwrap());
            assert_eq!(checked.err().unwrap_or_default(), reason, "{claims}");
        }
    }

    #[test]
    fn a_rule_may_name_a_claim_that_is_no_path() {
        let settings = r#"{"jwt_custom_claim_validation":{
            "https://a.example/role":{"type":"required"},"x-tier":{"type":"required"},
            "user\\.name":{"type":"required"}}}"#;
        let settings = parse(settings).unwrap();
        let claims = r#"{"https://a.example/role":1,"x-tier":2,"user":{"name":3}}"#;
        let checked = check(&settings, &parse(claims).unwrap());
        assert_eq!(checked, Err("invalid claim path: user\\.name".to_owned()));
    }

    #[test]
    fn a_rule_may_be_about_an_element_and_numbers_are_numbers() {
        let settings = r#"{"jwt_custom_claim_validation":{
            "level":{"type":"exact_match","allowedValues":[1,2]},
            "user.roles.1":{"type":"exact_match","allowedValues":["admin"]},
            "codes":{"type":"contains","allowedValues":[5.0]},
            "teams.0.id":{"type":"exact_match","allowedValues":[3]},
            "pair":{"type":"exact_match","allowedValues":["a",["a","b"]]}}}"#;
        let settings = parse(settings).unwrap();
        for (claims, reason) in [
            (
                r#"{"level":2.0,"user":{"roles":["x","admin"]},"codes":[4,5],"teams":[{"id":3}],"pair":["a","b"]}"#,
                "",
            ),
            (
                r#"{"level":"2"}"#,
                "claim level value does not match any expected values",
            ),
            (
                r#"{"level":1e0,"user":{"roles":["admin"]}}"#,
                "custom claim user.roles.1 is required but not present in token",
            ),
            (
                r#"{"level":1,"user":{"roles":["x","admin"]},"codes":5}"#,
                "custom claim teams.0.id is required but not present in token",
            ),
            (
                r#"{"level":1,"user":{"roles":["x","admin"]},"codes":5,"teams":[{"id":3}],"pair":["b","a"]}"#,
                "claim pair value does not match any expected values",
            ),
            (
                r#"{"level":1,"user":{"roles":["x","admin"]},"codes":[15]}"#,
                "claim codes value does not contain any expected values",
            ),
        ] {
            let checked = check(&settings, &parse(claims).unwrap());
            assert_eq!(checked.err().unwrap_or_default(), reason, "{claims}");
        }
    }
}
