//! The secrets that sign a webhook's calls (Standard Webhooks 1.0.0, *Signature scheme*).

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gatewright_protocol::secret::Secret;
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

/// How long the previous secret continues to sign, in milliseconds.
pub const OVERLAP_MS: u64 = 24 * 3_600_000;

/// The stored secrets of a webhook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookSecrets {
    /// The newest secret.
    pub current: Secret,
    /// The previous secret, and until when it continues to sign, in Unix milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<(Secret, u64)>,
}

impl HookSecrets {
    /// Returns the secrets after a rotation at `now`, in Unix milliseconds.
    #[must_use]
    pub fn rotated(before: Option<Self>, current: Secret, now: u64) -> Self {
        let until = now.saturating_add(OVERLAP_MS);
        Self {
            current,
            previous: before.map(|before| (before.current, until)),
        }
    }

    /// Returns the value of `webhook-signature`: a signature by each secret that is valid at `now`, in Unix
    /// milliseconds.
    #[must_use]
    pub fn signature(&self, id: &str, body: &str, now: u64) -> Option<String> {
        let message = format!("{id}.{}.{body}", now / 1000);
        let mut signature = sign(&self.current, &message)?;
        if let Some((previous, until)) = &self.previous
            && now < *until
        {
            signature.push(' ');
            signature.push_str(&sign(previous, &message)?);
        }
        Some(signature)
    }
}

/// Returns `v1,` and the HMAC-SHA256 of the message in base64; `None` if the secret is malformed.
fn sign(secret: &Secret, message: &str) -> Option<String> {
    let key = STANDARD
        .decode(secret.reveal().strip_prefix(Secret::PREFIX)?)
        .ok()?;
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).ok()?;
    mac.update(message.as_bytes());
    Some(format!(
        "v1,{}",
        STANDARD.encode(mac.finalize().into_bytes())
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;

    /// The example of the reference libraries (<https://github.com/standard-webhooks/standard-webhooks>,
    /// `libraries/javascript/src/index.test.ts`).
    #[test]
    fn signature_matches_reference_libraries() {
        let secret: Secret =
            serde_json::from_str(r#""whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw""#).unwrap();
        let signed = sign(
            &secret,
            r#"msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}"#,
        );
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
    fn debug_output_hides_the_secret() {
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
