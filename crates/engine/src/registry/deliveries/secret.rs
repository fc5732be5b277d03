//! The secrets that sign a webhook's calls (Standard Webhooks 1.0.0, *Signature scheme*).

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

/// What every secret begins with.
const PREFIX: &str = "whsec_";

/// For how long the secret before the newest one signs too, in milliseconds.
pub const OVERLAP_MS: u64 = 24 * 3_600_000;

/// `whsec_` and 32 random bytes in base64. It is written in no log: its `Debug` hides it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl Secret {
    /// A secret of 256 random bits, which come as base64url without padding.
    #[must_use]
    pub fn new(token: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
        Some(Self(format!("{PREFIX}{}", STANDARD.encode(bytes))))
    }

    /// The text, for the one who may see it once.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// `v1,` and the HMAC-SHA256 of the message in base64; `None` if the secret is none.
    fn sign(&self, message: &str) -> Option<String> {
        let key = STANDARD.decode(self.0.strip_prefix(PREFIX)?).ok()?;
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).ok()?;
        mac.update(message.as_bytes());
        Some(format!(
            "v1,{}",
            STANDARD.encode(mac.finalize().into_bytes())
        ))
    }
}

/// The secrets of a webhook, as they are stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookSecrets {
    /// The newest one.
    pub current: Secret,
    /// The one before it, and until when it signs too, in milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<(Secret, u64)>,
}

impl HookSecrets {
    /// The secrets after a rotation at `now`, in milliseconds since 1970.
    #[must_use]
    pub fn rotated(before: Option<Self>, current: Secret, now: u64) -> Self {
        let until = now.saturating_add(OVERLAP_MS);
        Self {
            current,
            previous: before.map(|before| (before.current, until)),
        }
    }

    /// The value of `webhook-signature`: a signature by each secret that counts at `now`, in
    /// milliseconds since 1970.
    #[must_use]
    pub fn signature(&self, id: &str, body: &str, now: u64) -> Option<String> {
        let message = format!("{id}.{}.{body}", now / 1000);
        let mut signature = self.current.sign(&message)?;
        if let Some((previous, until)) = &self.previous
            && now < *until
        {
            signature.push(' ');
            signature.push_str(&previous.sign(&message)?);
        }
        Some(signature)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the reference libraries (<https://github.com/standard-webhooks/standard-webhooks>,
    /// `libraries/javascript/src/index.test.ts`).
    #[test]
    fn a_signature_is_that_of_the_reference_libraries() {
        let secret = Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw".to_owned());
        let signed = secret.sign(r#"msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}"#);
        assert_eq!(
            signed.as_deref(),
            Some("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        );
    }

    #[test]
    fn both_secrets_sign_for_a_day_after_a_rotation() {
        let secret = |byte: u8| Secret::new(&URL_SAFE_NO_PAD.encode([byte; 32])).unwrap();
        let first = HookSecrets::rotated(None, secret(1), 0);
        assert_eq!(
            first
                .signature("id", "{}", 5)
                .unwrap()
                .matches("v1,")
                .count(),
            1
        );
        let second = HookSecrets::rotated(Some(first.clone()), secret(2), 1000);
        let both = second.signature("id", "{}", 1000 + OVERLAP_MS - 1).unwrap();
        let (new, old) = both.split_once(' ').unwrap();
        assert_ne!(new, old);
        let now = 1000 + OVERLAP_MS - 1;
        assert_eq!(Some(old.to_owned()), first.signature("id", "{}", now));
        let alone = second.signature("id", "{}", 1000 + OVERLAP_MS).unwrap();
        assert!(!alone.contains(' '));
    }

    #[test]
    fn a_secret_is_not_shown_by_accident() {
        let secret = Secret::new(&URL_SAFE_NO_PAD.encode([7; 32])).unwrap();
        assert!(secret.reveal().starts_with("whsec_"));
        assert_eq!(secret.reveal().len(), 6 + 44);
        let shown = format!("{:?}", HookSecrets::rotated(None, secret.clone(), 0));
        assert!(
            !shown.contains(secret.reveal()) && !shown.contains("whsec_"),
            "{shown}"
        );
    }
}
