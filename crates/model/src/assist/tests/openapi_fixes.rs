//! Fixes of OpenAPI documents with the extension: the same as those of definitions.

use crate::assist::{Fix, Way, fix_all, fixes};
use crate::form::Subject;
use crate::issue::IssueCode;
use crate::openapi::{DocumentKind, problems};

const OAS: Subject = Subject::OpenApi(DocumentKind::Oas);

const RIGHT: &str = r#"{
  "openapi": "3.0.3",
  "info": {"title": "A", "version": "1"},
  "paths": {"/a": {"get": {"responses": {"200": {"description": ""}}}}},
  "x-gateway-api-gateway": {
    "info": {"name": "A", "state": {"active": true}},
    "upstream": {"url": "https://u.example"},
    "server": {"listenPath": {"value": "/a/", "strip": true}, "protocol": "http"}
  }
}"#;

fn applied(text: &str, fix: &Fix) -> String {
    let mut new = text.to_owned();
    for edit in fix.edits.iter().rev() {
        new.replace_range(edit.from..edit.to, &edit.insert);
    }
    new
}

/// Returns the titles of the fixes for the first problem of the document with this replacement, and the text that the
/// first of them leads to.
fn fixed(from: &str, to: &str) -> (Vec<String>, String) {
    let text = RIGHT.replace(from, to);
    assert_ne!(text, RIGHT, "{from}");
    let issues = problems(&text, DocumentKind::Oas);
    // A misspelt member is missing, too.
    let other = issues
        .iter()
        .find(|issue| issue.code != IssueCode::Required);
    let issue = other.unwrap_or_else(|| panic!("{to}"));
    let fixes = fixes(OAS, &text, issue);
    let new = fixes.first().map(|fix| applied(&text, fix));
    let titles = fixes.into_iter().map(|fix| fix.title).collect();
    (titles, new.unwrap_or_else(|| panic!("{issue}")))
}

#[test]
fn misspelt_members_and_values_are_mended() {
    assert_eq!(problems(RIGHT, DocumentKind::Oas), []);
    for (right, wrong, title) in [
        (r#""strip""#, r#""stripp""#, r#"Rename to "strip""#),
        (r#""strip""#, r#""Strip""#, r#"Rename to "strip""#),
        (
            r#""listenPath""#,
            r#""listenpath""#,
            r#"Rename to "listenPath""#,
        ),
        (r#""paths""#, r#""path""#, r#"Rename to "paths""#),
        (r#""get""#, r#""GET""#, r#"Rename to "get""#),
        (r#""/a":"#, r#""a":"#, "Write /a"),
        (
            "\"active\": true",
            "\"active\": \"true\"",
            "Remove the quotes",
        ),
        (
            "\"strip\": true",
            "\"strip\": \"yes\"",
            "Write it as a boolean",
        ),
        (
            r#""protocol": "http""#,
            r#""protocol": "HTTP""#,
            r#"Write "http""#,
        ),
        (r#""value": "/a/""#, r#""value": "a/""#, "Write /a/"),
        ("https://u.example", "u.example", "Write https://u.example"),
        (r#""version": "1""#, r#""version": 1"#, "Put it in quotes"),
        ("\"strip\": true", "\"strip\": True", "Write true"),
        (r#""A", "version""#, r#""A" "version""#, "Add a comma"),
    ] {
        let (titles, new) = fixed(right, wrong);
        assert_eq!(
            (titles.first().map(String::as_str), new.as_str()),
            (Some(title), RIGHT),
            "{wrong}"
        );
    }
    // A member of another object is moved there.
    let moved = RIGHT.replace(r#", "protocol": "http""#, "");
    let wrong = moved.replace(
        r#""info": {"name""#,
        r#""protocol": "http", "info": {"name""#,
    );
    let issue = problems(&wrong, DocumentKind::Oas).remove(0);
    let fixes = fixes(OAS, &wrong, &issue);
    assert_eq!(fixes[0].title, "Move it into \"server\"");
    assert_eq!(problems(&applied(&wrong, &fixes[0]), DocumentKind::Oas), []);
}

#[test]
fn whatever_is_missing_is_added_until_nothing_is() {
    for kind in [DocumentKind::Oas, DocumentKind::Mcp] {
        let mut text = "{}".to_owned();
        for _ in 0..20 {
            let issues = problems(&text, kind);
            let Some(issue) = issues
                .iter()
                .find(|issue| issue.code == IssueCode::Required)
            else {
                break;
            };
            let fixes = fixes(Subject::OpenApi(kind), &text, issue);
            let fix = fixes.first().unwrap_or_else(|| panic!("{issue} in {text}"));
            assert_eq!(fix.way, Way::Choice);
            text = applied(&text, fix);
        }
        assert_eq!(problems(&text, kind), [], "{text}");
    }
}

#[test]
fn everything_unambiguous_is_mended_at_once() {
    let wrong = RIGHT
        .replace("\"strip\": true", "strip: 'true',")
        .replace("\"active\"", "\"actve\"")
        .replace(r#""/a": {"#, r#""a": {"#)
        .replace(r#""value": "/a/""#, r#""value": "a/""#);
    let (text, count) = fix_all(OAS, &wrong);
    assert_eq!(text, RIGHT);
    assert!(count >= 5, "{count}");
    assert_eq!(fix_all(OAS, RIGHT), (RIGHT.to_owned(), 0));
}

#[test]
fn the_extension_as_a_whole_is_never_taken_away() {
    // Problems of the compiled definition without a member of their own are reported at the extension.
    for (code, pointer) in [
        (IssueCode::Conflict, "/x-gateway-api-gateway"),
        (IssueCode::Unsupported, "/x-gateway-api-gateway"),
        (IssueCode::Required, "/x-gateway-api-gateway"),
        (IssueCode::Required, "/x-gateway-api-gateway/server"),
    ] {
        let wrong = RIGHT.replace(r#""name": "A""#, r#""name": """#);
        let mut issue = problems(&wrong, DocumentKind::Oas).remove(0);
        issue.code = code;
        issue.pointer = pointer.to_owned();
        assert_eq!(fixes(OAS, RIGHT, &issue), [], "{code:?} {pointer}");
    }
}
