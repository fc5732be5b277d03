//! The form of documents, for the custom element of `web/editor/document-form.js`, and the import.
//!
//! A WebAssembly module of its own, loaded when a form or the import is first opened. Text goes in and out; what the
//! user does becomes events of the element.

#[path = "form/ids.rs"]
mod ids;
#[path = "form/import.rs"]
mod import;

use std::any::Any;

use gatewright_model::json::quote;
use gatewright_model::{Issue, Position};
use gatewright_web::api::issues;
use gatewright_web::components::assist::{issues_json, tell};
use gatewright_web::components::form::{FormView, Removed, Subject};
use leptos::mount::mount_to;
use leptos::prelude::*;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::HtmlElement;

fn main() {
    std::panic::set_hook(Box::new(|report| leptos::logging::error!("{report}")));
}

/// A form on the page, mounted as long as this value is kept.
#[wasm_bindgen]
pub struct Form {
    text: ArcRwSignal<String>,
    at: ArcRwSignal<String>,
    problems: ArcRwSignal<String>,
    goto: ArcRwSignal<String>,
    _view: Box<dyn Any>,
}

#[wasm_bindgen]
impl Form {
    /// Mounts the form of a kind of document in an element, which then gets these events:
    /// - `form-edit`: the full text after an edit
    /// - `form-unread`: issues about input that couldn't be put into the text, in the gateway's format
    /// - `form-at`: the pointer of the page to show
    /// - `form-removed`: a JSON object: pointer, name and json (a text) of what was removed
    /// - `form-refused`: why something can't be done
    /// - `form-json`: a JSON object: line and column of a position that only the text can show
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new(host: HtmlElement, root: String) -> Self {
        let [text, at, problems, goto] = std::array::from_fn(|_| ArcRwSignal::new(String::new()));
        let signals = [&text, &at, &problems, &goto].map(ArcRwSignal::clone);
        let to = host.clone();
        let view = mount_to(host, move || {
            let subject = subject(&to, root, signals);
            view! { <FormView subject=subject /> }.into_any()
        });
        Self {
            text,
            at,
            problems,
            goto,
            _view: Box::new(view),
        }
    }

    /// Sets the text.
    #[wasm_bindgen(js_name = setText)]
    pub fn set_text(&self, text: String) {
        if *self.text.read_untracked() != text {
            self.text.set(text);
        }
    }

    /// Sets the page to show.
    #[wasm_bindgen(js_name = setAt)]
    pub fn set_at(&self, at: String) {
        self.at.set(at);
    }

    /// Sets the problems of the document, in the gateway's format.
    #[wasm_bindgen(js_name = setProblems)]
    pub fn set_problems(&self, problems: String) {
        self.problems.set(problems);
    }

    /// Scrolls to a field and focuses it.
    pub fn reveal(&self, pointer: String) {
        self.goto.set(pointer);
    }
}

fn subject(host: &HtmlElement, root: String, signals: [ArcRwSignal<String>; 4]) -> Subject {
    let [text, at, problems, goto] = signals.map(RwSignal::from);
    let host = StoredValue::new_local(host.clone());
    let tell = move |event: &str, detail: &str| {
        host.with_value(|host| tell(host, event, detail));
    };
    let edit = move |after: String| {
        // The form continues with the new text at once, whether or not the event is handled.
        text.set(after.clone());
        tell("form-edit", &after);
    };
    let removed = move |removed: Removed| {
        let Removed {
            pointer,
            name,
            json,
        } = removed;
        let [pointer, name, json] = [pointer, name, json].map(|text| quote(&text));
        let detail = format!("{{\"pointer\":{pointer},\"name\":{name},\"json\":{json}}}");
        tell("form-removed", &detail);
    };
    let json = move |Position { line, column }: Position| {
        tell(
            "form-json",
            &format!("{{\"line\":{line},\"column\":{column}}}"),
        );
    };
    Subject {
        root: StoredValue::new(root),
        text: text.into(),
        at: at.into(),
        problems: Signal::derive(move || problems.with(|problems| issues(problems))),
        goto: goto.into(),
        on_edit: Callback::new(edit),
        on_unread: Callback::new(move |unread: Vec<Issue>| {
            tell("form-unread", &issues_json(&unread))
        }),
        on_at: Callback::new(move |at: String| tell("form-at", &at)),
        on_removed: Callback::new(removed),
        on_refused: Callback::new(move |why: String| tell("form-refused", &why)),
        on_json: Callback::new(json),
        ids: ids::offered(),
    }
}
