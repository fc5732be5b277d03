//! Any text is imported: a definition that is made is JSON, never open when credentials are asked
//! for, and changes nothing when it is put over itself.
#![no_main]

use gatewright_model::json::parse;
use gatewright_model::openapi::{Options, Parts, import, update_definition};
use gatewright_model::validate;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let options = Options {
        allow_list: text.len() % 2 == 0,
        validate_requests: text.len() % 3 == 0,
        mock_responses: text.len() % 5 == 0,
        ..Options::default()
    };
    let Ok(made) = import(text, &options) else {
        return;
    };
    let definition = parse(&made.definition).expect("a definition is JSON");
    let _ = validate(&made.definition);
    let document = parse(text).expect("what was imported is JSON");
    let asks = document
        .pointer("/security")
        .is_some_and(|list| list.items().iter().any(|group| !group.members().is_empty()));
    let extended = text.contains("api-gateway");
    if asks && !extended {
        assert_eq!(definition.bool("use_keyless"), Some(false));
    }
    let parts = Parts {
        upstream: true,
        rules: true,
    };
    // What the extension puts into the place of a version has no room for rules.
    if let Ok(again) = update_definition(&made.definition, &made.definition, parts) {
        let again = parse(&again).expect("a definition is JSON");
        assert!(extended || again.same(&definition));
    }
});
