//! What the model can't know about the paths in the rights of keys and policies: which of their
//! expressions are not compiled here, and so match nothing, and which the gateway binds to the beginning
//! of a path though nothing in them says so.

use crate::ports::Platform;
use gatewright_model::document::without_bound;
use gatewright_model::issue::{Issue, IssueCode, Severity};
use gatewright_model::json::pointer::push_token;
use gatewright_model::json::{LineIndex, Value};
use gatewright_model::session::{Access, Session};
use gatewright_protocol::access::{unusable, unusable_endpoints};

const MESSAGE: &str =
    "this expression is too large, or not offered here, and matches nothing; write a simpler one";

/// No document gets more of these warnings.
const MAX: usize = 100;

/// Adds a warning for each expression of the `access_rights` of a document that can't be used,
/// unless the model has something to say about it already, and takes out what the model says about
/// expressions that are bound here. Issues stay in document order.
pub(super) fn warn<P: Platform>(
    platform: &P,
    text: &str,
    document: &Value<'_>,
    issues: &mut Vec<Issue>,
) {
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

/// Pointers to the expressions in an access definition.
fn pointers(access: &Access) -> impl Iterator<Item = String> {
    let urls = unusable(&access.allowed_urls).into_iter();
    let endpoints = unusable_endpoints(&access.endpoints).into_iter();
    let urls = urls.map(|index| format!("/allowed_urls/{index}/url"));
    urls.chain(endpoints.map(|index| format!("/endpoints/{index}/path")))
}
