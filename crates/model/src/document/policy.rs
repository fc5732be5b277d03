//! Rules of policies (reference section 2.4).

use super::session::{limits, pattern, rights};
use crate::findings::Findings;
use crate::issue::IssueCode;
use crate::json::Value;
use crate::json::pointer::Path;

/// Partitions that `per_api` excludes.
const PARTS: [&str; 4] = ["quota", "rate_limit", "complexity", "acl"];

/// Checks a policy; the shape has already been checked.
pub(super) fn check(policy: &Value<'_>, findings: &mut Findings) {
    limits(policy, &Path::Root, findings);
    rights(policy, &Path::Root, findings);
    pattern(policy, findings);
    let Some(partitions) = policy.get("partitions") else {
        return;
    };
    let on = |name: &str| partitions.bool(name) == Some(true);
    if on("per_api") && PARTS.into_iter().any(on) {
        let span = partitions
            .get("per_api")
            .map_or(partitions.span, |value| value.span);
        let id = policy.str("id").or_else(|| policy.str("_id"));
        let id = id.map(|id| format!("{id} ")).unwrap_or_default();
        // The reference's message whenever a key with the policy is used.
        let message =
            format!("cannot apply policy {id}which has per_api and any of partitions set");
        findings.warning(IssueCode::Conflict, span, "/partitions/per_api", message);
    }
    let without = policy
        .get("access_rights")
        .is_none_or(|rights| rights.members().is_empty());
    if without && on("per_api") {
        let span = partitions
            .get("per_api")
            .map_or(partitions.span, |value| value.span);
        let message = "every API has limits of its own, but access_rights names none";
        findings.warning(IssueCode::Conflict, span, "/partitions/per_api", message);
    }
}
