//! JSON Web Tokens (reference 3.9).

use crate::claims::{self, Skews};
use crate::facts::{Facts, Provider};
use crate::jose::{ASYMMETRIC, Algorithm, Family, Parts, Token, WrongAlgorithm, families};
use crate::keys::{Key, Source, is_signed, of_bytes};
use crate::policies::{self, Scopes};
use crate::report::{Good, Report, Stop};
use crate::wishes::Wishes;
use crate::{rules, sets};
use gatewright_model::json::Value;

const NOT_AUTHORIZED: &str = "Key not authorized";

fn refused(note: &str) -> Stop {
    Stop::refused(403, NOT_AUTHORIZED, note).flagged("TKI")
}

/// The sources of an API's keys.
#[derive(Debug)]
struct Keys {
    source: Source,
    sets: Vec<sets::Address>,
}

impl Keys {
    fn read(settings: &Value<'_>) -> Self {
        let uris = settings.get("jwt_jwks_uris").map(Value::items);
        let uris = uris.unwrap_or_default().iter();
        let address = |uri: &Value<'_>| {
            let url = uri.str("url").filter(|url| !url.is_empty())?;
            let cache_seconds = uri.str("cache_timeout").and_then(duration);
            Some((url.to_owned(), cache_seconds.unwrap_or(sets::SECONDS)))
        };
        let mut sets: Vec<sets::Address> = uris.filter_map(address).collect();
        let mut source = Source::read(settings.str("jwt_source").unwrap_or_default());
        if let (Source::Set(url), true) = (&source, sets.is_empty()) {
            sets.push((url.clone(), sets::SECONDS));
        }
        if !sets.is_empty() {
            source = Source::None;
        }
        Self { source, sets }
    }

    /// Whether there are none, so that each token is signed with the secret of the key it names.
    fn is_none(&self) -> bool {
        self.source == Source::None && self.sets.is_empty()
    }
}

/// Parses a duration such as `90s` or `1h30m` into seconds; `None` if it is malformed or 0.
fn duration(text: &str) -> Option<i64> {
    let mut sum: i64 = 0;
    let mut number: Option<i64> = None;
    let mut rest = text.trim().chars().peekable();
    while let Some(letter) = rest.next() {
        if let Some(digit) = letter.to_digit(10) {
            let tens = number.unwrap_or_default().checked_mul(10)?;
            number = Some(tens.checked_add(i64::from(digit))?);
            continue;
        }
        let unit = match letter {
            'h' => 3600,
            'm' if rest.peek() == Some(&'s') => {
                rest.next();
                0
            }
            'm' => 60,
            's' => 1,
            _ => return None,
        };
        sum = sum.checked_add(number.take()?.checked_mul(unit)?)?;
    }
    (number.is_none() && sum > 0).then_some(sum)
}

fn skews(settings: &Value<'_>) -> Skews {
    let skew = |name: &str| settings.int(name).unwrap_or_default().max(0);
    Skews {
        expires: skew("jwt_expires_at_validation_skew"),
        not_before: skew("jwt_not_before_validation_skew"),
        issued: skew("jwt_issued_at_validation_skew"),
    }
}

/// Returns the identity that a token names, or the message for a token that names none.
pub(crate) fn identity(settings: &Value<'_>, claims: &Value<'_>) -> Result<String, String> {
    let mut names = policies::texts(settings.get("jwt_subject_claims"));
    if names.is_empty() {
        let name = settings.str("jwt_identity_base_field").unwrap_or_default();
        names.extend((!name.is_empty()).then(|| name.to_owned()));
    }
    // The subject is the last of a document's claims.
    names.extend((settings.bool("is_oas") == Some(true)).then(|| "sub".to_owned()));
    for name in names {
        match claims::text(claims, &name) {
            None => {}
            Some("") => {
                return Err(format!(
                    "found an empty user ID in predefined base claim, claim: {name}"
                ));
            }
            Some(identity) => return Ok(identity.to_owned()),
        }
    }
    match claims.str("sub") {
        None => Err("no suitable claims for user ID were found".to_owned()),
        Some("") => Err("found an empty user ID in sub claim".to_owned()),
        Some(identity) => Ok(identity.to_owned()),
    }
}

/// Returns a token's algorithm, if the definition expects it.
pub fn algorithm<'t>(
    token: &Token<'t>,
    expected: Option<&[Family]>,
) -> Result<&'static Algorithm, Stop> {
    let found = token.algorithm(expected.unwrap_or_default());
    found.map_err(|wrong| match wrong {
        WrongAlgorithm::Unknown => refused("Its algorithm is none that is known here"),
        WrongAlgorithm::Unexpected => Stop::refused(
            403,
            "Key not authorized: Unexpected signing method",
            "Its algorithm is none of those that the definition expects (jwt_signing_method)",
        )
        .flagged("TKI"),
    })
}

/// Proves a JSON Web Token.
///
/// # Errors
/// What has to happen first, or why the token is refused.
pub fn prove(
    settings: &Value<'_>,
    facts: &Facts<'_>,
    wishes: &mut Wishes<'_>,
) -> Result<Report, Stop> {
    let Some(sent) = facts.bearer() else {
        return Err(Stop::missing(400, "Authorization field missing"));
    };
    let parts = Parts::of(sent);
    let token = parts.as_ref().and_then(Parts::read);
    let token = token.ok_or_else(|| refused("It is no JSON Web Token in its compact form"))?;
    let method = settings.str("jwt_signing_method").unwrap_or_default();
    let mut keys = Keys::read(settings);
    let mut expected = families(method);
    // A source in the definition takes precedence over those of client identity providers.
    if keys.is_none() {
        let providers = providers(settings, facts, &token.claims).into_iter();
        let with_keys = providers.filter(|provider| !provider.keys.is_empty());
        let address = |provider: Provider<'_>| (provider.keys.to_owned(), sets::SECONDS);
        keys.sets = with_keys.map(address).collect();
        if !keys.is_none() && method.is_empty() {
            expected = Some(ASYMMETRIC);
        }
    }
    let algorithm = algorithm(&token, expected)?;
    if keys.is_none() {
        return own(settings, facts, (&token, algorithm), wishes);
    }
    let key = match &keys.source {
        Source::Bytes(bytes) => of_bytes(bytes, algorithm),
        _ => sets::key(&keys.sets, (&token, algorithm), true, wishes)?.ok(),
    };
    check_signature((&token, algorithm), key.as_ref(), wishes)?;
    check(settings, facts, &token)?;
    let identity = identity(settings, &token.claims);
    let identity = identity.map_err(|message| Stop::refused(403, message, ""))?;
    derived(settings, facts, &token, &identity)
}

/// Returns the API's client identity providers that a token may come from: those with its issuer, else those that
/// accept any issuer.
fn providers<'f>(
    settings: &Value<'_>,
    facts: &'f Facts<'_>,
    claims: &Value<'_>,
) -> Vec<Provider<'f>> {
    let api = settings.str("api_id").unwrap_or_default();
    let issuer = claims.str("iss").unwrap_or_default();
    let all = facts.providers(api);
    let fits = |provider: &Provider<'_>| provider.issuer.is_empty() || provider.issuer == issuer;
    let mut found: Vec<Provider<'f>> = all.filter(fits).collect();
    if found.iter().any(|provider| !provider.issuer.is_empty()) {
        found.retain(|provider| !provider.issuer.is_empty());
    }
    found
}

fn check_signature(
    (token, algorithm): (&Token<'_>, &Algorithm),
    key: Option<&Key>,
    wishes: &mut Wishes<'_>,
) -> Result<(), Stop> {
    let key =
        key.ok_or_else(|| refused("There is no key for it, or none that its algorithm can use"))?;
    match is_signed(token, algorithm, key, wishes)? {
        true => Ok(()),
        false => Err(refused("Its signature is not made with the key")),
    }
}

/// Checks the times of a token, and the claims that the definition requires.
fn check(settings: &Value<'_>, facts: &Facts<'_>, token: &Token<'_>) -> Result<(), Stop> {
    let refused =
        |reason: &str| Stop::refused(401, format!("{NOT_AUTHORIZED}: {reason}"), "").flagged("TCV");
    claims::check_times(&token.claims, skews(settings), facts.now).map_err(refused)?;
    rules::check(settings, &token.claims).map_err(|reason| refused(&reason))
}

/// Proves a token that is signed with the secret of the key it names.
fn own(
    settings: &Value<'_>,
    facts: &Facts<'_>,
    (token, algorithm): (&Token<'_>, &'static Algorithm),
    wishes: &mut Wishes<'_>,
) -> Result<Report, Stop> {
    let skips = settings.bool("jwt_skip_kid").unwrap_or_default();
    let named = token.kid().filter(|_| !skips).map(str::to_owned);
    let name = match named {
        Some(kid) => kid,
        None => identity(settings, &token.claims).map_err(|note| refused(&note))?,
    };
    let Some(session) = &facts.session else {
        return Err(Stop::Key(name));
    };
    let secret = session
        .as_ref()
        .and_then(|session| session.pointer("/jwt_data/secret"))
        .and_then(Value::as_str);
    let key = secret.and_then(|secret| of_bytes(secret.as_bytes(), algorithm));
    check_signature((token, algorithm), key.as_ref(), wishes)?;
    check(settings, facts, token)?;
    Ok(Report::Stored(good(settings, facts, token)))
}

fn good(settings: &Value<'_>, facts: &Facts<'_>, token: &Token<'_>) -> Good {
    Good {
        until: claims::ends(&token.claims, skews(settings)),
        remembered: Some(facts.now),
        claims: claims::variables(&token.claims, Some(&token.header)),
    }
}

/// Returns the scopes that the definition maps to policies; the older members apply if the newer ones are unset.
fn scopes<'a>(settings: &'a Value<'_>) -> Scopes<'a> {
    let newer = settings.pointer("/scopes/jwt");
    let mapping = newer.and_then(|newer| newer.get("scope_to_policy"));
    let has_newer = mapping.is_some_and(|mapping| !mapping.members().is_empty());
    let mut scopes = match (newer, has_newer) {
        (Some(newer), true) => Scopes::read(newer.str("scope_claim_name"), mapping),
        _ => Scopes::read(
            settings.str("jwt_scope_claim_name"),
            settings.get("jwt_scope_to_policy_mapping"),
        ),
    };
    let several = policies::texts(settings.get("jwt_scope_claims"));
    if !several.is_empty() {
        scopes.claims = several;
    }
    scopes
}

/// Returns the policy that a token names, in a claim or through a key that it names.
fn base(
    settings: &Value<'_>,
    facts: &Facts<'_>,
    claims: &Value<'_>,
) -> Result<Option<String>, Stop> {
    let mut names = policies::texts(settings.get("jwt_base_policy_claims"));
    let older = settings.str("jwt_policy_field_name").unwrap_or_default();
    names.extend((names.is_empty() && !older.is_empty()).then(|| older.to_owned()));
    if !names.is_empty() {
        let mut found = names.iter().filter_map(|name| claims::text(claims, name));
        return Ok(found.find(|id| !id.is_empty()).map(str::to_owned));
    }
    let client = settings.str("jwt_client_base_field").unwrap_or_default();
    let client = claims::text(claims, client).filter(|client| !client.is_empty());
    let Some(client) = client else {
        return Ok(None);
    };
    let Some(session) = &facts.session else {
        return Err(Stop::Key(client.to_owned()));
    };
    let of = |session: &Value<'_>| {
        let first = policies::texts(session.get("apply_policies"))
            .into_iter()
            .next();
        let older = session.str("apply_policy_id").filter(|id| !id.is_empty());
        first.or_else(|| older.map(str::to_owned))
    };
    Ok(session.as_ref().and_then(of))
}

/// Derives the session of an identity known only from the token.
fn derived(
    settings: &Value<'_>,
    facts: &Facts<'_>,
    token: &Token<'_>,
    identity: &str,
) -> Result<Report, Stop> {
    let base = base(settings, facts, &token.claims)?;
    let defaults = policies::texts(settings.get("jwt_default_policies"));
    let mut mappings = vec![scopes(settings)];
    let providers = providers(settings, facts, &token.claims).into_iter();
    mappings.extend(providers.map(|provider| provider.scopes));
    let policies = policies::named(base.as_deref(), &defaults, &mappings, &token.claims)?;
    let by_scopes = base.is_none() && policies != defaults;
    // As in the family, the first default policy stands for the one that the token does not name.
    let base = base.or_else(|| defaults.into_iter().next().filter(|_| !by_scopes));
    let mut good = good(settings, facts, token);
    // The key may have another policy by the next request.
    if facts.session.is_some() {
        good.remembered = None;
    }
    Ok(Report::Derived {
        token: policies::virtual_key(&facts.org, identity),
        session: policies::session(identity, good.until),
        policies,
        base,
        no_policy_message: match by_scopes {
            true => "key not authorized: could not apply several policies",
            false => "",
        },
        good,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_parsed() {
        for (text, seconds) in [
            ("90s", Some(90)),
            ("10m", Some(600)),
            ("1h30m", Some(5400)),
            ("1m500ms", Some(60)),
            ("0", None),
            ("", None),
            ("0s", None),
            ("5", None),
            ("s", None),
            ("1d", None),
        ] {
            assert_eq!(duration(text), seconds, "{text}");
        }
    }
}
