//! Texts of the dashboard API that clients parse (specification, *Errors*; reference 1.11).

/// 401, no credential, or one that is unknown, expired or revoked.
pub const NOT_AUTHORISED: &str = "Not authorised";
/// What a refusal says beside it: the same whether the header is missing or wrong.
pub const TOKEN_WANTED: &str = "Send DASHBOARD_TOKEN, or the token of a credential of this gateway, in the header Authorization: Bearer …";
/// 403, the credential may not do this; the path follows, after two blanks.
pub const NOT_PERMITTED: &str = "access denied: You do not have permission to access  ";
/// 403 of a webhook, 400 of everything else: the body is no JSON.
pub const MALFORMED: &str = "Request body malformed.";
/// 500 of a webhook, 400 of everything else: there is no body.
pub const EMPTY: &str = "Failed to read response body, body empty.";

/// 201 of a new ruleset.
pub const RULESET_CREATED: &str = "ruleset created";
/// 200 of a deleted ruleset.
pub const RULESET_DELETED: &str = "ruleset deleted";
/// 404 of a ruleset.
pub const RULESET_NOT_FOUND: &str = "ruleset not found";

/// 201 of a new client identity provider.
pub const CLIENT_IDP_CREATED: &str = "client idp created";
/// 200 of a deleted client identity provider.
pub const CLIENT_IDP_DELETED: &str = "client idp deleted";
/// 200 of a removed mapping.
pub const MAPPING_DELETED: &str = "client idp mapping deleted";
/// 404 of a client identity provider.
pub const CLIENT_IDP_NOT_FOUND: &str = "client idp not found";
/// 404 of a mapping.
pub const MAPPING_NOT_FOUND: &str = "client idp mapping not found";

/// 200 of a new webhook.
pub const HOOK_CREATED: &str = "Webhook created";
/// 200 of a replaced webhook (specification, *Update a webhook*).
pub const HOOK_UPDATED: &str = "Hook updated";
/// 200 of a deleted webhook.
pub const HOOK_DELETED: &str = "Webhook deleted";
/// 400 of the update of a webhook that does not exist (specification, *Errors*).
pub const HOOK_NOT_FOUND: &str = "Webhook not found.";
/// 400 of a webhook that can't be read, 404 of one that can't be deleted.
pub const HOOK_NO_DETAIL: &str = "Could not retrieve webhook detail.";
/// 400 of a body that is no webhook.
pub const HOOK_INVALID: &str = "Webhook object validation failed.";
/// 409 of a webhook whose `webhook_id` is in use.
pub const HOOK_DUPLICATE: &str = "Duplicate webhook_id.";
