//! The address bar: the console's current address, navigation, and what may prevent it.
//!
//! Nothing unsaved is lost by navigating: links and commands ask first, Back and Forward are undone and asked about,
//! closing the tab triggers the browser's own question. Addresses of another area belong to another module, so going
//! there loads a new document.

use leptos::ev;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{HtmlAnchorElement, MouseEvent};

use super::effect;
use crate::routes::{Area, BASE, Page};
use crate::state::Memo;

/// The current address, and the path with unsaved changes.
#[derive(Clone, Copy)]
pub struct Address {
    area: Area,
    url: RwSignal<String>,
    path: Memo<String>,
    query: Memo<String>,
    held: RwSignal<Option<String>>,
    wanted: RwSignal<Option<String>>,
}

impl Address {
    /// Starts with the browser's address and follows it for as long as the page lives.
    #[must_use]
    pub fn watch(area: Area) -> Self {
        let url = RwSignal::new(shown());
        let address = Self {
            area,
            url,
            path: Memo::new(move |_| url.with(|url| split(url).0.to_owned())),
            query: Memo::new(move |_| url.with(|url| split(url).1.to_owned())),
            held: RwSignal::new(None),
            wanted: RwSignal::new(None),
        };
        let _ = window_event_listener(ev::click, move |event| address.clicked(&event));
        let _ = window_event_listener(ev::popstate, move |_| address.travelled());
        let _ = window_event_listener(ev::beforeunload, move |event| {
            if address.held.with_untracked(Option::is_some) {
                event.prevent_default();
            }
        });
        address
    }

    /// Returns the path.
    #[must_use]
    pub fn path(self) -> String {
        self.path.get()
    }

    /// Returns the query, without its question mark.
    #[must_use]
    pub fn query(self) -> String {
        self.query.get()
    }

    /// Returns path and query without making the caller depend on them.
    #[must_use]
    pub fn url_untracked(self) -> String {
        self.url.get_untracked()
    }

    /// Goes to another page of the console, asking first if something is unsaved. Returns whether it went.
    pub fn go(self, url: &str) -> bool {
        if self.stops(url) {
            return false;
        }
        if self.elsewhere(url) {
            return window().location().assign(url).is_ok();
        }
        if let Ok(history) = window().history() {
            // Fails only for another origin, which the console's addresses never have.
            let _ = history.push_state_with_url(&JsValue::NULL, "", Some(url));
        }
        window().scroll_to_with_x_and_y(0.0, 0.0);
        self.url.set(url.to_owned());
        true
    }

    /// Changes the address of the current page: no new entry in the history, no question, no scrolling.
    pub fn replace(self, url: &str) {
        if self.elsewhere(url) {
            // Fails only for a malformed address.
            let _ = window().location().replace(url);
            return;
        }
        if let Ok(history) = window().history() {
            let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(url));
        }
        self.url.set(url.to_owned());
    }

    /// Changes the address of a list. Another page of it starts at its head and is an entry in the history; any other
    /// change is made as you type, and is none.
    pub fn show(self, url: &str, turns: bool) {
        match turns {
            true => drop(self.go(url)),
            false => self.replace(url),
        }
    }

    /// Asks before leaving `path` or anything below it while something is unsaved there, as long as the caller's view
    /// is mounted.
    pub fn hold_while(self, path: String, unsaved: impl Fn() -> bool + 'static) {
        effect(move || match unsaved() {
            true => self.hold(path.clone()),
            false => self.release(),
        });
        on_cleanup(move || self.release());
    }

    /// Asks before leaving `path` or anything below it.
    fn hold(self, path: String) {
        if self
            .held
            .with_untracked(|held| held.as_ref() != Some(&path))
        {
            self.held.set(Some(path));
        }
    }

    /// Stops asking: nothing is unsaved any more.
    pub fn release(self) {
        if self.held.with_untracked(Option::is_some) {
            self.held.set(None);
        }
    }

    /// Returns where the user wanted to go while something was unsaved.
    #[must_use]
    pub fn wanted(self) -> Option<String> {
        self.wanted.get()
    }

    /// Stays on the page.
    pub fn stay(self) {
        self.wanted.set(None);
    }

    /// Discards what is unsaved and goes where the user wanted to go.
    pub fn leave(self) {
        self.held.set(None);
        let target = self.wanted.get_untracked();
        self.wanted.set(None);
        if let Some(target) = target {
            self.go(&target);
        }
    }

    /// Whether going to an address requires a question; if so, makes it appear.
    fn stops(self, url: &str) -> bool {
        // Below the path, too, another module loads a new document, which loses what is unsaved.
        let leaves = |path: &String| !within(url, path) || self.elsewhere(url);
        let stops = self
            .held
            .with_untracked(|held| held.as_ref().is_some_and(leaves));
        if stops {
            self.wanted.set(Some(url.to_owned()));
        }
        stops
    }

    /// Whether an address belongs to another module. All of them have the page that asks for the secret or a token.
    fn elsewhere(self, url: &str) -> bool {
        Area::of(url) != self.area && Page::of(url) != Page::Connect
    }

    fn clicked(self, event: &MouseEvent) {
        if let Some(url) = followed_link(event) {
            event.prevent_default();
            self.go(&url);
        }
    }

    /// Handles Back or Forward, after which the address bar has already changed.
    fn travelled(self) {
        let target = shown();
        if !self.stops(&target) {
            self.url.set(target);
        } else if let Ok(history) = window().history() {
            // Restores the address of the page that is still on screen.
            let _ = history.push_state_with_url(&JsValue::NULL, "", Some(&self.url_untracked()));
        }
    }
}

/// Returns path and query of the address bar.
fn shown() -> String {
    let location = window().location();
    format!(
        "{}{}",
        location.pathname().unwrap_or_default(),
        location.search().unwrap_or_default()
    )
}

/// Splits an address into path and query, without the question mark.
fn split(url: &str) -> (&str, &str) {
    let url = url.split('#').next().unwrap_or_default();
    url.split_once('?').unwrap_or((url, ""))
}

/// Whether an address is `path` or below it.
#[must_use]
pub fn within(url: &str, path: &str) -> bool {
    let rest = split(url).0.strip_prefix(path);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns the address inside the console that a click would open in this tab.
fn followed_link(event: &MouseEvent) -> Option<String> {
    let modified = event.meta_key() || event.ctrl_key() || event.shift_key() || event.alt_key();
    if modified || event.button() != 0 || event.default_prevented() {
        return None;
    }
    let mut path = event.composed_path().into_iter();
    let link = path.find_map(|node| node.dyn_into::<HtmlAnchorElement>().ok())?;
    let elsewhere =
        !link.target().is_empty() || link.has_attribute("download") || !link.hash().is_empty();
    let ours =
        link.origin() == window().location().origin().ok()? && within(&link.pathname(), BASE);
    (ours && !elsewhere).then(|| format!("{}{}", link.pathname(), link.search()))
}
