//! A notice about a rebase: what of one's own is on top of what somebody else has stored.

use leptos::prelude::*;

use crate::components::{Notice, Tint, button, live, maybe};
use crate::state::draft::plural;
use crate::state::rebase::Rebased;

/// The notice about the last rebase, until it is dismissed.
pub(super) fn rebase_notice(rebased: RwSignal<Option<Rebased>>) -> AnyView {
    live(move || maybe(rebased.get(), |done| notice(done, rebased)))
}

fn notice(done: Rebased, rebased: RwSignal<Option<Rebased>>) -> AnyView {
    let Rebased {
        carried,
        overlapping,
        dropped,
        ..
    } = done;
    let clean = overlapping.is_empty() && dropped.is_empty();
    let count = plural(carried.len().saturating_add(overlapping.len()), "change");
    view! {
        <Notice tint=if clean { Tint::Green } else { Tint::Amber }>
            <span>
                {format!("Your text is now based on the stored revision, with {count} of yours on top.")}
                {(!overlapping.is_empty()).then(|| format!(" Both of you changed {}: yours is in the text, please check.", overlapping.join(", ")))}
                {(!dropped.is_empty()).then(|| format!(" Could not be carried over: {}.", dropped.join(", ")))}
            </span>
            {button("btn btn-small", "Dismiss", move || rebased.set(None))}
        </Notice>
    }
    .into_any()
}
