//! The command palette: the custom element of `web/editor/command-palette.js` in a dialog, loaded when it is first
//! opened. Input from before it is loaded is passed on.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::HtmlElement;

use super::sign_out;
use crate::components::assist::{Code, load, on_detail};
use crate::components::{FinderFrame, Glyph, Icon, live};
use crate::pages::palette::LABEL;
use crate::state::theme::{Theme, choose};
use crate::state::{Console, effect, use_console};

const TAG: &str = "command-palette";

#[wasm_bindgen]
extern "C" {
    /// The element, once it is defined.
    #[wasm_bindgen(extends = HtmlElement)]
    type PaletteElement;

    #[wasm_bindgen(method, setter)]
    fn set_typed(this: &PaletteElement, text: &str);

    #[wasm_bindgen(method, setter)]
    fn set_entered(this: &PaletteElement, entered: bool);
}

/// The palette, open as long as it is mounted.
#[component]
pub(super) fn Palette() -> impl IntoView {
    let console = use_console();
    let code = load(TAG);
    let host = NodeRef::<html::Div>::new();
    let typed = RwSignal::new(String::new());
    let entered = RwSignal::new(false);
    effect(move || {
        if let (Code::Ready, Some(host)) = (code.get(), host.get())
            && let Some(palette) = create(console)
        {
            palette.set_typed(&typed.get_untracked());
            palette.set_entered(entered.get_untracked());
            let _ = host.append_child(&palette);
        }
    });
    let body = move || {
        let note = match code.get() {
            Code::Ready => return ().into_any(),
            Code::Loading => "Loading…",
            Code::Failed => {
                "The palette could not be loaded. Check the connection, then load the page again."
            }
        };
        view! {
            <div class="palette-field">
                <Icon glyph=Glyph::Search />
                <input
                    type="text"
                    autofocus
                    placeholder=LABEL
                    aria-label=LABEL
                    autocomplete="off"
                    spellcheck="false"
                    on:input=move |event| {
                        entered.set(false);
                        typed.set(event_target_value(&event));
                    }
                    on:keydown=move |event| entered.update(|entered| *entered |= event.key() == "Enter")
                />
            </div>
            <p class="palette-none" role="status">{note}</p>
        }
        .into_any()
    };
    let close = Callback::new(move |()| console.palette.set(false));
    view! {
        <FinderFrame label=LABEL on_close=close>
            <div node_ref=host class="palette-host"></div>
            {live(body)}
        </FinderFrame>
    }
}

/// Creates the element, which owns its listeners.
fn create(console: Console) -> Option<PaletteElement> {
    let palette: PaletteElement = document().create_element(TAG).ok()?.unchecked_into();
    on_detail(&palette, "palette-go", move |url| {
        console.palette.set(false);
        console.address.go(&url);
    });
    on_detail(&palette, "palette-do", move |what| {
        console.palette.set(false);
        match what.as_str() {
            "help" => console.help.set(true),
            "sign-out" => sign_out(console, false),
            "light" => choose(console.theme, Theme::Light),
            "dark" => choose(console.theme, Theme::Dark),
            _ => choose(console.theme, Theme::System),
        }
    });
    Some(palette)
}
