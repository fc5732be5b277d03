//! Two texts, divided by a NUL, are merged: twice is once, and the result is JSON.
#![no_main]

use gatewright_model::json::parse;
use gatewright_model::merge::merge;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Some((target, patch)) = text.split_once('\0') else {
        return;
    };
    let Ok(once) = merge(target, patch) else {
        return;
    };
    assert!(parse(&once).is_ok(), "{once}");
    assert_eq!(merge(&once, patch).as_deref(), Ok(&*once));
    if parse(target).is_ok_and(|value| !value.members().is_empty()) {
        assert_eq!(merge(target, "{}").as_deref(), Ok(target));
    }
});
