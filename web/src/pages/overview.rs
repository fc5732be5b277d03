//! What is served and what needs attention: the start page.

mod apis;
pub(super) mod chart;
pub(super) mod charted;
pub(super) mod charts;
mod close;
mod failed;
mod failures;
mod place;
mod reload;
mod stored;
mod totals;

use leptos::prelude::*;

use crate::api::figures::{Figures, Storage};
use crate::components::{
    Bones, Empty, Failure, Glyph, PageHead, Shown, each, live, maybe, only, unique_id,
};
use crate::pages::needs::to_new;
use crate::pages::reload::SkippedList;
use crate::pages::seen::while_seen;
use crate::routes;
use crate::state::failures::Narrowed;
use crate::state::load::Load;
use crate::state::query_string::pairs;
use crate::state::{Memo, effect, use_console};
use apis::Busiest;
use charts::Charts;
use close::CloseToLimit;
use failures::Failures;
use place::Place;
use reload::ReloadNotice;
use stored::Stored;
use totals::Totals;

/// The windows, with their labels.
pub(super) const WINDOWS: [(&str, &str); 4] = [
    ("15m", "15 minutes"),
    ("1h", "1 hour"),
    ("24h", "24 hours"),
    ("7d", "7 days"),
];
/// What is pending and what is stored is fetched again with every n-th refresh of the figures.
const BOARD_EVERY: u32 = 6;

/// What the page shows; it is in the address.
#[derive(Clone, Debug, PartialEq, Eq)]
struct View {
    /// The window.
    window: &'static str,
    /// The id of an API; empty for all.
    api_id: String,
}

impl View {
    fn parse(query: &str) -> Self {
        let given = pairs(query);
        let value = |name: &str| {
            let found = given.iter().find(|(key, _)| key == name);
            found.map(|(_, value)| value.as_str()).unwrap_or_default()
        };
        let window = WINDOWS.iter().find(|(word, _)| *word == value("window"));
        Self {
            window: window.map_or("1h", |(word, _)| word),
            api_id: value("api").to_owned(),
        }
    }
}

/// How many rows of a list are shown at first.
const ROWS: usize = 10;

/// The button that shows the rows of a list that are not shown yet; `all` counts its rows.
fn rest(shown: RwSignal<usize>, all: Memo<usize>) -> AnyView {
    let left = Memo::new(move |_| all.get().saturating_sub(shown.get()));
    let button = move || {
        view! { <button type="button" class="btn btn-small rest" on:click=move |_| shown.set(usize::MAX)>{format!("Show {} more", left.get())}</button> }
            .into_any()
    };
    live(move || only(left.get() > 0, button))
}

/// Keeps the last good result, which stays on screen while a newer one is loading or has failed.
pub(super) fn last_good<T: Clone + Send + Sync + 'static>(load: Load<T>) -> RwSignal<Option<T>> {
    let last = RwSignal::new(None);
    effect(move || {
        if let Some(good) = load.good() {
            last.set(Some(good));
        }
    });
    last
}

/// The page.
#[component]
pub fn Overview() -> impl IntoView {
    let console = use_console();
    let address = console.address;
    let shown = Memo::new(move |_| View::parse(&address.query()));
    let window = Memo::new(move |_| shown.with(|view| view.window));
    let api_id = Memo::new(move |_| shown.with(|view| view.api_id.clone()));
    let narrowed = Memo::new(move |_| Narrowed::parse(&address.query()));
    let place = Place {
        address,
        window,
        api_id,
        narrowed,
    };
    let all = Load::new(move || {
        let window = window.get();
        async move { console.api.figures(window, "").await }
    });
    let one = Load::new(move || {
        let (window, api_id) = (window.get(), api_id.get());
        async move {
            match api_id.as_str() {
                "" => Ok(Figures::default()),
                id => console.api.figures(window, id).await,
            }
        }
    });
    let stored = Load::new(move || async move { console.api.storage().await });
    watch(all, one, stored, api_id);
    let (last_all, last_one) = (last_good(all), last_good(one));
    let drawn = Memo::new(move |_| {
        let last = match api_id.with(String::is_empty) {
            true => last_all,
            false => last_one,
        };
        let figures = last.get().unwrap_or_default();
        match narrowed.with(|narrowed| narrowed.between) {
            Some(between) => figures.between(between),
            None => figures,
        }
    });
    let zoom = Callback::new(move |(first, last)| {
        let between = drawn.with_untracked(|figures| figures.times(first, last));
        place.narrow(|narrowed| narrowed.between = between.or(narrowed.between));
    });
    let last_sizes = last_good(stored);
    let sizes = Memo::new(move |_| last_sizes.get().unwrap_or_default());
    let everything = Memo::new(move |_| last_all.get().unwrap_or_default());
    let again = move |()| {
        all.again();
        one.again();
    };
    let failed = move || {
        maybe(all.failed().or(one.failed()), |error| {
            view! { <Failure error=error on_retry=again /> }.into_any()
        })
    };
    let choose = Callback::new(move |window| {
        address.replace(&routes::overview(window, &api_id.get_untracked()));
    });
    let skipped = move || console.board.good().unwrap_or_default().skipped;
    view! {
        <PageHead title="Overview" lead="What the gateway serves, and what needs attention.">
            <Windows window=window on_choose=choose />
        </PageHead>
        <ReloadNotice />
        {live(failed)}
        <Shown when=move || last_all.with(Option::is_none) && all.failed().is_none()>
            <Bones rows=8 label="Loading the figures" />
        </Shown>
        <Shown when=move || last_all.with(Option::is_some)>
            <Scope window=window api_id=api_id everything=everything />
            <Totals figures=drawn />
            <Shown when=move || drawn.with(|figures| figures.totals.requests == 0)>
                <Nothing />
            </Shown>
            <Shown when=move || drawn.with(|figures| figures.totals.requests != 0)>
                <Charts figures=drawn on_pick=zoom />
            </Shown>
            <Failures place=place />
            <Busiest window=window api_id=api_id everything=everything />
            <CloseToLimit everything=everything />
            <Shown when=move || sizes.with(|sizes: &Storage| sizes.database > 0)>
                <Stored storage=sizes />
            </Shown>
        </Shown>
        {live(move || view! { <SkippedList skipped=skipped() title="Skipped by the last reload" /> })}
    }
    .into_any()
}

/// Refreshes periodically, and at once when the page becomes visible again.
fn watch(all: Load<Figures>, one: Load<Figures>, stored: Load<Storage>, api_id: Memo<String>) {
    let board = use_console().board;
    let ticks = StoredValue::new(0_u32);
    while_seen(move |ticked| {
        all.again();
        if !api_id.with_untracked(String::is_empty) {
            one.again();
        }
        if !ticked {
            return;
        }
        ticks.update_value(|ticks| *ticks = ticks.wrapping_add(1));
        if ticks.get_value().is_multiple_of(BOARD_EVERY) {
            board.again();
            stored.again();
        }
    });
}

/// The window of the figures.
#[component]
pub(super) fn Windows(
    window: Memo<&'static str>,
    /// Chooses another one, by its name.
    on_choose: Callback<&'static str>,
) -> impl IntoView {
    let pill = move |(word, label): (&'static str, &'static str)| {
        let choose = move |_| on_choose.run(word);
        view! {
            <label class="pill">
                <input type="radio" name="window" value=word prop:checked=move || window.get() == word on:change=choose />
                <span>{label}</span>
            </label>
        }
        .into_any()
    };
    view! {
        <fieldset class="pills">
            <legend class="visually-hidden">"Window"</legend>
            {each(WINDOWS, pill)}
        </fieldset>
    }
}

/// Chooses the API of the figures.
#[component]
fn Scope(
    window: Memo<&'static str>,
    api_id: Memo<String>,
    everything: Memo<Figures>,
) -> impl IntoView {
    let address = use_console().address;
    let id = unique_id("scope");
    let options = Memo::new(move |_| {
        let mut options: Vec<(String, String)> = everything.with(|figures| {
            let apis = figures.apis.iter();
            apis.map(|api| (api.api_id.clone(), api.called().to_owned()))
                .collect()
        });
        // The chosen one stays, even if it had no requests.
        let chosen = api_id.get();
        if !chosen.is_empty() && !options.iter().any(|(id, _)| *id == chosen) {
            options.push((chosen.clone(), chosen));
        }
        options
    });
    let option = move |(id, name): (String, String)| {
        let chosen = api_id.with_untracked(|chosen| *chosen == id);
        view! { <option value=id selected=chosen>{name}</option> }.into_any()
    };
    let choose = move |event| {
        let url = routes::overview(window.get_untracked(), &event_target_value(&event));
        address.replace(&url);
    };
    view! {
        <div class="scope">
            <label for=id.clone()>"Figures of"</label>
            <select id=id class="input" prop:value=move || api_id.get() on:change=choose>
                <option value="">"All APIs"</option>
                {live(move || each(options.get(), option))}
            </select>
        </div>
    }
}

#[component]
fn Nothing() -> impl IntoView {
    let board = use_console().board;
    let loaded = move || board.good().is_none_or(|board| board.loaded_total > 0);
    view! {
        <Empty glyph=Glyph::Chart title="No requests in this window">
            <Shown
                when=loaded
                fallback=|| view! {
                    <p>"The gateway serves no API yet."</p>
                    {to_new(routes::NEW_API, "New API")}
                }
            >
                <p>"What the gateway serves from now on is shown here within seconds."</p>
            </Shown>
        </Empty>
    }
}
