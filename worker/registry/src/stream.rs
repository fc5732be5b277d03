//! The functions of `stream.js`, typed.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(raw_module = "./stream.js")]
extern "C" {
    /// Wakes the Registry's streams: there is something new.
    pub(crate) fn announce();
}
