//! Merge patches (RFC 7386) of a client identity provider's `api_mappings`.
//!
//! The console's preview and the edge use the same functions (specification, *Merge-patch client identity provider
//! mappings*).

use crate::findings::Findings;
use crate::issue::{Issue, IssueCode, Severity};
use crate::json::pointer::push_token;
use crate::json::{Kind, Member, Span, Value, parse, parse_into, quote};
use crate::merge::{self, Index, MergeError};
use crate::order::set;
use std::collections::{BTreeMap, BTreeSet};

/// Checks a patch: an object whose values are either null (removes the mapping) or an object with `scope_to_policy`,
/// which is null (removes all its scopes) or has values that are null (removes the scope) or a policy id. Other members
/// of a mapping may be patched too, with a warning, because stored ones survive.
#[must_use]
pub fn check_patch(patch: &str) -> Vec<Issue> {
    let mut findings = Findings::default();
    if let Some(value) = parse_into(patch, &mut findings) {
        match &value.kind {
            Kind::Object(mappings) => {
                for mapping in mappings {
                    check_mapping(mapping, &mut findings);
                }
            }
            _ => wrong(
                &value,
                String::new(),
                "a merge patch of mappings is an object: API ids with null or a mapping",
                &mut findings,
            ),
        }
    }
    findings.into_issues(patch)
}

fn check_mapping(mapping: &Member<'_>, findings: &mut Findings) {
    let pointer = below("", &mapping.name);
    if mapping.name.is_empty() {
        let message = "an API id can't be empty; name the API";
        findings.add(
            Severity::Error,
            IssueCode::Format,
            mapping.name_span,
            pointer,
            message,
        );
        return;
    }
    match &mapping.value.kind {
        Kind::Null => {}
        Kind::Object(members) => {
            for member in members {
                let pointer = below(&pointer, &member.name);
                if member.name == "scope_to_policy" {
                    check_scopes(member, &pointer, findings);
                } else {
                    findings.add(
                        Severity::Warning,
                        IssueCode::UnknownMember,
                        member.name_span,
                        pointer,
                        "a mapping has only scope_to_policy; this member is kept and does nothing",
                    );
                }
            }
        }
        _ => wrong(
            &mapping.value,
            pointer,
            "a mapping is null, which removes it, or an object with scope_to_policy",
            findings,
        ),
    }
}

fn check_scopes(member: &Member<'_>, pointer: &str, findings: &mut Findings) {
    if member.value.is_null() {
        return;
    }
    let Kind::Object(scopes) = &member.value.kind else {
        return wrong(
            &member.value,
            pointer.to_owned(),
            "scope_to_policy is null, which removes it, or an object: scopes with a policy id, or null to remove one",
            findings,
        );
    };
    for scope in scopes {
        if !matches!(scope.value.kind, Kind::Null | Kind::String(_)) {
            wrong(
                &scope.value,
                below(pointer, &scope.name),
                "a scope leads to a policy id, or to null, which removes it",
                findings,
            );
        }
    }
}

fn wrong(value: &Value<'_>, pointer: String, message: &'static str, findings: &mut Findings) {
    findings.add(
        Severity::Error,
        IssueCode::Type,
        value.span.opening(),
        pointer,
        message,
    );
}

fn below(pointer: &str, name: &str) -> String {
    let mut pointer = pointer.to_owned();
    push_token(&mut pointer, name);
    pointer
}

/// Wraps `patch`, which changes the mappings, into a patch of the complete document that also sets the time of its last
/// change to `now` (RFC 3339), unless that is empty.
#[must_use]
pub fn document_patch(patch: &str, now: &str) -> String {
    let mut whole = format!("{{\"api_mappings\":{patch}");
    if !now.is_empty() {
        whole.push_str(",\"last_updated\":");
        whole.push_str(&quote(now));
    }
    whole.push('}');
    whole
}

/// Applies a patch to the mappings of a document; everything else keeps every byte.
///
/// # Errors
/// If one of the texts is not JSON.
pub fn apply(document: &str, patch: &str) -> Result<String, MergeError> {
    parse(patch).map_err(MergeError::Patch)?;
    merge::merge(document, &document_patch(patch, ""))
}

/// Warns of API ids in a patch for which `known` is false. A removed mapping is exempt: its API may be gone.
#[must_use]
pub fn unknown_apis(patch: &str, known: &dyn Fn(&str) -> bool) -> Vec<Issue> {
    let mut findings = Findings::default();
    if let Ok(value) = parse(patch) {
        for mapping in value.members() {
            if !mapping.value.is_null() && !known(&mapping.name) {
                findings.add(
                    Severity::Warning,
                    IssueCode::Conflict,
                    mapping.name_span,
                    below("", &mapping.name),
                    "no API of this organisation has this id; the mapping waits for one",
                );
            }
        }
    }
    findings.into_issues(patch)
}

/// Warns of policies to which a patch maps scopes and for which `known` is false.
#[must_use]
pub fn unknown_policies(patch: &str, known: &dyn Fn(&str) -> bool) -> Vec<Issue> {
    let mut findings = Findings::default();
    let Ok(value) = parse(patch) else {
        return Vec::new();
    };
    for mapping in value.members() {
        for scope in scopes(&mapping.value) {
            let policy = scope.value.as_str().unwrap_or_default();
            if !policy.is_empty() && !known(policy) {
                findings.add(
                    Severity::Warning,
                    IssueCode::Conflict,
                    scope.value.span,
                    scope_pointer(&mapping.name, &scope.name),
                    "no policy of this organisation has this id; the scope gives nothing until one has",
                );
            }
        }
    }
    findings.into_issues(patch)
}

/// Warns of scopes of a document that a patch removes while keys still have the policy the scope maps to; `keys` counts
/// them, for all these policies at once.
///
/// # Errors
/// That of `keys`.
pub fn scopes_in_use<E>(
    document: &str,
    patch: &str,
    keys: impl FnOnce(&BTreeSet<&str>) -> Result<BTreeMap<String, u32>, E>,
) -> Result<Vec<Issue>, E> {
    // Only null removes; a large document isn't parsed for a patch without one.
    if !patch.contains("null") {
        return Ok(Vec::new());
    }
    let (Ok(document), Ok(value)) = (parse(document), parse(patch)) else {
        return Ok(Vec::new());
    };
    let old = document.get("api_mappings").map(Value::members);
    let removed = removed(old.unwrap_or_default(), value.members());
    let policies = set(removed
        .iter()
        .filter_map(|(_, scope, _)| scope.value.as_str()));
    if policies.is_empty() {
        return Ok(Vec::new());
    }
    let keys = keys(&policies)?;
    let mut findings = Findings::default();
    for (api, scope, span) in removed {
        let policy = scope.value.as_str().unwrap_or_default();
        let used = keys.get(policy).copied().unwrap_or(0);
        if used == 0 {
            continue;
        }
        let have = match used {
            1 => "key still has",
            _ => "keys still have",
        };
        let message = format!(
            "{used} {have} the policy {} that this scope gives; they keep it",
            quote(policy)
        );
        let pointer = scope_pointer(api, &scope.name);
        findings.add(
            Severity::Warning,
            IssueCode::Conflict,
            span,
            pointer,
            message,
        );
    }
    Ok(findings.into_issues(patch))
}

/// Returns the scopes of stored mappings that a patch removes, each with its API and the place of the member whose null
/// does so.
fn removed<'v, 'a>(
    old: &'v [Member<'a>],
    patch: &'v [Member<'a>],
) -> Vec<(&'v str, &'v Member<'a>, Span)> {
    let index = Index::new(old);
    let mut removed = Vec::new();
    for mapping in patch {
        let Some((_, before)) = index.find(&mapping.name) else {
            continue;
        };
        let before = scopes(&before.value);
        let all = mapping.value.member("scope_to_policy");
        let whole = match mapping.value.is_null() {
            true => Some(mapping),
            false => all.filter(|member| member.value.is_null()),
        };
        if let Some(whole) = whole {
            removed.extend(
                before
                    .iter()
                    .map(|scope| (&*mapping.name, scope, whole.name_span)),
            );
            continue;
        }
        let index = Index::new(before);
        for scope in scopes(&mapping.value)
            .iter()
            .filter(|scope| scope.value.is_null())
        {
            if let Some((_, before)) = index.find(&scope.name) {
                removed.push((&mapping.name, before, scope.name_span));
            }
        }
    }
    removed
}

fn scopes<'v, 'a>(mapping: &'v Value<'a>) -> &'v [Member<'a>] {
    let scopes = mapping.get("scope_to_policy").map(Value::members);
    scopes.unwrap_or_default()
}

fn scope_pointer(api: &str, scope: &str) -> String {
    below(&below(&below("", api), "scope_to_policy"), scope)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(patch: &str) -> Vec<String> {
        let issues = check_patch(patch);
        issues
            .into_iter()
            .filter(Issue::is_error)
            .map(|issue| issue.pointer)
            .collect()
    }

    #[test]
    fn specification_examples_are_accepted() {
        let patch = r#"{"a":null,"b":{"scope_to_policy":{"read":"p1","write":null}},"c":{}}"#;
        assert_eq!(check_patch(patch), []);
    }

    #[test]
    fn null_removes_at_every_level() {
        let patch = r#"{"a":{"scope_to_policy":null},"b":null,"c":{"scope_to_policy":{"s":null}}}"#;
        assert_eq!(check_patch(patch), []);
        let document = r#"{"api_mappings":{"a":{"scope_to_policy":{"s":"p"},"kept":1.0},"b":{}}}"#;
        let patched = apply(document, r#"{"a":{"scope_to_policy":null}}"#).unwrap();
        assert_eq!(patched, r#"{"api_mappings":{"a":{"kept":1.0},"b":{}}}"#);
    }

    #[test]
    fn errors_point_to_the_invalid_value() {
        for (patch, pointers) in [
            ("[]", vec![""]),
            ("null", vec![""]),
            (r#"{"a":1,"b":[]}"#, vec!["/a", "/b"]),
            (
                r#"{"a":{"scope_to_policy":[]}}"#,
                vec!["/a/scope_to_policy"],
            ),
            (
                r#"{"a/b":{"scope_to_policy":{"s":1,"t":{}}}}"#,
                vec!["/a~1b/scope_to_policy/s", "/a~1b/scope_to_policy/t"],
            ),
            (r#"{"":null}"#, vec!["/"]),
            ("{", vec![""]),
        ] {
            assert_eq!(errors(patch), pointers, "{patch}");
        }
    }

    #[test]
    fn unknown_members_of_a_mapping_warn_and_survive() {
        let patch = r#"{"a":{"note":"x"}}"#;
        assert_eq!(check_patch(patch)[0].severity, Severity::Warning);
        let document = r#"{"api_mappings": {"a": {"kept": 1.0, "scope_to_policy": {"s": "p"}}}}"#;
        assert_eq!(
            apply(document, r#"{"a":{"scope_to_policy":{"t":"q"}}}"#).unwrap(),
            r#"{"api_mappings": {"a": {"kept": 1.0, "scope_to_policy": {"s": "p","t": "q"}}}}"#
        );
    }

    #[test]
    fn a_patch_can_only_reach_the_mappings() {
        assert!(apply("{}", "1},\"name\":{").is_err());
    }

    #[test]
    fn missing_apis_warn_unless_their_mapping_is_removed() {
        let patch = r#"{"a":{},"b":{},"c":null}"#;
        let issues = unknown_apis(patch, &|id| id == "a");
        assert_eq!(issues.len(), 1);
        assert_eq!(issues[0].pointer, "/b");
    }

    #[test]
    fn missing_policies_warn() {
        let patch = r#"{"a":{"scope_to_policy":{"r":"p","w":"q","x":null}},"b":null}"#;
        let issues = unknown_policies(patch, &|id| id == "p");
        assert_eq!(issues.len(), 1);
        assert_eq!(issues[0].pointer, "/a/scope_to_policy/w");
        assert_eq!(issues[0].severity, Severity::Warning);
    }

    #[test]
    fn removed_scope_warns_while_keys_use_its_policy() {
        let document = r#"{"api_mappings":{"a":{"scope_to_policy":{"r":"p","w":"q","x":"p"}},
            "b":{"scope_to_policy":{"r":"p"}},"c":{"scope_to_policy":{"r":"p"}}}}"#;
        let patch = r#"{"a":{"scope_to_policy":{"r":null,"w":null,"x":"q"}},"b":null,
            "c":{"scope_to_policy":null}}"#;
        let keys = |policies: &BTreeSet<&str>| {
            assert_eq!(policies.iter().copied().collect::<Vec<_>>(), ["p", "q"]);
            Ok::<_, ()>(BTreeMap::from([("p".to_owned(), 1)]))
        };
        let issues = scopes_in_use(document, patch, keys).unwrap();
        let pointers: Vec<&str> = issues.iter().map(|issue| issue.pointer.as_str()).collect();
        let expected = ["/a", "/b", "/c"].map(|api| format!("{api}/scope_to_policy/r"));
        assert_eq!(pointers, expected);
        assert!(
            issues[0]
                .message
                .starts_with("1 key still has the policy \"p\"")
        );
    }
}
