//! The import from OpenAPI, for the custom element of `web/editor/openapi-import.js`.
#![allow(
    unreachable_pub,
    reason = "wasm-bindgen exports nothing but `pub` items"
)]

use std::any::Any;
use std::cell::Cell;
use std::rc::Rc;

use gatewright_web::api::Api;
use gatewright_web::components::assist;
use gatewright_web::pages::import::view::{ImportView, Importer};
use gatewright_web::state::draft::Draft;
use gatewright_web::state::effect;
use gatewright_web::state::handover::write_draft;
use gatewright_web::state::import::Source;
use gatewright_web::state::link::Link;
use gatewright_web::state::session::{Key, Session};
use leptos::mount::mount_to;
use leptos::prelude::*;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::HtmlElement;

/// An import mounted on the page; dropping it removes it.
#[wasm_bindgen]
pub struct Import {
    parts: Rc<Cell<Option<(Importer, Session)>>>,
    _view: Box<dyn Any>,
}

#[wasm_bindgen]
impl Import {
    /// Mounts an import in an element, which gets these events:
    /// - `import-ready`: "classic" or "openapi" while there is a result, and which; otherwise empty
    /// - `import-document`: the document of a new OpenAPI API, to be opened as a draft
    /// - `import-draft`: a draft to be opened, in the format of `write_draft`
    /// - `import-refused`: the gateway refused the secret
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new(host: HtmlElement) -> Self {
        let parts = Rc::new(Cell::new(None));
        let (made, to) = (Rc::clone(&parts), host.clone());
        let view = mount_to(host, move || {
            let session = Session::load();
            provide_context(session);
            let to = StoredValue::new_local(to);
            let tell = move |event: &str, detail: &str| {
                to.with_value(|to| assist::tell(to, event, detail));
            };
            let draft = move |(id, draft): (Option<String>, Draft)| {
                tell("import-draft", &write_draft(id.as_deref(), &draft));
            };
            let api = Api::new(session, Link::watch());
            let document = move |text: String| tell("import-document", &text);
            let importer = Importer::new(api, Callback::new(draft), Callback::new(document));
            made.set(Some((importer, session)));
            effect(move || {
                let ready = match (importer.ready(), importer.classic()) {
                    (false, _) => "",
                    (true, true) => "classic",
                    (true, false) => "openapi",
                };
                tell("import-ready", ready);
            });
            effect(move || {
                if session.rejected(Key::Secret) {
                    tell("import-refused", "");
                }
            });
            view! { <ImportView importer=importer /> }.into_any()
        });
        Self {
            parts,
            _view: Box::new(view),
        }
    }

    /// Imports a document that was opened elsewhere.
    pub fn take(&self, text: &str, name: &str) {
        self.with(|importer, _| importer.take(Source::new(text, name, None)));
    }

    /// Opens the result as a draft, if there is one.
    pub fn finish(&self) {
        self.with(|importer, _| importer.finish());
    }

    /// Opens the merge dialog.
    pub fn merge(&self) {
        self.with(|importer, _| importer.merge());
    }

    /// Reloads the session after another secret was accepted.
    pub fn connect(&self) {
        self.with(|_, session| session.refresh());
    }

    fn with(&self, act: impl FnOnce(Importer, Session)) {
        if let Some((importer, session)) = self.parts.get() {
            act(importer, session);
        }
    }
}
