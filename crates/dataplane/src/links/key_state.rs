//! Link 17: whether the key can be used at all.

use super::auth_token::by_certificate;
use super::client_certificate::{said, shown};
use crate::chain::{Compiler, Middleware, Step};
use crate::exchange::Exchange;
use crate::failure::{Failure, Reply};
use crate::identity::org_or_default;
use gatewright_model::json::quote;
use gatewright_model::session::Session;
use gatewright_protocol::time::rfc3339;

/// The state of the key.
#[derive(Debug)]
pub struct KeyState {
    /// Whether the API takes certificates for tokens.
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
        match of_organisation(exchange).map(|session| self.bound_to(session)) {
            Ok(None) => usable(exchange),
            Ok(Some(settings)) => match exchange.proof.take() {
                None => shown(exchange, "boundCertificate", settings.into()),
                Some(report) => said(exchange, report, usable),
            },
            Err(failure) => Step::Reply(Reply::from(failure)),
        }
    }
}

impl KeyState {
    /// What the extra has to know of the certificates that a session is bound to; `None` if it is bound to none.
    fn bound_to(&self, session: &Session) -> Option<String> {
        let (certificate, bindings) = (&session.certificate, &session.certificate_bindings);
        if certificate.is_empty() && bindings.is_empty() {
            return None;
        }
        // The one that names the key counts where certificates do that, and those that it may be used with elsewhere;
        // who has one kind only is bound to it everywhere.
        let by_name = !certificate.is_empty() && (self.by_certificate || bindings.is_empty());
        let bound = match by_name {
            true => std::slice::from_ref(certificate),
            false => bindings,
        };
        let bound: Vec<String> = bound.iter().map(|id| quote(id)).collect();
        let (by_certificate, bound) = (self.by_certificate, bound.join(","));
        Some(format!(
            "{{\"use_certificate\":{by_certificate},\"certificates\":[{bound}]}}"
        ))
    }
}

/// The session, if it is one of the organisation of the API.
fn of_organisation(exchange: &Exchange) -> Result<&Session, Failure> {
    let session = exchange.session()?;
    let org = org_or_default(&session.org_id, exchange.isolate.config());
    let is_own = org == exchange.org();
    is_own.then_some(session).ok_or(Failure::CredentialUnknown)
}

/// Goes on with a session that can be used.
fn usable(exchange: &mut Exchange) -> Step {
    match active(exchange) {
        Ok(session) => {
            let words = exchange.trace.is_some().then(|| describe(session));
            exchange.note(|| words.unwrap_or_default());
            Step::Next
        }
        Err(failure) => Step::Reply(Reply::from(failure)),
    }
}

/// The session, if it is switched on and has not ended.
fn active(exchange: &Exchange) -> Result<&Session, Failure> {
    let session = exchange.session()?;
    if session.is_inactive {
        return Err(Failure::KeyInactive);
    }
    let seconds = i64::try_from(exchange.isolate.now_ms() / 1000).unwrap_or(i64::MAX);
    if session.is_expired(seconds) {
        return Err(Failure::KeyExpired);
    }
    Ok(session)
}

/// A session that can be used, for people.
fn describe(session: &Session) -> String {
    let end = match session.expires {
        ..=0 => "never ends".to_owned(),
        expires => {
            let seconds = u64::try_from(expires).unwrap_or_default();
            format!("ends at {}", rfc3339(seconds.saturating_mul(1000)))
        }
    };
    let policies = match session.policies.as_slice() {
        [] => "has no policies".to_owned(),
        [policy] => format!("has the policy {policy}"),
        policies => format!("has the policies {}", policies.join(", ")),
    };
    let name = match session.alias.as_str() {
        "" => String::new(),
        alias => format!(" {alias}"),
    };
    format!("The key{name} is active, {end} and {policies}")
}
