//! Sessions: the rights and limits of a key or an organisation (reference sections 2.1 and 2.2).

use super::Support::{Enforced, Informative, Stored};
use super::{
    BOOL, FREE, Format, INTEGER, Kind, METHODS, NUMBER, Names, PATTERN, Switch, TEXT, TEXT_MAP,
    TEXTS, Type, members, one_of,
};

/// API ids with the rights to each.
pub(super) const ACCESS_RIGHTS: Kind = Kind::Map(
    &Names::Format(Format::Reference),
    &Kind::Object(&ACCESS_DEFINITION),
);
/// What happens to the record of a key after it expires.
pub(super) const POST_EXPIRY: Kind = one_of!("", "retain", "delete");
/// The value for no limit in documents of this family.
pub(super) const UNLIMITED: &[&str] = &["-1"];
pub(super) const SMOOTHING_KIND: Kind = Kind::Object(&SMOOTHING);

/// `SessionState`
pub static SESSION: Type = Type {
    name: "SessionState",
    doc: super::doc("What a key, or an organisation, may do"),
    switch: Switch::None,
    members: members! {
        "org_id": TEXT, Enforced, section("Identity") => "The organisation the key belongs to; part of a generated key";
        "alias": TEXT, Enforced => "A readable name, shown in lists and in analytics";
        "tags": TEXTS, Enforced => "Labels, for lists of keys and for analytics records";
        "meta_data": FREE, Enforced, detail => "Metadata of the key; rules read it as $gateway_meta.<name>, and limits are counted under the text of rate_limit_pattern";
        "key_id": TEXT, Informative, secret, detail => "The key itself, in older documents";
        "access_rights": ACCESS_RIGHTS, Enforced, section("Access") => "Access rights by API id; empty for everything";
        "apply_policies": TEXTS, Enforced => "Policies applied at every use of the key";
        "apply_policy_id": TEXT, Enforced => "Older form of apply_policies, used if that is empty";
        "is_inactive": BOOL, Enforced, default("false") => "Refuses the key; for an organisation, all its keys";
        "rate": NUMBER, Enforced, section("Limits") => "Requests allowed per period; 0 or less for no limit";
        "per": NUMBER, Enforced => "The period in seconds";
        "allowance": NUMBER, Informative, detail => "Older form of rate";
        "smoothing": SMOOTHING_KIND, Enforced => "Raises and lowers the rate in steps";
        "throttle_interval": NUMBER, Enforced => "How many seconds a request over the rate waits before a retry; -1 for no retries";
        "throttle_retry_limit": INTEGER, Enforced => "Maximum number of retries; -1 for none";
        "quota_max": INTEGER, Enforced => "Requests allowed per quota window; -1 for no quota";
        "quota_renewal_rate": INTEGER, Enforced => "The length of the quota window in seconds";
        "quota_renews": INTEGER, Enforced => "When the quota window ends, in Unix seconds; written by the gateway";
        "quota_remaining": INTEGER, Enforced => "The remaining quota; written by the gateway";
        "max_query_depth": INTEGER, Stored, restricts("the depth of GraphQL queries"), quiet(UNLIMITED) => "Maximum depth of a GraphQL query; -1 or 0 for no limit";
        "monitor": Kind::Object(&MONITOR), Enforced => "Shares of the quota that trigger an event";
        "expires": INTEGER, Enforced, section("Lifetime") => "When the key expires, in Unix seconds; 0 or less for never";
        "session_lifetime": INTEGER, Enforced => "How many seconds the key is stored after its last change; 0 or less for the lifetime set by its APIs";
        "post_expiry_action": POST_EXPIRY, Enforced => "What happens to the record of an expired key: retain or delete";
        "post_expiry_grace_period": INTEGER, Enforced, detail => "How many seconds the record of an expired key is retained; -1 for ever";
        "date_created": Kind::Format(Format::Timestamp), Enforced => "When the key was created, RFC 3339";
        "last_updated": Kind::Format(Format::UnixSeconds), Enforced => "When the key was last changed, Unix seconds as a string";
        "last_check": INTEGER, Informative, detail => "Kept for older documents";
        "data_expires": INTEGER, Informative => "Lifetime of analytics records of the key in seconds";
        "basic_auth_data": Kind::Object(&BASIC_AUTH_DATA), Enforced, section("Credentials") => "The password for basic authentication";
        "jwt_data": Kind::Object(&JWT_DATA), Enforced => "The secret that verifies JSON Web Tokens of this key";
        "hmac_enabled": BOOL, Enforced => "Checks HTTP signatures made with hmac_string";
        "hmac_string": TEXT, Enforced, secret, detail => "The secret for HTTP signatures";
        "enable_http_signature_validation": BOOL, Enforced => "Checks HTTP signatures, also those made with rsa_certificate_id";
        "rsa_certificate_id": TEXT, Enforced, detail => "The certificate that verifies HTTP signatures";
        "certificate": TEXT, Enforced => "The client certificate that identifies the key and must be presented with it";
        "mtls_static_certificate_bindings": TEXTS, Enforced => "The only client certificates the key may be used with";
        "oauth_client_id": TEXT, Enforced => "The OAuth 2.0 client the token was issued to; written by the gateway";
        "oauth_apis": TEXTS, Enforced => "The APIs that know this client; written by the gateway";
        "oauth_keys": TEXT_MAP, Stored, secret, detail => "OAuth 2.0 tokens by client";
        "id_extractor_deadline": INTEGER, Stored, detail => "Until when a plugin's verdict is cached";
        "enable_detailed_recording": BOOL, Informative, default("false"), section("Recording") => "Records full requests and responses of the key";
        "enable_detail_recording": BOOL, Informative => "Older form of enable_detailed_recording";
    },
};

/// `SessionState.smoothing`
pub static SMOOTHING: Type = Type {
    name: "RateLimitSmoothing",
    doc: super::doc("Raises and lowers a rate in steps"),
    switch: Switch::On("enabled"),
    members: members! {
        "enabled": BOOL, Enforced => "Enables it";
        "threshold": INTEGER, Enforced => "Requests allowed at first, and never fewer; 0 or less for no smoothing";
        "trigger": NUMBER, Enforced => "Margin below the current limit at which it is raised, as a fraction of a step; a further step below, it is lowered";
        "step": INTEGER, Enforced => "Requests by which the limit is raised, never above the rate, or lowered; 0 or less for no smoothing";
        "delay": INTEGER, Enforced => "Minimum seconds between two steps";
    },
};

/// `SessionState.monitor`
pub static MONITOR: Type = Type {
    name: "Monitor",
    doc: super::doc("Shares of the quota that trigger an event"),
    switch: Switch::None,
    members: members! {
        "trigger_limits": Kind::Array(&NUMBER), Enforced => "Percentages of the quota: each raises TriggerExceeded once per window, for APIs that handle it";
    },
};

/// `SessionState.basic_auth_data`
pub static BASIC_AUTH_DATA: Type = Type {
    name: "BasicAuthData",
    doc: super::doc("The password for basic authentication"),
    switch: Switch::None,
    members: members! {
        "password": TEXT, Enforced, secret => "The password, or its hash";
        "hash_type": one_of!("", "bcrypt", "murmur32", "murmur64", "murmur128", "sha256"), Enforced, detail => "How it is hashed";
    },
};

/// `SessionState.jwt_data`
pub static JWT_DATA: Type = Type {
    name: "JWTData",
    doc: super::doc("The secret that verifies JSON Web Tokens of a key"),
    switch: Switch::None,
    members: members! {
        "secret": TEXT, Enforced, secret => "The secret";
    },
};

/// `AccessDefinition`
pub static ACCESS_DEFINITION: Type = Type {
    name: "AccessDefinition",
    doc: super::doc("What a key may do with one API"),
    switch: Switch::None,
    members: members! {
        "api_id": TEXT, Informative, section("API"), detail => "The API";
        "api_name": TEXT, Informative, detail => "Its display name; informative only";
        "versions": TEXTS, Enforced => "Versions the key may use; empty for all";
        "allowed_urls": Kind::Array(&Kind::Object(&ACCESS_SPEC)), Enforced, section("What is allowed") => "Paths and methods the key may use; empty for all";
        "endpoints": Kind::Array(&Kind::Object(&ENDPOINT)), Enforced => "Paths with their own rate limit";
        "limit": Kind::Object(&API_LIMIT), Enforced, section("Limits") => "Limits for this API, counted separately from the key's own";
        "allowance_scope": TEXT, Enforced => "The name of the counters of this API; written by the gateway";
        "restricted_types": TYPES, Stored, restricts("the list of GraphQL types that can't be asked for"), section("GraphQL") => "Types and fields that can't be queried";
        "allowed_types": TYPES, Stored, restricts("the list of GraphQL types that can be asked for") => "The only types and fields that can be queried; overrides restricted_types";
        "field_access_rights": Kind::Array(&Kind::Object(&FIELD_ACCESS)), Stored, restricts("the limits of GraphQL fields") => "Fields with their own limits";
        "disable_introspection": BOOL, Stored, restricts("the refusal of questions about a GraphQL schema") => "Refuses introspection of the schema";
        "json_rpc_methods": Kind::Array(&Kind::Object(&JSON_RPC_METHOD)), Enforced, section("MCP") => "JSON-RPC methods with their own rate limit";
        "json_rpc_methods_access_rights": RULES, Enforced => "JSON-RPC methods the key may use";
        "mcp_primitives": Kind::Array(&Kind::Object(&MCP_PRIMITIVE)), Enforced => "Tools, resources and prompts with their own rate limit";
        "mcp_access_rights": Kind::Object(&MCP_ACCESS), Enforced => "Tools, resources and prompts the key may use";
    },
};

const TYPES: Kind = Kind::Array(&Kind::Object(&GRAPHQL_TYPE));
const RULES: Kind = Kind::Object(&ACCESS_RULES);

/// `AccessSpec`: an entry of `allowed_urls`
pub static ACCESS_SPEC: Type = Type {
    name: "AccessSpec",
    doc: super::doc("A path and the methods allowed on it"),
    switch: Switch::None,
    members: members! {
        "url": PATTERN, Enforced, expected => "The path, as a regular expression";
        "methods": METHODS, Enforced, expected => "The methods";
    },
};

/// `APILimit`
pub static API_LIMIT: Type = Type {
    name: "APILimit",
    doc: super::doc("Limits for one API"),
    switch: Switch::None,
    members: members! {
        "rate": NUMBER, Enforced => "Requests allowed per period; 0 or less for no limit";
        "per": NUMBER, Enforced => "The period in seconds";
        "smoothing": SMOOTHING_KIND, Enforced => "Raises and lowers the rate in steps";
        "throttle_interval": NUMBER, Enforced => "How many seconds a request over the rate waits before a retry; -1 for no retries";
        "throttle_retry_limit": INTEGER, Enforced => "Maximum number of retries; -1 for none";
        "max_query_depth": INTEGER, Stored, restricts("the depth of GraphQL queries"), quiet(UNLIMITED) => "Maximum depth of a GraphQL query; -1 or 0 for no limit";
        "quota_max": INTEGER, Enforced => "Requests allowed per quota window; -1 for no quota";
        "quota_renewal_rate": INTEGER, Enforced => "The length of the quota window in seconds";
        "quota_renews": INTEGER, Enforced => "When the quota window ends, in Unix seconds; written by the gateway";
        "quota_remaining": INTEGER, Enforced => "The remaining quota; written by the gateway";
    },
};

/// `RateLimit`: the limit of an endpoint, a JSON-RPC method or an MCP primitive
pub static RATE_LIMIT: Type = Type {
    name: "RateLimit",
    doc: super::doc("A rate limit"),
    switch: Switch::None,
    members: members! {
        "rate": NUMBER, Enforced => "Requests allowed per period; -1 for no limit";
        "per": NUMBER, Enforced => "The period in seconds";
        "smoothing": SMOOTHING_KIND, Enforced => "Raises and lowers the rate in steps";
    },
};

/// `Endpoint`
pub static ENDPOINT: Type = Type {
    name: "Endpoint",
    doc: super::doc("A path with its own rate limit"),
    switch: Switch::None,
    members: members! {
        "path": Kind::Format(Format::PathRule), Enforced, expected => "The path";
        "methods": Kind::Array(&Kind::Object(&ENDPOINT_METHOD)), Enforced, expected => "The methods and their limits";
    },
};

/// `EndpointMethod`
pub static ENDPOINT_METHOD: Type = Type {
    name: "EndpointMethod",
    doc: super::doc("A method of a path with its own rate limit"),
    switch: Switch::None,
    members: members! {
        "name": Kind::Format(Format::Method), Enforced, expected => "The method";
        "limit": Kind::Object(&RATE_LIMIT), Enforced => "Its limit";
    },
};

/// `GraphQLType`
pub static GRAPHQL_TYPE: Type = Type {
    name: "GraphQLType",
    doc: super::doc("Fields of a GraphQL type"),
    switch: Switch::None,
    members: members! {
        "name": TEXT, Stored => "The type";
        "fields": TEXTS, Stored => "Its fields; * for all";
    },
};

/// `FieldAccessDefinition`
pub static FIELD_ACCESS: Type = Type {
    name: "FieldAccessDefinition",
    doc: super::doc("A GraphQL field with its own limits"),
    switch: Switch::None,
    members: members! {
        "type_name": TEXT, Stored => "The type the field belongs to";
        "field_name": TEXT, Stored => "The field";
        "limits": Kind::Object(&FIELD_LIMITS), Stored => "Its limits";
    },
};

/// `FieldLimits`
pub static FIELD_LIMITS: Type = Type {
    name: "FieldLimits",
    doc: super::doc("The limits of a GraphQL field"),
    switch: Switch::None,
    members: members! {
        "max_query_depth": INTEGER, Stored, restricts("the depth of GraphQL queries"), quiet(UNLIMITED) => "Maximum depth of a query below the field; -1 or 0 for no limit";
    },
};

/// `JSONRPCMethod`
pub static JSON_RPC_METHOD: Type = Type {
    name: "JSONRPCMethod",
    doc: super::doc("A JSON-RPC method with its own rate limit"),
    switch: Switch::None,
    members: members! {
        "name": TEXT, Enforced => "The method";
        "limit": Kind::Object(&RATE_LIMIT), Enforced => "Its limit";
    },
};

/// `MCPPrimitive`
pub static MCP_PRIMITIVE: Type = Type {
    name: "MCPPrimitive",
    doc: super::doc("A tool, resource or prompt with its own rate limit"),
    switch: Switch::None,
    members: members! {
        "type": one_of!("tool", "resource", "prompt"), Enforced => "Its kind";
        "name": TEXT, Enforced => "Its full name; for resources also a prefix followed by /*";
        "limit": Kind::Object(&RATE_LIMIT), Enforced => "Its limit";
    },
};

/// `MCPAccessRights`
pub static MCP_ACCESS: Type = Type {
    name: "MCPAccessRights",
    doc: super::doc("Tools, resources and prompts a key may use"),
    switch: Switch::None,
    members: members! {
        "tools": RULES, Enforced => "Tools";
        "resources": RULES, Enforced => "Resources";
        "prompts": RULES, Enforced => "Prompts";
    },
};

/// `AccessControlRules`
pub static ACCESS_RULES: Type = Type {
    name: "AccessControlRules",
    doc: super::doc("Allowed and blocked names"),
    switch: Switch::None,
    members: members! {
        "allowed": Kind::Array(&PATTERN), Enforced => "Regular expressions for whole names; empty for all";
        "blocked": Kind::Array(&PATTERN), Enforced => "Regular expressions for whole names; they take precedence";
    },
};
