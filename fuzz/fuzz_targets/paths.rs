//! Listen paths, domains, targets, identifiers, rules' paths, regular expressions and templates.
#![no_main]

use gatewright_model::definition::route::{ListenPath, clean, reserved, route_key};
use gatewright_model::definition::{host, target};
use gatewright_model::id::check_id;
use gatewright_model::shape::Format;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    if let Ok(path) = ListenPath::parse(text) {
        // What is served is its own clean form, and nothing about it is another route.
        let served = clean(text);
        assert_eq!(clean(&served), served);
        assert_eq!(ListenPath::parse(&served), Ok(path));
        assert_eq!(reserved(&served), reserved(text));
        assert_eq!(route_key("", text), route_key("", &served));
    }
    if check_id(text).is_ok() {
        assert!(!text.contains(['/', '\\', '%', '\0']) && !text.contains(".."));
    }
    let _ = (host::check(text), host::key(text), target::check(text));
    for format in [
        Format::Pattern,
        Format::PathRule,
        Format::Template,
        Format::Date,
        Format::Timestamp,
        Format::Duration,
        Format::Base64,
        Format::KeySource,
        Format::Method,
        Format::StatusOrClass,
        Format::Json,
    ] {
        if let Err(problem) = format.check(text)
            && let Some((start, end)) = problem.range
        {
            assert!(text.get(start..end).is_some(), "{format:?} {problem:?}");
        }
    }
});
