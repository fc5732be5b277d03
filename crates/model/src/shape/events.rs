//! Event handlers (reference section 7).

use super::Support::{Enforced, Informative, Stored, Unsupported};
use super::{
    BOOL, HEADER_MAP, INTEGER, Kind, Names, Switch, TEXT, Tagged, Type, URL, members, one_of,
};

/// `EventHandlerMetaConfig`
pub static EVENT_HANDLERS: Type = Type {
    name: "EventHandlerMetaConfig",
    doc: super::doc("What happens on events"),
    switch: Switch::None,
    members: members! {
        "events": Kind::Map(&Names::Known(EVENTS), &Kind::Array(&Kind::Object(&EVENT_HANDLER))), Enforced => "Event names and the handlers they are given to; each event with a webhook among them is a notification too";
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
    doc: super::doc("One handler of an event"),
    switch: Switch::None,
    members: members! {
        "handler_name": one_of!("eh_web_hook_handler", "eh_log_handler", "eh_dynamic_handler", "cp_dynamic_handler"), Enforced, expected => "Which kind of handler";
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
    doc: super::doc("A URL that is called on an event"),
    switch: Switch::Off("disabled"),
    members: members! {
        "disabled": BOOL, Enforced => "Switches the handler off";
        "id": TEXT, Enforced => "The webhook of the dashboard it stands for: that is called, and signed";
        "name": TEXT, Informative => "What people call it";
        "method": WEBHOOK_METHOD, Enforced => "The method: GET, POST, PUT, PATCH or DELETE";
        "target_path": URL, Enforced => "The URL that is called";
        "header_map": HEADER_MAP, Enforced, secret => "Request headers";
        "template_path": TEXT, Unsupported(NO_TEMPLATES), aside => "The file of the template for the body";
        "event_timeout": INTEGER, Enforced => "For how many seconds the same call isn't made again; 0 calls always";
    },
};

/// `handler_meta` of `eh_log_handler`
pub static LOG_SETTINGS: Type = Type {
    name: "handler_meta (eh_log_handler)",
    doc: super::doc("A line of the log on an event"),
    switch: Switch::Off("disabled"),
    members: members! {
        "disabled": BOOL, Enforced => "Switches the handler off";
        "prefix": TEXT, Enforced => "What the line begins with";
    },
};

/// `handler_meta` of `eh_dynamic_handler` and `cp_dynamic_handler`
pub static CODE_SETTINGS: Type = Type {
    name: "handler_meta (eh_dynamic_handler)",
    doc: super::doc(
        "A function that is called on an event; functions are plugins, and none are run yet",
    ),
    switch: Switch::Off("disabled"),
    members: members! {
        "disabled": BOOL, Stored, detail => "Switches the handler off";
        "id": TEXT, Stored, detail => "Its identifier";
        "name": TEXT, Stored, aside => "The function";
        "path": TEXT, Stored, aside => "The file that holds it";
    },
};
