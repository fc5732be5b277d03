//! Files: chosen with a button, or dropped anywhere on the page.

use leptos::ev::{self, DragEvent};
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{DataTransfer, File, HtmlInputElement};

use super::{Glyph, Icon};

/// Takes a file that is dropped anywhere on the page, as long as it is mounted; a JSON editor, which would
/// make it a piece of its text, leaves it alone then (`web/editor/json-editor.js`).
#[component]
pub fn FileDrop(
    /// What dropping does, shown while a file is held over the page.
    label: &'static str,
    /// Takes the file; of several the first.
    on_file: Callback<File>,
) -> impl IntoView {
    let over = RwSignal::new(false);
    let hold = window_event_listener(ev::dragover, move |event| {
        if with_files(&event).is_some() {
            event.prevent_default();
            over.set(true);
        }
    });
    let leave = window_event_listener(ev::dragleave, move |event| {
        // Between two elements of the page there is another one that it goes to.
        if event.related_target().is_none() {
            over.set(false);
        }
    });
    let drop = window_event_listener(ev::drop, move |event| {
        over.set(false);
        if let Some(data) = with_files(&event) {
            event.prevent_default();
            if let Some(file) = data.files().and_then(|files| files.get(0)) {
                on_file.run(file);
            }
        }
    });
    on_cleanup(move || {
        hold.remove();
        leave.remove();
        drop.remove();
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

/// What is dragged, if there are files in it.
fn with_files(event: &DragEvent) -> Option<DataTransfer> {
    let data = event.data_transfer()?;
    let files = JsValue::from_str("Files");
    data.types().includes(&files, 0).then_some(data)
}

/// A button that lets somebody choose a file.
#[component]
pub fn FileButton(
    /// What the button is called.
    label: &'static str,
    /// The endings and types that are offered first.
    accept: &'static str,
    /// Takes the file.
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
        // Choosing the same file once more is a choice as well.
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
