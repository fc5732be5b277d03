//! Signed requests: according to the drafts of HTTP signatures (draft-cavage-http-signatures) as the reference reads
//! them (reference 3.8), and to HTTP Message Signatures (RFC 9421) if a request has those.

mod algorithms;
mod cavage;
mod content;
mod messages;

use crate::facts::Facts;
use crate::policies::texts;
use crate::report::{Good, Report, Stop};
use crate::wishes::{Check, Wishes};
use algorithms::{Algorithm, With};
use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use gatewright_model::amount::Amount;
use gatewright_model::json::{Value, quote};

/// The reference's message for every invalid signature.
const BAD: &str = "Authorization field missing, malformed or invalid";

/// How a request claims to be signed.
#[derive(Debug, PartialEq, Eq)]
struct Signed {
    /// The key's token or id.
    key: String,
    /// The algorithm; `None` if the request leaves it to the key.
    algorithm: Option<&'static Algorithm>,
    /// `None` if it is no Base64.
    signature: Option<Vec<u8>>,
    /// The texts that may have been signed; one of them must have been.
    texts: Vec<String>,
    /// Whether the signature covers the digest of the body.
    covers_body: bool,
}

fn bad(note: &str) -> Stop {
    Stop::refused(400, BAD, note)
}

/// Checks whether a signature is that of its key, whose session is needed first.
///
/// # Errors
/// What is needed, or why it is refused.
pub fn prove(
    settings: &Value<'_>,
    facts: &Facts<'_>,
    wishes: &mut Wishes<'_>,
) -> Result<Report, Stop> {
    let skew = skew(settings);
    let signed = match facts.credential.as_deref() {
        Some(text) => cavage::read(text, facts, skew),
        None if header(facts, "signature-input").is_some() => messages::read(facts, skew),
        None => return Err(Stop::missing(400, BAD)),
    };
    let signed = signed.map_err(bad)?;
    let session = match &facts.session {
        None => return Err(Stop::Key(signed.key)),
        Some(None) => return Err(bad("There is no such key")),
        Some(Some(session)) => session,
    };
    // The flags among the facts, unlike those of the session, include what the key's policies enable.
    let sources = [session, &facts.all];
    let is_on = |name| sources.iter().any(|flags| flags.bool(name) == Some(true));
    let member = |name| session.str(name).unwrap_or_default();
    let secret = member("hmac_string");
    let certificate = member("rsa_certificate_id");
    let of_key = match secret {
        "" => algorithms::OF_CERTIFICATE,
        _ => algorithms::OF_SECRET,
    };
    let algorithm = signed.algorithm.unwrap_or(of_key);
    let allowed = texts(settings.get("hmac_allowed_algorithms"));
    let named = |name: &String| algorithm.names.contains(&name.as_str());
    if !allowed.is_empty() && !allowed.iter().any(named) {
        return Err(bad("Its algorithm is not allowed"));
    }
    let signs = is_on("enable_http_signature_validation");
    let (format, key) = match algorithm.with {
        With::Secret if secret.is_empty() || !(signs || is_on("hmac_enabled")) => {
            return Err(bad("Its key has no secret for signatures, or may not sign"));
        }
        With::Secret => ("raw", BASE64_STANDARD.encode(secret)),
        With::Certificate(_) if certificate.is_empty() || !signs => {
            return Err(bad("Its key has no certificate, or may not sign with one"));
        }
        With::Certificate(kind) => {
            let Some(found) = wishes.certificate(certificate)? else {
                return Err(Stop::refused(500, "Certificate not found", ""));
            };
            if found.algorithm != kind {
                let note = "The key of its certificate is of another kind";
                return Err(match kind {
                    "rsa" => Stop::refused(500, "Certificate doesn't contain RSA Public key", note),
                    _ => bad(note),
                });
            }
            ("spki", found.public)
        }
    };
    let Algorithm { import, by, .. } = algorithm;
    let signature = signed.signature.as_ref();
    let signature = signature.ok_or_else(|| bad("Its signature is no Base64"))?;
    let signature = BASE64_URL_SAFE_NO_PAD.encode(signature);
    for text in &signed.texts {
        let key = quote(&key);
        let check = Check {
            with: format!(
                "{{\"import\":{{{import}}},\"by\":{{{by}}},\"format\":\"{format}\",\"key\":{key}}}"
            ),
            signature: signature.clone(),
            signed: text.clone(),
        };
        if wishes.verify(check)? {
            if signed.covers_body {
                content::check_digest(facts).map_err(bad)?;
            }
            return Ok(Report::Stored(Good::default()));
        }
    }
    Err(bad("Something else was signed, or with another key"))
}

/// Returns the tolerated clock skew in milliseconds, without a fraction; `None` for no limit.
fn skew(settings: &Value<'_>) -> Option<i64> {
    let value = settings.get("hmac_allowed_clock_skew")?;
    let skew = Some(Amount::read(value)).filter(|skew| skew.is_positive())?;
    Some(skew.floor())
}

fn now(facts: &Facts<'_>) -> i64 {
    facts.all.int("now").unwrap_or_default()
}

/// Whether a time in Unix milliseconds is within the skew of the current time.
fn is_near(at: i64, facts: &Facts<'_>, skew: Option<i64>) -> bool {
    skew.is_none_or(|skew| now(facts).abs_diff(at) <= skew.unsigned_abs())
}

/// Returns the value of a header, by its lower-case name.
fn header<'f>(facts: &'f Facts<'_>, name: &str) -> Option<&'f str> {
    facts.all.get("headers")?.str(name)
}

fn fact<'f>(facts: &'f Facts<'_>, name: &str) -> &'f str {
    facts.all.str(name).unwrap_or_default()
}

#[cfg(test)]
mod tests;
