//! Editable header fields: a row for each, and a button that adds one.

use leptos::prelude::*;

use super::{Glyph, Icon, IconButton, each, live};
use crate::state::Memo;

type Headers = Vec<(String, String)>;

/// The fields of a request's headers.
#[component]
pub fn HeaderFields(
    /// Names and values.
    headers: Signal<Headers>,
    /// Receives the headers after each change.
    on_change: Callback<Headers>,
) -> impl IntoView {
    let count = Memo::new(move |_| headers.with(Vec::len));
    let change = move |act: &dyn Fn(&mut Headers)| {
        let mut changed = headers.get_untracked();
        act(&mut changed);
        on_change.run(changed);
    };
    let row = move |at: usize| {
        let pair = move || headers.with(|headers| headers.get(at).cloned().unwrap_or_default());
        let set = move |name: Option<String>, value: Option<String>| {
            change(&|headers| {
                if let Some(pair) = headers.get_mut(at) {
                    pair.0 = name.clone().unwrap_or_else(|| pair.0.clone());
                    pair.1 = value.clone().unwrap_or_else(|| pair.1.clone());
                }
            });
        };
        let remove = Callback::new(move |()| {
            change(&|headers| {
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
            <button type="button" class="btn btn-small" on:click=move |_| change(&|headers| headers.push(Default::default()))>
                <Icon glyph=Glyph::Plus />
                "Add a header"
            </button>
        </div>
    }
}
