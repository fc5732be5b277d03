//! Completion, explanations and quick fixes at many offsets of any text.
#![no_main]

use gatewright_model::assist::{complete, fixes, hover};
use gatewright_model::document::validate;
use gatewright_model::json::parse;
use gatewright_model::shape::Root;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    // Some twenty offsets of a text, so that many texts are tried.
    for offset in (0..=text.len()).step_by(1 + text.len() / 20) {
        for offer in complete(Root::ApiDefinition, text, offset) {
            assert!(text.get(offer.from..offer.to).is_some());
            assert!(offer.insert.is_char_boundary(offer.caret));
        }
        if let Some(found) = hover(Root::ApiDefinition, text, offset) {
            assert!(text.get(found.from..found.to).is_some());
        }
    }
    let valid = parse(text).is_ok();
    for issue in validate(Root::ApiDefinition, text) {
        for fix in fixes(Root::ApiDefinition, text, &issue) {
            let mut new = text.to_owned();
            for edit in fix.edits.iter().rev() {
                new.replace_range(edit.from..edit.to, &edit.insert);
            }
            assert!(!valid || parse(&new).is_ok(), "{}: {new}", fix.title);
        }
    }
});
