//! The failures in the window: by reason, and one request of each kind and minute.

use leptos::prelude::*;

use super::failed::Request;
use super::place::Place;
use super::{ROWS, rest};
use crate::api::figures::failures::{FailureMinute, FailureSum, Failures as Found};
use crate::components::{
    Bones, Failure, Glyph, Icon, Moment, Shown, Status, each, live, maybe, only, unique_id,
};
use crate::pages::seen::while_seen;
use crate::state::chart::count;
use crate::state::failures::{Narrowed, hint};
use crate::state::load::Load;
use crate::state::{Memo, use_console};

/// The classes of statuses, with their labels.
const CLASSES: [(&str, &str); 2] = [("4xx", "4xx, refused"), ("5xx", "5xx, errors")];

/// The section.
#[component]
pub(super) fn Failures(place: Place) -> impl IntoView {
    let console = use_console();
    let load = Load::new(move || {
        let query = place
            .narrowed
            .with(|narrowed| narrowed.to_request(place.window.get(), &place.api_id.get()));
        async move { console.api.failures(&query).await }
    });
    while_seen(move |_| load.again());
    let found = super::last_good(load);
    let shown = Memo::new(move |_| found.get().unwrap_or_default());
    let none = move || shown.with(|found| found.kinds.is_empty());
    let failed = move || {
        maybe(load.failed(), |error| {
            view! { <Failure error=error on_retry=move |()| load.again() /> }.into_any()
        })
    };
    let nothing = move || match place.narrowed.with(Narrowed::is_any) {
        true => "Nothing that matches these filters has failed.",
        false => "Nothing has failed in this window.",
    };
    view! {
        <section class="failures" aria-labelledby="failures-title">
            <h2 id="failures-title">"Failures"</h2>
            <Narrowing place=place found=shown />
            {live(failed)}
            <Shown when=move || found.with(Option::is_none) && load.failed().is_none()>
                <Bones rows=3 label="Loading what has failed" />
            </Shown>
            <Shown when=move || found.with(Option::is_some) && none()>
                <p class="muted">{live(nothing)}</p>
            </Shown>
            <Shown when=move || !none()>
                <Kinds place=place found=shown />
                <Requests place=place found=shown />
            </Shown>
        </section>
    }
    .into_any()
}

/// The active filters of the list, each with a button that removes it.
#[component]
fn Narrowing(place: Place, found: Memo<Found>) -> impl IntoView {
    let narrowed = place.narrowed;
    let (status, path) = (unique_id("status"), unique_id("path"));
    let class =
        move |word: &'static str| narrowed.with_untracked(|narrowed| narrowed.status == word);
    let option = move |(word, label): (&'static str, &'static str)| {
        view! { <option value=word selected=class(word)>{label}</option> }.into_any()
    };
    let own = move || {
        let status = narrowed.with(|narrowed| narrowed.status.clone());
        let known = status.is_empty() || CLASSES.iter().any(|(word, _)| *word == status);
        only(!known, || {
            view! { <option value=status.clone() selected=true>{status.clone()}</option> }
                .into_any()
        })
    };
    let chips = move || {
        let now = narrowed.get();
        let key = match found.with(|found| found.key(&now.key).to_owned()) {
            name if name.is_empty() => now.key.chars().take(12).collect(),
            name => name,
        };
        let between = now.between.map(|_| "The chosen time".to_owned());
        let without = |act: fn(&mut Narrowed)| {
            let mut without = now.clone();
            act(&mut without);
            without
        };
        let all = [
            (between, without(|narrowed| narrowed.between = None)),
            (
                Some(now.reason.clone()),
                without(|narrowed| narrowed.reason.clear()),
            ),
            (
                (!now.version.is_empty()).then(|| format!("Version {}", now.version)),
                without(|narrowed| narrowed.version.clear()),
            ),
            (
                (!key.is_empty()).then(|| format!("Key {key}")),
                without(|narrowed| narrowed.key.clear()),
            ),
        ];
        let all = all
            .into_iter()
            .filter_map(|(text, without)| Some((text?, without)));
        each(
            all.filter(|(text, _)| !text.is_empty()),
            move |(text, without)| chip(place, text, without),
        )
    };
    view! {
        <div class="toolbar" role="search" aria-label="Failures">
            <label class="visually-hidden" for=status.clone()>"Status"</label>
            <select id=status class="input" prop:value=move || narrowed.with(|narrowed| narrowed.status.clone()) on:change=move |event| {
                place.narrow(|narrowed| narrowed.status = event_target_value(&event));
            }>
                <option value="">"All statuses"</option>
                {each(CLASSES, option)}
                {live(own)}
            </select>
            <label class="visually-hidden" for=path.clone()>"Part of the path"</label>
            <input
                id=path
                type="search"
                class="input mono"
                placeholder="Part of the path"
                autocomplete="off"
                spellcheck="false"
                prop:value=move || narrowed.with(|narrowed| narrowed.path.clone())
                on:change=move |event| place.narrow(|narrowed| narrowed.path = event_target_value(&event))
            />
            {live(chips)}
            <Shown when=move || narrowed.with(Narrowed::is_any)>
                <button type="button" class="btn btn-small" on:click=move |_| place.narrow(|narrowed| *narrowed = Narrowed::default())>
                    "Show all"
                </button>
            </Shown>
        </div>
    }
}

fn chip(place: Place, text: String, without: Narrowed) -> AnyView {
    let label = format!("Remove the filter: {text}");
    view! {
        <button type="button" class="btn btn-small failures-chip" aria-label=label on:click=move |_| place.narrow(|narrowed| narrowed.clone_from(&without))>
            <span>{text}</span>
            <Icon glyph=Glyph::Close />
        </button>
    }
    .into_any()
}

#[component]
fn Kinds(place: Place, found: Memo<Found>) -> impl IntoView {
    let shown = RwSignal::new(ROWS);
    let rows = move || {
        let found = found.get();
        let kinds = found.kinds.iter().take(shown.get());
        each(kinds, |sum| {
            kind(place, sum, found.api(&sum.kind.api_id).to_owned())
        })
    };
    view! {
        <div class="card table-card">
            <table class="table failure-kinds">
                <caption class="visually-hidden">"Failed requests by reason, the most first"</caption>
                <thead>
                    <tr>
                        <th scope="col">"Reason"</th>
                        <th scope="col">"Status"</th>
                        <th scope="col">"API"</th>
                        <th scope="col">"Requests"</th>
                        <th scope="col">"Last"</th>
                    </tr>
                </thead>
                <tbody>{live(rows)}</tbody>
            </table>
        </div>
        {rest(shown, Memo::new(move |_| found.with(|found| found.kinds.len())))}
    }
}

fn kind(place: Place, sum: &FailureSum, api: String) -> AnyView {
    let FailureSum {
        kind,
        count: many,
        last,
    } = sum.clone();
    let advice = hint(&kind);
    let chosen = kind.clone();
    let narrow_to_kind = move |_| place.narrow_to(&chosen);
    view! {
        <tr>
            <th scope="row" class="cell-name">
                <button type="button" class="link-button" on:click=narrow_to_kind>{kind.reason.clone()}</button>
                {maybe(advice, |advice| view! { <span class="cell-sub muted small">{advice}</span> }.into_any())}
            </th>
            <td data-label="Status"><Status code=kind.status failed=true /></td>
            <td data-label="API">
                <a href=crate::routes::api(&kind.api_id)>{api}</a>
                {only(!kind.version.is_empty(), || view! { <span class="muted small">{format!(" {}", kind.version)}</span> }.into_any())}
            </td>
            <td data-label="Requests" class="number">{count(many)}</td>
            <td data-label="Last"><Moment seconds=last minute=true /></td>
        </tr>
    }
    .into_any()
}

#[component]
fn Requests(place: Place, found: Memo<Found>) -> impl IntoView {
    let open = RwSignal::new(None::<String>);
    let shown = RwSignal::new(ROWS);
    let sampled = |minute: &&FailureMinute| minute.sample.is_some();
    let rows = move || {
        let found = found.get();
        let minutes = found.minutes.iter().filter(sampled).take(shown.get());
        each(minutes, |minute| request(place, minute, &found, open))
    };
    let all = Memo::new(move |_| found.with(|found| found.minutes.iter().filter(sampled).count()));
    view! {
        <div class="card panel">
            <h3 id="failed-title">"One request of each kind and minute"</h3>
            <p class="muted small">"Without bodies, and without the values of parameters and headers that may hold credentials."</p>
            <ol class="failed" aria-labelledby="failed-title">{live(rows)}</ol>
            {rest(shown, all)}
        </div>
    }
}

fn request(
    place: Place,
    minute: &FailureMinute,
    found: &Found,
    open: RwSignal<Option<String>>,
) -> AnyView {
    let sample = minute.sample.clone().unwrap_or_default();
    let kind = &minute.kind;
    let name = format!(
        "{} {} {} {} {}",
        minute.at, kind.api_id, kind.version, kind.status, kind.reason
    );
    let is_open = {
        let name = name.clone();
        Memo::new(move |_| open.with(|open| open.as_ref() == Some(&name)))
    };
    let toggle =
        move |_| open.update(|open| *open = (!is_open.get_untracked()).then(|| name.clone()));
    let key_name = found.key(&sample.key).to_owned();
    let (api_id, status, reason) = (kind.api_id.clone(), kind.status, kind.reason.clone());
    let many = minute.count;
    let line = format!("{} {}", sample.method, sample.path);
    let details = move || {
        view! {
            <Request place=place api_id=api_id.clone() sample=sample.clone() key_name=key_name.clone() many=many />
        }
        .into_any()
    };
    let at = minute.sample.as_ref().map_or(minute.at, |sample| sample.at);
    view! {
        <li>
            <button type="button" class="failed-line" aria-expanded=move || is_open.get().to_string() on:click=toggle>
                <Status code=status failed=true />
                <code>{line}</code>
                <span class="muted small">{reason}</span>
                <span class="muted small"><Moment seconds=at /></span>
            </button>
            {live(move || only(is_open.get(), &details))}
        </li>
    }
    .into_any()
}
