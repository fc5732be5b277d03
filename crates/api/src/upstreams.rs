//! The body of the answer about the upstreams of an API: `GET /gateway/health/upstreams/{apiID}`. All times are
//! Unix seconds.

use serde::{Deserialize, Serialize};

/// Whether a host answers the tests that its API has for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostState {
    /// Nobody has tested it yet.
    #[default]
    Untested,
    /// It does.
    Up,
    /// It does not.
    Down,
}

/// An address that requests go to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpstreamTarget {
    /// The address.
    pub url: String,
    /// Its host, with a port where it is not the scheme's own.
    pub host: String,
    /// How many turns in a round it has.
    pub weight: u32,
    /// What the tests of its host say: `down` if one of them does.
    pub state: HostState,
    /// Since when; null for what is not tested.
    pub since: Option<u64>,
}

/// Whether the list of a service registry is a good one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ListState {
    /// Nobody has asked for it yet.
    #[default]
    Unused,
    /// The registry has answered when it was asked last.
    Fresh,
    /// It has not, and the list of before is used.
    Stale,
    /// It has not, and there is no list.
    Failed,
}

/// What a service registry has answered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiscoveredTargets {
    /// Its address.
    pub endpoint: String,
    /// Whether the list is a good one.
    pub state: ListState,
    /// When it has answered last; null if it never has.
    pub fetched_at: Option<u64>,
    /// The addresses that it has named.
    pub targets: Vec<String>,
    /// Why it has not answered when it was asked last; empty if it has.
    pub error: String,
}

/// Whether a circuit breaker lets requests through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BreakerState {
    /// It does.
    #[default]
    Closed,
    /// It does not.
    Open,
    /// It lets a single one through now and then.
    HalfOpen,
}

/// A circuit breaker.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BreakerHealth {
    /// The path of its row.
    pub path: String,
    /// The method of its row.
    pub method: String,
    /// Whether it lets requests through.
    pub state: BreakerState,
    /// When it closes by itself; null for one that is closed.
    pub until: Option<u64>,
    /// Requests of the last ten seconds.
    pub requests: u64,
    /// Those of them that have failed.
    pub failures: u64,
    /// Below so many requests it does not open.
    pub samples: u64,
    /// The part of failed requests that opens it, from 0 to 1.
    pub threshold_percent: f64,
}

/// What came of a test.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UptimeCheck {
    /// When it was made.
    pub at: u64,
    /// Whether it has succeeded.
    pub up: bool,
    /// The status that was answered, 0 for none; 200 for a plain connection that did as expected.
    pub status: u16,
    /// How long it took, milliseconds.
    pub ms: u64,
    /// Why there was no answer; empty if there was one.
    pub error: String,
}

/// A test and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UptimeTest {
    /// The address that is tested.
    pub url: String,
    /// Its host, with a port where it is not the scheme's own.
    pub host: String,
    /// The method.
    pub method: String,
    /// `http`, `https`, `tcp` or `tls`.
    pub protocol: String,
    /// What the last tests say.
    pub state: HostState,
    /// Since when; null before the first test.
    pub since: Option<u64>,
    /// When it is made again; null if it is not.
    pub next_at: Option<u64>,
    /// What came of the last ones, the oldest first.
    pub checks: Vec<UptimeCheck>,
}

/// The uptime tests of an API.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UptimeHealth {
    /// Whether there are any that are made.
    pub enabled: bool,
    /// Seconds between two tests of a host that is up.
    pub every_seconds: u64,
    /// After so many failures in a row a host is down, and after so many successes up again.
    pub failures_to_down: u32,
    /// The results of so many tests are kept of each.
    pub checks_kept: u32,
    /// The tests.
    pub tests: Vec<UptimeTest>,
}

/// The answer of `GET /gateway/health/upstreams/{apiID}`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UpstreamHealth {
    /// The API.
    pub api_id: String,
    /// When the answer was made.
    pub at: u64,
    /// Whether the API is served; one that is not has no targets and no breakers here.
    pub loaded: bool,
    /// Whether its targets are taken in turn.
    pub load_balancing: bool,
    /// Whether targets that are down have no turn.
    pub skips_down: bool,
    /// Where its requests go.
    pub targets: Vec<UpstreamTarget>,
    /// What a service registry has named; null where none is asked.
    pub discovery: Option<DiscoveredTargets>,
    /// Its circuit breakers.
    pub breakers: Vec<BreakerHealth>,
    /// Whose breakers these are: `machine`, all processes of one, or `isolate`, the one that has answered.
    pub breakers_of: String,
    /// Its uptime tests.
    pub uptime: UptimeHealth,
}
