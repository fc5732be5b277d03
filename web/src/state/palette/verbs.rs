//! Actions on objects, typed before or after the object's name: `try orders`, `orders revisions`.

use super::{Act, Entry, Kind};
use crate::routes;
use crate::state::session::Identity;

/// An action.
pub struct Verb {
    /// The words that mean it, in lower case.
    words: &'static [&'static str],
    /// The text before the name of the object.
    says: &'static str,
    /// The kinds of objects it applies to.
    kinds: &'static [Kind],
    /// The address it leads to; `None` for the object's page.
    to: Option<fn(&str) -> String>,
}

const APIS: &[Kind] = &[Kind::Api, Kind::OpenApi, Kind::McpProxy];
const OBJECTS: &[Kind] = &[
    Kind::Api,
    Kind::OpenApi,
    Kind::McpProxy,
    Kind::Policy,
    Kind::Key,
    Kind::Organisation,
    Kind::Certificate,
    Kind::ClientIdp,
    Kind::Ruleset,
    Kind::Webhook,
    Kind::Credential,
];

/// The kinds that the audit trail identifies by the ids of their pages.
const AUDITED: &[Kind] = &[
    Kind::Api,
    Kind::OpenApi,
    Kind::McpProxy,
    Kind::Organisation,
    Kind::Certificate,
    Kind::ClientIdp,
    Kind::Ruleset,
    Kind::Webhook,
];

const fn of_apis(
    words: &'static [&'static str],
    says: &'static str,
    to: fn(&str) -> String,
) -> Verb {
    Verb {
        words,
        says,
        kinds: APIS,
        to: Some(to),
    }
}

/// The verbs. Deleting only leads to the object's page, which asks first.
pub const VERBS: [Verb; 12] = [
    of_apis(&["try", "call", "send"], "Try", routes::try_it),
    of_apis(
        &["charts", "chart", "traffic", "figures"],
        "Charts of",
        |id| routes::overview("1h", id),
    ),
    Verb {
        kinds: &[Kind::Api],
        ..of_apis(&["revisions", "history"], "Revisions of", routes::revisions)
    },
    Verb {
        kinds: &[Kind::Api],
        ..of_apis(&["chain"], "Chain of", routes::chain)
    },
    of_apis(&["cache"], "Cache of", |id| routes::cache(id, "")),
    of_apis(
        &["upstreams", "upstream"],
        "Upstreams of",
        routes::upstreams,
    ),
    of_apis(&["batch"], "Batch through", routes::batch),
    of_apis(&["clients"], "OAuth clients of", routes::oauth_clients),
    of_apis(&["token", "jwt"], "Look into a token for", routes::jwt),
    Verb {
        kinds: &[Kind::Policy],
        ..of_apis(&["keys"], "Keys with", routes::keys_of)
    },
    Verb {
        words: &["audit", "changes"],
        says: "Audit of",
        kinds: AUDITED,
        to: Some(routes::audit_of),
    },
    Verb {
        words: &["delete", "remove", "revoke"],
        says: "Delete",
        kinds: OBJECTS,
        to: None,
    },
];

impl Verb {
    /// Whether it applies to a kind.
    #[must_use]
    pub fn takes(&self, kind: Kind) -> bool {
        self.kinds.contains(&kind)
    }

    /// Whether whoever is signed in may do it to an object: view the page it leads to or, to delete the object, change
    /// it.
    #[must_use]
    pub fn may(&self, entry: &Entry, who: &Identity) -> bool {
        match (self.to, entry.url()) {
            (Some(to), _) => who.lacks(&to(&entry.id)).is_none(),
            (None, Some(url)) => who.may_write(url),
            (None, None) => false,
        }
    }

    /// Returns the rest of a text in lower case without the verb; `None` if the verb isn't in it.
    #[must_use]
    pub fn rest<'a>(&self, typed: &'a str) -> Option<&'a str> {
        let is = |word: &str| self.words.contains(&word);
        let begun = |word: &str| {
            let long = word.len() >= 4;
            is(word) || (long && self.words.iter().any(|known| known.starts_with(word)))
        };
        match typed.split_once(char::is_whitespace) {
            Some((first, rest)) if begun(first) => Some(rest.trim_start()),
            // After a name the verb has to be complete: names contain words, too.
            Some(_) => typed
                .rsplit_once(char::is_whitespace)
                .filter(|(_, last)| is(last))
                .map(|(rest, _)| rest.trim_end()),
            None => is(typed).then_some(""),
        }
    }

    /// Returns the result that does it to an object.
    #[must_use]
    pub fn of(&self, entry: &Entry) -> Entry {
        let act = match self.to {
            Some(to) => Act::Go(to(&entry.id)),
            None => entry.act.clone(),
        };
        let detail = match self.to {
            Some(_) => entry.detail.clone(),
            None => "its page asks first".to_owned(),
        };
        let says = match (self.to, entry.kind) {
            (None, Kind::Key | Kind::Credential) => "Revoke",
            _ => self.says,
        };
        Entry {
            name: format!("{says} {}", entry.name),
            detail,
            act,
            keywords: Vec::new(),
            ..entry.clone()
        }
    }
}
