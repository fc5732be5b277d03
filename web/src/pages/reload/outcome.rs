//! The outcome of a reload.

use leptos::prelude::*;

use crate::api::ReloadStatus;
use crate::components::{Notice, Tint};
use crate::state::clock::duration;
use crate::state::plan::{done, done_in_part};

/// The status before and after, and how long it took.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Outcome {
    pub(super) before: ReloadStatus,
    pub(super) after: ReloadStatus,
    pub(super) took_ms: f64,
    /// Whether only a part was to be published.
    pub(super) part: bool,
}

/// The outcome in a sentence; what was skipped is in the list below.
#[component]
pub(super) fn OutcomeCard(outcome: Outcome) -> impl IntoView {
    let Outcome {
        before,
        after,
        took_ms,
        part,
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
        if part {
            done_in_part(&after)
        } else {
            done(&before, &after)
        },
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
