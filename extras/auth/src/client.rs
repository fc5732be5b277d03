//! Certificates that clients show (reference 3.2, *client cert*), as the platform that ends TLS tells of them
//! (<https://developers.cloudflare.com/workers/runtime-apis/request/#incomingrequestcfproperties>).

use crate::date;
use crate::facts::Facts;
use crate::policies::texts;
use crate::report::{Good, Report, Stop};
use crate::wishes::Wishes;
use gatewright_model::json::{Kind, Value};

/// Hexadecimal digits of SHA-256, which end the id of a certificate.
const DIGITS: usize = 64;

/// Says whether the certificate of a client is one of those of the definition. Who has shown it has proved to the
/// platform that its key is theirs, whoever has issued it.
///
/// # Errors
/// What is needed, or why it is refused.
pub fn prove(
    settings: &Value<'_>,
    facts: &Facts<'_>,
    wishes: &mut Wishes<'_>,
) -> Result<Report, Stop> {
    let shown = wishes.client()?;
    let refused = |message: &str, note: &str| Err(Stop::refused(403, message, note));
    if shown.kind == Kind::Null {
        return refused(
            "TLS not enabled",
            "The platform tells nothing of client certificates: it does where TLS ends at it and they are switched on",
        );
    }
    let text = |name| shown.str(name).unwrap_or_default();
    let fingerprint = text("certFingerprintSHA256").to_ascii_lowercase();
    if text("certPresented") != "1" || fingerprint.is_empty() {
        return refused("Client TLS certificate is required", "");
    }
    let accepted = texts(settings.get("client_certificates"));
    let is_accepted = accepted.iter().any(|id| {
        let at = id.len().saturating_sub(DIGITS);
        id.get(at..)
            .is_some_and(|end| end.eq_ignore_ascii_case(&fingerprint))
    });
    if !is_accepted || fingerprint.len() != DIGITS || text("certRevoked") == "1" {
        let message = format!("Certificate with SHA256 {fingerprint} not allowed");
        return refused(&message, "");
    }
    match date::of_certificate(text("certNotAfter")) {
        Some(end) if end <= facts.now.saturating_mul(1000) => {
            refused("Certificate has expired", "")
        }
        Some(_) => Ok(Report::Stored(Good::default())),
        None => refused(
            "Certificate has expired",
            "The platform does not say when it ends",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatewright_model::json::parse;

    fn proved(accepted: &str, answers: &str) -> String {
        let settings = format!("{{\"client_certificates\":{accepted}}}");
        let (settings, given) = (parse(&settings).unwrap(), parse(answers).unwrap());
        let facts = parse("{\"now\":1700000000000,\"org\":\"\"}").unwrap();
        let mut wishes = Wishes::new("a", 0, &given);
        match prove(&settings, &Facts::read(facts).unwrap(), &mut wishes) {
            Ok(report) => report.text(),
            Err(stop) => stop.text(),
        }
    }

    fn shown(more: &str) -> String {
        let digits = "0A".repeat(32);
        format!(
            "[{{\"certPresented\":\"1\",\"certFingerprintSHA256\":\"{digits}\",\"certVerified\":\"FAILED:self signed certificate\",\
             \"certRevoked\":\"0\",\"certNotAfter\":\"Dec 22 19:39:00 2033 GMT\"{more}}}]"
        )
    }

    #[test]
    fn a_certificate_of_the_list_passes_and_no_other() {
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
}
