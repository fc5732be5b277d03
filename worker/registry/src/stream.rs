//! The functions of `stream.js`, typed.

use wasm_bindgen::prelude::*;

#[wasm_bindgen(raw_module = "./stream.js")]
extern "C" {
    /// Tells the streams of the Registry that there is something new.
    pub(crate) fn announce();
}
