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

/// What the endpoints of a kind of documents say.
#[derive(Clone, Copy, Debug)]
pub struct Texts {
    /// A new one is stored.
    pub created: &'static str,
    /// One is replaced; empty where the document is answered instead.
    pub updated: &'static str,
    /// One is deleted.
    pub deleted: &'static str,
    /// There is none.
    pub missing: &'static str,
    /// The status in the envelope of a success.
    pub status: &'static str,
}

/// Those of rulesets.
pub const RULESET: Texts = Texts {
    created: "ruleset created",
    updated: "",
    deleted: "ruleset deleted",
    missing: "ruleset not found",
    status: "success",
};

/// Those of client identity providers.
pub const CLIENT_IDP: Texts = Texts {
    created: "client idp created",
    updated: "",
    deleted: "client idp deleted",
    missing: "client idp not found",
    status: "success",
};
/// 200 of a removed mapping.
pub const MAPPING_DELETED: &str = "client idp mapping deleted";
/// 404 of a mapping.
pub const MAPPING_NOT_FOUND: &str = "client idp mapping not found";

/// Those of webhooks (specification, *Update a webhook*, *Errors*).
pub const HOOK: Texts = Texts {
    created: "Webhook created",
    updated: "Hook updated",
    deleted: "Webhook deleted",
    missing: "Webhook not found.",
    status: "OK",
};
/// 400 of a webhook that can't be read, 404 of one that can't be deleted.
pub const HOOK_NO_DETAIL: &str = "Could not retrieve webhook detail.";
/// 400 of a body that is no webhook.
pub const HOOK_INVALID: &str = "Webhook object validation failed.";
/// 409 of a webhook whose `webhook_id` is in use.
pub const HOOK_DUPLICATE: &str = "Duplicate webhook_id.";

/// Those of policies, whose writes the administration API answers in its own way.
pub const POLICY: Texts = Texts {
    created: "",
    updated: "",
    deleted: "",
    missing: crate::message::POLICY_NOT_FOUND,
    status: "",
};
