//! The APIs of one page: a table on wide screens, cards on narrow ones.

use leptos::prelude::*;

use super::actions::RowActions;
use super::face::Face;
use super::row::ApiRow;
use crate::api::SummaryPage;
use crate::components::{Glyph, Icon, Rows, Selection, live, maybe, select_heading};
use crate::state::Memo;
use crate::state::filters::Filters;

/// The table.
#[component]
pub(super) fn ApiTable(
    face: &'static Face,
    found: SummaryPage,
    rows: Rows,
    filters: Memo<Filters>,
    set_filters: Callback<Filters>,
    actions: RowActions,
    selection: Selection,
) -> impl IntoView {
    let by_tag = Callback::new(move |tag: String| {
        set_filters.run(Filters {
            tag,
            page: 1,
            ..filters.get_untracked()
        });
    });
    let row = move |api| {
        view! { <ApiRow face=face api=api by_tag=by_tag actions=actions selection=selection /> }
            .into_any()
    };
    let head = move |column, label| view! { <SortHead column=column label=label filters=filters set_filters=set_filters /> };
    view! {
        <div class="card table-card">
            <table class="table apis-table">
                <caption class="visually-hidden">{face.title}</caption>
                <thead>
                    <tr>
                        {select_heading()}
                        {head("name", "Name")}
                        {head("listen_path", "Listen path")}
                        <th scope="col" class="col-target">"Target"</th>
                        {head("state", "State")}
                        {head("updated_at", "Updated")}
                        <th scope="col" class="col-actions">
                            <span class="visually-hidden">"Actions"</span>
                        </th>
                    </tr>
                </thead>
                <tbody>
                    {rows.of(found.apis.into_iter().map(row))}
                </tbody>
            </table>
        </div>
    }
}

/// A column heading that orders the list.
#[component]
fn SortHead(
    column: &'static str,
    label: &'static str,
    filters: Memo<Filters>,
    set_filters: Callback<Filters>,
) -> impl IntoView {
    let order = move || {
        filters.with(|filters| {
            (filters.sort == column).then_some(if filters.descending {
                "descending"
            } else {
                "ascending"
            })
        })
    };
    view! {
        <th scope="col" class=format!("col-{column}") aria-sort=order>
            <button type="button" class="sort" on:click=move |_| set_filters.run(filters.with_untracked(|filters| filters.sorted_by(column)))>
                {label}
                {live(move || maybe(order(), |order| view! { <Icon glyph=if order == "ascending" { Glyph::Up } else { Glyph::Down } /> }.into_any()))}
            </button>
        </th>
    }
}
