//! Who a request comes from: what an auth link has found, and the session it stands for.
//!
//! The promise: nothing is decided with a session that somebody has changed or deleted since, because
//! the Ledger that counts also says whether the session still holds. Counting is another matter
//! ([`crate::counters`]).

use crate::config::IdentityConfig;
use crate::exchange::Exchange;
use crate::failure::Failure;
use crate::sessions::Known;
use crate::snapshot::Api;
use crate::strangers::Sender;
use gatewright_model::session::Session;
use gatewright_protocol::token::{TOKEN_MAX_BYTES, candidates, parts, stored_under};
use std::rc::Rc;

/// A session as the Registry knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The hash it is stored under.
    pub hash: String,
    /// Its revision.
    pub revision: u64,
    /// Its text.
    pub text: String,
}

/// What a request shows of its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Credential {
    /// The token.
    Token(String),
    /// The hash, of which nobody else than an administrator makes a key.
    Hash(String),
}

/// Who a request comes from.
#[derive(Clone, Debug)]
pub struct Identity {
    /// What it has shown.
    pub credential: Credential,
    /// The session it stands for.
    pub known: Rc<Known>,
}

impl Identity {
    /// The session, if its policies can be applied.
    #[must_use]
    pub fn session(&self) -> Option<&Session> {
        self.known.session.as_deref()
    }
}

/// An organisation, or the default one where a document names none.
#[must_use]
pub fn org_or_default<'a>(org: &'a str, config: &'a IdentityConfig) -> &'a str {
    if org.is_empty() {
        &config.default_org
    } else {
        org
    }
}

impl Credential {
    /// What it is remembered by in an isolate. A custom id means another key in another organisation;
    /// the length keeps the two texts apart. A hash that comes as a token is another thing than the hash.
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
        // A key of another organisation is refused before anything is asked (reference 3.2).
        let foreign = parts(token).is_some_and(|parts| org_or_default(&parts.org, config) != org);
        if length < config.min_token_length || token.len() > TOKEN_MAX_BYTES || foreign {
            return None;
        }
        let orgs = (api.definition.org_id.as_str(), config.default_org.as_str());
        Some(stored_under(token, orgs, config.hash))
    }

    /// The hash that its session is stored under, or would be: for who must not see a token.
    #[must_use]
    pub fn hash(&self, config: &IdentityConfig, api: &Api) -> String {
        match self {
            Self::Hash(hash) => hash.clone(),
            Self::Token(token) => {
                // A custom id would be stored in the default form, the second one that is looked for.
                let hashes = candidates(token, &api.definition.org_id, config.hash);
                hashes.into_iter().take(2).next_back().unwrap_or_default()
            }
        }
    }
}

impl Exchange {
    /// The organisation of the API.
    #[must_use]
    pub fn org(&self) -> &str {
        org_or_default(&self.api.definition.org_id, self.isolate.config())
    }

    /// The hash of the key, for who must not see a token; empty where there is none.
    #[must_use]
    pub fn key_hash(&self) -> String {
        if let Some(identity) = &self.identity {
            return identity.known.hash.clone();
        }
        let config = self.isolate.config();
        let hash = |credential: &Credential| credential.hash(config, &self.api);
        self.credential.as_ref().map_or_else(String::new, hash)
    }

    /// Who sends it, where its token is none of a key.
    #[must_use]
    pub fn sender(&self) -> Sender {
        Sender {
            address: self.counted_address(),
            in_batch: self.request.client_address.is_some(),
        }
    }

    /// The session of its key.
    ///
    /// # Errors
    /// Why there is none that can be used.
    pub fn session(&self) -> Result<&Session, Failure> {
        let identity = self.identity.as_ref();
        let session = identity.and_then(Identity::session);
        session.ok_or(Failure::CredentialUnknown)
    }
}
