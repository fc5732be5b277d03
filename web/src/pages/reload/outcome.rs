//! What a reload did.

use leptos::prelude::*;

use crate::api::ReloadStatus;
use crate::components::{Notice, Tint};
use crate::state::clock::duration;
use crate::state::plan::done;

/// The status before and after, and how long it took.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Outcome {
    pub(super) before: ReloadStatus,
    pub(super) after: ReloadStatus,
    pub(super) took_ms: f64,
}

/// The outcome in a sentence; what was skipped stands in the list below.
#[component]
pub(super) fn OutcomeCard(outcome: Outcome) -> impl IntoView {
    let Outcome {
        before,
        after,
        took_ms,
    } = outcome;
    let tint = if after.skipped.is_empty() {
        Tint::Green
    } else {
        Tint::Amber
    };
    let summary = format!(
        "Generation {} is in service after {}: {}",
        after.generation,
        duration(took_ms),
        done(&before, &after),
    );
    view! {
        <Notice tint=tint>
            <span>
                <strong>"Reloaded. "</strong>
                {summary}
            </span>
        </Notice>
    }
}
