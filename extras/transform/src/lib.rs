//! Extra module `transform`: Go templates over JSON and XML bodies (reference 3.6).
//!
//! The promise: a template sees its input and nothing else, it ends, and its output is limited. It prints, compares and
//! fails as Go's `text/template` does. Whatever goes wrong, the body stays unchanged.

mod dates;
mod exec;
mod functions;
mod lex;
mod marshal;
mod parse;
mod place;
mod printf;
mod text;
mod value;
mod xml;

use gatewright_model::compiled::Compiled;
use parse::Template;
use place::Broken;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use value::{Map, Value, single};
use wasm_bindgen::prelude::wasm_bindgen;

type Parsed = Result<Template, Broken>;

thread_local! {
    static PARSED: RefCell<Compiled<Parsed>> = RefCell::default();
}

/// Calls a function. `request` and `response` render the body with a template. The settings are a line with the type of
/// the input, followed by the template; the last line of `facts` describes the request, as JSON. Returns a report,
/// `{"broken":why}` with the line and column in the template, `{"error":why}` or `{}`, and the new body if there is
/// one. `check` only parses the template, which is then all of the settings.
#[wasm_bindgen]
#[must_use]
pub fn call(function: &str, settings: &str, facts: &str, body: &[u8]) -> Vec<String> {
    let only_reads = function == "check";
    let (kind, source) = match only_reads {
        true => ("", settings),
        false => settings.split_once('\n').unwrap_or((settings, "")),
    };
    let template = parsed(source);
    let template = match template.as_ref() {
        Ok(_) if only_reads => return vec!["{}".to_owned()],
        Ok(template) => template,
        Err(broken) => return vec![broken.report()],
    };
    let facts = facts
        .lines()
        .last()
        .and_then(marshal::from_json)
        .unwrap_or_default();
    match rendered(template, function == "response", kind, &facts, body) {
        Ok(text) => vec!["{}".to_owned(), text],
        Err(why) => vec![failed(&why)],
    }
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

fn failed(why: &str) -> String {
    let report = single("error", Value::str(why));
    marshal::json(&Value::map(report), false, None)
}

fn parsed(source: &str) -> Rc<Parsed> {
    PARSED.with_borrow_mut(|known| known.get(source, parse::parse))
}

fn rendered(
    template: &Template,
    is_answer: bool,
    kind: &str,
    facts: &Value,
    body: &[u8],
) -> Result<String, String> {
    let input = match (input(kind, is_answer, body), is_answer) {
        (Ok(input), _) => input,
        (Err(_), true) => Map::new(),
        (Err(why), false) => return Err(why),
    };
    let mut input = input;
    let fact = |name: &str| match facts {
        Value::Map(facts) => facts.get(name),
        _ => None,
    };
    for (member, fact) in [
        ("_gateway_context", fact("context")),
        ("_gateway_meta", fact("meta")),
    ] {
        if let Some(value) = fact {
            input.insert(member.into(), value);
        }
    }
    let mut texts = BTreeMap::new();
    if let Some(Value::Map(variables)) = fact("variables") {
        texts.extend(
            variables
                .read()
                .iter()
                .map(|(name, value)| ((**name).to_owned(), value.print())),
        );
    }
    dates::set_now(
        fact("now")
            .as_ref()
            .map(functions::to_int)
            .unwrap_or_default(),
    );
    exec::render(template, &texts, &Value::map(input))
}

/// Returns the body as the members of a map.
fn input(kind: &str, is_answer: bool, body: &[u8]) -> Result<Map, String> {
    let text = match kind {
        "xml" => xml::text(body)?,
        // Tried first because it is much faster.
        _ => str::from_utf8(body).map_or_else(|_| String::from_utf8_lossy(body), Cow::Borrowed),
    };
    // A body of white space isn't empty, and can't be parsed.
    let is_empty = text.is_empty();
    let value = match kind {
        "xml" if is_empty => return Ok(single("_", Value::str(""))),
        "xml" => xml::read(&text)?,
        "json" if is_empty => return Ok(Map::new()),
        "json" => marshal::from_json(&text).ok_or("the body is not JSON")?,
        // An answer of any other type is taken for JSON.
        _ if is_answer => marshal::from_json(&text).ok_or("the body is not JSON")?,
        _ => return Err("input_type is neither json nor xml".to_owned()),
    };
    match value {
        Value::Map(members) => Ok(members.copy()),
        Value::List(_) => Ok(single("array", value)),
        // Any other value has no members to name.
        _ => Ok(Map::new()),
    }
}
