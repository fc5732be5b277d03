//! Client certificates (reference 3.2, *client cert*), as reported by the platform that terminates TLS
//! (<https://developers.cloudflare.com/workers/runtime-apis/request/#incomingrequestcfproperties>).

use crate::date;
use crate::facts::Facts;
use crate::policies::texts;
use crate::report::{Good, Report, Stop};
use crate::wishes::Wishes;
use gatewright_model::json::{Kind, Value};

/// The hexadecimal digits of SHA-256, which are the end of a certificate's id.
const DIGITS: usize = 64;

/// The reference's message for a key that may not be used.
const DISALLOWED: &str = "Access to this API has been disallowed";

/// What the platform reports about a client's certificate.
enum Shown<'a> {
    /// Nothing, for any client.
    Unreported,
    /// That the client presented none.
    Nothing,
    /// A certificate with this fingerprint, in lower case.
    Certificate(String, &'a Value<'a>),
}

/// Why a presented certificate can't be used.
enum Fault {
    Revoked,
    Expired(&'static str),
}

impl<'a> Shown<'a> {
    fn read(wishes: &mut Wishes<'a>) -> Result<Self, Stop> {
        let shown = wishes.client()?;
        if shown.kind == Kind::Null {
            return Ok(Self::Unreported);
        }
        let text = |name| shown.str(name).unwrap_or_default();
        let fingerprint = text("certFingerprintSHA256").to_ascii_lowercase();
        Ok(match (text("certPresented"), fingerprint.is_empty()) {
            ("1", false) => Self::Certificate(fingerprint, shown),
            _ => Self::Nothing,
        })
    }
}

fn fault(certificate: &Value<'_>, facts: &Facts<'_>) -> Option<Fault> {
    let text = |name| certificate.str(name).unwrap_or_default();
    if text("certRevoked") == "1" {
        return Some(Fault::Revoked);
    }
    match date::of_certificate(text("certNotAfter")) {
        Some(end) if end <= facts.now.saturating_mul(1000) => Some(Fault::Expired("")),
        Some(_) => None,
        None => Some(Fault::Expired("The platform does not say when it ends")),
    }
}

/// Whether one of these ids ends with this fingerprint.
fn is_one_of(ids: &[String], fingerprint: &str) -> bool {
    let ends = |id: &String| {
        let at = id.len().saturating_sub(DIGITS);
        id.get(at..)
            .is_some_and(|end| end.eq_ignore_ascii_case(fingerprint))
    };
    fingerprint.len() == DIGITS && ids.iter().any(ends)
}

fn expired(note: &str) -> Stop {
    Stop::refused(403, "Certificate has expired", note).flagged("TKE")
}

/// The note if the platform reports nothing.
const UNREPORTED: &str = "The platform tells nothing of client certificates: it does where TLS ends at it and they are switched on";

/// Checks whether the client's certificate is one of the definition's. Whoever presents it has proved to the platform
/// that the private key is theirs, whoever issued the certificate.
///
/// # Errors
/// What is needed, or why it is refused.
pub fn prove(
    settings: &Value<'_>,
    facts: &Facts<'_>,
    wishes: &mut Wishes<'_>,
) -> Result<Report, Stop> {
    let (fingerprint, certificate) = match Shown::read(wishes)? {
        Shown::Unreported => return Err(Stop::refused(403, "TLS not enabled", UNREPORTED)),
        Shown::Nothing => {
            return Err(Stop::refused(403, "Client TLS certificate is required", ""));
        }
        Shown::Certificate(fingerprint, certificate) => (fingerprint, certificate),
    };
    let accepted = texts(settings.get("client_certificates"));
    match fault(certificate, facts) {
        Some(Fault::Expired(note)) if is_one_of(&accepted, &fingerprint) => Err(expired(note)),
        None if is_one_of(&accepted, &fingerprint) => Ok(Report::Stored(Good::default())),
        _ => {
            let message = format!("Certificate with SHA256 {fingerprint} not allowed");
            Err(Stop::refused(403, message, ""))
        }
    }
}

/// Names the key that belongs to a client's certificate: its fingerprint is the id in the key's token (reference 2.5,
/// *Certificate key*).
///
/// # Errors
/// The key, what is needed, or why there is none.
pub fn key(facts: &Facts<'_>, wishes: &mut Wishes<'_>) -> Result<Report, Stop> {
    Err(match Shown::read(wishes)? {
        Shown::Unreported => Stop::refused(403, DISALLOWED, UNREPORTED),
        Shown::Nothing => Stop::missing(401, "Authorization field missing"),
        Shown::Certificate(fingerprint, certificate) => match fault(certificate, facts) {
            Some(Fault::Revoked) => Stop::refused(403, DISALLOWED, "Its certificate was revoked"),
            Some(Fault::Expired(note)) => expired(note),
            // A leading organisation is stripped from an id once, so an id that itself starts like one gets it prefixed
            // again.
            None if fingerprint.starts_with(&facts.org) => {
                Stop::Key(format!("{}{fingerprint}", facts.org))
            }
            None => Stop::Key(fingerprint),
        },
    })
}

/// Checks whether a client has presented a certificate that its key is bound to. `use_certificate` of the settings says
/// whether the API accepts certificates as tokens.
///
/// # Errors
/// What is needed, or why the key may not be used.
pub fn bound(
    settings: &Value<'_>,
    facts: &Facts<'_>,
    wishes: &mut Wishes<'_>,
) -> Result<Report, Stop> {
    let required = |note| Stop::no_certificate(401, "Client certificate required", note);
    let (fingerprint, certificate) = match Shown::read(wishes)? {
        Shown::Unreported if settings.bool("use_certificate") == Some(true) => {
            return Err(Stop::refused(403, DISALLOWED, UNREPORTED));
        }
        Shown::Unreported => return Err(required(UNREPORTED)),
        Shown::Nothing => return Err(required("")),
        Shown::Certificate(fingerprint, certificate) => (fingerprint, certificate),
    };
    let own = texts(settings.get("certificates"));
    match fault(certificate, facts) {
        Some(Fault::Expired(note)) => Err(expired(note)),
        None if is_one_of(&own, &fingerprint) => Ok(Report::Stored(Good::default())),
        _ => {
            let note = "The key is bound to another certificate";
            Err(Stop::refused(401, DISALLOWED, note).flagged("CMM"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(function: &str, settings: &str, answers: &str) -> String {
        let facts = "{\"now\":1700000000000,\"org\":\"acme\"}";
        crate::call(function, settings, facts, answers.as_bytes()).remove(0)
    }

    fn proved(accepted: &str, answers: &str) -> String {
        let settings = format!("{{\"client_certificates\":{accepted}}}");
        report("clientCertificate", &settings, answers)
    }

    fn shown(more: &str) -> String {
        let digits = "0A".repeat(32);
        format!(
            "[{{\"certPresented\":\"1\",\"certFingerprintSHA256\":\"{digits}\",\"certVerified\":\"FAILED:self signed certificate\",\
             \"certRevoked\":\"0\",\"certNotAfter\":\"Dec 22 19:39:00 2033 GMT\"{more}}}]"
        )
    }

    #[test]
    fn only_listed_certificates_pass() {
        let id = format!("[\"acme{}\"]", "0a".repeat(32));
        assert_eq!(proved(&id, "[]"), r#"{"client":true}"#);
        assert_eq!(proved(&id, &shown("")), r#"{"stored":true}"#);
        for (accepted, answers, message) in [
            (id.as_str(), "[null]".to_owned(), "TLS not enabled"),
            (&id, "[{}]".to_owned(), "Client TLS certificate is required"),
            (
                &id,
                shown("").replace("\"1\"", "\"0\""),
                "Client TLS certificate is required",
            ),
            ("[]", shown(""), "not allowed"),
            ("null", shown(""), "not allowed"),
            ("[\"\",\"acme\",\"0a0a\"]", shown(""), "not allowed"),
            (
                &id,
                shown("").replace("\"certRevoked\":\"0\"", "\"certRevoked\":\"1\""),
                "not allowed",
            ),
            (
                &id,
                shown("").replace("2033", "2022"),
                "Certificate has expired",
            ),
            (
                &id,
                shown("").replace("Dec 22", "soon"),
                "Certificate has expired",
            ),
        ] {
            let text = proved(accepted, &answers);
            assert!(
                text.contains(message) && text.contains("\"status\":403"),
                "{accepted} {answers} {text}"
            );
        }
    }

    const WISH: &str = r#"{"client":true}"#;

    /// Unusable certificates, each with its message and status.
    fn faults() -> [(String, &'static str, u16); 5] {
        [
            ("[null]".to_owned(), DISALLOWED, 403),
            (
                shown("").replace("2033", "2022"),
                "Certificate has expired",
                403,
            ),
            (
                shown("").replace("Dec 22", "soon"),
                "Certificate has expired",
                403,
            ),
            (
                shown("").replace("\"certRevoked\":\"0\"", "\"certRevoked\":\"1\""),
                DISALLOWED,
                0,
            ),
            ("[{}]".to_owned(), "", 401),
        ]
    }

    #[test]
    fn certificate_maps_to_the_key_of_its_fingerprint() {
        let named = |answers: &str| report("certificateKey", "{}", answers);
        assert_eq!(named("[]"), WISH);
        let digits = "0a".repeat(32);
        assert_eq!(named(&shown("")), format!("{{\"key\":\"{digits}\"}}"));
        let facts = "{\"now\":1700000000000,\"org\":\"0a\"}";
        let key = crate::call("certificateKey", "{}", facts, shown("").as_bytes());
        assert_eq!(key, [format!("{{\"key\":\"0a{digits}\"}}")]);
        for (answers, message, status) in faults() {
            let text = named(&answers);
            let status = if status == 0 { 403 } else { status };
            let says = text.contains(message) && text.contains(&format!("\"status\":{status}"));
            assert!(says && !text.contains("\"key\""), "{answers} {text}");
        }
        assert!(named("[{}]").contains("Authorization field missing"));
    }

    #[test]
    fn a_bound_key_goes_with_its_certificate_only() {
        let settings = |ids: &str, uses_certificate: bool| {
            format!("{{\"use_certificate\":{uses_certificate},\"certificates\":{ids}}}")
        };
        let own = format!("[\"acme{}\",\"acme{}\"]", "0b".repeat(32), "0A".repeat(32));
        let used =
            |ids: &str, answers: &str| report("boundCertificate", &settings(ids, true), answers);
        assert_eq!(used(&own, "[]"), WISH);
        assert_eq!(used(&own, &shown("")), r#"{"stored":true}"#);
        for other in [
            "[]",
            "[\"acme\"]",
            &own.replace("0A", "0c"),
            &own.replace("0A0A", "0A"),
        ] {
            let text = used(other, &shown(""));
            assert!(
                text.contains(DISALLOWED) && text.contains("401"),
                "{other} {text}"
            );
        }
        for (answers, message, status) in faults() {
            let text = used(&own, &answers);
            let status = if status == 0 { 401 } else { status };
            let says = text.contains(message) && text.contains(&format!("\"status\":{status}"));
            assert!(says, "{answers} {text}");
        }
        for (answers, uses_certificate) in [("[{}]", true), ("[{}]", false), ("[null]", false)] {
            let text = report(
                "boundCertificate",
                &settings(&own, uses_certificate),
                answers,
            );
            let required = "\"message\":\"Client certificate required\"},\"is\":\"certificate\"";
            assert!(
                text.contains(required) && text.contains("401"),
                "{answers} {text}"
            );
        }
    }
}
