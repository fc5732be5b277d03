//! Requests that test whether upstreams are up.

use super::Support::Enforced;
use super::proxy::SERVICE_DISCOVERY;
use super::{BOOL, HEADER_MAP, INTEGER, Kind, METHOD, Switch, TEXT, Type, members, one_of};

/// `UptimeTests`
pub static UPTIME_TESTS: Type = Type {
    name: "UptimeTests",
    doc: super::doc("Requests that check whether upstreams are up"),
    switch: Switch::Off("disabled"),
    members: members! {
        "disabled": BOOL, Enforced, detail => "Disables the tests";
        "check_list": Kind::Array(&Kind::Object(&HOST_CHECK)), Enforced => "The requests, each to its own address; at most a hundred per API";
        "config": Kind::Object(&CONFIG), Enforced, detail => "Retention, repetition and discovery of tests";
    },
};

/// `HostCheckObject`
pub static HOST_CHECK: Type = Type {
    name: "HostCheckObject",
    doc: super::doc("A request that checks whether an upstream is up"),
    switch: Switch::None,
    members: members! {
        "url": TEXT, Enforced, expected => "The URL, or the host and port of a raw connection";
        "protocol": TEXT, Enforced => "The protocol: http, https, tcp or tls";
        "method": METHOD, Enforced => "The method";
        "headers": HEADER_MAP, Enforced, secret => "Request headers";
        "body": TEXT, Enforced => "The request body, in base64";
        "timeout": INTEGER, Enforced => "The timeout in nanoseconds, 5 seconds by default; a minute at most";
        "enable_proxy_protocol": BOOL, Enforced => "Sends a PROXY protocol header first";
        "commands": Kind::Array(&Kind::Object(&CHECK_COMMAND)), Enforced => "What is sent and expected on a raw connection, in order";
    },
};

/// `CheckCommand`
pub static CHECK_COMMAND: Type = Type {
    name: "CheckCommand",
    doc: super::doc("A step of a test over a raw connection"),
    switch: Switch::None,
    members: members! {
        "name": one_of!("send", "expect"), Enforced => "Whether the message is sent or expected";
        "message": TEXT, Enforced => "The message";
    },
};

/// `UptimeTestsConfig`
pub static CONFIG: Type = Type {
    name: "UptimeTestsConfig",
    doc: super::doc("Retention, repetition and discovery of tests"),
    switch: Switch::None,
    members: members! {
        "expire_utime_after": INTEGER, Enforced => "Lifetime of results in seconds; at most the last 360 per test are kept";
        "recheck_wait": INTEGER, Enforced => "How many seconds pass before an upstream that is down is tested again and a discovered list of tests fetched again";
        "service_discovery": Kind::Object(&SERVICE_DISCOVERY), Enforced => "Fetches the list of tests from a service, at data_path as JSON or as a string of JSON";
    },
};
