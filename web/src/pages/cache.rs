//! The cache of an API: what it may keep, how often it is hit, and the button that empties it.

mod charts;
mod empty;
mod rules;

use leptos::prelude::*;

use super::api_parts::{ApiCrumbs, ApiTabs, Tab};
use super::needs::to_try;
use super::overview::{WINDOWS, Windows, last_good};
use super::seen::while_seen;
use crate::api::{ApiError, Document};
use crate::components::{
    Bones, Empty, Failure, Glyph, Icon, Notice, PageHead, Shown, Tint, live, maybe,
};
use crate::routes;
use crate::state::caching::Caching;
use crate::state::load::Load;
use crate::state::query_string::pairs;
use crate::state::{Memo, use_console};
use charts::{CacheCharts, CacheTotals};
use empty::EmptyDialog;
use rules::Rules;

/// Returns the window in a query.
fn window_of(query: &str) -> &'static str {
    let given = pairs(query);
    let named = given.iter().find(|(name, _)| name == "window");
    let named = named.map(|(_, word)| word.as_str()).unwrap_or_default();
    let window = WINDOWS.iter().find(|(word, _)| *word == named);
    window.map_or("1h", |(word, _)| word)
}

/// Returns the display name of an API: the one in its text, or its id.
pub(super) fn called(document: Option<Document>, id: &str) -> String {
    let text = document.map(|document| document.text).unwrap_or_default();
    let parsed = gatewright_model::json::parse(&text).ok();
    let name = parsed.as_ref().and_then(|value| value.str("name"));
    name.filter(|name| !name.trim().is_empty())
        .unwrap_or(id)
        .to_owned()
}

/// Explains why the definition of an API can't be shown.
pub(super) fn no_api(error: ApiError, again: Callback<()>) -> AnyView {
    match error {
        ApiError::Missing(_) => view! {
            <Empty glyph=Glyph::Search title="There is no such API">
                <p>"It was never stored, or it was deleted."</p>
                <a class="btn btn-primary" href=routes::APIS>"Go to the APIs"</a>
            </Empty>
        }
        .into_any(),
        error => view! { <Failure error=error on_retry=again /> }.into_any(),
    }
}

/// The page.
#[component]
pub fn CachePage(
    /// The id in the address.
    id: String,
) -> impl IntoView {
    let console = use_console();
    let id = StoredValue::new(id);
    let window = Memo::new(move |_| window_of(&console.address.query()));
    let document = Load::new(move || {
        // Another set may have been loaded since.
        let _ = console.board.get();
        async move { console.api.document(&id.get_value()).await }
    });
    let figures = Load::new(move || {
        let window = window.get();
        async move { console.api.figures(window, &id.get_value()).await }
    });
    while_seen(move |_| figures.again());
    let shown = last_good(figures);
    let drawn = Memo::new(move |_| shown.get().unwrap_or_default());
    let caching = Memo::new(move |_| document.good().map(|document| Caching::of(&document.text)));
    let title = Memo::new(move |_| id.with_value(|id| called(document.good(), id)));
    let emptying = RwSignal::new(false);
    let emptied = RwSignal::new(None::<String>);
    let choose = Callback::new(move |word| {
        let url = id.with_value(|id| routes::cache(id, word));
        console.address.replace(&url);
    });
    let keeps = move || caching.with(|caching| caching.as_ref().is_some_and(Caching::keeps));
    let looked = Memo::new(move |_| caching.with(Option::is_some));
    view! {
        <ApiCrumbs id=id />
        <PageHead title=Signal::derive(move || title.get()) part=Tab::Cache.name()>
            <Shown when=move || looked.get() && !console.only_reads()>
                <button type="button" class="btn" on:click=move |_| emptying.set(true)>
                    <Icon glyph=Glyph::Trash />
                    "Empty the cache…"
                </button>
            </Shown>
        </PageHead>
        <ApiTabs id=id tab=Signal::stored(Tab::Cache) />
        <div class="notices" role="status">
            {live(move || maybe(emptied.get(), |message| view! { <Notice tint=Tint::Green><span>{message}</span></Notice> }.into_any()))}
        </div>
        {live(move || maybe(document.failed(), |error| no_api(error, Callback::new(move |()| document.again()))))}
        <Shown when=move || document.good().is_some_and(|document| document.pending)>
            <Notice tint=Tint::Amber>
                <span>"A change of the definition is pending: the cache still follows the served one."</span>
                <a class="btn btn-small" href=routes::RELOAD>"Review the next reload"</a>
            </Notice>
        </Shown>
        <Shown when=move || !looked.get() && document.failed().is_none()>
            <Bones rows=8 label="Loading the cache" />
        </Shown>
        <Shown when=move || looked.get()>
            <section class="served-part" aria-labelledby="hits-title">
                <div class="served-head">
                    <h2 id="hits-title">"Hits and misses"</h2>
                    <Windows window=window on_choose=choose />
                </div>
                {live(move || maybe(figures.failed(), |error| view! { <Failure error=error on_retry=move |()| figures.again() /> }.into_any()))}
                <CacheTotals figures=drawn />
                <Shown when=move || drawn.with(|figures| figures.totals.requests > 0) fallback=move || view! { <Nothing keeps=Signal::derive(keeps) id=id /> }>
                    <CacheCharts figures=drawn />
                </Shown>
            </section>
            <Rules caching=Memo::new(move |_| caching.get().unwrap_or_default()) id=id />
        </Shown>
        <Shown when=move || emptying.get()>
            <EmptyDialog
                id=id
                name=untrack(|| title.get())
                on_close=Callback::new(move |()| emptying.set(false))
                on_done=Callback::new(move |message| {
                    emptying.set(false);
                    emptied.set(Some(message));
                    figures.again();
                })
            />
        </Shown>
    }
    .into_any()
}

/// Shown while there are no requests to count.
#[component]
fn Nothing(keeps: Signal<bool>, id: StoredValue<String>) -> impl IntoView {
    view! {
        <Empty glyph=Glyph::Chart title="No requests in this window">
            <Shown when=move || keeps.get() fallback=|| view! { <p>"Nothing would be cached either: see the settings below."</p> }>
                <p>"What the gateway serves from now on is shown here within seconds."</p>
                {to_try(id.with_value(|id| routes::try_it(id)), "btn")}
            </Shown>
        </Empty>
    }
}
