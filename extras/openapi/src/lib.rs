//! Extra module `openapi`: processes administered OpenAPI documents, and finds what other modules have to read in
//! definitions.
//!
//! The promise: it does what [`gatewright_model::openapi::task`] and [`rewrites`] describe and nothing else. It is
//! separate from the administration because few requests need it and it is large, as is the memory for compiling a
//! large document.

use gatewright_model::definition::rewrites;
use gatewright_model::openapi::task;
use wasm_bindgen::prelude::wasm_bindgen;

/// Calls a function; it returns nothing for input it can't read.
///
/// - `run` carries out the call in `settings`, a [`task::Call`]: `facts` is the stored document, or empty, and `body`
///   what was sent. It returns the report and the text that follows it.
/// - `sources` returns what other modules have to read in the definition `body`: alternately the name of a module and a
///   text.
/// - `broken` returns what is wrong with those, a list of issues as JSON. `facts` has the modules' reports, one per
///   line.
#[wasm_bindgen]
#[must_use]
pub fn call(function: &str, settings: &str, facts: &str, body: &[u8]) -> Vec<String> {
    let sent = std::str::from_utf8(body).ok();
    let answer = sent.and_then(|sent| match function {
        "sources" => Some(
            rewrites::sources(sent)
                .into_iter()
                .flat_map(|source| [source.module.to_owned(), source.text])
                .collect(),
        ),
        "broken" => {
            let reports: Vec<String> = facts.lines().map(str::to_owned).collect();
            let issues = rewrites::broken(sent, &reports);
            Some(vec![serde_json::to_string(&issues).ok()?])
        }
        _ => {
            let (report, text) = task::run(&serde_json::from_str(settings).ok()?, facts, sent);
            Some(vec![serde_json::to_string(&report).ok()?, text])
        }
    });
    answer.unwrap_or_default()
}

/// Returns the size of the instance's memory, in bytes.
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
        let answer = call("run", r#"{"compile":"oas"}"#, "", document);
        let [report, text] = answer.as_slice() else {
            unreachable!("{answer:?}");
        };
        assert_eq!(report, "\"definition\"");
        assert!(text.contains("\"name\""), "{text}");
        assert!(call("run", "{}", "", document).is_empty());
    }

    #[test]
    fn sources_are_listed_and_reports_become_issues() {
        let definition = br#"{"version_data":{"versions":{"v":{"extended_paths":{"transform_jq":[
            {"filter":".a"},{"filter":".b"}]}}}}}"#;
        assert_eq!(
            call("sources", "", "", definition),
            ["jq", ".a", "jq", ".b"]
        );
        let issues = call("broken", "", "{}\n{\"error\":\"no\"}", definition).concat();
        assert!(issues.contains("transform_jq/1/filter"), "{issues}");
        assert!(!issues.contains("transform_jq/0"), "{issues}");
    }
}
