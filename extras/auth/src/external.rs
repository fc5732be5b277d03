//! Tokens of another provider's OAuth 2.0 server (reference 3.10): JSON Web Tokens, or tokens to introspect (RFC 7662).

use crate::claims::{self, Skews};
use crate::facts::Facts;
use crate::jose::{Parts, families};
use crate::keys::{Source, is_signed, of_bytes};
use crate::policies;
use crate::report::{Good, Report, Stop};
use crate::sets;
use crate::wishes::{Fetch, Wishes};
use gatewright_model::json::{Kind, Value, parse, quote};

fn invalid(note: &str) -> Stop {
    Stop::refused(401, "access token is not valid", note)
}

fn failed(note: &str) -> Stop {
    Stop::refused(
        500,
        "error happened during the access token validation",
        note,
    )
}

fn is_on(method: Option<&Value<'_>>) -> bool {
    method.is_some_and(|method| method.bool("enabled") == Some(true))
}

/// Proves a token.
///
/// # Errors
/// What has to happen first, or why the token is refused.
pub fn prove(
    settings: &Value<'_>,
    facts: &Facts<'_>,
    wishes: &mut Wishes<'_>,
) -> Result<Report, Stop> {
    let Some(sent) = facts.bearer() else {
        return Err(Stop::missing(400, "authorization field missing"));
    };
    // The family uses only the first provider.
    let provider = settings.pointer("/external_oauth/providers/0");
    if provider.is_none() {
        let message = "there should be at least one provider configured";
        return Err(Stop::refused(404, message, ""));
    }
    let jwt = provider.and_then(|provider| provider.get("jwt"));
    let introspection = provider.and_then(|provider| provider.get("introspection"));
    let (identity, good) = match (jwt, introspection) {
        (Some(jwt), _) if is_on(Some(jwt)) => of_token(jwt, facts, sent, wishes)?,
        (_, Some(asked)) if is_on(Some(asked)) => of_answer(asked, facts, sent, wishes)?,
        _ => {
            return Err(Stop::refused(
                500,
                "access token validation method is not specified",
                "The provider of external_oauth has neither jwt nor introspection switched on",
            ));
        }
    };
    Ok(Report::Derived {
        token: policies::virtual_key(&facts.org, &identity),
        session: session(settings, &identity, good.until),
        policies: Vec::new(),
        base: None,
        no_policy_message: "",
        good,
    })
}

/// Returns a session that opens the API without limits.
fn session(settings: &Value<'_>, identity: &str, expires: Option<i64>) -> String {
    let text = |name: &str| quote(settings.str(name).unwrap_or_default());
    let (id, name, identity) = (text("api_id"), text("name"), quote(identity));
    let versions = policies::texts(settings.get("versions"));
    let versions: Vec<String> = versions.iter().map(|version| quote(version)).collect();
    let expires = expires.map_or_else(String::new, |expires| format!(",\"expires\":{expires}"));
    format!(
        "{{\"alias\":{identity},\"quota_max\":-1,\"access_rights\":{{{id}:{{\"api_id\":{id},\
         \"api_name\":{name},\"versions\":[{}]}}}}{expires}}}",
        versions.join(",")
    )
}

/// Returns the identity in the claim that the definition names, else the subject. An empty one identifies nobody.
fn identity(settings: &Value<'_>, claims: &Value<'_>) -> Result<String, Stop> {
    let field = settings.str("identity_base_field").unwrap_or_default();
    let named = claims::text(claims, field).or_else(|| claims.str("sub"));
    let identity = named.filter(|text| !text.is_empty()).map(str::to_owned);
    identity.ok_or_else(|| invalid("It does not say whose it is"))
}

fn of_token(
    settings: &Value<'_>,
    facts: &Facts<'_>,
    sent: &str,
    wishes: &mut Wishes<'_>,
) -> Result<(String, Good), Stop> {
    let parts = Parts::of(sent);
    let token = parts.as_ref().and_then(Parts::read);
    let token = token.ok_or_else(|| invalid("It is no JSON Web Token in its compact form"))?;
    let method = settings.str("signing_method").unwrap_or_default();
    let algorithm = token
        .algorithm(families(method).unwrap_or_default())
        .map_err(|_| invalid("Its algorithm is none of those that the definition expects"))?;
    let key = match Source::read(settings.str("source").unwrap_or_default()) {
        Source::Set(url) => {
            let set = [(url, sets::SECONDS)];
            match sets::key(&set, (&token, algorithm), true, wishes)? {
                Err(sets::Missing::Set) => {
                    return Err(failed("The keys of the provider are not available"));
                }
                found => found.ok(),
            }
        }
        Source::Bytes(bytes) => of_bytes(&bytes, algorithm),
        Source::None | Source::Unusable => {
            return Err(failed("The provider of external_oauth has no usable key"));
        }
    };
    let key = key.ok_or_else(|| invalid("There is no key for it"))?;
    if !is_signed(&token, algorithm, &key, wishes)? {
        return Err(invalid("Its signature is not made with the key"));
    }
    let skew = |name: &str| settings.int(name).unwrap_or_default().max(0);
    let skews = Skews {
        expires: skew("expires_at_validation_skew"),
        not_before: skew("not_before_validation_skew"),
        issued: skew("issued_at_validation_skew"),
    };
    let checked = claims::check_times(&token.claims, skews, facts.now);
    checked.map_err(|reason| Stop::refused(401, format!("key not authorized: {reason}"), ""))?;
    let good = Good {
        until: claims::ends(&token.claims, skews),
        remembered: Some(facts.now),
        claims: claims::variables(&token.claims, Some(&token.header)),
    };
    Ok((identity(settings, &token.claims)?, good))
}

fn of_answer(
    settings: &Value<'_>,
    facts: &Facts<'_>,
    sent: &str,
    wishes: &mut Wishes<'_>,
) -> Result<(String, Good), Stop> {
    let text = |name: &str| settings.str(name).unwrap_or_default();
    let mut form = form_urlencoded::Serializer::new(String::new());
    form.append_pair("client_id", text("client_id"));
    form.append_pair("client_secret", text("client_secret"));
    form.append_pair("token", sent);
    let cache = settings.get("cache");
    let is_cached = is_on(cache);
    let timeout = cache
        .and_then(|cache| cache.int("timeout"))
        .unwrap_or_default();
    let seconds = match (is_cached, timeout) {
        (false, _) => 0,
        (true, ..=0) => i64::MAX,
        (true, timeout) => timeout,
    };
    let asked = wishes.fetch(Fetch {
        url: text("url"),
        form: &form.finish(),
        seconds,
    })?;
    let answer = asked.good().and_then(|text| parse(text).ok());
    let answer = answer.ok_or_else(|| failed("The provider has not answered"))?;
    let active = answer.get("active").map(|active| &active.kind);
    match active {
        Some(Kind::Bool(true)) => {}
        Some(Kind::Bool(false)) => return Err(invalid("The provider says that it is not active")),
        _ => return Err(failed("The provider does not say whether it is active")),
    }
    let none = Skews::default();
    let checked = claims::check_times(&answer, none, facts.now);
    checked.map_err(|reason| Stop::refused(401, format!("key not authorized: {reason}"), ""))?;
    let identity = identity(settings, &answer)?;
    let good = Good {
        until: claims::ends(&answer, none),
        // The platform caches responses, because it knows their age.
        remembered: None,
        claims: claims::variables(&answer, None),
    };
    Ok((identity, good))
}
