//! Link 14: the token of a request, and the key it belongs to.

use super::client_certificate::{self, act_on_report};
use super::proofs::refusal;
use crate::chain::{Compiler, Middleware, Need, Step};
use crate::exchange::{Exchange, Lookup};
use crate::failure::{Failure, Reply};
use crate::identity::{Credential, Identity, Key, Method};
use crate::proofs::ProofCall;
use crate::sessions::Known;
use crate::token_source::TokenSource;
use gatewright_model::json::{Value, parse, quote, written};
use gatewright_protocol::token::{custom_id, parts};
use gatewright_protocol::variables::{Escape, Template};
use std::rc::Rc;

/// Authentication by token.
#[derive(Debug)]
pub struct AuthToken {
    source: TokenSource,
    /// Whether a certificate can replace the token.
    by_certificate: bool,
    signature: Option<Signature>,
}

/// Whether a client certificate can replace a token (`use_certificate`).
pub(super) fn by_certificate(definition: &Value<'_>) -> bool {
    let config = TokenSource::config(definition, Method::Token);
    Method::Token.is_on(definition)
        && config.is_some_and(|config| config.bool("use_certificate") == Some(true))
}

/// How tokens are signed (`validate_signature`).
struct Signature {
    settings: Rc<str>,
    source: TokenSource,
    secret: Template,
}

impl std::fmt::Debug for Signature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Signature(…)")
    }
}

impl Signature {
    fn read(definition: &Value<'_>) -> Option<Self> {
        let config = TokenSource::config(definition, Method::Token)?;
        if config.bool("validate_signature") != Some(true) {
            return None;
        }
        let signature = config.get("signature");
        let text = |name| signature.and_then(|signature| signature.str(name));
        let name = |name| text(name).filter(|text| !text.is_empty());
        // A name is enough.
        let in_query = signature.is_some_and(|known| known.bool("use_param") == Some(true));
        let parameter = name("param_name").or_else(|| name("header").filter(|_| in_query));
        Some(Self {
            settings: signature.map_or_else(|| "{}".to_owned(), written).into(),
            source: TokenSource {
                header: name("header").map(str::to_ascii_lowercase),
                parameter: parameter.map(str::to_owned),
                cookie: None,
            },
            secret: Template::parse(text("secret").unwrap_or_default()),
        })
    }

    /// Asks the extra to check a token's signature; the key's session may contribute to the secret.
    ///
    /// The signature covers the token or the id in it, whichever was sent.
    fn check(&self, exchange: &mut Exchange, token: &str, known: &Known) -> Step {
        let before = std::mem::replace(&mut exchange.key.session, known.session.clone());
        let secret = exchange.fill(&self.secret, Escape::None);
        exchange.key.session = before;
        let sent = exchange.sent_carrier(|carrier| self.source.search(carrier));
        let sent = sent.map_or_else(|| "null".to_owned(), |(_, text)| quote(&text));
        let id = parts(token).map_or_else(
            || custom_id(exchange.org(), token).to_owned(),
            |parts| parts.id,
        );
        let (now, token, secret) = (exchange.isolate.now_ms(), quote(token), quote(&secret));
        let id = quote(&id);
        Step::Need(Need::Proof(Box::new(ProofCall {
            function: "signature",
            settings: Rc::clone(&self.settings),
            facts: format!(
                "{{\"now\":{now},\"org\":\"\",\"token\":{token},\"id\":{id},\"secret\":{secret},\"credential\":{sent}}}"
            ),
        })))
    }
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
        let signature = Signature::read(from.definition);
        Some(Self {
            source,
            by_certificate: by_certificate(from.definition),
            signature,
        })
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        if exchange.ignored {
            exchange.remark("An ignored path: nobody asks for a key");
            return Step::Next;
        }
        if let Some(outer) = exchange.outer.take() {
            exchange.remark("The request loops: who passed the chain before needs no token");
            let method = Method::Token;
            exchange.identify(Identity { method, ..outer });
        }
        if exchange.has_passed(Method::Token) {
            return Step::Next;
        }
        match presented(&self.source, exchange) {
            Some(credential) => self.look(exchange, &credential),
            None if self.by_certificate => self.certified(exchange),
            None => Step::Reply(Reply::from(Failure::CredentialMissing)),
        }
    }
}

impl AuthToken {
    /// Looks for the key that the client's certificate belongs to.
    fn certified(&self, exchange: &mut Exchange) -> Step {
        if let Some(credential) = exchange.credential.clone() {
            return self.look(exchange, &credential);
        }
        let Some(report) = exchange.proof.take() else {
            return client_certificate::check_certificate(exchange, "certificateKey", "{}".into());
        };
        let report = report.unwrap_or_default();
        let Ok(report) = parse(&report) else {
            return Step::Reply(Reply::from(Failure::CredentialUnavailable));
        };
        match report.str("key") {
            Some(key) => self.look(exchange, &Credential::Token(key.to_owned())),
            None => Step::Reply(refusal(&report)),
        }
    }

    /// Looks up the session of a key.
    fn look(&self, exchange: &mut Exchange, credential: &Credential) -> Step {
        match exchange.look_for(credential) {
            Key::Known(known) if has_password(&known) && self.is_name(exchange, credential) => {
                exchange.remark("The name of a user, whose password is needed with it");
                Step::Reply(Reply::from(Failure::CredentialUnknown))
            }
            Key::Known(known) => {
                let good = |exchange: &mut Exchange| {
                    exchange.identify(Identity {
                        method: Method::Token,
                        credential: credential.clone(),
                        known: Rc::clone(&known),
                        client: None,
                    });
                    Step::Next
                };
                match (&self.signature, credential, exchange.proof.take()) {
                    (Some(_), _, Some(report)) => act_on_report(exchange, report, good),
                    (Some(signature), Credential::Token(token), None) => {
                        let token = exchange.full_token(token, &known.hash);
                        signature.check(exchange, &token, &known)
                    }
                    _ => good(exchange),
                }
            }
            Key::Ask(hashes) => Step::Need(Need::Session { hashes }),
            Key::Unknown => Step::Reply(Reply::from(Failure::CredentialUnknown)),
        }
    }

    /// Whether a token that the client sent contains an id that somebody has chosen: anyone may know that.
    fn is_name(&self, exchange: &Exchange, credential: &Credential) -> bool {
        let Credential::Token(token) = credential else {
            return false;
        };
        let sent = exchange.sent_carrier(|carrier| self.source.search(carrier).is_some());
        let parts = parts(token);
        let id = match &parts {
            Some(parts) => &parts.id,
            None => custom_id(exchange.org(), token),
        };
        let is_generated = id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        sent && !is_generated
    }
}

fn has_password(known: &Known) -> bool {
    let session = known.session.as_ref();
    session.is_some_and(|session| session.has_password)
}

/// The credential that a request presents.
fn presented(source: &TokenSource, exchange: &mut Exchange) -> Option<Credential> {
    // Said only once, not after its session has been looked up.
    let is_first = exchange.lookup == Lookup::NotNeeded;
    if let Some(hash) = exchange.request.sent_as.clone() {
        if is_first {
            exchange.remark("Sent as a stored key; its token is not known, so none is sent on");
        }
        return Some(Credential::Hash(hash));
    }
    let found = exchange.sent_carrier(|carrier| source.located(carrier));
    if is_first {
        let kind = found.as_ref().map(|(kind, _)| *kind);
        exchange.note(|| location(source, kind));
    }
    found.map(|(_, token)| Credential::Token(token))
}

/// Describes where a token was found, or was looked for without success.
fn location(source: &TokenSource, found: Option<&str>) -> String {
    let locations = source.locations().into_iter();
    let looked = locations.filter(|(kind, _)| found.is_none_or(|found| found == *kind));
    let named: Vec<String> = looked
        .map(|(kind, name)| format!("{kind} {name}"))
        .collect();
    let start = if found.is_some() { "In" } else { "None in" };
    format!("{start} the {}", named.join(", the "))
}
