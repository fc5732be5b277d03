//! What a reload did.

use leptos::prelude::*;

use crate::api::ReloadStatus;
use crate::components::{Notice, Tint};
use crate::state::clock::duration;
use crate::state::draft::plural;

/// The status before and after, and how long it took.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Outcome {
    pub(super) before: ReloadStatus,
    pub(super) after: ReloadStatus,
    pub(super) took_ms: f64,
}

fn count(total: u64) -> usize {
    usize::try_from(total).unwrap_or(usize::MAX)
}

/// The outcome in a sentence; what was skipped stands in the list below.
#[component]
pub(super) fn OutcomeCard(outcome: Outcome) -> impl IntoView {
    let Outcome {
        before,
        after,
        took_ms,
    } = outcome;
    let applied = count(before.pending_total.saturating_sub(after.pending_total));
    let skipped = after.skipped.len();
    let tint = if skipped == 0 {
        Tint::Green
    } else {
        Tint::Amber
    };
    let summary = format!(
        "Generation {} is in service: {} loaded, {}, in {}.",
        after.generation,
        plural(count(after.loaded_total), "API"),
        if skipped == 0 {
            "none skipped".to_owned()
        } else {
            format!("{skipped} skipped")
        },
        duration(took_ms),
    );
    view! {
        <Notice tint=tint>
            <span>
                <strong>"Reloaded. "</strong>
                {summary}
                {(applied > 0).then(|| format!(" {} applied.", plural(applied, "change")))}
            </span>
        </Notice>
    }
}
