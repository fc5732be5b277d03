//! The OAuth 2.0 server of APIs (`use_oauth2`): clients, authorization codes and tokens as stored, and the Registry's
//! commands about them. All of it travels as JSON after the line of its command.
//!
//! The promise: nothing here contains a secret, code or token as the client has it. Tokens and codes of 128 or more
//! random bits are stored as hashes; a client's secret is stored as a hash and as a text sealed by the administration,
//! because clients of this API family read it back (reference 1.9).

use crate::token::HashFunction;
use serde::{Deserialize, Serialize};

/// A client at one API. A client created for the APIs of a policy is stored once for each of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OauthClient {
    /// The API.
    pub api: String,
    /// `client_id`, unique at its API.
    pub id: String,
    /// The organisation of the API.
    pub org: String,
    /// An id shared by the clients that were created together.
    pub made: String,
    /// [`secret_hash`] of its secret.
    pub secret_hash: String,
    /// The sealed secret; empty if nobody can open it any more.
    pub sealed: String,
    /// Where its users return to; several URIs are joined by the operator's separator.
    pub redirect_uri: String,
    /// The policy for its tokens; empty for none.
    pub policy_id: String,
    /// The JSON text of `meta_data`; empty for none.
    pub meta_data: String,
    /// A description for people.
    pub description: String,
    /// When it was created, RFC 3339.
    pub created_at: String,
}

/// An authorization code, exchanged or not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OauthCode {
    /// [`token_hash`] of the code.
    pub code: String,
    /// The API it was issued at.
    pub api: String,
    /// The client it was issued to.
    pub client: String,
    /// When it expires, in Unix seconds.
    pub expires: i64,
    /// The redirect URI it was sent to.
    pub redirect_uri: String,
    /// The requested scope.
    pub scope: String,
    /// The code challenge of RFC 7636; empty for none.
    pub challenge: String,
    /// The code challenge method, `plain` or `S256`.
    pub method: String,
    /// The session for its token, replacing the client's policy (`key_rules`); empty for none.
    pub rules: String,
    /// The hash of the access token that it was exchanged for, or of the one that has replaced that since; empty if it
    /// wasn't exchanged. Whoever presents a used code did not get it from the gateway (RFC 6749 section 4.1.2).
    pub used: String,
}

/// An access token, with the refresh token issued with it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OauthToken {
    /// The hash under which the access token's session is stored.
    pub access: String,
    /// [`token_hash`] of the refresh token; empty for none.
    pub refresh: String,
    /// The API it was issued at.
    pub api: String,
    /// The client it was issued to.
    pub client: String,
    /// When the access token expires, in Unix seconds.
    pub expires: i64,
    /// When the refresh token expires, in Unix seconds; 0 means never.
    pub refresh_expires: i64,
    /// The granted scope.
    pub scope: String,
    /// As [`OauthCode::rules`].
    pub rules: String,
}

/// A token to issue along with the session of its access token, and the grant it is issued for. All of it is stored or
/// none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct OauthGrant {
    /// The token.
    pub token: OauthToken,
    /// The client as the issuer has read it: if it was changed since, no token is issued.
    pub client: OauthClient,
    /// The code that it is issued for, which is used up.
    pub code: String,
    /// The refresh token that it is issued for, which ends together with its access token.
    pub refresh: String,
}

/// What a write replaces of a client. All but [`Self::Whole`] leave a client alone that has been removed meanwhile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientPart {
    /// Everything.
    #[default]
    Whole,
    /// Its secret, which nobody else's write of the rest may bring back.
    Secret,
    /// Everything but its secret.
    Settings,
}

/// A command to the Registry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OauthAsk {
    /// Lists the clients of an API, as a list of [`OauthClient`].
    Clients {
        /// The API.
        api: String,
    },
    /// Reads one [`OauthClient`].
    Client {
        /// The API.
        api: String,
        /// The client.
        id: String,
    },
    /// Lists the clients with this id at all APIs, as a list of [`OauthClient`].
    ClientsNamed {
        /// The client.
        id: String,
        /// Only in this organisation; empty for all.
        org: String,
    },
    /// Stores clients.
    PutClients {
        /// The clients.
        clients: Vec<OauthClient>,
        /// Whether the audit trail records a creation instead of an update.
        is_new: bool,
        /// What is replaced of an existing one.
        #[serde(default)]
        part: ClientPart,
    },
    /// Removes a client from an API and ends its refresh tokens and codes there.
    RemoveClient {
        /// The API.
        api: String,
        /// The client.
        id: String,
    },
    /// Stores a code.
    PutCode(OauthCode),
    /// Reads an [`OauthCode`] that has not expired, used or not.
    Code {
        /// [`token_hash`] of the code.
        code: String,
    },
    /// Reads the [`OauthToken`] of one of these access tokens, or of this refresh token.
    Token {
        /// The hashes under which an access token may be stored.
        access: Vec<String>,
        /// [`token_hash`] of a refresh token; empty for none.
        refresh: String,
    },
    /// Lists the tokens of a client at these APIs whose access token has not expired, ordered by expiry: a list of
    /// [`OauthToken`], and their total.
    Tokens {
        /// The APIs.
        apis: Vec<String>,
        /// The client.
        client: String,
        /// The page of [`TOKENS_PER_PAGE`], from 1; 0 for all tokens on one page.
        page: u32,
    },
    /// Ends the refresh token; the access token remains valid.
    EndRefresh {
        /// [`token_hash`] of the refresh token.
        refresh: String,
    },
    /// Ends the refresh tokens and codes of a client at these APIs.
    EndClient {
        /// The APIs.
        apis: Vec<String>,
        /// The client.
        client: String,
    },
    /// Removes tokens and codes that have expired.
    Lapse,
}

/// The tokens on a page (reference 1.9).
pub const TOKENS_PER_PAGE: u32 = 100;

impl OauthAsk {
    /// Whether the command stores something.
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

/// The reply to [`OauthAsk::Tokens`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OauthTokens {
    /// The tokens of the page.
    pub tokens: Vec<OauthToken>,
    /// The number of tokens on all pages.
    pub total: u32,
}

/// Returns the hash of a code or a refresh token. They are random, so a plain hash doesn't give them away.
#[must_use]
pub fn token_hash(token: &str) -> String {
    HashFunction::Sha256.hash(token)
}

/// Returns the hash of a client's secret. It includes the id, so that equal secrets of two clients don't show.
#[must_use]
pub fn secret_hash(client: &str, secret: &str) -> String {
    token_hash(&format!("{}:{client}:{secret}", client.len()))
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
    fn values_stored_by_the_previous_release_are_read() {
        let client: OauthClient = serde_json::from_str(r#"{"api":"a","id":"c"}"#).unwrap();
        assert_eq!((client.api.as_str(), client.sealed.as_str()), ("a", ""));
        let token: OauthToken = serde_json::from_str(r#"{"more":1}"#).unwrap();
        assert_eq!(token, OauthToken::default());
    }
}
