//! Keeps an unsaved text from being lost: every way off the page asks first.
//!
//! Links are caught before the router sees them, Back and Forward are undone and asked about, closing
//! the tab gets the browser's own question.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{HtmlAnchorElement, MouseEvent, PopStateEvent};

/// The guard.
#[derive(Clone, Copy)]
pub struct Guard {
    held: RwSignal<Option<String>>,
    wanted: RwSignal<Option<String>>,
}

impl Guard {
    /// A guard that holds nothing yet; it listens as long as the page lives.
    #[must_use]
    pub fn watch() -> Self {
        let guard = Self {
            held: RwSignal::new(None),
            wanted: RwSignal::new(None),
        };
        let _ = window_event_listener(ev::beforeunload, move |event| {
            if guard.held.with_untracked(Option::is_some) {
                event.prevent_default();
            }
        });
        guard.catch_links();
        guard.catch_history();
        guard
    }

    /// Holds the person on `path` and what lies below it.
    pub fn hold(self, path: String) {
        if self
            .held
            .with_untracked(|held| held.as_ref() != Some(&path))
        {
            self.held.set(Some(path));
        }
    }

    /// Lets go: there is nothing to lose.
    pub fn release(self) {
        if self.held.with_untracked(Option::is_some) {
            self.held.set(None);
        }
    }

    /// Where somebody wanted to go while something was unsaved.
    #[must_use]
    pub fn wanted(self) -> Option<String> {
        self.wanted.get()
    }

    /// Stays here after all.
    pub fn stay(self) {
        self.wanted.set(None);
    }

    /// Gives up what is unsaved, and answers where to go.
    pub fn leave(self) -> Option<String> {
        self.held.set(None);
        let target = self.wanted.get_untracked();
        self.wanted.set(None);
        target
    }

    /// Whether going to an address has to be asked about; then the question is on screen afterwards.
    #[must_use]
    pub fn stops(self, url: &str) -> bool {
        let stops = self
            .held
            .with_untracked(|held| held.as_ref().is_some_and(|path| !within(url, path)));
        if stops {
            self.wanted.set(Some(url.to_owned()));
        }
        stops
    }

    fn catch_links(self) {
        let listener = Closure::<dyn FnMut(MouseEvent)>::new(move |event: MouseEvent| {
            if let Some(url) = followed_link(&event)
                && self.stops(&url)
            {
                event.prevent_default();
                event.stop_propagation();
            }
        });
        listen_first("click", listener.as_ref().unchecked_ref());
        listener.forget();
    }

    fn catch_history(self) {
        let listener = Closure::<dyn FnMut(PopStateEvent)>::new(move |event: PopStateEvent| {
            let Some(held) = self.held.get_untracked() else {
                return;
            };
            let url = here();
            if self.stops(&url) {
                event.stop_immediate_propagation();
                // The address bar has moved already: put back what is still on screen.
                if let Ok(history) = window().history() {
                    let _ =
                        history.push_state_with_url(&wasm_bindgen::JsValue::NULL, "", Some(&held));
                }
            }
        });
        listen_first("popstate", listener.as_ref().unchecked_ref());
        listener.forget();
    }
}

fn listen_first(event: &str, listener: &js_sys::Function) {
    // In the capture phase: before the router, which listens on the window as well.
    let _ = window().add_event_listener_with_callback_and_bool(event, listener, true);
}

/// Path and query of the address bar.
#[must_use]
pub fn here() -> String {
    let location = window().location();
    format!(
        "{}{}",
        location.pathname().unwrap_or_default(),
        location.search().unwrap_or_default()
    )
}

/// Whether an address is `path` or below it.
#[must_use]
pub fn within(url: &str, path: &str) -> bool {
    let target = url.split(['?', '#']).next().unwrap_or_default();
    target
        .strip_prefix(path)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The address inside the console that a click would follow in this tab.
fn followed_link(event: &MouseEvent) -> Option<String> {
    let plain = event.button() == 0
        && !event.meta_key()
        && !event.ctrl_key()
        && !event.shift_key()
        && !event.alt_key();
    if !plain || event.default_prevented() {
        return None;
    }
    let link = event
        .composed_path()
        .iter()
        .find_map(|node| node.dyn_into::<HtmlAnchorElement>().ok())?;
    let elsewhere =
        !link.target().is_empty() || link.has_attribute("download") || !link.has_attribute("href");
    let same_origin = window()
        .location()
        .origin()
        .is_ok_and(|origin| origin == link.origin());
    (same_origin && !elsewhere).then(|| format!("{}{}", link.pathname(), link.search()))
}
