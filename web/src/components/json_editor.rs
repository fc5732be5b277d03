//! The JSON editor: the custom element of `web/editor/json-editor.js`, loaded when it is first needed.

use gatewright_model::json::laid_out;
use gatewright_model::{Issue, Position};
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{HtmlElement, KeyboardEvent};

use super::assist::{Code, TAG, issues_json, load, on_detail};
use super::{Bones, live};
use crate::api::issues;
use crate::state::effect;

#[wasm_bindgen]
extern "C" {
    /// The element, once it is defined.
    #[wasm_bindgen(extends = HtmlElement)]
    #[derive(Clone)]
    type EditorElement;

    #[wasm_bindgen(method, setter)]
    fn set_value(this: &EditorElement, text: &str);

    #[wasm_bindgen(method, setter = readOnly)]
    fn set_read_only(this: &EditorElement, locked: bool);

    #[wasm_bindgen(method, setter)]
    fn set_wrap(this: &EditorElement, on: bool);

    #[wasm_bindgen(method, setter)]
    fn set_label(this: &EditorElement, label: &str);

    #[wasm_bindgen(method, setter)]
    fn set_root(this: &EditorElement, root: &str);

    #[wasm_bindgen(method, setter)]
    fn set_language(this: &EditorElement, language: &str);

    #[wasm_bindgen(method, setter)]
    fn set_hint(this: &EditorElement, hint: &str);

    #[wasm_bindgen(method, setter)]
    fn set_quiet(this: &EditorElement, text: &str);

    #[wasm_bindgen(method, setter)]
    fn set_ids(this: &EditorElement, json: &str);

    #[wasm_bindgen(method, js_name = setProblems)]
    fn set_problems(this: &EditorElement, json: &str);

    #[wasm_bindgen(method)]
    fn reveal(this: &EditorElement, line: u32, column: u32);
}

/// An editor for a JSON text. If its code can't be loaded, a plain text field replaces it.
#[component]
pub fn JsonEditor(
    /// The text; edits come back through `on_edit`.
    #[prop(into)]
    text: Signal<String>,
    /// Receives the full text after each edit.
    on_edit: Callback<String>,
    /// The kind of document, by its name in the model's `Root`; without one the text is only checked as JSON.
    #[prop(default = "")]
    root: &'static str,
    /// Formats the text; without it the editor does so itself.
    #[prop(optional, into)]
    on_format: Option<Callback<()>>,
    /// Receives the problems after each check.
    #[prop(optional, into)]
    on_issues: Option<Callback<Vec<Issue>>>,
    /// Problems found elsewhere, to be marked as well.
    #[prop(into, default = Vec::new().into())]
    problems: Signal<Vec<Issue>>,
    /// A position to go to; each new value jumps there.
    #[prop(into, default = None.into())]
    goto: Signal<Option<Position>>,
    /// Whether it is read-only.
    #[prop(into, default = false.into())]
    read_only: Signal<bool>,
    /// Whether long lines are wrapped.
    #[prop(into, default = true.into())]
    wrap: Signal<bool>,
    /// Its language: "json", or "openapi" for JSON or YAML.
    #[prop(default = "json")]
    language: &'static str,
    /// The placeholder while it is empty.
    #[prop(default = "")]
    hint: &'static str,
    /// A text that is not checked: the initial text of a new document.
    #[prop(default = "")]
    quiet: &'static str,
    /// Known ids, in the format of `web/src/editor/ids.rs`.
    #[prop(into, default = String::new().into())]
    ids: Signal<String>,
    /// What the text is, for screen readers.
    label: &'static str,
) -> impl IntoView {
    let code = load(TAG);
    let host = NodeRef::<html::Div>::new();
    let element = StoredValue::new_local(None::<EditorElement>);
    let mounted = RwSignal::new(false);
    effect(move || {
        if let (Code::Ready, Some(host), None) = (code.get(), host.get(), element.get_value()) {
            element.set_value(create(label, root, language, hint));
            element
                .with_value(|element| element.iter().for_each(|element| element.set_quiet(quiet)));
            element.with_value(|element| {
                element
                    .iter()
                    .for_each(|element| listen(element, on_edit, on_issues))
            });
            element.with_value(|element| {
                element
                    .iter()
                    .for_each(|element| drop(host.append_child(element)))
            });
            mounted.set(true);
        }
    });
    // The view that replaces this one may take over its host.
    on_cleanup(move || {
        element.try_with_value(|element| element.iter().for_each(|element| element.remove()));
    });
    // One effect each, in this order: problems and positions refer to the text set before them.
    let with = move |act: &dyn Fn(&EditorElement)| {
        if mounted.get() {
            element.with_value(|element| element.iter().for_each(act));
        }
    };
    effect(move || with(&|element| element.set_read_only(read_only.get())));
    effect(move || with(&|element| element.set_wrap(wrap.get())));
    effect(move || ids.with(|ids| with(&|element| element.set_ids(ids))));
    effect(move || text.with(|text| with(&|element| element.set_value(text))));
    effect(move || {
        problems.with(|problems| with(&|element| element.set_problems(&issues_json(problems))))
    });
    effect(move || {
        if let Some(position) = goto.get() {
            with(&|element| element.reveal(position.line, position.column));
        }
    });
    let edit = move |event| on_edit.run(event_target_value(&event));
    let format = move || match on_format {
        _ if untrack(|| read_only.get()) => {}
        Some(on_format) => on_format.run(()),
        None => {
            if let Some(text) = untrack(|| text.with(|text| laid_out(text))) {
                on_edit.run(text);
            }
        }
    };
    let keys = move |event: KeyboardEvent| {
        if formats(&event) {
            event.prevent_default();
            event.stop_propagation();
            format();
        }
    };
    view! {
        <div class="editor" node_ref=host on:keydown=keys>
            {live(move || match code.get() {
                Code::Ready => ().into_any(),
                Code::Loading => view! { <Bones rows=12 label="Loading the editor" /> }.into_any(),
                Code::Failed => {
                    view! {
                        <textarea
                            class="editor-plain"
                            aria-label=label
                            placeholder=hint
                            spellcheck="false"
                            prop:value=move || text.get()
                            prop:readOnly=move || read_only.get()
                            on:input=edit
                        ></textarea>
                    }
                        .into_any()
                }
            })}
        </div>
    }
}

/// Whether a key is the shortcut for formatting, Shift, Alt and F, whatever character the keyboard produces with Alt.
pub(super) fn formats(event: &KeyboardEvent) -> bool {
    event.shift_key() && event.alt_key() && event.code() == "KeyF"
}

fn create(label: &str, root: &str, language: &str, hint: &str) -> Option<EditorElement> {
    let element: EditorElement = document().create_element(TAG).ok()?.unchecked_into();
    element.set_label(label);
    element.set_root(root);
    element.set_language(language);
    element.set_hint(hint);
    Some(element)
}

/// Listens to the element, which owns the listeners from then on; they are dropped with the page.
fn listen(
    element: &EditorElement,
    on_edit: Callback<String>,
    on_issues: Option<Callback<Vec<Issue>>>,
) {
    on_detail(element, "editor-change", move |text| {
        on_edit.try_run(text);
    });
    if let Some(on_issues) = on_issues {
        on_detail(element, "editor-issues", move |text| {
            on_issues.try_run(issues(&text));
        });
    }
}
