//! The notifications, newest first.

use leptos::prelude::*;

use super::feed::{Feed, Wanted};
use crate::components::{When, button, keyed, live, maybe, only};
use crate::routes;
use crate::state::Memo;

/// The list. Existing items stay mounted when a new one arrives.
#[component]
pub(super) fn List(feed: Feed, wanted: Memo<Wanted>) -> impl IntoView {
    let keys = move || {
        let shown = feed.shown(&wanted.get());
        shown.into_iter().map(|seq| seq.to_string()).collect()
    };
    let rows = keyed(keys, move |key| {
        view! { <Row feed=feed key_of=key /> }.into_any()
    });
    let none = Memo::new(move |_| feed.shown(&wanted.get()).is_empty());
    let older = Memo::new(move |_| feed.has_older());
    view! {
        <div class="card table-card" hidden=move || none.get()>
            <table class="table docs-table">
                <caption class="visually-hidden">"Notifications"</caption>
                <thead>
                    <tr>
                        <th scope="col">"Number"</th>
                        <th scope="col">"Type"</th>
                        <th scope="col">"About"</th>
                        <th scope="col">"What happened"</th>
                        <th scope="col">"When"</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
        {live(move || only(older.get(), || {
            button("btn feed-older", "Show older ones", move || feed.older())
        }))}
    }
}

#[component]
fn Row(feed: Feed, key_of: String) -> impl IntoView {
    let notice = key_of.parse().ok().and_then(|seq| feed.find(seq));
    maybe(notice, |notice| {
        let name = if notice.name.is_empty() {
            notice.about.clone()
        } else {
            notice.name
        };
        let about = match routes::document(notice.subject, &notice.about, notice.gone) {
            Some(href) => view! { <a href=href>{name}</a> }.into_any(),
            None => view! { <span>{name}</span> }.into_any(),
        };
        view! {
            <tr>
                <th scope="row" class="cell-name">{format!("#{}", notice.seq)}</th>
                <td data-label="Type"><code>{notice.kind}</code></td>
                <td data-label="About">{about}</td>
                <td data-label="What happened" class="cell-what">{notice.detail}</td>
                <td data-label="When" class="cell-when"><When at=notice.at /></td>
            </tr>
        }
        .into_any()
    })
}
