//! Link 8: the certificates that clients must present (`use_mutual_tls_auth`, `client_certificates`), and other links'
//! questions about them: which key one belongs to, and whether a key is bound to one.
//!
//! The platform, which terminates TLS, knows the certificate. The extra `auth` checks what it reports
//! (`extras/auth/src/client.rs`); if it reports nothing, every request is refused.

use super::proofs::refusal;
use crate::chain::{Compiler, Middleware, Need, Step};
use crate::exchange::Exchange;
use crate::failure::{Failure, Reply};
use crate::proofs::ProofCall;
use gatewright_model::json::{parse, quote, written};
use std::rc::Rc;

/// Client certificates.
#[derive(Debug)]
pub struct ClientCertificate {
    settings: Rc<str>,
}

impl Middleware for ClientCertificate {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        if from.definition.bool("use_mutual_tls_auth") != Some(true) {
            return None;
        }
        from.origin("/use_mutual_tls_auth", "");
        let accepted = from.definition.get("client_certificates");
        let accepted = accepted.map_or_else(|| "[]".to_owned(), written);
        if accepted != "[]" {
            from.origin("/client_certificates", "");
        }
        let settings = format!("{{\"client_certificates\":{accepted}}}").into();
        Some(Self { settings })
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        if exchange.ignored {
            exchange.remark("An ignored path: nobody asks for a certificate");
            return Step::Next;
        }
        match exchange.proof.take() {
            None => check_certificate(exchange, "clientCertificate", Rc::clone(&self.settings)),
            Some(report) => act_on_report(exchange, report, |_| Step::Next),
        }
    }
}

/// Asks the extra about the certificate that a client presented.
pub(super) fn check_certificate(
    exchange: &Exchange,
    function: &'static str,
    settings: Rc<str>,
) -> Step {
    let (now, org) = (exchange.isolate.now_ms(), quote(exchange.org()));
    Step::Need(Need::Proof(Box::new(ProofCall {
        function,
        settings,
        facts: format!("{{\"now\":{now},\"org\":{org}}}"),
    })))
}

/// Acts on a report that contains no session: continues with `good` if the certificate is accepted.
pub(super) fn act_on_report(
    exchange: &mut Exchange,
    report: Option<String>,
    good: impl FnOnce(&mut Exchange) -> Step,
) -> Step {
    let text = report.unwrap_or_default();
    let Ok(report) = parse(&text) else {
        exchange.remark("The module that proves it has failed");
        return Step::Reply(Reply::from(Failure::CredentialUnavailable));
    };
    if let Some(note) = report.str("note") {
        exchange.remark(note);
    }
    match report.bool("stored") {
        Some(true) => good(exchange),
        _ => Step::Reply(refusal(&report)),
    }
}
