//! Link 14: the token of a request, and whose it is.

use crate::chain::{Compiler, Middleware, Need, Step};
use crate::exchange::{Exchange, Lookup};
use crate::failure::{Failure, Reply};
use crate::identity::{Credential, Identity};
use crate::strangers::Stranger;

/// The token.
#[derive(Debug)]
pub struct AuthToken;

impl Middleware for AuthToken {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        if from.definition.bool("use_keyless").unwrap_or_default() {
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
        Some(Self)
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        if exchange.ignored {
            exchange.note(|| "An ignored path: nobody asks for a key".to_owned());
            return Step::Next;
        }
        if exchange.identity.is_some() {
            return Step::Next;
        }
        if exchange.lookup == Lookup::Missing {
            exchange.note(|| "No such key is stored".to_owned());
            return Step::Reply(Reply::from(Failure::CredentialUnknown));
        }
        // One that is looked for again may have been removed from the request by now.
        let found = exchange.credential.clone().or_else(|| shown(exchange));
        let Some(credential) = found else {
            return Step::Reply(Reply::from(Failure::CredentialMissing));
        };
        let name = credential.cached(exchange.org());
        if let Credential::Token(token) = &credential {
            exchange.key.token.clone_from(token);
        }
        exchange.credential = Some(credential.clone());
        let generation = exchange.snapshot.generation;
        let known = exchange
            .isolate
            .sessions()
            .borrow_mut()
            .get(&name, generation);
        if let Some(known) = known {
            exchange.note(|| {
                format!(
                    "Known to this isolate: {}, revision {}",
                    known.hash, known.revision
                )
            });
            exchange.identify(Identity { credential, known });
            return Step::Next;
        }
        // Only who is not known here costs the hashes.
        match credential.hashes(exchange.isolate.config(), &exchange.api) {
            Some(hashes) => match meet(exchange, &credential, &name) {
                None => Step::Need(Need::Session { hashes }),
                Some(words) => {
                    exchange.note(|| words.to_owned());
                    Step::Reply(Reply::from(Failure::CredentialUnknown))
                }
            },
            None => {
                exchange.note(|| "No token of this organisation".to_owned());
                Step::Reply(Reply::from(Failure::CredentialUnknown))
            }
        }
    }
}

/// Why the Registry is not asked for a session that this isolate does not know; `None` if it is.
fn meet(exchange: &mut Exchange, credential: &Credential, name: &str) -> Option<&'static str> {
    let now = exchange.isolate.now_ms();
    let met = match credential {
        Credential::Hash(_) => Stranger::Ask,
        Credential::Token(_) => {
            let limit = exchange.isolate.config().strangers;
            let sender = exchange.sender();
            let mut sessions = exchange.isolate.sessions().borrow_mut();
            sessions.strangers.meet(name, sender, limit, now)
        }
    };
    exchange.lookup = Lookup::Asked(now);
    match met {
        Stranger::Ask => None,
        Stranger::Unknown => Some("No such key is stored, the Registry said a moment ago"),
        Stranger::TooMany => Some(
            "Not known to this isolate, and its address has sent too many tokens that are no keys \
             (UNKNOWN_KEYS_PER_SECOND)",
        ),
    }
}

/// What the request shows of its key.
fn shown(exchange: &mut Exchange) -> Option<Credential> {
    if let Some(hash) = exchange.request.sent_as.clone() {
        exchange
            .note(|| "Sent as a stored key; its token is not known, so none is sent on".to_owned());
        return Some(Credential::Hash(hash));
    }
    let source = std::rc::Rc::clone(&exchange.api);
    let source = &source.source;
    let found = exchange.carrier(|carrier| source.find(carrier).zip(source.search(carrier)));
    let named = |&(kind, name): &(&str, &str)| format!("{kind} {name}");
    let locations = source.locations();
    match found {
        Some((token, (kind, _))) => {
            let location = locations
                .iter()
                .find(|(known, _)| *known == kind)
                .map(named);
            exchange.note(|| format!("In the {}", location.unwrap_or_default()));
            Some(Credential::Token(token))
        }
        None => {
            let locations: Vec<String> = locations.iter().map(named).collect();
            exchange.note(|| format!("None in the {}", locations.join(", the ")));
            None
        }
    }
}
