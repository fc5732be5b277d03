//! What the palette finds: objects of all kinds, pages, commands, and what can be done to an object. Plain values.
//!
//! [`sources`] says what is asked for, [`rank`] how well something answers, [`verbs`] what `try orders` means, and
//! [`recent`] what was chosen last.

pub mod called;
pub mod commands;
pub mod members;
pub mod rank;
pub mod recent;
pub mod sources;
pub mod verbs;

use super::session::Identity;
use super::theme::Theme;
use crate::routes;
use called::{Called, Fits};
use rank::rank;
use verbs::VERBS;

/// Lines that are offered at once.
const SHOWN: usize = 50;
/// Objects that a verb alone is offered with.
const SUGGESTED: usize = 5;

/// What something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Something that the console does at once.
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

/// The kinds, the words by which the browser keeps them, and what they are called.
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

    /// The word by which the browser keeps it.
    #[must_use]
    pub fn word(self) -> &'static str {
        self.row().1
    }

    /// What it is called.
    #[must_use]
    pub fn label(self) -> &'static str {
        self.row().2
    }

    /// The kind of a word.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        let found = KINDS.into_iter().find(|(_, known, _)| *known == word);
        found.map(|(kind, ..)| kind)
    }
}

/// What becomes of a line that is chosen.
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
    /// What it is.
    pub kind: Kind,
    /// Its id; empty for what has none.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// What tells it from others.
    pub detail: String,
    /// What else it is found by.
    pub words: Vec<String>,
    /// The domain and the listen path of an API that is served there.
    pub route: Option<(String, String)>,
    /// What becomes of it.
    pub act: Act,
}

impl Entry {
    /// An object with a page of its own, called by its id where it has no name.
    #[must_use]
    pub fn object(kind: Kind, id: &str, name: &str, url: String) -> Self {
        let name = if name.is_empty() { id } else { name };
        Self {
            kind,
            id: id.to_owned(),
            name: name.to_owned(),
            detail: String::new(),
            words: Vec::new(),
            route: None,
            act: Act::Go(url),
        }
    }

    /// The same with what tells it from others.
    #[must_use]
    pub fn told(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }

    /// The same with what else it is found by.
    #[must_use]
    pub fn by(mut self, words: impl IntoIterator<Item = String>) -> Self {
        self.words.extend(words);
        self
    }

    /// Where it leads; none for what is done at once.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        match &self.act {
            Act::Go(url) => Some(url),
            Act::Theme(_) | Act::Help | Act::SignOut => None,
        }
    }
}

/// A line of the answer, and how well it answers: below [`rank::SURE`] there can be hardly a better one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What it is about.
    pub entry: Entry,
    /// Less is better.
    pub rank: u32,
}

/// Whether something is offered to whoever is signed in: a page that begins something is not, to those who could store
/// nothing there.
#[must_use]
pub fn offered(entry: &Entry, who: &Identity) -> bool {
    let begins = entry.url().filter(|_| entry.kind == Kind::Command);
    begins.is_none_or(|url| who.may_write(url))
}

/// What answers a text, the best first. Without a text: what was chosen last, then pages and commands.
#[must_use]
pub fn find(
    typed: &str,
    all: &[Entry],
    recent: &[Entry],
    who: &Identity,
    fits: Fits<'_>,
) -> Vec<Line> {
    let called = Called::of(typed);
    let typed = typed.trim().to_lowercase();
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
        let place = recent.iter().position(|recent| recent.act == entry.act);
        let place = place.unwrap_or(usize::MAX);
        let length = entry.name.chars().count();
        let level = rank.checked_div(rank::LEVEL).unwrap_or_default();
        (level, place, *rank, entry.kind, length, entry.name.clone())
    });
    lines.truncate(SHOWN);
    lines
}

/// What a verb in the text offers.
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
            // Without an object: those that were chosen last, then the first ones.
            let mut some: Vec<&Entry> = known.collect();
            some.sort_by_key(|entry| {
                let place = recent.iter().position(|recent| recent.act == entry.act);
                place.unwrap_or(usize::MAX)
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

/// The API that serves what was called, and the way to try it.
fn served(called: &Called, all: &[Entry], who: &Identity, fits: Fits<'_>) -> Vec<Line> {
    let Some(entry) = called.server(all, fits) else {
        return Vec::new();
    };
    let url = routes::try_path(&entry.id, called.whole());
    let try_it = Entry {
        name: format!("Try {} at {}", called.whole(), entry.name),
        act: Act::Go(url.clone()),
        ..entry.clone()
    };
    let may_try = who.lacks(&url).is_none();
    let itself = entry.clone().told(format!("serves {}", called.whole()));
    let lines = may_try.then_some(try_it).into_iter().chain([itself]);
    lines
        .zip(0..)
        .map(|(entry, rank)| Line { entry, rank })
        .collect()
}

/// What a gateway is asked for about a text: what stands behind a verb, or all of it.
#[must_use]
pub fn asked(typed: &str) -> String {
    // Upper and lower case are two paths.
    if Called::of(typed).is_some() {
        return typed.trim().to_owned();
    }
    let typed = typed.trim().to_lowercase();
    let rest = VERBS.iter().find_map(|verb| verb.rest(&typed));
    rest.filter(|rest| !rest.is_empty())
        .map_or_else(|| typed.clone(), str::to_owned)
}

/// A shorter question, for a text with a typing error in it that nothing answers: the beginning of its longest word.
#[must_use]
pub fn shorter(asked: &str) -> Option<String> {
    let longest = asked
        .split_whitespace()
        .max_by_key(|word| word.chars().count())?;
    let beginning: String = longest.chars().take(3).collect();
    (beginning.chars().count() == 3 && beginning != asked).then_some(beginning)
}

#[cfg(test)]
mod tests;
