//! Links from fields to their members in the reference: a link beside the name, and the key F1.

use std::sync::Arc;

use gatewright_model::shape::Root;
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::page::Node;
use super::state::Form;
use crate::components::{Glyph, Icon};
use crate::state::Memo;
use crate::state::reference::at;

/// Returns the address in the reference of a field's member; `None` for documents that the reference doesn't cover.
fn address(form: Form, pointer: &str) -> Option<String> {
    let root = form.subject.root.get_value();
    Root::from_word(&root).map(|root| at(root, pointer))
}

/// Returns the link of a field. F1 does the same, so the link is no tab stop between fields.
pub(super) fn link(form: Form, node: Memo<Arc<Node>>, name: &str) -> AnyView {
    let label = format!("Reference: {name}");
    let shown = address(form, "").map(|_| {
        let href = move || node.with(|node| address(form, &node.pointer));
        view! {
            <a class="form-reference" href=href target="_blank" rel="noopener" tabindex="-1" title="Open in the reference (F1)">
                <Icon glyph=Glyph::Help />
                <span class="visually-hidden">{label}</span>
            </a>
        }
    });
    shown.into_any()
}

/// Opens the reference at the focused field. The document being edited stays open.
pub(super) fn press(form: Form, event: &KeyboardEvent) {
    if event.key() != "F1" {
        return;
    }
    let target = event.target();
    let target = target.and_then(|target| target.dyn_into::<Element>().ok());
    // Whatever is beside the control of a field belongs to that field.
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
