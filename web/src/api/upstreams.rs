//! The upstreams of an API and their health, as far as the console reads them.

use gatewright_model::amount::Amount;
use gatewright_model::json::Value;

use super::read::{Read, flag, list, number, text};
use super::{Api, ApiError, Call};

/// The upstreams of an API and their health.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UpstreamHealth {
    /// When this was determined, Unix seconds; so are all times here.
    pub at: i64,
    /// Whether the gateway serves the API.
    pub loaded: bool,
    /// Whether requests are distributed over several targets.
    pub balances: bool,
    /// Whether targets that are down are skipped.
    pub skips_down: bool,
    /// Its targets.
    pub targets: Vec<Target>,
    /// The service registry that its targets come from, if any.
    pub discovery: Option<Discovery>,
    /// Its circuit breakers.
    pub breakers: Vec<Breaker>,
    /// Whether each isolate has its own breakers.
    pub breakers_of_isolate: bool,
    /// Whether its uptime tests are running.
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
    /// Its weight: how many turns it has.
    pub weight: u64,
    /// `up`, `down` or `untested`.
    pub state: String,
    /// Since when; `None` if unknown.
    pub since: Option<i64>,
}

/// The service registry that targets come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Discovery {
    /// The address.
    pub endpoint: String,
    /// `fresh`, `stale`, `failed` or `unused`.
    pub state: String,
    /// When it last responded.
    pub fetched_at: Option<i64>,
    /// Why it fails.
    pub error: String,
}

/// A circuit breaker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Breaker {
    /// The method of its rule.
    pub method: String,
    /// The path of its rule.
    pub path: String,
    /// `closed`, `open` or `half_open`.
    pub state: String,
    /// When it closes.
    pub until: Option<i64>,
    /// Requests in the last ten seconds.
    pub requests: u64,
    /// How many of those failed.
    pub failures: u64,
    /// The minimum number of requests before it may open.
    pub samples: u64,
    /// The percentage of failures at which it opens.
    pub threshold: u64,
}

/// An uptime test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UptimeTest {
    /// The URL that is requested.
    pub url: String,
    /// The host it tests.
    pub host: String,
    /// The method of the request.
    pub method: String,
    /// `up`, `down` or `untested`.
    pub state: String,
    /// Since when it is in that state.
    pub since: Option<i64>,
    /// The results, oldest first.
    pub checks: Vec<Check>,
}

/// The result of one test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Check {
    /// When it was made.
    pub at: i64,
    /// Whether the response was as expected.
    pub up: bool,
    /// The status; 0 without a response.
    pub status: u16,
    /// Milliseconds until the response.
    pub ms: u64,
    /// Why there was no response.
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
        // 0.5 stands for one half.
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
    /// Returns the upstreams of an API.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if there is no such API.
    pub async fn upstreams(self, id: &str) -> Result<UpstreamHealth, ApiError> {
        let call = Call::get(format!("/gateway/health/upstreams/{id}"));
        self.send(call).await?.read()
    }

    /// Clears the cache of an API.
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
