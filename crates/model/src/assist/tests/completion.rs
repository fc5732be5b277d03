//! Completion of members and values.

use super::ROOT;
use crate::assist::{Completion, complete};
use crate::definition::validate;

/// Returns the completions at the `|` of a text.
fn offered(marked: &str) -> Vec<Completion> {
    let offset = marked.find('|').unwrap();
    complete(ROOT.into(), &marked.replacen('|', "", 1), offset, &|_| {
        Vec::new()
    })
}

fn labels(marked: &str) -> Vec<String> {
    offered(marked)
        .into_iter()
        .map(|offer| offer.label)
        .collect()
}

/// Returns the text after accepting a completion, with the caret as `|`.
fn after_accepting(marked: &str, label: &str) -> String {
    let offer = offered(marked)
        .into_iter()
        .find(|offer| offer.label == label);
    let offer = offer.unwrap_or_else(|| panic!("{label} isn't offered: {:?}", labels(marked)));
    let mut text = marked.replacen('|', "", 1);
    let mut insert = offer.insert;
    insert.insert(offer.caret, '|');
    text.replace_range(offer.from..offer.to, &insert);
    text
}

#[test]
fn members_that_are_not_there_yet_are_offered() {
    let all = labels("{|}");
    assert!(all.len() > 90 && all[0] == "name");
    let some = labels(r#"{"name": "a", "pr|", "use_keyless": true}"#);
    assert!(some.contains(&"proxy".to_owned()) && !some.contains(&"name".to_owned()));
    assert!(
        !some.contains(&"use_keyless".to_owned()),
        "also those behind the cursor"
    );
    assert!(labels(r#"{"proxy": {"|"}}"#).contains(&"listen_path".to_owned()));
    assert!(
        labels(r#"{"version_data":{"versions":{"v1":{"extended_paths":{"white_list":[{"|"}]}}}}}"#)
            .contains(&"ignore_case".to_owned())
    );
}

#[test]
fn unfinished_texts_are_understood() {
    assert!(labels("{\n  \"name\": \"a\",\n  \"|\n  \"proxy\": {\n").contains(&"tags".to_owned()));
    assert!(
        labels("{\"proxy\": {\"target_url\": \"http://a\", \"li|")
            .contains(&"listen_path".to_owned())
    );
    assert!(labels("{\"proxy\": {pr|").contains(&"preserve_host_header".to_owned()));
    assert!(labels("{\"graphql\": {\"version\": |").contains(&"\"2\"".to_owned()));
    assert!(labels("{\"a\": [[[{|").is_empty());
    assert_eq!(labels("|"), ["an API definition"]);
    for text in [
        "[|]",
        "|{}",
        "{}|",
        "\"|\"",
        "{\"name\"|}",
        "{\"name\":\"a|\"}",
        "]|",
        "}|",
        ",|",
        ":|",
    ] {
        assert!(labels(text).is_empty(), "{text}: {:?}", labels(text));
    }
}

#[test]
fn values_are_offered() {
    assert_eq!(labels(r#"{"active": |}"#), ["true", "false"]);
    assert_eq!(labels(r#"{"use_keyless": t|}"#), ["true", "false"]);
    assert!(labels(r#"{"definition":{"location":"|"}}"#).contains(&"\"url-param\"".to_owned()));
    assert!(labels(r#"{"CORS":{"allowed_methods":["GET", |]}}"#).contains(&"\"PATCH\"".to_owned()));
    assert_eq!(labels(r#"{"cache_options":{"cache_timeout": |}}"#), ["60"]);
    assert_eq!(labels(r#"{"proxy": |}"#), ["{}"]);
    assert!(labels(r#"{"auth_configs": {"|"}}"#).contains(&"jwt".to_owned()));
    assert!(labels(r#"{"error_overrides": {"|": []}}"#).contains(&"4xx".to_owned()));
}

#[test]
fn type_named_by_sibling_member_is_used() {
    let text = r#"{"event_handlers":{"events":{"KeyExpired":[{"handler_meta":{|},"handler_name":"eh_web_hook_handler"}]}}}"#;
    assert!(labels(text).contains(&"target_path".to_owned()));
    assert!(labels(&text.replace("eh_web_hook", "x")).is_empty());
}

#[test]
fn accepted_completions_fit_their_position() {
    assert_eq!(after_accepting("{|}", "name"), r#"{"name": "|"}"#);
    assert_eq!(after_accepting(r#"{"na|": 1}"#, "name"), r#"{"name"|: 1}"#);
    assert_eq!(
        after_accepting(r#"{ | "name": "a"}"#, "tags"),
        r#"{ "tags": [|], "name": "a"}"#
    );
    assert_eq!(
        after_accepting(r#"{"active": f|}"#, "true"),
        r#"{"active": true|}"#
    );
    assert_eq!(after_accepting("{ac|}", "active"), r#"{"active": true|}"#);
    let text = after_accepting("|", "an API definition").replace('|', "a");
    assert!(
        validate(&text).iter().all(|issue| !issue.is_error()),
        "{text}"
    );
}
