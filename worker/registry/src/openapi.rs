//! The extra for OpenAPI documents, as the Registry calls it (`extras.js`).

use gatewright_model::openapi::task::Call;
use gatewright_protocol::error::StoreError;
use wasm_bindgen::prelude::*;

#[wasm_bindgen(raw_module = "./extras.js")]
extern "C" {
    #[wasm_bindgen(catch, js_name = callExtra)]
    fn call_extra(
        module: &str,
        function: &str,
        settings: &str,
        facts: &str,
        body: &[u8],
    ) -> Result<JsValue, JsValue>;
}

/// Carries out a call: the report as JSON, and the text that follows it.
pub(crate) fn ask(call: &Call, before: &str, sent: &str) -> Result<(String, String), StoreError> {
    let failed = |detail: &str| StoreError::new("module openapi", detail);
    let call = serde_json::to_string(call).map_err(|error| failed(&error.to_string()))?;
    let answer = call_extra("openapi", "run", &call, before, sent.as_bytes());
    let answer = answer
        .ok()
        .and_then(|answer| answer.dyn_into::<js_sys::Array>().ok());
    let text = |at| {
        answer
            .as_ref()
            .and_then(|answer| answer.get(at).as_string())
    };
    match (text(0), text(1)) {
        (Some(report), Some(text)) => Ok((report, text)),
        _ => Err(failed("it has failed")),
    }
}
