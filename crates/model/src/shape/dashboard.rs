//! Documents of the dashboard: rulesets, client identity providers, webhooks (reference 1.11).

use super::Support::{Enforced, Informative, Stored, Unsupported};
use super::events::{NO_TEMPLATES, WEBHOOK_METHOD};
use super::{
    BOOL, FREE, Format, HEADER_MAP, INTEGER, Kind, Names, Switch, TEXT, TEXT_MAP, TEXTS, Type, URL,
    members, one_of, only,
};

const RECORD: Kind = Kind::Format(Format::ObjectId);
const TIME: Kind = Kind::Format(Format::Timestamp);

/// Ruleset
pub static RULESET: Type = Type {
    name: "Ruleset",
    doc: super::doc("Linting rules for API documents"),
    switch: Switch::None,
    members: members! {
        "name": TEXT, Informative, required => "The display name";
        "description": TEXT, Informative => "Its purpose";
        "active": BOOL, Stored => "Whether it is active";
        "resource_type": only!("oas-api", "mcp-api"), Stored, default("\"oas-api\"") => "The kind of API it applies to: oas-api or mcp-api";
        "action": only!("none", "warn"), Stored, default("\"none\"") => "The action on a violation: none or warn";
        "categories": TEXTS, Enforced => "API categories it applies to";
        "definition": Kind::Format(Format::Json), Stored => "The rules, a JSON document as a string";
        "ruleset_id": Kind::Format(Format::Id), Enforced => "The stable identifier; that of the record if empty";
        "is_template": BOOL, Stored => "Whether it is a template for others";
        "_id": RECORD, Enforced, section("Written by the dashboard") => "The identifier of the record: 24 hexadecimal digits";
        "org_id": TEXT, Enforced => "The organisation it belongs to";
        "owner": TEXT, Enforced => "Who created it";
        "date_created": TIME, Enforced => "When it was created, RFC 3339";
        "last_updated": TIME, Enforced => "When it was last changed, RFC 3339";
        "applied_rules": FREE, Enforced => "The rules after resolving extends, computed on reading";
    },
};

/// Client identity provider
pub static CLIENT_IDENTITY_PROVIDER: Type = Type {
    name: "ClientIdentityProvider",
    doc: super::doc("A provider whose tokens clients present, and the policies its scopes assign"),
    switch: Switch::None,
    members: members! {
        "name": TEXT, Informative, required => "The display name";
        "client_idp_id": Kind::Format(Format::Id), Enforced => "The stable identifier; that of the record if empty";
        "issuer": TEXT, Enforced => "The issuer of its tokens";
        "jwks_uri": URL, Enforced, required => "The URL of its key set";
        "scope_claim_name": TEXT, Enforced, default("\"scope\"") => "The claim that lists scopes";
        "api_mappings": Kind::Map(&Names::Format(Format::Reference), &Kind::Object(&SCOPE_MAPPING)), Enforced => "Scope mappings by API id";
        "_id": RECORD, Enforced, section("Written by the dashboard") => "The identifier of the record: 24 hexadecimal digits";
        "org_id": TEXT, Enforced => "The organisation it belongs to";
        "date_created": TIME, Enforced => "When it was created, RFC 3339";
        "last_updated": TIME, Enforced => "When it was last changed, RFC 3339";
    },
};

/// `ScopeMapping`
pub static SCOPE_MAPPING: Type = Type {
    name: "ScopeMapping",
    doc: super::doc("Policies assigned by scopes, for one API"),
    switch: Switch::None,
    members: members! {
        "scope_to_policy": TEXT_MAP, Enforced => "Policy ids by scope";
    },
};

/// Notifications that a webhook can subscribe to, and the value for all of them.
const NOTIFICATION: Kind = one_of!(
    "*",
    "NoticeClientIdPChanged",
    "ApiAdded",
    "ApiUpdated",
    "ApiRemoved",
    "GroupReload",
    "TokenCreated",
    "TokenUpdated",
    "TokenDeleted",
    "AuthFailure",
    "KeyExpired",
    "RatelimitExceeded",
    "QuotaExceeded",
    "OrgQuotaExceeded",
    "OrgRateLimitExceeded",
    "VersionFailure",
    "TriggerExceeded"
);

/// Webhook
pub static WEBHOOK: Type = Type {
    name: "Webhook",
    doc: super::doc("A URL called on events"),
    switch: Switch::None,
    members: members! {
        "name": TEXT, Informative => "The display name";
        "method": WEBHOOK_METHOD, Enforced, required => "The method: GET, POST, PUT, PATCH or DELETE";
        "target_path": URL, Enforced, required => "The URL that is called";
        "subscriptions": Kind::Array(&NOTIFICATION), Enforced => "Names of the notifications it receives, \"*\" for all; not a member of the reference";
        "header_map": HEADER_MAP, Enforced, secret => "Request headers";
        "template_path": TEXT, Unsupported(NO_TEMPLATES) => "The template file for the body";
        "event_timeout": INTEGER, Enforced => "Minimum seconds between two identical calls; 0 for no minimum";
        "webhook_id": Kind::Format(Format::Id), Enforced => "The stable identifier; that of the record if empty";
        "id": RECORD, Enforced, section("Written by the dashboard") => "The identifier of the record: 24 hexadecimal digits";
        "org_id": TEXT, Enforced => "The organisation it belongs to";
        "api_model": Kind::Free, Stored => "Kept for older documents";
    },
};
