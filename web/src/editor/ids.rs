//! Ids known to the page, for texts that reference some.

use gatewright_model::assist::Place;
use gatewright_model::id::check_id;
use gatewright_model::json::parse;
use gatewright_model::shape::Root;
use gatewright_model::{Issue, document};
use gatewright_web::state::offers::Offer;
use serde::Deserialize;

/// Known ids by kind.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Ids {
    apis: Known,
    policies: Known,
}

/// The ids of one kind, each with its name.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Known {
    /// Whether the list is complete.
    all: bool,
    ids: Vec<(String, String)>,
}

impl Ids {
    /// Parses the ids that the page passes; invalid JSON means that nothing is known.
    pub(super) fn read(json: &str) -> Self {
        serde_json::from_str(json).unwrap_or_default()
    }

    /// Returns the ids that may be used at a place.
    pub(super) fn at(&self, place: Place<'_>) -> Vec<(String, String)> {
        let offer = match place {
            Place::Names(pointer) => Offer::for_names(pointer),
            Place::Value(pointer) => Offer::for_value(pointer),
        };
        match offer {
            Some(Offer::Apis) => self.apis.ids.clone(),
            Some(Offer::Policies) => self.policies.ids.clone(),
            Some(Offer::Hooks) | None => Vec::new(),
        }
    }

    /// Returns issues for APIs that a policy or session references but that don't exist.
    pub(super) fn unknown(&self, root: &str, text: &str) -> Vec<Issue> {
        let gives = matches!(Root::from_word(root), Some(Root::Policy | Root::Session));
        let document = parse(text).ok().filter(|_| gives && self.apis.all);
        let Some(document) = document else {
            return Vec::new();
        };
        let ids = || self.apis.ids.iter().map(|(id, _)| id.as_str());
        // Ids that no API can have are reported by validation already.
        let is_fine = |id: &str| check_id(id).is_err() || ids().any(|known| known == id);
        document::unknown_apis(text, &document, is_fine, ids)
    }
}
