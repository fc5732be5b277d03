//! Keys with little of their quota left.

use leptos::prelude::*;

use super::{ROWS, rest};
use crate::api::figures::{CloseKey, Figures};
use crate::components::{Moment, each, live, only};
use crate::routes;
use crate::state::Memo;
use crate::state::chart::count;

/// The list.
#[component]
pub(super) fn CloseToLimit(everything: Memo<Figures>) -> impl IntoView {
    let close = Memo::new(move |_| everything.with(|figures| figures.close.clone()));
    let shown = RwSignal::new(ROWS);
    let body = move || {
        let keys = close.get();
        if keys.is_empty() {
            return view! {
                <p class="muted">"No key has used four fifths of its quota."</p>
            }
            .into_any();
        }
        view! {
            <div class="card table-card">
                <table class="table close-keys">
                    <caption class="visually-hidden">"Keys close to their limit"</caption>
                    <thead>
                        <tr>
                            <th scope="col">"Key"</th>
                            <th scope="col">"API"</th>
                            <th scope="col">"Left"</th>
                            <th scope="col">"Resets"</th>
                        </tr>
                    </thead>
                    <tbody>{each(keys.into_iter().take(shown.get()), row)}</tbody>
                </table>
            </div>
        }
        .into_any()
    };
    view! {
        <section aria-labelledby="close-title">
            <h2 id="close-title">"Close to their limit"</h2>
            {live(body)}
            {rest(shown, Memo::new(move |_| close.with(Vec::len)))}
        </section>
    }
}

fn row(key: CloseKey) -> AnyView {
    let hash: String = key.hash.chars().take(12).collect();
    let name = match key.alias.is_empty() {
        true => format!("{hash}…"),
        false => key.alias,
    };
    let api = match key.api_name.is_empty() {
        true => key.api_id.clone(),
        false => key.api_name,
    };
    // All keys listed here have little left; the bar shows that by its colour, the text by its number.
    let low = (key.max / 5).saturating_add(1).min(key.max);
    let left = format!("{} of {} left", count(key.remaining), count(key.max));
    view! {
        <tr>
            <th scope="row" class="cell-name">
                <a href=routes::key(&key.hash)>{name}</a>
                {only(key.remaining == 0, || view! {
                    <span class="cell-sub"><span class="badge badge-plain badge-deleted">"Used up"</span></span>
                }.into_any())}
            </th>
            <td data-label="API"><a href=routes::api(&key.api_id)>{api}</a></td>
            <td data-label="Left">
                <span class="close-left">
                    <meter min="0" max=key.max.to_string() low=low.to_string() high=key.max.to_string() optimum=key.max.to_string() value=key.remaining.to_string() aria-label=left.clone()></meter>
                    <span class="number">{left}</span>
                </span>
            </td>
            <td data-label="Resets">
                {match key.renews {
                    0 => "never".into_any(),
                    seconds => view! { <Moment seconds=seconds /> }.into_any(),
                }}
            </td>
        </tr>
    }
    .into_any()
}
