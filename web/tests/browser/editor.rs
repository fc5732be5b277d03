//! The editor when its code can't be loaded: the test page names no module.

use gatewright_web::components::JsonEditor;
use leptos::prelude::*;
use leptos::task::tick;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::HtmlTextAreaElement;

use crate::page::Page;

#[wasm_bindgen_test]
async fn a_text_field_takes_the_place_of_an_editor_that_can_not_be_loaded() {
    let text = RwSignal::new("{}".to_owned());
    let page = Page::of(move || {
        view! { <JsonEditor text=text on_edit=Callback::new(move |typed| text.set(typed)) label="API definition" /> }
    })
    .await;
    tick().await;
    let field: HtmlTextAreaElement = page.find("textarea").unchecked_into();
    assert_eq!(
        (field.value(), field.get_attribute("aria-label")),
        ("{}".to_owned(), Some("API definition".to_owned()))
    );
    field.set_value("{\"a\":1}");
    field
        .dispatch_event(&web_sys::Event::new("input").unwrap())
        .unwrap();
    assert_eq!(text.get_untracked(), "{\"a\":1}");
}
