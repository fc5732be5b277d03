//! Documents with every member, as clients of the family read them (reference 1.3, 1.7).

use gatewright_model::json::{self, Kind as Json, Value};
use gatewright_model::shape::{Kind, Member, Root, Type};
use std::cell::RefCell;
use std::ptr;
use std::rc::Rc;

/// Returns a policy with the members that it lacks; what it has stays as it was written. None of the values that are
/// added means anything else than the absence of its member. A policy without an `id` is known by its `_id`.
pub(super) fn policy(text: &str) -> String {
    let Ok(policy) = json::parse(text) else {
        return text.to_owned();
    };
    let of = Root::Policy.shape();
    let mut lacking = missing(&policy, of, policy_member);
    if let Some(internal) = policy.get("_id").filter(|_| policy.get("id").is_none()) {
        push(&mut lacking, &format!("\"id\":{}", internal.span.of(text)));
    }
    let mut gaps = vec![(&policy, lacking)];
    let partitions = of.member("partitions").and_then(|of| of.kind.object());
    if let (Some(of), Some(value)) = (partitions, policy.get("partitions")) {
        gaps.push((value, missing(value, of, policy_member)));
    }
    filled(text, gaps)
}

/// Returns a definition with the members that its objects lack, at any depth; what it has stays as it was written. It
/// means the same as before.
pub(super) fn definition(text: &str) -> String {
    let Ok(definition) = json::parse(text) else {
        return text.to_owned();
    };
    let mut gaps = Vec::new();
    let of = Kind::Object(Root::ApiDefinition.shape());
    collect(&of, &definition, &mut gaps);
    filled(text, gaps)
}

/// Objects, each with the text of the members that it lacks.
type Gaps<'v, 't> = Vec<(&'v Value<'t>, String)>;

fn collect<'v, 't>(kind: &Kind, value: &'v Value<'t>, gaps: &mut Gaps<'v, 't>) {
    match (kind, &value.kind) {
        (Kind::Object(of), Json::Object(members)) => {
            gaps.push((value, missing(value, of, definition_member)));
            for member in members {
                if let Some(known) = of.member(&member.name) {
                    collect(known.kind, &member.value, gaps);
                }
            }
        }
        (Kind::Map(_, inner), Json::Object(members)) => {
            let values = members.iter().map(|member| &member.value);
            values.for_each(|value| collect(inner, value, gaps));
        }
        (Kind::Array(inner), Json::Array(items)) => {
            items.iter().for_each(|item| collect(inner, item, gaps));
        }
        _ => {}
    }
}

/// What is written for a member that an object lacks.
enum Absent {
    LeftOut,
    Text(&'static str),
    /// An object of this type with nothing in it.
    Empty(&'static Type),
}

/// Decides about a member of a type.
type Decide = fn(&Type, &Member) -> Absent;

/// The text of each member of a type, for objects that lack it; `None` if it is left out.
type Written = Rc<[Option<String>]>;

thread_local! {
    /// What was written before: it is the same each time, and most of it is objects with nothing in them.
    static WRITTEN: RefCell<Vec<(&'static Type, Decide, Written)>> = const { RefCell::new(Vec::new()) };
}

fn written(of: &'static Type, decide: Decide) -> Written {
    let known = WRITTEN.with_borrow(|known| {
        let mut known = known.iter();
        let same = known.find(|(known, by, _)| ptr::eq(*known, of) && ptr::fn_addr_eq(*by, decide));
        same.map(|(.., texts)| Rc::clone(texts))
    });
    known.unwrap_or_else(|| {
        let members = of.members.iter();
        let texts: Written = members
            .map(|member| {
                let value = match decide(of, member) {
                    Absent::LeftOut => return None,
                    Absent::Text(value) => value.to_owned(),
                    Absent::Empty(of) => {
                        let inner: Vec<_> = written(of, decide).iter().flatten().cloned().collect();
                        format!("{{{}}}", inner.join(","))
                    }
                };
                Some(format!("\"{}\":{value}", member.name))
            })
            .collect();
        WRITTEN.with_borrow_mut(|known| known.push((of, decide, Rc::clone(&texts))));
        texts
    })
}

/// Returns the text of the members of a type that an object lacks.
fn missing(object: &Value<'_>, of: &'static Type, decide: Decide) -> String {
    let mut text = String::new();
    for (member, written) in of.members.iter().zip(&*written(of, decide)) {
        // One that is null is there.
        if object.member(member.name).is_some() {
            continue;
        }
        let is_timeout = (of.name, member.name) == ("CacheOptions", "cache_timeout");
        if is_timeout && object.bool("enable_cache") == Some(true) {
            // A cache that is on has a default, and 0 would store nothing.
            if let Some(default) = member.default() {
                push(&mut text, &format!("\"cache_timeout\":{default}"));
            }
        } else if let Some(written) = written {
            push(&mut text, written);
        }
    }
    text
}

fn push(text: &mut String, member: &str) {
    if !text.is_empty() {
        text.push(',');
    }
    text.push_str(member);
}

/// Returns what is written for a value of a kind that means nothing; `null` for objects, too. A choice without an empty
/// text is left out, because it would be a warning.
fn nothing(kind: &Kind) -> Absent {
    Absent::Text(match kind {
        Kind::Enum(choice) if !choice.values.contains(&"") => return Absent::LeftOut,
        Kind::Text | Kind::Format(_) | Kind::Enum(_) => "\"\"",
        Kind::Integer(_) | Kind::Number => "0",
        Kind::Duration => "\"0s\"",
        Kind::Bool => "false",
        _ => "null",
    })
}

fn policy_member(_: &Type, member: &Member) -> Absent {
    match (member.name, member.kind) {
        ("id", _) | (_, Kind::Enum(_)) => Absent::LeftOut,
        ("partitions", Kind::Object(of)) => Absent::Empty(of),
        (_, kind) => nothing(kind),
    }
}

fn definition_member(of: &Type, member: &Member) -> Absent {
    match (of.name, member.name) {
        (of, name) if is_left_out(of, name) => Absent::LeftOut,
        ("ApiDefinition", "active") => Absent::Text("true"),
        ("MiddlewareIdExtractor", "extractor_config") => Absent::Text("null"),
        _ => match member.kind {
            Kind::Object(of) => Absent::Empty(of),
            kind => nothing(kind),
        },
    }
}

/// Whether the family leaves a member out that has no value, or whether no value means the same as its absence.
fn is_left_out(of: &str, name: &str) -> bool {
    let names: &[&str] = match of {
        "AnalyticsPluginConfig"
        | "ScopeClaim"
        | "ErrorOverride"
        | "ErrorMatcher"
        | "MiddlewareIdExtractor.extractor_config"
        | "ErrorResponse" => return true,
        "ExtendedPathsSet" => return !["persist_graphql", "rate_limit"].contains(&name),
        "ApiDefinition" => &[
            "id",
            "expiration",
            "is_oas",
            "openapi",
            "version_name",
            "domain_disabled",
            "tags_disabled",
            "certificate_pinning_disabled",
            "upstream_certificates_disabled",
            "session_lifetime_respects_key_expiration",
            "check_host_against_uptime_tests",
            "security_requirements",
            "application_protocol",
            "json_rpc_version",
        ],
        "VersionData" => &["not_versioned"],
        "EndPointMeta" => &["method_actions"],
        "HardTimeoutMeta" => &["timeout", "duration"],
        "ValidatePathMeta" => &["schema_b64"],
        "MiddlewareDefinition" => &["code"],
        "UpstreamBasicAuth" => &["enabled"],
        "ClientCredentials" | "PasswordAuthentication" => {
            &["client_secret", "method", "scopes", "extra_metadata"]
        }
        "GraphQLConfig" => &["last_schema_update"],
        "GraphQLSupergraphConfig" => &["updated_at"],
        "GraphQLProxyConfig" | "GraphQLSubgraphEntity" => &["subscription_type"],
        _ => &[],
    };
    names.contains(&name)
}

/// Appends the members that objects lack to their text.
fn filled(text: &str, mut gaps: Gaps<'_, '_>) -> String {
    gaps.sort_by_key(|(object, _)| object.span.end);
    let mut whole = String::new();
    let mut done = 0;
    for (object, members) in gaps {
        let Json::Object(present) = &object.kind else {
            continue;
        };
        // Before the closing bracket.
        let end = object.span.end.saturating_sub(1);
        whole.push_str(text.get(done..end).unwrap_or_default());
        if !present.is_empty() && !members.is_empty() {
            whole.push(',');
        }
        whole.push_str(&members);
        done = end;
    }
    whole.push_str(text.get(done..).unwrap_or_default());
    whole
}
