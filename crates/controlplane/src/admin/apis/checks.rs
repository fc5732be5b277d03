//! Checks of a definition before it is stored.

use crate::admin::sessions::merge_issues;
use crate::error::Error;
use crate::ports::Platform;
use gatewright_model::definition;
use gatewright_model::document;
use gatewright_model::id::is_reserved_for_apis;
use gatewright_model::issue::{Issue, IssueCode, Severity};
use gatewright_model::json;

/// Returns the warnings about a definition that may be stored, including those of the modules that run parts of it.
pub(super) fn checked<P: Platform>(platform: &P, text: &str) -> Result<Vec<Issue>, Error> {
    let mut issues = validated(text)?;
    issues.extend(rewritten(platform, text));
    Ok(issues)
}

/// Returns the issues that the extras report for the filters and templates of a definition or an OpenAPI document.
pub(in crate::admin) fn rewritten<P: Platform>(platform: &P, text: &str) -> Vec<Issue> {
    // Most documents have none, and should not wait for modules to be instantiated.
    match text.contains("\"transform") {
        true => platform.rewrites(text),
        false => Vec::new(),
    }
}

/// Returns the warnings about a definition that may be stored.
pub(in crate::admin) fn validated(text: &str) -> Result<Vec<Issue>, Error> {
    let mut issues = definition::validate(text);
    merge_issues(&mut issues, reserved_id(text));
    let mut errors = issues.iter().filter(|issue| issue.is_error()).peekable();
    if errors.peek().is_none() {
        return Ok(issues);
    }
    if errors.all(is_reserved) {
        return Err(Error::Conflict(reserved_text(&issues), issues));
    }
    // Reference 1.0: a member of a wrong type makes it no definition, just as broken JSON does.
    let is_type = |issue: &Issue| issue.is_error() && issue.code == IssueCode::Type;
    if issues.iter().any(is_type) {
        return Err(Error::Malformed(issues));
    }
    Err(Error::Invalid(issues))
}

/// Returns an issue if the id is a reserved word of the paths.
fn reserved_id(text: &str) -> Vec<Issue> {
    let value = json::parse(text).ok();
    let id = value.as_ref().and_then(|value| value.str("api_id"));
    if !id.is_some_and(is_reserved_for_apis) {
        return Vec::new();
    }
    let message = "the paths of this gateway use this word for something else; choose another id";
    let kind = (Severity::Error, IssueCode::Format);
    document::issue_at(text, "/api_id", kind, message.to_owned())
}

fn is_reserved(issue: &Issue) -> bool {
    issue.code == IssueCode::Conflict && issue.pointer == "/proxy/listen_path"
}

fn reserved_text(issues: &[Issue]) -> String {
    let issue = issues.iter().find(|issue| is_reserved(issue));
    issue.map(|issue| issue.message.clone()).unwrap_or_default()
}
