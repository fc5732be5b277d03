//! Texts of the dashboard API that clients parse (specification, *Errors*; reference 1.11).

/// 401, no credential, or one that is unknown, expired or revoked.
pub const NOT_AUTHORISED: &str = "Not authorised";
/// The detail of a 401: the same whether the header is missing or wrong.
pub const TOKEN_WANTED: &str = "Send DASHBOARD_TOKEN, or the token of a credential of this gateway, in the header Authorization: Bearer …";
/// 403, the credential may not do this; the path follows, after two spaces.
pub const NOT_PERMITTED: &str = "access denied: You do not have permission to access  ";
/// 403 for a webhook, 400 for everything else: the body is not JSON.
pub const MALFORMED: &str = "Request body malformed.";
/// 500 for a webhook, 400 for everything else: there is no body.
pub const EMPTY: &str = "Failed to read response body, body empty.";

/// The messages of the endpoints of a kind of documents.
#[derive(Clone, Copy, Debug)]
pub struct Texts {
    /// One was created.
    pub created: &'static str,
    /// One was replaced; empty where the response is the document.
    pub updated: &'static str,
    /// One was deleted.
    pub deleted: &'static str,
    /// It doesn't exist.
    pub missing: &'static str,
    /// The status in the envelope of a success.
    pub status: &'static str,
}

/// The messages for rulesets.
pub const RULESET: Texts = Texts {
    created: "ruleset created",
    updated: "",
    deleted: "ruleset deleted",
    missing: "ruleset not found",
    status: "success",
};

/// The messages for client identity providers.
pub const CLIENT_IDP: Texts = Texts {
    created: "client idp created",
    updated: "",
    deleted: "client idp deleted",
    missing: "client idp not found",
    status: "success",
};
/// 200, a mapping was removed.
pub const MAPPING_DELETED: &str = "client idp mapping deleted";
/// 404, no such mapping.
pub const MAPPING_NOT_FOUND: &str = "client idp mapping not found";

/// The messages for webhooks (specification, *Update a webhook*, *Errors*).
pub const HOOK: Texts = Texts {
    created: "Webhook created",
    updated: "Hook updated",
    deleted: "Webhook deleted",
    missing: "Webhook not found.",
    status: "OK",
};
/// 400 for a webhook that can't be read, 404 for one that can't be deleted.
pub const HOOK_NO_DETAIL: &str = "Could not retrieve webhook detail.";
/// 400, a body that is not a webhook.
pub const HOOK_INVALID: &str = "Webhook object validation failed.";
/// 409, a webhook whose `webhook_id` is in use.
pub const HOOK_DUPLICATE: &str = "Duplicate webhook_id.";

/// The messages for policies; the administration API has its own for writes.
pub const POLICY: Texts = Texts {
    created: "",
    updated: "",
    deleted: "",
    missing: crate::message::POLICY_NOT_FOUND,
    status: "",
};
