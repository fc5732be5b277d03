//! Import from OpenAPI. The content of the page is in [`view`], which this module doesn't need: it comes with the
//! custom element of `web/editor/openapi-import.js`, loaded when the page is first opened.

mod choices;
mod document;
mod importer;
mod merge;
mod report;
mod result;
pub mod view;

use leptos::prelude::*;
use leptos::{ev, html};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::HtmlElement;

use crate::components::assist::{Code, load, on_detail};
use crate::components::{Bones, Glyph, Icon, Notice, PageHead, Tint, live};
use crate::routes;
use crate::state::handover::{give_document, read_draft};
use crate::state::listen::listen;
use crate::state::session::Key;
use crate::state::{Console, effect, use_console};

const TAG: &str = "openapi-import";

#[wasm_bindgen]
extern "C" {
    /// The element, once it is defined.
    #[wasm_bindgen(extends = HtmlElement)]
    #[derive(Clone)]
    type ImportElement;

    #[wasm_bindgen(method)]
    fn take(this: &ImportElement, text: &str, name: &str);

    #[wasm_bindgen(method)]
    fn finish(this: &ImportElement);

    #[wasm_bindgen(method)]
    fn merge(this: &ImportElement);

    #[wasm_bindgen(method)]
    fn connect(this: &ImportElement);
}

/// What there is to continue with, if anything.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ready {
    No,
    /// A classic definition.
    Classic,
    /// The document of an OpenAPI API.
    OpenApi,
}

/// The element, as held by the page.
type Held = StoredValue<Option<ImportElement>, LocalStorage>;

/// The page.
#[component]
pub fn Import() -> impl IntoView {
    let console = use_console();
    let ready = RwSignal::new(Ready::No);
    let element: Held = StoredValue::new_local(None);
    view! {
        <nav class="crumbs" aria-label="Breadcrumb">
            <a href=routes::APIS>"APIs"</a>
            <Icon glyph=Glyph::Chevron />
            <span>"Import"</span>
        </nav>
        <PageHead title="Import from OpenAPI" lead="A document, in JSON or YAML, becomes an API. Nothing is saved here.">
            <Actions console=console element=element ready=ready />
        </PageHead>
        <Host console=console element=element ready=ready />
    }
    .into_any()
}

/// The two buttons to continue.
#[component]
fn Actions(console: Console, element: Held, ready: RwSignal<Ready>) -> impl IntoView {
    let with = move |act: fn(&ImportElement)| {
        element.with_value(|element| element.iter().for_each(act));
    };
    listen(ev::keydown, move |event| {
        let command = event.ctrl_key() || event.meta_key();
        if command && event.key() == "Enter" && !console.palette.get_untracked() {
            event.prevent_default();
            with(ImportElement::finish);
        }
    });
    view! {
        <button type="button" class="btn" disabled=move || ready.get() != Ready::Classic on:click=move |_| with(ImportElement::merge)>
            "Merge into an API…"
        </button>
        <button
            type="button"
            class="btn btn-primary"
            title="Ctrl or ⌘ and Enter"
            disabled=move || ready.get() == Ready::No
            on:click=move |_| with(ImportElement::finish)
        >
            "Open in the editor"
        </button>
    }
}

/// The element's place on the page, once its code is loaded.
#[component]
fn Host(console: Console, element: Held, ready: RwSignal<Ready>) -> impl IntoView {
    let code = load(TAG);
    let host = NodeRef::<html::Div>::new();
    effect(move || {
        if let (Code::Ready, Some(host), None) = (code.get(), host.get(), element.get_value())
            && let Some(import) = create(console, ready)
        {
            let _ = host.append_child(&import);
            if let Some(source) = console.handover.take_source() {
                import.take(&source.text, &source.name);
            }
            element.set_value(Some(import));
        }
    });
    // The element reads the session by itself, but isn't notified of a new one.
    effect(move || {
        console.session.track();
        element.with_value(|element| element.iter().for_each(ImportElement::connect));
    });
    let body = move || {
        match code.get() {
        Code::Ready => ().into_any(),
        Code::Loading => view! { <Bones rows=12 label="Loading the import" /> }.into_any(),
        Code::Failed => view! {
            <Notice tint=Tint::Red><span>"The import could not be loaded. Check the connection, then load the page again."</span></Notice>
        }
        .into_any(),
    }
    };
    view! { <div node_ref=host>{live(body)}</div> }
}

/// Creates the element, which owns its listeners.
fn create(console: Console, ready: RwSignal<Ready>) -> Option<ImportElement> {
    let import: ImportElement = document().create_element(TAG).ok()?.unchecked_into();
    on_detail(&import, "import-ready", move |now| {
        ready.try_set(match now.as_str() {
            "classic" => Ready::Classic,
            "openapi" => Ready::OpenApi,
            _ => Ready::No,
        });
    });
    on_detail(&import, "import-refused", move |_| {
        console.session.reject(Key::Secret);
    });
    on_detail(&import, "import-document", move |text| {
        if give_document(&text) {
            console.address.go(routes::NEW_OPENAPI);
        } else {
            console.toasts.bad("The document is too long for its editor. Send it to POST /gateway/apis/oas/import.");
        }
    });
    on_detail(&import, "import-draft", move |given| {
        let Some((id, draft)) = read_draft(&given) else {
            return;
        };
        let path = id
            .as_deref()
            .map_or_else(|| routes::NEW_API.to_owned(), routes::api);
        console.handover.give_draft(id, draft);
        console.address.go(&path);
    });
    Some(import)
}
