//! One rule of a ruleset's definition.

use crate::findings::{Findings, shown};
use crate::issue::IssueCode;
use crate::json::pointer::Path;
use crate::json::{Kind, Value};
use crate::shape::ruleset::{RULE, THEN};
use crate::shape::{check_type, closest};

/// The names of the severities of a violation.
pub(super) const SEVERITIES: [&str; 5] = ["error", "warn", "info", "hint", "off"];

/// The functions that every implementation of the format has.
const FUNCTIONS: [&str; 14] = [
    "alphabetical",
    "casing",
    "defined",
    "enumeration",
    "falsy",
    "length",
    "or",
    "pattern",
    "schema",
    "truthy",
    "typedEnum",
    "undefined",
    "unreferencedReusableObject",
    "xor",
];

/// Checks a rule: an object, or, for a rule of an extended ruleset, its severity or a boolean.
pub(super) fn check(value: &Value<'_>, path: &Path<'_>, findings: &mut Findings) {
    match &value.kind {
        Kind::Bool(_) => {}
        Kind::String(_) | Kind::Number(_) => severity(value, path, findings),
        Kind::Object(_) => object(value, path, findings),
        _ => {
            let message = "a rule is an object with given and then, a severity or a boolean";
            findings.error(IssueCode::Type, value.span.opening(), path, message);
        }
    }
}

fn object(rule: &Value<'_>, path: &Path<'_>, findings: &mut Findings) {
    check_type(&RULE, rule, path, findings);
    if let Some(given) = rule.get("given") {
        let path = path.member("given");
        each(given, &path, findings, |item, path, findings| {
            if item.as_str().is_none_or(|text| text.trim().is_empty()) {
                let message = "given takes a JSON Path expression such as $.paths, or a list";
                findings.error(IssueCode::Type, item.span.opening(), path, message);
            }
        });
    }
    if let Some(then) = rule.get("then") {
        each(then, &path.member("then"), findings, |item, path, found| {
            check_type(&THEN, item, path, found);
            if let Some(name) = item.get("function") {
                function(name, &path.member("function"), found);
            }
        });
    }
    if let Some(value) = rule.get("severity") {
        severity(value, &path.member("severity"), findings);
    }
}

/// Checks a value, or each element of a list.
fn each(
    value: &Value<'_>,
    path: &Path<'_>,
    findings: &mut Findings,
    check: impl Fn(&Value<'_>, &Path<'_>, &mut Findings),
) {
    match &value.kind {
        Kind::Array(items) if items.is_empty() => {
            let message = "the list is empty; without an entry the rule does nothing";
            findings.error(IssueCode::Required, value.span, path, message);
        }
        Kind::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                check(item, &path.element(index), findings);
            }
        }
        _ => check(value, path, findings),
    }
}

fn severity(value: &Value<'_>, path: &Path<'_>, findings: &mut Findings) {
    let right = match &value.kind {
        Kind::String(text) => SEVERITIES.contains(&&**text),
        Kind::Number(_) => value
            .as_int()
            .is_some_and(|number| (-1..=3).contains(&number)),
        _ => false,
    };
    if !right {
        let message = "a severity is error, warn, info, hint or off, or a number from -1 to 3";
        findings.error(IssueCode::Enum, value.span, path, message);
    }
}

/// Returns the function that was probably meant.
pub(crate) fn closest_function(name: &str) -> Option<&'static str> {
    closest(name, FUNCTIONS.into_iter())
}

/// Functions that only another implementation has are accepted, but can't be called here.
fn function(value: &Value<'_>, path: &Path<'_>, findings: &mut Findings) {
    let Some(name) = value.as_str().filter(|name| !FUNCTIONS.contains(name)) else {
        return;
    };
    let advice = match closest_function(name) {
        Some(near) => format!("did you mean {near}?"),
        None => "the rule is kept, but can't be applied".to_owned(),
    };
    let message = format!("{} is no known function; {advice}", shown(name));
    findings.warning(IssueCode::Unsupported, value.span, path, message);
}

#[cfg(test)]
mod tests {
    use crate::ruleset::check_definition;

    #[test]
    fn invalid_rule_is_reported_at_its_pointer() {
        for (rule, expected) in [
            ("null", "error /rules/a"),
            (r#""loud""#, "error /rules/a"),
            ("4", "error /rules/a"),
            (r#"{"then":{"function":"truthy"}}"#, "error /rules/a/given"),
            (r#"{"given":"$"}"#, "error /rules/a/then"),
            (r#"{"given":[],"then":[]}"#, "error /rules/a/given"),
            (r#"{"given":["$",1],"then":[]}"#, "error /rules/a/given/1"),
            (r#"{"given":"$","then":{}}"#, "error /rules/a/then/function"),
            (r#"{"given":"$","then":[1]}"#, "error /rules/a/then/0"),
            (
                r#"{"given":"$","then":{"function":"thruthy"}}"#,
                "warning /rules/a/then/function",
            ),
            (
                r#"{"given":"$","then":{"function":"or"},"severity":"wrong"}"#,
                "error /rules/a/severity",
            ),
            (
                r#"{"given":"$","then":{"function":"or"},"sevrity":"warn"}"#,
                "warning /rules/a/sevrity",
            ),
        ] {
            let issues = check_definition(&format!(r#"{{"rules":{{"a":{rule}}}}}"#));
            let first = issues.first().map(|issue| {
                let severity = issue.severity.as_str();
                format!("{severity} {}", issue.pointer)
            });
            assert_eq!(first.as_deref(), Some(expected), "{rule}");
        }
    }
}
