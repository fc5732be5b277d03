//! The uptime tests of the published set, for the object that runs them ([`crate::uptime`]).

use super::Report;
use crate::registry::rows::{Change, parts};
use crate::registry::{Replied, Turn};
use gatewright_model::json::{Value, parse, quote};
use gatewright_protocol::registry::Reply;

/// The part of a set ([`Change::Part`]) that lists which of its APIs may have tests: one line each, id and revision
/// separated by a space.
const UPTIME: &str = "uptime";

/// Whether a definition may have tests. Most have an empty list, and should not be parsed a second time.
pub(super) fn may_have_tests(text: &str) -> bool {
    let is_filled = |name: &str| {
        let places = text.match_indices(name);
        let mut behind = places.filter_map(|(at, name)| text.get(at.saturating_add(name.len())..));
        behind.any(|rest| {
            let value = rest.trim_start().strip_prefix(':').map(str::trim_start);
            let list = value.and_then(|value| value.strip_prefix('['));
            list.is_some_and(|items| !items.trim_start().starts_with(']'))
        })
    };
    let has_service = || text.contains("\"use_discovery_service\"");
    text.contains("\"uptime_tests\"") && (is_filled("\"check_list\"") || has_service())
}

/// Returns the changes that store which APIs of a set may have tests.
pub(super) fn test_parts(generation: u64, lines: &str) -> Vec<Change<'_>> {
    parts(generation, UPTIME, lines)
}

/// Returns what to test: `generation`, and unless it is `known`, the `apis`, each with the relevant parts of its
/// definition.
pub(in crate::registry) fn uptime_tests(turn: &Turn<'_>, known: u64) -> Replied {
    let generation = Report::head(turn.rows)?.generation;
    let mut answer = format!("{{\"generation\":{generation}");
    if generation != known {
        answer.push_str(",\"apis\":[");
        let lines = turn.rows.part(generation, UPTIME)?.concat();
        let mut separator = "";
        for line in lines.lines() {
            let Some((id, revision)) = line.rsplit_once(' ') else {
                continue;
            };
            let revision = revision.parse().unwrap_or_default();
            let (Some(entry), Some(text)) = (turn.index.get(id), turn.rows.text(id, revision)?)
            else {
                continue;
            };
            let Ok(read) = parse(&text) else { continue };
            let raw = |name: &str| {
                read.get(name)
                    .map_or("null", |value: &Value<'_>| value.span.of(&text))
            };
            let (id, org) = (quote(id), quote(turn.org_of(entry)));
            let (tests, handlers) = (raw("uptime_tests"), raw("event_handlers"));
            answer.push_str(&format!(
                "{separator}{{\"api_id\":{id},\"org_id\":{org},\"revision\":{revision},\"uptime_tests\":{tests},\"event_handlers\":{handlers}}}"
            ));
            separator = ",";
        }
        answer.push(']');
    }
    answer.push('}');
    Ok((Reply::Json, answer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_list_counts_as_absent() {
        for (text, expected) in [
            ("{}", false),
            (r#"{"uptime_tests":{"check_list":[ ]}}"#, false),
            (r#"{"uptime_tests":{"check_list":null}}"#, false),
            (r#"{"uptime_tests":{"check_list" : [ {}]}}"#, true),
            (
                r#"{"uptime_tests":{"check_list":[],"config":{"service_discovery":{"use_discovery_service":true}}}}"#,
                true,
            ),
        ] {
            assert_eq!(may_have_tests(text), expected, "{text}");
        }
    }
}
