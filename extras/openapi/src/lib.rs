//! Extra module `openapi`: what becomes of OpenAPI documents that are administered.
//!
//! The promise: it does what [`gatewright_model::openapi::task`] says and nothing else. It is apart from the
//! administration because few requests ask for it and it is large, and so is what it holds while it compiles
//! a large document.

use gatewright_model::openapi::task::run;
use wasm_bindgen::prelude::wasm_bindgen;

/// Carries out the call that `settings` has, a [`gatewright_model::openapi::task::Call`]: `facts` is the stored
/// document, or nothing, and `body` what was sent. It answers the report and the text behind it; nothing for what
/// is no call.
#[wasm_bindgen]
#[must_use]
pub fn call(_function: &str, settings: &str, facts: &str, body: &[u8]) -> Vec<String> {
    let (Ok(call), Ok(sent)) = (serde_json::from_str(settings), std::str::from_utf8(body)) else {
        return Vec::new();
    };
    let (report, text) = run(&call, facts, sent);
    match serde_json::to_string(&report) {
        Ok(report) => vec![report, text],
        Err(_) => Vec::new(),
    }
}

/// How large the memory of the instance is.
#[wasm_bindgen(js_name = memoryBytes)]
#[must_use]
pub fn memory_bytes() -> usize {
    #[cfg(target_arch = "wasm32")]
    return core::arch::wasm32::memory_size::<0>().saturating_mul(65_536);
    #[cfg(not(target_arch = "wasm32"))]
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_answered_by_its_report_and_its_text() {
        let document = br#"{"x-gateway-api-gateway":{"info":{"name":"a"}}}"#;
        let answer = call("", r#"{"compile":"oas"}"#, "", document);
        let [report, text] = answer.as_slice() else {
            unreachable!("{answer:?}");
        };
        assert_eq!(report, "\"definition\"");
        assert!(text.contains("\"name\""), "{text}");
        assert!(call("", "{}", "", document).is_empty());
    }
}
