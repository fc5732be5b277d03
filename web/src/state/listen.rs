//! Events of the window and shortcuts, for as long as what asks for them is mounted.

use leptos::ev::{self, KeyboardEvent};
use leptos::prelude::*;
use leptos::tachys::html::event::EventDescriptor;
use wasm_bindgen::JsCast;

/// Listens to an event of the window. Modules of custom elements are freed along with their elements, so that a
/// listener must not outlive what it belongs to.
pub fn listen<E>(event: E, run: impl Fn(E::EventType) + 'static)
where
    E: EventDescriptor + 'static,
    E::EventType: JsCast,
{
    let listener = window_event_listener(event, run);
    on_cleanup(move || listener.remove());
}

/// Runs `act` on Ctrl or ⌘ and S.
pub fn on_save(act: impl Fn() + 'static) {
    on_command("s", Box::new(act));
}

/// Runs `act` on Ctrl or ⌘ and Enter.
pub fn on_go(act: impl Fn() + 'static) {
    on_command("Enter", Box::new(act));
}

fn on_command(key: &'static str, act: Box<dyn Fn()>) {
    listen(ev::keydown, move |event: KeyboardEvent| {
        if (event.ctrl_key() || event.meta_key()) && event.key().eq_ignore_ascii_case(key) {
            event.prevent_default();
            act();
        }
    });
}
