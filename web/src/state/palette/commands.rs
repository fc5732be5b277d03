//! The pages, and the commands without an object.

use super::{Act, Entry, Kind};
use crate::routes;
use crate::state::theme::Theme;

/// The pages: names, addresses, and other words they are found by.
const PAGES: [(&str, &str, &str); 20] = [
    ("Overview", routes::OVERVIEW, "charts traffic figures home"),
    ("APIs", routes::APIS, ""),
    ("OpenAPI APIs", routes::OPENAPI, ""),
    ("MCP proxies", routes::MCP, ""),
    (
        "Review and reload",
        routes::RELOAD,
        "publish deploy pending",
    ),
    ("Try an API", routes::TRY, "request"),
    ("Batch", routes::BATCH, ""),
    ("Keys", routes::KEYS, ""),
    ("OAuth clients", routes::OAUTH, ""),
    ("Certificates", routes::CERTIFICATES, ""),
    ("Look into a token (JWT)", routes::JWT, ""),
    ("Policies", routes::POLICIES, ""),
    ("Organisations", routes::ORGANISATIONS, ""),
    ("Client IdPs", routes::CLIENT_IDPS, "identity providers"),
    ("Rulesets", routes::RULESETS, ""),
    ("Webhooks", routes::WEBHOOKS, ""),
    ("Notifications", routes::NOTIFICATIONS, ""),
    ("Audit", routes::AUDIT, "trail log history"),
    ("Credentials", routes::CREDENTIALS, "people"),
    (
        "Reference",
        routes::REFERENCE,
        "documentation fields members openapi",
    ),
];

/// The pages that create something.
const BEGINNINGS: [(&str, &str, &str); 10] = [
    ("New API", routes::NEW_API, "create add"),
    ("Import from OpenAPI", routes::IMPORT, "swagger upload"),
    ("New OpenAPI API", routes::NEW_OPENAPI, "create add"),
    ("New MCP proxy", routes::NEW_MCP, "create add"),
    ("New key", routes::NEW_KEY, "create add"),
    (
        "Add a certificate",
        routes::NEW_CERTIFICATE,
        "new certificate",
    ),
    ("New policy", routes::NEW_POLICY, "create add"),
    ("New client IdP", routes::NEW_CLIENT_IDP, "create add"),
    ("New ruleset", routes::NEW_RULESET, "create add"),
    ("New webhook", routes::NEW_WEBHOOK, "create add"),
];

/// Commands that the console carries out at once.
const COMMANDS: [(&str, Act, &str); 5] = [
    ("Light theme", Act::Theme(Theme::Light), ""),
    ("Dark theme", Act::Theme(Theme::Dark), ""),
    ("System theme", Act::Theme(Theme::System), ""),
    ("Keyboard shortcuts", Act::Help, "help"),
    ("Sign out", Act::SignOut, "log out disconnect leave"),
];

/// Returns all of them, in the order in which they are offered.
#[must_use]
pub fn all() -> Vec<Entry> {
    let one = |kind, name: &str, act, words: &str| Entry {
        kind,
        id: String::new(),
        name: name.to_owned(),
        detail: String::new(),
        keywords: (!words.is_empty())
            .then(|| words.to_owned())
            .into_iter()
            .collect(),
        route: None,
        act,
    };
    let go = |kind, (name, url, words): (&str, &str, &str)| {
        one(kind, name, Act::Go(url.to_owned()), words)
    };
    let begun = BEGINNINGS.into_iter().map(|row| go(Kind::Command, row));
    let pages = PAGES.into_iter().map(|row| go(Kind::Page, row));
    let commands = COMMANDS.into_iter();
    let commands = commands.map(|(name, act, words)| one(Kind::Command, name, act, words));
    begun.chain(pages).chain(commands).collect()
}
