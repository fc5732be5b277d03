//! Any text is checked as any kind of document; issues come in document order and stand in the text.
#![no_main]

use gatewright_model::json::{LineIndex, parse};
use gatewright_model::shape::Root;
use gatewright_model::{ApiDefinition, definition, document};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let index = LineIndex::new(text);
    for root in Root::ALL {
        let issues = document::validate(root, text);
        for pair in issues.windows(2) {
            assert!(pair[0].start <= pair[1].start || pair[1].pointer.is_empty());
        }
        for issue in &issues {
            let (start, end) = (index.offset(issue.start), index.offset(issue.end));
            assert!(start <= end && text.get(start..end).is_some(), "{issue}");
        }
    }
    if let Ok(value) = parse(text) {
        assert_eq!(
            value.span.of(text),
            text.trim_matches([' ', '\n', '\r', '\t'])
        );
        let _ = definition::unservable(text, &value, &definition::Allowed::NONE);
        let _ = ApiDefinition::read(&value).route_key();
    }
});
