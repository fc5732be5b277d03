//! Requests that test whether upstreams are up.

use super::Support::Enforced;
use super::proxy::SERVICE_DISCOVERY;
use super::{BOOL, HEADER_MAP, INTEGER, Kind, METHOD, Switch, TEXT, Type, members, one_of};

/// `UptimeTests`
pub static UPTIME_TESTS: Type = Type {
    name: "UptimeTests",
    doc: super::doc("Requests that find out whether upstreams are up"),
    switch: Switch::Off("disabled"),
    members: members! {
        "disabled": BOOL, Enforced, detail => "Switches the tests off";
        "check_list": Kind::Array(&Kind::Object(&HOST_CHECK)), Enforced => "The requests; each of an address of its own, and a hundred of an API at most";
        "config": Kind::Object(&CONFIG), Enforced, detail => "How often, and where upstreams are found";
    },
};

/// `HostCheckObject`
pub static HOST_CHECK: Type = Type {
    name: "HostCheckObject",
    doc: super::doc("A request that finds out whether an upstream is up"),
    switch: Switch::None,
    members: members! {
        "url": TEXT, Enforced, expected => "The URL, or host and port of a plain connection";
        "protocol": TEXT, Enforced => "The protocol: http, https, tcp or tls";
        "method": METHOD, Enforced => "The method";
        "headers": HEADER_MAP, Enforced, secret => "Request headers";
        "body": TEXT, Enforced => "The request body, in base64";
        "timeout": INTEGER, Enforced => "How many nanoseconds the upstream has, else 5 seconds; a minute at most";
        "enable_proxy_protocol": BOOL, Enforced => "Sends a PROXY protocol header first";
        "commands": Kind::Array(&Kind::Object(&CHECK_COMMAND)), Enforced => "What is sent and expected on a plain connection, in order";
    },
};

/// `CheckCommand`
pub static CHECK_COMMAND: Type = Type {
    name: "CheckCommand",
    doc: super::doc("A step of a test over a plain connection"),
    switch: Switch::None,
    members: members! {
        "name": one_of!("send", "expect"), Enforced => "Whether the message is sent or expected";
        "message": TEXT, Enforced => "The message";
    },
};

/// `UptimeTestsConfig`
pub static CONFIG: Type = Type {
    name: "UptimeTestsConfig",
    doc: super::doc("How often the tests run, and where upstreams are found"),
    switch: Switch::None,
    members: members! {
        "expire_utime_after": INTEGER, Enforced => "After how many seconds results end; the last 360 of a test are kept at most";
        "recheck_wait": INTEGER, Enforced => "How many seconds pass before an upstream that is down is tested again, and a list of a service is asked for again";
        "service_discovery": Kind::Object(&SERVICE_DISCOVERY), Enforced => "Asks a service for the list of tests, which stands at data_path as JSON or as a text of JSON";
    },
};
