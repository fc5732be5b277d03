//! Everything that is wrong with a document while somebody edits it.

use super::administered::{Served, stored_form};
use super::{DocumentKind, advice, check, compile, origin, stored};
use crate::issue::{Issue, IssueCode};
use crate::json::{LineIndex, parse};

/// Returns the issues of a document as the administration finds them: its own, or if there are none, those of the
/// definition compiled from it; and the warnings about what has no effect.
#[must_use]
pub fn problems(text: &str, kind: DocumentKind) -> Vec<Issue> {
    let mut issues = match check(text, kind) {
        Err(refused) => refused.issues,
        Ok(()) => compiled(text, kind),
    };
    for warning in advice(text, kind) {
        // The schema refuses some of the members that have no effect.
        let told = |issue: &Issue| issue.pointer == warning.pointer && issue.code == warning.code;
        if !issues.iter().any(told) {
            issues.push(warning);
        }
    }
    issues
}

/// Returns the errors of the compiled definition, and values with which it wouldn't be served, such as a listen path
/// without its slash. Nobody wrote that text, so each is reported at the member of the extension it originates from, or
/// else, if it is an error, at the extension as a whole.
fn compiled(text: &str, kind: DocumentKind) -> Vec<Issue> {
    let served = Served {
        id: "new",
        origin: "https://gateway.invalid",
        before: None,
        base: None,
    };
    let Ok(document) = stored_form(text, &served) else {
        return Vec::new();
    };
    let Ok(definition) = compile(&document, kind) else {
        return Vec::new();
    };
    let (Ok(value), Ok(made)) = (parse(text), parse(&definition)) else {
        return Vec::new();
    };
    let Some((name, extension)) = stored::extension(&value) else {
        return Vec::new();
    };
    let lines = LineIndex::new(text);
    let placed = |issue: Issue| {
        let origin = origin(&made, &value, &issue.pointer);
        let origin = origin.and_then(|pointer| Some((extension.pointer(&pointer)?.span, pointer)));
        let is_told = match &origin {
            Some(_) => issue.is_error() || issue.code == IssueCode::Format,
            None => issue.is_error(),
        };
        let (span, below) = origin.unwrap_or((extension.span.opening(), String::new()));
        is_told.then(|| Issue {
            message: format!(
                "{} (in the definition compiled from it: {})",
                issue.message, issue.pointer
            ),
            pointer: format!("/{name}{below}"),
            start: lines.position(span.start),
            end: lines.position(span.end),
            ..issue
        })
    };
    let issues = crate::validate(&definition).into_iter();
    issues.filter_map(placed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(members: &str) -> String {
        format!(
            r#"{{"openapi":"3.0.3","info":{{"title":"A","version":"1"}},"paths":{{}},
"x-gateway-api-gateway":{{"info":{{"name":"A","state":{{"active":true}}}},"upstream":{{"url":"http://u.example"}},"server":{{"listenPath":{{"value":"/a/"}}}}{members}}}}}"#
        )
    }

    fn found(text: &str) -> Vec<(String, u32, bool)> {
        let issues = problems(text, DocumentKind::Oas).into_iter();
        let place = |issue: Issue| {
            let is_error = issue.is_error();
            (issue.pointer, issue.start.line, is_error)
        };
        issues.map(place).collect()
    }

    #[test]
    fn refusal_has_a_position() {
        assert_eq!(found(&document("")), []);
        let without = document("").replace(r#""url":"http://u.example""#, "");
        let url = "/x-gateway-api-gateway/upstream/url".to_owned();
        assert!(found(&without).contains(&(url, 2, true)));
    }

    #[test]
    fn definition_issues_are_mapped_to_the_document() {
        let text = document(r#","middleware":{"global":{}}"#).replace(
            r#""listenPath""#,
            r#""ipAccessControl":{"enabled":true,"allow":["no address"]},"listenPath""#,
        );
        let allowed = "/x-gateway-api-gateway/server/ipAccessControl/allow/0".to_owned();
        assert_eq!(found(&text), [(allowed, 2, true)]);
    }

    #[test]
    fn members_without_effect_are_warnings_beside_any_errors() {
        let misspelt = document(r#","midleware":{}"#);
        let known = ("/x-gateway-api-gateway/midleware".to_owned(), 2, false);
        assert_eq!(found(&misspelt), std::slice::from_ref(&known));
        let refused = misspelt.replace("http://u.example", "http://a b/");
        let found = found(&refused);
        assert!(found.len() > 1 && found.contains(&known), "{found:?}");
        // What the schema refuses is not said twice.
        let closed = document("").replace(r#""paths":{}"#, r#""paths":{},"wrong":1"#);
        assert_eq!(problems(&closed, DocumentKind::Oas).len(), 1);
    }
}
