//! Helpers for tests of templates.

use gatewright_extra_transform::call;

pub(crate) fn made(template: &str, body: &str) -> String {
    let settings = format!("json\n{template}");
    let answer = call("request", &settings, "{}", body.as_bytes());
    match answer.as_slice() {
        [_, text] => text.clone(),
        other => other.join(""),
    }
}

#[track_caller]
pub(crate) fn table(cases: &[(&str, &str, &str)]) {
    for (template, body, expected) in cases {
        assert_eq!(made(template, body), *expected, "{template} of {body}");
    }
}
