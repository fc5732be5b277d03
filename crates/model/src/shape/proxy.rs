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
    doc: super::doc("Where requests come in and where they go"),
    switch: Switch::None,
    members: members! {
        "listen_path": Kind::Format(Format::ListenPath), Enforced => "The path under which the API is served; the longest one that matches wins; {name} and {name:expression} stand for a segment or a part of one";
        "target_url": Kind::Format(Format::Target), Enforced => "The absolute URL of the upstream";
        "strip_listen_path": BOOL, Enforced => "Removes the listen path before the request is forwarded";
        "preserve_host_header": BOOL, Unsupported(HOST) => "Sends the upstream the host name the client asked for";
        "disable_strip_slash": BOOL, Enforced => "Keeps the trailing slash of the target path when the listen path was removed";
        "enable_load_balancing": BOOL, Enforced => "Spreads requests over the members of target_list";
        "target_list": Kind::Array(&Kind::Format(Format::Target)), Enforced => "URLs of upstreams that are taken in turn; one that is listed twice has two turns";
        "check_host_against_uptime_tests": BOOL, Enforced => "Leaves out members of target_list whose host the uptime tests of its organisation have found down";
        "service_discovery": Kind::Object(&SERVICE_DISCOVERY), Enforced => "Asks a service registry for the upstream's address";
        "transport": Kind::Object(&TRANSPORT), Unsupported(CONNECTS) => "How connections to the upstream are made";
    },
};

/// `ServiceDiscoveryConfiguration`
pub static SERVICE_DISCOVERY: Type = Type {
    name: "ServiceDiscoveryConfiguration",
    doc: super::doc("How a service registry is asked for addresses"),
    switch: Switch::On("use_discovery_service"),
    members: members! {
        "use_discovery_service": BOOL, Enforced => "Switches service discovery on";
        "query_endpoint": TEXT, Enforced => "The URL of the registry";
        "use_nested_query": BOOL, Enforced => "The address stands in JSON text inside the answer";
        "parent_data_path": TEXT, Enforced => "Where the inner JSON text stands in the answer";
        "data_path": TEXT, Enforced => "Where the host name stands";
        "port_data_path": TEXT, Enforced => "Where the port stands";
        "target_path": TEXT, Enforced => "A path that is appended to every address";
        "use_target_list": BOOL, Enforced => "Uses the addresses as targets of load balancing";
        "endpoint_returns_list": BOOL, Enforced => "The registry answers a list of addresses";
        "cache_disabled": BOOL, Enforced => "Asks the registry for every request; those of one moment share an answer";
        "cache_timeout": INTEGER, Enforced => "How many seconds an answer of the registry is used, else 120";
    },
};

/// `ProxyConfig.transport`
pub static TRANSPORT: Type = Type {
    name: "ProxyConfig.transport",
    doc: super::doc("How connections to the upstream are made"),
    switch: Switch::None,
    members: members! {
        "proxy_url": TEXT, Unsupported(NO_PROXY) => "The HTTP proxy through which the upstream is reached";
        "ssl_ciphers": TEXTS, Unsupported(TLS) => "TLS cipher suites that are offered to the upstream";
        "ssl_force_common_name_check": BOOL, Unsupported(VERIFIED), aside => "Compares the common name of the upstream's certificate";
        "ssl_insecure_skip_verify": BOOL, Unsupported(VERIFIED), aside => "Accepts every certificate of the upstream";
        "ssl_max_version": TLS_VERSION, Unsupported(TLS) => "The highest TLS version, as its number on the wire";
        "ssl_min_version": TLS_VERSION, Unsupported(TLS) => "The lowest TLS version, as its number on the wire";
    },
};
