//! Says whether an API is served, without promising too much.

use super::plan::bare;
use gatewright_model::Issue;
use gatewright_model::definition::{ApiDefinition, Serving, serving};

/// The state of the edited definition between the editor and the data plane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// It has unsaved changes.
    Unsaved,
    /// It is stored and waits for a reload.
    Waiting,
    /// The last reload skipped it, for this reason.
    LeftOut(String),
    /// It is loaded.
    Loaded,
}

/// Says whether the public can call the API. `issues` is `None` if validation hasn't run yet.
#[must_use]
pub fn served(definition: &ApiDefinition, issues: Option<&[Issue]>, stage: &Stage) -> String {
    let Some(issues) = issues else {
        return "…".to_owned();
    };
    match (serving(definition, issues), stage) {
        (Serving::Refused(_), _) => "No: it has errors".to_owned(),
        (Serving::Inactive, _) => "No: inactive".to_owned(),
        // It was loaded, so the operator allows it.
        (Serving::Unenforced(_), Stage::Loaded) => {
            "Yes, by ALLOW_UNENFORCED: settings that can't work here are ignored".to_owned()
        }
        (Serving::Unenforced(_), Stage::LeftOut(why)) => {
            format!("Not served: {}", bare(why))
        }
        (Serving::Skipped(why) | Serving::Unenforced(why), _) => format!("Not served: {why}"),
        (Serving::Internal, _) => "No: internal".to_owned(),
        (Serving::Public, Stage::Unsaved) => "Once it is saved and reloaded".to_owned(),
        (Serving::Public, Stage::Waiting) => "After the next reload".to_owned(),
        (Serving::Public, Stage::LeftOut(why)) => {
            format!("Not served: {}", bare(why))
        }
        (Serving::Public, Stage::Loaded) => "Yes".to_owned(),
    }
}
