//! The response about the upstreams of an API: `GET /gateway/health/upstreams/{apiID}`. All times are Unix seconds.

use serde::{Deserialize, Serialize};

/// Whether a host passes the uptime tests of its API.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostState {
    /// It has not been tested yet.
    #[default]
    Untested,
    /// It passes.
    Up,
    /// It fails.
    Down,
}

/// An address that requests go to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpstreamTarget {
    /// The address.
    pub url: String,
    /// Its host, with the port unless it is the scheme's default.
    pub host: String,
    /// The number of its turns per round.
    pub weight: u32,
    /// The state of its host by the uptime tests: `down` if one of them fails.
    pub state: HostState,
    /// Since when it has this state; null if it isn't tested.
    pub since: Option<u64>,
}

/// The state of a service registry's list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ListState {
    /// It has not been fetched yet.
    #[default]
    Unused,
    /// The registry answered the last call.
    Fresh,
    /// The last call failed, and the previous list is used.
    Stale,
    /// The last call failed, and there is no list.
    Failed,
}

/// The list of a service registry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiscoveredTargets {
    /// Its address.
    pub endpoint: String,
    /// The state of the list.
    pub state: ListState,
    /// When the list was last fetched; null for never.
    pub fetched_at: Option<u64>,
    /// The addresses in the list.
    pub targets: Vec<String>,
    /// Why the last call failed; empty if it didn't.
    pub error: String,
}

/// Whether a circuit breaker lets requests through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BreakerState {
    /// It lets all requests through.
    #[default]
    Closed,
    /// It lets none through.
    Open,
    /// It lets single requests through now and then.
    HalfOpen,
}

/// A circuit breaker.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BreakerHealth {
    /// The path of its rule.
    pub path: String,
    /// The method of its rule.
    pub method: String,
    /// Whether it lets requests through.
    pub state: BreakerState,
    /// When it closes by itself; null if it is closed.
    pub until: Option<u64>,
    /// The requests of the last ten seconds.
    pub requests: u64,
    /// The failed ones among them.
    pub failures: u64,
    /// The minimum number of requests before it opens.
    pub samples: u64,
    /// The share of failed requests that opens it, from 0 to 1.
    pub threshold_percent: f64,
}

/// The result of an uptime test.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UptimeCheck {
    /// When it ran.
    pub at: u64,
    /// Whether it succeeded.
    pub up: bool,
    /// The status of the response, 0 for none; 200 for a plain connection that behaved as expected.
    pub status: u16,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// Why there was no response; empty if there was one.
    pub error: String,
}

/// An uptime test and its results.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UptimeTest {
    /// The tested address.
    pub url: String,
    /// Its host, with the port unless it is the scheme's default.
    pub host: String,
    /// The method.
    pub method: String,
    /// `http`, `https`, `tcp` or `tls`.
    pub protocol: String,
    /// The state by the last tests.
    pub state: HostState,
    /// Since when it has this state; null before the first test.
    pub since: Option<u64>,
    /// When it runs next; null if it won't.
    pub next_at: Option<u64>,
    /// The last results, oldest first.
    pub checks: Vec<UptimeCheck>,
}

/// The uptime tests of an API.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UptimeHealth {
    /// Whether there are any enabled tests.
    pub enabled: bool,
    /// Seconds between two tests of a host that is up.
    pub every_seconds: u64,
    /// How many failures in a row mark a host as down, and how many successes as up again.
    pub failures_to_down: u32,
    /// How many results are kept per test.
    pub checks_kept: u32,
    /// The tests.
    pub tests: Vec<UptimeTest>,
}

/// The response of `GET /gateway/health/upstreams/{apiID}`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UpstreamHealth {
    /// The API.
    pub api_id: String,
    /// When the response was made.
    pub at: u64,
    /// Whether the API is served; if not, it has no targets and no breakers here.
    pub loaded: bool,
    /// Whether its targets are used in turn.
    pub load_balancing: bool,
    /// Whether targets that are down are skipped.
    pub skips_down: bool,
    /// The targets of its requests.
    pub targets: Vec<UpstreamTarget>,
    /// The list of a service registry; null if none is used.
    pub discovery: Option<DiscoveredTargets>,
    /// Its circuit breakers.
    pub breakers: Vec<BreakerHealth>,
    /// The scope of the breakers: `machine`, all processes of one, or `isolate`, the one that has answered.
    pub breakers_of: String,
    /// Its uptime tests.
    pub uptime: UptimeHealth,
}
