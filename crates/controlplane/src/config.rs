//! Limits and settings that an operator may set as worker variables, with their defaults.

mod environment;
mod health;
mod oauth;
mod retention;
mod sign_in;
mod uptime;

pub use environment::EnvironmentConfig;
pub use gatewright_model::definition::Allowed;
pub use health::HealthConfig;
pub use oauth::{CODE_SECONDS, OauthConfig};
pub use retention::{Days, Retention};
pub use sign_in::SignInConfig;
pub use uptime::UptimeConfig;

use std::str::FromStr;

/// The largest API definition in bytes. A row of a Durable Object's SQLite holds at most 2 MB
/// (<https://developers.cloudflare.com/durable-objects/platform/limits/>), and a definition shares its row with what is
/// known about it.
pub const DEFINITION_MAX_BYTES: usize = 1024 * 1024;

/// The largest OpenAPI document in bytes. The largest public ones have 13 MB.
pub const OPENAPI_MAX_BYTES: usize = 16 * 1024 * 1024;

/// The largest stored text of an OpenAPI document in bytes. It consists of the document as JSON, its text in YAML as a
/// JSON string (twice as long if every character is escaped), what the gateway writes into both, and the definition
/// compiled from it, which has at most [`DEFINITION_MAX_BYTES`]. Only what the gateway writes has no bound of its own.
pub const STORED_MAX_BYTES: usize = 4 * OPENAPI_MAX_BYTES;

/// Returns how many bytes of an isolate's memory a published set may take (`PUBLISHED_SET_MAX_MB`), estimated from the
/// length and number of its documents. An isolate has 128 MB for everything, and holds two sets while it switches from
/// one to the next (<https://developers.cloudflare.com/workers/platform/limits/>).
pub fn set_bytes(variable: impl Fn(&str) -> Option<String>) -> usize {
    number(&variable, "PUBLISHED_SET_MAX_MB", usize::MAX, 50).saturating_mul(1_000_000)
}

/// Returns how many rulesets, and how many client identity providers, an organisation may have
/// (`DOCUMENTS_PER_ORG_MAX`). The Registry, with 128 MB, holds up to 2 kB of each in memory.
pub fn documents_per_org(variable: impl Fn(&str) -> Option<String>) -> usize {
    number(&variable, "DOCUMENTS_PER_ORG_MAX", usize::MAX, 10_000)
}

/// Reads a worker variable that is a whole number from 1 to `most`; anything else keeps the default.
fn number<T: FromStr + PartialOrd + From<u8>>(
    variable: &dyn Fn(&str) -> Option<String>,
    name: &str,
    most: T,
    default: T,
) -> T {
    let number = variable(name).and_then(|text| text.trim().parse().ok());
    let number = number.filter(|number| (T::from(1)..=most).contains(number));
    number.unwrap_or(default)
}

/// Whether a worker variable is this word.
fn is(variable: &dyn Fn(&str) -> Option<String>, name: &str, word: &str) -> bool {
    variable(name).is_some_and(|text| text.trim() == word)
}

/// The shortest accepted secret. Anything shorter can be guessed; without one, or with a shorter one, every
/// administrative call is refused.
pub const SECRET_MIN_LENGTH: usize = 16;

/// How third-party servers may be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EgressConfig {
    /// Whether private networks may be called (`EGRESS_ALLOW_PRIVATE`, only the text `true` counts).
    pub allow_private: bool,
    /// The timeout of one call in seconds (`EGRESS_TIMEOUT_SECONDS`).
    pub timeout_seconds: u32,
}

impl Default for EgressConfig {
    fn default() -> Self {
        Self {
            allow_private: false,
            timeout_seconds: 10,
        }
    }
}

impl EgressConfig {
    /// Reads the worker variables; a timeout that is not a positive number keeps its default.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let usual = Self::default().timeout_seconds;
        Self {
            allow_private: is(&variable, "EGRESS_ALLOW_PRIVATE", "true"),
            timeout_seconds: number(&variable, "EGRESS_TIMEOUT_SECONDS", u32::MAX, usual),
        }
    }
}

/// How often delivery of a notification to a webhook is retried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookConfig {
    /// Seconds before each retry, in order; after the last one the delivery is given up (`WEBHOOK_RETRY_SECONDS`).
    pub retry_seconds: Vec<u32>,
}

impl Default for WebhookConfig {
    fn default() -> Self {
        Self {
            retry_seconds: vec![5, 30, 120, 600, 1800, 7200],
        }
    }
}

impl WebhookConfig {
    /// Reads the worker variable, whole numbers separated by commas; anything else keeps the default.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let numbers = variable("WEBHOOK_RETRY_SECONDS").and_then(|text| {
            let parts = text.split(',').map(|part| part.trim().parse().ok());
            parts.collect::<Option<Vec<u32>>>()
        });
        numbers.map_or_else(Self::default, |retry_seconds| Self { retry_seconds })
    }

    /// Returns the milliseconds to wait after this many failed attempts; `None` to give up.
    #[must_use]
    pub fn delay_ms(&self, tries: u32) -> Option<u64> {
        let at = usize::try_from(tries.checked_sub(1)?).ok()?;
        let seconds = self.retry_seconds.get(at)?;
        Some(u64::from(*seconds).saturating_mul(1000))
    }
}

/// Reads the members that APIs may be served with although they have no effect (`ALLOW_UNENFORCED`).
pub fn allowed(variable: impl Fn(&str) -> Option<String>) -> Allowed {
    Allowed::parse(&variable("ALLOW_UNENFORCED").unwrap_or_default())
}

/// Reads how many notifications of each organisation are retained (`NOTIFICATIONS_KEPT`); a missing value, or one that
/// is not a positive number, keeps the default.
pub fn notifications_kept(variable: impl Fn(&str) -> Option<String>) -> u64 {
    number(&variable, "NOTIFICATIONS_KEPT", u64::MAX, 10_000)
}

/// How long the records of keys are retained, whatever the keys specify (reference 2.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LifetimeConfig {
    /// The lifetime in seconds that replaces what every key and its APIs specify, 0 or less for no limit
    /// (`GLOBAL_SESSION_LIFETIME`, where `FORCE_GLOBAL_SESSION_LIFETIME` is `true`).
    pub forced: Option<i64>,
    /// Whether no key is removed before it expires, whichever API it is for
    /// (`SESSION_LIFETIME_RESPECTS_KEY_EXPIRATION`).
    pub respects_expiration: bool,
}

impl LifetimeConfig {
    /// Reads the worker variables; only `true` switches anything on, and a lifetime that is not a number means no
    /// limit.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let on = |name: &str| variable(name).as_deref() == Some("true");
        let global = || variable("GLOBAL_SESSION_LIFETIME")?.parse().ok();
        Self {
            forced: on("FORCE_GLOBAL_SESSION_LIFETIME").then(|| global().unwrap_or(0)),
            respects_expiration: on("SESSION_LIFETIME_RESPECTS_KEY_EXPIRATION"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_networks_need_the_exact_opt_in() {
        for (text, allowed) in [("true", true), ("1", false), ("TRUE", false), ("", false)] {
            let named = |name: &str| (name == "EGRESS_ALLOW_PRIVATE").then(|| text.to_owned());
            let config = EgressConfig::read(named);
            assert_eq!(config.allow_private, allowed, "{text}");
            assert_eq!(config.timeout_seconds, 10);
        }
        assert_eq!(EgressConfig::read(|_| None), EgressConfig::default());
        let config = EgressConfig::read(|_| Some("3".to_owned()));
        assert_eq!(config.timeout_seconds, 3);
    }

    #[test]
    fn retry_delays_are_in_seconds() {
        for (text, read) in [
            ("1, 2,3", vec![1, 2, 3]),
            ("0", vec![0]),
            ("soon", WebhookConfig::default().retry_seconds),
            ("1,,2", WebhookConfig::default().retry_seconds),
        ] {
            let config = WebhookConfig::read(|_| Some(text.to_owned()));
            assert_eq!(config.retry_seconds, read, "{text}");
        }
        let config = WebhookConfig::read(|_| None);
        assert_eq!(config.delay_ms(0), None);
        assert_eq!(config.delay_ms(1), Some(5_000));
        assert_eq!(config.delay_ms(7), None);
    }

    #[test]
    fn global_lifetime_applies_if_forced() {
        for (force, global, forced) in [
            (None, Some("5"), None),
            (Some("1"), Some("5"), None),
            (Some("true"), Some("5"), Some(5)),
            (Some("true"), Some("soon"), Some(0)),
            (Some("true"), None, Some(0)),
        ] {
            let read = LifetimeConfig::read(|name| match name {
                "FORCE_GLOBAL_SESSION_LIFETIME" => force.map(str::to_owned),
                "GLOBAL_SESSION_LIFETIME" => global.map(str::to_owned),
                _ => None,
            });
            assert_eq!(read.forced, forced, "{force:?} {global:?}");
        }
    }
}
