//! The way from a field to what the reference says of its member: a link beside its name, and the key F1.

use std::sync::Arc;

use gatewright_model::shape::Root;
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::page::Node;
use super::state::Form;
use crate::components::{Glyph, Icon};
use crate::state::reference::at;

/// The address of the reference at the member of a field; none for documents that it does not have.
fn address(form: Form, pointer: &str) -> Option<String> {
    let root = form.subject.root.get_value();
    Root::from_word(&root).map(|root| at(root, pointer))
}

/// The link of a field. The key does the same, so it is no stop on the way from field to field.
pub(super) fn link(form: Form, node: Memo<Arc<Node>>, name: &str) -> AnyView {
    let label = format!("Reference: {name}");
    let shown = address(form, "").map(|_| {
        let href = move || node.with(|node| address(form, &node.pointer));
        view! {
            <a class="form-reference" href=href target="_blank" rel="noopener" tabindex="-1" title="What the reference says (F1)">
                <Icon glyph=Glyph::Help />
                <span class="visually-hidden">{label}</span>
            </a>
        }
    });
    shown.into_any()
}

/// Opens the reference at the field that has the focus. What is being edited stays.
pub(super) fn press(form: Form, event: &KeyboardEvent) {
    if event.key() != "F1" {
        return;
    }
    let target = event.target();
    let target = target.and_then(|target| target.dyn_into::<Element>().ok());
    // What is beside the control of a field is about the field, too.
    let row = ".form-row, .form-entry, .form-bar";
    let field = target.and_then(|target| {
        if target.has_attribute("data-pointer") {
            return Some(target);
        }
        let row = target.closest(row).ok().flatten()?;
        row.query_selector("[data-pointer]").ok().flatten()
    });
    let pointer = field.and_then(|field| field.get_attribute("data-pointer"));
    if let Some(url) = address(form, &pointer.unwrap_or_default()) {
        event.prevent_default();
        let _ = window().open_with_url_and_target_and_features(&url, "_blank", "noopener");
    }
}
