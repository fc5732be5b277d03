//! The request that `web/boot/first.js` sends for a list while this module is still loading.

use js_sys::{Array, Promise, Reflect};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;

/// The property of the page that holds its path and the promise of its response.
const SENT: &str = "gatewrightFirst";

/// Returns the response to a request for this path that was sent already, the first time it is asked for.
pub(super) fn take(path: &str) -> Option<JsFuture> {
    let page = js_sys::global();
    let name = SENT.into();
    let sent: Array = Reflect::get(&page, &name).ok()?.dyn_into().ok()?;
    if sent.get(0).as_string()? != path {
        return None;
    }
    // The next request for the same path wants to know what has changed.
    Reflect::delete_property(&page, &name).ok()?;
    let answer: Promise = sent.get(1).dyn_into().ok()?;
    Some(JsFuture::from(answer))
}
