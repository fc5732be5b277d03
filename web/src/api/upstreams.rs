//! The upstreams of an API: what the console reads of their health.

use gatewright_model::amount::Amount;
use gatewright_model::json::Value;

use super::read::{Read, flag, list, number, text};
use super::{Api, ApiError, Call};

/// Who answers for an API, and how that goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UpstreamHealth {
    /// When this was looked at, Unix seconds; so are all times here.
    pub at: i64,
    /// Whether the gateway serves the API.
    pub loaded: bool,
    /// Whether its targets are taken in turn.
    pub balances: bool,
    /// Whether targets that are down have no turn.
    pub skips_down: bool,
    /// Its targets.
    pub targets: Vec<Target>,
    /// Where they are asked for, if they are.
    pub discovery: Option<Discovery>,
    /// Its circuit breakers.
    pub breakers: Vec<Breaker>,
    /// Whether each isolate has breakers of its own.
    pub breakers_of_isolate: bool,
    /// Whether its uptime tests are run.
    pub tested: bool,
    /// Seconds between two tests of a host.
    pub every: i64,
    /// How many failures in a row make a host count as down.
    pub failures_to_down: i64,
    /// The tests.
    pub tests: Vec<UptimeTest>,
}

/// A target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// Its address.
    pub url: String,
    /// How many turns it has.
    pub weight: u64,
    /// up, down or untested.
    pub state: String,
    /// Since when; none where nobody knows.
    pub since: Option<i64>,
}

/// Where targets are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Discovery {
    /// The address.
    pub endpoint: String,
    /// fresh, stale, failed or unused.
    pub state: String,
    /// When it has answered last.
    pub fetched_at: Option<i64>,
    /// Why it does not.
    pub error: String,
}

/// A circuit breaker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Breaker {
    /// Its method.
    pub method: String,
    /// Its path.
    pub path: String,
    /// closed, open or `half_open`.
    pub state: String,
    /// When it closes.
    pub until: Option<i64>,
    /// Requests of the last ten seconds.
    pub requests: u64,
    /// Those that have failed.
    pub failures: u64,
    /// From how many requests on it may open.
    pub samples: u64,
    /// From how many failures in a hundred on it opens.
    pub threshold: u64,
}

/// An uptime test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UptimeTest {
    /// What is asked.
    pub url: String,
    /// The host that it is about.
    pub host: String,
    /// How.
    pub method: String,
    /// up, down or untested.
    pub state: String,
    /// Since when.
    pub since: Option<i64>,
    /// What was found, the oldest first.
    pub checks: Vec<Check>,
}

/// What a test has found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Check {
    /// When.
    pub at: i64,
    /// Whether it was answered as it should be.
    pub up: bool,
    /// The status; 0 without an answer.
    pub status: u16,
    /// Milliseconds until then.
    pub ms: u64,
    /// Why there was none.
    pub error: String,
}

fn time(value: &Value<'_>, name: &str) -> Option<i64> {
    value.int(name)
}

impl Read for UpstreamHealth {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        let uptime = value.get("uptime").ok_or("uptime")?;
        let discovery = value.get("discovery").map(Discovery::read);
        Ok(Self {
            at: number(value, "at"),
            loaded: flag(value, "loaded"),
            balances: flag(value, "load_balancing"),
            skips_down: flag(value, "skips_down"),
            targets: list(value, "targets")?,
            discovery: discovery.transpose()?,
            breakers: list(value, "breakers")?,
            breakers_of_isolate: value.str("breakers_of") == Some("isolate"),
            tested: flag(uptime, "enabled"),
            every: number(uptime, "every_seconds"),
            failures_to_down: number(uptime, "failures_to_down"),
            tests: list(uptime, "tests")?,
        })
    }
}

impl Read for Target {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            url: value.str("url").ok_or("url")?.to_owned(),
            weight: number(value, "weight"),
            state: text(value, "state"),
            since: time(value, "since"),
        })
    }
}

impl Read for Discovery {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            endpoint: text(value, "endpoint"),
            state: text(value, "state"),
            fetched_at: time(value, "fetched_at"),
            error: text(value, "error"),
        })
    }
}

impl Read for Breaker {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        // Half of all is written as 0.5.
        let part = value.get("threshold_percent").map(Amount::read);
        let percent = part.map_or(0, |part| part.micros() / 10_000);
        Ok(Self {
            method: text(value, "method"),
            path: text(value, "path"),
            state: text(value, "state"),
            until: time(value, "until"),
            requests: number(value, "requests"),
            failures: number(value, "failures"),
            samples: number(value, "samples"),
            threshold: u64::try_from(percent).unwrap_or_default(),
        })
    }
}

impl Read for UptimeTest {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            url: value.str("url").ok_or("url")?.to_owned(),
            host: text(value, "host"),
            method: text(value, "method"),
            state: text(value, "state"),
            since: time(value, "since"),
            checks: list(value, "checks")?,
        })
    }
}

impl Read for Check {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            at: number(value, "at"),
            up: flag(value, "up"),
            status: number(value, "status"),
            ms: number(value, "ms"),
            error: text(value, "error"),
        })
    }
}

impl Api {
    /// The upstreams of an API.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if there is no such API.
    pub async fn upstreams(self, id: &str) -> Result<UpstreamHealth, ApiError> {
        let call = Call::get(format!("/gateway/health/upstreams/{id}"));
        self.send(call).await?.read()
    }

    /// Forgets what is kept of the answers of an API.
    ///
    /// # Errors
    /// As for every call.
    pub async fn forget_cache(self, id: &str) -> Result<(), ApiError> {
        let call = Call::new(
            gloo_net::http::Method::DELETE,
            format!("/gateway/cache/{id}"),
        );
        self.send(call).await.map(drop)
    }
}
