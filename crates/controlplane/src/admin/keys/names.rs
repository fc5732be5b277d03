//! The names of keys in requests: tokens, custom ids and hashes (reference 1.6, item 11).

use crate::admin::decoded;
use crate::error::Error;
use crate::ports::Platform;
use crate::query;
use gatewright_api::message::KEY_NOT_FOUND;
use gatewright_model::id::check_id;
use gatewright_model::json;
use gatewright_protocol::http::Request;
use gatewright_protocol::registry::{Command, Reply};
use gatewright_protocol::token::{self, TOKEN_MAX_BYTES, candidates};

/// Returns the key from the path, decoded once: tokens contain characters that a path must escape.
pub(super) fn key(variables: &[&str]) -> Result<String, Error> {
    let key = decoded(variables, 0);
    if key.is_empty() || key.len() > TOKEN_MAX_BYTES || key.chars().any(char::is_control) {
        return Err(Error::refused(404, KEY_NOT_FOUND));
    }
    Ok(key)
}

/// Whether the path has a hash (reference 1.6: `?hashed` with any non-empty value).
pub(super) fn is_hashed(request: &Request) -> bool {
    query::given(request, "hashed").is_some()
}

/// Returns the hashes that the key in a path may be stored under. A bare custom id is found if its organisation is
/// given, in `?org_id=` or as `org`, or if the key has none (reference 1.6, item 11).
pub(super) fn hashes<P: Platform>(
    platform: &P,
    request: &Request,
    key: &str,
    org: &str,
) -> Vec<String> {
    if is_hashed(request) {
        return vec![key.to_owned()];
    }
    let org = query::given(request, "org_id").unwrap_or(org);
    let mut hashes = candidates(key, org, platform.keys().hash);
    // A hash is found without `?hashed` too.
    hashes.push(key.to_owned());
    hashes
}

/// Returns how a response names the key in a path, given the hash it is stored under: its full token, even if the path
/// has its custom id, or the hash if the path has that (reference 1.6, item 11).
pub(super) fn named<P: Platform>(
    platform: &P,
    request: &Request,
    (key, org): (&str, &str),
    stored: &str,
) -> String {
    if key == stored {
        return key.to_owned();
    }
    let org = query::given(request, "org_id").unwrap_or(org);
    let orgs = (org, platform.default_org());
    let whole = token::full_token(key, orgs, platform.keys().hash, stored);
    whole.unwrap_or_else(|| key.to_owned())
}

/// Returns the organisation of the API that `?api_id=` names, for a custom id (reference 1.6, item 11).
pub(super) async fn org_of_api<P: Platform>(
    platform: &P,
    request: &Request,
) -> Result<Option<String>, Error> {
    let named = request
        .parameter("api_id")
        .filter(|id| check_id(id).is_ok());
    let (Some(id), false) = (named, is_hashed(request)) else {
        return Ok(None);
    };
    let command = Command::Read { id: id.to_owned() };
    match platform.call(&command, "").await? {
        (Reply::Document { .. }, text) => Ok(Some(org(&text)).filter(|org| !org.is_empty())),
        _ => Ok(None),
    }
}

/// Returns the organisation that a session or a definition names.
pub(super) fn org(text: &str) -> String {
    let value = json::parse(text);
    let org = value.as_ref().ok().and_then(|value| value.str("org_id"));
    org.unwrap_or_default().to_owned()
}

/// Whether a text is a hash that a token can have.
pub(in crate::admin) fn is_hash(text: &str) -> bool {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    [8, 16, 32, 64].contains(&text.len()) && text.bytes().all(is_digit)
}
