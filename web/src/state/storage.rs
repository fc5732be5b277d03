//! Browser storage that may be switched off: reading then finds nothing, writing does nothing. And what a page keeps as
//! long as it is there, for all modules of the console on it.

use js_sys::Reflect;
use leptos::prelude::window;
use web_sys::Storage;

fn tab() -> Option<Storage> {
    window().session_storage().ok().flatten()
}

fn browser() -> Option<Storage> {
    window().local_storage().ok().flatten()
}

/// What this tab keeps under a key.
#[must_use]
pub fn tab_get(key: &str) -> Option<String> {
    tab()?.get_item(key).ok().flatten()
}

/// Keeps a value for this tab, or removes it.
pub fn tab_set(key: &str, value: Option<&str>) {
    write(tab(), key, value);
}

/// What the browser keeps under a key. Never a secret.
#[must_use]
pub fn browser_get(key: &str) -> Option<String> {
    browser()?.get_item(key).ok().flatten()
}

/// Keeps a value for the browser, or removes it. Never a secret.
pub fn browser_set(key: &str, value: Option<&str>) {
    write(browser(), key, value);
}

/// What this page keeps under a key.
#[must_use]
pub fn page_get(key: &str) -> Option<String> {
    Reflect::get(&window(), &key.into()).ok()?.as_string()
}

/// Keeps a value as long as this page is there, or removes it. Never a secret.
pub fn page_set(key: &str, value: Option<&str>) {
    // A property of the window that is none yet takes any value.
    let _ = Reflect::set(&window(), &key.into(), &value.into());
}

fn write(storage: Option<Storage>, key: &str, value: Option<&str>) {
    let Some(storage) = storage else { return };
    // A full or forbidden storage costs the memory of a choice, nothing else.
    let _ = match value {
        Some(value) => storage.set_item(key, value),
        None => storage.remove_item(key),
    };
}
