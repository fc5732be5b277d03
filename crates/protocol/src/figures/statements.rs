//! Every SQL statement with which the Meter stores and reads reports. `worker/src/objects/meter.js` reads them from
//! `statements.json` beside it, which a test writes, and binds the values of the lines.

use super::{BOUNDS_MS, Span};
use crate::schema;
use serde::Serialize;

/// The columns of sums, in the order of the numbers in lines; they are followed by the columns that count latencies up
/// to a bound.
const COLUMNS: [&str; 8] = [
    "requests",
    "errors",
    "key_failures",
    "rate_limited",
    "quota_exceeded",
    "refused",
    "answered",
    "latency_ms",
];
/// The last columns, which tables of earlier releases may lack.
const ADDED: [&str; 6] = [
    "ledger_calls",
    "direct_counts",
    "leased_counts",
    "cache_hits",
    "cache_misses",
    "leases",
];
/// The count of numbers in lines that don't state it, by their first letter.
const LINES: [(&str, usize); 3] = [("a", 22), ("b", 24), ("c", 25)];
/// The most keys close to their limit that are kept.
const KEYS_MAX: u32 = 1000;
/// The most rows of failed requests that are kept, one per kind and minute, and for how long, in seconds.
const FAILURES_MAX: u32 = 10_000;
const FAILURES_SECONDS: u64 = 7 * 86_400;
/// How often old rows are deleted, in milliseconds.
const TRIM_MS: u32 = 60_000;

/// The statements of the Meter over its tables: `bucket` has sums, `close` keys, and `failure` failed requests. The
/// values bound to each are listed after the colon; *now* is in Unix milliseconds.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Statements {
    /// How many numbers are kept for an API.
    pub columns: usize,
    /// The count of numbers in lines that don't state it, by their first letter.
    pub lines: Vec<(&'static str, usize)>,
    /// How often `trim` is run, in milliseconds.
    pub trim_ms: u32,
    /// The versions of the tables.
    pub version: Versions,
    /// Creates the missing tables: no values.
    pub schema: Vec<String>,
    /// Lists the existing columns of the sums, in rows whose second value is the name: no values.
    pub known: String,
    /// Columns that a table of an earlier version may lack: the name, and the statement that adds it.
    pub added: Vec<(String, String)>,
    /// Adds the line of an API, one statement for each width of a bucket: now, the API's id, its numbers.
    pub add: Vec<String>,
    /// Stores a key close to its limit: now, its hash, the API's id, quota, requests left, when it renews.
    pub note: String,
    /// Selects the sums of points, each with its start: width of the buckets, the first of them, the API's id or an
    /// empty text for all, width of a point.
    pub points: String,
    /// Selects the sums of APIs, the one with most requests first: as above, but the most APIs instead of the width of
    /// a point. A single API is always included.
    pub apis: String,
    /// Selects keys, the closest to their limit first: now, the API's id or an empty text for all, the most keys.
    pub keys: String,
    /// Counts failed requests of a kind: now, the API's id, its version, status, reason, the number of requests, and
    /// one of them as JSON or null.
    pub fail: String,
    /// Selects failed requests by kind and minute, a JSON object each, the newest first: the values of a
    /// [`Failing`](super::Failing).
    pub failures: String,
    /// Selects the same, summed up by kind, the most frequent first.
    pub failure_sums: String,
    /// Deletes old rows: now.
    pub trim: Vec<String>,
}

/// How the versions of the tables are stored ([`mod@schema`]).
#[derive(Clone, Debug, Serialize)]
pub struct Versions {
    /// Creates the table of versions: no values.
    pub make: &'static str,
    /// Selects the current version: no values.
    pub found: &'static str,
    /// Records that a version was reached: its number.
    pub reached: &'static str,
    /// The version that this release knows. Tables of a later version are left alone.
    pub known: u64,
}

impl Statements {
    /// Returns the statements.
    #[must_use]
    pub fn new() -> Self {
        let columns: Vec<String> = columns().collect();
        let sums: Vec<String> = columns.iter().map(|name| format!("sum({name})")).collect();
        let sums = sums.join(", ");
        let wanted = "FROM bucket WHERE grain = ?1 AND at >= ?2 AND (?3 = '' OR api_id = ?3)";
        Self {
            columns: columns.len(),
            lines: LINES.into(),
            trim_ms: TRIM_MS,
            version: Versions {
                make: schema::MAKE,
                found: schema::FOUND,
                reached: schema::REACHED,
                known: 4,
            },
            schema: schema(&columns),
            known: "PRAGMA table_info(bucket)".to_owned(),
            added: ADDED.map(|name| (name.to_owned(), addition(name))).into(),
            add: Span::GRAINS.map(|(width, _)| add(&columns, width)).into(),
            note: "INSERT OR REPLACE INTO close (seen, hash, api_id, quota, remaining, renews)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
                .to_owned(),
            // JavaScript binds numbers as floating point, whose division would keep the fraction.
            points: format!(
                "SELECT {sums}, at / CAST(?4 AS INTEGER) * CAST(?4 AS INTEGER) AS point {wanted}
                 GROUP BY point ORDER BY point"
            ),
            apis: format!(
                "SELECT {sums}, api_id {wanted} GROUP BY api_id ORDER BY sum(requests) DESC
                 LIMIT iif(?3 = '', ?4, 1)"
            ),
            keys: "SELECT seen, quota, remaining, renews, hash, api_id FROM close
                WHERE (renews = 0 OR renews > ?1) AND (?2 = '' OR api_id = ?2)
                ORDER BY remaining * 1.0 / quota, hash, api_id LIMIT ?3"
                .to_owned(),
            fail: format!(
                "INSERT INTO failure (at, api_id, version, status, reason, count, sample)
                 VALUES ({}, ?2, ?3, ?4, ?5, ?6, ?7)
                 ON CONFLICT DO UPDATE SET count = count + excluded.count,
                    sample = coalesce(sample, excluded.sample)",
                bucket_start(60)
            ),
            failures: format!(
                "SELECT json_object('at', at, 'api_id', api_id, 'version', version, 'status', status,
                    'reason', reason, 'count', count, 'sample', json(sample))
                 {FAILING} ORDER BY at DESC, count DESC LIMIT ?10"
            ),
            failure_sums: format!(
                "SELECT json_object('api_id', api_id, 'version', version, 'status', status,
                    'reason', reason, 'count', sum(count), 'last_seen', max(at))
                 {FAILING} GROUP BY api_id, version, status, reason
                 ORDER BY sum(count) DESC, max(at) DESC LIMIT ?10"
            ),
            trim: trim(),
        }
    }

    /// Returns the statements as JSON, one per line.
    ///
    /// # Errors
    /// Never: texts and numbers can always be written.
    pub fn to_json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self).map(|json| json + "\n")
    }
}

impl Default for Statements {
    fn default() -> Self {
        Self::new()
    }
}

/// The filter for failed requests. Path and key are those of the one request that is kept per minute.
const FAILING: &str = "FROM failure WHERE at >= ?1 AND at < ?2 AND (?3 = '' OR api_id = ?3)
    AND (?4 = '' OR version = ?4) AND status >= ?5 AND status <= ?6 AND (?7 = '' OR reason = ?7)
    AND (?8 = '' OR instr(sample ->> 'path', ?8) > 0) AND (?9 = '' OR sample ->> 'key_hash' = ?9)";

/// Returns the names of the columns of sums.
fn columns() -> impl Iterator<Item = String> {
    let bounds = BOUNDS_MS.iter().map(|bound| format!("within_{bound}"));
    let columns = COLUMNS.iter().map(|column| (*column).to_owned());
    let added = ADDED.iter().map(|column| (*column).to_owned());
    columns
        .chain(bounds)
        .chain(["within_more".to_owned()])
        .chain(added)
}

fn schema(columns: &[String]) -> Vec<String> {
    let sums: Vec<String> = columns
        .iter()
        .map(|name| format!("{name} INTEGER NOT NULL"))
        .collect();
    let sums = sums.join(", ");
    vec![
        format!(
            "CREATE TABLE IF NOT EXISTS bucket (
                grain INTEGER NOT NULL, at INTEGER NOT NULL, api_id TEXT NOT NULL, {sums},
                PRIMARY KEY (grain, at, api_id)
             ) WITHOUT ROWID"
        ),
        "CREATE TABLE IF NOT EXISTS close (
            hash TEXT NOT NULL, api_id TEXT NOT NULL, quota INTEGER NOT NULL, remaining INTEGER NOT NULL,
            renews INTEGER NOT NULL, seen INTEGER NOT NULL, PRIMARY KEY (hash, api_id)
         ) WITHOUT ROWID"
            .to_owned(),
        "CREATE TABLE IF NOT EXISTS failure (
            at INTEGER NOT NULL, api_id TEXT NOT NULL, version TEXT NOT NULL, status INTEGER NOT NULL,
            reason TEXT NOT NULL, count INTEGER NOT NULL, sample TEXT,
            PRIMARY KEY (at, api_id, version, status, reason)
         )"
        .to_owned(),
    ]
}

fn addition(name: &str) -> String {
    format!("ALTER TABLE bucket ADD COLUMN {name} INTEGER NOT NULL DEFAULT 0")
}

fn add(columns: &[String], width: u64) -> String {
    let names = columns.join(", ");
    let parameters = vec!["?"; columns.len()].join(", ");
    let sums: Vec<String> = columns
        .iter()
        .map(|name| format!("{name} = {name} + excluded.{name}"))
        .collect();
    let (at, sums) = (bucket_start(width), sums.join(", "));
    format!(
        "INSERT INTO bucket (at, api_id, grain, {names}) VALUES ({at}, ?2, {width}, {parameters})
         ON CONFLICT DO UPDATE SET {sums}"
    )
}

fn trim() -> Vec<String> {
    let kept = |(width, kept): (u64, u64)| {
        let now = bucket_start(width);
        format!("DELETE FROM bucket WHERE grain = {width} AND at < {now} - {kept}")
    };
    let longest = Span::GRAINS.iter().map(|(_, kept)| *kept).max();
    let longest_ms = longest.unwrap_or(0).saturating_mul(1000);
    // A key is deleted when its window has ended, or when it was seen longer ago than the longest retention of
    // anything.
    let keys = format!(
        "DELETE FROM close WHERE (hash, api_id) NOT IN (SELECT hash, api_id FROM close
            WHERE (renews = 0 OR renews > ?1) AND seen >= ?1 - {longest_ms}
            ORDER BY seen DESC LIMIT {KEYS_MAX})"
    );
    let now = bucket_start(60);
    let failures = format!(
        "DELETE FROM failure WHERE at < {now} - {FAILURES_SECONDS} OR rowid IN (SELECT rowid FROM failure
            ORDER BY at DESC LIMIT -1 OFFSET {FAILURES_MAX})"
    );
    let grains = Span::GRAINS.map(kept).into_iter();
    grains.chain([keys, failures]).collect()
}

/// Returns the expression for the start of the current bucket of this width, in Unix seconds.
fn bucket_start(width: u64) -> String {
    let ms = width.saturating_mul(1000);
    format!("CAST(?1 / {ms} AS INTEGER) * {width}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::Tally;

    #[test]
    fn the_meter_has_a_column_for_each_number_of_a_line() {
        let columns: Vec<String> = columns().collect();
        assert_eq!(columns.len(), Tally::default().columns().count());
        assert_eq!(columns[7..10], ["latency_ms", "within_1", "within_2"]);
        assert_eq!(
            columns[21..],
            [
                "within_more",
                "ledger_calls",
                "direct_counts",
                "leased_counts",
                "cache_hits",
                "cache_misses",
                "leases"
            ]
        );
        assert_eq!(Statements::new().columns, columns.len());
    }
}
