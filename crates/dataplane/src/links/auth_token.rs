//! Link 14: the token of a request, and whose it is.

use crate::chain::{Compiler, Middleware, Need, Step};
use crate::exchange::{Exchange, Lookup};
use crate::failure::{Failure, Reply};
use crate::identity::{Credential, Identity, Key, Method};
use crate::token_source::TokenSource;

/// The token.
#[derive(Debug)]
pub struct AuthToken {
    source: TokenSource,
}

impl Middleware for AuthToken {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        if !Method::Token.is_on(from.definition) {
            return None;
        }
        for name in ["use_standard_auth", "auth_configs", "auth"] {
            if from.definition.get(name).is_some() {
                from.origin(format!("/{name}"), "");
            }
        }
        if from.definition.get("use_standard_auth").is_none() {
            from.origin("/use_keyless", "");
        }
        let source = TokenSource::read(from.definition, Method::Token);
        Some(Self { source })
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        if exchange.ignored {
            exchange.note(|| "An ignored path: nobody asks for a key".to_owned());
            return Step::Next;
        }
        if exchange.has_passed(Method::Token) {
            return Step::Next;
        }
        let Some(credential) = shown(&self.source, exchange) else {
            return Step::Reply(Reply::from(Failure::CredentialMissing));
        };
        if let Credential::Token(token) = &credential {
            exchange.key.token.clone_from(token);
        }
        match exchange.look_for(&credential) {
            Key::Known(known) => {
                exchange.identify(Identity {
                    method: Method::Token,
                    credential,
                    known,
                });
                Step::Next
            }
            Key::Ask(hashes) => Step::Need(Need::Session { hashes }),
            Key::Unknown => Step::Reply(Reply::from(Failure::CredentialUnknown)),
        }
    }
}

/// What the request shows of its key.
fn shown(source: &TokenSource, exchange: &mut Exchange) -> Option<Credential> {
    if let Some(hash) = exchange.request.sent_as.clone() {
        exchange
            .note(|| "Sent as a stored key; its token is not known, so none is sent on".to_owned());
        return Some(Credential::Hash(hash));
    }
    let found = exchange.sent_carrier(|carrier| source.find(carrier).zip(source.search(carrier)));
    let named = |&(kind, name): &(&str, &str)| format!("{kind} {name}");
    let locations = source.locations();
    match found {
        Some((token, (kind, _))) => {
            let location = locations
                .iter()
                .find(|(known, _)| *known == kind)
                .map(named);
            // Once, and not again when its session has been looked for.
            if exchange.lookup == Lookup::NotNeeded {
                exchange.note(|| format!("In the {}", location.unwrap_or_default()));
            }
            Some(Credential::Token(token))
        }
        None => {
            let locations: Vec<String> = locations.iter().map(named).collect();
            exchange.note(|| format!("None in the {}", locations.join(", the ")));
            None
        }
    }
}
