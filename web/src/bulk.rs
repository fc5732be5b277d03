//! What can be done with what is selected in a list, for the custom element of `web/editor/bulk-actions.js`.
//!
//! A WebAssembly module of its own, loaded when something is first selected: no page needs it before.

use std::any::Any;

use gatewright_web::api::Api;
use gatewright_web::components::assist::tell;
use gatewright_web::pages::bulk::Actions;
use gatewright_web::state::bulk::Kind;
use gatewright_web::state::bulk::selection::picks;
use gatewright_web::state::link::Link;
use gatewright_web::state::session::Session;
use leptos::mount::mount_to;
use leptos::prelude::*;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::HtmlElement;

fn main() {
    std::panic::set_hook(Box::new(|report| leptos::logging::error!("{report}")));
}

/// The verbs of a selection on the page, as long as they are kept.
#[wasm_bindgen]
pub struct Bulk {
    picks: ArcRwSignal<String>,
    _view: Box<dyn Any>,
}

#[wasm_bindgen]
impl Bulk {
    /// Puts the verbs for a kind of document, by its noun, into an element. When something was changed they send it
    /// `bulk-changed`, with the ids of what was deleted, one a line.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new(host: HtmlElement, noun: String) -> Self {
        let to = host.clone();
        let json = ArcRwSignal::new("[]".to_owned());
        let selected = json.clone();
        let view = mount_to(host, move || {
            let session = Session::load();
            provide_context(session);
            let selected = RwSignal::from(selected);
            let to = StoredValue::new_local(to);
            let changed = move |gone: String| {
                to.with_value(|to| tell(to, "bulk-changed", &gone));
            };
            let api = Api::new(session, Link::watch());
            let kind = Kind::of(&noun).unwrap_or(Kind::Api);
            let picks = Memo::new(move |_| selected.with(|json| picks(json)));
            view! { <Actions api=api kind=kind picks=picks on_change=Callback::new(changed) /> }
                .into_any()
        });
        Self {
            picks: json,
            _view: Box::new(view),
        }
    }

    /// Something else is selected.
    #[wasm_bindgen(js_name = setPicks)]
    pub fn set_picks(&self, json: String) {
        self.picks.set(json);
    }
}
