//! What the palette finds: objects of all kinds, pages, commands, and actions on objects. Plain values.
//!
//! [`sources`] fetches the objects, [`rank`] rates how well something matches, [`verbs`] interprets texts like `try
//! orders`, and [`recent`] remembers recent choices.

pub mod called;
pub mod commands;
pub mod members;
pub mod rank;
pub mod recent;
pub mod sources;
pub mod verbs;

use super::session::Identity;
use super::sought::lowered;
use super::theme::Theme;
use crate::routes;
use called::{Called, Fits};
use rank::rank;
use verbs::VERBS;

/// Maximum number of results.
const SHOWN: usize = 50;
/// Number of objects offered for a verb on its own.
const SUGGESTED: usize = 5;

/// The kind of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Something the console does at once.
    Command,
    /// A page.
    Page,
    /// A member of a kind of document, in the reference.
    Member,
    /// An API with a classic definition.
    Api,
    /// An OpenAPI API.
    OpenApi,
    /// An MCP proxy.
    McpProxy,
    /// A policy.
    Policy,
    /// A key.
    Key,
    /// The session of an organisation.
    Organisation,
    /// A certificate.
    Certificate,
    /// A client identity provider.
    ClientIdp,
    /// A ruleset.
    Ruleset,
    /// A webhook.
    Webhook,
    /// A credential of the dashboard API.
    Credential,
}

/// The kinds, the words under which the browser stores them, and their labels.
const KINDS: [(Kind, &str, &str); 14] = [
    (Kind::Command, "command", "Command"),
    (Kind::Page, "page", "Page"),
    (Kind::Member, "member", "Reference"),
    (Kind::Api, "api", "API"),
    (Kind::OpenApi, "openapi", "OpenAPI API"),
    (Kind::McpProxy, "mcp", "MCP proxy"),
    (Kind::Policy, "policy", "Policy"),
    (Kind::Key, "key", "Key"),
    (Kind::Organisation, "organisation", "Organisation"),
    (Kind::Certificate, "certificate", "Certificate"),
    (Kind::ClientIdp, "client_idp", "Client IdP"),
    (Kind::Ruleset, "ruleset", "Ruleset"),
    (Kind::Webhook, "webhook", "Webhook"),
    (Kind::Credential, "credential", "Credential"),
];

impl Kind {
    fn row(self) -> (Self, &'static str, &'static str) {
        let found = KINDS.into_iter().find(|(kind, ..)| *kind == self);
        found.unwrap_or((self, "", ""))
    }

    /// Returns the word under which the browser stores it.
    #[must_use]
    pub fn word(self) -> &'static str {
        self.row().1
    }

    /// Returns its label.
    #[must_use]
    pub fn label(self) -> &'static str {
        self.row().2
    }

    /// Returns the kind for a stored word.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        let found = KINDS.into_iter().find(|(_, known, _)| *known == word);
        found.map(|(kind, ..)| kind)
    }
}

/// What choosing a result does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Goes to an address of the console.
    Go(String),
    /// Chooses a theme.
    Theme(Theme),
    /// Shows the keyboard shortcuts.
    Help,
    /// Signs out.
    SignOut,
}

/// Something that can be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its kind.
    pub kind: Kind,
    /// Its id; empty if it has none.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// A detail that distinguishes it from others.
    pub detail: String,
    /// Other texts it is found by.
    pub keywords: Vec<String>,
    /// The domain and the listen path of an API.
    pub route: Option<(String, String)>,
    /// What choosing it does.
    pub act: Act,
}

impl Entry {
    /// Creates an entry for an object with its own page; without a name, the id is shown.
    #[must_use]
    pub fn object(kind: Kind, id: &str, name: &str, url: String) -> Self {
        let name = if name.is_empty() { id } else { name };
        Self {
            kind,
            id: id.to_owned(),
            name: name.to_owned(),
            detail: String::new(),
            keywords: Vec::new(),
            route: None,
            act: Act::Go(url),
        }
    }

    /// Adds a detail that distinguishes it from others.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }

    /// Adds other texts it is found by.
    #[must_use]
    pub fn with_keywords(mut self, keywords: impl IntoIterator<Item = String>) -> Self {
        self.keywords.extend(keywords);
        self
    }

    /// Returns the address it leads to; `None` if it is done at once.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        match &self.act {
            Act::Go(url) => Some(url),
            Act::Theme(_) | Act::Help | Act::SignOut => None,
        }
    }
}

/// A result and its rank: below [`rank::SURE`], a better match is unlikely.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The entry.
    pub entry: Entry,
    /// The rank; lower is better.
    pub rank: u32,
}

/// Whether an entry is offered to whoever is signed in: a page that creates something is hidden from those who can't
/// store it.
#[must_use]
pub fn offered(entry: &Entry, who: &Identity) -> bool {
    let begins = entry.url().filter(|_| entry.kind == Kind::Command);
    begins.is_none_or(|url| who.may_write(url))
}

/// Returns the results for a text, best first. Without a text: recent choices, then pages and commands.
#[must_use]
pub fn find(
    typed: &str,
    all: &[Entry],
    recent: &[Entry],
    who: &Identity,
    fits: Fits<'_>,
) -> Vec<Line> {
    let called = Called::of(typed);
    let typed = lowered(typed.trim());
    if typed.is_empty() {
        let is_recent = |entry: &&Entry| recent.iter().any(|recent| recent.act == entry.act);
        let fixed = all
            .iter()
            .filter(|entry| entry.kind <= Kind::Page && !is_recent(entry));
        let each = recent.iter().chain(fixed).cloned();
        return each.map(|entry| Line { entry, rank: 0 }).collect();
    }
    let plain = all.iter().filter_map(|entry| {
        let rank = rank(&typed, entry)?;
        let entry = entry.clone();
        Some(Line { entry, rank })
    });
    let mut lines: Vec<Line> = plain.chain(done(&typed, all, recent, who)).collect();
    lines.extend(members::members(&typed, who));
    lines.extend(
        called
            .iter()
            .flat_map(|called| served(called, all, who, fits)),
    );
    lines.sort_by_cached_key(|Line { entry, rank }| {
        let recency = recent.iter().position(|recent| recent.act == entry.act);
        let recency = recency.unwrap_or(usize::MAX);
        let length = entry.name.chars().count();
        let level = rank.checked_div(rank::LEVEL).unwrap_or_default();
        (
            level,
            recency,
            *rank,
            entry.kind,
            length,
            entry.name.clone(),
        )
    });
    lines.truncate(SHOWN);
    lines
}

/// Returns the results of a verb in the text.
fn done(typed: &str, all: &[Entry], recent: &[Entry], who: &Identity) -> Vec<Line> {
    let mut lines = Vec::new();
    for verb in &VERBS {
        let Some(rest) = verb.rest(typed) else {
            continue;
        };
        let known = all
            .iter()
            .filter(|entry| verb.takes(entry.kind) && verb.may(entry, who));
        if rest.is_empty() {
            // Without an object: recent ones, then the first ones.
            let mut some: Vec<&Entry> = known.collect();
            some.sort_by_key(|entry| {
                let recency = recent.iter().position(|recent| recent.act == entry.act);
                recency.unwrap_or(usize::MAX)
            });
            let some = some.into_iter().take(SUGGESTED);
            lines.extend(some.zip(rank::GUESS..).map(|(entry, rank)| Line {
                entry: verb.of(entry),
                rank,
            }));
        } else {
            lines.extend(known.filter_map(|entry| {
                let rank = rank(rest, entry)?;
                let entry = verb.of(entry);
                Some(Line { entry, rank })
            }));
        }
    }
    lines
}

/// Returns the API that serves an address, and a result that tries it there.
fn served(called: &Called, all: &[Entry], who: &Identity, fits: Fits<'_>) -> Vec<Line> {
    let Some(entry) = called.server(all, fits) else {
        return Vec::new();
    };
    let url = routes::try_path(&entry.id, called.path_and_query());
    let try_it = Entry {
        name: format!("Try {} at {}", called.path_and_query(), entry.name),
        act: Act::Go(url.clone()),
        ..entry.clone()
    };
    let may_try = who.lacks(&url).is_none();
    let itself = entry
        .clone()
        .with_detail(format!("serves {}", called.path_and_query()));
    let lines = may_try.then_some(try_it).into_iter().chain([itself]);
    lines
        .zip(0..)
        .map(|(entry, rank)| Line { entry, rank })
        .collect()
}

/// Returns the text to search the gateway for: the part after a verb, or all of it.
#[must_use]
pub fn search_text(typed: &str) -> String {
    // Paths are case-sensitive.
    if Called::of(typed).is_some() {
        return typed.trim().to_owned();
    }
    let typed = lowered(typed.trim());
    let rest = VERBS.iter().find_map(|verb| verb.rest(&typed));
    rest.filter(|rest| !rest.is_empty())
        .map_or_else(|| typed.clone(), str::to_owned)
}

/// Returns a shorter search text if a text, perhaps with a typo, matches nothing: the beginning of its longest word.
#[must_use]
pub fn shorter(search: &str) -> Option<String> {
    let longest = search
        .split_whitespace()
        .max_by_key(|word| word.chars().count())?;
    let beginning: String = longest.chars().take(3).collect();
    (beginning.chars().count() == 3 && beginning != search).then_some(beginning)
}

#[cfg(test)]
mod tests;
