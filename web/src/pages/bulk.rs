//! Actions on the selected rows of a list: the buttons, the plan of an action, and the report of its results. They come
//! with the custom element of `web/editor/bulk-actions.js`; the boxes are part of the lists.

mod input;
mod matching;
mod plan;
mod report;
mod run;
mod users;

use leptos::prelude::*;

use crate::api::Api;
use crate::components::{Shown, each, live, maybe};
use crate::state::Memo;
use crate::state::bulk::Kind;
use crate::state::bulk::matching::Matching;
use crate::state::bulk::selection::Pick;
use crate::state::bulk::verb::Verb;
use matching::SelectAll;
use plan::PlanDialog;

/// The buttons, and the plan of the chosen action.
#[component]
pub fn Actions(
    /// The client of both APIs.
    api: Api,
    /// The kind of the listed documents.
    kind: Kind,
    /// What is selected.
    picks: Memo<Vec<Pick>>,
    /// Everything that the list finds, once all it shows is selected.
    matching: Memo<Option<Matching>>,
    /// Runs after a change, with the ids of what was deleted, one per line.
    on_change: Callback<String>,
    /// Selects documents, as JSON.
    on_select: Callback<String>,
) -> impl IntoView {
    let open = RwSignal::new(None::<(Verb, Vec<Pick>)>);
    let verb = move |verb: &Verb| {
        let verb = *verb;
        let class = if verb.is_danger() {
            "btn btn-small bulk-danger"
        } else {
            "btn btn-small"
        };
        view! {
            <button type="button" class=class on:click=move |_| open.set(Some((verb, picks.get_untracked())))>
                {format!("{}…", verb.label(kind))}
            </button>
        }
        .into_any()
    };
    let verbs = move || each(Verb::of(kind), verb);
    // A retry is a plan of its own: everything is read again.
    let again =
        Callback::new(move |(verb, picks): (Verb, Vec<Pick>)| open.set(Some((verb, picks))));
    let dialog = move |(verb, picks): (Verb, Vec<Pick>)| {
        view! {
            <PlanDialog
                api=api
                kind=kind
                verb=verb
                picks=picks
                on_change=on_change
                on_again=again
                on_close=Callback::new(move |()| open.set(None))
            />
        }
        .into_any()
    };
    view! {
        <Shown when=move || picks.with(|picks| !picks.is_empty())>
            <SelectAll api=api kind=kind picks=picks matching=matching on_select=on_select />
            <div class="bulk-verbs">{verbs()}</div>
        </Shown>
        {live(move || maybe(open.get(), dialog))}
    }
}
