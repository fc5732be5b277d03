//! Focus management in a form.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, HtmlInputElement, HtmlTextAreaElement};

/// Moves the focus to the element with that attribute value, once it is on the page.
pub(super) fn focus_soon(attribute: &'static str, value: String) {
    focus(attribute, value, |_| ());
}

/// Does the same for the control of a field that was just added, and selects its value.
pub(super) fn focus_new(pointer: String) {
    focus("data-pointer", pointer, |element| {
        if let Some(input) = element.dyn_ref::<HtmlInputElement>() {
            input.select();
        } else if let Some(area) = element.dyn_ref::<HtmlTextAreaElement>() {
            area.select();
        }
    });
}

fn focus(attribute: &'static str, value: String, then: fn(&HtmlElement)) {
    request_animation_frame(move || {
        let Ok(all) = document().query_selector_all(&format!(".form [{attribute}]")) else {
            return;
        };
        let elements = (0..all.length()).filter_map(|index| all.item(index));
        let mut elements = elements.filter_map(|node| node.dyn_into::<Element>().ok());
        let wanted =
            elements.find(|element| element.get_attribute(attribute).as_ref() == Some(&value));
        if let Some(element) = wanted.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
            let _ = element.focus();
            then(&element);
            let nearest = web_sys::ScrollIntoViewOptions::new();
            nearest.set_block(web_sys::ScrollLogicalPosition::Nearest);
            element.scroll_into_view_with_scroll_into_view_options(&nearest);
        }
    });
}
