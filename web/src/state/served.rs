//! Whether an API is served, in words that promise nothing.

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
        (Serving::Skipped(why), _) => format!("No, a reload skips it: {why}"),
        (Serving::Internal, _) => "No: internal".to_owned(),
        (Serving::Public, Standing::Unsaved) => "Once it is stored and reloaded".to_owned(),
        (Serving::Public, Standing::Waiting) => "After the next reload".to_owned(),
        (Serving::Public, Standing::LeftOut(why)) => {
            format!("No, the last reload skipped it: {why}")
        }
        (Serving::Public, Standing::Loaded) => "Yes".to_owned(),
    }
}
