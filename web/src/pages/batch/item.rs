//! One request of a batch as a form.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use crate::components::{Glyph, HeaderFields, IconButton, each, live};
use crate::state::Memo;
use crate::state::batch::{Batch, Item, METHODS};
use crate::state::draft::plural;

type HeaderList = Vec<(String, String)>;

/// The form of one request. It reads and writes the batch itself, so both views stay in sync.
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
                    <HeaderFields
                        headers=Signal::derive(move || item.get().headers)
                        on_change=Callback::new(move |headers: HeaderList| change(&|item| item.headers.clone_from(&headers)))
                    />
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
        (headers, 0) => format!(" · {}", plural(headers, "header")),
        (headers, bytes) => format!(" · {}, {bytes} B", plural(headers, "header")),
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

/// Moving and removing, both with the keyboard.
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

/// Keeps the focus on the moved request, so that the same key can move it again.
fn follow(index: usize, down: bool) {
    let (child, button) = (index.saturating_add(1), if down { 2 } else { 1 });
    let selector =
        format!(".items > li:nth-child({child}) .item-buttons button:nth-child({button})");
    if let Ok(Some(button)) = document().query_selector(&selector) {
        let _ = button.unchecked_into::<HtmlElement>().focus();
    }
}
