//! The tests that definitions specify (`uptime_tests`).

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use gatewright_model::json::{Value, parse};
use gatewright_protocol::discovery::Discovery;
use gatewright_protocol::events::Handlers;
use gatewright_protocol::target::host_of;
use serde::Serialize;

/// The default timeout of a test in milliseconds.
const TIMEOUT_MS: u64 = 5000;
/// The maximum timeout in milliseconds.
const TIMEOUT_MAX_MS: u64 = 60_000;
/// The maximum number of tests per API.
const OF_API: usize = 100;

/// The tests of an API.
#[derive(Debug)]
pub(super) struct ApiTests {
    pub(super) api: String,
    pub(super) org: String,
    pub(super) handlers: Handlers,
    pub(super) tests: Vec<Test>,
    /// The service registry that provides the list of tests instead of the definition.
    pub(super) discovery: Option<Discovery>,
    /// Whether it has provided a list.
    pub(super) is_listed: bool,
    /// When it was last asked, in Unix milliseconds; 0 for never.
    pub(super) asked_at: u64,
    /// For how many milliseconds results are retained; 0 for as long as there is room.
    pub(super) kept_ms: u64,
    /// After how many milliseconds a host that is down is tested again, and its list fetched again; 0 for the usual
    /// interval.
    pub(super) recheck_ms: u64,
}

/// A request that finds out whether a host is up, as JavaScript sends it (`worker/src/objects/uptime.js`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(super) struct Test {
    pub(super) url: String,
    /// Its host, with the port unless it is the scheme's default.
    pub(super) host: String,
    pub(super) protocol: &'static str,
    pub(super) method: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Option<String>,
    /// The timeout in milliseconds.
    pub(super) timeout: u64,
    /// Whether a PROXY protocol header is sent first.
    pub(super) proxy: bool,
    /// Texts to send (true) or to expect (false), in order.
    pub(super) commands: Vec<(bool, String)>,
}

impl ApiTests {
    /// Reads the Registry's description of an API; `None` if it has no tests.
    pub(super) fn read(api: &Value<'_>) -> Option<Self> {
        let uptime = api.get("uptime_tests")?;
        if uptime.bool("disabled") == Some(true) {
            return None;
        }
        let config = uptime.get("config");
        let seconds = |name: &str| {
            let seconds = config.and_then(|config| config.int(name));
            let seconds = seconds.and_then(|seconds| u64::try_from(seconds).ok());
            seconds.unwrap_or_default().saturating_mul(1000)
        };
        let discovery = Discovery::read(config.and_then(|config| config.get("service_discovery")));
        let listed = uptime.get("check_list").filter(|_| discovery.is_none());
        let tests = listed.map(tests).unwrap_or_default();
        if tests.is_empty() && discovery.is_none() {
            return None;
        }
        let revision = api
            .int("revision")
            .and_then(|number| u64::try_from(number).ok());
        Some(Self {
            api: api.str("api_id")?.to_owned(),
            org: api.str("org_id").unwrap_or_default().to_owned(),
            handlers: Handlers::read(api, revision.unwrap_or_default()),
            tests,
            discovery,
            is_listed: false,
            asked_at: 0,
            kept_ms: seconds("expire_utime_after"),
            recheck_ms: seconds("recheck_wait"),
        })
    }

    /// Applies the list from its service registry; false if the answer holds no list.
    pub(super) fn take_list(&mut self, answer: &str) -> bool {
        let text = self.discovery.as_ref().and_then(|found| found.text(answer));
        let list = text.as_deref().map(parse);
        let Some(Ok(list)) = list else { return false };
        let found = tests(&list);
        let is_list = !found.is_empty() || list.items().is_empty();
        if is_list {
            self.tests = found;
            self.is_listed = true;
        }
        is_list
    }
}

/// Reads the tests of a list; of several for one URL, only the first.
fn tests(list: &Value<'_>) -> Vec<Test> {
    let mut tests: Vec<Test> = Vec::new();
    for test in list.items().iter().filter_map(read) {
        if tests.len() < OF_API && !tests.iter().any(|known| known.url == test.url) {
            tests.push(test);
        }
    }
    tests
}

fn read(value: &Value<'_>) -> Option<Test> {
    let text = |name: &str| value.str(name).unwrap_or_default().trim();
    let url = text("url");
    let scheme = url.split_once("://").map(|(scheme, _)| scheme);
    let named = [text("protocol"), scheme.unwrap_or_default()];
    let protocol = named.into_iter().find_map(|named| {
        let known = ["http", "https", "tcp", "tls"];
        known
            .into_iter()
            .find(|known| known.eq_ignore_ascii_case(named))
    });
    let is_plain = matches!(protocol, Some("tcp" | "tls"));
    let host = host_of(url);
    if host.is_empty() || (scheme.is_none() && !is_plain) {
        return None;
    }
    let method = text("method").to_ascii_uppercase();
    let body = text("body");
    // A text that is not base64 is the body itself.
    let body = BASE64_STANDARD
        .decode(body)
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .unwrap_or_else(|| body.to_owned());
    let has_body = !body.is_empty() && !matches!(method.as_str(), "" | "GET" | "HEAD");
    let headers = value.get("headers").map(Value::members).unwrap_or_default();
    let headers = headers.iter().filter_map(|header| {
        let text = header.value.as_str()?;
        Some((header.name.to_ascii_lowercase(), text.to_owned()))
    });
    let nanoseconds = value
        .int("timeout")
        .and_then(|number| u64::try_from(number).ok());
    let timeout = nanoseconds.unwrap_or_default() / 1_000_000;
    let commands = value.get("commands").map(Value::items).unwrap_or_default();
    let command = |command: &Value<'_>| {
        let message = command.str("message").unwrap_or_default().to_owned();
        (command.str("name") != Some("expect"), message)
    };
    Some(Test {
        url: url.to_owned(),
        host,
        protocol: protocol.unwrap_or("http"),
        method: if method.is_empty() {
            "GET".to_owned()
        } else {
            method
        },
        headers: headers.collect(),
        body: has_body.then_some(body),
        timeout: match timeout {
            0 => TIMEOUT_MS,
            timeout => timeout.min(TIMEOUT_MAX_MS),
        },
        proxy: value.bool("enable_proxy_protocol") == Some(true),
        commands: commands.iter().map(command).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_api(uptime: &str) -> Option<ApiTests> {
        let text = format!(r#"{{"api_id":"a","org_id":"o","revision":3,"uptime_tests":{uptime}}}"#);
        ApiTests::read(&parse(&text).unwrap())
    }

    fn tests_of(list: &str) -> Vec<Test> {
        let read = of_api(&format!(r#"{{"check_list":{list}}}"#));
        read.map(|api| api.tests).unwrap_or_default()
    }

    #[test]
    fn test_is_read_with_its_settings() {
        let read = tests_of(
            r#"[{"url":"https://Up:443/health?x","method":"post","headers":{"X-A":"1"},"body":"aGk=","timeout":250000000},
            {"url":"https://Up:443/health?x"},{"url":"10.0.0.1:6379","protocol":"tcp","enable_proxy_protocol":true,
            "commands":[{"name":"send","message":"PING\r\n"},{"name":"expect","message":"+PONG"}]},
            {"url":"no-scheme/x"},{"url":""}]"#,
        );
        let http = Test {
            url: "https://Up:443/health?x".to_owned(),
            host: "up".to_owned(),
            protocol: "https",
            method: "POST".to_owned(),
            headers: vec![("x-a".to_owned(), "1".to_owned())],
            body: Some("hi".to_owned()),
            timeout: 250,
            ..Test::default()
        };
        let tcp = Test {
            url: "10.0.0.1:6379".to_owned(),
            host: "10.0.0.1:6379".to_owned(),
            protocol: "tcp",
            method: "GET".to_owned(),
            timeout: TIMEOUT_MS,
            proxy: true,
            commands: vec![(true, "PING\r\n".to_owned()), (false, "+PONG".to_owned())],
            ..Test::default()
        };
        assert_eq!(read, [http, tcp]);
    }

    #[test]
    fn disabled_or_empty_lists_have_no_tests() {
        for nothing in [
            "null",
            "{}",
            r#"{"check_list":[]}"#,
            r#"{"check_list":[{"url":"up"}]}"#,
            r#"{"disabled":true,"check_list":[{"url":"http://up"}]}"#,
        ] {
            assert!(of_api(nothing).is_none(), "{nothing}");
        }
        let config = r#"{"check_list":[{"url":"http://up"}],"config":{"expire_utime_after":60,"recheck_wait":5}}"#;
        let read = of_api(config).unwrap();
        assert_eq!(
            (read.kept_ms, read.recheck_ms, read.tests.len()),
            (60_000, 5000, 1)
        );
    }

    #[test]
    fn list_may_come_from_service_discovery() {
        let mut api = of_api(
            r#"{"check_list":[{"url":"http://not-this"}],"config":{"service_discovery":{"use_discovery_service":true,
            "query_endpoint":"http://r","data_path":"value"}}}"#,
        )
        .unwrap();
        assert!(api.tests.is_empty());
        assert!(
            api.take_list(r#"{"value":"[{\"url\":\"http://one/\"},{\"url\":\"http://two/\"}]"}"#)
        );
        assert_eq!(api.tests.len(), 2);
        for broken in ["", "{}", r#"{"value":"x"}"#, r#"{"value":[1]}"#] {
            assert!(!api.take_list(broken), "{broken}");
        }
        assert_eq!(api.tests.len(), 2);
        assert!(api.take_list(r#"{"value":[]}"#));
        assert!(api.tests.is_empty());
    }
}
