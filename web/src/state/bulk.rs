//! Bulk actions: the selection, what a verb does to each document, the requests for that, and the outcome. Plain
//! values.

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
use crate::api::{Document, api_path, written_path};
use crate::state::query_string::encode;
use gatewright_model::openapi::DocumentKind;
use selection::Pick;

/// The kind of documents in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// APIs, including OpenAPI APIs and MCP proxies.
    Api,
    /// Keys.
    Key,
    /// Policies.
    Policy,
}

impl Kind {
    /// All kinds.
    const ALL: [Self; 3] = [Self::Api, Self::Key, Self::Policy];

    /// Returns its noun, which is also its identifier between the page and the module of the plans.
    #[must_use]
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Api => "API",
            Self::Key => "key",
            Self::Policy => "policy",
        }
    }

    /// Returns the kind with a noun.
    #[must_use]
    pub fn of(noun: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.noun() == noun)
    }

    /// Returns the group that a document belongs to; `None` for a classic definition.
    #[must_use]
    pub const fn group(self, document: Option<DocumentKind>) -> Option<Group> {
        match self {
            Self::Api => Group::of_api(document),
            Self::Key => Some(Group::Keys),
            Self::Policy => Some(Group::Policies),
        }
    }
}

/// The endpoints of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Place {
    group: Option<Group>,
    id: String,
}

impl Place {
    fn of(kind: Kind, pick: &Pick) -> Self {
        Self {
            group: kind.group(pick.document),
            // The other ids need no escaping.
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

/// Returns the path that yields the document as it was written.
#[must_use]
pub fn read_path(kind: Kind, pick: &Pick) -> String {
    let place = Place::of(kind, pick);
    place.group.map_or_else(
        || written_path(&place.id),
        |group| format!("{}{}", group.at(&place.id), group.as_written()),
    )
}

/// The precondition of a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Guard {
    /// What is stored still has this entity tag (`If-Match`).
    Stored(String),
    /// Nothing is stored under the id (`If-None-Match: *`).
    Nothing,
}

/// A write request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Write {
    /// Its method.
    pub method: &'static str,
    /// Path and query.
    pub path: String,
    /// The precondition.
    pub guard: Guard,
    /// Its body.
    pub body: Option<String>,
}

impl Write {
    /// Replaces the text that was read by another one. The counters of a key are kept.
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

    /// Deletes the document that was read.
    #[must_use]
    pub fn delete(kind: Kind, pick: &Pick, etag: &str) -> Self {
        Self {
            method: "DELETE",
            path: Place::of(kind, pick).path(),
            guard: Guard::Stored(etag.to_owned()),
            body: None,
        }
    }

    /// Restores a deleted document, provided that it is still gone; `None` if its kind has no revisions.
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
