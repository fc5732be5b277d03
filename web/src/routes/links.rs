//! Addresses with something in them: an id, a filter, a way back.

use gatewright_model::openapi::DocumentKind;

use super::{
    APIS, AUDIT, BATCH, CACHE, CATALOGUE, CERTIFICATES, CHAIN, CLIENT_IDPS, CLIENTS, COMPARE,
    CONNECT, CREDENTIALS, Compared, JWT, KEYS, MCP, NOTIFICATIONS, OAUTH, OPENAPI, ORGANISATIONS,
    OVERVIEW, POLICIES, Page, RELOAD, REVISIONS, RULESETS, TRY, UPSTREAMS, VERSIONS, WEBHOOKS,
    YAML, parts,
};
use crate::state::query_string::encode;

/// The editor of one API. Ids need no escaping: the model allows `A-Z a-z 0-9 . _ - ~` only.
#[must_use]
pub fn api(id: &str) -> String {
    format!("{APIS}/{id}")
}

/// The page of what an API is administered as: its OpenAPI document, or its definition.
#[must_use]
pub fn api_page(id: &str, document: Option<DocumentKind>) -> String {
    match document {
        None => api(id),
        Some(DocumentKind::Oas) => openapi(id),
        Some(DocumentKind::Mcp) => mcp(id),
    }
}

/// The page of an MCP proxy.
#[must_use]
pub fn mcp(id: &str) -> String {
    format!("{MCP}/{id}")
}

/// What the server of an MCP proxy offers.
#[must_use]
pub fn catalogue(id: &str) -> String {
    format!("{MCP}/{id}/{CATALOGUE}")
}

/// The page of an OpenAPI API.
#[must_use]
pub fn openapi(id: &str) -> String {
    format!("{OPENAPI}/{id}")
}

/// The versions of an OpenAPI API, or of the API that it is a version of.
#[must_use]
pub fn versions(id: &str) -> String {
    format!("{OPENAPI}/{id}/{VERSIONS}")
}

/// The document of an OpenAPI API or an MCP proxy as YAML.
#[must_use]
pub fn yaml(id: &str, kind: DocumentKind) -> String {
    format!("{}/{YAML}", api_page(id, Some(kind)))
}

/// The revisions of one API, a tab of its editor.
#[must_use]
pub fn revisions(id: &str) -> String {
    format!("{APIS}/{id}/{REVISIONS}")
}

/// The revisions of a document side by side, by the path that the gateway has it at.
#[must_use]
pub fn compare(path: &str) -> String {
    let path = path
        .trim_start_matches("/gateway")
        .trim_start_matches("/api/");
    format!("{COMPARE}/{}", path.trim_start_matches('/'))
}

/// The page that a comparison of revisions leads back to.
#[must_use]
pub fn compared(kind: &Compared, id: &str) -> String {
    match kind.list {
        APIS => revisions(id),
        list => format!("{list}/{id}"),
    }
}

/// The chain of one API, a tab of its editor.
#[must_use]
pub fn chain(id: &str) -> String {
    format!("{APIS}/{id}/{CHAIN}")
}

/// What the cache keeps of one API, over a window if one is named.
#[must_use]
pub fn cache(id: &str, window: &str) -> String {
    match window {
        "" => format!("{APIS}/{id}/{CACHE}"),
        window => format!("{APIS}/{id}/{CACHE}?window={window}"),
    }
}

/// The upstreams of one API.
#[must_use]
pub fn upstreams(id: &str) -> String {
    format!("{APIS}/{id}/{UPSTREAMS}")
}

/// One client identity provider, by its internal id.
#[must_use]
pub fn client_idp(id: &str) -> String {
    format!("{CLIENT_IDPS}/{id}")
}

/// One ruleset, by its internal id.
#[must_use]
pub fn ruleset(id: &str) -> String {
    format!("{RULESETS}/{id}")
}

/// One webhook, by its internal id.
#[must_use]
pub fn webhook(id: &str) -> String {
    format!("{WEBHOOKS}/{id}")
}

/// One key, by its hash; one that was brought from elsewhere may have any characters.
#[must_use]
pub fn key(hash: &str) -> String {
    format!("{KEYS}/{}", encode(hash))
}

/// The list of the keys with a policy.
#[must_use]
pub fn keys_of(policy: &str) -> String {
    format!("{KEYS}?policy={}", encode(policy))
}

/// The list of the keys with rights to an API.
#[must_use]
pub fn keys_at(api: &str) -> String {
    format!("{KEYS}?api_id={}", encode(api))
}

/// The clients of the OAuth 2.0 server of one API.
#[must_use]
pub fn oauth_clients(api: &str) -> String {
    format!("{OAUTH}/{api}")
}

/// The page that makes a client of one API.
#[must_use]
pub fn new_oauth_client(api: &str) -> String {
    format!("{OAUTH}/{api}/new")
}

/// One client of an API; its id may have any characters.
#[must_use]
pub fn oauth_client(api: &str, id: &str) -> String {
    format!("{OAUTH}/{api}/{CLIENTS}/{}", encode(id))
}

/// One certificate, by its id, which begins with an organisation.
#[must_use]
pub fn certificate(id: &str) -> String {
    format!("{CERTIFICATES}/{}", encode(id))
}

/// The page that looks into tokens for an API.
#[must_use]
pub fn jwt(id: &str) -> String {
    format!("{JWT}/{id}")
}

/// One policy, by its id.
#[must_use]
pub fn policy(id: &str) -> String {
    format!("{POLICIES}/{id}")
}

/// One organisation, by its id, which may have any characters.
#[must_use]
pub fn organisation(id: &str) -> String {
    format!("{ORGANISATIONS}/{}", encode(id))
}

/// The entries of the audit trail about one document, by its id.
#[must_use]
pub fn audit_of(id: &str) -> String {
    format!("{AUDIT}?id={}", encode(id))
}

/// The notifications about one API, by its id.
#[must_use]
pub fn notifications_about(id: &str) -> String {
    format!("{NOTIFICATIONS}?about={}", encode(id))
}

/// The page of a document, by the word that the audit trail has for its kind; none where the console has
/// no page for it. What is deleted has one only if it can be looked at.
#[must_use]
pub fn document(subject: &str, id: &str, deleted: bool) -> Option<String> {
    let path = match (subject, deleted) {
        ("api", true) => revisions(id),
        ("api", false) => api(id),
        ("credential", _) => CREDENTIALS.to_owned(),
        ("reload", _) => RELOAD.to_owned(),
        (_, true) => return None,
        ("client_idp", false) => client_idp(id),
        ("ruleset", false) => ruleset(id),
        ("webhook", false) => webhook(id),
        // A name that stands for a hash leads nowhere.
        ("key", false) if id.starts_with("hmac-") || id == "hidden" => return None,
        ("key", false) => key(id),
        ("policy", false) => policy(id),
        ("certificate", false) => certificate(id),
        ("organisation", false) => organisation(id),
        _ => return None,
    };
    (Page::of(&path) != Page::Missing).then_some(path)
}

/// The batch composer with an API chosen.
#[must_use]
pub fn batch(id: &str) -> String {
    format!("{BATCH}?api={id}")
}

/// The overview over a window, of one API if there is an id.
#[must_use]
pub fn overview(window: &str, api_id: &str) -> String {
    let api = match api_id {
        "" => String::new(),
        id => format!("&api={}", encode(id)),
    };
    format!("{OVERVIEW}?window={window}{api}")
}

/// The page that asks for the keys, and goes on to `next` afterwards.
#[must_use]
pub fn connect(next: &str) -> String {
    format!("{CONNECT}?next={}", encode(next))
}

/// The page that tries an API.
#[must_use]
pub fn try_it(id: &str) -> String {
    format!("{TRY}/{id}")
}

/// The page that tries an MCP proxy, with a tool of it chosen.
#[must_use]
pub fn try_tool(id: &str, tool: &str) -> String {
    format!("{TRY}/{id}?tool={}", encode(tool))
}

/// The page that tries an API, with a path that was called of it.
#[must_use]
pub fn try_path(id: &str, path: &str) -> String {
    format!("{TRY}/{id}?path={}", encode(path))
}

/// The API that an address of that page, or of the one that looks into tokens, names; empty for none.
#[must_use]
pub fn tried(path: &str) -> String {
    parts(path).nth(1).unwrap_or_default().to_owned()
}

/// Where to go after connecting: only a page of the console itself, whatever the address bar says, or
/// `home`, which is also where an address leads that names no page.
#[must_use]
pub fn after_connect(next: Option<&str>, home: &str) -> String {
    match next {
        Some(path)
            if path.starts_with("/console/")
                && !path.starts_with(CONNECT)
                && Page::of(path) != Page::Home =>
        {
            path.to_owned()
        }
        _ => home.to_owned(),
    }
}
