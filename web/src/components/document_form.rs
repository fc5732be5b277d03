//! The form of a document: the custom element of `web/editor/document-form.js`, loaded when a form is first opened. Its
//! content is in [`super::form`], which this module doesn't need.

use gatewright_model::json::parse;
use gatewright_model::{Issue, Position};
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::HtmlElement;

use super::assist::{Assist, Code, issues_json, load, on_detail};
use super::document_editor::JumpTarget;
use super::{Bones, Notice, Tint, live};
use crate::api::issues;
use crate::state::effect;
use crate::state::toasts::Toasts;

const TAG: &str = "document-form";

#[wasm_bindgen]
extern "C" {
    /// The element, once it is defined.
    #[wasm_bindgen(extends = HtmlElement)]
    #[derive(Clone)]
    type FormElement;

    #[wasm_bindgen(method, setter)]
    fn set_root(this: &FormElement, root: &str);

    #[wasm_bindgen(method, setter)]
    fn set_text(this: &FormElement, text: &str);

    #[wasm_bindgen(method, setter)]
    fn set_at(this: &FormElement, at: &str);

    #[wasm_bindgen(method, setter)]
    fn set_problems(this: &FormElement, json: &str);

    #[wasm_bindgen(method)]
    fn reveal(this: &FormElement, pointer: &str);
}

/// What a form needs; small and freely copied.
#[derive(Clone, Copy)]
pub struct Parts {
    /// The kind of document, by its name in the model's `Root`.
    pub(super) root: &'static str,
    pub(super) text: Signal<String>,
    pub(super) on_edit: Callback<String>,
    pub(super) on_unread: Callback<Vec<Issue>>,
    pub(super) problems: Signal<Vec<Issue>>,
    pub(super) at: Signal<String>,
    pub(super) on_at: Callback<String>,
    pub(super) goto: RwSignal<Option<JumpTarget>>,
    pub(super) on_json: Callback<Position>,
    /// Where removals are announced.
    pub(super) toasts: Toasts,
    /// Whether the form is on screen; while the JSON editor is shown, it does nothing.
    pub(super) active: Signal<bool>,
}

/// A document as a form.
#[component]
pub(super) fn DocumentForm(
    /// What it needs.
    parts: Parts,
) -> impl IntoView {
    let code = load(TAG);
    let host = NodeRef::<html::Div>::new();
    let element = StoredValue::new_local(None::<FormElement>);
    let mounted = RwSignal::new(false);
    effect(move || {
        if let (Code::Ready, Some(host), None) = (code.get(), host.get(), element.get_value())
            && let Some(form) = create(parts)
        {
            let _ = host.append_child(&form);
            element.set_value(Some(form));
            mounted.set(true);
        }
    });
    // One effect each, in this order: a field to go to refers to the text set before it.
    let with = move |act: &dyn Fn(&FormElement)| {
        if mounted.get() && parts.active.get() {
            element.with_value(|element| element.iter().for_each(act));
        }
    };
    let Parts {
        text,
        problems,
        at,
        goto,
        active,
        ..
    } = parts;
    effect(move || text.with(|text| with(&|form| form.set_text(text))));
    effect(move || at.with(|at| with(&|form| form.set_at(at))));
    effect(move || {
        problems.with(|problems| with(&|form| form.set_problems(&issues_json(problems))))
    });
    effect(move || {
        // Only a new target is followed, not one from before the form was on screen.
        if let (Some(target), true) = (goto.get(), active.get_untracked()) {
            element.with_value(|form| form.iter().for_each(|form| form.reveal(&target.pointer)));
        }
    });
    let body = move || {
        match code.get() {
        Code::Ready => ().into_any(),
        Code::Loading => view! { <Bones rows=12 label="Loading the form" /> }.into_any(),
        Code::Failed => view! {
            <Notice tint=Tint::Red><span>"The form could not be loaded. The JSON view works without it."</span></Notice>
        }
        .into_any(),
    }
    };
    view! { <div node_ref=host>{live(body)}</div> }
}

/// Creates the element, which owns its listeners.
fn create(parts: Parts) -> Option<FormElement> {
    let form: FormElement = document().create_element(TAG).ok()?.unchecked_into();
    form.set_root(parts.root);
    let Parts {
        on_edit,
        on_at,
        on_json,
        toasts,
        ..
    } = parts;
    let before = StoredValue::new(String::new());
    on_detail(&form, "form-edit", move |text| {
        before.try_update_value(|before| *before = parts.text.get_untracked());
        on_edit.try_run(text);
    });
    on_detail(&form, "form-unread", move |unread| {
        parts.on_unread.try_run(issues(&unread));
    });
    on_detail(&form, "form-at", move |at| {
        on_at.try_run(at);
    });
    on_detail(&form, "form-refused", move |why| toasts.bad(why));
    on_detail(&form, "form-removed", move |what| {
        removed(parts, before.get_value(), &what);
    });
    on_detail(&form, "form-json", move |position| {
        let position = parse(&position).ok();
        let number = |name| {
            let number = position.as_ref().and_then(|position| position.int(name));
            number.and_then(|number| u32::try_from(number).ok())
        };
        if let Some((line, column)) = number("line").zip(number("column")) {
            on_json.try_run(Position { line, column });
        }
    });
    Some(form)
}

/// Announces what was removed from the text `before`, with an undo.
fn removed(parts: Parts, before: String, what: &str) {
    let Ok(value) = parse(what) else { return };
    let text = |name: &str| value.str(name).unwrap_or_default().to_owned();
    let (pointer, json) = (text("pointer"), text("json"));
    let after = parts.text.get_untracked();
    let undo = move || {
        // The page may be gone.
        let Some(text) = parts.text.try_get_untracked() else {
            return;
        };
        // If nothing else has changed since, the exact old text is restored.
        if text == after {
            return parts.on_edit.run(before.clone());
        }
        let restored = Assist::here()
            .map(|assist| assist.change(parts.root, &text, "restore", &pointer, &json));
        let answer = restored.unwrap_or_default();
        let answer = parse(&answer).ok();
        let member = |name| answer.as_ref().and_then(|answer| answer.str(name));
        match (member("text"), member("error")) {
            (Some(text), _) => parts.on_edit.run(text.to_owned()),
            (None, error) => parts.toasts.bad(error.unwrap_or_default()),
        }
    };
    let message = format!("Removed {}.", text("name"));
    parts.toasts.offer(message, undo);
}
