//! Limits and names that an operator may set for the data plane, with their defaults.

use crate::limits::Shown;
use crate::strangers::StrangerLimit;
use gatewright_protocol::config::{KeyConfig, batch_request_bytes};
use gatewright_protocol::http::{hosts, serving_host};
use gatewright_protocol::pseudonym::Pseudonyms;
use gatewright_protocol::token::HashFunction;

/// The limits of a batch. Without them one unauthenticated call could fill an isolate's 128 MB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchLimits {
    /// Maximum number of items (`BATCH_MAX_REQUESTS`).
    pub requests: usize,
    /// Maximum length of the batch's own body in bytes (`BATCH_MAX_REQUEST_BYTES`).
    pub request_bytes: usize,
    /// Maximum length of one item's response in bytes (`BATCH_MAX_RESPONSE_BYTES`).
    pub response_bytes: usize,
    /// Maximum length of all responses in bytes, as written in JSON (`BATCH_MAX_TOTAL_BYTES`).
    pub total_bytes: usize,
    /// Time limit of the entire batch, in seconds (`BATCH_TIMEOUT_SECONDS`).
    pub timeout_seconds: u32,
}

impl Default for BatchLimits {
    fn default() -> Self {
        Self {
            requests: 100,
            request_bytes: 1024 * 1024,
            response_bytes: 1024 * 1024,
            total_bytes: 4 * 1024 * 1024,
            timeout_seconds: 30,
        }
    }
}

impl BatchLimits {
    /// Reads the worker variables; those that are missing or not positive numbers keep their defaults.
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
            request_bytes: batch_request_bytes(&variable),
            response_bytes: number("BATCH_MAX_RESPONSE_BYTES", default.response_bytes),
            total_bytes: number("BATCH_MAX_TOTAL_BYTES", default.total_bytes),
            timeout_seconds: u32::try_from(seconds).unwrap_or(u32::MAX),
        }
    }
}

/// How a request reached the worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Entrypoint {
    /// Through the edge's only entrypoint: origins differ by host alone.
    #[default]
    Shared,
    /// Through the gateway's own socket.
    Gateway,
    /// Through the console's own socket.
    Console,
}

impl Entrypoint {
    /// The entrypoint with this number in `entry.js`.
    #[must_use]
    pub const fn numbered(number: u8) -> Self {
        match number {
            1 => Self::Gateway,
            2 => Self::Console,
            _ => Self::Shared,
        }
    }
}

/// The base URL that a request was sent to (design: *The surface: two origins*).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Administration API and data plane.
    Gateway,
    /// Console and administration API, never the data plane.
    Console,
    /// A host that nobody configured: data plane only, so that a name that someone else points here never reaches the
    /// administration.
    Unknown,
    /// A host other than the console's on the console's socket, which has no data plane.
    Misdirected,
}

/// The hosts of the two base URLs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hosts {
    gateway: Vec<String>,
    console: Vec<String>,
}

impl Hosts {
    /// Reads the comma-separated lists `GATEWAY_HOST` and `CONSOLE_HOST`; entries are host names, with `:port` unless
    /// it is the scheme's default.
    #[must_use]
    pub fn read(gateway: &str, console: &str) -> Self {
        Self {
            gateway: hosts(gateway),
            console: hosts(console),
        }
    }

    /// Returns the host under which clients call an API, for a request sent to `authority`: the console's serves none.
    #[must_use]
    pub fn serving<'a>(&'a self, authority: &'a str) -> &'a str {
        serving_host(&self.gateway, &self.console, authority)
    }

    /// The origin of a request; `authority` is the URL's `host[:port]` in lower case. A separate socket decides
    /// whatever host a request names: the lists then only say which hosts are known.
    #[must_use]
    pub fn origin(&self, entrypoint: Entrypoint, authority: &str) -> Origin {
        let holds = |list: &[String]| list.iter().any(|host| host == authority);
        let (console, gateway) = (holds(&self.console), holds(&self.gateway));
        match entrypoint {
            Entrypoint::Console if console => Origin::Console,
            Entrypoint::Console => Origin::Misdirected,
            Entrypoint::Shared if console => Origin::Console,
            Entrypoint::Shared if gateway => Origin::Gateway,
            Entrypoint::Gateway if gateway || console => Origin::Gateway,
            Entrypoint::Gateway | Entrypoint::Shared => Origin::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn non_numeric_limit_keeps_its_default() {
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
    fn an_unknown_host_is_neither_gateway_nor_console() {
        let hosts = Hosts::read("api.example.com, 127.0.0.1:8787", "Console.example.com");
        let origin = |host| hosts.origin(Entrypoint::Shared, host);
        assert_eq!(origin("127.0.0.1:8787"), Origin::Gateway);
        assert_eq!(origin("console.example.com"), Origin::Console);
        assert_eq!(origin("rebound.example.net"), Origin::Unknown);
    }

    #[test]
    fn requests_tried_in_the_console_are_sent_to_the_gateway() {
        let hosts = Hosts::read("api.example.com", "console.example.com");
        assert_eq!(hosts.serving("console.example.com"), "api.example.com");
        assert_eq!(hosts.serving("other.example.com"), "other.example.com");
        let alone = Hosts::read("", "console.example.com");
        assert_eq!(alone.serving("console.example.com"), "console.example.com");
        let both = Hosts::read("one.example.com", "one.example.com");
        assert_eq!(both.serving("one.example.com"), "one.example.com");
        let local = Hosts::read("127.0.0.1:8787, localhost:8787", "localhost:8788");
        assert_eq!(local.serving("localhost:8788"), "localhost:8787");
    }

    /// Fault G15: the gateway's port answered with the console's redirect.
    #[test]
    fn dedicated_socket_overrides_the_host() {
        let hosts = Hosts::read("gateway.example", "console.example");
        for (number, host, origin) in [
            (0, "console.example", Origin::Console),
            (1, "gateway.example", Origin::Gateway),
            (1, "console.example", Origin::Gateway),
            (1, "other.example", Origin::Unknown),
            (2, "console.example", Origin::Console),
            (2, "gateway.example", Origin::Misdirected),
            (2, "other.example", Origin::Misdirected),
        ] {
            let found = hosts.origin(Entrypoint::numbered(number), host);
            assert_eq!(found, origin, "{number} {host}");
        }
    }
}

/// How keys are recognised and their limits reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentityConfig {
    /// The hash function for tokens made of custom ids (`HASH_KEY_FUNCTION`).
    pub hash: HashFunction,
    /// The minimum length of a token (`MIN_TOKEN_LENGTH`).
    pub min_token_length: usize,
    /// Whether a key without access rights may use every API (`ALLOW_MASTER_KEYS`).
    pub allow_master_keys: bool,
    /// The organisation of documents that name none (`DASHBOARD_ORG_ID`).
    pub default_org: String,
    /// What `X-RateLimit-*` report (`RATE_LIMIT_RESPONSE_HEADERS`).
    pub shown: Shown,
    /// Whether responses also have `RateLimit`, `RateLimit-Policy` and `Retry-After` (`RATE_LIMIT_FIELDS`).
    pub fields: bool,
    /// How many unknown tokens from one address are looked up in the Registry.
    pub strangers: StrangerLimit,
    /// The names of keys in events.
    pub pseudonyms: Pseudonyms,
}

impl Default for IdentityConfig {
    fn default() -> Self {
        Self::read(|_| None, "default".to_owned())
    }
}

impl IdentityConfig {
    /// Reads the worker variables; unknown values keep the default.
    pub fn read(variable: impl Fn(&str) -> Option<String>, default_org: String) -> Self {
        let keys = KeyConfig::read(&variable);
        let is = |name: &str, word: &str| variable(name).as_deref() == Some(word);
        Self {
            hash: keys.hash,
            min_token_length: keys.min_token_length,
            allow_master_keys: keys.allow_master_keys,
            default_org,
            shown: if is("RATE_LIMIT_RESPONSE_HEADERS", "rate_limits") {
                Shown::RateLimits
            } else {
                Shown::Quotas
            },
            fields: !is("RATE_LIMIT_FIELDS", "false"),
            pseudonyms: Pseudonyms::new(variable("GATEWAY_SECRET")),
            strangers: StrangerLimit::read(&variable),
        }
    }
}
