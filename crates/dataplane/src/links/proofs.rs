//! Link 14, all methods except keys' tokens: credentials that the extra `auth` verifies.
//!
//! A link specifies where its credential is and which members of the definition concern it. The extra does everything
//! else; its report is one of these JSON objects:
//!
//! - `{"refused":{"status":401,"message":"…","flag":"…","headers":{…}},"is":"missing"|"malformed"|"unknown"|"certificate"|"unavailable"}`:
//!   why the credential is rejected.
//! - `{"key":"…"}`: the session of this key is needed; the call is repeated with `session`, its text or null.
//! - `{"stored":true}`: the credential is valid, with that session.
//! - `{"session":{…},"policies":[…],"base":"…","token":"…"}`: the credential is valid, and its session is derived from
//!   it. `policies` are added to it; `base` is the one of them that must exist. It counts under the hash of `token`.
//!   `refused` may contain another message in case there are no such policies.
//!
//! Each may have a `note` for the trace; the last two have `until`, when they expire in Unix milliseconds, and
//! `claims`, variables with their texts.

use crate::chain::{Compiler, Middleware, Need, Step};
use crate::exchange::Exchange;
use crate::facts::{list, object};
use crate::failure::{Failure, FailureReply, Reply};
use crate::granted::Granted;
use crate::identity::{Credential, Identity, Key, Method};
use crate::proofs::{ProofCall, Proved};
use crate::sessions::Known;
use crate::token_source::TokenSource;
use gatewright_model::json::{Value, parse, quote, written};
use std::borrow::Cow;
use std::rc::Rc;

/// A method whose credentials the extra verifies.
#[derive(Debug)]
pub struct Proof {
    method: Method,
    settings: Rc<str>,
    source: TokenSource,
}

impl Proof {
    /// Reads a definition, passing these members to the extra; `None` if it does not enable the method.
    pub fn compile(from: &mut Compiler<'_>, method: Method, members: &[&str]) -> Option<Self> {
        let definition = from.definition;
        if !method.is_on(definition) {
            return None;
        }
        from.origin(method.switch(), "");
        let mut settings: Vec<(&str, String)> = Vec::new();
        for name in ["api_id", "name", "is_oas"].iter().chain(members) {
            if let Some(value) = definition.get(name) {
                settings.push((*name, written(value)));
                if members.contains(name) {
                    from.origin(format!("/{name}"), "");
                }
            }
        }
        // Settings for JWTs that have no member of their own in classic definitions.
        let more = definition
            .pointer("/openapi/jwt")
            .filter(|_| method == Method::Jwt);
        for member in more.map(Value::members).unwrap_or_default() {
            settings.push((&*member.name, written(&member.value)));
        }
        let versions = definition.pointer("/version_data/versions");
        let versions = versions.map(Value::members).unwrap_or_default();
        let versions = versions.iter().map(|member| &*member.name);
        settings.push(("versions", list(versions)));
        Some(Self {
            method,
            settings: object(settings.into_iter()).into(),
            source: TokenSource::read(definition, method),
        })
    }

    /// Authenticates a request; `more` returns facts beyond those common to all methods: members of a JSON object, each
    /// preceded by a comma.
    pub fn prove(&self, exchange: &mut Exchange, more: impl FnOnce(&Exchange) -> String) -> Step {
        if exchange.ignored {
            exchange.remark("An ignored path: nobody asks for a credential");
            return Step::Next;
        }
        if exchange.has_passed(self.method) {
            return Step::Next;
        }
        if let Some(hash) = exchange.request.sent_as.clone() {
            return self.sent_as(exchange, hash);
        }
        if let Some(report) = exchange.proof.take() {
            return self.reported(exchange, report, more);
        }
        self.ask(exchange, more)
    }

    /// The credential as sent.
    pub(super) fn sent(&self, exchange: &Exchange) -> Option<String> {
        let sent = exchange.sent_carrier(|carrier| self.source.search(carrier));
        sent.map(|(_, text)| text)
    }

    /// Authenticates a request that an administrator sends as a stored key.
    fn sent_as(&self, exchange: &mut Exchange, hash: String) -> Step {
        let credential = Credential::Hash(hash);
        match exchange.look_for(&credential) {
            Key::Known(known) => self.identify(exchange, credential, known, &"".into()),
            Key::Ask(hashes) => Step::Need(Need::Session { hashes }),
            Key::Unknown => Step::Reply(Reply::from(Failure::CredentialUnknown)),
        }
    }

    fn identify(
        &self,
        exchange: &mut Exchange,
        credential: Credential,
        known: Rc<Known>,
        claims: &Rc<str>,
    ) -> Step {
        if !claims.is_empty() {
            exchange.key.claims = Rc::clone(claims);
        }
        // A stored session was looked up to derive this one.
        let client = exchange.found.take().filter(|_| known.is_derived);
        exchange.identify(Identity {
            method: self.method,
            credential,
            known,
            client,
        });
        Step::Next
    }

    /// The name a credential's proof is remembered under.
    fn name(&self, exchange: &Exchange, sent: &str) -> String {
        let (trust, _) = exchange.isolate.trust();
        let checked_by = format!("{:x} {trust}", exchange.api.checksum);
        let of = [exchange.api.definition.api_id.as_str(), checked_by.as_str()];
        let proofs = exchange.isolate.proofs().borrow();
        proofs.name(self.method, &of, sent)
    }

    /// Uses what is remembered, or asks the extra.
    fn ask(&self, exchange: &mut Exchange, more: impl FnOnce(&Exchange) -> String) -> Step {
        let sent = self.sent(exchange);
        // Even after waiting for its session: other requests may have verified the same credential meanwhile, and
        // passwords are expensive.
        if let Some(sent) = sent.as_deref()
            && let Some(proved) = self.remembered(exchange, sent)
        {
            exchange.remark("Proved a moment ago");
            return self.identify(
                exchange,
                proved.credential.clone(),
                Rc::clone(&proved.known),
                &proved.claims,
            );
        }
        // The session of the key that the extra has asked for.
        let session = match exchange.credential.clone() {
            None => String::new(),
            Some(credential) => match exchange.look_for(&credential) {
                Key::Known(known) => {
                    let session = format!(",\"session\":{}", known.text);
                    exchange.found = Some((credential, known));
                    session
                }
                Key::Ask(hashes) => return Step::Need(Need::Session { hashes }),
                Key::Unknown => ",\"session\":null".to_owned(),
            },
        };
        let now = exchange.isolate.now_ms();
        let org = quote(exchange.org());
        let credential = sent.map_or_else(|| "null".to_owned(), |sent| quote(&sent));
        let trust = match exchange.isolate.trust() {
            (_, trust) if trust.is_empty() => String::new(),
            (_, trust) => format!(",\"trust\":{trust}"),
        };
        let more = more(exchange);
        let facts = format!(
            "{{\"now\":{now},\"org\":{org},\"credential\":{credential}{session}{trust}{more}}}"
        );
        Step::Need(Need::Proof(Box::new(ProofCall {
            function: self.method.config(),
            settings: Rc::clone(&self.settings),
            facts,
        })))
    }

    /// A recent proof, unless the stored session it was based on has changed.
    fn remembered(&self, exchange: &mut Exchange, sent: &str) -> Option<Rc<Proved>> {
        let name = self.name(exchange, sent);
        // The result is valid for what the credential is checked against now, whatever changes meanwhile.
        exchange.proving.clone_from(&name);
        let (generation, now) = (exchange.snapshot.generation, exchange.isolate.now_ms());
        let mut proofs = exchange.isolate.proofs().borrow_mut();
        let proved = proofs.get(&name, generation, now)?;
        if !proved.known.is_derived {
            let session = proved.credential.cached(exchange.org());
            let mut sessions = exchange.isolate.sessions().borrow_mut();
            let known = sessions.get(&session, generation)?;
            let same = known.hash == proved.known.hash && known.revision == proved.known.revision;
            return same.then_some(proved);
        }
        Some(proved)
    }

    /// Acts on the extra's report.
    fn reported(
        &self,
        exchange: &mut Exchange,
        report: Option<String>,
        more: impl FnOnce(&Exchange) -> String,
    ) -> Step {
        let text = report.unwrap_or_default();
        let Ok(report) = parse(&text) else {
            exchange.remark("The module that proves it has failed");
            return Step::Reply(Reply::from(Failure::CredentialUnavailable));
        };
        if let Some(note) = report.str("note") {
            exchange.remark(note);
        }
        if let Some(key) = report.str("key").filter(|_| exchange.credential.is_none()) {
            exchange.credential = Some(Credential::Token(key.to_owned()));
            return self.ask(exchange, more);
        }
        let Some((credential, known)) = self.accepted(exchange, &text, &report) else {
            return Step::Reply(refusal(&report));
        };
        let claims = report.get("claims");
        let claims: Rc<str> = claims.map_or("", |claims| claims.span.of(&text)).into();
        let until = report
            .int("until")
            .and_then(|until| u64::try_from(until).ok());
        if let Some(until) = until {
            let name = std::mem::take(&mut exchange.proving);
            let proved = Proved {
                credential: credential.clone(),
                known: Rc::clone(&known),
                claims: Rc::clone(&claims),
                until,
            };
            let proofs = exchange.isolate.proofs();
            proofs.borrow_mut().put(name, Rc::new(proved));
        }
        self.identify(exchange, credential, known, &claims)
    }

    /// The session of a valid credential.
    fn accepted(
        &self,
        exchange: &mut Exchange,
        text: &str,
        report: &Value<'_>,
    ) -> Option<(Credential, Rc<Known>)> {
        if report.bool("stored") == Some(true) {
            let credential = exchange.credential.clone()?;
            let Key::Known(known) = exchange.look_for(&credential) else {
                return None;
            };
            return Some((credential, known));
        }
        let own = report.get("session")?;
        let credential = Credential::Token(report.str("token")?.to_owned());
        let policies = report.get("policies").map(Value::items).unwrap_or_default();
        let named: Vec<&str> = policies.iter().filter_map(Value::as_str).collect();
        let base = report.str("base");
        let snapshot = Rc::clone(&exchange.snapshot);
        let granted = snapshot.granted(exchange.org(), &named, exchange.isolate.config());
        let found = &granted.found;
        let lacks = (found.is_empty() && !named.is_empty())
            || base.is_some_and(|base| !found.iter().any(|id| id == base));
        if lacks {
            exchange.note(|| format!("There is no such policy: {}", named.join(", ")));
            return None;
        }
        let hash = credential.hash(exchange.isolate.config(), &exchange.api);
        let known = match Granted::own(own) {
            Some(own) => Known::granted(hash, &granted, own, snapshot.generation),
            None => {
                let members = own.span.of(text).strip_prefix('{')?;
                let session = format!("{},{members}", granted.start);
                Known::derived(hash, session, (snapshot.generation, &snapshot.policies))
            }
        };
        exchange.note(|| {
            format!(
                "Its session follows from it, and counts under {}",
                known.hash
            )
        });
        Some((credential, Rc::new(known)))
    }
}

/// The answer to an invalid credential: the extra's, or else that there is no such policy.
pub(super) fn refusal(report: &Value<'_>) -> Reply {
    let refused = report.get("refused");
    let text = |name: &str| {
        let text = refused.and_then(|refused| refused.str(name));
        text.map(str::to_owned)
    };
    let headers = refused.and_then(|refused| refused.get("headers"));
    let headers = headers.map(Value::members).unwrap_or_default().iter();
    let headers = headers.filter_map(|member| {
        let value = member.value.as_str()?;
        Some((member.name.to_string(), value.to_owned()))
    });
    let failure = match report.str("is") {
        Some("missing") => Failure::CredentialMissing,
        Some("malformed") => Failure::CredentialMalformed,
        Some("certificate") => Failure::CertificateRequired,
        Some("unavailable") => Failure::CredentialUnavailable,
        _ => Failure::CredentialUnknown,
    };
    let status = refused
        .and_then(|refused| refused.int("status"))
        .and_then(|status| u16::try_from(status).ok());
    let message = text("message");
    let message = message.map_or(Cow::Borrowed(NO_POLICY), Cow::Owned);
    Reply::Failure(FailureReply {
        status,
        message,
        headers: headers.collect(),
        flag: text("flag"),
        ..failure.into()
    })
}

/// The message about a policy that doesn't exist (reference 3.2).
const NO_POLICY: &str = "key not authorized: no matching policy";

/// Declares links that consist only of a [`Proof`]: type, description, method, members of the definition.
macro_rules! proofs {
    ($( $(#[$doc:meta])* $link:ident $method:ident [$($member:literal),*]; )*) => { $(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $link(Proof);

        impl Middleware for $link {
            fn compile(from: &mut Compiler<'_>) -> Option<Self> {
                Proof::compile(from, Method::$method, &[$($member),*]).map(Self)
            }

            fn request(&self, exchange: &mut Exchange) -> Step {
                self.0.prove(exchange, |_| String::new())
            }
        }
    )* };
}

proofs! {
    /// Tokens from another provider's OAuth 2.0 server.
    ExternalOauth ExternalOauth ["external_oauth"];
    /// JSON Web Tokens.
    Jwt Jwt [
        "jwt_signing_method", "jwt_source", "jwt_jwks_uris", "jwt_identity_base_field", "jwt_client_base_field",
        "jwt_policy_field_name", "jwt_default_policies", "jwt_scope_claim_name", "jwt_scope_to_policy_mapping",
        "scopes", "jwt_skip_kid", "jwt_expires_at_validation_skew", "jwt_issued_at_validation_skew",
        "jwt_not_before_validation_skew"
    ];
    /// Tokens from OpenID Connect providers.
    OpenId OpenId ["openid_options", "scopes"];
}
