//! Browser storage, which may be disabled: reading then finds nothing, and writing does nothing. Also a store for the
//! lifetime of a page, shared by all modules of the console on it.

use js_sys::Reflect;
use leptos::prelude::window;
use web_sys::Storage;

fn tab() -> Option<Storage> {
    window().session_storage().ok().flatten()
}

fn browser() -> Option<Storage> {
    window().local_storage().ok().flatten()
}

/// Returns this tab's value of a key.
#[must_use]
pub fn tab_get(key: &str) -> Option<String> {
    tab()?.get_item(key).ok().flatten()
}

/// Sets or removes this tab's value of a key.
pub fn tab_set(key: &str, value: Option<&str>) {
    write(tab(), key, value);
}

/// Returns the browser's value of a key. Never a secret.
#[must_use]
pub fn browser_get(key: &str) -> Option<String> {
    browser()?.get_item(key).ok().flatten()
}

/// Sets or removes the browser's value of a key. Never a secret.
pub fn browser_set(key: &str, value: Option<&str>) {
    write(browser(), key, value);
}

/// Returns this page's value of a key.
#[must_use]
pub fn page_get(key: &str) -> Option<String> {
    Reflect::get(&window(), &key.into()).ok()?.as_string()
}

/// Sets or removes this page's value of a key. Never a secret.
pub fn page_set(key: &str, value: Option<&str>) {
    // A new property of the window accepts any value.
    let _ = Reflect::set(&window(), &key.into(), &value.into());
}

fn write(storage: Option<Storage>, key: &str, value: Option<&str>) {
    let Some(storage) = storage else { return };
    // If the storage is full or forbidden, only a preference is lost.
    let _ = match value {
        Some(value) => storage.set_item(key, value),
        None => storage.remove_item(key),
    };
}
