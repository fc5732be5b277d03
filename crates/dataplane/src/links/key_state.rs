//! Link 17: whether the key is usable at all, and every other key that the request was authenticated with.

use super::auth_token::by_certificate;
use super::client_certificate::{act_on_report, check_certificate};
use crate::chain::{Compiler, Middleware, Step};
use crate::exchange::Exchange;
use crate::facts::list;
use crate::failure::{Failure, Reply};
use crate::identity::{Identity, org_or_default};
use crate::sessions::Known;
use gatewright_model::session::Session;
use gatewright_protocol::time::rfc3339;

/// The state of the key.
#[derive(Debug)]
pub struct KeyState {
    /// Whether the API accepts certificates in place of tokens.
    by_certificate: bool,
}

impl Middleware for KeyState {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        let keyless = from.definition.bool("use_keyless").unwrap_or_default();
        (!keyless).then(|| Self {
            by_certificate: by_certificate(from.definition),
        })
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        if exchange.ignored {
            return Step::Next;
        }
        match sessions(exchange).map(|sessions| self.bound_to(&sessions)) {
            Ok(None) => usable(exchange),
            Ok(Some(settings)) => match exchange.proof.take() {
                None => check_certificate(exchange, "boundCertificate", settings.into()),
                Some(report) => act_on_report(exchange, report, usable),
            },
            Err(failure) => Step::Reply(Reply::from(failure)),
        }
    }
}

impl KeyState {
    /// The extra's settings for the certificates that sessions are bound to; `None` if there are none. A certificate
    /// has to be among those of each session.
    fn bound_to(&self, sessions: &[&Session]) -> Option<String> {
        let mut bound: Option<Vec<&str>> = None;
        for of in sessions.iter().filter_map(|session| self.bound(session)) {
            let fits = |id: &&str| bound.as_ref().is_none_or(|others| others.contains(id));
            bound = Some(of.iter().map(String::as_str).filter(fits).collect());
        }
        let bound = list(bound?.into_iter());
        let by_certificate = self.by_certificate;
        Some(format!(
            "{{\"use_certificate\":{by_certificate},\"certificates\":{bound}}}"
        ))
    }

    /// The certificates that a session is bound to; `None` if there are none.
    fn bound<'s>(&self, session: &'s Session) -> Option<&'s [String]> {
        let (certificate, bindings) = (&session.certificate, &session.certificate_bindings);
        if certificate.is_empty() && bindings.is_empty() {
            return None;
        }
        // Where APIs accept certificates in place of tokens, the certificate that identifies the key counts, and
        // elsewhere those it may be used with; a key with only one kind is bound to it everywhere.
        let by_name = !certificate.is_empty() && (self.by_certificate || bindings.is_empty());
        Some(match by_name {
            true => std::slice::from_ref(certificate),
            false => bindings,
        })
    }
}

/// All credentials that the request has passed with. That of the identity is the last one.
fn identities(exchange: &Exchange) -> impl Iterator<Item = &Identity> {
    exchange.passed.iter().chain(&exchange.identity)
}

/// Their sessions, if they belong to the API's organisation.
fn sessions(exchange: &Exchange) -> Result<Vec<&Session>, Failure> {
    exchange.session()?;
    let mut sessions = Vec::new();
    for identity in identities(exchange) {
        let session = identity.session().ok_or(Failure::CredentialUnknown)?;
        let org = org_or_default(&session.org_id, exchange.isolate.config());
        if org != exchange.org() {
            return Err(Failure::CredentialUnknown);
        }
        sessions.push(session);
    }
    Ok(sessions)
}

/// Continues if the session is active.
fn usable(exchange: &mut Exchange) -> Step {
    match sessions(exchange).and_then(|sessions| active(exchange, &sessions)) {
        Ok(()) => {
            exchange.note_of(|exchange| {
                let identity = exchange.identity.as_ref();
                identity.map_or_else(String::new, |identity| describe(&identity.known))
            });
            Step::Next
        }
        Err(failure) => Step::Reply(Reply::from(failure)),
    }
}

/// Whether the sessions are enabled and have not expired.
fn active(exchange: &Exchange, sessions: &[&Session]) -> Result<(), Failure> {
    let seconds = i64::try_from(exchange.isolate.now_ms() / 1000).unwrap_or(i64::MAX);
    if sessions.iter().any(|session| session.is_inactive) {
        return Err(Failure::KeyInactive);
    }
    let mut ends = identities(exchange).map(|identity| identity.known.expires());
    if ends.any(|end| end > 0 && end <= seconds) {
        return Err(Failure::KeyExpired);
    }
    Ok(())
}

/// Describes an active session, for the trace.
fn describe(known: &Known) -> String {
    let end = match known.expires() {
        ..=0 => "never expires".to_owned(),
        expires => {
            let seconds = u64::try_from(expires).unwrap_or_default();
            format!("expires at {}", rfc3339(seconds.saturating_mul(1000)))
        }
    };
    let policies = known.session.as_ref().map(|session| &*session.policies);
    let policies = match policies.unwrap_or_default() {
        [] => "has no policies".to_owned(),
        [policy] => format!("has the policy {policy}"),
        policies => format!("has the policies {}", policies.join(", ")),
    };
    let name = match known.alias() {
        "" => String::new(),
        alias => format!(" {alias}"),
    };
    format!("The key{name} is active, {end} and {policies}")
}
