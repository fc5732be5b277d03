//! The rules that no table of types can express.

use crate::issue::{Findings, IssueCode};
use crate::json::Value;

use super::{host, route, target};
use crate::id::check_id;

/// Applies every rule; the shape has been checked before.
pub(super) fn check(value: &Value<'_>, findings: &mut Findings) {
    let text = |value: &'_ Value<'_>, pointer: &str| {
        value
            .pointer(pointer)
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    let mut bad = |pointer: &str, problem: &str| {
        let span = value
            .pointer(pointer)
            .map_or(value.span, |value| value.span);
        findings.error(IssueCode::Format, span, pointer.to_owned(), problem);
    };
    if let Some(Err(problem)) = text(value, "/api_id")
        .filter(|id| !id.is_empty())
        .map(|id| check_id(&id))
    {
        bad("/api_id", problem);
    }
    if let Some(Err(problem)) = text(value, "/domain")
        .filter(|domain| !domain.is_empty())
        .map(|domain| host::check(&domain))
    {
        bad("/domain", problem);
    }
    if let Some(Err(problem)) =
        text(value, "/proxy/listen_path").map(|path| route::ListenPath::parse(&path))
    {
        bad("/proxy/listen_path", problem);
    }
    if let Some(Err(problem)) = text(value, "/proxy/target_url").map(|url| target::check(&url)) {
        bad("/proxy/target_url", problem);
    }
}
