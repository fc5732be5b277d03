//! Fixes inside the definition of a ruleset, which is JSON in a string.

use crate::assist::{definition_fixes, fixes};
use crate::document;
use crate::json::{parse, quote};
use crate::ruleset::check_definition;
use crate::shape::Root;

/// Returns the definitions that the fixes of each issue of a ruleset's document lead to.
fn fixed_rules(definition: &str) -> Vec<(String, String)> {
    let text = format!(
        "{{\"name\": \"r\",\n \"definition\": {}}}",
        quote(definition)
    );
    let mut fixed = Vec::new();
    for issue in document::validate(Root::Ruleset, &text) {
        for fix in fixes(Root::Ruleset, &text, &issue) {
            let mut new = text.clone();
            for edit in fix.edits.iter().rev() {
                new.replace_range(edit.from..edit.to, &edit.insert);
            }
            let value = parse(&new).unwrap();
            assert_eq!(value.str("name"), Some("r"), "{new}");
            let inner = value.str("definition").unwrap_or_default().to_owned();
            fixed.push((fix.title, inner));
        }
    }
    fixed
}

#[test]
fn ruleset_definition_is_fixed_in_place() {
    let rule = |rest: &str| {
        format!("{{\n  \"rules\": {{\"é\": {{{rest}\"then\": {{\"function\": \"truthy\"}}}}}}\n}}")
    };
    for (wrong, title, right) in [
        (
            rule("").replace("{\"then", "{\"severity\": \"warn\", \"then"),
            "Add \"given\"",
            rule("\"severity\": \"warn\", ").replace("}}}\n", "}, \"given\": \"$\"}}\n"),
        ),
        (
            rule("\"given\": \"$\", ").replace("\"rules", "\"alises\": {},\n  \"rules"),
            "Rename to \"aliases\"",
            rule("\"given\": \"$\", ").replace("\"rules", "\"aliases\": {},\n  \"rules"),
        ),
        (
            rule("\"given\": \"$\", \"recommended\": \"true\", "),
            "Remove the quotes",
            rule("\"given\": \"$\", \"recommended\": true, "),
        ),
        (
            rule("\"given\": \"$\", ").replace("truthy", "thruthy"),
            "Write \"truthy\"",
            rule("\"given\": \"$\", "),
        ),
        (
            rule("\"given\": \"$\", ").replace("}}}\n", "}}},\n"),
            "Remove the comma",
            rule("\"given\": \"$\", "),
        ),
    ] {
        let fixed = fixed_rules(&wrong);
        let expected = (title.to_owned(), right);
        assert_eq!(fixed.first(), Some(&expected), "{wrong}");
        let inner = check_definition(&wrong);
        assert_eq!(definition_fixes(&wrong, &inner[0])[0].title, title);
    }
}

#[test]
fn function_that_is_not_known_is_not_removed() {
    let rule = r#"{"rules": {"a": {"given": "$", "then": {"function": "ofTheirOwn"}}}}"#;
    assert_eq!(fixed_rules(rule), []);
}

#[test]
fn no_fix_removes_the_definition_of_a_ruleset() {
    for wrong in [
        "[]",
        "{}",
        "a: 1",
        "{\"rules\": 3}",
        "{\"extends\": 1}",
        "{\"rules\": {\"a\": {\"given\": [], \"then\": 1, \"zz\": 1}}}",
    ] {
        for (title, inner) in fixed_rules(wrong) {
            assert!(
                !inner.is_empty() && !title.contains("definition"),
                "{wrong} {title}"
            );
        }
    }
}
