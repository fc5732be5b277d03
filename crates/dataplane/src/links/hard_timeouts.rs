//! First part of link 40: how long the upstream may take (`hard_timeouts`, `global_enforce_timeout`;
//! reference 3.4, *Timeouts*).
//!
//! A matching rule replaces the limit for all paths, even if it is longer; a rule of 0 removes the limit. If neither
//! applies, the gateway's own limit does ([`Exchange::time_limit_ms`]). A limit for all paths that is 0 or malformed is
//! ignored.

use crate::chain::{Compiler, Middleware, Row, Step};
use crate::exchange::Exchange;
use crate::rules::PatternId;
use gatewright_model::amount::Amount;
use gatewright_model::json::Value;
use gatewright_model::text::duration::nanoseconds;

/// The upstream's time limits.
#[derive(Debug)]
pub struct HardTimeouts {
    /// The limit for all paths, in milliseconds.
    global: Option<u64>,
    rows: Vec<PathTimeout>,
}

/// The limit for a path and a method; without a method it matches nothing.
#[derive(Debug)]
struct PathTimeout {
    path: PatternId,
    method: String,
    number: usize,
    /// The limit in milliseconds; 0 means no limit.
    limit_ms: u64,
}

/// Parses a duration to milliseconds, at least one; `None` if it is 0 or malformed.
fn milliseconds(text: &str) -> Option<u64> {
    let nanoseconds = u64::try_from(nanoseconds(text.trim())?).ok()?;
    (nanoseconds > 0).then(|| nanoseconds.div_ceil(1_000_000))
}

/// The limit of a rule in milliseconds: `duration`, or else `timeout` in seconds.
fn limit_of(row: &Row<'_>) -> u64 {
    let seconds = || {
        let seconds = row.value.get("timeout").map(Amount::read)?;
        Some(u64::try_from(seconds.micros()).ok()?.div_ceil(1000))
    };
    let duration = row.value.str("duration").and_then(milliseconds);
    duration.or_else(seconds).unwrap_or_default()
}

fn global(from: &mut Compiler<'_>) -> Option<u64> {
    if from.version_switch("global_enforce_timeout_disabled") {
        return None;
    }
    let (value, pointer) = from.of_version("global_enforce_timeout")?;
    let text = Value::as_str(value)?;
    let limit = milliseconds(text)?;
    from.origin(pointer, format!("{limit} ms"));
    Some(limit)
}

impl Middleware for HardTimeouts {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        let global = global(from);
        let rows = from.rows("hard_timeouts").into_iter();
        let rows: Vec<PathTimeout> = rows
            .map(|row| PathTimeout {
                path: from.path(row.path()),
                method: row.method().to_owned(),
                number: row.number,
                limit_ms: limit_of(&row),
            })
            .collect();
        from.origin_of_rules("hard_timeouts", rows.len());
        (global.is_some() || !rows.is_empty()).then_some(Self { global, rows })
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        let rows = exchange.applicable(&self.rows, &[], |row| (row.path, &row.method));
        // The shortest limit; 0, which means none, sorts last.
        if let Some(row) = rows.min_by_key(|row| row.limit_ms.wrapping_sub(1)) {
            exchange.timeout_ms = Some(row.limit_ms);
            exchange.note(|| match row.limit_ms {
                0 => format!("rule {} of hard_timeouts sets no time limit", row.number),
                limit => format!(
                    "rule {} of hard_timeouts: the upstream has {limit} ms",
                    row.number
                ),
            });
        } else if let Some(limit) = self.global {
            exchange.timeout_ms = Some(limit);
            exchange.note(|| format!("the upstream has {limit} ms"));
        }
        Step::Next
    }
}

#[cfg(test)]
mod tests {
    use crate::chain::Settings;
    use crate::testing::{chain, request, run};

    const ROWS: &str = r#""extended_paths":{"hard_timeouts":[
        {"path":"/report","method":"GET","duration":"2s","timeout":9},{"path":"/seconds","method":"GET","timeout":3},
        {"path":"/ever","method":"GET","timeout":0},{"path":"/odd","method":"GET","duration":"soon","timeout":1},
        {"path":"/zero","method":"GET","duration":"0s","timeout":4},{"path":"/tiny","method":"GET","duration":"10us"},
        {"path":"/any","timeout":3},{"path":"/off","method":"GET","timeout":3,"disabled":true}]}"#;

    /// The time limit for a request, if the gateway's own limit is 30 seconds.
    fn limit(members: &str, method: &str, path: &str) -> Option<u64> {
        let definition = format!(
            r#"{{"version_data":{{"versions":{{"v":{{"use_extended_paths":true,{members}}}}}}}}}"#
        );
        let settings = Settings {
            default_timeout_ms: 30_000,
            ..Settings::default()
        };
        let sent = run(
            chain(&definition, &settings),
            request(method, path, &[]),
            "",
        );
        sent.exchange.time_limit_ms()
    }

    #[test]
    fn path_rule_replaces_the_global_limit() {
        let members = format!(r#""global_enforce_timeout":"400ms",{ROWS}"#);
        for (method, path, expected) in [
            ("GET", "/x/report", Some(2000)),
            ("POST", "/report", Some(400)),
            ("GET", "/seconds", Some(3000)),
            ("GET", "/ever", None),
            ("GET", "/odd", Some(1000)),
            ("GET", "/zero", Some(4000)),
            ("GET", "/tiny", Some(1)),
            ("GET", "/any", Some(400)),
            ("GET", "/off", Some(400)),
            ("GET", "/else", Some(400)),
        ] {
            assert_eq!(limit(&members, method, path), expected, "{method} {path}");
        }
    }

    #[test]
    fn global_limit_may_be_absent() {
        for none in [
            r#""global_enforce_timeout":"300ms","global_enforce_timeout_disabled":true"#,
            r#""global_enforce_timeout":"soon""#,
            r#""global_enforce_timeout":"0s""#,
            r#""global_enforce_timeout":"""#,
            r#""global_enforce_timeout":null"#,
            r#""name":"v""#,
        ] {
            assert_eq!(limit(none, "GET", "/"), Some(30_000), "{none}");
        }
        assert_eq!(
            limit(r#""global_enforce_timeout":"1m30s""#, "GET", "/"),
            Some(90_000)
        );
    }
}
