//! `Content-Digest` (RFC 9530): if it is signed, the body must match it.

use super::{fact, header};
use crate::facts::Facts;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256, Sha512};

/// The header.
pub(super) const DIGEST: &str = "content-digest";

/// Compares the body with its digests: all SHA-256 and SHA-512 digests must match, and there must be at least one.
/// Other algorithms offer no protection (RFC 9530 section 5). The error is for people.
pub(super) fn check_digest(facts: &Facts<'_>) -> Result<(), &'static str> {
    let body = BASE64_STANDARD.decode(fact(facts, "body"));
    let body = body.map_err(|_| "Its body can't be read")?;
    let mut is_checked = false;
    for entry in header(facts, DIGEST).unwrap_or_default().split(',') {
        let (name, value) = entry.split_once('=').ok_or("Its digest can't be read")?;
        let made = match name.trim() {
            "sha-256" => Sha256::digest(&body).to_vec(),
            "sha-512" => Sha512::digest(&body).to_vec(),
            _ => continue,
        };
        let value = value.split(';').next().unwrap_or_default().trim();
        let sent = value
            .strip_prefix(':')
            .and_then(|value| value.strip_suffix(':'));
        let sent = sent.and_then(|base64| BASE64_STANDARD.decode(base64).ok());
        if sent.ok_or("Its digest can't be read")? != made {
            return Err("Its body is not the one that was signed");
        }
        is_checked = true;
    }
    is_checked
        .then_some(())
        .ok_or("It has no digest of the body by SHA-256 or SHA-512")
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatewright_model::json::{parse, quote};

    /// Checks a body against a digest.
    fn check(digest: &str, body: &str) -> Result<(), &'static str> {
        let (digest, body) = (quote(digest), quote(&BASE64_STANDARD.encode(body)));
        let text = format!(
            "{{\"now\":1000,\"org\":\"\",\"headers\":{{\"content-digest\":{digest}}},\"body\":{body}}}"
        );
        check_digest(&Facts::read(parse(&text).unwrap()).unwrap())
    }

    #[test]
    fn body_must_match_every_supported_digest() {
        // From RFC 9530, appendix B.1 and section 2: this body, including its line break.
        let body = "{\"hello\": \"world\"}\n";
        let short = "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:";
        let long = "sha-512=:YMAam51Jz/jOATT6/zvHrLVgOYTGFy1d6GJiOHTohq4yP+pgk4vf2aCsyRZOtw8MjkM7iw7yZ/WkppmM44T3qg==:";
        for good in [
            short.to_owned(),
            long.to_owned(),
            format!("{short}, {long}"),
            format!("md5=:AAAA:, {short};x=1"),
        ] {
            assert_eq!(check(&good, body), Ok(()), "{good}");
            assert!(check(&good, "{\"hello\": \"world\"}").is_err(), "{good}");
            assert!(check(&good, "").is_err(), "{good}");
        }
        for bad in [
            String::new(),
            "sha-256".to_owned(),
            "sha-256=:AAAA:".to_owned(),
            "md5=:AAAA:".to_owned(),
            short.replace(':', "\""),
            format!("{short}, sha-512=:AAAA:"),
            format!("{short}, {}", short.replace("RK/0", "RK/1")),
        ] {
            assert!(check(&bad, body).is_err(), "{bad}");
        }
    }

    #[test]
    fn no_body_is_an_empty_one() {
        let facts = "{\"now\":1000,\"org\":\"\",\"headers\":\
            {\"content-digest\":\"sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:\"}}";
        let facts = Facts::read(parse(facts).unwrap()).unwrap();
        assert_eq!(check_digest(&facts), Ok(()));
    }
}
