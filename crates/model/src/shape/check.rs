//! Compares a document with the table: missing, mistyped, unknown and unsupported members.

use super::values;
use super::{Format, Kind, Member, Presence, Root, Support, Switch, Type, closest, member_path};
use crate::findings::{Findings, shown};
use crate::issue::IssueCode;
use crate::json::pointer::Path;
use crate::json::{self, Value, quote};

/// The context of a value being checked.
#[derive(Clone, Copy)]
struct Scope<'s, 't> {
    /// The complete document, and its kind if the table has it.
    document: &'s Value<'t>,
    root: Option<Root>,
    /// Whether the value can have any effect: inside an object that is switched off nothing has one, so nothing is
    /// warned about.
    is_live: bool,
}

impl Scope<'_, '_> {
    const fn with_live(self, is_live: bool) -> Self {
        Self { is_live, ..self }
    }

    /// Whether a member of such an object can have an effect, as far as other members decide that.
    fn is_active(&self, of: &Type, member: &Member, parent: &Value<'_>) -> bool {
        let on = |name: &str| match name.starts_with('/') {
            true => self.document.pointer(name).and_then(Value::as_bool) == Some(true),
            false => parent.bool(name) == Some(true),
        };
        let switched = match (member.needs(), of.switch) {
            (Some(name), _) => on(name),
            (None, Switch::On(name)) => name == member.name,
            (None, _) => true,
        };
        self.is_live && switched && !member.is_detail() && !member.unless().is_some_and(on)
    }
}

/// Checks a document and everything in it against the table.
pub(crate) fn check(root: Root, value: &Value<'_>, findings: &mut Findings) {
    let scope = Scope {
        document: value,
        root: Some(root),
        is_live: root.is_live(),
    };
    object(root.shape(), value, &Path::Root, scope, findings);
}

/// Checks a value that is not part of a root document against a type of the table.
pub(crate) fn check_type(
    of: &'static Type,
    value: &Value<'_>,
    path: &Path<'_>,
    findings: &mut Findings,
) {
    let scope = Scope {
        document: value,
        root: None,
        is_live: false,
    };
    object(of, value, path, scope, findings);
}

fn object(
    of: &'static Type,
    value: &Value<'_>,
    path: &Path<'_>,
    scope: Scope<'_, '_>,
    findings: &mut Findings,
) {
    if !matches!(value.kind, json::Kind::Object(_)) {
        return mistyped("an object", value, path, findings);
    }
    let off = matches!(of.switch, Switch::Off(name) if value.bool(name) == Some(true));
    for member in of.members {
        missing(member, value, off, path, findings);
    }
    let scope = scope.with_live(scope.is_live && !off);
    for present in value.members() {
        let path = path.member(&present.name);
        match of.member(&present.name) {
            None => unknown(of, present, &path, findings),
            Some(_) if present.value.is_null() => {}
            Some(member) => {
                if member.is_secret() {
                    values::masked(&present.value, &path, findings);
                }
                let is_live = scope.is_active(of, member, value);
                // A list that isn't acted on gets a single warning, not one for each element.
                let inside =
                    is_live && (is_container(member.kind) || *member.support == Support::Enforced);
                let inner = scope.with_live(inside);
                if tagged(member, value, &present.value, &path, inner, findings) && is_live {
                    support(member, &present.value, &path, scope, findings);
                }
            }
        }
    }
}

/// Reports a required or expected member that is missing.
fn missing(
    member: &Member,
    object: &Value<'_>,
    off: bool,
    path: &Path<'_>,
    findings: &mut Findings,
) {
    let presence = member.presence();
    if presence == Presence::Optional {
        return;
    }
    let present = object.member(member.name);
    let absent = present.is_none_or(|member| member.value.is_null());
    let span_and_name = || {
        let span = present.map_or(object.span.opening(), |member| member.value.span);
        (span, quote(member.name))
    };
    match presence {
        Presence::Required if absent => {
            let (span, name) = span_and_name();
            let message = format!("{name} is required; add it");
            findings.error(
                IssueCode::Required,
                span,
                &path.member(member.name),
                message,
            );
        }
        Presence::Expected if absent && !off => {
            let (span, name) = span_and_name();
            let message = format!("{name} is missing; without it this does nothing useful");
            findings.warning(
                IssueCode::Required,
                span,
                &path.member(member.name),
                message,
            );
        }
        _ => {}
    }
}

/// Checks the value of a member whose type may depend on another member of the same object.
fn tagged(
    member: &Member,
    parent: &Value<'_>,
    value: &Value<'_>,
    path: &Path<'_>,
    scope: Scope<'_, '_>,
    findings: &mut Findings,
) -> bool {
    let Kind::Tagged(tagged) = *member.kind else {
        return kind(member.kind, value, path, scope, findings);
    };
    let expected = tagged.of(parent).map_or(Kind::Free, Kind::Object);
    let right = kind(&Kind::Free, value, path, scope, findings);
    if right {
        findings.softly(|findings| kind(&expected, value, path, scope, findings));
    }
    right
}

/// Checks a value and everything in it; returns whether its own JSON type is the expected one.
fn kind(
    expected: &Kind,
    value: &Value<'_>,
    path: &Path<'_>,
    scope: Scope<'_, '_>,
    findings: &mut Findings,
) -> bool {
    match (expected, &value.kind) {
        (Kind::Any, _)
        | (Kind::Bool, json::Kind::Bool(_))
        | (Kind::Text, json::Kind::String(_))
        | (Kind::Number | Kind::Duration, json::Kind::Number(_))
        | (Kind::Free | Kind::Tagged(_), json::Kind::Object(_)) => {}
        (Kind::Format(format), json::Kind::String(text)) => {
            values::format(*format, text, value, path, findings);
        }
        (Kind::Duration, json::Kind::String(text)) => {
            values::format(Format::Duration, text, value, path, findings);
        }
        (Kind::Enum(choice), json::Kind::String(text)) => {
            values::one_of(choice, text, value, path, findings);
        }
        (Kind::Integer(bounds), json::Kind::Number(_)) => {
            values::integer(bounds, value, path, findings);
        }
        (Kind::Array(inner), json::Kind::Array(items)) => {
            for (index, item) in items.iter().enumerate() {
                element(inner, item, &path.element(index), scope, findings);
            }
        }
        (Kind::Map(names, inner), json::Kind::Object(members)) => {
            for member in members {
                let path = path.member(&member.name);
                values::name(names, member, &path, findings);
                if !member.value.is_null() {
                    kind(inner, &member.value, &path, scope, findings);
                }
            }
        }
        (Kind::Object(of), json::Kind::Object(_)) => object(of, value, path, scope, findings),
        _ => {
            mistyped(expected.name(), value, path, findings);
            return false;
        }
    }
    true
}

/// Checks an element of an array. The reference reads null as an empty value, so it is only a warning.
fn element(
    expected: &Kind,
    value: &Value<'_>,
    path: &Path<'_>,
    scope: Scope<'_, '_>,
    findings: &mut Findings,
) {
    if value.is_null() && !matches!(expected, Kind::Any) {
        let message = "null in a list stands for an empty value; remove it";
        return findings.warning(IssueCode::Type, value.span, path, message);
    }
    kind(expected, value, path, scope, findings);
}

/// The longest quoted text that is tried as a number; an integer of 64 bits has 20 characters.
const LONGEST_QUOTED: usize = 32;

fn mistyped(expected: &str, value: &Value<'_>, path: &Path<'_>, findings: &mut Findings) {
    let short = value.as_str().filter(|text| text.len() <= LONGEST_QUOTED);
    let quoted = short.filter(|text| match expected {
        "a boolean" => matches!(*text, "true" | "false"),
        "a number" | "an integer" => {
            json::parse(text).is_ok_and(|value| matches!(value.kind, json::Kind::Number(_)))
        }
        _ => false,
    });
    let message = match quoted {
        Some(text) => format!("expected {expected}; remove the quotes around {text}"),
        None => format!("expected {expected}, found {}", value.kind.type_name()),
    };
    findings.error(IssueCode::Type, value.span, path, message);
}

/// Warns of an unknown member, and suggests what was probably meant.
fn unknown(
    of: &'static Type,
    present: &json::Member<'_>,
    path: &Path<'_>,
    findings: &mut Findings,
) {
    let advice = if findings.is_full() {
        String::new()
    } else if let Some(near) = closest(&present.name, of.members.iter().map(|member| member.name)) {
        format!("did you mean {}?", quote(near))
    } else if let Some(parent) = only_parent(of, &present.name) {
        format!("it belongs into {}", quote(parent.name))
    } else {
        "it is kept but means nothing".to_owned()
    };
    let message = format!(
        "{} isn't a member of {}; {advice}",
        shown(&present.name),
        of.name
    );
    findings.warning(IssueCode::UnknownMember, present.name_span, path, message);
}

/// Returns the only member that is an object of a type with a member of that name; `None` if there are several.
pub(crate) fn only_parent(of: &'static Type, name: &str) -> Option<&'static Member> {
    let has = |member: &&Member| matches!(*member.kind, Kind::Object(inner) if inner.member(name).is_some());
    let mut parents = of.members.iter().filter(has);
    parents.next().filter(|_| parents.next().is_none())
}

/// Warns of a member that configures something this runtime doesn't do.
fn support(
    member: &Member,
    value: &Value<'_>,
    path: &Path<'_>,
    scope: Scope<'_, '_>,
    findings: &mut Findings,
) {
    if is_container(member.kind) || !configures(member, value) {
        return;
    }
    let (code, message) = match (*member.support, member.restricts()) {
        (Support::Enforced | Support::Informative, _) => return,
        _ if scope.root == Some(Root::ApiDefinition) && !member.is_aside() => {
            unserved(member, path, scope)
        }
        (Support::Stored, Some(what)) => (
            IssueCode::NotProtected,
            format!(
                "{what} isn't enforced; the key is kept, but refused by the APIs that this is about"
            ),
        ),
        (Support::Stored, None) => (
            IssueCode::NotEnforced,
            format!("{} is kept but has no effect yet", path.dotted()),
        ),
        (Support::Unsupported(reason), _) => (
            IssueCode::Unsupported,
            format!("{} is kept but has no effect: {reason}", path.dotted()),
        ),
    };
    findings.warning(code, value.span, path, message);
}

/// Words the message about a member that keeps an API from being served, with the remedy.
fn unserved(member: &Member, path: &Path<'_>, scope: Scope<'_, '_>) -> (IssueCode, String) {
    let name = member_path(Root::ApiDefinition, scope.document, &path.pointer());
    let (code, why) = match (member.protects(), *member.support) {
        (Some(what), _) => (
            IssueCode::NotProtected,
            format!("{what} isn't enforced ({name})"),
        ),
        (None, Support::Unsupported(reason)) => (
            IssueCode::NotServed,
            format!("{name} has no effect: {reason}"),
        ),
        _ => (IssueCode::NotServed, format!("{name} has no effect yet")),
    };
    let message = format!(
        "{why}; the API is kept, but not served with it: remove it, or name {name} in ALLOW_UNENFORCED"
    );
    (code, message)
}

/// Whether a kind is an object or a map of objects, whose members are reported individually.
pub(crate) const fn is_container(kind: &Kind) -> bool {
    matches!(kind, Kind::Object(_) | Kind::Map(_, Kind::Object(_)))
}

fn configures(member: &Member, value: &Value<'_>) -> bool {
    let quiet = member.quiet().unwrap_or_default();
    let quiet = match &value.kind {
        json::Kind::String(text) => quiet.contains(&&**text),
        json::Kind::Number(text) => quiet.contains(text),
        _ => false,
    };
    !quiet && is_significant(value)
}

/// Whether a value is other than false, zero, empty or switched off.
pub(crate) fn is_significant(value: &Value<'_>) -> bool {
    match &value.kind {
        json::Kind::Null => false,
        json::Kind::Bool(on) => *on,
        json::Kind::Number(text) => json::decimal::sign(text).is_ne(),
        json::Kind::String(text) => !text.is_empty(),
        json::Kind::Array(items) => items.iter().any(is_significant),
        json::Kind::Object(members) => {
            value.bool("disabled") != Some(true)
                && value.bool("enabled") != Some(false)
                && members.iter().any(|member| is_significant(&member.value))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn issues(text: &str) -> Vec<String> {
        let mut findings = Findings::default();
        check(
            Root::ApiDefinition,
            &json::parse(text).unwrap(),
            &mut findings,
        );
        let line = |issue: crate::Issue| {
            format!(
                "{} {} {}",
                issue.code.as_str(),
                issue.pointer,
                issue.message
            )
        };
        findings.into_issues(text).into_iter().map(line).collect()
    }

    #[test]
    fn every_problem_is_reported_once_in_order() {
        let text = r#"{"nmae":1,"proxy":{"strip_listen_path":"true","listen_pth":"/"},"active":1,"listen_path":"/",
            "tags":["a",1],"session_lifetime":1.5,"jwt_issued_at_validation_skew":-1,"protocol":"htp","zzz":null}"#;
        assert_eq!(
            issues(text),
            [
                r#"required /name "name" is required; add it"#,
                r#"unknown_member /nmae "nmae" isn't a member of ApiDefinition; did you mean "name"?"#,
                "type /proxy/strip_listen_path expected a boolean; remove the quotes around true",
                r#"unknown_member /proxy/listen_pth "listen_pth" isn't a member of ProxyConfig; did you mean "listen_path"?"#,
                "type /active expected a boolean, found a number",
                r#"unknown_member /listen_path "listen_path" isn't a member of ApiDefinition; it belongs into "proxy""#,
                "type /tags/1 expected a string, found a number",
                "type /session_lifetime expected an integer, found a number with a fraction",
                "range /jwt_issued_at_validation_skew the smallest allowed value is 0",
                r#"enum /protocol "htp" isn't known here; did you mean "http"?"#,
                "not_served /protocol protocol has no effect: the platform serves HTTP only, no plain connections; the API is kept, but not served with it: remove it, or name protocol in ALLOW_UNENFORCED",
                r#"unknown_member /zzz "zzz" isn't a member of ApiDefinition; it is kept but means nothing"#,
            ]
        );
    }

    #[test]
    fn only_active_members_are_warned_about() {
        let quiet = r#"{"name":"a","proxy":{"transport":{"ssl_ciphers":[],"ssl_min_version":0}},"listen_port":0,
            "cache_options":{"enable_cache":false,"cache_timeout":60},"CORS":{"enable":false,"allowed_origins":["*"]},
            "global_rate_limit":{"disabled":true,"rate":10,"per":1},"custom_middleware":{"pre":[],"driver":""},
            "event_handlers":{"events":{"HostUp":[]}},"tags":["x"],"jwt_source":"YWJj"}"#;
        assert_eq!(issues(quiet), [""; 0]);
        let loud = r#"{"name":"a","proxy":{"transport":{"ssl_min_version":771}},"listen_port":80,
            "cache_options":{"enable_cache":true,"cache_all_safe_requests":true},"CORS":{"enable":true},
            "slug":"s","enable_coprocess_auth":true}"#;
        let codes: Vec<String> = issues(loud)
            .iter()
            .map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(
            codes,
            [
                "not_served /proxy/transport/ssl_min_version",
                "unsupported /listen_port",
                "not_protected /enable_coprocess_auth"
            ]
        );
    }

    #[test]
    fn non_object_is_one_error() {
        assert_eq!(issues("[]"), ["type  expected an object, found an array"]);
    }
}
