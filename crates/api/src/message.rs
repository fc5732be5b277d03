//! Texts that clients of this API family parse, word for word as in the reference.
//!
//! Each is here once, so that a handler and its test can't drift apart.

use gatewright_model::issue::Issue;
use serde::{Deserialize, Serialize};

/// The header that carries the shared secret (specification, *Authentication*).
pub const SECRET_HEADER: &str = "x-gateway-authorization";
/// The detail of [`FORBIDDEN`]: the same whether the header is missing or wrong.
pub const SECRET_WANTED: &str =
    "Send the GATEWAY_SECRET of this gateway in the header X-Gateway-Authorization";

/// The header by which the console marks its own requests: no page of another origin can send it without a preflight
/// request.
pub const CONSOLE_HEADER: &str = "x-gateway-console";
/// 401 of the console's sign-in endpoint, if nobody is signed in, or the sign-in is no longer valid.
pub const SIGNED_OUT: &str = "Nobody is signed in here";

/// The header with the passphrase that seals the secrets of an export. It must not be in a URL.
pub const PASSPHRASE_HEADER: &str = "x-gateway-passphrase";
/// The header that names the base API of a version (specification, *Read an API definition*).
pub const BASE_API_HEADER: &str = "x-gateway-base-api-id";
/// The header that marks a stored document which the data plane has not loaded yet.
pub const PENDING_HEADER: &str = "x-gateway-reload-pending";
/// The header of a key that names those of its policies that have changed since the last reload: the response shows
/// them as stored, while requests use them as loaded.
pub const PENDING_POLICIES_HEADER: &str = "x-gateway-pending-policies";
/// The header with the id of this request in the log.
pub const REQUEST_ID_HEADER: &str = "x-request-id";

/// 403, invalid or missing administration secret (specification, *Errors*).
pub const FORBIDDEN: &str = "Attempted administrative access with invalid or missing key!";
/// 404, unknown API (specification, *Errors*).
pub const API_NOT_FOUND: &str = "API not found.";
/// The cache of an API was cleared (reference 1.8).
pub const CACHE_INVALIDATED: &str = "cache invalidated";
/// 500, the cache of an API may not have been cleared (reference 1.8).
pub const CACHE_NOT_INVALIDATED: &str = "Cache invalidation failed";
/// 400 for the figures of an API if they are switched off (reference 1.1).
pub const HEALTH_OFF: &str = "Health checks are not enabled for this node";
/// 400 for figures and failures over an unknown window.
pub const WINDOW: &str = "window is one of 15m, 1h, 24h and 7d";
/// 400 for the figures of an API without its id (reference 1.1).
pub const MISSING_API_ID: &str = "missing api_id parameter";
/// 404 for the figures of an API (reference 1.1).
pub const HEALTH_API_NOT_FOUND: &str = "API ID not found";
/// 405 for a known administration path (reference 1.0).
pub const METHOD_NOT_SUPPORTED: &str = "Method not supported";
/// 405 for a path outside the administration (reference 1.1).
pub const METHOD_NOT_ALLOWED: &str = "Method Not Allowed";
/// 404 for an unknown administration path, as plain text (reference 1.0).
pub const PAGE_NOT_FOUND: &str = "404 page not found\n";
/// The same in JSON, for clients that accept it.
pub const NOT_FOUND: &str = "Not found";
/// 400, a body that breaks off: the client has stopped sending, or sends invalid chunks.
pub const BROKEN_OFF: &str = "The body of the request broke off";
/// 400, a body that is not JSON (reference 1.3).
pub const MALFORMED: &str = "Request malformed";
/// 400, an id that could leave its folder (reference 1.0).
pub const INVALID_API_ID: &str = "Invalid API ID";
/// 400, path and body name different APIs (reference 1.3).
pub const ID_MISMATCH: &str =
    "Request APIID does not match that in Definition! For Update operations these must match.";
/// 400, a PUT without an id in its path (reference 1.3).
pub const UPDATE_WITHOUT_ID: &str = "Must specify an apiID to update";
/// 400, a DELETE without an id in its path (reference 1.3).
pub const DELETE_WITHOUT_ID: &str = "Must specify an apiID to delete";
/// 400, a classic definition for an API that is an OpenAPI document (reference 1.3).
pub const ONLY_CLASSIC: &str = "this API endpoint only supports gateway Classic APIs; please use the appropriate gateway OAS API endpoint";
/// 400, an OpenAPI document for an API that is a classic definition (reference 1.4).
pub const CLASSIC_IN_OAS: &str = "the supplied API definition is in OAS format, please use the gateway classic format for this API";
/// 400, the OpenAPI document of an API that is a classic definition (reference 1.4).
pub const API_IS_CLASSIC: &str =
    "the requested API definition is in gateway classic format, please use old api endpoint";
/// 400, an MCP proxy where only OpenAPI APIs can be written.
pub const OAS_IS_A_PROXY: &str = "this API is an MCP Proxy, please use /gateway/mcps";
/// 404 of `/gateway/mcps/{apiID}` (reference 1.5).
pub const NOT_AN_MCP_PROXY: &str = "API is not an MCP Proxy";
/// 400, a body that is not an OpenAPI document (reference 1.4, in lower case there).
pub const MALFORMED_OAS: &str = "request malformed";
/// 400, a PATCH without an id (reference 1.4).
pub const PATCH_WITHOUT_ID: &str = "Must specify an apiID to patch";
/// The media types of OpenAPI documents in requests and responses.
pub const DOCUMENT_MEDIA: &str = "application/json, application/yaml";
/// 415, a document in another format.
pub const NO_DOCUMENT_MEDIA: &str =
    "A document is JSON or YAML; send it with Content-Type: application/json or application/yaml";
/// 415, a YAML document that is not UTF-8.
pub const NO_UTF8: &str =
    "A document is UTF-8; convert it, and send it without a charset or with charset=utf-8";
/// 422, version parameters without the new version's name (reference 1.3).
pub const VERSION_NAME_REQUIRED: &str = "The new version name is required";
/// 503 of `/ready` (reference 1.1).
pub const NOT_LOADED: &str = "A successful API reload did not happen";
/// 404 for clients of the OAuth 2.0 server (reference 1.9).
pub const CLIENT_NOT_FOUND: &str = "OAuth Client ID not found";
/// 400 and 404 for these clients: no such API.
pub const NO_SUCH_API: &str = "API doesn't exist";
/// 400 for these clients: the API does not use tokens of this gateway.
pub const NOT_OAUTH: &str = "API is not OAuth2";
/// 400 and 404 for these clients: no such policy.
pub const NO_POLICY: &str = "Policy doesn't exist";
/// 400 for these clients: a policy without access to the API.
pub const POLICY_WITHOUT_API: &str =
    "Policy access rights doesn't contain API this OAuth client belongs to";
/// 400, a batch that can't be read (reference 4).
pub const BATCH_MALFORMED: &str = "Batch request malformed";
/// 400, a batch with an item that can't become a request (reference 4, with its space).
pub const BATCH_CREATION_FAILED: &str =
    "Batch request creation failed , request structure malformed";
/// 404 for reading a key (reference 1.6).
pub const KEY_NOT_FOUND: &str = "Key not found";
/// No such certificate (reference 1.8).
pub const CERTIFICATE_MISSING: &str = "Certificate with given SHA256 fingerprint not found";
/// 404 for updating a key (reference 1.6).
pub const KEY_IS_NOT_FOUND: &str = "Key is not found";
/// 404 for deleting a key (reference 1.6).
pub const NO_SUCH_KEY: &str = "There is no such key found";
/// 500, a key that can't be created for whatever reason (reference 1.6).
pub const KEY_NOT_CREATED: &str = "Failed to create key, ensure security settings are correct.";
/// 400 of `/keys/create` without access rights (reference 1.6).
pub const KEY_WITHOUT_RIGHTS: &str =
    "Failed to create key, keys must have at least one Access Rights record set.";
/// 500 of `/keys/create` and `/keys/preview`, a body that is not JSON (reference 1.6).
pub const UNMARSHALLING_FAILED: &str = "Unmarshalling failed";
/// 400 of `/keys/policy/{hash}`, a malformed body (reference 1.6).
pub const NO_INSTRUCTION: &str = "Couldn't decode instruction";
/// 500 of `/keys/policy/{hash}`, policies that can't be applied (reference 1.6).
pub const KEY_NOT_WRITTEN: &str = "Could not write key data";
/// 400, an id of a policy that could leave its folder (reference 1.0).
pub const INVALID_POLICY_ID: &str =
    "Invalid Policy ID: Allowed characters: a-z, A-Z, 0-9, ., _, -, ~";
/// 404, a policy that is not stored (reference 1.7).
pub const POLICY_NOT_FOUND: &str = "Policy not found";
/// 400, a policy without an id (reference 1.7).
pub const POLICY_WITHOUT_ID: &str = "Unable to create policy without id.";
/// 400, path and body name different policies (reference 1.7).
pub const POLICY_ID_MISMATCH: &str =
    "Request ID does not match that in policy! For Update operations these must match.";
/// 404, an organisation without a session (reference 1.8).
pub const ORG_NOT_FOUND: &str = "Org not found";
/// 400, deleting the session of an organisation that has none (reference 1.8).
pub const ORG_NOT_REMOVED: &str = "Failed to remove the key";
/// 400 of `/gateway/debug`, no definition and no API named (reference 1.8).
pub const SPEC_MISSING: &str = "Spec field is missing";
/// 400 of `/gateway/debug`, nothing to send (reference 1.8).
pub const REQUEST_MISSING: &str = "Request field is missing";
/// 503, the Registry or KV does not answer.
pub const UNAVAILABLE: &str = "Storage is not available, nothing was changed";
/// 503, the Registry has stored a write of a key or an organisation, and its Ledger does not answer.
pub const STORED: &str = "The change is stored, but not in effect yet: its counters are not available. Nothing has to be sent again";

/// The status message of the gateway API: `{"status", "message"}` in this order, with further members after the
/// specified ones (specification, *Status message*).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusMessage {
    /// `ok` or `error`.
    pub status: String,
    /// The text that clients read.
    pub message: String,
    /// The details behind a less specific message.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub details: String,
    /// The errors in the document that was sent, each with its pointer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<Issue>,
    /// The id of this request in the log, which has more; only in errors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

impl StatusMessage {
    /// Creates an error message without issues.
    pub fn error(message: impl Into<String>) -> Self {
        Self {
            status: "error".into(),
            message: message.into(),
            ..Self::default()
        }
    }

    /// Creates a success message; the text is often empty (reference 1.2).
    pub fn ok(message: impl Into<String>) -> Self {
        Self {
            status: "ok".into(),
            message: message.into(),
            ..Self::default()
        }
    }
}

/// What a write did to its document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    /// Created, or replaced by a `POST` (reference 1.3 answers `added` for both).
    Added,
    /// Replaced by a `PUT`.
    Modified,
    /// Deleted; its revisions stay.
    Deleted,
    /// Restored to an earlier revision.
    Restored,
}

/// The response to a write: `{"key", "status", "action"}` in this order (reference 1.0).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModifySuccess {
    /// The id of the document.
    pub key: String,
    /// Always `ok`.
    pub status: String,
    /// What was done, or would be done in a dry run.
    pub action: Action,
    /// Warnings about the document; it was stored all the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub issues: Vec<Issue>,
    /// Present and true if nothing was stored because of `?dry_run=true`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}

impl ModifySuccess {
    /// Creates the response to a completed write.
    #[must_use]
    pub fn of(key: &str, action: Action) -> Self {
        Self {
            key: key.to_owned(),
            status: "ok".to_owned(),
            action,
            issues: Vec::new(),
            dry_run: false,
        }
    }
}
