//! Requests that find out whether upstreams are up.

use super::Support::Stored;
use super::proxy::SERVICE_DISCOVERY;
use super::{BOOL, HEADER_MAP, INTEGER, Kind, METHOD, Switch, TEXT, Type, members, one_of};

/// `UptimeTests`
pub static UPTIME_TESTS: Type = Type {
    name: "UptimeTests",
    doc: super::doc("Requests that find out whether upstreams are up"),
    switch: Switch::Off("disabled"),
    members: members! {
        "disabled": BOOL, Stored, detail => "Switches the tests off";
        "check_list": Kind::Array(&Kind::Object(&HOST_CHECK)), Stored, aside => "The requests";
        "config": Kind::Object(&CONFIG), Stored, detail => "How often, and where upstreams are found";
    },
};

/// `HostCheckObject`
pub static HOST_CHECK: Type = Type {
    name: "HostCheckObject",
    doc: super::doc("A request that finds out whether an upstream is up"),
    switch: Switch::None,
    members: members! {
        "url": TEXT, Stored, expected => "The URL, or host and port of a plain connection";
        "protocol": TEXT, Stored => "The protocol: http, https, tcp or tls";
        "method": METHOD, Stored => "The method";
        "headers": HEADER_MAP, Stored, secret => "Request headers";
        "body": TEXT, Stored => "The request body";
        "timeout": INTEGER, Stored => "How many nanoseconds the upstream has";
        "enable_proxy_protocol": BOOL, Stored => "Sends a PROXY protocol header first";
        "commands": Kind::Array(&Kind::Object(&CHECK_COMMAND)), Stored => "What is sent and expected on a plain connection, in order";
    },
};

/// `CheckCommand`
pub static CHECK_COMMAND: Type = Type {
    name: "CheckCommand",
    doc: super::doc("A step of a test over a plain connection"),
    switch: Switch::None,
    members: members! {
        "name": one_of!("send", "expect"), Stored => "Whether the message is sent or expected";
        "message": TEXT, Stored => "The message";
    },
};

/// `UptimeTestsConfig`
pub static CONFIG: Type = Type {
    name: "UptimeTestsConfig",
    doc: super::doc("How often the tests run, and where upstreams are found"),
    switch: Switch::None,
    members: members! {
        "expire_utime_after": INTEGER, Stored => "After how many seconds results end";
        "recheck_wait": INTEGER, Stored => "How many seconds pass before an upstream that is down is tested again";
        "service_discovery": Kind::Object(&SERVICE_DISCOVERY), Stored => "Asks a service registry for the upstreams";
    },
};
