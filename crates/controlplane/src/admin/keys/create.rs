//! New keys.

use super::names::{is_hash, is_hashed, key, org};
use super::{Made, PLAIN, Writes, put};
use crate::admin::passwords::hashed;
use crate::admin::replies::unexpected;
use crate::admin::sessions::{document, has_password, refused};
use crate::error::Error;
use crate::ports::Platform;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use gatewright_api::message::{KEY_WITHOUT_RIGHTS, UNMARSHALLING_FAILED};
use gatewright_model::json;
use gatewright_model::merge;
use gatewright_model::shape::Root;
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::registry::Refusal;
use gatewright_protocol::token::{self, custom_id, hash};
use serde_json::json;
use std::borrow::Cow;

/// `POST /gateway/keys` and `POST /gateway/keys/{customId}`.
pub(in crate::admin) async fn add<P: Platform>(
    platform: &P,
    request: &Request,
    variables: &[&str],
) -> Result<Response, Error> {
    let (text, issues) = document(platform, Root::Session, request, PLAIN)?;
    let text = &*hashed(platform, text, None)?;
    let custom = match variables {
        [] => None,
        _ => Some(key(variables)?),
    };
    if let Some(hash) = custom.as_ref().filter(|_| is_hashed(request)) {
        check_hash(hash)?;
        let written = put(platform, request, hash, Writes::Any, text)
            .await?
            .map_err(refused)?;
        let made = Made {
            named: hash,
            token: hash,
            hash,
        };
        return Ok(made.answer(request, written, issues));
    }
    let org = org(text);
    let config = platform.keys();
    let id = match &custom {
        None => platform.random_id(),
        Some(sent) => {
            let id = custom_id(&org, sent);
            long_enough(id, config.min_token_length)?;
            id.to_owned()
        }
    };
    let token = token::token(&org, &id, config.hash);
    let hash = hash(&token);
    let writes = if custom.is_some() {
        Writes::Any
    } else {
        Writes::New
    };
    let written = put(platform, request, &hash, writes, text)
        .await?
        .map_err(refused)?;
    // Users log in with their names, so their session must not have a token as well.
    let is_user = json::parse(text).is_ok_and(|session| has_password(&session));
    let made = Made {
        named: custom.as_deref().unwrap_or_default(),
        token: if is_user { "" } else { &token },
        hash: &hash,
    };
    Ok(made.answer(request, written, issues))
}

/// `POST /gateway/keys/create`: as [`add`], but with a random id, or that of the certificate the key is bound to, with
/// a new secret for signatures, and with messages of its own.
pub(in crate::admin) async fn create<P: Platform>(
    platform: &P,
    request: &Request,
) -> Result<Response, Error> {
    let malformed = (500, UNMARSHALLING_FAILED);
    let (text, issues) = document(platform, Root::Session, request, malformed)?;
    let text = hashed(platform, text, None)?;
    let text = &*with_secret(platform, &text)?;
    let org = org(text);
    let session = json::parse(text).map_err(|_| unexpected())?;
    let certificate = session.str("certificate").filter(|id| !id.is_empty());
    let id = match certificate {
        Some(certificate) => {
            let id = custom_id(&org, certificate);
            let default = if org.is_empty() {
                platform.default_org()
            } else {
                ""
            };
            custom_id(default, id).to_owned()
        }
        None => platform.random_id(),
    };
    let token = token::token(&org, &id, platform.keys().hash);
    let hash = hash(&token);
    let writes = match certificate {
        Some(_) => Writes::Absent,
        None => Writes::Made,
    };
    let written = put(platform, request, &hash, writes, text).await?;
    let written = written.map_err(|refusal| match refusal {
        Refusal::Precondition { current: Some(_) } if certificate.is_some() => Error::Refused(
            500,
            format!("Failed to create key - Key with given certificate already found:{hash}"),
        ),
        Refusal::NoRights => Error::refused(400, KEY_WITHOUT_RIGHTS),
        Refusal::Policies { reason } => {
            Error::Refused(500, format!("Failed to create key - {reason}"))
        }
        refusal => refused(refusal),
    })?;
    let made = Made {
        named: "",
        token: &token,
        hash: &hash,
    };
    Ok(made.answer(request, written, issues))
}

/// Gives a session that signs requests a generated secret (reference 1.6, item 7).
fn with_secret<'t, P: Platform>(platform: &P, text: &'t str) -> Result<Cow<'t, str>, Error> {
    let session = json::parse(text).map_err(|_| unexpected())?;
    if session.bool("hmac_enabled") != Some(true) {
        return Ok(Cow::Borrowed(text));
    }
    let secret = BASE64_STANDARD.encode(platform.random_token());
    let patch = json!({ "hmac_string": secret }).to_string();
    let merged = merge::merge(text, &patch).map_err(|_| unexpected())?;
    Ok(Cow::Owned(merged))
}

/// Checks a hash supplied by the client.
fn check_hash(hash: &str) -> Result<(), Error> {
    if is_hash(hash) {
        return Ok(());
    }
    let text = "a hash has 8, 16, 32 or 64 hexadecimal digits in lower case (murmur32, murmur64, \
                murmur128, sha256); without ?hashed the path takes a custom id";
    Err(Error::refused(400, text))
}

fn long_enough(id: &str, min: usize) -> Result<(), Error> {
    let length = id.chars().count();
    if length >= min {
        return Ok(());
    }
    let text = format!(
        "custom key ID length {length} is less than min_token_length ({min}); \
         choose a longer one, or lower MIN_TOKEN_LENGTH"
    );
    Err(Error::Refused(400, text))
}
