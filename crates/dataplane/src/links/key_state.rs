//! Link 17: whether the key can be used at all.

use crate::chain::{Compiler, Middleware, Step};
use crate::exchange::Exchange;
use crate::failure::{Failure, Reply};
use crate::identity::org_or_default;
use gatewright_model::session::Session;
use gatewright_protocol::time::rfc3339;

/// The state of the key.
#[derive(Debug)]
pub struct KeyState;

impl Middleware for KeyState {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        let keyless = from.definition.bool("use_keyless").unwrap_or_default();
        (!keyless).then_some(Self)
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        if exchange.ignored {
            return Step::Next;
        }
        match usable(exchange) {
            Ok(session) => {
                let words = exchange.trace.is_some().then(|| describe(session));
                exchange.note(|| words.unwrap_or_default());
                Step::Next
            }
            Err(failure) => Step::Reply(Reply::from(failure)),
        }
    }
}

/// The session, if it can be used here at all.
fn usable(exchange: &Exchange) -> Result<&Session, Failure> {
    let session = exchange.session()?;
    if org_or_default(&session.org_id, exchange.isolate.config()) != exchange.org() {
        return Err(Failure::CredentialUnknown);
    }
    // What this runtime can't check must not be passed over.
    if !session.certificate.is_empty() || session.has_certificate_bindings {
        return Err(Failure::CertificateRequired);
    }
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
