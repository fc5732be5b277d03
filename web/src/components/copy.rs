//! Copying to the clipboard.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen_futures::JsFuture;

use super::{Glyph, Icon, live};

/// How long the tick stays.
const CONFIRMS: Duration = Duration::from_millis(1600);

/// Copies a text; returns whether the browser allowed it.
pub async fn copy_text(text: &str) -> bool {
    // There is no clipboard on a plain HTTP page of another machine; the call then throws.
    let clipboard = window().navigator().clipboard();
    if clipboard.is_undefined() {
        return false;
    }
    JsFuture::from(clipboard.write_text(text)).await.is_ok()
}

/// A button that copies a text and confirms it.
#[component]
pub fn CopyButton(
    /// The text to copy; computed when the button is pressed.
    #[prop(into)]
    text: Signal<String>,
    /// The label of the button.
    label: &'static str,
    /// Whether the label is visible; otherwise only the icon is.
    #[prop(optional)]
    labelled: bool,
) -> impl IntoView {
    let outcome = RwSignal::new(None::<bool>);
    let copy = move |_| {
        let text = text.get_untracked();
        spawn_local(async move {
            outcome.try_set(Some(copy_text(&text).await));
            set_timeout(
                move || {
                    outcome.try_set(None);
                },
                CONFIRMS,
            );
        });
    };
    let glyph = move || {
        if outcome.get() == Some(true) {
            Glyph::Check
        } else {
            Glyph::Copy
        }
    };
    let status = move || match outcome.get() {
        Some(true) => "Copied",
        Some(false) => "The browser did not allow copying",
        None => "",
    };
    view! {
        <button type="button" class=if labelled { "btn" } else { "btn btn-icon" } title=label on:click=copy>
            {live(move || view! { <Icon glyph=glyph() /> })}
            <span class=if labelled { "" } else { "visually-hidden" }>
                {live(move || if labelled && outcome.get() == Some(true) { "Copied" } else { label })}
            </span>
            <span class="visually-hidden" role="status">{live(status)}</span>
        </button>
    }
}

/// A secret that is shown once, with a button that copies it.
#[component]
pub fn SecretText(
    /// The secret.
    text: String,
    /// What the secret is.
    name: &'static str,
    /// The label of the button that copies it.
    copy: &'static str,
) -> impl IntoView {
    let copied = text.clone();
    view! {
        <div class="token">
            <code class="token-text" tabindex="0" aria-label=name>{text}</code>
            <CopyButton text=Signal::stored(copied) label=copy labelled=true />
        </div>
    }
}
