//! Rules about sessions: limits that need a window, and duplicate rights.

use crate::findings::{Findings, shown};
use crate::issue::{Issue, IssueCode, Severity};
use crate::json::pointer::Path;
use crate::json::{Kind, Value, decimal};
use crate::shape::{Format, closest};
use crate::text::reach::Reach;

/// The prefixes of variable names.
const VARIABLES: [&str; 2] = ["$gateway_context.", "$gateway_meta."];

/// Checks a session; the shape has already been checked.
pub(super) fn check(session: &Value<'_>, findings: &mut Findings) {
    limits(session, &Path::Root, findings);
    rights(session, &Path::Root, findings);
    pattern(session, findings);
    expiry(session, findings);
    let policies = session
        .get("apply_policies")
        .map(Value::items)
        .unwrap_or_default();
    if let Some(old) = session
        .get("apply_policy_id")
        .filter(|id| id.as_str() != Some("") && !policies.is_empty())
    {
        let message = "apply_policies is used instead; remove apply_policy_id";
        findings.add(
            Severity::Info,
            IssueCode::Conflict,
            old.span,
            "/apply_policy_id",
            message,
        );
    }
    // Non-objects were reported with the shape.
    let described = matches!(session.kind, Kind::Object(_))
        && policies.is_empty()
        && session.str("apply_policy_id").is_none_or(str::is_empty);
    let open = session
        .get("access_rights")
        .is_none_or(|rights| rights.members().is_empty());
    if described && open {
        let span = session
            .member("access_rights")
            .map_or(session.span.opening(), |rights| rights.value.span);
        let message =
            "without access_rights and policies the key opens every API; name those it may use";
        findings.add(
            Severity::Info,
            IssueCode::Conflict,
            span,
            "/access_rights",
            message,
        );
    }
}

/// Unix seconds of the year 5138: a larger number is probably in milliseconds.
const LATEST: i64 = 100_000_000_000;

/// `expires` is in seconds; in milliseconds a key would never expire.
pub(super) fn expiry(session: &Value<'_>, findings: &mut Findings) {
    let late = |value: &&Value<'_>| value.as_int().is_some_and(|number| number >= LATEST);
    if let Some(expires) = session.get("expires").filter(late) {
        let message = "this looks like milliseconds; expires is a time in Unix seconds";
        let path = Path::Root.member("expires");
        findings.warning(IssueCode::Range, expires.span, &path, message);
    }
}

/// The pattern under which the limits of a key are counted should give different texts for some requests.
pub(super) fn pattern(document: &Value<'_>, findings: &mut Findings) {
    let found = document
        .get("meta_data")
        .and_then(|data| data.get("rate_limit_pattern"));
    let Some(pattern) = found else { return };
    let named = |text: &str| VARIABLES.iter().any(|variable| text.contains(variable));
    if pattern
        .as_str()
        .is_some_and(|text| !text.is_empty() && !named(text))
    {
        let message = "no variable stands in it, such as $gateway_meta.<name> or \
                       $gateway_context.remote_addr, so every key with this text counts together";
        findings.warning(
            IssueCode::Conflict,
            pattern.span,
            &Path::Root.member("meta_data").member("rate_limit_pattern"),
            message,
        );
    }
}

/// Checks the session of an organisation, which grants no access by itself.
pub(super) fn check_organisation(session: &Value<'_>, findings: &mut Findings) {
    limits(session, &Path::Root, findings);
    rights(session, &Path::Root, findings);
}

/// Checks what a key may do with one API.
pub(super) fn check_access(access: &Value<'_>, findings: &mut Findings) {
    access_definition(access, &Path::Root, findings);
}

/// Checks `access_rights` of a session or a policy: each member name is the id of an API.
pub(super) fn rights(document: &Value<'_>, path: &Path<'_>, findings: &mut Findings) {
    let path = path.member("access_rights");
    let rights = document
        .get("access_rights")
        .map(Value::members)
        .unwrap_or_default();
    for right in rights {
        let path = path.member(&right.name);
        let named = right
            .value
            .get("api_id")
            .filter(|id| id.as_str() != Some(""));
        if let Some(id) = named.filter(|id| id.as_str().is_some_and(|id| id != right.name)) {
            let message = format!(
                "access is looked up by the name of the entry, {}; write the id of the API there and here",
                shown(&right.name)
            );
            findings.warning(
                IssueCode::Conflict,
                id.span,
                &path.member("api_id"),
                message,
            );
        }
        access_definition(&right.value, &path, findings);
    }
}

/// Warns of versions in the access rights of a session or a policy that their APIs don't have: with a right to no other
/// version, every request is refused. `versions` returns the version names of an API, or `None` if there is no such API
/// ([`crate::definition::version_names`]).
#[must_use]
pub fn unknown_versions(
    text: &str,
    document: &Value<'_>,
    versions: impl Fn(&str) -> Option<Vec<String>>,
) -> Vec<Issue> {
    let mut findings = Findings::default();
    let root = Path::Root.member("access_rights");
    let rights = document.get("access_rights").map(Value::members);
    for right in rights.unwrap_or_default() {
        let named = right.value.get("versions").map(Value::items);
        let named = named.unwrap_or_default();
        let Some(known) = versions(&right.name).filter(|_| !named.is_empty()) else {
            continue;
        };
        let path = root.member(&right.name);
        let path = path.member("versions");
        for (index, item) in named.iter().enumerate() {
            let unknown = |name: &&str| !known.iter().any(|known| known == name);
            if let Some(name) = item.as_str().filter(unknown) {
                let message = format!(
                    "the API has no version {}; its versions are {}",
                    shown(name),
                    known
                        .iter()
                        .map(|name| shown(name))
                        .collect::<Vec<_>>()
                        .join(", ")
                );
                let path = path.element(index);
                findings.warning(IssueCode::Conflict, item.span, &path, message);
            }
        }
    }
    findings.into_issues(text)
}

/// Warns of rights to APIs that are not stored (fault H6): they grant nothing, and the first to notice would be the
/// client that is refused. `ids` returns the ids of the stored APIs.
#[must_use]
pub fn unknown_apis<'i, I: Iterator<Item = &'i str>>(
    text: &str,
    document: &Value<'_>,
    is_known: impl Fn(&str) -> bool,
    ids: impl Fn() -> I,
) -> Vec<Issue> {
    let mut findings = Findings::default();
    let root = Path::Root.member("access_rights");
    let rights = document.get("access_rights").map(Value::members);
    let unknown = rights.unwrap_or_default().iter();
    for (count, right) in unknown.filter(|right| !is_known(&right.name)).enumerate() {
        // Among very many unknown ids, none is a typing error.
        let near = (count < NEAR_MAX).then(&ids);
        let message = unknown_id("stored API", &right.name, near, "this right opens nothing");
        let path = root.member(&right.name);
        findings.warning(IssueCode::Conflict, right.name_span, &path, message);
    }
    findings.into_issues(text)
}

/// The number of unknown ids that are compared with the known ones to find out what was meant.
pub const NEAR_MAX: usize = 10;

/// Words the message for an unknown id: which one was probably meant, or the consequence.
#[must_use]
pub fn unknown_id<'i>(
    noun: &str,
    id: &str,
    mut ids: Option<impl Iterator<Item = &'i str>>,
    means: &str,
) -> String {
    let near = ids.as_mut().and_then(|ids| closest(id, ids));
    let id = shown(id);
    match near {
        Some(near) => format!("no {noun} has the id {id}; did you mean {}?", shown(near)),
        None => format!("no {noun} has the id {id}, so {means} until one has"),
    }
}

fn access_definition(access: &Value<'_>, path: &Path<'_>, findings: &mut Findings) {
    if let Some(limit) = access.get("limit") {
        limits(limit, &path.member("limit"), findings);
    }
    for (list, member, format) in [
        ("allowed_urls", "url", Format::Pattern),
        ("endpoints", "path", Format::PathRule),
    ] {
        let list_path = path.member(list);
        let rules = access.get(list).map(Value::items).unwrap_or_default();
        for (index, rule) in rules.iter().enumerate() {
            let readable = |value: &&Value<'_>| {
                let text = value.as_str();
                text.is_some_and(|text| format.check(text).is_ok())
            };
            let methods = rule.get("methods").map(Value::items).unwrap_or_default();
            let rule_path = list_path.element(index);
            let methods_path = rule_path.member("methods");
            for (index, method) in methods.iter().enumerate() {
                if let Some(limit) = method.get("limit") {
                    let path = methods_path.element(index);
                    smoothing(limit, &path.member("limit"), findings);
                }
            }
            // Invalid expressions were reported with the shape.
            if let Some(value) = rule.get(member).filter(readable) {
                unanchored(value, &rule_path.member(member), findings);
            }
        }
    }
}

/// Warns of a path in a right, or in a rate, that matches other paths too.
fn unanchored(value: &Value<'_>, path: &Path<'_>, findings: &mut Findings) {
    let reach = value.as_str().map(Reach::of);
    if let Some(message) = reach.and_then(Reach::message) {
        findings.warning(IssueCode::Unanchored, value.span, path, message);
    }
}

/// Removes the warnings about expressions that a gateway anchors to the start of a path
/// (`ENABLE_PATH_PREFIX_MATCHING`), a setting the model doesn't know.
pub fn without_bound(document: &Value<'_>, issues: &mut Vec<Issue>) {
    issues.retain(|issue| {
        let text = document.pointer(&issue.pointer).and_then(Value::as_str);
        issue.code != IssueCode::Unanchored || text.map(Reach::of) != Some(Reach::Slash)
    });
}

/// A rate needs a period, a quota a window, and smoothing its steps.
pub(super) fn limits(limits: &Value<'_>, path: &Path<'_>, findings: &mut Findings) {
    let pairs = [
        (
            "rate",
            "per",
            "without a period the rate isn't limited; write its seconds",
        ),
        (
            "quota_max",
            "quota_renewal_rate",
            "without a window the quota is never renewed; write its seconds",
        ),
    ];
    for (limit, window, message) in pairs {
        if is_above_0(limits, limit) && !is_above_0(limits, window) {
            let span = limits
                .get(window)
                .or_else(|| limits.get(limit))
                .map_or(limits.span, |value| value.span);
            findings.warning(IssueCode::Range, span, &path.member(window), message);
        }
    }
    smoothing(limits, path, findings);
}

/// A rate is smoothed only between a threshold and itself, and in steps.
fn smoothing(limits: &Value<'_>, path: &Path<'_>, findings: &mut Findings) {
    let smoothing = limits.get("smoothing");
    let Some(smoothing) = smoothing.filter(|value| value.bool("enabled") == Some(true)) else {
        return;
    };
    let path = path.member("smoothing");
    for (member, message) in [
        (
            "threshold",
            "without a threshold above 0 the rate isn't smoothed; write how many requests are let through at first",
        ),
        (
            "step",
            "without a step above 0 the rate isn't smoothed; write how many requests more are let through at once",
        ),
    ] {
        if !is_above_0(smoothing, member) {
            let span = smoothing
                .get(member)
                .map_or(smoothing.span.opening(), |value| value.span);
            findings.warning(IssueCode::Range, span, &path.member(member), message);
        }
    }
}

fn is_above_0(value: &Value<'_>, name: &str) -> bool {
    match value.get(name).map(|value| &value.kind) {
        Some(Kind::Number(text)) => decimal::sign(text).is_gt(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definition::version_names;
    use crate::document::validate;
    use crate::json::parse;
    use crate::shape::Root;

    fn unanchored_in(root: Root, text: &str, bound: bool) -> Vec<String> {
        let document = parse(text).unwrap();
        let mut issues = validate(root, text);
        if bound {
            without_bound(&document, &mut issues);
        }
        let found = issues
            .into_iter()
            .filter(|issue| issue.code == IssueCode::Unanchored);
        let pointer = |issue: Issue| {
            assert_eq!(issue.severity, Severity::Warning);
            issue.pointer
        };
        found.map(pointer).collect()
    }

    /// Fault H8: rights without anchors were accepted without a warning.
    #[test]
    fn unanchored_rights_are_reported() {
        let text = r#"{"id":"p","access_rights":{"a/b":{
            "allowed_urls":[{"url":"/a"},{"url":"^/b$"},{"url":"c"},{"url":".*"}],
            "endpoints":[{"path":"/d/{id}"},{"path":"^/e"},{"path":"(/f|/g)"},{"path":5},{"path":"/a("}]}}}"#;
        let all = [
            "/access_rights/a~1b/allowed_urls/0/url",
            "/access_rights/a~1b/allowed_urls/2/url",
            "/access_rights/a~1b/endpoints/0/path",
            "/access_rights/a~1b/endpoints/2/path",
        ];
        for root in [Root::Session, Root::Policy] {
            assert_eq!(unanchored_in(root, text, false), all, "{root:?}");
            assert_eq!(unanchored_in(root, text, true), [all[1], all[3]]);
        }
    }

    /// Fault G12: a key for a version that its API doesn't have was accepted without a warning.
    #[test]
    fn unknown_versions_of_a_key_are_named() {
        let api = r#"{"version_data":{"versions":{"a":{"name":"v1"},"v2":{}}}}"#;
        let names = version_names(&parse(api).unwrap());
        assert_eq!(names, ["v1", "v2"]);
        assert_eq!(version_names(&parse("{}").unwrap()), ["Default"]);
        let text =
            r#"{"access_rights":{"x":{"versions":["v1","v9"]},"gone":{"versions":["v9"]},"y":{}}}"#;
        let known = |id: &str| (id != "gone").then(|| names.clone());
        let issues = unknown_versions(text, &parse(text).unwrap(), known);
        let found: Vec<_> = issues
            .iter()
            .map(|issue| (issue.pointer.as_str(), issue.message.as_str()))
            .collect();
        assert_eq!(
            found,
            [(
                "/access_rights/x/versions/1",
                r#"the API has no version "v9"; its versions are "v1", "v2""#
            )]
        );
    }
}
