//! Bodies of the answers about what was served and what is stored: `GET /gateway/health`,
//! `GET /gateway/health/figures`, `GET /gateway/health/failures` and `GET /gateway/health/storage`.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The answer of `GET /gateway/health` (reference 1.1, its spelling included). All of it is about the
/// last seconds (`HEALTH_CHECK_VALUE_TIMEOUTS`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApiHealth {
    /// Requests a second that a rate has refused.
    #[serde(rename = "throttle_reqests_per_second")]
    pub throttled: f64,
    /// Requests a second that a quota has refused.
    #[serde(rename = "quota_violations_per_second")]
    pub quota_violations: f64,
    /// Requests a second that were refused for their key.
    #[serde(rename = "key_failures_per_second")]
    pub key_failures: f64,
    /// Milliseconds that upstreams took to answer.
    #[serde(rename = "average_upstream_latency")]
    pub latency_ms: f64,
    /// Requests a second.
    #[serde(rename = "average_requests_per_second")]
    pub requests: f64,
}

/// What was counted over some time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sums {
    /// Requests, those that were refused among them.
    pub requests: u64,
    /// Answers from 500 on, and requests whose upstream could not be reached.
    pub errors: u64,
    /// Requests that were refused for their key.
    pub key_failures: u64,
    /// Requests that were refused by a rate.
    pub rate_limited: u64,
    /// Requests that were refused by a quota.
    pub quota_exceeded: u64,
    /// Requests that were refused for another reason.
    pub refused: u64,
    /// Calls of Ledgers, to count requests.
    pub ledger_calls: u64,
    /// Ledgers that were counted on without a call, where they live.
    pub direct_counts: u64,
    /// Counts that took no Ledger at all: by a lease, or a refusal of a moment ago.
    pub leased_counts: u64,
    /// Requests that the cache has answered.
    pub cache_hits: u64,
    /// Requests that the cache is for, and that went to the upstream.
    pub cache_misses: u64,
    /// Milliseconds that upstreams took until the headers of their answer, on the average; none without
    /// an answer.
    pub average_ms: Option<f64>,
    /// Milliseconds within which 95 of 100 answers of upstreams came, from a histogram.
    pub p95_ms: Option<f64>,
}

/// What was counted from one time on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Unix seconds; it lasts for `step_seconds`.
    pub at: u64,
    /// The sums.
    pub sums: Sums,
}

/// What was counted about an API.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ApiSums {
    /// Its id.
    pub api_id: String,
    /// Its name, empty if it is not loaded (any more).
    pub name: String,
    /// The sums.
    pub sums: Sums,
}

/// A key of whose quota a fifth or less is left.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CloseKey {
    /// What its token is stored under.
    pub key_hash: String,
    /// Its name for people.
    pub alias: String,
    /// The API that it was used at.
    pub api_id: String,
    /// The API's name, empty if it is not loaded (any more).
    pub api_name: String,
    /// The quota.
    pub quota_max: u64,
    /// What was left of it.
    pub quota_remaining: u64,
    /// When it begins anew, Unix seconds; 0 for never.
    pub quota_renews: u64,
    /// When it was used like this, Unix seconds.
    pub seen_at: u64,
}

/// A process of this machine that runs the worker, or the one isolate that has answered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// `objects`, `process-1`, `process-2` … where several processes serve, else `worker`.
    pub name: String,
    /// True if it has a set of APIs to serve; false also for one that does not answer.
    pub ready: bool,
    /// The generation of that set.
    pub generation: Option<u64>,
    /// Bytes that its WebAssembly modules have taken, which they never give back; 0 where it does not answer.
    pub wasm_bytes: u64,
}

/// The answer of `GET /gateway/health/figures`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// The window: `15m`, `1h`, `24h` or `7d`.
    pub window: String,
    /// Its beginning, Unix seconds.
    pub since: u64,
    /// When the answer was made, Unix seconds.
    pub until: u64,
    /// How long a point lasts; the last one has not ended yet.
    pub step_seconds: u64,
    /// The sums of the window.
    pub totals: Sums,
    /// All points of the window, the oldest first.
    pub series: Vec<Point>,
    /// The APIs with the most requests, the most first.
    pub apis: Vec<ApiSums>,
    /// The keys that are close to their limit, the closest first.
    pub close: Vec<CloseKey>,
    /// Who serves, the one that has answered first.
    pub processes: Vec<Process>,
}

/// How many rows the Registry has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredRows {
    /// API definitions, deleted ones included.
    pub apis: u64,
    /// Their revisions.
    pub api_revisions: u64,
    /// Documents of the dashboard and policies, deleted ones included.
    pub documents: u64,
    /// Their revisions.
    pub document_revisions: u64,
    /// Sessions of keys and organisations.
    pub sessions: u64,
    /// Entries of the audit trail.
    pub audit: u64,
    /// Notifications.
    pub notifications: u64,
    /// Deliveries to webhooks.
    pub deliveries: u64,
    /// Dashboard credentials, ended ones included.
    pub credentials: u64,
}

/// The answer of `GET /gateway/health/storage`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Storage {
    /// Bytes of the Registry's database.
    pub database_bytes: u64,
    /// How many bytes it may have.
    pub database_max_bytes: u64,
    /// What is in it.
    pub rows: StoredRows,
    /// When that was counted, RFC 3339; it is counted once a minute at most.
    pub counted_at: String,
    /// When all that is not to be kept was removed last, RFC 3339; null if it never was.
    pub swept_at: Option<String>,
}

/// A kind of failed requests, summed up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FailureKind {
    /// The API that they came to.
    pub api_id: String,
    /// Its version; empty for none.
    pub version: String,
    /// The status that they were answered with.
    pub status: u16,
    /// Why.
    pub reason: String,
    /// How many.
    pub count: u64,
    /// The minute in which there was one last, Unix seconds.
    pub last_seen: u64,
}

/// The failed requests of a kind within a minute.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FailureMinute {
    /// When the minute began, Unix seconds.
    pub at: u64,
    /// The API that they came to.
    pub api_id: String,
    /// Its version; empty for none.
    pub version: String,
    /// The status that they were answered with.
    pub status: u16,
    /// Why.
    pub reason: String,
    /// How many.
    pub count: u64,
    /// The first of them that an isolate has noted; none if there were too many kinds at once.
    pub sample: Option<FailedRequest>,
}

/// A request that has failed, without its credentials and its body.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FailedRequest {
    /// When it was answered, Unix seconds.
    pub at: u64,
    /// Its method.
    pub method: String,
    /// Its path, as it came.
    pub path: String,
    /// The names of the parameters in its query.
    pub query: Vec<String>,
    /// Its headers, with the values of those that no credential can stand in; null for the others.
    pub headers: Vec<(String, Option<String>)>,
    /// The link of the chain that has refused it, by its name in traces; `upstream` for trouble on the way there.
    pub link: String,
    /// The hash of its key; empty for none.
    pub key_hash: String,
    /// How its upstream was asked; none if it was not.
    pub upstream: Option<FailedUpstream>,
}

/// How the upstream of a failed request was asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FailedUpstream {
    /// Its host, with the port if that is not the one of the scheme; empty for an address that is none.
    pub host: String,
    /// Milliseconds until it had answered, or until it was given up.
    pub ms: u64,
    /// Milliseconds that it was given; 0 for any number.
    pub timeout_ms: u64,
    /// What the platform says went wrong; empty if it has answered.
    pub error: String,
}

/// The answer of `GET /gateway/health/failures`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failures {
    /// The beginning of what was asked for, Unix seconds.
    pub since: u64,
    /// Its end.
    pub until: u64,
    /// The kinds of failed requests, those with the most first.
    pub kinds: Vec<FailureKind>,
    /// The same by minute, the newest first.
    pub minutes: Vec<FailureMinute>,
    /// The names of the APIs that are loaded, by their ids.
    pub api_names: BTreeMap<String, String>,
    /// The names for people of the keys that have one, by their hashes.
    pub key_aliases: BTreeMap<String, String>,
}
