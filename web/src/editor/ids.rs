//! Ids that the page knows, for a text that names some.

use gatewright_model::assist::Place;
use gatewright_model::id::check_id;
use gatewright_model::json::parse;
use gatewright_model::shape::Root;
use gatewright_model::{Issue, document};
use gatewright_web::state::offers::Offer;
use serde::Deserialize;

/// Ids by what they are of.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Ids {
    apis: Known,
    policies: Known,
}

/// The ids of one kind, each with what it is called.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Known {
    /// Whether there are no others.
    all: bool,
    ids: Vec<(String, String)>,
}

impl Ids {
    /// Reads what the page tells; nothing is known where it tells nothing.
    pub(super) fn read(json: &str) -> Self {
        serde_json::from_str(json).unwrap_or_default()
    }

    /// The ids that may stand at a place.
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

    /// APIs that a policy or a session names and that there are none of.
    pub(super) fn unknown(&self, root: &str, text: &str) -> Vec<Issue> {
        let gives = matches!(Root::from_word(root), Some(Root::Policy | Root::Session));
        let document = parse(text).ok().filter(|_| gives && self.apis.all);
        let Some(document) = document else {
            return Vec::new();
        };
        let ids = || self.apis.ids.iter().map(|(id, _)| id.as_str());
        // What no API can be called was reported with the shape.
        let is_fine = |id: &str| check_id(id).is_err() || ids().any(|known| known == id);
        document::unknown_apis(text, &document, is_fine, ids)
    }
}
