//! The rights of a key at one API, and the limits that a request to it counts against.

use super::limit::{Endpoint, Limit};
use super::{Session, texts};
use crate::json::Value;
use crate::mcp::McpRights;
use crate::shape::is_significant;

/// The rights of a key at one API (reference section 2.2).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// Old-style versions it may use; empty for any.
    pub versions: Vec<String>,
    /// Paths and methods it may use; empty for all.
    pub allowed_urls: Vec<AllowedUrl>,
    /// Limits of its own; `None` if all of them are 0.
    pub limit: Option<Limit>,
    /// The name of the counters of `limit`; "" for those of the key itself.
    pub allowance_scope: String,
    /// Paths with rates of their own.
    pub endpoints: Vec<Endpoint>,
    /// Whether it restricts GraphQL queries.
    pub restricts_graphql: bool,
    /// Whether it restricts JSON-RPC methods, or tools, resources and prompts.
    pub restricts_mcp: bool,
    /// The rights to those, if it restricts them.
    pub mcp: Option<Box<McpRights>>,
}

/// Members of [`Access`] about GraphQL, and those about JSON-RPC and MCP. An empty one restricts nothing.
const GRAPHQL: [&str; 4] = [
    "restricted_types",
    "allowed_types",
    "field_access_rights",
    "disable_introspection",
];
const MCP: [&str; 4] = [
    "json_rpc_methods",
    "json_rpc_methods_access_rights",
    "mcp_primitives",
    "mcp_access_rights",
];

/// An entry of `allowed_urls`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowedUrl {
    /// A regular expression for the path.
    pub url: String,
    /// The allowed methods; if empty, none.
    pub methods: Vec<String>,
}

/// The limits that a request to an API counts against, and their counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Applied<'s> {
    /// The limits.
    pub limit: &'s Limit,
    /// The name of their counters within the key; "" for those of the key itself.
    pub scope: &'s str,
}

impl Access {
    pub(super) fn read(value: &Value<'_>) -> Self {
        let items = |name| value.get(name).map(Value::items).unwrap_or_default();
        let says = |name: &&str| value.get(name).is_some_and(is_significant);
        let allowed = |url: &Value<'_>| AllowedUrl {
            url: url.str("url").unwrap_or_default().to_owned(),
            methods: texts(url, "methods"),
        };
        Self {
            versions: texts(value, "versions"),
            allowed_urls: items("allowed_urls").iter().map(allowed).collect(),
            limit: Limit::of_api(value),
            allowance_scope: value.str("allowance_scope").unwrap_or_default().to_owned(),
            endpoints: items("endpoints").iter().map(Endpoint::read).collect(),
            restricts_graphql: GRAPHQL.iter().any(says),
            restricts_mcp: MCP.iter().any(says),
            mcp: MCP
                .iter()
                .any(says)
                .then(|| Box::new(McpRights::read(value))),
        }
    }

    /// Whether a version may be used.
    #[must_use]
    pub fn allows_version(&self, version: &str) -> bool {
        self.versions.is_empty() || self.versions.iter().any(|allowed| allowed == version)
    }
}

impl Session {
    /// Returns the limits that a request to an API counts against: the API's own, or those of the session.
    ///
    /// The counters are those that `allowance_scope` names, even if it is empty: with one policy for several APIs, each
    /// of them has the policy's limits, and all share one count (reference section 2.4, row 15). A session's own limit
    /// for an API has a scope only after policies, or none, have been applied (row 1), so this reads the result of
    /// [`crate::policy::apply`].
    #[must_use]
    pub fn applied(&self, api_id: &str) -> Applied<'_> {
        let access = self.access(api_id);
        let own = access.and_then(|access| access.limit.as_ref());
        Applied {
            limit: own.unwrap_or(&self.limit),
            scope: access.map_or("", |access| &access.allowance_scope),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_api_without_limits_has_those_of_the_session() {
        let text = r#"{"quota_max":9,"access_rights":{"a":{"limit":{"quota_max":5},"allowance_scope":"s"},
            "b":{"limit":{"quota_max":0},"allowance_scope":"t"},"c":{"limit":{"quota_max":7}}}}"#;
        let session = Session::parse(text).unwrap();
        let of = |api| {
            let applied = session.applied(api);
            (applied.limit.quota_max, applied.scope)
        };
        assert_eq!(of("a"), (5, "s"));
        assert_eq!(of("b"), (9, "t"));
        assert_eq!(of("c"), (7, ""));
        assert_eq!(of("unknown"), (9, ""));
    }

    #[test]
    fn empty_lists_restrict_nothing() {
        for (text, graphql, mcp) in [
            ("{}", false, false),
            (
                r#"{"restricted_types":[],"allowed_types":null,"disable_introspection":false,
                "mcp_access_rights":{"tools":{"allowed":[],"blocked":[]}},"mcp_primitives":[]}"#,
                false,
                false,
            ),
            (r#"{"disable_introspection":true}"#, true, false),
            (r#"{"allowed_types":[{"name":"T"}]}"#, true, false),
            (
                r#"{"mcp_access_rights":{"tools":{"blocked":["x"]}}}"#,
                false,
                true,
            ),
            (r#"{"json_rpc_methods":[{"name":"m"}]}"#, false, true),
        ] {
            let access = Access::read(&crate::json::parse(text).unwrap());
            let restricts = (access.restricts_graphql, access.restricts_mcp);
            assert_eq!(restricts, (graphql, mcp), "{text}");
        }
    }

    #[test]
    fn versions_and_urls_are_read_in_order() {
        let text = r#"{"access_rights":{"a":{"versions":["v1","v2"],
            "allowed_urls":[{"url":"/x","methods":["GET"]},{"methods":[1]},5],
            "endpoints":[{"path":"/x","methods":[]}]}}}"#;
        let session = Session::parse(text).unwrap();
        let access = session.access("a").unwrap();
        assert!(access.allows_version("v2"));
        assert!(!access.allows_version("v3"));
        assert!(Access::default().allows_version("v3"));
        assert_eq!(access.allowed_urls.len(), 3);
        assert_eq!(access.allowed_urls[0].url, "/x");
        assert!(access.allowed_urls[1].methods.is_empty());
        assert_eq!(access.endpoints[0].path, "/x");
    }
}
