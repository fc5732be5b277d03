//! Rules about dashboard documents that the table of types can't express.

use crate::findings::Findings;
use crate::issue::IssueCode;
use crate::json::Value;
use crate::json::pointer::Path;
use crate::json::quote;

/// Checks that members are not empty; the shape has checked that they exist and are strings.
pub(super) fn filled(value: &Value<'_>, names: &[&str], findings: &mut Findings) {
    for name in names {
        let blank = |value: &&Value<'_>| value.as_str().is_some_and(|it| it.trim().is_empty());
        if let Some(empty) = value.get(name).filter(blank) {
            let message = format!("{} is empty; fill it in", quote(name));
            let path = Path::Root.member(name);
            findings.error(IssueCode::Required, empty.span, &path, message);
        }
    }
}
