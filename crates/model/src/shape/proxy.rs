//! `proxy`: where requests are received and where they are forwarded.

use super::Support::{Enforced, Unsupported};
use super::{BOOL, Format, INTEGER, Kind, Switch, TEXT, TEXTS, TLS_VERSION, Type, members};

const TLS: &str = "the platform chooses the TLS parameters of upstream connections";
const VERIFIED: &str = "the platform always verifies upstream certificates";
const HOST: &str =
    "the platform takes Host from the target; the client's host goes upstream as X-Forwarded-Host";
const NO_PROXY: &str = "the platform opens upstream connections itself, never through a proxy";

const CONNECTS: &str = "the platform makes the connections to upstreams itself";

/// `ProxyConfig`
pub static PROXY: Type = Type {
    name: "ProxyConfig",
    doc: super::doc("Where requests are received and where they are forwarded"),
    switch: Switch::None,
    members: members! {
        "listen_path": Kind::Format(Format::ListenPath), Enforced => "The path under which the API is served; the longest match wins; {name} and {name:expression} match a segment or part of one";
        "target_url": Kind::Format(Format::Target), Enforced => "The absolute URL of the upstream";
        "strip_listen_path": BOOL, Enforced => "Removes the listen path before the request is forwarded";
        "preserve_host_header": BOOL, Unsupported(HOST) => "Sends the host name requested by the client to the upstream";
        "disable_strip_slash": BOOL, Enforced => "Keeps the trailing slash of the target path when the listen path is removed";
        "enable_load_balancing": BOOL, Enforced => "Distributes requests over the members of target_list";
        "target_list": Kind::Array(&Kind::Format(Format::Target)), Enforced => "URLs of upstreams, used in turn; one listed twice gets two turns";
        "check_host_against_uptime_tests": BOOL, Enforced => "Skips members of target_list whose host is down according to the uptime tests of its organisation";
        "service_discovery": Kind::Object(&SERVICE_DISCOVERY), Enforced => "Looks up the upstream's address in a service registry";
        "transport": Kind::Object(&TRANSPORT), Unsupported(CONNECTS) => "Settings for connections to the upstream";
    },
};

/// `ServiceDiscoveryConfiguration`
pub static SERVICE_DISCOVERY: Type = Type {
    name: "ServiceDiscoveryConfiguration",
    doc: super::doc("How addresses are looked up in a service registry"),
    switch: Switch::On("use_discovery_service"),
    members: members! {
        "use_discovery_service": BOOL, Enforced => "Enables service discovery";
        "query_endpoint": TEXT, Enforced => "The URL of the registry";
        "use_nested_query": BOOL, Enforced => "Whether the address is in a JSON string inside the response";
        "parent_data_path": TEXT, Enforced => "The path to the inner JSON string, or to the list, in the response";
        "data_path": TEXT, Enforced => "The path to the host name";
        "port_data_path": TEXT, Enforced => "The path to the port";
        "target_path": TEXT, Enforced => "A path appended to every address";
        "use_target_list": BOOL, Enforced => "Uses the addresses as load-balancing targets";
        "endpoint_returns_list": BOOL, Enforced => "Whether the registry returns a list of addresses";
        "cache_disabled": BOOL, Enforced => "Queries the registry for every request; simultaneous requests share a response";
        "cache_timeout": INTEGER, Enforced => "How many seconds a response of the registry is used, 120 by default";
    },
};

/// `ProxyConfig.transport`
pub static TRANSPORT: Type = Type {
    name: "ProxyConfig.transport",
    doc: super::doc("Settings for connections to the upstream"),
    switch: Switch::None,
    members: members! {
        "proxy_url": TEXT, Unsupported(NO_PROXY) => "The HTTP proxy used to reach the upstream";
        "ssl_ciphers": TEXTS, Unsupported(TLS) => "TLS cipher suites offered to the upstream";
        "ssl_force_common_name_check": BOOL, Unsupported(VERIFIED), aside => "Checks the common name in the upstream's certificate";
        "ssl_insecure_skip_verify": BOOL, Unsupported(VERIFIED), aside => "Accepts any certificate of the upstream";
        "ssl_max_version": TLS_VERSION, Unsupported(TLS) => "The highest TLS version, as its protocol number";
        "ssl_min_version": TLS_VERSION, Unsupported(TLS) => "The lowest TLS version, as its protocol number";
    },
};
