//! Tokens of OpenID Connect providers (OpenID Connect Core 1.0 section 3.1.3.7).

use crate::claims::{self, Skews};
use crate::facts::Facts;
use crate::jose::{ASYMMETRIC, Parts};
use crate::keys::{base64, is_signed};
use crate::policies::{self, Scopes};
use crate::report::{Good, Report, Stop};
use crate::sets;
use crate::wishes::{Fetch, Wishes};
use gatewright_model::json::{Kind, Value, parse, quote};

fn refused(note: &str) -> Stop {
    Stop::refused(401, "Key not authorised", note)
}

/// Returns the address of a provider's keys from its configuration (OpenID Connect Discovery 1.0 section 4).
fn key_set(issuer: &str, wishes: &mut Wishes<'_>) -> Result<String, Stop> {
    let url = format!(
        "{}/.well-known/openid-configuration",
        issuer.trim_end_matches('/')
    );
    let fetched = wishes.fetch(Fetch {
        url: &url,
        form: "",
        seconds: sets::SECONDS,
    })?;
    let text = fetched.good().unwrap_or_default();
    let found = parse(text).ok().and_then(|found| {
        let is_same = found.str("issuer") == Some(issuer);
        is_same.then(|| found.str("jwks_uri").map(str::to_owned))?
    });
    found.ok_or_else(|| refused("Its provider does not say where its keys are"))
}

/// Returns the first client in a token's audience that is accepted for the provider, with its policy.
fn client(provider: &Value<'_>, claims: &Value<'_>) -> Option<(String, String)> {
    let audience = claims.get("aud")?;
    let audiences: Vec<&str> = match &audience.kind {
        Kind::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        _ => audience.as_str().into_iter().collect(),
    };
    let clients = provider.get("client_ids")?.members().iter();
    let named = clients.filter_map(|member| {
        let id = String::from_utf8(base64(&member.name)?).ok()?;
        Some((id, member.value.as_str()?.to_owned()))
    });
    let named: Vec<(String, String)> = named.collect();
    let of = |audience: &&str| named.iter().find(|(id, _)| id == audience).cloned();
    audiences.iter().find_map(of)
}

/// Returns the session of a user, before policies are applied: its alias and its metadata name the client too, as in the
/// reference.
fn session(subject: &str, client: &str, until: i64) -> String {
    let alias = quote(&format!("{client}:{subject}"));
    let client = quote(client);
    format!("{{\"alias\":{alias},\"expires\":{until},\"meta_data\":{{\"ClientID\":{client}}}}}")
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
        return Err(Stop::missing(401, "Key not authorised"));
    };
    let parts = Parts::of(sent);
    let token = parts.as_ref().and_then(Parts::read);
    let token = token.ok_or_else(|| refused("It is no JSON Web Token in its compact form"))?;
    let algorithm = token
        .algorithm(ASYMMETRIC)
        .map_err(|_| refused("Its algorithm is none that a provider signs with"))?;
    let claims = &token.claims;
    let providers = settings.pointer("/openid_options/providers");
    let mut providers = providers.map(Value::items).unwrap_or_default().iter();
    let issuer = claims.str("iss").filter(|issuer| !issuer.is_empty());
    let provider = issuer.and_then(|issuer| {
        let provider = providers.find(|known| known.str("issuer") == Some(issuer))?;
        Some((issuer, provider))
    });
    let (issuer, provider) =
        provider.ok_or_else(|| refused("It is of no provider that the definition names"))?;
    let client = client(provider, claims);
    let (client, policy) =
        client.ok_or_else(|| refused("It is for no client that the definition names"))?;
    let set = (key_set(issuer, wishes)?, sets::SECONDS);
    let key = sets::key(&[set], (&token, algorithm), false, wishes)?;
    let key = key.map_err(|_| refused("There is no key for it among those of its provider"))?;
    if !is_signed(&token, algorithm, &key, wishes)? {
        return Err(refused(
            "Its signature is not made with the key of its provider",
        ));
    }
    let none = Skews::default();
    claims::check_times(claims, none, facts.now).map_err(refused)?;
    let until = claims::ends(claims, none);
    let until = until.ok_or_else(|| refused("It never expires"))?;
    let subject = claims.str("sub").filter(|subject| !subject.is_empty());
    let subject = subject.ok_or_else(|| refused("It does not say whose it is"))?;
    let good = Good {
        until: Some(until),
        remembered: Some(facts.now),
        claims: claims::variables(claims, Some(&token.header)),
    };
    let segregates = settings.pointer("/openid_options/segregate_by_client");
    let identity = match segregates.is_some_and(|on| on.kind == Kind::Bool(true)) {
        true => format!("{subject}{client}"),
        false => subject.to_owned(),
    };
    let scopes = settings.pointer("/scopes/oidc");
    let scopes = Scopes::read(
        scopes.and_then(|scopes| scopes.str("scope_claim_name")),
        scopes.and_then(|scopes| scopes.get("scope_to_policy")),
    );
    if policy.is_empty() && scopes.mapping.is_empty() {
        return Err(refused("The definition has no policy for its client"));
    }
    // Mapped scopes replace the policy of the client.
    let base = Some(policy.as_str()).filter(|id| !id.is_empty() && scopes.mapping.is_empty());
    let policies = policies::named(base, &[], &[scopes], claims)?;
    Ok(Report::Derived {
        token: policies::virtual_key(&facts.org, &identity),
        session: session(subject, &client, until),
        policies,
        base: base.map(str::to_owned),
        no_policy_message: match base {
            Some(_) => "Key not authorized: no matching policy",
            None => "Key not authorized: could not apply new policy",
        },
        good,
    })
}
