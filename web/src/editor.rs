//! The model's assistance for the JSON editor: problems, completion, explanations, quick fixes.
//!
//! A WebAssembly module of its own, loaded by `web/editor/json-editor.js` when an editor is opened: the table of the
//! whole data model is larger than all pages together. The functions are those that the edge calls. JSON goes in and
//! out as text; offsets here are UTF-16 code units, as browsers count them.

#[path = "editor/administered.rs"]
mod administered;
#[path = "editor/change.rs"]
mod change;
#[path = "editor/find.rs"]
mod find;
#[path = "editor/form.rs"]
mod form;
#[cfg(test)]
#[cfg(target_arch = "wasm32")]
#[path = "editor/tests.rs"]
mod form_tests;
#[path = "editor/ids.rs"]
mod ids;
#[path = "editor/location.rs"]
mod location;
#[path = "editor/node.rs"]
mod node;
#[path = "editor/openapi.rs"]
mod openapi;

use std::collections::BTreeMap;

use gatewright_model::Issue;
use gatewright_model::assist::{self, Fix, TextEdit};
use gatewright_model::definition::rewrites;
use gatewright_model::form::Subject;
use gatewright_model::openapi::{DocumentKind, problems};
use gatewright_model::policy::{self, Named};
use gatewright_model::shape::Root;
use gatewright_model::{document, ruleset};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use wasm_bindgen::prelude::wasm_bindgen;

fn main() {}

/// The definition of a ruleset: not a document of its own, but a text that is edited on its own.
const RULESET_DEFINITION: &str = "ruleset_definition";

/// Returns the issues of a document as a JSON array; `root` is a name of [`Subject`], or `ruleset_definition` for the
/// definition of a ruleset. An unknown name yields none.
///
/// The text is passed as UTF-8 bytes, because a browser encodes a long text several times faster than it hands one
/// over.
#[wasm_bindgen]
#[must_use]
pub fn validate(root: &str, text: &[u8]) -> String {
    // A browser's encoder only produces UTF-8.
    let text = std::str::from_utf8(text).unwrap_or_default();
    let issues = match root {
        // An empty definition counts as absent, as everywhere in documents of this family.
        RULESET_DEFINITION if text.is_empty() => None,
        RULESET_DEFINITION => Some(ruleset::check_definition(text)),
        _ => match DocumentKind::from_word(root) {
            Some(kind) => Some(problems(text, kind)),
            None => Root::from_word(root).map(|root| document::validate(root, text)),
        },
    };
    to_json(&issues.unwrap_or_default())
}

/// Returns the filters and templates of a document that modules of the edge read, as a JSON array of module and text.
#[wasm_bindgen]
#[must_use]
pub fn sources(text: &str) -> String {
    let sources = rewrites::sources(text).into_iter();
    let source = |source: rewrites::Source| json!({ "module": source.module, "text": source.text });
    to_json(&sources.map(source).collect::<Vec<Value>>())
}

/// Returns the problems of those filters and templates, issues as a JSON array; `reports` has the modules' reports, one
/// per line.
#[wasm_bindgen]
#[must_use]
pub fn broken(text: &str, reports: &str) -> String {
    let reports: Vec<String> = reports.lines().map(str::to_owned).collect();
    to_json(&rewrites::broken(text, &reports))
}

/// Returns the problems of a document that can only be seen with the ids of the gateway, issues as a JSON array; `ids`
/// are [`ids::Ids`] as JSON. Kinds of ids that are only partly known are not checked.
#[wasm_bindgen]
#[must_use]
pub fn unknown(root: &str, text: &str, ids: &str) -> String {
    to_json(&ids::Ids::read(ids).unknown(root, text))
}

/// Returns the completions at an offset, as a JSON array: label, kind, insert, caret, from, to, detail, doc, support.
/// `ids` are as in [`unknown`].
#[wasm_bindgen]
#[must_use]
pub fn complete(root: &str, text: &str, offset: usize, ids: &str) -> String {
    let Some(subject) = Subject::from_word(root) else {
        return "[]".to_owned();
    };
    let mut offsets = Offsets::new(text);
    let ids = ids::Ids::read(ids);
    let offers = assist::complete(subject, text, byte_offset(text, offset), &|place| {
        ids.at(place)
    });
    let offer = |offer: assist::Completion| {
        json!({
            "label": offer.label,
            "kind": offer.kind,
            "caret": Offsets::new(&offer.insert).utf16(offer.caret),
            "insert": offer.insert,
            "from": offsets.utf16(offer.from),
            "to": offsets.utf16(offer.to),
            "detail": offer.detail,
            "doc": offer.doc,
            "support": offer.support,
        })
    };
    to_json(&offers.into_iter().map(offer).collect::<Vec<Value>>())
}

/// Explains the member or value at an offset, as a JSON object: from, to, title, kind, doc, required, default, support,
/// support_note; `null` if there is nothing to say.
#[wasm_bindgen]
#[must_use]
pub fn explain(root: &str, text: &str, offset: usize) -> String {
    let subject = Subject::from_word(root);
    let hover = subject.and_then(|subject| assist::hover(subject, text, byte_offset(text, offset)));
    let mut offsets = Offsets::new(text);
    let hover = hover.map(|mut hover| {
        hover.from = offsets.utf16(hover.from);
        hover.to = offsets.utf16(hover.to);
        hover
    });
    to_json(&hover)
}

/// Returns the fixes of an issue that [`validate`] found in this text, as a JSON array: title, way (plain, choice,
/// removal) and edits (from, to, insert).
#[wasm_bindgen]
#[must_use]
pub fn fixes(root: &str, text: &str, issue: &str) -> String {
    let issue = serde_json::from_str::<Issue>(issue).ok();
    let fixes = issue.map(|issue| fixes_of(root, text, &issue));
    let mut offsets = Offsets::new(text);
    let mut edit = |edit: TextEdit| TextEdit {
        from: offsets.utf16(edit.from),
        to: offsets.utf16(edit.to),
        insert: edit.insert,
    };
    let mut fix = |fix: Fix| Fix {
        title: fix.title,
        way: fix.way,
        edits: fix.edits.into_iter().map(&mut edit).collect(),
    };
    let fixes: Vec<Fix> = fixes
        .unwrap_or_default()
        .into_iter()
        .map(&mut fix)
        .collect();
    to_json(&fixes)
}

/// Returns the fixes of an issue in a text of the kind `root`.
fn fixes_of(root: &str, text: &str, issue: &Issue) -> Vec<Fix> {
    match root {
        RULESET_DEFINITION => assist::definition_fixes(text, issue),
        _ => Subject::from_word(root)
            .map_or_else(Vec::new, |subject| assist::fixes(subject, text, issue)),
    }
}

/// Returns a page of the form of a document as a JSON object: at, crumbs, nodes; or a problem (message, line, column)
/// if the text has no form. `view` is the state of the view: at, open, shut, from, filter, held and missing, all of
/// them optional.
#[wasm_bindgen(js_name = formPage)]
#[must_use]
pub fn form_page(root: &str, text: &str, view: &str) -> String {
    let view = serde_json::from_str(view).unwrap_or_default();
    to_json(&Subject::from_word(root).map(|subject| form::page(subject, text, &view)))
}

/// Applies a change made in the form, and returns a JSON object: text and pointer, or error. See `change::change` for
/// `how`.
#[wasm_bindgen]
#[must_use]
pub fn change(root: &str, text: &str, how: &str, pointer: &str, input: &str) -> String {
    let subject = Subject::from_word(root);
    to_json(&subject.map(|subject| change::change(subject, text, how, pointer, input)))
}

/// Finds fields by their words; returns a JSON array: pointer, title, doc, support, reason, section, set.
#[wasm_bindgen]
#[must_use]
pub fn find(root: &str, text: &str, at: &str, near: &str, section: &str, query: &str) -> String {
    let subject = Subject::from_word(root);
    to_json(&subject.map(|subject| find::find(subject, text, at, near, section, query)))
}

/// Locates a pointer of the document in the form, as a JSON object: at, open, from, pointer.
#[wasm_bindgen]
#[must_use]
pub fn locate(root: &str, text: &str, pointer: &str) -> String {
    let document = gatewright_model::json::parse(text).ok();
    let subject = Subject::from_word(root).zip(document.as_ref());
    to_json(
        &subject.map(|(subject, document)| location::field_location(subject, document, pointer)),
    )
}

/// Applies a fix of an issue: the one at that index in the result of [`fixes`]. Returns the text unchanged if there is
/// no such fix.
#[wasm_bindgen(js_name = applyFix)]
#[must_use]
pub fn apply_fix(root: &str, text: &str, issue: &str, index: usize) -> String {
    let issue = serde_json::from_str::<Issue>(issue).ok();
    let fix = issue.and_then(|issue| fixes_of(root, text, &issue).into_iter().nth(index));
    fix.map_or_else(|| text.to_owned(), |fix| change::with_fix(text, &fix))
}

/// Applies every fix that needs no decision; returns a JSON object: text and count.
#[wasm_bindgen(js_name = fixAll)]
#[must_use]
pub fn fix_all(root: &str, text: &str) -> String {
    let (text, count) = match root {
        RULESET_DEFINITION => assist::fix_definition(text),
        _ => match Subject::from_word(root) {
            Some(subject) => assist::fix_all(subject, text),
            None => (text.to_owned(), 0),
        },
    };
    to_json(&json!({ "text": text, "count": count }))
}

/// A policy that a session names, with its text if it is known.
#[derive(Deserialize)]
struct NamedPolicy {
    id: String,
    text: Option<String>,
}

/// Applies the policies that a session names; returns a JSON object: session, or error.
#[wasm_bindgen]
#[must_use]
pub fn apply(session: &str, policies: &str) -> String {
    let policies: Vec<NamedPolicy> = serde_json::from_str(policies).unwrap_or_default();
    let named: Vec<Named<'_>> = policies
        .iter()
        .map(|policy| Named {
            id: &policy.id,
            text: policy.text.as_deref(),
        })
        .collect();
    to_json(&match policy::apply(session, &named) {
        Ok(session) => json!({ "session": session }),
        Err(error) => json!({ "error": error.to_string() }),
    })
}

/// Serialising these plain values can't fail.
fn to_json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned())
}

/// Converts a UTF-16 offset to a byte offset; one past the end becomes the end.
fn byte_offset(text: &str, utf16: usize) -> usize {
    let mut seen = 0_usize;
    for (at, character) in text.char_indices() {
        if seen >= utf16 {
            return at;
        }
        seen = seen.saturating_add(character.len_utf16());
    }
    text.len()
}

/// Converts byte offsets of a text to UTF-16, each only once.
struct Offsets<'a> {
    text: &'a str,
    known: BTreeMap<usize, usize>,
}

impl<'a> Offsets<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            text,
            known: BTreeMap::new(),
        }
    }

    fn utf16(&mut self, byte: usize) -> usize {
        let text = self.text;
        let count = || text.get(..byte).unwrap_or(text).encode_utf16().count();
        *self.known.entry(byte).or_insert_with(count)
    }
}

#[cfg(test)]
#[cfg(target_arch = "wasm32")]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

    /// Starts with a character of two UTF-16 units and four bytes, so that the offsets differ.
    const TEXT: &str = "{\"name\":\"\u{1F600}\",\"actve\":true}";

    fn read(json: &str) -> Value {
        serde_json::from_str(json).unwrap_or_default()
    }

    fn first(root: &str, text: &str, code: &str) -> Value {
        let issues = read(&validate(root, text.as_bytes()));
        let found = issues
            .as_array()
            .and_then(|issues| issues.iter().find(|issue| issue["code"] == code));
        found.cloned().unwrap_or_default()
    }

    #[wasm_bindgen_test]
    fn issues_match_those_of_the_gateway() {
        let issue = first("api_definition", TEXT, "unknown_member");
        assert_eq!(
            (&issue["pointer"], &issue["line"], &issue["column"]),
            (&json!("/actve"), &json!(1), &json!(14))
        );
    }

    #[wasm_bindgen_test]
    fn unknown_kind_of_document_has_no_issues() {
        assert_eq!(
            [
                validate("x", b"{"),
                complete("x", "{", 1, ""),
                explain("x", "{", 1),
                fixes("x", "{", "{}")
            ],
            ["[]", "[]", "null", "[]"]
        );
    }

    #[wasm_bindgen_test]
    fn offsets_are_those_of_browsers() {
        let offers = read(&complete("api_definition", TEXT, 15, ""));
        assert_eq!(
            (&offers[0]["from"], &offers[0]["to"]),
            (&json!(13), &json!(20))
        );
        let issue = first("api_definition", TEXT, "unknown_member");
        let fixes = read(&fixes("api_definition", TEXT, &issue.to_string()));
        assert_eq!(
            fixes[0]["edits"],
            json!([{ "from": 13, "to": 20, "insert": "\"active\"" }])
        );
        let hover = read(&explain(
            "api_definition",
            &TEXT.replace("actve", "active"),
            15,
        ));
        assert_eq!(
            (&hover["from"], &hover["support"]),
            (&json!(13), &json!("enforced"))
        );
    }

    #[wasm_bindgen_test]
    fn offset_past_the_text_is_clamped() {
        assert_eq!(byte_offset(TEXT, 1_000), TEXT.len());
        assert_eq!(
            Offsets::new("é").utf16(1),
            1,
            "inside a character: what can be counted"
        );
    }
}
