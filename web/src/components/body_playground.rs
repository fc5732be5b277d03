//! Trying a rule that rewrites bodies: the custom element of `web/editor/body-playground.js`, loaded when it is
//! first opened.

use gatewright_model::json::parse;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::HtmlElement;

use super::assist::{Code, load, on_detail};
use super::{Bones, Notice, Tint, live};
use crate::state::effect;

const TAG: &str = "body-playground";

#[wasm_bindgen]
extern "C" {
    /// The element, once it is defined.
    #[wasm_bindgen(extends = HtmlElement)]
    type PlaygroundElement;

    #[wasm_bindgen(method, setter)]
    fn set_rule(this: &PlaygroundElement, json: &str);
}

/// The playground of a rule.
#[component]
pub fn BodyPlayground(
    /// The rule, in the element's format.
    rule: String,
    /// Receives the edited rule: its text, and the format its input is read as.
    on_take: Callback<(String, String)>,
) -> impl IntoView {
    let code = load(TAG);
    let host = NodeRef::<html::Div>::new();
    effect(move || {
        if let (Code::Ready, Some(host)) = (code.get(), host.get())
            && let Ok(element) = document().create_element(TAG)
        {
            let element: PlaygroundElement = element.unchecked_into();
            element.set_rule(&rule);
            on_detail(&element, "playground-take", move |detail| {
                let detail = parse(&detail).ok();
                let text = |name: &str| {
                    let text = detail.as_ref().and_then(|detail| detail.str(name));
                    text.unwrap_or_default().to_owned()
                };
                on_take.try_run((text("source"), text("input")));
            });
            let _ = host.append_child(&element);
        }
    });
    let body = move || {
        match code.get() {
        Code::Ready => ().into_any(),
        Code::Loading => view! { <div class="dialog-body"><Bones rows=8 label="Loading the playground" /></div> }.into_any(),
        Code::Failed => view! {
            <div class="dialog-body">
                <Notice tint=Tint::Red><span>"The playground could not be loaded. Check the connection, then load the page again."</span></Notice>
            </div>
        }
        .into_any(),
    }
    };
    view! {
        <div node_ref=host class="playground-host"></div>
        {live(body)}
    }
}
