//! One request of a batch as a form.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use crate::components::{Glyph, Icon, IconButton, each, live};
use crate::state::batch::{Batch, Item, METHODS};

type HeaderList = Vec<(String, String)>;

/// The form of one request. It reads and writes the batch itself, so both views stay in step.
#[component]
pub(super) fn ItemForm(batch: RwSignal<Batch>, index: usize) -> impl IntoView {
    let item =
        Memo::new(move |_| batch.with(|batch| batch.items.get(index).cloned().unwrap_or_default()));
    let change = move |act: &dyn Fn(&mut Item)| {
        batch.update(|batch| {
            if let Some(item) = batch.items.get_mut(index) {
                act(item);
            }
        });
    };
    let number = index.saturating_add(1);
    let has_more = move || item.with(|item| !item.headers.is_empty() || !item.body.is_empty());
    view! {
        <li class="item">
            <fieldset>
                <legend class="visually-hidden">{format!("Request {number}")}</legend>
                <div class="item-line">
                    <span class="item-number" aria-hidden="true">{number}</span>
                    <MethodField item=item change=Callback::new(move |method: String| change(&|item| item.method.clone_from(&method))) />
                    <input
                        type="text"
                        class="input mono item-url"
                        aria-label=format!("Relative URL of request {number}")
                        placeholder="relative/url?query"
                        autocomplete="off"
                        spellcheck="false"
                        prop:value=move || item.get().relative_url
                        on:input=move |event| change(&|item| item.relative_url = event_target_value(&event))
                    />
                    <ItemButtons batch=batch index=index />
                </div>
                <details class="item-more" open=untrack(has_more)>
                    <summary>
                        "Headers and body"
                        <span class="muted">{live(move || item.with(summary))}</span>
                    </summary>
                    <Headers batch=batch index=index />
                    <label class="field">
                        <span>"Body"</span>
                        <textarea
                            class="input mono"
                            rows="4"
                            spellcheck="false"
                            prop:value=move || item.get().body
                            on:input=move |event| change(&|item| item.body = event_target_value(&event))
                        ></textarea>
                    </label>
                </details>
            </fieldset>
        </li>
    }
}

fn summary(item: &Item) -> String {
    match (item.headers.len(), item.body.len()) {
        (0, 0) => String::new(),
        (0, bytes) => format!(" · {bytes} B"),
        (headers, 0) => format!(" · {headers} headers"),
        (headers, bytes) => format!(" · {headers} headers, {bytes} B"),
    }
}

#[component]
fn MethodField(item: Memo<Item>, change: Callback<String>) -> impl IntoView {
    // A method that only the JSON view can set is offered as well, so that it isn't lost.
    let options = move || {
        let current = item.get().method;
        let own = (!METHODS.contains(&current.as_str())).then(|| current.clone());
        let all = METHODS.iter().map(|method| (*method).to_owned()).chain(own);
        each(all, |method| {
            view! { <option value=method.clone() selected=method == current>{method.clone()}</option> }.into_any()
        })
    };
    view! {
        <select class="input item-method" aria-label="Method" prop:value=move || item.get().method on:change=move |event| change.run(event_target_value(&event))>
            {live(options)}
        </select>
    }
}

/// Moving and removing, all of it by keyboard.
#[component]
fn ItemButtons(batch: RwSignal<Batch>, index: usize) -> impl IntoView {
    let number = index.saturating_add(1);
    let last = move || batch.with(|batch| number >= batch.items.len());
    let shift = move |down: bool| {
        Callback::new(move |()| {
            if let Some(target) = batch.try_update(|batch| batch.shift(index, down)) {
                follow(target, down);
            }
        })
    };
    let remove = Callback::new(move |()| {
        batch.update(|batch| {
            if index < batch.items.len() {
                batch.items.remove(index);
            }
        });
    });
    view! {
        <div class="item-buttons">
            <IconButton glyph=Glyph::Up label=format!("Move request {number} up") disabled=index == 0 on_press=shift(false) />
            <IconButton glyph=Glyph::Down label=format!("Move request {number} down") disabled=last on_press=shift(true) />
            <IconButton glyph=Glyph::Trash label=format!("Remove request {number}") on_press=remove />
        </div>
    }
}

/// Keeps the focus on the request that was moved, so that it can be moved on by the same key.
fn follow(index: usize, down: bool) {
    let (place, button) = (index.saturating_add(1), if down { 2 } else { 1 });
    let selector =
        format!(".items > li:nth-child({place}) .item-buttons button:nth-child({button})");
    if let Ok(Some(button)) = document().query_selector(&selector) {
        let _ = button.unchecked_into::<HtmlElement>().focus();
    }
}

#[component]
fn Headers(batch: RwSignal<Batch>, index: usize) -> impl IntoView {
    let count = Memo::new(move |_| {
        batch.with(|batch| batch.items.get(index).map_or(0, |item| item.headers.len()))
    });
    let with_headers = move |act: &dyn Fn(&mut HeaderList)| {
        batch.update(|batch| {
            if let Some(item) = batch.items.get_mut(index) {
                act(&mut item.headers);
            }
        });
    };
    let row = move |at: usize| {
        let pair = move || {
            batch.with(|batch| {
                batch
                    .items
                    .get(index)
                    .and_then(|item| item.headers.get(at).cloned())
                    .unwrap_or_default()
            })
        };
        let set = move |name: Option<String>, value: Option<String>| {
            with_headers(&|headers| {
                if let Some(pair) = headers.get_mut(at) {
                    pair.0 = name.clone().unwrap_or_else(|| pair.0.clone());
                    pair.1 = value.clone().unwrap_or_else(|| pair.1.clone());
                }
            });
        };
        let remove = Callback::new(move |()| {
            with_headers(&|headers| {
                if at < headers.len() {
                    headers.remove(at);
                }
            });
        });
        view! {
            <div class="header-row">
                <input type="text" class="input mono" aria-label="Header name" placeholder="Name" spellcheck="false" prop:value=move || pair().0 on:input=move |event| set(Some(event_target_value(&event)), None) />
                <input type="text" class="input mono" aria-label="Header value" placeholder="Value" spellcheck="false" prop:value=move || pair().1 on:input=move |event| set(None, Some(event_target_value(&event))) />
                <IconButton glyph=Glyph::Close label="Remove the header" on_press=remove />
            </div>
        }
        .into_any()
    };
    view! {
        <div class="headers">
            {live(move || each(0..count.get(), row))}
            <button type="button" class="btn btn-small" on:click=move |_| with_headers(&|headers| headers.push(Default::default()))>
                <Icon glyph=Glyph::Plus />
                "Add a header"
            </button>
        </div>
    }
}
