//! The console's addresses: written here once, used by the router, by links and by the palette.

mod links;
pub mod rights;

use gatewright_model::openapi::DocumentKind;

pub use links::{
    after_connect, api, api_page, audit_of, batch, cache, catalogue, certificate, chain,
    client_idp, compare, compared, connect, document, jwt, key, keys_at, keys_of, mcp,
    new_oauth_client, notifications_about, oauth_client, oauth_clients, openapi, organisation,
    overview, policy, revisions, ruleset, tried, try_it, try_path, try_tool, upstreams, versions,
    webhook, yaml,
};

/// The path of the console on its origin; the static files are below it, too.
pub const BASE: &str = "/console";
/// The page that asks for the secret or a token.
pub const CONNECT: &str = "/console/connect";
/// What is served and what needs attention: the start page.
pub const OVERVIEW: &str = "/console/overview";
/// The list of APIs.
pub const APIS: &str = "/console/apis";
/// The editor with a template instead of a stored definition.
pub const NEW_API: &str = "/console/apis/new";
/// The import from OpenAPI. Not below [`APIS`], where every name may be the id of an API.
pub const IMPORT: &str = "/console/import";
/// The pending changes, and the button that loads them.
pub const RELOAD: &str = "/console/reload";
/// Revisions of one document side by side; its kind and id follow in the path.
pub const COMPARE: &str = "/console/compare";
/// The batch composer.
pub const BATCH: &str = "/console/batch";

/// The list of OpenAPI APIs.
pub const OPENAPI: &str = "/console/openapi";
/// The page for an OpenAPI API that isn't stored yet.
pub const NEW_OPENAPI: &str = "/console/openapi/new";
/// The list of MCP proxies.
pub const MCP: &str = "/console/mcp";
/// The page for an MCP proxy that isn't stored yet.
pub const NEW_MCP: &str = "/console/mcp/new";

/// The page that tries an API, with none chosen.
pub const TRY: &str = "/console/try";

/// The list of client identity providers.
pub const CLIENT_IDPS: &str = "/console/client-idps";
/// The page for a client identity provider that isn't stored yet.
pub const NEW_CLIENT_IDP: &str = "/console/client-idps/new";

/// The list of rulesets.
pub const RULESETS: &str = "/console/rulesets";
/// The page for a ruleset that isn't stored yet.
pub const NEW_RULESET: &str = "/console/rulesets/new";

/// The list of webhooks.
pub const WEBHOOKS: &str = "/console/webhooks";
/// The page for a webhook that isn't stored yet.
pub const NEW_WEBHOOK: &str = "/console/webhooks/new";

/// The list of keys.
pub const KEYS: &str = "/console/keys";
/// The page that creates a key.
pub const NEW_KEY: &str = "/console/keys/new";
/// The list of policies.
pub const POLICIES: &str = "/console/policies";
/// The clients of the OAuth 2.0 server; those of one API are below it.
pub const OAUTH: &str = "/console/oauth";
/// The certificates.
pub const CERTIFICATES: &str = "/console/certificates";
/// The page that adds a certificate.
pub const NEW_CERTIFICATE: &str = "/console/certificates/new";
/// The page that inspects a JSON Web Token, with no API chosen.
pub const JWT: &str = "/console/jwt";
/// The page for a policy that isn't stored yet.
pub const NEW_POLICY: &str = "/console/policies/new";
/// The list of organisations that have a session.
pub const ORGANISATIONS: &str = "/console/organisations";

/// Notifications, live.
pub const NOTIFICATIONS: &str = "/console/notifications";
/// The audit trail.
pub const AUDIT: &str = "/console/audit";
/// The list of dashboard credentials.
pub const CREDENTIALS: &str = "/console/credentials";
/// The reference of members and of the administration API.
pub const REFERENCE: &str = "/console/reference";
/// The page that issues a credential.
pub const NEW_CREDENTIAL: &str = "/console/credentials/new";

/// The first path segments of the dashboard's pages; `web/boot/early.js` has the same lists.
const DASHBOARD: [&str; 3] = ["client-idps", "notifications", "audit"];
/// Those of the pages of its documents and of its credentials.
const DOCUMENTS: [&str; 3] = ["rulesets", "webhooks", "credentials"];
/// Those of the pages of OpenAPI APIs and MCP proxies.
const DESCRIBED: [&str; 2] = ["openapi", "mcp"];
/// The first and the last path segments of their other pages.
const OFFERED: [[&str; 2]; 4] = [
    ["openapi", VERSIONS],
    ["openapi", YAML],
    ["mcp", CATALOGUE],
    ["mcp", YAML],
];
/// Those of the pages about what is served; the console itself opens there.
const OVERVIEW_PAGES: [&str; 4] = ["", "connect", "overview", "try"];
/// Those of the reload and of the batch composer.
const TRAFFIC_PAGES: [&str; 2] = ["reload", "batch"];
/// Those of the pages about authentication: OAuth clients, certificates, tokens.
const TRUST: [&str; 3] = ["oauth", "certificates", "jwt"];
/// The page that creates a key is in the same area, because it also creates other credentials than tokens.
const MADE: [&str; 2] = ["keys", "new"];
/// Those of the pages about who may use APIs.
const ACCESS: [&str; 3] = ["keys", "policies", "organisations"];

/// Those of the reference and the comparison of revisions.
const REFERENCE_PAGES: [&str; 2] = ["reference", "compare"];

/// The module of the console that shows an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Area {
    /// The pages of the administration API without an area of their own, and unknown addresses.
    Gateway,
    /// The pages of the dashboard API.
    Dashboard,
    /// The pages of its documents, edited as text or as a form, and of the credentials.
    Documents,
    /// The pages of OpenAPI APIs and MCP proxies.
    Described,
    /// Their other pages: versions side by side, the catalogues of proxies, documents as YAML.
    Offered,
    /// The pages of the administration API about who may use APIs: keys, policies, organisations.
    Access,
    /// The overview, and the page that tries an API: the overview hands it requests that have failed.
    Overview,
    /// The reload, the batch composer, and the cache and the upstreams of an API.
    Traffic,
    /// The pages of the administration API about authentication: OAuth clients, certificates, tokens, and new keys.
    Trust,
    /// The reference, and revisions side by side.
    Reference,
}

impl Area {
    /// Returns the area of an address.
    #[must_use]
    pub fn of(path: &str) -> Self {
        let first = parts(path).next().unwrap_or_default();
        let all = parts(path).collect::<Vec<_>>();
        let of_api = |page: &str| matches!(*all, ["apis", _, last] if last == page);
        if TRUST.contains(&first) || all.starts_with(&MADE) {
            Self::Trust
        } else if DASHBOARD.contains(&first) {
            Self::Dashboard
        } else if DOCUMENTS.contains(&first) {
            Self::Documents
        } else if DESCRIBED.contains(&first) {
            match *all {
                [kind, _, last] if OFFERED.contains(&[kind, last]) => Self::Offered,
                _ => Self::Described,
            }
        } else if ACCESS.contains(&first) {
            Self::Access
        } else if OVERVIEW_PAGES.contains(&first) {
            Self::Overview
        } else if REFERENCE_PAGES.contains(&first) {
            Self::Reference
        } else if TRAFFIC_PAGES.contains(&first) || of_api(UPSTREAMS) || of_api(CACHE) {
            Self::Traffic
        } else {
            Self::Gateway
        }
    }
}

/// Splits a path below the console into its segments; a query and trailing slashes are ignored.
fn parts(path: &str) -> impl Iterator<Item = &str> {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let rest = path.strip_prefix(BASE).unwrap_or_default();
    rest.split('/').filter(|part| !part.is_empty())
}

/// A kind of documents whose revisions can be compared.
#[derive(Debug, PartialEq, Eq)]
pub struct Compared {
    /// The path of its endpoints, which ends with its word in the addresses of comparisons.
    pub path: &'static str,
    /// The address of its list.
    pub list: &'static str,
    /// Its name in the plural.
    pub plural: &'static str,
}

/// Every kind; APIs in whichever form they are administered.
static COMPARED: [Compared; 5] = [
    Compared::new("/gateway/apis", APIS, "APIs"),
    Compared::new("/gateway/policies", POLICIES, "Policies"),
    Compared::new("/api/clientidps", CLIENT_IDPS, "Client IdPs"),
    Compared::new("/api/rulesets", RULESETS, "Rulesets"),
    Compared::new("/api/hooks", WEBHOOKS, "Webhooks"),
];

impl Compared {
    const fn new(path: &'static str, list: &'static str, plural: &'static str) -> Self {
        Self { path, list, plural }
    }

    /// Finds the kind by its word in the paths of its endpoints.
    fn of(word: &str) -> Option<&'static Self> {
        let mut kinds = COMPARED.iter();
        kinds.find(|kind| kind.path.rsplit('/').next() == Some(word))
    }
}

/// The page that an address shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Page {
    /// The console itself, which opens the first page that may be seen.
    Home,
    /// The page that asks for the secret or a token.
    Connect,
    /// What is served and what needs attention.
    Overview,
    /// The list of APIs.
    Apis,
    /// The editor without a stored definition.
    NewApi,
    /// The import from OpenAPI.
    Import,
    /// The editor of one API, on any of its tabs.
    Api(String),
    /// The cache of one API: its settings, and how often it is hit.
    Cache(String),
    /// The upstreams of one API.
    Upstreams(String),
    /// The list of OpenAPI APIs.
    OpenApis,
    /// An OpenAPI API that isn't stored yet.
    NewOpenApi,
    /// One OpenAPI API.
    OpenApi(String),
    /// The versions of an OpenAPI API side by side.
    Versions(String),
    /// The list of MCP proxies.
    McpProxies,
    /// An MCP proxy that isn't stored yet.
    NewMcpProxy,
    /// One MCP proxy.
    McpProxy(String),
    /// What the server of an MCP proxy offers.
    Catalogue(String),
    /// The document of an OpenAPI API or an MCP proxy as YAML.
    Yaml(DocumentKind, String),
    /// The pending changes.
    Reload,
    /// The batch composer.
    Batch,
    /// Any two revisions of a document, by its kind and id.
    Compare(&'static Compared, String),
    /// The page that tries an API, whichever.
    Try,
    /// The list of client identity providers.
    ClientIdps,
    /// A client identity provider that isn't stored yet.
    NewClientIdp,
    /// One client identity provider, by its internal id.
    ClientIdp(String),
    /// The list of rulesets.
    Rulesets,
    /// A ruleset that isn't stored yet.
    NewRuleset,
    /// One ruleset, by its internal id.
    Ruleset(String),
    /// The list of webhooks.
    Webhooks,
    /// A webhook that isn't stored yet.
    NewWebhook,
    /// One webhook, by its internal id.
    Webhook(String),
    /// The list of keys.
    Keys,
    /// The page that creates a key.
    NewKey,
    /// One key, by its hash as written in the address.
    Key(String),
    /// The clients of the OAuth 2.0 server of one API, or the field that finds an API.
    OauthClients(Option<String>),
    /// A new client of this API.
    NewOauthClient(String),
    /// One client: its API, and its id as written in the address.
    OauthClient(String, String),
    /// The certificates.
    Certificates,
    /// A new certificate.
    NewCertificate,
    /// One certificate, by its id as written in the address.
    Certificate(String),
    /// The page that inspects a JSON Web Token, for any API.
    Jwt,
    /// The list of policies.
    Policies,
    /// A policy that isn't stored yet.
    NewPolicy,
    /// One policy, by its id.
    Policy(String),
    /// The list of organisations.
    Organisations,
    /// One organisation, by its id as written in the address.
    Organisation(String),
    /// Notifications, live.
    Notifications,
    /// The audit trail.
    Audit,
    /// The list of dashboard credentials.
    Credentials,
    /// The page that issues a credential.
    NewCredential,
    /// The reference.
    Reference,
    /// An unknown address.
    Missing,
}

impl Page {
    /// Parses an address; a query and a trailing slash are ignored.
    #[must_use]
    pub fn of(path: &str) -> Self {
        let parts: Vec<&str> = parts(path).collect();
        match parts.as_slice() {
            [] => Self::Home,
            ["connect"] => Self::Connect,
            ["overview"] => Self::Overview,
            ["apis"] => Self::Apis,
            ["apis", "new"] => Self::NewApi,
            ["apis", id, CACHE] => Self::Cache((*id).to_owned()),
            ["apis", id, UPSTREAMS] => Self::Upstreams((*id).to_owned()),
            ["apis", id] | ["apis", id, REVISIONS | CHAIN] => Self::Api((*id).to_owned()),
            ["openapi"] => Self::OpenApis,
            ["openapi", "new"] => Self::NewOpenApi,
            ["openapi", id] => Self::OpenApi((*id).to_owned()),
            ["openapi", id, VERSIONS] => Self::Versions((*id).to_owned()),
            ["mcp"] => Self::McpProxies,
            ["mcp", "new"] => Self::NewMcpProxy,
            ["mcp", id] => Self::McpProxy((*id).to_owned()),
            ["openapi", id, YAML] => Self::Yaml(DocumentKind::Oas, (*id).to_owned()),
            ["mcp", id, YAML] => Self::Yaml(DocumentKind::Mcp, (*id).to_owned()),
            ["mcp", id, CATALOGUE] => Self::Catalogue((*id).to_owned()),
            ["import"] => Self::Import,
            ["reload"] => Self::Reload,
            ["batch"] => Self::Batch,
            ["compare", kind, id] => match Compared::of(kind) {
                Some(kind) => Self::Compare(kind, (*id).to_owned()),
                None => Self::Missing,
            },
            ["try"] | ["try", _] => Self::Try,
            ["client-idps"] => Self::ClientIdps,
            ["client-idps", "new"] => Self::NewClientIdp,
            ["client-idps", id] => Self::ClientIdp((*id).to_owned()),
            ["rulesets"] => Self::Rulesets,
            ["rulesets", "new"] => Self::NewRuleset,
            ["rulesets", id] => Self::Ruleset((*id).to_owned()),
            ["webhooks"] => Self::Webhooks,
            ["webhooks", "new"] => Self::NewWebhook,
            ["webhooks", id] => Self::Webhook((*id).to_owned()),
            ["keys"] => Self::Keys,
            ["keys", "new"] => Self::NewKey,
            ["keys", hash] => Self::Key((*hash).to_owned()),
            ["oauth"] => Self::OauthClients(None),
            ["oauth", api] => Self::OauthClients(Some((*api).to_owned())),
            ["oauth", api, "new"] => Self::NewOauthClient((*api).to_owned()),
            ["oauth", api, CLIENTS, id] => Self::OauthClient((*api).to_owned(), (*id).to_owned()),
            ["certificates"] => Self::Certificates,
            ["certificates", "new"] => Self::NewCertificate,
            ["certificates", id] => Self::Certificate((*id).to_owned()),
            ["jwt"] | ["jwt", _] => Self::Jwt,
            ["policies"] => Self::Policies,
            ["policies", "new"] => Self::NewPolicy,
            ["policies", id] => Self::Policy((*id).to_owned()),
            ["organisations"] => Self::Organisations,
            ["organisations", id] => Self::Organisation((*id).to_owned()),
            ["notifications"] => Self::Notifications,
            ["audit"] => Self::Audit,
            ["reference"] => Self::Reference,
            ["credentials"] => Self::Credentials,
            ["credentials", "new"] => Self::NewCredential,
            _ => Self::Missing,
        }
    }

    /// Whether a path is the revisions tab of an API.
    #[must_use]
    pub fn is_revisions(path: &str) -> bool {
        Self::is_tab(path, REVISIONS)
    }

    /// Whether a path is the chain tab of an API.
    #[must_use]
    pub fn is_chain(path: &str) -> bool {
        Self::is_tab(path, CHAIN)
    }

    fn is_tab(path: &str, tab: &str) -> bool {
        matches!(*parts(path).collect::<Vec<_>>(), ["apis", _, last] if last == tab)
    }
}

/// The last path segment of an API's revisions.
const REVISIONS: &str = "revisions";

/// That of an API's chain.
const CHAIN: &str = "chain";

/// That of an API's cache.
const CACHE: &str = "cache";

/// That of an API's upstreams.
const UPSTREAMS: &str = "upstreams";

/// That of the catalogue of an MCP proxy.
const CATALOGUE: &str = "catalogue";

/// That of a document as YAML.
const YAML: &str = "yaml";

/// That of the versions of an OpenAPI API.
const VERSIONS: &str = "versions";

/// The path segment before the id of an API's client, because that id may be any word.
const CLIENTS: &str = "clients";
