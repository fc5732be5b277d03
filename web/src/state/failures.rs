//! Failed requests: filtering them, hints about their causes, and sending them again.

use super::query_string::{join, pairs};
use super::trial::{Sender, Trial};
use crate::api::figures::failures::{FailedRequest, FailureKind};

/// The filters for failed requests, kept in the address bar; an empty text matches all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Narrowed {
    /// A status, `4xx` or `5xx`.
    pub status: String,
    /// The reason.
    pub reason: String,
    /// The version of an API.
    pub version: String,
    /// A substring of the path.
    pub path: String,
    /// The hash of a key.
    pub key: String,
    /// A period, Unix seconds.
    pub between: Option<(i64, i64)>,
}

impl Narrowed {
    /// Reads a query string. Unknown parameters are ignored.
    #[must_use]
    pub fn parse(query: &str) -> Self {
        let given = pairs(query);
        let value = |name: &str| {
            let found = given.iter().find(|(key, _)| key == name);
            found.map(|(_, value)| value.clone()).unwrap_or_default()
        };
        let time = |name| value(name).parse().ok();
        Self {
            status: value("status"),
            reason: value("reason"),
            version: value("version"),
            path: value("path"),
            key: value("key"),
            between: time("since").zip(time("until")),
        }
    }

    /// Returns the query string.
    #[must_use]
    pub fn query(&self) -> String {
        let (since, until) = match self.between {
            Some((since, until)) => (since.to_string(), until.to_string()),
            None => Default::default(),
        };
        join(&[
            ("status", self.status.clone()),
            ("reason", self.reason.clone()),
            ("version", self.version.clone()),
            ("path", self.path.clone()),
            ("key", self.key.clone()),
            ("since", since),
            ("until", until),
        ])
    }

    /// Returns the query string for the gateway, given the window and the id of an API, empty for all.
    #[must_use]
    pub fn to_request(&self, window: &str, api_id: &str) -> String {
        let window = join(&[("window", window.to_owned()), ("api_id", api_id.to_owned())]);
        match self.query() {
            own if own.is_empty() => window,
            own => format!("{window}&{own}"),
        }
    }

    /// Narrows the filters down to one kind of failures.
    #[must_use]
    pub fn to_kind(&self, kind: &FailureKind) -> Self {
        Self {
            status: kind.status.to_string(),
            reason: kind.reason.clone(),
            version: kind.version.clone(),
            ..self.clone()
        }
    }

    /// Whether anything is filtered out.
    #[must_use]
    pub fn is_any(&self) -> bool {
        *self != Self::default()
    }
}

/// Returns a hint about the cause of a failure; `None` if its reason is clear enough.
#[must_use]
pub fn hint(kind: &FailureKind) -> Option<&'static str> {
    Some(match kind.reason.as_str() {
        "Upstream: its host name could not be resolved" => {
            "No server has this name. Check proxy.target_url, url_rewrites and the targets of load balancing."
        }
        "Upstream: it took no connection, or ended it" => {
            "Nothing listens on this port, or the connection was closed. Check that the server is running and that the gateway can reach it."
        }
        "Upstream: no secure connection could be made" => {
            "The platform doesn't trust its certificate, or there is no TLS on this port. Check the scheme of proxy.target_url."
        }
        "Upstream: it did not answer in time" => {
            "The time limit is that of the path (hard_timeouts), or else the gateway's for every upstream."
        }
        "Rate Limit Exceeded" => {
            "The key's rate: its own, or that of its policies or of the endpoint."
        }
        "API Rate Limit Exceeded" => "global_rate_limit, or the rate of the path.",
        "Quota exceeded" => "The key's quota: its own or that of its policies.",
        "Service temporarily unavailable." => {
            "A circuit breaker is open: too many requests to this path have failed."
        }
        reason if reason.starts_with("Upstream: it answered") => {
            "The gateway has passed on the upstream's answer: the cause is in the upstream's own log."
        }
        _ => return None,
    })
}

/// Returns a path relative to a listen path; unchanged if it isn't below it.
#[must_use]
pub fn below<'a>(path: &'a str, listen_path: &str) -> &'a str {
    let below = path.strip_prefix(listen_path.trim_end_matches('/'));
    match below {
        Some("") => "/",
        Some(below) if below.starts_with('/') => below,
        _ => path,
    }
}

/// Repeats the request on the page that tries an API with this listen path. Header values that were not kept are left
/// out, and query parameters have no values.
#[must_use]
pub fn again(failed: &FailedRequest, key_name: &str, listen_path: &str) -> Trial {
    let path = below(&failed.path, listen_path);
    let query = match failed.query.as_slice() {
        [] => String::new(),
        names => {
            let names: Vec<_> = names.iter().map(|name| format!("{name}=")).collect();
            format!("?{}", names.join("&"))
        }
    };
    // Headers of the connection itself, and those that the sender sets.
    let own = ["host", "content-length", "accept-encoding", "x-request-id"];
    let headers = failed.headers.iter();
    let headers = headers.filter(|(name, _)| !own.contains(&name.as_str()));
    let sender = match failed.key.as_str() {
        "" => Sender::Nobody,
        hash => Sender::Stored {
            hash: hash.to_owned(),
            name: key_name.to_owned(),
        },
    };
    Trial {
        method: failed.method.clone(),
        path: format!("{path}{query}"),
        headers: headers
            .filter_map(|(name, value)| Some((name.clone(), value.clone()?)))
            .collect(),
        body: String::new(),
        sender,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn filters_are_in_the_url() {
        let narrowed = Narrowed {
            status: "5xx".to_owned(),
            reason: "no name & no place".to_owned(),
            version: "v 1".to_owned(),
            path: "/a?b".to_owned(),
            key: "k".to_owned(),
            between: Some((60, 120)),
        };
        assert_eq!(Narrowed::parse(&narrowed.query()), narrowed);
        assert!(narrowed.is_any());
        let all = Narrowed::default();
        assert_eq!(all.query(), "");
        assert!(!Narrowed::parse("?window=1h&since=60&until=soon").is_any());
        assert_eq!(all.to_request("1h", ""), "window=1h");
        assert_eq!(
            narrowed.to_request("1h", "a b"),
            "window=1h&api_id=a%20b&status=5xx&reason=no%20name%20%26%20no%20place&version=v%201&path=%2Fa%3Fb&key=k&since=60&until=120"
        );
    }

    #[test]
    fn changing_kind_keeps_other_filters() {
        let narrowed = Narrowed {
            path: "/a".to_owned(),
            ..Narrowed::default()
        };
        let kind = FailureKind {
            status: 500,
            reason: "r".to_owned(),
            ..FailureKind::default()
        };
        let expected = Narrowed {
            status: "500".to_owned(),
            reason: "r".to_owned(),
            ..narrowed.clone()
        };
        assert_eq!(narrowed.to_kind(&kind), expected);
    }

    #[test]
    fn request_is_repeated_without_unknown_parts() {
        let header = |name: &str, value: Option<&str>| (name.to_owned(), value.map(str::to_owned));
        let failed = FailedRequest {
            method: "POST".to_owned(),
            path: "/orders/1".to_owned(),
            query: vec!["page".to_owned(), "token".to_owned()],
            headers: vec![
                header("host", Some("x")),
                header("accept", Some("*/*")),
                header("authorization", None),
            ],
            key: "hash".to_owned(),
            ..FailedRequest::default()
        };
        let trial = again(&failed, "acme", "/orders/");
        assert_eq!(trial.method, "POST");
        assert_eq!(trial.path, "/1?page=&token=");
        assert_eq!(trial.headers, [("accept".to_owned(), "*/*".to_owned())]);
        let sender = Sender::Stored {
            hash: "hash".to_owned(),
            name: "acme".to_owned(),
        };
        assert_eq!(trial.sender, sender);
        assert_eq!(
            again(&failed, "acme", "/ord").path,
            "/orders/1?page=&token="
        );
        let root = FailedRequest {
            path: "/orders".to_owned(),
            ..FailedRequest::default()
        };
        assert_eq!(again(&root, "", "/orders/").path, "/");
        assert_eq!(again(&root, "", "/orders/").sender, Sender::Nobody);
    }

    #[test]
    fn cause_is_shown_if_the_reason_is_insufficient() {
        let hinted = |reason: &str| {
            let kind = FailureKind {
                reason: reason.to_owned(),
                ..FailureKind::default()
            };
            hint(&kind)
        };
        assert!(
            hinted("Upstream: it did not answer in time")
                .is_some_and(|text| text.contains("hard_timeouts"))
        );
        assert!(hinted("Upstream: it answered 502").is_some());
        assert_eq!(hinted("Key has expired, please renew"), None);
    }
}
