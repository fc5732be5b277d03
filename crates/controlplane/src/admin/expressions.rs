//! Checks of the paths in the rights of keys and policies that need the engine for expressions: it can't compile some,
//! which then match nothing, and the gateway anchors those without an anchor to the beginning of a path.

use crate::ports::Platform;
use gatewright_model::document::{self, without_bound};
use gatewright_model::issue::{Issue, IssueCode, Severity};
use gatewright_model::json::pointer::push_token;
use gatewright_model::json::{self, LineIndex, Value};
use gatewright_model::session::{Access, Session};
use gatewright_model::shape::Root;
use gatewright_protocol::access::{unusable, unusable_endpoints};

const MESSAGE: &str =
    "this expression is too large, or not offered here, and matches nothing; write a simpler one";

/// The maximum number of these warnings per document.
const MAX: usize = 100;

/// Returns the warnings about a session or a policy. The `Err` is all of its issues, if it can't be stored.
pub(super) fn validated<P: Platform>(
    platform: &P,
    root: Root,
    text: &str,
) -> Result<Vec<Issue>, Vec<Issue>> {
    let mut issues = document::validate(root, text);
    match json::parse(text) {
        Ok(value) if !issues.iter().any(Issue::is_error) => {
            warn(platform, text, &value, &mut issues);
            Ok(issues)
        }
        _ => Err(issues),
    }
}

/// Adds a warning for each unusable expression in the `access_rights` of a document, unless the model has an issue
/// there already, and removes the model's warnings about expressions that are anchored here. Issues stay in document
/// order.
fn warn<P: Platform>(platform: &P, text: &str, document: &Value<'_>, issues: &mut Vec<Issue>) {
    if platform.keys().binds_paths {
        without_bound(document, issues);
    }
    let mut found = Vec::new();
    for (api, access) in &Session::read(text, document).access_rights {
        let mut right = "/access_rights".to_owned();
        push_token(&mut right, api);
        found.extend(pointers(access).map(|pointer| right.clone() + &pointer));
    }
    if found.is_empty() {
        return;
    }
    let lines = LineIndex::new(text);
    for pointer in found.into_iter().take(MAX) {
        let format = |issue: &Issue| issue.code == IssueCode::Format && issue.pointer == pointer;
        let known = issues.iter().any(format);
        if let Some(value) = document.pointer(&pointer).filter(|_| !known) {
            let start = lines.position(value.span.start);
            let issue = Issue {
                pointer,
                code: IssueCode::Format,
                severity: Severity::Warning,
                message: MESSAGE.to_owned(),
                start,
                end: lines.position(value.span.end),
            };
            issues.insert(issues.partition_point(|issue| issue.start <= start), issue);
        }
    }
}

/// Returns pointers to the unusable expressions in an access definition.
fn pointers(access: &Access) -> impl Iterator<Item = String> {
    let urls = unusable(&access.allowed_urls).into_iter();
    let endpoints = unusable_endpoints(&access.endpoints).into_iter();
    let urls = urls.map(|index| format!("/allowed_urls/{index}/url"));
    urls.chain(endpoints.map(|index| format!("/endpoints/{index}/path")))
}
