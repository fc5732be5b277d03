//! Event handlers (reference section 7).

use super::Support::{Enforced, Informative, Stored, Unsupported};
use super::{
    BOOL, HEADER_MAP, INTEGER, Kind, Names, Switch, TEXT, Tagged, Type, URL, members, one_of,
};

/// `EventHandlerMetaConfig`
pub static EVENT_HANDLERS: Type = Type {
    name: "EventHandlerMetaConfig",
    doc: super::doc("Handlers of events"),
    switch: Switch::None,
    members: members! {
        "events": Kind::Map(&Names::Known(EVENTS), &Kind::Array(&Kind::Object(&EVENT_HANDLER))), Enforced => "Handlers by event name; an event with a webhook among its handlers is also a notification";
    },
};

/// Names of events (reference section 7.1).
pub const EVENTS: &[&str] = &[
    "QuotaExceeded",
    "RatelimitExceeded",
    "RateLimitSmoothingUp",
    "RateLimitSmoothingDown",
    "AuthFailure",
    "UpstreamOAuthError",
    "KeyExpired",
    "VersionFailure",
    "OrgQuotaExceeded",
    "OrgRateLimitExceeded",
    "TriggerExceeded",
    "BreakerTriggered",
    "BreakerTripped",
    "BreakerReset",
    "HostDown",
    "HostUp",
    "TokenCreated",
    "TokenUpdated",
    "TokenDeleted",
    "CertificateExpiringSoon",
    "CertificateExpired",
    "OAuth2ScopeCheckFailed",
    "OAuth2ExchangeSucceeded",
    "OAuth2ExchangeFailed",
];

/// The events that are actually raised here.
pub const RAISED: &[&str] = &[
    "AuthFailure",
    "KeyExpired",
    "RatelimitExceeded",
    "QuotaExceeded",
    "OrgQuotaExceeded",
    "OrgRateLimitExceeded",
    "VersionFailure",
    "TriggerExceeded",
    "BreakerTriggered",
    "BreakerTripped",
    "BreakerReset",
    "TokenCreated",
    "TokenUpdated",
    "TokenDeleted",
    "UpstreamOAuthError",
    "HostDown",
    "HostUp",
    "RateLimitSmoothingUp",
    "RateLimitSmoothingDown",
];

/// `EventHandlerTriggerConfig`
pub static EVENT_HANDLER: Type = Type {
    name: "EventHandlerTriggerConfig",
    doc: super::doc("A handler of an event"),
    switch: Switch::None,
    members: members! {
        "handler_name": one_of!("eh_web_hook_handler", "eh_log_handler", "eh_dynamic_handler", "cp_dynamic_handler"), Enforced, expected => "The kind of handler";
        "handler_meta": Kind::Tagged(&SETTINGS), Enforced => "Its settings, which depend on the kind of handler";
    },
};

/// The methods of webhook calls (reference section 7.3).
pub(super) const WEBHOOK_METHOD: Kind = one_of!("POST", "GET", "PUT", "PATCH", "DELETE", "");

/// Why a template has no effect.
pub(super) const NO_TEMPLATES: &str =
    "there are no files to take a template from, so the default body is sent";

const SETTINGS: Tagged = Tagged {
    by: "handler_name",
    types: &[
        ("eh_web_hook_handler", &WEBHOOK_SETTINGS),
        ("eh_log_handler", &LOG_SETTINGS),
        ("eh_dynamic_handler", &CODE_SETTINGS),
        ("cp_dynamic_handler", &CODE_SETTINGS),
    ],
};

/// `handler_meta` of `eh_web_hook_handler`
pub static WEBHOOK_SETTINGS: Type = Type {
    name: "handler_meta (eh_web_hook_handler)",
    doc: super::doc("A URL called on an event"),
    switch: Switch::Off("disabled"),
    members: members! {
        "disabled": BOOL, Enforced => "Disables the handler";
        "id": TEXT, Enforced => "The stored webhook to call, with a signature, if there is no target_path";
        "name": TEXT, Informative => "The display name";
        "method": WEBHOOK_METHOD, Enforced => "The method: GET, POST, PUT, PATCH or DELETE";
        "target_path": URL, Enforced => "The URL that is called";
        "header_map": HEADER_MAP, Enforced, secret => "Request headers";
        "template_path": TEXT, Unsupported(NO_TEMPLATES), aside => "The template file for the body";
        "event_timeout": INTEGER, Enforced => "Minimum seconds between two identical calls; 0 for no minimum";
    },
};

/// `handler_meta` of `eh_log_handler`
pub static LOG_SETTINGS: Type = Type {
    name: "handler_meta (eh_log_handler)",
    doc: super::doc("A log line written on an event"),
    switch: Switch::Off("disabled"),
    members: members! {
        "disabled": BOOL, Enforced => "Disables the handler";
        "prefix": TEXT, Enforced => "The prefix of the line";
    },
};

/// `handler_meta` of `eh_dynamic_handler` and `cp_dynamic_handler`
pub static CODE_SETTINGS: Type = Type {
    name: "handler_meta (eh_dynamic_handler)",
    doc: super::doc("A function called on an event; functions are plugins, which aren't run yet"),
    switch: Switch::Off("disabled"),
    members: members! {
        "disabled": BOOL, Stored, detail => "Disables the handler";
        "id": TEXT, Stored, detail => "Its identifier";
        "name": TEXT, Stored, aside => "The function";
        "path": TEXT, Stored, aside => "The file that contains it";
    },
};
