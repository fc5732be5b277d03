//! The key that the token is verified with.

use leptos::prelude::*;

use gatewright_model::json::parse;

use super::Desk;
use crate::api::ApiError;
use crate::components::{Bones, Failure, Notice, Tint, each, live, task_label};
use crate::state::jwt::{Keys, SetKey, found, keys_in, keys_of};
use crate::state::task::Task;
use crate::state::{Memo, effect};

/// The key sets: the address of each, with what was fetched from there.
type Fetched = Vec<(String, Result<String, ApiError>)>;

/// The card.
#[component]
pub(super) fn KeyCard(desk: Desk) -> impl IntoView {
    let keys = Memo::new(move |_| keys_of(&desk.text()));
    let sets = Memo::new(move |_| match keys.get() {
        Keys::Sets(urls) => urls,
        Keys::Here => Vec::new(),
        Keys::Elsewhere => {
            let address = |text: &str| Some(parse(text).ok()?.str("jwks_uri")?.to_owned());
            let meant = desk.meant().into_iter();
            let urls = meant.filter_map(|provider| address(&provider.text));
            urls.filter(|url| !url.is_empty()).collect()
        }
    });
    let fetched = RwSignal::new(Fetched::new());
    // The sets of another API don't apply here.
    effect(move || {
        sets.with(|_| ());
        fetched.set(Vec::new());
    });
    let task = Task::new();
    let look = move |_| {
        let urls = sets.get_untracked();
        task.run(async move {
            let mut all = Vec::new();
            for url in urls {
                let text = desk.chosen.console.api.fetch_document(&url).await;
                all.push((url, text.map(|fetched| fetched.text)));
            }
            fetched.try_set(all);
        });
    };
    let origin = move || {
        match (keys.get(), sets.with(Vec::is_empty)) {
        (Keys::Here, _) => view! { <p>"The definition itself has the key or secret (jwt_source), whichever one the token names."</p> }.into_any(),
        (Keys::Elsewhere, true) => view! { <p>"The definition has no key: the token is checked with the secret of the key that it names (kid), or with the keys of a client identity provider."</p> }.into_any(),
        (which, false) => {
            let lead = match which {
                Keys::Sets(_) => "The definition has them at:",
                _ => "The client identity provider has them at:",
            };
            let url = |url: String| view! { <li><code class="wraps">{url}</code></li> }.into_any();
            view! {
                <p>{lead}</p>
                <ul class="plain-list">{each(sets.get(), url)}</ul>
                <div class="row">
                    <button type="button" class="btn btn-small" disabled=move || task.busy() on:click=look>
                        {task_label(task, "Look it up", "Looking…")}
                    </button>
                </div>
            }
            .into_any()
        }
        (Keys::Sets(_), true) => ().into_any(),
    }
    };
    let shown = move || {
        if task.busy() {
            return view! { <Bones rows=2 label="Fetching the key sets" /> }.into_any();
        }
        let of = move |(url, set): (String, Result<String, ApiError>)| match set {
            Err(error) => view! { <Failure error=error /> }.into_any(),
            Ok(text) => view! { <Set desk=desk url=url text=text /> }.into_any(),
        };
        each(fetched.get(), of).into_any()
    };
    view! {
        <section class="card panel" aria-labelledby="keys-title">
            <h2 id="keys-title">"Its key"</h2>
            {live(origin)}
            <div class="stack" aria-live="polite">{live(shown)}</div>
        </section>
    }
}

/// The keys of a set, with the one named by the token marked.
#[component]
fn Set(desk: Desk, url: String, text: String) -> impl IntoView {
    let shown = move || {
        let Some(token) = desk.read() else {
            return ().into_any();
        };
        let keys = match keys_in(&text, &token) {
            Err(why) => {
                return view! { <Notice tint=Tint::Red><span>{why}</span></Notice> }.into_any();
            }
            Ok(keys) => keys,
        };
        let (is_there, message) = found(&token, &keys);
        let tint = if is_there { Tint::Green } else { Tint::Amber };
        view! {
            <Notice tint=tint><span>{message}</span></Notice>
            <ul class="plain-list" aria-label=format!("Keys at {url}")>{each(keys, key)}</ul>
        }
        .into_any()
    };
    live(shown)
}

fn key(key: SetKey) -> AnyView {
    let name = match key.kid.as_str() {
        "" => "no name".to_owned(),
        kid => kid.to_owned(),
    };
    let word = match (key.is_named, key.fits) {
        (true, true) => " – the one that the token names",
        (true, false) => " – named, but of another kind",
        _ => "",
    };
    view! { <li><code class="wraps">{name}</code>" "<span class="muted small">{key.kind}</span>{word}</li> }
        .into_any()
}
