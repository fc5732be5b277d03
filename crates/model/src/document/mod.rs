//! Checks any kind of document: its shape, and the rules of its kind.

mod dashboard;
mod policy;
mod session;
pub mod webhook;

pub use session::{NEAR_MAX, unknown_apis, unknown_id, unknown_versions, without_bound};

use crate::definition;
use crate::findings::Findings;
use crate::issue::{Issue, IssueCode, Severity};
use crate::json::{self, Span, Value, parse_into};
use crate::ruleset;
use crate::shape::{self, Root};

/// Checks the text of a document: JSON, shape, rules. Returns all issues in document order; the document may be stored
/// if none of them is an error.
#[must_use]
pub fn validate(root: Root, text: &str) -> Vec<Issue> {
    if root == Root::ApiDefinition {
        return definition::validate(text);
    }
    let mut findings = Findings::default();
    if text.len() > definition::MAX_BYTES {
        let message = format!(
            "the document is longer than {} bytes; shorten it",
            definition::MAX_BYTES
        );
        findings.error(IssueCode::TooLarge, Span::default(), String::new(), message);
    } else if let Some(value) = parse_into(text, &mut findings) {
        check(root, text, &value, &mut findings);
    }
    findings.into_issues(text)
}

/// Creates an issue that can't be found from the document alone, located at a member or else at the start of the
/// document.
#[must_use]
pub fn issue_at(
    text: &str,
    pointer: &str,
    (severity, code): (Severity, IssueCode),
    message: String,
) -> Vec<Issue> {
    let mut findings = Findings::default();
    if let Ok(document) = json::parse(text) {
        let member = document.pointer(pointer);
        let span = member.map_or(document.span.opening(), |member| member.span);
        findings.add(severity, code, span, pointer, message);
    }
    findings.into_issues(text)
}

/// Adds what [`validate`] finds in a text that is JSON.
#[cfg(feature = "docs")]
pub(crate) fn check_into(root: Root, text: &str, value: &Value<'_>, findings: &mut Findings) {
    match root {
        Root::ApiDefinition => definition::check(value, findings),
        _ => check(root, text, value, findings),
    }
}

fn check(root: Root, text: &str, value: &Value<'_>, findings: &mut Findings) {
    shape::check(root, value, findings);
    match root {
        Root::Session => session::check(value, findings),
        Root::Organisation => session::check_organisation(value, findings),
        Root::AccessDefinition => session::check_access(value, findings),
        Root::Policy => policy::check(value, findings),
        Root::Ruleset => {
            dashboard::filled(value, &["name"], findings);
            ruleset::check(text, value, findings);
        }
        Root::ClientIdentityProvider => {
            dashboard::filled(value, &["name", "jwks_uri"], findings);
        }
        Root::Webhook => webhook::check(value, findings),
        _ => {}
    }
}
