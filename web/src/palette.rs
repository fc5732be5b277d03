//! The palette, for the custom element of `web/editor/command-palette.js`.
//!
//! A WebAssembly module of its own, loaded when the palette is first opened: no page needs it before.

use std::any::Any;

use gatewright_web::api::Api;
use gatewright_web::components::assist::tell;
use gatewright_web::pages::palette::PaletteView;
use gatewright_web::state::link::Link;
use gatewright_web::state::palette::Act;
use gatewright_web::state::session::Session;
use gatewright_web::state::theme::Theme;
use leptos::mount::mount_to;
use leptos::prelude::*;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::HtmlElement;

fn main() {
    std::panic::set_hook(Box::new(|report| leptos::logging::error!("{report}")));
}

/// A palette on the page, mounted as long as this value is kept.
#[wasm_bindgen]
pub struct Palette {
    _view: Box<dyn Any>,
}

#[wasm_bindgen]
impl Palette {
    /// Mounts a palette in an element, with what has been typed so far and whether Enter was already pressed. A choice
    /// becomes an event:
    /// - `palette-go`: the address to go to
    /// - `palette-do`: "help", "sign-out", or a theme: "light", "dark", "system"
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new(host: HtmlElement, typed: String, entered: bool) -> Self {
        let to = host.clone();
        let view = mount_to(host, move || {
            let session = Session::load();
            provide_context(session);
            let to = StoredValue::new_local(to);
            let act = move |act: Act| {
                let (event, detail) = match &act {
                    Act::Go(url) => ("palette-go", url.as_str()),
                    Act::Help => ("palette-do", "help"),
                    Act::SignOut => ("palette-do", "sign-out"),
                    Act::Theme(Theme::Light) => ("palette-do", "light"),
                    Act::Theme(Theme::Dark) => ("palette-do", "dark"),
                    Act::Theme(Theme::System) => ("palette-do", "system"),
                };
                to.with_value(|to| tell(to, event, detail));
            };
            let api = Api::new(session, Link::watch());
            view! { <PaletteView api=api session=session first=typed entered=entered on_act=Callback::new(act) /> }
                .into_any()
        });
        Self {
            _view: Box::new(view),
        }
    }
}
