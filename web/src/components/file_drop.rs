//! Files: chosen with a button, or dropped anywhere on the page.

use leptos::ev::{self, DragEvent};
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DataTransfer, File, HtmlInputElement};

use super::{Glyph, Icon};
use crate::state::listen::listen;

/// Accepts a file dropped anywhere on the page, as long as it is mounted; a JSON editor, which would insert it into its
/// text, ignores it then (`web/editor/json-editor.js`).
#[component]
pub fn FileDrop(
    /// What dropping does, shown while a file is dragged over the page.
    label: &'static str,
    /// Receives the file; the first one if there are several.
    on_file: Callback<File>,
) -> impl IntoView {
    let over = RwSignal::new(false);
    listen(ev::dragover, move |event| {
        if with_files(&event).is_some() {
            event.prevent_default();
            over.set(true);
        }
    });
    listen(ev::dragleave, move |event| {
        // Moving between two elements of the page has a related target, leaving the page has none.
        if event.related_target().is_none() {
            over.set(false);
        }
    });
    listen(ev::drop, move |event| {
        over.set(false);
        if let Some(data) = with_files(&event) {
            event.prevent_default();
            if let Some(file) = data.files().and_then(|files| files.get(0)) {
                on_file.run(file);
            }
        }
    });
    view! {
        <div class="drop-over" hidden=move || !over.get()>
            <p>
                <Icon glyph=Glyph::Import />
                {label}
            </p>
        </div>
    }
}

/// Returns the dragged data if it has files.
fn with_files(event: &DragEvent) -> Option<DataTransfer> {
    let data = event.data_transfer()?;
    let files = JsValue::from_str("Files");
    data.types().includes(&files, 0).then_some(data)
}

/// A button for choosing a file.
#[component]
pub fn FileButton(
    /// The label of the button.
    label: &'static str,
    /// The extensions and types that the browser's dialog offers first.
    accept: &'static str,
    /// Receives the file.
    on_file: Callback<File>,
) -> impl IntoView {
    let field = NodeRef::<html::Input>::new();
    let press = move |_| {
        if let Some(field) = field.get_untracked() {
            field.click();
        }
    };
    let chosen = move |event: ev::Event| {
        let field = event
            .target()
            .and_then(|target| target.dyn_into::<HtmlInputElement>().ok());
        let Some(field) = field else { return };
        if let Some(file) = field.files().and_then(|files| files.get(0)) {
            on_file.run(file);
        }
        // Choosing the same file again must fire the event, too.
        field.set_value("");
    };
    view! {
        <button type="button" class="btn" on:click=press>
            <Icon glyph=Glyph::Import />
            {label}
        </button>
        <input type="file" accept=accept hidden node_ref=field on:change=chosen />
    }
}
