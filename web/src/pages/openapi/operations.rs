//! The operations of a document, with the rules that the gateway has for each.

use leptos::prelude::*;

use super::subjects::{Kind, Subjects};
use crate::components::{Shown, live};
use crate::pages::documents::Desk;
use crate::state::Memo;
use crate::state::draft::plural;
use crate::state::rules::{OF_OPERATIONS, of_operations};

/// The card; a document without operations has none.
#[component]
pub(super) fn Operations(desk: Desk) -> impl IntoView {
    let all = Memo::new(move |_| of_operations(&desk.text()));
    let count = move || plural(all.with(Vec::len), "operation");
    view! {
        <Shown when=move || all.with(|all| !all.is_empty())>
            <section class="card panel below" aria-labelledby="operations-title">
                <h2 id="operations-title">"Operations"</h2>
                <p class="muted small">
                    {live(count)}". A switch here writes the rule into the document above; nothing is saved before you do so."
                </p>
                <Subjects desk=desk kind=Kind { offered: OF_OPERATIONS, several: "operations", search: "Search method, path, id or summary" } all=all />
            </section>
        </Shown>
    }
}
