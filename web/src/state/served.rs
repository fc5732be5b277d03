//! Whether an API is served, in words that promise nothing.

use super::plan::bare;
use gatewright_model::Issue;
use gatewright_model::definition::{ApiDefinition, Serving, serving};

/// Where the definition that is looked at stands between the editor and the data plane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It isn't stored as it is.
    Unsaved,
    /// It is stored, and waits for a reload.
    Waiting,
    /// The last reload left it out: why.
    LeftOut(String),
    /// It is loaded.
    Loaded,
}

/// Whether the public can call it. Without issues nobody has looked for any yet.
#[must_use]
pub fn served(definition: &ApiDefinition, issues: Option<&[Issue]>, standing: &Standing) -> String {
    let Some(issues) = issues else {
        return "…".to_owned();
    };
    match (serving(definition, issues), standing) {
        (Serving::Refused(_), _) => "No: it has errors".to_owned(),
        (Serving::Inactive, _) => "No: switched off".to_owned(),
        // What is loaded is what the operator allows.
        (Serving::Unenforced(_), Standing::Loaded) => {
            "Yes, by ALLOW_UNENFORCED: what has no effect here is not done".to_owned()
        }
        (Serving::Unenforced(_), Standing::LeftOut(why)) => {
            format!("Not served: {}", bare(why))
        }
        (Serving::Skipped(why) | Serving::Unenforced(why), _) => format!("Not served: {why}"),
        (Serving::Internal, _) => "No: internal".to_owned(),
        (Serving::Public, Standing::Unsaved) => "Once it is saved and reloaded".to_owned(),
        (Serving::Public, Standing::Waiting) => "After the next reload".to_owned(),
        (Serving::Public, Standing::LeftOut(why)) => {
            format!("Not served: {}", bare(why))
        }
        (Serving::Public, Standing::Loaded) => "Yes".to_owned(),
    }
}
