//! Notifications, live.

mod feed;
mod list;

use leptos::prelude::*;

use crate::api::dashboard::notices::TYPES;
use crate::components::{Bones, Empty, Failure, Glyph, PageHead, button, each, live, only};
use crate::routes;
use crate::state::query_string::{join, pairs};
use crate::state::{Memo, use_console};
use feed::{Feed, Status, Wanted};
use list::List;

/// The page.
#[component]
pub fn Notifications() -> impl IntoView {
    let console = use_console();
    let address = console.address;
    let given = move |wanted: &str| {
        let mut given = pairs(&address.query()).into_iter();
        let found = given.find(|(name, _)| name == wanted);
        found.map(|(_, value)| value).unwrap_or_default()
    };
    let wanted = Memo::new(move |_| Wanted {
        kind: given("type"),
        about: given("about"),
    });
    let feed = Feed::open(console);
    let begun = Memo::new(move |_| feed.begun());
    let failed = Memo::new(move |_| feed.failed());
    let none = Memo::new(move |_| feed.shown(&wanted.get()).is_empty());
    let shown = move || match (failed.get(), begun.get()) {
        (Some(error), _) => {
            view! { <Failure error=error on_retry=move |()| feed.again() /> }.into_any()
        }
        (None, false) => view! { <Bones rows=6 label="Loading the notifications" /> }.into_any(),
        (None, true) => view! {
            {live(move || only(none.get(), || empty(&wanted.get())))}
            <List feed=feed wanted=wanted />
        }
        .into_any(),
    };
    view! {
        <PageHead title="Notifications" lead="One for every change of an API, a key or a provider, for every reload and every event that an API reports to a webhook, as it happens.">
            <State feed=feed />
        </PageHead>
        <Kinds wanted=wanted />
        <section aria-label="Results" class="results">{live(shown)}</section>
    }
    .into_any()
}

fn empty(wanted: &Wanted) -> AnyView {
    let title = match (wanted.kind.as_str(), wanted.about.as_str()) {
        ("", "") => "No notifications yet",
        (_, "") => "None of this type",
        _ => "None about this API among those that are listed",
    };
    view! {
        <Empty glyph=Glyph::Bell title=title>
            <p>"They appear here by themselves when something is saved or published."</p>
        </Empty>
    }
    .into_any()
}

/// Whether the list is up to date, and the button that pauses it.
#[component]
fn State(feed: Feed) -> impl IntoView {
    let face = move || match feed.status() {
        Status::Connecting => ("dot", "Connecting"),
        Status::Live => ("dot dot-green", "Live"),
        Status::Polling => ("dot dot-amber", "Checking every few seconds"),
        Status::Reconnecting => ("dot dot-amber", "Reconnecting"),
        Status::Paused => ("dot", "Paused"),
        Status::Stopped => ("dot dot-red", "Stopped"),
    };
    let label = move || {
        if feed.status() == Status::Paused {
            "Resume"
        } else {
            "Pause"
        }
    };
    view! {
        <span class="feed-state" role="status">
            {live(move || view! { <span class=face().0 aria-hidden="true"></span> })}
            {live(move || face().1)}
        </span>
        <button type="button" class="btn" on:click=move |_| feed.toggle()>{live(label)}</button>
    }
}

/// The filter; it is in the address.
#[component]
fn Kinds(wanted: Memo<Wanted>) -> impl IntoView {
    let address = use_console().address;
    let show = move |kind: String, about: String| {
        let query = join(&[("type", kind), ("about", about)]);
        let mark = if query.is_empty() { "" } else { "?" };
        address.replace(&format!("{}{mark}{query}", routes::NOTIFICATIONS));
    };
    let kind = Memo::new(move |_| wanted.get().kind);
    let choose = move |event| show(event_target_value(&event), wanted.get_untracked().about);
    let all = move || show(wanted.get_untracked().kind, String::new());
    let option = move |value: &'static str| {
        let selected = kind.with_untracked(|kind| kind == value);
        let label = if value.is_empty() { "All" } else { value };
        view! { <option value=value selected=selected>{label}</option> }.into_any()
    };
    view! {
        <div class="list-filters">
            <select class="input" aria-label="Type" prop:value=move || kind.get() on:change=choose>
                {each(std::iter::once("").chain(TYPES), option)}
            </select>
            {live(move || {
                let about = wanted.get().about;
                only(!about.is_empty(), || {
                    view! {
                        <span>"About the API "<code>{about}</code></span>
                        {button("btn btn-small", "About everything", all)}
                    }
                    .into_any()
                })
            })}
        </div>
    }
}
