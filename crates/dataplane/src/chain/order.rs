//! The order of the links: a single array, following reference 3.1.

use super::{Compiler, Middleware, Step};
use crate::exchange::Exchange;
use crate::extras::Extracted;
use crate::failure::Failure;
use crate::links;
use gatewright_api::chain::LinkPhase;

/// Static properties of a link, and its row in the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkInfo {
    /// The row of the table in reference 3.1; `R` for the response chain.
    pub row: &'static str,
    /// The link's name, in traces and in the chain that the API shows.
    pub name: &'static str,
    /// The display name.
    pub title: &'static str,
    /// Whether it acts on the request, the response or both.
    pub phase: LinkPhase,
}

/// The rules for errors: not a link, but listed as one, after all others.
pub const ERRORS: LinkInfo = LinkInfo {
    row: "R",
    name: "error_overrides",
    title: "Error overrides",
    phase: LinkPhase::Response,
};

/// Declares the links in order, with their row in reference 3.1, name, title, phase, and type.
macro_rules! order {
    ($( $row:literal $name:literal $title:literal $phase:ident $module:ident::$link:ident; )*) => {
        /// A link of a chain.
        #[derive(Debug)]
        pub enum Link {
            $(
                #[doc = $title]
                $link(links::$module::$link),
            )*
        }

        /// The order of the links.
        pub const ORDER: &[LinkInfo] = &[
            $( LinkInfo { row: $row, name: $name, title: $title, phase: LinkPhase::$phase }, )*
        ];

        impl Link {
            /// Compiles the links that a definition requires.
            pub(super) fn compile_all(from: &mut Compiler<'_>) -> Vec<Self> {
                let mut compiled = Vec::new();
                $(
                    from.begin($name);
                    compiled.extend(links::$module::$link::compile(from).map(Self::$link));
                )*
                compiled
            }

            /// The link's name.
            #[must_use]
            pub const fn name(&self) -> &'static str {
                match self { $( Self::$link(_) => $name, )* }
            }

            /// The row of the table in reference 3.1; `R` for the response chain.
            #[must_use]
            pub const fn row(&self) -> &'static str {
                match self { $( Self::$link(_) => $row, )* }
            }

            /// Decides about a request.
            pub fn request(&self, exchange: &mut Exchange) -> Step {
                match self { $( Self::$link(link) => request(link, exchange), )* }
            }

            /// Specifies changes to the upstream's answer.
            pub fn response(&self, exchange: &mut Exchange) {
                match self { $( Self::$link(link) => response(link, exchange), )* }
            }

            /// Takes an extra's result for the answer's body.
            ///
            /// # Errors
            /// Why the answer can't be passed on.
            pub fn answered(&self, exchange: &mut Exchange, extracted: Extracted) -> Result<(), Failure> {
                match self { $( Self::$link(link) => link.answered(exchange, extracted), )* }
            }

            /// Whether it can skip every request.
            #[must_use]
            pub fn is_plain(&self) -> bool {
                match self { $( Self::$link(link) => link.is_plain(), )* }
            }
        }
    };
}

impl Link {
    /// Whether it is an authentication method.
    #[must_use]
    pub fn is_auth(&self) -> bool {
        self.row() == "14"
    }

    /// Whether it belongs to the proxy: requests that skip the rest of the chain ([`Step::Send`]) pass these links too.
    #[must_use]
    pub fn is_proxy(&self) -> bool {
        self.row() == "40"
    }

    /// Whether the standing of a key's limits depends on it (reference 3.1, *simple sub-chain*).
    #[must_use]
    pub fn concerns_standing(&self) -> bool {
        let is_listed = matches!(
            self,
            Self::Expiry(_)
                | Self::Cors(_)
                | Self::AddressLists(_)
                | Self::ClientCertificate(_)
                | Self::Organisation(_)
                | Self::KeyState(_)
                | Self::AccessRights(_)
                | Self::KeyLimits(_)
                | Self::Counters(_)
        );
        is_listed || self.is_auth()
    }
}

// Each link stays a separate function: inlined into one, they make it so large that it spends more time on its own
// variables than on links (7 % of a request with a key, measured).

#[inline(never)]
fn request<M: Middleware>(link: &M, exchange: &mut Exchange) -> Step {
    link.request(exchange)
}

#[inline(never)]
fn response<M: Middleware>(link: &M, exchange: &mut Exchange) {
    link.response(exchange);
}

order! {
    "1" "mcp_message" "MCP messages" Request mcp_message::McpMessage;
    "2" "expiry" "Expiry" Both expiry::Expiry;
    "2" "mock_response" "Mock responses" Request mock_responses::MockResponses;
    "2" "path_lists" "Path lists" Request path_lists::PathLists;
    "3" "cors" "CORS" Both cors::Cors;
    "6" "address_lists" "IP lists" Request address_lists::AddressLists;
    "8" "client_certificate" "Client certificate" Request client_certificate::ClientCertificate;
    "9" "organisation" "Organisation" Request organisation::Organisation;
    "10" "size_limits" "Size limits" Request size_limits::SizeLimits;
    "11" "context_variables" "Context variables" Request context_variables::ContextVariables;
    "13" "resource_metadata" "Protected resource metadata" Request resource_metadata::ResourceMetadata;
    "14" "oauth" "OAuth 2.0" Request oauth::Oauth;
    "14" "external_oauth" "OAuth of another provider" Request proofs::ExternalOauth;
    "14" "basic_auth" "User name and password" Request logins::Basic;
    "14" "hmac" "HTTP signature" Request logins::Signatures;
    "14" "jwt" "JSON Web Token" Request proofs::Jwt;
    "14" "openid" "OpenID Connect" Request proofs::OpenId;
    "14" "auth_token" "Token" Request auth_token::AuthToken;
    "16" "strip_auth_data" "Strip credentials" Request strip_auth_data::StripAuthData;
    "17" "key_state" "Key state" Request key_state::KeyState;
    "18" "access_rights" "Access rights" Request access_rights::AccessRights;
    "19" "granular_access" "Allowed URLs" Request granular_access::GranularAccess;
    "20" "key_limits" "Key limits" Request key_limits::KeyLimits;
    "21" "mcp_access" "MCP access" Both mcp_access::McpAccess;
    "23" "api_rate_limit" "API rate limits" Request api_rate_limit::ApiRateLimit;
    "23" "counters" "Limits" Request counters::Counters;
    "25" "upstream_auth" "Upstream authentication" Request upstream_auth::UpstreamAuth;
    "25" "upstream_oauth" "OAuth for the upstream" Request upstream_oauth::UpstreamOauth;
    "26" "validate_json" "JSON Schema" Request validate_json::ValidateJson;
    "27" "validate_request" "Requests by OpenAPI" Request validate_request::ValidateRequest;
    "29" "transform" "Body transforms" Request body_transforms::BodyTransforms;
    "30" "transform_jq" "JQ transforms" Request jq_transforms::JqTransforms;
    "31" "transform_headers" "Header transforms" Request header_transforms::HeaderTransforms;
    "32" "url_rewrites" "URL rewrites" Request url_rewrites::UrlRewrites;
    "33" "method_transforms" "Method transforms" Request method_transforms::MethodTransforms;
    "34" "operation_mocks" "Mocks by OpenAPI" Request operation_mocks::OperationMocks;
    "35" "cache" "Cache" Both cache::Cache;
    "37" "request_signing" "Request signing" Request request_signing::RequestSigning;
    "40" "hard_timeouts" "Timeouts" Request hard_timeouts::HardTimeouts;
    "40" "mcp_tools" "Operations as tools" Request mcp_tools::McpTools;
    "40" "loop_target" "Loop as target" Request loop_target::LoopTarget;
    "40" "service_discovery" "Service discovery" Request service_discovery::ServiceDiscovery;
    "40" "uptime_tests" "Uptime tests" Request uptime_tests::UptimeTests;
    "40" "load_balancing" "Load balancing" Request load_balancing::LoadBalancing;
    "40" "circuit_breakers" "Circuit breakers" Request circuit_breakers::CircuitBreakers;
    "R" "transform_response" "Response body transforms" Response body_transforms::BodyResponseTransforms;
    "R" "transform_jq_response" "JQ response transforms" Response jq_transforms::JqResponseTransforms;
    "R" "response_headers" "Response headers" Response response_headers::ResponseHeaders;
    "R" "response_processors" "Response processors" Response response_processors::ResponseProcessors;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rows of reference 3.1 that the data plane implements, in order.
    const REFERENCE: &[(&str, &[&str])] = &[
        ("1", &["mcp_message"]),
        ("2", &["expiry", "mock_response", "path_lists"]),
        ("3", &["cors"]),
        ("6", &["address_lists"]),
        ("8", &["client_certificate"]),
        ("9", &["organisation"]),
        ("10", &["size_limits"]),
        ("11", &["context_variables"]),
        ("13", &["resource_metadata"]),
        (
            "14",
            &[
                "oauth",
                "external_oauth",
                "basic_auth",
                "hmac",
                "jwt",
                "openid",
                "auth_token",
            ],
        ),
        ("16", &["strip_auth_data"]),
        ("17", &["key_state"]),
        ("18", &["access_rights"]),
        ("19", &["granular_access"]),
        ("20", &["key_limits"]),
        ("21", &["mcp_access"]),
        ("23", &["api_rate_limit", "counters"]),
        ("25", &["upstream_auth", "upstream_oauth"]),
        ("26", &["validate_json"]),
        ("27", &["validate_request"]),
        ("29", &["transform"]),
        ("30", &["transform_jq"]),
        ("31", &["transform_headers"]),
        ("32", &["url_rewrites"]),
        ("33", &["method_transforms"]),
        ("34", &["operation_mocks"]),
        ("35", &["cache"]),
        ("37", &["request_signing"]),
        (
            "40",
            &[
                "hard_timeouts",
                "mcp_tools",
                "loop_target",
                "service_discovery",
                "uptime_tests",
                "load_balancing",
                "circuit_breakers",
            ],
        ),
        (
            "R",
            &[
                "transform_response",
                "transform_jq_response",
                "response_headers",
                "response_processors",
            ],
        ),
    ];

    #[test]
    fn order_matches_the_reference() {
        let rows = REFERENCE.iter();
        let expected = rows.flat_map(|(row, names)| names.iter().map(move |name| (*row, *name)));
        let expected: Vec<_> = expected.collect();
        let links: Vec<_> = ORDER.iter().map(|info| (info.row, info.name)).collect();
        assert_eq!(links, expected);
        // The response chain follows all rows.
        let number = |info: &LinkInfo| info.row.parse().unwrap_or(u32::MAX);
        assert!(ORDER.iter().map(number).is_sorted());
    }

    #[test]
    fn names_are_unique_words() {
        for (at, info) in ORDER.iter().enumerate() {
            let is_word = |letter: char| letter.is_ascii_lowercase() || letter == '_';
            assert!(info.name.chars().all(is_word), "{}", info.name);
            assert!(!info.title.is_empty(), "{}", info.name);
            let same = |other: &LinkInfo| other.name == info.name || other.title == info.title;
            assert_eq!(ORDER.iter().position(same), Some(at), "{}", info.name);
        }
        let version = |info: &LinkInfo| info.name == crate::versions::TRACE_NAME;
        assert!(!ORDER.iter().any(version));
    }
}
