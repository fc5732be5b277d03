//! The authorization endpoint: codes, and tokens of the implicit grant (RFC 6749 sections 4.1 and 4.2; RFC 7636).

use super::answer::{Failed, OauthError, object};
use super::issue::{Grounds, are_rules, issue, now};
use super::parameters::Parameters;
use super::{Api, client, execute};
use crate::admin::replies::unexpected;
use crate::config::CODE_SECONDS;
use crate::ports::Platform;
use gatewright_model::order::sorted_by;
use gatewright_protocol::http::Response;
use gatewright_protocol::oauth::{OauthAsk, OauthClient, OauthCode, token_hash};
use serde_json::{Map, Value};

/// Parameters that a request may contain only once.
const ONCE: [&str; 7] = [
    "response_type",
    "client_id",
    "redirect_uri",
    "scope",
    "state",
    "code_challenge",
    "code_challenge_method",
];

/// A valid request that a user may be asked to approve.
pub(super) struct Authorization {
    client: OauthClient,
    redirect_uri: String,
    /// Whether it asks for a token instead of a code (the implicit grant).
    is_token: bool,
    challenge: String,
    method: String,
}

/// Why a request can't be approved, and which address of the client may be sent the error: its first one, once client
/// and response type have been accepted.
pub(super) struct Refused {
    pub(super) why: Failed,
    pub(super) address: Option<String>,
}

impl<E: Into<Failed>> From<E> for Refused {
    fn from(why: E) -> Self {
        let why = why.into();
        Self { why, address: None }
    }
}

/// Checks a request: its response type, its client and its address, in this order.
pub(super) async fn validate<P: Platform>(
    platform: &P,
    api: &Api,
    sent: &Parameters,
) -> Result<Authorization, Refused> {
    let response_type = sent.get("response_type");
    let allowed = api
        .authorize_types
        .iter()
        .any(|known| known == response_type);
    if !allowed || !["code", "token"].contains(&response_type) {
        return Err(OauthError::UnsupportedResponseType.into());
    }
    let found = client(platform, &api.id, sent.get("client_id")).await?;
    let client = found.ok_or(OauthError::ServerError)?;
    if client.redirect_uri.is_empty() {
        return Err(OauthError::UnauthorizedClient.into());
    }
    let is_token = response_type == "token";
    match details(platform, &client, sent, is_token) {
        Ok((redirect_uri, challenge, method)) => Ok(Authorization {
            client,
            redirect_uri,
            is_token,
            challenge,
            method,
        }),
        Err(error) => Err(Refused {
            why: error.into(),
            address: addresses(platform, &client).next().map(str::to_owned),
        }),
    }
}

/// Returns the address that receives the response, and the code challenge with its method.
fn details<P: Platform>(
    platform: &P,
    client: &OauthClient,
    sent: &Parameters,
    is_token: bool,
) -> Result<(String, String, String), OauthError> {
    if sent.has_twice(&ONCE) {
        return Err(OauthError::InvalidRequest);
    }
    let redirect_uri = redirect(platform, client, sent.get("redirect_uri"))?;
    let (challenge, method) = challenge(sent, is_token)?;
    Ok((redirect_uri, challenge, method))
}

/// Builds the response to the login page for a request that can't be approved. Nothing has been sent to the client yet,
/// so the login page decides what to do with `redirect_to`, which contains the state as RFC 6749 section 4.1.2.1
/// requires.
pub(super) fn refused(
    status: u16,
    error: OauthError,
    address: Option<&str>,
    sent: &Parameters,
) -> Response {
    let mut members = error.members();
    let state = sent.get("state");
    if error != OauthError::UnsupportedResponseType && !state.is_empty() {
        members.insert("state".to_owned(), state.into());
    }
    if let Some(address) = address {
        let to = redirected(address, &members, false);
        members.insert("redirect_to".to_owned(), to.into());
    }
    object(status, members)
}

/// Returns the redirect address: one of the client's, compared character by character (RFC 9700 section 2.1), or the
/// first one if the request names none.
fn redirect<P: Platform>(
    platform: &P,
    client: &OauthClient,
    sent: &str,
) -> Result<String, OauthError> {
    let mut known = addresses(platform, client);
    let found = if sent.is_empty() {
        known.next()
    } else {
        known.find(|address| *address == sent)
    };
    found
        .filter(|address| !address.contains('#'))
        .map(str::to_owned)
        .ok_or(OauthError::InvalidRequest)
}

/// Returns the redirect addresses of a client.
pub(super) fn addresses<'c, P: Platform>(
    platform: &P,
    client: &'c OauthClient,
) -> impl Iterator<Item = &'c str> {
    let separator = platform.oauth().separator.clone();
    let mut rest = Some(client.redirect_uri.as_str());
    std::iter::from_fn(move || {
        let text = rest?;
        let split = (!separator.is_empty())
            .then(|| text.split_once(separator.as_str()))
            .flatten();
        rest = split.map(|(_, after)| after);
        Some(split.map_or(text, |(before, _)| before).trim())
    })
}

/// Returns the code challenge and its method (RFC 7636 section 4.3); empty texts if there is none.
fn challenge(sent: &Parameters, is_token: bool) -> Result<(String, String), OauthError> {
    let (challenge, method) = (
        sent.get("code_challenge"),
        sent.get("code_challenge_method"),
    );
    if challenge.is_empty() || is_token {
        return Ok(Default::default());
    }
    let method = if method.is_empty() { "plain" } else { method };
    if !["plain", "S256"].contains(&method) || !is_verifier(challenge) {
        return Err(OauthError::InvalidRequest);
    }
    Ok((challenge.to_owned(), method.to_owned()))
}

/// Whether a text has the syntax of a code verifier or challenge (RFC 7636 section 4.1).
pub(super) fn is_verifier(text: &str) -> bool {
    let unreserved = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    (43..=128).contains(&text.len()) && text.bytes().all(unreserved)
}

/// Issues what the login page's user has approved, and returns the redirect for that user.
pub(super) async fn approved<P: Platform>(
    platform: &P,
    api: &Api,
    sent: &Parameters,
    authorization: &Authorization,
) -> Result<Response, Failed> {
    let made = if authorization.is_token {
        token(platform, api, sent, authorization).await
    } else {
        code(platform, api, sent, authorization).await
    };
    let (status, mut members) = match made {
        Ok(mut members) => {
            if !sent.get("state").is_empty() {
                members.insert("state".to_owned(), sent.get("state").into());
            }
            (200, members)
        }
        Err(Failed::Client(error)) => (platform.oauth().error_status, error.members()),
        Err(failed) => return Err(failed),
    };
    let to = redirected(
        &authorization.redirect_uri,
        &members,
        authorization.is_token,
    );
    members.insert("redirect_to".to_owned(), to.into());
    Ok(object(status, members))
}

async fn code<P: Platform>(
    platform: &P,
    api: &Api,
    sent: &Parameters,
    authorization: &Authorization,
) -> Result<Map<String, Value>, Failed> {
    let rules = sent.get("key_rules");
    let code = platform.random_token();
    let stored = OauthCode {
        code: token_hash(&code),
        api: api.id.clone(),
        client: authorization.client.id.clone(),
        expires: now(platform).saturating_add(CODE_SECONDS),
        redirect_uri: authorization.redirect_uri.clone(),
        scope: sent.get("scope").to_owned(),
        challenge: authorization.challenge.clone(),
        method: authorization.method.clone(),
        rules: if are_rules(rules) { rules } else { "" }.to_owned(),
        used: String::new(),
    };
    execute(platform, &OauthAsk::PutCode(stored))
        .await?
        .ok_or_else(unexpected)?;
    let mut members = Map::new();
    members.insert("code".to_owned(), code.into());
    Ok(members)
}

async fn token<P: Platform>(
    platform: &P,
    api: &Api,
    sent: &Parameters,
    authorization: &Authorization,
) -> Result<Map<String, Value>, Failed> {
    let grounds = Grounds {
        scope: sent.get("scope"),
        rules: sent.get("key_rules"),
        ..Grounds::default()
    };
    let issued = issue(platform, api, &authorization.client, &grounds).await?;
    Ok(issued.members())
}

/// Appends the members of a response to a redirect address: in its query, or for a token in its fragment.
fn redirected(address: &str, members: &Map<String, Value>, in_fragment: bool) -> String {
    let pairs: Vec<_> = members
        .iter()
        .map(|(name, value)| {
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            (name, encoded(&value, in_fragment))
        })
        .collect();
    let pairs = sorted_by(pairs, Ord::cmp);
    let pairs: Vec<String> = pairs
        .into_iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let pairs = pairs.join("&");
    let behind = match address.split_once('?') {
        _ if in_fragment => '#',
        None => '?',
        Some((_, "")) => return format!("{address}{pairs}"),
        Some(_) => '&',
    };
    format!("{address}{behind}{pairs}")
}

/// Encodes a value for a query, or for a fragment, where clients of this family expect spaces as `%20`.
fn encoded(value: &str, in_fragment: bool) -> String {
    let encoded = gatewright_model::text::percent::encode_query(value);
    if !in_fragment {
        return encoded;
    }
    // Characters that are literal in a fragment stay readable: `(e.g., ...)`.
    encoded.replace('+', "%20").replace("%2C", ",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decision_is_appended_to_the_redirect_url() {
        let members = Map::from_iter([
            ("state".to_owned(), Value::from("a b&c")),
            ("code".to_owned(), Value::from("x")),
        ]);
        for (address, in_fragment, expected) in [
            ("http://a/b", false, "http://a/b?code=x&state=a+b%26c"),
            (
                "http://a/b?c=d",
                false,
                "http://a/b?c=d&code=x&state=a+b%26c",
            ),
            ("http://a/b?", false, "http://a/b?code=x&state=a+b%26c"),
            ("http://a/b", true, "http://a/b#code=x&state=a%20b%26c"),
        ] {
            assert_eq!(redirected(address, &members, in_fragment), expected);
        }
    }

    #[test]
    fn a_verifier_has_unreserved_characters() {
        assert!(is_verifier(&"a".repeat(43)) && is_verifier(&"~".repeat(128)));
        assert!(!is_verifier(&"a".repeat(42)) && !is_verifier(&"a".repeat(129)));
        assert!(!is_verifier(&"+".repeat(43)));
    }
}
