//! How much is stored.

use leptos::prelude::*;

use crate::api::figures::Storage;
use crate::components::{each, live};
use crate::state::Memo;
use crate::state::chart::count;
use crate::state::clock::bytes;

/// The sizes.
#[component]
pub(super) fn Stored(storage: Memo<Storage>) -> impl IntoView {
    let number = |(name, rows): (&'static str, u64)| {
        view! {
            <div>
                <dt>{name}</dt>
                <dd>{count(rows)}</dd>
            </div>
        }
        .into_any()
    };
    let all = move || {
        let Storage {
            database,
            database_max,
            rows,
        } = storage.get();
        view! {
            <dl class="figures">
                <div>
                    <dt>"Database"</dt>
                    <dd>{bytes(database)}</dd>
                    <dd class="figure-more">"of " {bytes(database_max)}</dd>
                </div>
                {each(rows, number)}
            </dl>
        }
        .into_any()
    };
    view! {
        <section aria-labelledby="stored-title">
            <h2 id="stored-title">"Stored"</h2>
            {live(all)}
        </section>
    }
}
