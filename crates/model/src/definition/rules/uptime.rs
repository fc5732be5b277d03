//! Uptime tests and service registries that can't work as intended.

use super::Rules;
use crate::issue::IssueCode;
use crate::json::Value;

const TESTS: &str = "/uptime_tests/check_list";

/// In nanoseconds; nobody means anything shorter.
const MILLISECOND: i64 = 1_000_000;

impl Rules<'_, '_> {
    pub(super) fn uptime_tests(&mut self) {
        let tests = self.definition.pointer(TESTS);
        for (index, test) in tests
            .map(Value::items)
            .unwrap_or_default()
            .iter()
            .enumerate()
        {
            let url = test.str("url").unwrap_or_default();
            let protocol = test.str("protocol").unwrap_or_default();
            let is_plain = ["tcp", "tls"]
                .iter()
                .any(|plain| protocol.eq_ignore_ascii_case(plain));
            if !url.is_empty() && !url.contains("://") && !is_plain {
                let message = "nothing is tested: begin the URL with http:// or https://, or set protocol to tcp or tls";
                self.warning(IssueCode::Format, &format!("{TESTS}/{index}/url"), message);
            }
            let timeout = test.int("timeout").unwrap_or_default();
            if (1..MILLISECOND).contains(&timeout) {
                let message =
                    "a timeout is in nanoseconds: half a second is 500000000; the default is used";
                self.warning(
                    IssueCode::Range,
                    &format!("{TESTS}/{index}/timeout"),
                    message,
                );
            }
        }
        self.registry("/proxy/service_discovery");
        self.registry("/uptime_tests/config/service_discovery");
    }

    fn registry(&mut self, pointer: &str) {
        let endpoint = format!("{pointer}/query_endpoint");
        let is_empty = self.text(&endpoint).unwrap_or_default().trim().is_empty();
        if self.at(&format!("{pointer}/use_discovery_service")) && is_empty {
            let message = "nobody is asked; write the URL of the service registry";
            self.warning(IssueCode::Required, &endpoint, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::definition::validate;

    fn found(members: &str) -> Vec<String> {
        let text = format!(
            r#"{{"name":"a","api_id":"a","use_keyless":true,"proxy":{{"listen_path":"/a","target_url":"http://a"{members}}}"#
        );
        let issues = validate(&text).into_iter();
        issues
            .map(|issue| format!("{} {}", issue.code.as_str(), issue.pointer))
            .collect()
    }

    #[test]
    fn impossible_test_is_reported() {
        let tests = r#"},"uptime_tests":{"check_list":[{"url":"up/x"},{"url":"up:1","protocol":"TCP"},{"url":"http://up","timeout":5},
            {"url":"http://up","timeout":500000000}]}"#;
        assert_eq!(
            found(tests),
            [
                "format /uptime_tests/check_list/0/url",
                "range /uptime_tests/check_list/2/timeout"
            ]
        );
    }

    #[test]
    fn a_registry_needs_an_address() {
        let on = r#","service_discovery":{"use_discovery_service":true,"query_endpoint":" "}}"#;
        assert_eq!(
            found(on),
            ["required /proxy/service_discovery/query_endpoint"]
        );
        assert!(found(&on.replace("true", "false")).is_empty());
        assert!(found(&on.replace("\" \"", "\"http://r\"")).is_empty());
    }

    #[test]
    fn a_registry_takes_the_place_of_a_list() {
        let balanced = r#","enable_load_balancing":true,"service_discovery":{"use_discovery_service":true,"query_endpoint":"http://r"}}"#;
        assert!(found(balanced).is_empty());
        let off = balanced.replace("service\":true", "service\":false");
        assert_eq!(found(&off), ["conflict /proxy/enable_load_balancing"]);
    }
}
