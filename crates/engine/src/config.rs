//! Numbers and names that an operator may set as worker variables, with their defaults.

mod health;

pub use gatewright_model::definition::Allowed;
pub use health::HealthConfig;

use crate::token::HashFunction;

/// The largest API definition in bytes. A row of a Durable Object's SQLite holds 2 MB at most
/// (<https://developers.cloudflare.com/durable-objects/platform/limits/>), and a definition goes
/// into one together with what is known about it.
pub const DEFINITION_MAX_BYTES: usize = 1024 * 1024;

/// The shortest secret that is accepted. Anything shorter can be guessed; with none or a short
/// one every administrative call is refused.
pub const SECRET_MIN_LENGTH: usize = 16;

/// Bounds of a batch. Without them one unauthenticated call could fill an isolate's 128 MB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchLimits {
    /// Items in one batch (`BATCH_MAX_REQUESTS`).
    pub requests: usize,
    /// Bytes of the batch's own body (`BATCH_MAX_REQUEST_BYTES`).
    pub request_bytes: usize,
    /// Bytes of one item's answer (`BATCH_MAX_RESPONSE_BYTES`).
    pub response_bytes: usize,
    /// Bytes of all answers together (`BATCH_MAX_TOTAL_BYTES`).
    pub total_bytes: usize,
    /// Seconds for the whole batch (`BATCH_TIMEOUT_SECONDS`).
    pub timeout_seconds: u32,
}

impl Default for BatchLimits {
    fn default() -> Self {
        Self {
            requests: 100,
            request_bytes: 1024 * 1024,
            response_bytes: 1024 * 1024,
            total_bytes: 16 * 1024 * 1024,
            timeout_seconds: 30,
        }
    }
}

impl BatchLimits {
    /// Reads the worker variables; what is missing or no positive number keeps its default.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let number = |name: &str, default: usize| {
            variable(name)
                .and_then(|text| text.trim().parse().ok())
                .filter(|number| *number > 0)
                .unwrap_or(default)
        };
        let default = Self::default();
        let seconds = number("BATCH_TIMEOUT_SECONDS", 30);
        Self {
            requests: number("BATCH_MAX_REQUESTS", default.requests),
            request_bytes: number("BATCH_MAX_REQUEST_BYTES", default.request_bytes),
            response_bytes: number("BATCH_MAX_RESPONSE_BYTES", default.response_bytes),
            total_bytes: number("BATCH_MAX_TOTAL_BYTES", default.total_bytes),
            timeout_seconds: u32::try_from(seconds).unwrap_or(u32::MAX),
        }
    }
}

/// How servers of somebody else may be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EgressConfig {
    /// Private networks may be called (`EGRESS_ALLOW_PRIVATE`, only the text `true` counts).
    pub allow_private: bool,
    /// Seconds for one call (`EGRESS_TIMEOUT_SECONDS`).
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
    /// Reads the worker variables; a time that is no positive number keeps its default.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let seconds = variable("EGRESS_TIMEOUT_SECONDS")
            .and_then(|text| text.trim().parse().ok())
            .filter(|seconds| *seconds > 0);
        Self {
            allow_private: variable("EGRESS_ALLOW_PRIVATE").as_deref().map(str::trim)
                == Some("true"),
            timeout_seconds: seconds.unwrap_or(Self::default().timeout_seconds),
        }
    }
}

/// How often a notification is sent to a webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookConfig {
    /// Seconds between two attempts, in their order; behind the last one it is given up
    /// (`WEBHOOK_RETRY_SECONDS`).
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
    /// Reads the worker variable, whole numbers separated by commas; anything else keeps the
    /// default.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let numbers = variable("WEBHOOK_RETRY_SECONDS").and_then(|text| {
            let parts = text.split(',').map(|part| part.trim().parse().ok());
            parts.collect::<Option<Vec<u32>>>()
        });
        numbers.map_or_else(Self::default, |retry_seconds| Self { retry_seconds })
    }

    /// Milliseconds to wait after so many attempts without success; `None` to give it up.
    #[must_use]
    pub fn delay_ms(&self, tries: u32) -> Option<u64> {
        let at = usize::try_from(tries.checked_sub(1)?).ok()?;
        let seconds = self.retry_seconds.get(at)?;
        Some(u64::from(*seconds).saturating_mul(1000))
    }
}

/// How many notifications of each organisation are kept (`NOTIFICATIONS_KEPT`); what is missing or
/// no positive number keeps the default.
pub fn notifications_kept(variable: impl Fn(&str) -> Option<String>) -> u64 {
    variable("NOTIFICATIONS_KEPT")
        .and_then(|text| text.trim().parse().ok())
        .filter(|kept| *kept > 0)
        .unwrap_or(10_000)
}

/// How keys are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyConfig {
    /// How the tokens of new keys are hashed (`HASH_KEY_FUNCTION`).
    pub hash: HashFunction,
    /// The shortest custom id (`MIN_TOKEN_LENGTH`).
    pub min_token_length: usize,
    /// Whether a key without access rights opens every API (`ALLOW_MASTER_KEYS`).
    pub allow_master_keys: bool,
}

impl Default for KeyConfig {
    fn default() -> Self {
        Self {
            hash: HashFunction::default(),
            min_token_length: 3,
            allow_master_keys: false,
        }
    }
}

impl KeyConfig {
    /// Reads the worker variables; a length that is no number keeps its default, and only `true`
    /// allows master keys.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let default = Self::default();
        let length = variable("MIN_TOKEN_LENGTH").and_then(|text| text.parse().ok());
        Self {
            hash: variable("HASH_KEY_FUNCTION")
                .map_or(default.hash, |name| HashFunction::named(&name)),
            min_token_length: length.unwrap_or(default.min_token_length),
            allow_master_keys: variable("ALLOW_MASTER_KEYS").as_deref() == Some("true"),
        }
    }
}

/// How long the records of keys are kept, whatever they say (reference 2.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LifetimeConfig {
    /// What every key gets instead of what it, or its APIs, say: seconds, 0 or less for ever
    /// (`GLOBAL_SESSION_LIFETIME`, where `FORCE_GLOBAL_SESSION_LIFETIME` is `true`).
    pub forced: Option<i64>,
    /// Whether no key is forgotten before its end, whichever API it is for
    /// (`SESSION_LIFETIME_RESPECTS_KEY_EXPIRATION`).
    pub respects_expiration: bool,
}

impl LifetimeConfig {
    /// Reads the worker variables; only `true` switches anything on, and a time that is no number
    /// is for ever.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let on = |name: &str| variable(name).as_deref() == Some("true");
        let global = || variable("GLOBAL_SESSION_LIFETIME")?.parse().ok();
        Self {
            forced: on("FORCE_GLOBAL_SESSION_LIFETIME").then(|| global().unwrap_or(0)),
            respects_expiration: on("SESSION_LIFETIME_RESPECTS_KEY_EXPIRATION"),
        }
    }
}

/// Which of the two base URLs a request was sent to (design: *The surface: two origins*).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Administration API and data plane.
    Gateway,
    /// Console and administration API, never the data plane.
    Console,
    /// A host that nobody configured: the data plane only, so that a name which somebody else
    /// points here never reaches the administration.
    Unknown,
}

/// The hosts of the two base URLs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hosts {
    gateway: Vec<String>,
    console: Vec<String>,
}

impl Hosts {
    /// Reads the comma separated lists `GATEWAY_HOST` and `CONSOLE_HOST`; an entry is a host
    /// name, with `:port` where the port is not the scheme's own.
    #[must_use]
    pub fn read(gateway: &str, console: &str) -> Self {
        let list = |text: &str| {
            text.split(',')
                .map(|host| host.trim().to_ascii_lowercase())
                .filter(|host| !host.is_empty())
                .collect()
        };
        Self {
            gateway: list(gateway),
            console: list(console),
        }
    }

    /// The origin of a request; `authority` is the URL's `host[:port]` in lower case.
    #[must_use]
    pub fn origin(&self, authority: &str) -> Origin {
        let holds = |list: &[String]| list.iter().any(|host| host == authority);
        if holds(&self.console) {
            Origin::Console
        } else if holds(&self.gateway) {
            Origin::Gateway
        } else {
            Origin::Unknown
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_that_is_no_number_keeps_its_default() {
        let limits = BatchLimits::read(|name| match name {
            "BATCH_MAX_REQUESTS" => Some("7".to_owned()),
            "BATCH_MAX_REQUEST_BYTES" => Some("0".to_owned()),
            "BATCH_TIMEOUT_SECONDS" => Some("soon".to_owned()),
            _ => None,
        });
        assert_eq!(
            limits,
            BatchLimits {
                requests: 7,
                ..BatchLimits::default()
            }
        );
    }

    #[test]
    fn private_networks_are_called_only_when_it_is_said_exactly_so() {
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
    fn the_pauses_between_attempts_are_whole_seconds() {
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
    fn a_global_lifetime_counts_where_it_is_forced() {
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

    #[test]
    fn an_unknown_host_is_neither_gateway_nor_console() {
        let hosts = Hosts::read("api.example.com, 127.0.0.1:8787", "Console.example.com");
        assert_eq!(hosts.origin("127.0.0.1:8787"), Origin::Gateway);
        assert_eq!(hosts.origin("console.example.com"), Origin::Console);
        assert_eq!(hosts.origin("rebound.example.net"), Origin::Unknown);
    }
}
