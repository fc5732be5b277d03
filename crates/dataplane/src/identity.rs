//! The identity behind a request: the credential that an auth link found, and the session it stands for.
//!
//! The promise: no decision is based on a session that has since been changed or deleted, because the Ledger that
//! counts also confirms the session. Counting itself is in [`crate::counters`].

mod others;

use crate::config::IdentityConfig;
use crate::exchange::{Exchange, Lookup};
use crate::failure::Failure;
use crate::sessions::Known;
use crate::snapshot::Api;
use crate::strangers::{Sender, Stranger};
use gatewright_model::json::Value;
use gatewright_model::session::Session;
use gatewright_model::text::pattern::portable;
use gatewright_protocol::token::{TOKEN_MAX_BYTES, full_token, parts, stored_hash, stored_under};
use regex_lite::Regex;
use std::rc::Rc;

/// A session as stored in the Registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The hash it is stored under.
    pub hash: String,
    /// Its revision.
    pub revision: u64,
    /// The session document.
    pub text: String,
}

/// What a request presents as its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Credential {
    /// The token.
    Token(String),
    /// The hash; only an administrator can use one as a key.
    Hash(String),
}

/// An authentication method (reference 3.1, row 14), in the order in which an API runs them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// A token from this gateway's OAuth 2.0 server.
    Oauth,
    /// A token from another provider's OAuth 2.0 server.
    ExternalOauth,
    /// A user name and password.
    Basic,
    /// An HTTP signature.
    Hmac,
    /// A JSON Web Token.
    Jwt,
    /// A token from an OpenID Connect provider.
    OpenId,
    /// The token of a key.
    Token,
}

/// What distinguishes a method.
struct MethodRow {
    method: Method,
    /// The name of its link.
    link: &'static str,
    /// Its switch in a definition (JSON Pointer).
    switch: &'static str,
    /// Its member of `auth_configs`.
    config: &'static str,
    /// Its name in `base_identity_provided_by`.
    base: &'static str,
}

static METHODS: [MethodRow; 7] = [
    MethodRow {
        method: Method::Oauth,
        link: "oauth",
        switch: "/use_oauth2",
        config: "oauth",
        base: "oauth_key",
    },
    MethodRow {
        method: Method::ExternalOauth,
        link: "external_oauth",
        switch: "/external_oauth/enabled",
        config: "externalOAuth",
        base: "external_oauth",
    },
    MethodRow {
        method: Method::Basic,
        link: "basic_auth",
        switch: "/use_basic_auth",
        config: "basic",
        base: "basic_auth_user",
    },
    MethodRow {
        method: Method::Hmac,
        link: "hmac",
        switch: "/enable_signature_checking",
        config: "hmac",
        base: "hmac_key",
    },
    MethodRow {
        method: Method::Jwt,
        link: "jwt",
        switch: "/enable_jwt",
        config: "jwt",
        base: "jwt_claim",
    },
    MethodRow {
        method: Method::OpenId,
        link: "openid",
        switch: "/use_openid",
        config: "oidc",
        base: "oidc_user",
    },
    MethodRow {
        method: Method::Token,
        link: "auth_token",
        switch: "/use_standard_auth",
        config: "authToken",
        base: "auth_token",
    },
];

impl Method {
    fn row(self) -> Option<&'static MethodRow> {
        METHODS.iter().find(|row| row.method == self)
    }

    /// The switch in a definition (JSON Pointer).
    #[must_use]
    pub fn switch(self) -> &'static str {
        self.row().map_or("", |row| row.switch)
    }

    /// Its member of `auth_configs`.
    #[must_use]
    pub fn config(self) -> &'static str {
        self.row().map_or("", |row| row.config)
    }

    /// The link of the method with this member of `auth_configs`.
    #[must_use]
    pub fn link_of(config: &str) -> Option<&'static str> {
        METHODS
            .iter()
            .find(|row| row.config == config)
            .map(|row| row.link)
    }

    /// Whether a definition enables the method. Tokens are also required if no other method is enabled.
    #[must_use]
    pub fn is_on(self, definition: &Value<'_>) -> bool {
        let is_true = |row: &MethodRow| {
            let switch = definition.pointer(row.switch);
            switch.and_then(Value::as_bool) == Some(true)
                && (row.method != Self::Basic || finds_users(definition))
        };
        let keyless = definition.bool("use_keyless").unwrap_or_default();
        let others = || METHODS.iter().any(&is_true);
        !keyless && (self.row().is_some_and(&is_true) || (self == Self::Token && !others()))
    }

    /// The methods that a definition enables, in order.
    #[must_use]
    pub fn all_on(definition: &Value<'_>) -> Vec<Self> {
        let all = METHODS.iter().map(|row| row.method);
        all.filter(|method| method.is_on(definition)).collect()
    }

    /// The method whose session is used, from `base_identity_provided_by`; `None` for the last method's.
    #[must_use]
    pub fn base(definition: &Value<'_>) -> Option<Base> {
        let named = definition.str("base_identity_provided_by")?;
        let row = METHODS.iter().find(|row| row.base == named);
        match named {
            "" => None,
            _ => Some(row.map_or(Base::Nobody, |row| Base::Method(row.method))),
        }
    }
}

/// Whether basic authentication can find a user: reading bodies requires both expressions, and without valid ones it is
/// off (reference 3.7).
fn finds_users(definition: &Value<'_>) -> bool {
    let basic = definition.get("basic_auth");
    let reads_body = basic.is_some_and(|basic| basic.bool("extract_from_body") == Some(true));
    let says = |name: &str| {
        let text = basic.and_then(|basic| basic.str(name));
        text.is_some_and(|text| !text.is_empty() && Regex::new(&portable(text)).is_ok())
    };
    !reads_body || (says("body_user_regexp") && says("body_password_regexp"))
}

/// The method whose session is used if several are required.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// This method.
    Method(Method),
    /// A method that this gateway does not support.
    Nobody,
}

/// Picks the identity of the base method among those that have passed: `None` until it has passed.
fn base_of(passed: &[Identity], base: Option<Base>) -> Option<&Identity> {
    match base {
        None => passed.last(),
        Some(Base::Method(method)) => passed.iter().find(|known| known.method == method),
        Some(Base::Nobody) => None,
    }
}

/// Who a request comes from.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The method that established the identity.
    pub method: Method,
    /// The credential presented, or the name its session would be stored under.
    pub credential: Credential,
    /// The session it stands for.
    pub known: Rc<Known>,
    /// The key that a token's policy is read from, with its session.
    pub client: Option<(Credential, Rc<Known>)>,
}

impl Identity {
    /// The session, if its policies can be applied.
    #[must_use]
    pub fn session(&self) -> Option<&Session> {
        self.known.session.as_deref()
    }
}

/// The organisation, or the default one if a document names none.
#[must_use]
pub fn org_or_default<'a>(org: &'a str, config: &'a IdentityConfig) -> &'a str {
    if org.is_empty() {
        &config.default_org
    } else {
        org
    }
}

impl Credential {
    /// The cache key in an isolate. A custom id denotes different keys in different organisations; the length separates
    /// the two texts. A hash sent as a token is not the same as that hash.
    #[must_use]
    pub fn cached(&self, org: &str) -> String {
        match self {
            Self::Token(token) => format!("{}:{org}{token}", org.len()),
            Self::Hash(hash) => format!("hash:{}:{org}{hash}", org.len()),
        }
    }

    /// The hashes that its session may be stored under; `None` if it can't be a key of this API.
    #[must_use]
    pub fn hashes(&self, config: &IdentityConfig, api: &Api) -> Option<Vec<String>> {
        let token = match self {
            Self::Hash(hash) => return Some(vec![hash.clone()]),
            Self::Token(token) => token,
        };
        let org = org_or_default(&api.definition.org_id, config);
        let length = token.chars().count();
        // A key of another organisation is refused without asking anyone (reference 3.2).
        let foreign = parts(token).is_some_and(|parts| org_or_default(&parts.org, config) != org);
        if length < config.min_token_length || token.len() > TOKEN_MAX_BYTES || foreign {
            return None;
        }
        let orgs = (api.definition.org_id.as_str(), config.default_org.as_str());
        Some(stored_under(token, orgs, config.hash))
    }

    /// The hash that its session is or would be stored under, for output that must not reveal the token.
    #[must_use]
    pub fn hash(&self, config: &IdentityConfig, api: &Api) -> String {
        match self {
            Self::Hash(hash) => hash.clone(),
            Self::Token(token) => stored_hash(token, &api.definition.org_id, config.hash),
        }
    }
}

/// The result of looking for a stored key in the isolate.
#[derive(Debug)]
pub enum Key {
    /// The session is known.
    Known(Rc<Known>),
    /// The session has to be looked up, that of the first of these hashes that exists.
    Ask(Vec<String>),
    /// The key doesn't exist.
    Unknown,
}

impl Exchange {
    /// The organisation of the API.
    #[must_use]
    pub fn org(&self) -> &str {
        org_or_default(&self.api.definition.org_id, self.isolate.config())
    }

    /// The full token of a key that was sent either in full or as its custom id.
    #[must_use]
    pub fn full_token(&self, sent: &str, stored: &str) -> String {
        let config = self.isolate.config();
        let orgs = (
            self.api.definition.org_id.as_str(),
            config.default_org.as_str(),
        );
        full_token(sent, orgs, config.hash, stored).unwrap_or_else(|| sent.to_owned())
    }

    /// The value of `$gateway_context.token` (reference 3.11): the full token of the key whose session is used, also
    /// of one that follows from a JWT, and the id as sent in a signature. As in the family, other methods have none.
    #[must_use]
    pub fn token_variable(&self) -> String {
        let Some(identity) = &self.identity else {
            return String::new();
        };
        match (identity.method, &identity.credential) {
            (Method::Token | Method::Jwt | Method::OpenId, Credential::Token(sent)) => {
                self.full_token(sent, &identity.known.hash)
            }
            (Method::Hmac, Credential::Token(key)) => key.clone(),
            _ => String::new(),
        }
    }

    /// The hash of the key, for output that must not reveal the token; empty if there is none.
    #[must_use]
    pub fn key_hash(&self) -> String {
        if let Some(identity) = &self.identity {
            return identity.known.hash.clone();
        }
        let config = self.isolate.config();
        let hash = |credential: &Credential| credential.hash(config, &self.api);
        self.credential.as_ref().map_or_else(String::new, hash)
    }

    /// The sender to count a token against if it is not a key.
    #[must_use]
    pub fn sender(&self) -> Sender {
        Sender {
            address: self.counted_address(),
            in_batch: self.request.client_address.is_some(),
        }
    }

    /// The session of the key.
    ///
    /// # Errors
    /// Why there is no usable session.
    pub fn session(&self) -> Result<&Session, Failure> {
        let identity = self.identity.as_ref().ok_or(Failure::SessionMissing)?;
        identity.session().ok_or(Failure::CredentialUnknown)
    }

    /// Whether a method has passed.
    #[must_use]
    pub fn has_passed(&self, method: Method) -> bool {
        self.passed.iter().any(|known| known.method == method)
    }

    /// Takes the identity established by a method.
    pub fn identify(&mut self, identity: Identity) {
        self.credential = None;
        self.lookup = Lookup::NotNeeded;
        self.passed.retain(|known| known.method != identity.method);
        self.passed.push(identity);
        // If alternatives exist, the base method may not be among those that ran.
        let last = self.passed.last();
        let last = last.filter(|_| !self.chain.alternatives.is_empty());
        let base = base_of(&self.passed, self.api.base).or(last).cloned();
        self.key.session = base
            .as_ref()
            .and_then(|identity| identity.known.session.clone());
        self.identity = base;
    }

    /// Discards the identity, so that every method runs again.
    pub fn forget_identity(&mut self) {
        self.passed.clear();
        self.alternative = 0;
        self.identity = None;
        self.credential = None;
        self.found = None;
        self.lookup = Lookup::NotNeeded;
    }

    /// The session the decision was based on: that of the identity, or of the key whose credential was refused.
    #[must_use]
    pub fn decided_with(&self) -> Option<(Credential, Rc<Known>)> {
        if let Some(identity) = &self.identity {
            return Some((identity.credential.clone(), Rc::clone(&identity.known)));
        }
        self.looked_up()
    }

    /// The credential whose method has not passed, with its session if that is remembered.
    fn looked_up(&self) -> Option<(Credential, Rc<Known>)> {
        let credential = self.credential.clone()?;
        let name = credential.cached(self.org());
        let mut sessions = self.isolate.sessions().borrow_mut();
        let known = sessions.get(&name, self.snapshot.generation)?;
        Some((credential, known))
    }

    /// Looks up the session of a stored key.
    pub fn look_for(&mut self, credential: &Credential) -> Key {
        let is_same = self.credential.as_ref() == Some(credential);
        if is_same && self.lookup == Lookup::Missing {
            self.remark("No such key is stored");
            return Key::Unknown;
        }
        self.credential = Some(credential.clone());
        if let Some((_, known)) = self.found.take_if(|(of, _)| of == credential) {
            return Key::Known(known);
        }
        let name = credential.cached(self.org());
        let generation = self.snapshot.generation;
        let sessions = self.isolate.sessions();
        let known = sessions.borrow_mut().get(&name, generation);
        if let Some(known) = known {
            self.note(|| {
                let Known { hash, revision, .. } = &*known;
                format!("Its session, as of an earlier request: {hash}, revision {revision}")
            });
            return Key::Known(known);
        }
        // Hashes are computed only for credentials unknown to this isolate.
        let Some(hashes) = credential.hashes(self.isolate.config(), &self.api) else {
            self.remark("No token of this organisation");
            return Key::Unknown;
        };
        match self.meet(credential, &name) {
            None => Key::Ask(hashes),
            Some(words) => {
                self.remark(words);
                Key::Unknown
            }
        }
    }

    /// Why the Registry is not asked about a session that this isolate does not know; `None` if it is.
    fn meet(&mut self, credential: &Credential, name: &str) -> Option<&'static str> {
        let now = self.isolate.now_ms();
        let met = match credential {
            Credential::Hash(_) => Stranger::Ask,
            Credential::Token(_) => {
                let limit = self.isolate.config().strangers;
                let sender = self.sender();
                let mut sessions = self.isolate.sessions().borrow_mut();
                sessions.strangers.decide(name, sender, limit, now)
            }
        };
        self.lookup = Lookup::Asked(now);
        match met {
            Stranger::Ask => None,
            Stranger::Unknown => Some("No such key is stored, the Registry said a moment ago"),
            Stranger::TooMany => Some(
                "Not known here, and its address has sent too many tokens that are no \
                 keys (UNKNOWN_KEYS_PER_SECOND)",
            ),
        }
    }
}
