//! Many documents at once: what is selected, what a verb makes of each of them, the requests for that, and what
//! came of it. Plain values.

pub mod change;
pub mod excerpt;
pub mod matching;
pub mod plan;
pub mod report;
pub mod selection;
#[cfg(test)]
mod tests;
pub mod verb;

use crate::api::group::Group;
use crate::api::{Document, api_path};
use crate::state::query_string::encode;
use gatewright_model::openapi::DocumentKind;
use selection::Pick;

/// What a list has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// APIs, whatever they are administered as.
    Api,
    /// Keys.
    Key,
    /// Policies.
    Policy,
}

impl Kind {
    /// All of them.
    const ALL: [Self; 3] = [Self::Api, Self::Key, Self::Policy];

    /// What one is called, and how the page and the module of the plans tell it.
    #[must_use]
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Api => "API",
            Self::Key => "key",
            Self::Policy => "policy",
        }
    }

    /// The kind of a noun.
    #[must_use]
    pub fn of(noun: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.noun() == noun)
    }

    /// The group that a document belongs to; none for a classic definition.
    #[must_use]
    pub const fn group(self, document: Option<DocumentKind>) -> Option<Group> {
        match self {
            Self::Api => Group::of_api(document),
            Self::Key => Some(Group::Keys),
            Self::Policy => Some(Group::Policies),
        }
    }
}

/// Where a document is.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    group: Option<Group>,
    id: String,
}

impl Place {
    fn of(kind: Kind, pick: &Pick) -> Self {
        Self {
            group: kind.group(pick.document),
            // The others have ids that need no escaping.
            id: match kind {
                Kind::Key => encode(&pick.id),
                _ => pick.id.clone(),
            },
        }
    }

    fn path(&self) -> String {
        self.group
            .map_or_else(|| api_path(&self.id), |group| group.at(&self.id))
    }
}

/// The path that a document is read at as it was written.
#[must_use]
pub fn read_path(kind: Kind, pick: &Pick) -> String {
    let path = Place::of(kind, pick).path();
    match kind {
        Kind::Key => format!("{path}?applied=false"),
        _ => path,
    }
}

/// What has to hold for a request to be carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Guard {
    /// This is still what is stored (`If-Match`).
    Stored(String),
    /// Nothing is stored (`If-None-Match: *`).
    Nothing,
}

/// A request that writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// Its method.
    pub method: &'static str,
    /// Path and query.
    pub path: String,
    /// What has to hold.
    pub guard: Guard,
    /// Its body.
    pub body: Option<String>,
}

impl Write {
    /// Stores a text in the place of the one that was seen. The counters of a key go on.
    #[must_use]
    pub fn put(kind: Kind, pick: &Pick, text: String, etag: &str) -> Self {
        let place = Place::of(kind, pick);
        Self {
            method: "PUT",
            path: format!("{}{}", place.path(), place.group.map_or("", Group::quietly)),
            guard: Guard::Stored(etag.to_owned()),
            body: Some(text),
        }
    }

    /// Deletes what was seen.
    #[must_use]
    pub fn delete(kind: Kind, pick: &Pick, etag: &str) -> Self {
        Self {
            method: "DELETE",
            path: Place::of(kind, pick).path(),
            guard: Guard::Stored(etag.to_owned()),
            body: None,
        }
    }

    /// Brings back what was deleted, if it is still gone; none where no revisions are kept.
    #[must_use]
    pub fn restore(kind: Kind, pick: &Pick, deleted: &Document) -> Option<Self> {
        let place = Place::of(kind, pick);
        let keeps = place.group.is_none_or(Group::keeps_revisions);
        let revision = deleted.revision().filter(|_| keeps)?;
        let past = place
            .group
            .map_or_else(|| api_path(&place.id), |group| group.past_of(&place.id));
        Some(Self {
            method: "POST",
            path: format!("{past}/revisions/{revision}/restore"),
            guard: Guard::Nothing,
            body: None,
        })
    }
}
