//! The secret that signs a webhook's calls (Standard Webhooks 1.0.0, *Signature scheme*).

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde::{Deserialize, Serialize};

/// `whsec_` and 32 random bytes in base64. It is never logged: its `Debug` hides it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl Secret {
    /// The prefix of every secret.
    pub const PREFIX: &str = "whsec_";

    /// Creates a secret from 256 random bits, given in base64url without padding.
    #[must_use]
    pub fn new(token: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
        Some(Self(format!("{}{}", Self::PREFIX, STANDARD.encode(bytes))))
    }

    /// Returns the text, for the one response that may show it.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}
