//! The signature of a token (reference 3.7, `validate_signature`): a hash of token, secret and the second in which it
//! was made, in hexadecimal digits.

use crate::facts::Facts;
use crate::report::{Good, Report, Stop};
use gatewright_model::json::Value;
use md5::Md5;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// The largest clock skew in seconds, whatever a definition says: each second costs four more hashes.
const SKEW_MAX: i64 = 3600;

/// Checks whether a signature is that of a token, or of the id in it. `token`, `id` and `secret` are facts; the
/// credential is the signature.
///
/// # Errors
/// Why it is refused.
pub fn prove(settings: &Value<'_>, facts: &Facts<'_>) -> Result<Report, Stop> {
    let text = |name| settings.str(name).filter(|text| !text.is_empty());
    let hash = match text("algorithm") {
        Some("MasheryMD5") => hexadecimal::<Md5>,
        Some("MasherySHA256") => hexadecimal::<Sha256>,
        _ => {
            return Err(Stop::refused(
                500,
                "internal server error",
                "No such algorithm signs tokens",
            ));
        }
    };
    let status = settings
        .int("error_code")
        .and_then(|code| u16::try_from(code).ok());
    let status = status
        .filter(|code| (100..600).contains(code))
        .unwrap_or(401);
    let message = text("error_message").unwrap_or("Request signature verification failed");
    let refused = |note: &str| Err(Stop::refused(status, message, note));
    let fact = |name| facts.all.str(name).unwrap_or_default();
    let (token, id, secret) = (fact("token"), fact("id"), fact("secret"));
    if secret.is_empty() {
        return refused("There is no secret to check it with");
    }
    let Some(sent) = facts.credential.as_deref() else {
        return refused("Nothing is signed");
    };
    let sent = sent.to_ascii_lowercase();
    let skew = settings.int("allowed_clock_skew").unwrap_or_default();
    let skew = skew.clamp(0, SKEW_MAX);
    let is_of = |second: i64| {
        let signs = |key: &str| same(&hash(&format!("{key}{secret}{second}")), &sent);
        signs(token) || (!id.is_empty() && signs(id))
    };
    for apart in 0..=skew {
        if is_of(facts.now.saturating_add(apart)) || is_of(facts.now.saturating_sub(apart)) {
            return Ok(Report::Stored(Good::default()));
        }
    }
    refused("Something else was signed, or at another time")
}

fn hexadecimal<D: Digest>(text: &str) -> String {
    let mut digits = String::new();
    for byte in D::digest(text.as_bytes()).iter() {
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

/// Compares two texts, in a time that doesn't depend on where they differ.
pub(crate) fn same(one: &str, other: &str) -> bool {
    let bytes = one.bytes().zip(other.bytes());
    one.len() == other.len() && bytes.fold(0, |all, (one, other)| all | (one ^ other)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatewright_model::json::parse;

    fn proved(settings: &str, signature: &str) -> String {
        let facts = format!(
            "{{\"now\":1700000000000,\"org\":\"\",\"token\":\"key\",\"secret\":\"s\",\"credential\":{signature}}}"
        );
        let (settings, facts) = (parse(settings).unwrap(), parse(&facts).unwrap());
        match prove(&settings, &Facts::read(facts).unwrap()) {
            Ok(report) => report.text(),
            Err(stop) => stop.text(),
        }
    }

    fn signed<D: Digest>(second: i64) -> String {
        format!("\"{}\"", hexadecimal::<D>(&format!("keys{second}")))
    }

    const STORED: &str = r#"{"stored":true}"#;

    #[test]
    fn the_hash_of_token_secret_and_second_is_the_signature() {
        // printf 'keys1700000000' | md5sum
        let known = "\"31ca4a8d3a4972104739114a2b4d66cb\"";
        assert_eq!(known, signed::<Md5>(1_700_000_000));
        for (algorithm, signature) in [
            ("MasheryMD5", signed::<Md5>(1_700_000_000)),
            ("MasherySHA256", signed::<Sha256>(1_700_000_000)),
        ] {
            let settings = format!("{{\"algorithm\":\"{algorithm}\"}}");
            assert_eq!(proved(&settings, &signature), STORED);
            assert_eq!(proved(&settings, &signature.to_uppercase()), STORED);
            for wrong in [
                "null",
                "\"\"",
                "\"junk\"",
                &signature.replace(['1', 'a'], "0"),
            ] {
                let text = proved(&settings, wrong);
                assert!(
                    text.contains("401") && text.contains("Request signature verification failed"),
                    "{text}"
                );
            }
        }
    }

    #[test]
    fn token_id_may_be_the_signed_content() {
        let settings = parse(r#"{"algorithm":"MasheryMD5"}"#).unwrap();
        for (signed, passes) in [("whole", true), ("id", true), ("", false), ("other", false)] {
            let signature = hexadecimal::<Md5>(&format!("{signed}s1700000000"));
            let facts = format!(
                "{{\"now\":1700000000000,\"org\":\"\",\"token\":\"whole\",\"id\":\"id\",\"secret\":\"s\",\"credential\":\"{signature}\"}}"
            );
            let facts = Facts::read(parse(&facts).unwrap()).unwrap();
            assert_eq!(prove(&settings, &facts).is_ok(), passes, "{signed}");
        }
    }

    #[test]
    fn clocks_may_differ_by_seconds() {
        let settings = r#"{"algorithm":"MasheryMD5","allowed_clock_skew":2,"error_code":418,"error_message":"no"}"#;
        for (second, passes) in [(-3, false), (-2, true), (0, true), (2, true), (3, false)] {
            let text = proved(settings, &signed::<Md5>(1_700_000_000 + second));
            assert_eq!(text == STORED, passes, "{second}");
            assert_eq!(
                text.contains("\"status\":418,\"message\":\"no\""),
                !passes,
                "{text}"
            );
        }
    }

    #[test]
    fn an_unknown_algorithm_is_the_definitions_fault() {
        for settings in ["{}", r#"{"algorithm":"md5"}"#] {
            let text = proved(settings, &signed::<Md5>(1_700_000_000));
            assert!(
                text.contains("\"status\":500") && text.contains("internal server error"),
                "{text}"
            );
        }
    }
}
