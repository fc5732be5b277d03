//! Somebody else stored something since the page was opened: both sides, and how to continue. A merge patch names what
//! it changes, so nothing of theirs can be overwritten unseen: there is no "overwrite".

use gatewright_model::diff::Change;
use leptos::prelude::*;

use super::desk::Desk;
use crate::api::Document;
use crate::components::{ChangeList, Notice, Tint, button, each};
use crate::state::draft::{changes_between, plural};
use crate::state::rebase::rebase;

/// Both sides of a patch whose document has changed.
#[component]
pub(super) fn StaleMappings(desk: Desk, theirs: Document, close: Callback<()>) -> impl IntoView {
    let base = desk.base();
    let mine = desk
        .plan
        .with_untracked(|plan| plan.result.clone())
        .unwrap_or_default();
    let sides = Sides::of(&base, &theirs, &mine);
    let theirs = StoredValue::new(theirs);
    let discard = move || {
        desk.begin_from(theirs.get_value());
        desk.discard();
        close.run(());
    };
    let carry_over = move |_| {
        let theirs = theirs.get_value();
        let done = rebase(&base.text, &mine, &theirs.text).ok();
        desk.begin_from(theirs);
        desk.rebased.set(done);
        close.run(());
    };
    view! {
        <BothSides sides=sides />
        <footer class="dialog-foot">
            {button("btn btn-quiet", "Discard my patch", discard)}
            <span class="spacer"></span>
            <button type="button" class="btn btn-primary" autofocus on:click=carry_over>"Rebase onto theirs"</button>
        </footer>
    }
}

/// Both sides of fields whose document has changed.
#[component]
pub(super) fn StaleFields(desk: Desk, theirs: Document, close: Callback<()>) -> impl IntoView {
    let base = desk.base();
    let edits = desk.form.edits;
    let mine = edits.with_untracked(|edits| edits.apply_to(&base.text));
    let sides = Sides::of(&base, &theirs, &mine.unwrap_or_default());
    let theirs = StoredValue::new(theirs);
    let discard = move || {
        edits.set(Default::default());
        desk.begin_from(theirs.get_value());
        close.run(());
    };
    let carry_over = move |_| {
        desk.begin_from(theirs.get_value());
        close.run(());
    };
    view! {
        <BothSides sides=sides />
        <footer class="dialog-foot">
            {button("btn btn-quiet", "Discard mine", discard)}
            <span class="spacer"></span>
            <button type="button" class="btn btn-primary" autofocus on:click=carry_over>"Rebase onto theirs"</button>
        </footer>
    }
}

/// What each of two people changed in a document, for a dialog.
pub(in crate::pages) struct Sides {
    headline: String,
    theirs: Vec<Change>,
    mine: Vec<Change>,
}

impl Sides {
    /// Compares both with their common base.
    pub(in crate::pages) fn of(base: &Document, theirs: &Document, mine: &str) -> Self {
        let number = |document: &Document| document.revision().unwrap_or_default();
        Self {
            headline: format!(
                "You started from revision {}; revision {} is stored now. Nothing has been overwritten.",
                number(base),
                number(theirs)
            ),
            // Every write changes the time of the last one; that is nobody's edit.
            theirs: changes_between(&base.text, &theirs.text)
                .into_iter()
                .filter(|change| change.pointer != "/last_updated")
                .collect(),
            mine: changes_between(&base.text, mine),
        }
    }
}

/// Both sides, headed by the revisions they are.
#[component]
pub(in crate::pages) fn BothSides(sides: Sides) -> impl IntoView {
    let Sides {
        headline,
        theirs,
        mine,
    } = sides;
    let side = |(title, changes): (&'static str, Vec<Change>)| {
        view! {
            <section class="side-of-conflict" aria-label=title>
                <h3>{title}<span class="muted">{format!(" · {}", plural(changes.len(), "change"))}</span></h3>
                <ChangeList changes=changes />
            </section>
        }
        .into_any()
    };
    let sides = [("What they changed", theirs), ("What you changed", mine)];
    view! {
        <div class="dialog-body">
            <Notice tint=Tint::Amber>
                <span><strong>"Changed by somebody else. "</strong>{headline}</span>
            </Notice>
            <div class="sides">{each(sides, side)}</div>
        </div>
    }
}
