//! The OAuth 2.0 server of APIs (`use_oauth2`): clients, authorization codes and tokens as they are stored,
//! and what the Registry is asked about them. All of it travels as JSON behind the line of its command.
//!
//! The promise: no secret, code or token is in here as a client has it. Tokens and codes of 128 and more
//! random bits are known by their hashes; a client's secret is a hash of its own and the text sealed by who
//! administers, because clients of this API family read it back (reference 1.9).

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// A client at one API. One that was made for the APIs of a policy is stored once for each of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OauthClient {
    /// The API.
    pub api: String,
    /// `client_id`, unique at its API.
    pub id: String,
    /// The organisation of the API.
    pub org: String,
    /// What those that were made together have in common.
    pub made: String,
    /// [`secret_hash`] of its secret.
    pub secret_hash: String,
    /// The secret as it was sealed; empty where nobody can open it any more.
    pub sealed: String,
    /// Where its users come back to; several are separated as the operator says.
    pub redirect_uri: String,
    /// The policy of its tokens; empty for none.
    pub policy_id: String,
    /// The JSON text of `meta_data`; empty for none.
    pub meta_data: String,
    /// A text for people.
    pub description: String,
    /// When it was made, RFC 3339.
    pub created_at: String,
}

/// An authorization code: one that waits to be exchanged, or was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OauthCode {
    /// [`token_hash`] of the code.
    pub code: String,
    /// The API it was issued at.
    pub api: String,
    /// The client it was issued to.
    pub client: String,
    /// When it ends, Unix seconds.
    pub expires: i64,
    /// Where it was sent to.
    pub redirect_uri: String,
    /// The scope that was asked for.
    pub scope: String,
    /// The code challenge of RFC 7636; empty for none.
    pub challenge: String,
    /// How it was made, `plain` or `S256`.
    pub method: String,
    /// The session that its token gets instead of the client's policy (`key_rules`); empty for none.
    pub rules: String,
    /// The hash of the access token that it was exchanged for, or of the one that has taken its place since; empty
    /// before that. Who comes with it again has not got it from the gateway (RFC 6749 section 4.1.2).
    pub used: String,
}

/// An access token, with the refresh token that was issued with it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OauthToken {
    /// The hash that the session of the access token is stored under.
    pub access: String,
    /// [`token_hash`] of the refresh token; empty for none.
    pub refresh: String,
    /// The API it was issued at.
    pub api: String,
    /// The client it was issued to.
    pub client: String,
    /// When the access token ends, Unix seconds.
    pub expires: i64,
    /// When the refresh token ends, Unix seconds; 0 for never.
    pub refresh_expires: i64,
    /// What was granted.
    pub scope: String,
    /// As [`OauthCode::rules`].
    pub rules: String,
}

/// A token that is issued together with the session of its access token, and what it is issued for. All of it
/// is stored or none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OauthGrant {
    /// The token.
    pub token: OauthToken,
    /// Its client as the issuer has seen it: one that was changed since gets no token.
    pub client: OauthClient,
    /// The code that it is issued for, which ends.
    pub code: String,
    /// The refresh token that it is issued for, which ends with its access token.
    pub refresh: String,
}

/// What the Registry is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OauthAsk {
    /// The clients of an API, a list of [`OauthClient`].
    Clients {
        /// The API.
        api: String,
    },
    /// One [`OauthClient`].
    Client {
        /// The API.
        api: String,
        /// The client.
        id: String,
    },
    /// The clients with this id at all APIs, a list of [`OauthClient`].
    ClientsNamed {
        /// The client.
        id: String,
        /// Only in this organisation; empty for all.
        org: String,
    },
    /// Stores clients, each over what is there.
    PutClients {
        /// The clients.
        clients: Vec<OauthClient>,
        /// What the audit trail calls it: true for a new one.
        is_new: bool,
    },
    /// Removes a client from an API; its refresh tokens and codes there end.
    RemoveClient {
        /// The API.
        api: String,
        /// The client.
        id: String,
    },
    /// Stores a code.
    PutCode(OauthCode),
    /// An [`OauthCode`] that has not ended, used or not.
    Code {
        /// [`token_hash`] of it.
        code: String,
    },
    /// The [`OauthToken`] of one of these access tokens, or of this refresh token.
    Token {
        /// The hashes that an access token may be stored under.
        access: Vec<String>,
        /// [`token_hash`] of a refresh token; empty for none.
        refresh: String,
    },
    /// The tokens of a client at these APIs whose access token has not ended, by their end: a list of
    /// [`OauthToken`], and how many there are.
    Tokens {
        /// The APIs.
        apis: Vec<String>,
        /// The client.
        client: String,
        /// The page of [`TOKENS_PER_PAGE`], from 1; 0 for all on one.
        page: u32,
    },
    /// The refresh token ends; the access token stays.
    EndRefresh {
        /// [`token_hash`] of it.
        refresh: String,
    },
    /// The refresh tokens and codes of a client at these APIs end.
    EndClient {
        /// The APIs.
        apis: Vec<String>,
        /// The client.
        client: String,
    },
    /// Removes what is known of tokens and codes that have ended.
    Lapse,
}

/// Tokens on a page (reference 1.9).
pub const TOKENS_PER_PAGE: u32 = 100;

impl OauthAsk {
    /// True if it stores something.
    #[must_use]
    pub const fn writes(&self) -> bool {
        matches!(
            self,
            Self::PutClients { .. }
                | Self::RemoveClient { .. }
                | Self::PutCode(_)
                | Self::EndRefresh { .. }
                | Self::EndClient { .. }
                | Self::Lapse
        )
    }
}

/// What [`OauthAsk::Tokens`] answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OauthTokens {
    /// Those of the page.
    pub tokens: Vec<OauthToken>,
    /// On all pages.
    pub total: u32,
}

/// The hash of a code or a refresh token: their bits are random, so a plain one keeps them.
#[must_use]
pub fn token_hash(token: &str) -> String {
    digits(&Sha256::digest(token.as_bytes()))
}

/// The hash of a client's secret. The id is in it, so that equal secrets of two clients do not show.
#[must_use]
pub fn secret_hash(client: &str, secret: &str) -> String {
    token_hash(&format!("{}:{client}:{secret}", client.len()))
}

fn digits(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().saturating_mul(2));
    for byte in bytes {
        // Writing into a text can't fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_of_two_clients_have_nothing_in_common() {
        assert_ne!(secret_hash("a", "s"), secret_hash("b", "s"));
        assert_ne!(secret_hash("a", "b:s"), secret_hash("a:b", "s"));
        assert_eq!(secret_hash("a", "s"), secret_hash("a", "s"));
        let sum = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
        assert_eq!(token_hash("hello"), sum);
    }

    #[test]
    fn only_what_stores_is_a_write() {
        let client = |id: &str| OauthAsk::Client {
            api: String::new(),
            id: id.to_owned(),
        };
        assert!(!client("a").writes());
        assert!(OauthAsk::Lapse.writes());
        assert!(OauthAsk::PutCode(OauthCode::default()).writes());
    }

    #[test]
    fn what_the_release_before_has_stored_is_read() {
        let client: OauthClient = serde_json::from_str(r#"{"api":"a","id":"c"}"#).unwrap();
        assert_eq!((client.api.as_str(), client.sealed.as_str()), ("a", ""));
        let token: OauthToken = serde_json::from_str(r#"{"more":1}"#).unwrap();
        assert_eq!(token, OauthToken::default());
    }
}
