//! The headers that end at the gateway, in one table: `glue.js` gets it once at start, and the headers of batched and
//! debugged requests are checked against it here.
//!
//! The promise: what a client claims about itself, or about what its request really is, reaches no upstream unchecked,
//! because many upstreams believe it (CVE-2022-24112: an item of a batch with `X-Real-IP: 127.0.0.1` passed as a local
//! client).

/// Why a header ends here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// It belongs to the connection (RFC 9110 section 7.6.1), and the runtime handles it.
    Connection,
    /// It belongs to the connection to a proxy; the runtime would forward it in responses.
    ProxyAnswer,
    /// Like [`Self::ProxyAnswer`], in requests and responses.
    Proxy,
    /// It carries the administration's secret.
    Secret,
    /// It claims who the client is. Only the one that the operator trusts (`CLIENT_IP_HEADER`) is checked.
    Client,
    /// It makes an upstream treat the request as a different one.
    Override,
    /// The gateway sets it; a single request keeps it until then.
    Own,
}

/// The table, sorted by name. Requests lose every spelling of a name with underscores as well: CGI, and so WSGI, Rack
/// and PHP, read `-` and `_` alike (RFC 3875 section 4.1.18).
pub const TABLE: [(&str, Ends); 31] = [
    ("cf-connecting-ip", Ends::Client),
    ("cf-connecting-ipv6", Ends::Client),
    ("cf-pseudo-ipv4", Ends::Client),
    ("client-ip", Ends::Client),
    ("connection", Ends::Connection),
    ("content-length", Ends::Own),
    ("expect", Ends::Own),
    ("fastly-client-ip", Ends::Client),
    ("forwarded", Ends::Client),
    ("host", Ends::Own),
    ("keep-alive", Ends::Connection),
    ("proxy-authenticate", Ends::ProxyAnswer),
    ("proxy-authorization", Ends::Proxy),
    ("proxy-connection", Ends::Proxy),
    ("te", Ends::Connection),
    ("trailer", Ends::Connection),
    ("transfer-encoding", Ends::Connection),
    ("true-client-ip", Ends::Client),
    ("upgrade", Ends::Connection),
    ("x-client-ip", Ends::Client),
    ("x-cluster-client-ip", Ends::Client),
    ("x-forwarded-for", Ends::Own),
    ("x-forwarded-host", Ends::Own),
    ("x-forwarded-proto", Ends::Own),
    ("x-gateway-authorization", Ends::Secret),
    ("x-http-method", Ends::Override),
    ("x-http-method-override", Ends::Override),
    ("x-method-override", Ends::Override),
    ("x-original-url", Ends::Override),
    ("x-real-ip", Ends::Own),
    ("x-rewrite-url", Ends::Override),
];

/// Whether a header, in lower case, may not be set in a request that is described in text: an item of a batch, or a
/// debugged request.
#[must_use]
pub fn is_refused(name: &str) -> bool {
    let is_known = |name: &str| {
        let found = TABLE.binary_search_by(|(known, _)| (*known).cmp(name));
        found.is_ok()
    };
    is_known(name) || name.contains('_') && is_known(&name.replace('_', "-"))
}

impl Ends {
    /// Whether it is removed from requests before they are forwarded.
    #[must_use]
    pub const fn in_requests(self) -> bool {
        matches!(
            self,
            Self::Proxy | Self::Secret | Self::Client | Self::Override
        )
    }

    /// Whether it is removed from responses.
    #[must_use]
    pub const fn in_answers(self) -> bool {
        matches!(self, Self::ProxyAnswer | Self::Proxy)
    }
}

/// Returns five lines of names separated by spaces: headers removed from requests, removed from responses, removed from
/// both by the runtime, headers that no rule may add to a request, and headers that the gateway sets itself.
#[must_use]
pub fn lines() -> String {
    let line = |of: fn(Ends) -> bool| {
        let names = TABLE.iter().filter(|(_, ends)| of(*ends));
        names.map(|(name, _)| *name).collect::<Vec<_>>().join(" ")
    };
    [
        line(Ends::in_requests),
        line(Ends::in_answers),
        line(|ends| ends == Ends::Connection),
        line(|ends| matches!(ends, Ends::Proxy | Ends::Secret)),
        line(|ends| ends == Ends::Own),
    ]
    .join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order_and_in_lower_case() {
        assert!(TABLE.is_sorted_by(|(a, _), (b, _)| a < b));
        assert!(
            TABLE
                .iter()
                .all(|(name, _)| name.to_ascii_lowercase() == *name)
        );
    }

    #[test]
    fn no_header_of_the_table_can_be_set_in_a_text() {
        assert!(is_refused("x-real-ip") && is_refused("x-original-url"));
        assert!(!is_refused("x-request-id") && !is_refused("cookie"));
        assert!(is_refused("x_real-ip") && is_refused("true_client_ip"));
        assert!(is_refused("x_forwarded_proto"));
        assert!(!is_refused("x_request_id"));
    }

    #[test]
    fn each_line_is_a_list_of_names() {
        let lines = lines();
        let lines: Vec<Vec<&str>> = lines
            .lines()
            .map(|line| line.split(' ').collect())
            .collect();
        let [requests, answers, connection, never_added, own] = lines.as_slice() else {
            panic!("{} lines", lines.len());
        };
        assert_eq!(
            *answers,
            [
                "proxy-authenticate",
                "proxy-authorization",
                "proxy-connection"
            ]
        );
        assert_eq!(
            *never_added,
            [
                "proxy-authorization",
                "proxy-connection",
                "x-gateway-authorization"
            ]
        );
        assert_eq!(
            *connection,
            [
                "connection",
                "keep-alive",
                "te",
                "trailer",
                "transfer-encoding",
                "upgrade"
            ]
        );
        for name in [
            "true-client-ip",
            "x-client-ip",
            "x-original-url",
            "x-rewrite-url",
            "x-http-method",
            "x-http-method-override",
            "x-method-override",
            "forwarded",
            "x-gateway-authorization",
            "proxy-authorization",
        ] {
            assert!(requests.contains(&name), "{name}");
        }
        // A proxy appends to this header (RFC 7239 section 7.4), and sets the others.
        assert!(!requests.contains(&"x-forwarded-for") && own.contains(&"x-forwarded-for"));
        // Each name is in a line, because the spellings with underscores of all of them are removed from requests.
        let mut listed = lines.concat();
        listed.sort_unstable();
        listed.dedup();
        assert!(listed.into_iter().eq(TABLE.iter().map(|(name, _)| *name)));
    }
}
