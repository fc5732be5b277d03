//! The actions on the selected rows of a list, for the custom element of `web/editor/bulk-actions.js`.
//!
//! A WebAssembly module of its own, loaded when something is first selected: no page needs it before.

use std::any::Any;

use gatewright_web::api::Api;
use gatewright_web::components::assist::tell;
use gatewright_web::pages::bulk::Actions;
use gatewright_web::state::Memo;
use gatewright_web::state::bulk::Kind;
use gatewright_web::state::bulk::matching::Matching;
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

/// The actions of a selection on the page, mounted as long as this value is kept.
#[wasm_bindgen]
pub struct Bulk {
    picks: ArcRwSignal<String>,
    matching: ArcRwSignal<String>,
    _view: Box<dyn Any>,
}

#[wasm_bindgen]
impl Bulk {
    /// Mounts the actions for a kind of document, given by its noun, in an element. After a change the element gets the
    /// event `bulk-changed` with the ids of what was deleted, one per line; if everything that matches is to be
    /// selected, `bulk-selected` with those documents.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new(host: HtmlElement, noun: String) -> Self {
        let to = host.clone();
        let json = ArcRwSignal::new("[]".to_owned());
        let selected = json.clone();
        let matching = ArcRwSignal::new(String::new());
        let found = matching.clone();
        let view = mount_to(host, move || {
            let session = Session::load();
            provide_context(session);
            let selected = RwSignal::from(selected);
            let found = RwSignal::from(found);
            let to = StoredValue::new_local(to);
            let changed = move |gone: String| {
                to.with_value(|to| tell(to, "bulk-changed", &gone));
            };
            let select = move |picks: String| {
                to.with_value(|to| tell(to, "bulk-selected", &picks));
            };
            let api = Api::new(session, Link::watch());
            let kind = Kind::of(&noun).unwrap_or(Kind::Api);
            let picks = Memo::new(move |_| selected.with(|json| picks(json)));
            let matching = Memo::new(move |_| found.with(|text| Matching::parse(text)));
            view! { <Actions api=api kind=kind picks=picks matching=matching on_change=Callback::new(changed) on_select=Callback::new(select) /> }
                .into_any()
        });
        Self {
            picks: json,
            matching,
            _view: Box::new(view),
        }
    }

    /// Sets what else matches once everything shown is selected; empty for nothing.
    #[wasm_bindgen(js_name = setMatching)]
    pub fn set_matching(&self, text: String) {
        self.matching.set(text);
    }

    /// Replaces the selection.
    #[wasm_bindgen(js_name = setPicks)]
    pub fn set_picks(&self, json: String) {
        self.picks.set(json);
    }
}
