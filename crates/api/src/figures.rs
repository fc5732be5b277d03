//! Response bodies about served requests and about storage: `GET /gateway/health`, `GET /gateway/health/figures`, `GET
//! /gateway/health/failures` and `GET /gateway/health/storage`.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The response of `GET /gateway/health` (reference 1.1, including its spelling), for the last seconds
/// (`HEALTH_CHECK_VALUE_TIMEOUTS`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApiHealth {
    /// Requests per second refused by a rate limit.
    #[serde(rename = "throttle_reqests_per_second")]
    pub throttled: f64,
    /// Requests per second refused by a quota.
    #[serde(rename = "quota_violations_per_second")]
    pub quota_violations: f64,
    /// Requests per second refused because of their key.
    #[serde(rename = "key_failures_per_second")]
    pub key_failures: f64,
    /// The mean response time of upstreams in milliseconds.
    #[serde(rename = "average_upstream_latency")]
    pub latency_ms: f64,
    /// Requests per second.
    #[serde(rename = "average_requests_per_second")]
    pub requests: f64,
}

/// Counts over some time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sums {
    /// Requests, refused ones included.
    pub requests: u64,
    /// Responses with a status of 500 or above, and requests whose upstream could not be reached.
    pub errors: u64,
    /// Requests refused because of their key.
    pub key_failures: u64,
    /// Requests refused by a rate limit.
    pub rate_limited: u64,
    /// Requests refused by a quota.
    pub quota_exceeded: u64,
    /// Requests refused for another reason.
    pub refused: u64,
    /// Calls to Ledgers to count requests.
    pub ledger_calls: u64,
    /// Counts on Ledgers without a call, where they live.
    pub direct_counts: u64,
    /// Counts without any Ledger: by a lease, or a recent refusal.
    pub leased_counts: u64,
    /// Leases that isolates were granted.
    pub leases: u64,
    /// Requests answered from the cache.
    pub cache_hits: u64,
    /// Cacheable requests that went to the upstream.
    pub cache_misses: u64,
    /// The mean time until the headers of upstream responses, in milliseconds; null without a response.
    pub average_ms: Option<f64>,
    /// The 95th percentile of upstream response times in milliseconds, from a histogram.
    pub p95_ms: Option<f64>,
}

/// Counts from one time on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The start, in Unix seconds; a point covers `step_seconds`.
    pub at: u64,
    /// The sums.
    pub sums: Sums,
}

/// Counts for an API.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ApiSums {
    /// Its id.
    pub api_id: String,
    /// Its name, empty if it is not loaded (any more).
    pub name: String,
    /// The sums.
    pub sums: Sums,
}

/// A key with a fifth or less of its quota left.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CloseKey {
    /// The hash under which its token is stored.
    pub key_hash: String,
    /// Its display name.
    pub alias: String,
    /// The API it was used with.
    pub api_id: String,
    /// The API's name, empty if it is not loaded (any more).
    pub api_name: String,
    /// The quota.
    pub quota_max: u64,
    /// The requests left.
    pub quota_remaining: u64,
    /// When the quota renews, in Unix seconds; 0 means never.
    pub quota_renews: u64,
    /// When this was observed, in Unix seconds.
    pub seen_at: u64,
}

/// A process of this machine that runs the worker, or the one isolate that has answered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// `objects`, `process-1`, `process-2` … if there are several processes, else `worker`.
    pub name: String,
    /// Whether it has a set of APIs to serve; false also if it does not answer.
    pub ready: bool,
    /// The generation of that set.
    pub generation: Option<u64>,
    /// The memory of its WebAssembly modules in bytes, which never shrinks; 0 if it does not answer.
    pub wasm_bytes: u64,
}

/// The answer of `GET /gateway/health/figures`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// The window: `15m`, `1h`, `24h` or `7d`.
    pub window: String,
    /// The start of the window, in Unix seconds.
    pub since: u64,
    /// When the response was made, in Unix seconds.
    pub until: u64,
    /// The duration of a point; the last one has not ended yet.
    pub step_seconds: u64,
    /// The totals of the window.
    pub totals: Sums,
    /// All points of the window, oldest first.
    pub series: Vec<Point>,
    /// The APIs with the most requests, in descending order.
    pub apis: Vec<ApiSums>,
    /// The keys that are close to their limit, the closest first.
    pub close: Vec<CloseKey>,
    /// The serving processes, the one that has answered first.
    pub processes: Vec<Process>,
}

/// The number of rows in the Registry.
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
    /// Dashboard credentials, expired and revoked ones included.
    pub credentials: u64,
}

/// The answer of `GET /gateway/health/storage`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Storage {
    /// The size of the Registry's database in bytes.
    pub database_bytes: u64,
    /// The maximum size in bytes.
    pub database_max_bytes: u64,
    /// The rows in it.
    pub rows: StoredRows,
    /// When the rows were counted, RFC 3339; at most once a minute.
    pub counted_at: String,
    /// When expired data was last removed, RFC 3339; null for never.
    pub swept_at: Option<String>,
}

/// A kind of failed requests, summed up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FailureKind {
    /// The API of the requests.
    pub api_id: String,
    /// The API's version; empty for none.
    pub version: String,
    /// The status of the response.
    pub status: u16,
    /// The reason of the failure.
    pub reason: String,
    /// How many requests.
    pub count: u64,
    /// The last minute with such a request, in Unix seconds.
    pub last_seen: u64,
}

/// The failed requests of a kind within a minute.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FailureMinute {
    /// The start of the minute, in Unix seconds.
    pub at: u64,
    /// The API of the requests.
    pub api_id: String,
    /// The API's version; empty for none.
    pub version: String,
    /// The status of the response.
    pub status: u16,
    /// The reason of the failure.
    pub reason: String,
    /// How many requests.
    pub count: u64,
    /// The first of them that an isolate has recorded; null if there were too many kinds at once.
    pub sample: Option<FailedRequest>,
}

/// A request that has failed, without its credentials and its body.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FailedRequest {
    /// When it was answered, in Unix seconds.
    pub at: u64,
    /// Its method.
    pub method: String,
    /// Its path, unchanged.
    pub path: String,
    /// The names of its query parameters.
    pub query: Vec<String>,
    /// Its headers, with the values of those that can't contain credentials; null for the others.
    pub headers: Vec<(String, Option<String>)>,
    /// The link of the chain that refused it, by its name in traces; `upstream` for an error on the way there.
    pub link: String,
    /// The hash of its key; empty for none.
    pub key_hash: String,
    /// The call to its upstream; null for none.
    pub upstream: Option<FailedUpstream>,
}

/// The call to the upstream of a failed request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FailedUpstream {
    /// Its host, with the port unless it is the scheme's default; empty for an invalid address.
    pub host: String,
    /// Milliseconds until it answered or the call was given up.
    pub ms: u64,
    /// The timeout in milliseconds; 0 means none.
    pub timeout_ms: u64,
    /// The platform's error; empty if the upstream answered.
    pub error: String,
}

/// The answer of `GET /gateway/health/failures`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failures {
    /// The start of the queried time, in Unix seconds.
    pub since: u64,
    /// The end of the queried time.
    pub until: u64,
    /// The kinds of failed requests, the most frequent first.
    pub kinds: Vec<FailureKind>,
    /// The same by minute, newest first.
    pub minutes: Vec<FailureMinute>,
    /// The names of the loaded APIs, by their ids.
    pub api_names: BTreeMap<String, String>,
    /// The display names of the keys that have one, by their hashes.
    pub key_aliases: BTreeMap<String, String>,
}
