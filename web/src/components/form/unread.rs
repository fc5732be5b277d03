//! Input in fields that couldn't be put into the text. It is kept, shown in its field and counted as an error until it
//! is corrected, or until the value in the text changes.

use std::collections::BTreeMap;

use gatewright_model::json::{LineIndex, Value, parse};
use gatewright_model::{Issue, IssueCode, Severity};

/// The input of one field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Typed {
    pub(super) input: String,
    /// What was expected.
    pub(super) error: String,
    /// The JSON text of the value that is still in the document.
    was: String,
}

/// All such input, by the pointers of the fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Unread(BTreeMap<String, Typed>);

impl Unread {
    pub(super) fn of(&self, pointer: &str) -> Option<&Typed> {
        self.0.get(pointer)
    }

    /// Records what was typed into a field of `text`, and why it is not in there.
    pub(super) fn note(&mut self, text: &str, pointer: &str, input: &str, error: &str) {
        let was = parse(text).ok();
        let was = was.as_ref().and_then(|value| value.pointer(pointer));
        let typed = Typed {
            input: input.to_owned(),
            error: error.to_owned(),
            was: was.map_or_else(String::new, |value| value.span.of(text).to_owned()),
        };
        self.0.insert(pointer.to_owned(), typed);
    }

    pub(super) fn forget(&mut self, pointer: &str) {
        self.0.remove(pointer);
    }

    /// Returns the input whose values are still in `text`; all of it while the text is no valid JSON.
    pub(super) fn still(&self, text: &str) -> Self {
        let Some(value) = (!self.0.is_empty()).then(|| parse(text).ok()).flatten() else {
            return self.clone();
        };
        let same = |(pointer, typed): &(&String, &Typed)| {
            let now = value.pointer(pointer);
            now.is_some_and(|now| now.span.of(text) == typed.was)
        };
        let own = |(pointer, typed): (&String, &Typed)| (pointer.clone(), typed.clone());
        Self(self.0.iter().filter(same).map(own).collect())
    }

    /// Returns the input as issues, each at the value still in the document.
    pub(super) fn issues(&self, text: &str) -> Vec<Issue> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let lines = LineIndex::new(text);
        let document = parse(text).ok();
        let span_of = |pointer: &str| {
            document
                .as_ref()
                .map(|document: &Value<'_>| document.nearest(pointer).span)
        };
        let issue = |(pointer, typed): (&String, &Typed)| {
            let span = span_of(pointer).unwrap_or_default();
            Issue {
                pointer: pointer.clone(),
                code: IssueCode::Type,
                severity: Severity::Error,
                message: message(typed),
                start: lines.position(span.start),
                end: lines.position(span.end),
            }
        };
        self.0.iter().map(issue).collect()
    }
}

fn message(typed: &Typed) -> String {
    let mut error = typed.error.clone();
    if let Some(first) = error.get_mut(..1) {
        first.make_ascii_lowercase();
    }
    let was = &typed.was;
    let old = if is_short(was) { was } else { "its old value" };
    let input = match typed.input.as_str() {
        "" => "the field is empty in the form".to_owned(),
        input if is_short(input) => format!("\u{201C}{input}\u{201D} is only in the form"),
        _ => "what was typed is only in the form".to_owned(),
    };
    format!("{error}: {input}, and the document keeps {old}")
}

/// Whether a text is short enough for a sentence.
fn is_short(text: &str) -> bool {
    const LONGEST: usize = 40;
    text.chars().count() <= LONGEST && !text.contains('\n')
}

#[cfg(test)]
#[cfg(target_arch = "wasm32")]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    const TEXT: &str = "{\n  \"limit\": {\"rate\": 0, \"per\": 1}\n}";

    fn typed() -> Unread {
        let mut unread = Unread::default();
        unread.note(TEXT, "/limit/rate", "ten", "Expected a number");
        unread
    }

    #[wasm_bindgen_test]
    fn unreadable_input_is_an_error_at_the_kept_value() {
        let issues = typed().issues(TEXT);
        assert_eq!(issues.len(), 1);
        let issue = &issues[0];
        assert!(issue.is_error());
        assert_eq!(
            (issue.pointer.as_str(), issue.start.line),
            ("/limit/rate", 2)
        );
        assert_eq!(
            issue.message,
            "expected a number: \u{201C}ten\u{201D} is only in the form, and the document keeps 0"
        );
        let mut long = typed();
        long.note(TEXT, "/limit", &"x".repeat(50), "Expected JSON");
        assert_eq!(
            long.issues(TEXT)[0].message,
            "expected JSON: what was typed is only in the form, and the document keeps {\"rate\": 0, \"per\": 1}"
        );
    }

    #[wasm_bindgen_test]
    fn unreadable_input_is_kept_until_the_value_changes() {
        let unread = typed();
        for text in [TEXT, "{ half", &TEXT.replace("\"per\": 1", "\"per\": 2")] {
            assert_eq!(unread.still(text), unread, "{text}");
        }
        for text in ["{}", &TEXT.replace("\"rate\": 0", "\"rate\": 5")] {
            assert_eq!(unread.still(text), Unread::default(), "{text}");
        }
        let mut unread = unread;
        unread.forget("/limit/rate");
        assert_eq!(unread, Unread::default());
    }
}
