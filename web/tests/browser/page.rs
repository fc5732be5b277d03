//! Mounts a view in a section of its own, and finds things in it.

use leptos::mount::mount_to;
use leptos::prelude::*;
use leptos::task::tick;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

/// A mounted view. It is removed when it goes out of scope, even if the test fails.
pub(crate) struct Page {
    section: HtmlElement,
    _mounted: Box<dyn std::any::Any>,
}

impl Page {
    /// Mounts a view and waits for its effects.
    pub(crate) async fn of<V: IntoView + 'static>(view: impl FnOnce() -> V + 'static) -> Self {
        let section: HtmlElement = document()
            .create_element("section")
            .unwrap()
            .unchecked_into();
        document().body().unwrap().append_child(&section).unwrap();
        let mounted = mount_to(section.clone(), view);
        tick().await;
        Self {
            section,
            _mounted: Box::new(mounted),
        }
    }

    /// Returns its text, with single spaces.
    pub(crate) fn text(&self) -> String {
        self.section
            .text_content()
            .unwrap_or_default()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Returns the first element that matches a selector.
    pub(crate) fn find(&self, selector: &str) -> HtmlElement {
        self.maybe(selector)
            .unwrap_or_else(|| panic!("no {selector} in {}", self.section.inner_html()))
            .unchecked_into()
    }

    /// Returns the first element that matches a selector, if there is one.
    pub(crate) fn maybe(&self, selector: &str) -> Option<Element> {
        self.section.query_selector(selector).unwrap()
    }

    /// Counts the elements that match a selector.
    pub(crate) fn count(&self, selector: &str) -> u32 {
        self.section.query_selector_all(selector).unwrap().length()
    }

    /// Clicks and waits for the effects.
    pub(crate) async fn click(&self, selector: &str) {
        self.find(selector).click();
        tick().await;
    }

    /// Presses a key and waits for the effects.
    pub(crate) async fn press(&self, selector: &str, key: &str) {
        let init = web_sys::KeyboardEventInit::new();
        init.set_key(key);
        init.set_bubbles(true);
        init.set_cancelable(true);
        let event =
            web_sys::KeyboardEvent::new_with_keyboard_event_init_dict("keydown", &init).unwrap();
        self.find(selector).dispatch_event(&event).unwrap();
        tick().await;
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        self.section.remove();
    }
}

/// Returns the text of the focused element.
pub(crate) fn focused() -> String {
    document()
        .active_element()
        .and_then(|element| element.text_content())
        .unwrap_or_default()
}
