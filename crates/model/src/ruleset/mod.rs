//! The definition of a ruleset: linting rules as a JSON document embedded as a string in the stored one (specification,
//! *Ruleset*). It is checked here, and its effective rules are determined; nothing here applies them to a document.

mod applied;
mod rule;
#[cfg(feature = "docs")]
mod spot;

use crate::findings::{Findings, shown};
use crate::issue::{Issue, IssueCode, Severity};
use crate::json::pointer::Path;
use crate::json::{Embedded, Kind, Value, parse_into};
use crate::shape::check_type;
use crate::shape::ruleset::RULESET_DEFINITION;

pub use applied::applied_rules;
#[cfg(feature = "docs")]
pub(crate) use rule::closest_function;
#[cfg(feature = "docs")]
pub(crate) use spot::spot;

/// The pointer of the definition in the document of a ruleset.
pub(crate) const POINTER: &str = "/definition";

/// The modes in which another ruleset is extended.
const MODES: [&str; 3] = ["off", "recommended", "all"];

/// Checks the text of a definition by itself: JSON, and that it is an object with `rules` or `extends`. Positions refer
/// to this text.
#[must_use]
pub fn check_definition(text: &str) -> Vec<Issue> {
    found(text).into_issues(text)
}

/// Checks the definition of a ruleset whose document is `document`. Every issue is at `/definition`, at its line and
/// column in the document; its message starts with the line, the column and the pointer inside the definition.
pub(crate) fn check(document: &str, ruleset: &Value<'_>, findings: &mut Findings) {
    let Some(definition) = ruleset.get("definition") else {
        return;
    };
    // An empty text means nothing, as everywhere in documents of this family.
    let Some(text) = definition.as_str().filter(|text| !text.is_empty()) else {
        return;
    };
    let inner = found(text);
    if !inner.is_empty() {
        let embedded = Embedded::new(document, definition.span);
        findings.embed(inner, text, POINTER, |span| embedded.outer(span));
    }
}

/// Adds what [`check_definition`] finds in a text that is JSON.
#[cfg(feature = "docs")]
pub(crate) fn check_into(definition: &Value<'_>, findings: &mut Findings) {
    self::definition(definition, &Path::Root, findings);
}

fn found(text: &str) -> Findings {
    let mut findings = Findings::default();
    match parse_into(text, &mut findings) {
        Some(value) => {
            definition(&value, &Path::Root, &mut findings);
            findings
        }
        None if looks_like_yaml(text) => {
            let mut findings = Findings::default();
            let start = text.len().saturating_sub(text.trim_start().len());
            let span = crate::json::Span { start, end: start };
            let message = "this looks like YAML; a definition is JSON here, so convert it first";
            findings.error(IssueCode::Syntax, span, "", message);
            findings
        }
        None => findings,
    }
}

/// Whether the first line of a text is a YAML comment, document marker or key.
fn looks_like_yaml(text: &str) -> bool {
    let line = text.trim_start().lines().next().unwrap_or_default();
    let name = line.split(':').next().unwrap_or_default();
    let key = name.len() < line.len() && name.bytes().all(|b| b.is_ascii_alphanumeric());
    line.starts_with('#') || line.starts_with("---") || key && !name.is_empty()
}

/// Checks a definition, or one nested in another.
fn definition(value: &Value<'_>, path: &Path<'_>, findings: &mut Findings) {
    check_type(&RULESET_DEFINITION, value, path, findings);
    let Kind::Object(_) = value.kind else {
        return;
    };
    if value.get("rules").is_none() && value.get("extends").is_none() {
        let message = "a ruleset has rules, or extends one that has; add \"rules\"";
        findings.error(IssueCode::Required, value.span.opening(), path, message);
    }
    if let Some(extends) = value.get("extends") {
        let path = path.member("extends");
        match &extends.kind {
            Kind::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    extended(item, &path.element(index), findings);
                }
            }
            _ => base(extends, &path, findings),
        }
    }
    let rules = path.member("rules");
    for member in value.get("rules").map(Value::members).unwrap_or_default() {
        rule::check(&member.value, &rules.member(&member.name), findings);
    }
    let functions = value.get("functions");
    if let Some(functions) = functions.filter(|list| !list.items().is_empty()) {
        let message = "functions of a ruleset's own are never loaded here; use the known ones";
        let path = path.member("functions");
        findings.warning(IssueCode::Unsupported, functions.span, &path, message);
    }
}

/// Checks one of several extended rulesets: a base, or a base and a mode.
fn extended(value: &Value<'_>, path: &Path<'_>, findings: &mut Findings) {
    let Kind::Array(pair) = &value.kind else {
        return base(value, path, findings);
    };
    match pair.as_slice() {
        [from, mode] if mode.as_str().is_some_and(|mode| MODES.contains(&mode)) => {
            base(from, &path.element(0), findings);
        }
        _ => {
            let message = "a pair is a ruleset and one of \"off\", \"recommended\" and \"all\"";
            findings.error(IssueCode::Type, value.span.opening(), path, message);
        }
    }
}

/// Checks an extended ruleset: an inline definition, or the name of one.
fn base(value: &Value<'_>, path: &Path<'_>, findings: &mut Findings) {
    match &value.kind {
        Kind::Object(_) => definition(value, path, findings),
        Kind::String(name) if !name.trim().is_empty() => {
            let message = format!(
                "{} isn't loaded here; only rules that stand in the definition are known",
                shown(name)
            );
            let (severity, code) = (Severity::Info, IssueCode::NotEnforced);
            findings.add(severity, code, value.span, path, message);
        }
        _ => {
            let message = "extends takes the name of a ruleset, a ruleset, or a list of them";
            findings.error(IssueCode::Type, value.span.opening(), path, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        let line = |issue: Issue| {
            let (severity, code) = (issue.severity.as_str(), issue.code.as_str());
            format!("{severity} {code} {}", issue.pointer)
        };
        check_definition(text).into_iter().map(line).collect()
    }

    #[test]
    fn valid_ruleset_is_accepted() {
        let rule = r#"{"given":"$","severity":"warn","then":{"field":"info","function":"truthy"}}"#;
        for text in [
            r#"{"rules":{}}"#.to_owned(),
            format!(r#"{{"rules":{{"a":{rule},"b":"off","c":true}}}}"#),
            format!(r#"{{"extends":{{"rules":{{"a":{rule}}}}}}}"#),
            format!(r#"{{"extends":[[{{"rules":{{"a":{rule}}}}},"all"]],"rules":{{"a":"hint"}}}}"#),
        ] {
            assert_eq!(lines(&text), [""; 0], "{text}");
        }
        let extends = r#"{"extends":["spectral:oas",["https://a.example/r.json","off"]]}"#;
        let issues = lines(extends);
        assert_eq!(
            issues,
            [
                "info not_enforced /extends/0",
                "info not_enforced /extends/1/0"
            ]
        );
    }

    #[test]
    fn invalid_ruleset_is_refused_at_its_pointer() {
        for (text, expected) in [
            ("[]", "error type "),
            ("{}", "error required "),
            (r#"{"rules":[]}"#, "error type /rules"),
            (r#"{"extends":1}"#, "error type /extends"),
            (r#"{"extends":["",{}]}"#, "error type /extends/0"),
            (r#"{"extends":[["a","some"]]}"#, "error type /extends/0"),
            ("rules:\n  a: off\n", "error syntax "),
            ("{", "error syntax "),
        ] {
            assert_eq!(lines(text)[0], expected, "{text}");
        }
    }

    #[test]
    fn an_issue_points_into_the_text_of_the_definition() {
        let document = "{\"name\": \"r\",\n \"definition\": \"{\\n \\\"rules\\\": 3}\"}";
        let issues = crate::document::validate(crate::shape::Root::Ruleset, document);
        assert_eq!(issues.len(), 1);
        let issue = &issues[0];
        assert_eq!(issue.pointer, "/definition");
        assert_eq!(
            issue.message,
            "line 2, column 11 (/rules): expected an object, found a number"
        );
        let index = crate::json::LineIndex::new(document);
        let (start, end) = (index.offset(issue.start), index.offset(issue.end));
        assert_eq!(document.get(start..end), Some("3"));
    }
}
