//! Extra module `mcp`: removes from the responses of MCP servers what the caller may not use (reference 6.4, *List
//! filtering*), and is the server itself where the tools are operations of an API.
//!
//! The promise: an entry stays only if both the proxy and the key permit its name, by the functions that also decide
//! about calls (`gatewright_model::mcp`); everything else in a response stays, numbers digit for digit. What can't be
//! parsed is reported, so that its link does not pass it on unread.

mod answer;
mod output;
mod parts;
mod request;
mod result;
mod rules;
mod server;

use answer::Media;
use gatewright_model::json::{Kind, Value, parse, quote};
use rules::Filter;
use wasm_bindgen::prelude::wasm_bindgen;

/// Calls a function. `filter` removes what may not be used from the response, or from some events of it, whose head is the
/// first line of the facts; if more than one answer may be in there, the rest are a list with the facts about each. It
/// returns `{}`, plus the new response if something was removed, or `{"broken":why}`. `asked` reads a message to the
/// gateway itself: see [`server::asked`]. `result` turns a response of an API into the result of a tool.
#[wasm_bindgen]
#[must_use]
pub fn call(function: &str, settings: &str, facts: &str, body: &[u8]) -> Vec<String> {
    let with_report = |body: Option<String>| ["{}".to_owned()].into_iter().chain(body).collect();
    let answer = match function {
        "filter" => {
            let (head, facts) = facts.split_once('\n').unwrap_or(("", facts));
            filtered(settings, (head, facts), body).map(with_report)
        }
        "asked" => server::asked(settings, facts, body),
        "result" => result::of(settings == "cut", facts, body).map(|body| with_report(Some(body))),
        _ => Err("there is no such function".to_owned()),
    };
    answer.unwrap_or_else(|why| vec![format!("{{\"broken\":{}}}", quote(&why))])
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

fn filtered(
    settings: &str,
    (head, facts): (&str, &str),
    body: &[u8],
) -> Result<Option<String>, String> {
    let read = |text| parse(text).map_err(|_| "what the gateway tells is no JSON".to_owned());
    let (settings, facts, head) = (read(settings)?, read(facts)?, read(head)?);
    if let Some(coding) = header(&head, "content-encoding").filter(|coding| !is_unpacked(coding)) {
        return Err(format!("the answer is packed as {coding}"));
    }
    let media = Media::of(&header(&head, "content-type").unwrap_or_default());
    let each = match &facts.kind {
        Kind::Array(each) => each.as_slice(),
        _ => std::slice::from_ref(&facts),
    };
    let filters = each.iter().map(|facts| Filter::read(&settings, facts));
    let filters = filters.collect::<Result<Vec<_>, _>>()?;
    media.rewrite(body, |message| {
        let changed = filters.iter().map(|filter| filter.message(message));
        changed.fold(false, |before, now| before | now)
    })
}

/// Whether the runtime decodes this content coding when a response is read.
fn is_unpacked(coding: &str) -> bool {
    let coding = coding.trim().to_ascii_lowercase();
    matches!(coding.as_str(), "" | "identity" | "gzip" | "x-gzip" | "br")
}

fn header(head: &Value<'_>, name: &str) -> Option<String> {
    let values = head.get("headers")?.get(name)?.items().iter();
    let values: Vec<&str> = values.filter_map(Value::as_str).collect();
    Some(values.join(","))
}
