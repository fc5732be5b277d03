//! Documents with every member, as clients of the family read them (reference 1.3, 1.7).

use gatewright_model::json::{self, Kind as Json, Value};
use gatewright_model::shape::{Kind, Member, Root, Type};

/// Returns a policy with the members that it lacks; what it has stays as it was written. None of the values that are
/// added means anything else than the absence of its member. A policy without an `id` is known by its `_id`.
pub(super) fn policy(text: &str) -> String {
    let Ok(policy) = json::parse(text) else {
        return text.to_owned();
    };
    let of = Root::Policy.shape();
    let mut lacking = missing(Some(&policy), of, policy_member);
    if let Some(internal) = policy.get("_id").filter(|_| policy.get("id").is_none()) {
        push(&mut lacking, "id", internal.span.of(text));
    }
    let mut gaps = vec![(&policy, lacking)];
    let partitions = of.member("partitions").and_then(|of| of.kind.object());
    if let (Some(of), Some(value)) = (partitions, policy.get("partitions")) {
        gaps.push((value, missing(Some(value), of, policy_member)));
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
            gaps.push((value, missing(Some(value), of, definition_member)));
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

/// Decides about a member of a type; the object is there, or is itself written because it is lacking.
type Decide = fn(&Type, &Member, Option<&Value<'_>>) -> Absent;

/// Returns the text of the members of a type that an object lacks, all if there is no object.
fn missing(object: Option<&Value<'_>>, of: &Type, decide: Decide) -> String {
    let mut text = String::new();
    for member in of.members {
        // One that is null is there.
        if object.is_some_and(|object| object.member(member.name).is_some()) {
            continue;
        }
        match decide(of, member, object) {
            Absent::LeftOut => {}
            Absent::Text(value) => push(&mut text, member.name, value),
            Absent::Empty(of) => {
                let inner = missing(None, of, decide);
                push(&mut text, member.name, "{");
                text.push_str(&inner);
                text.push('}');
            }
        }
    }
    text
}

fn push(text: &mut String, name: &str, value: &str) {
    if !text.is_empty() {
        text.push(',');
    }
    text.extend(["\"", name, "\":", value]);
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

fn policy_member(_: &Type, member: &Member, _: Option<&Value<'_>>) -> Absent {
    match (member.name, member.kind) {
        ("id", _) | (_, Kind::Enum(_)) => Absent::LeftOut,
        ("partitions", Kind::Object(of)) => Absent::Empty(of),
        (_, kind) => nothing(kind),
    }
}

fn definition_member(of: &Type, member: &Member, object: Option<&Value<'_>>) -> Absent {
    match (of.name, member.name) {
        (of, name) if is_left_out(of, name) => Absent::LeftOut,
        ("ApiDefinition", "active") => Absent::Text("true"),
        ("MiddlewareIdExtractor", "extractor_config") => Absent::Text("null"),
        // A cache that is on has a default, and 0 would store nothing.
        ("CacheOptions", "cache_timeout") if is_on(object, "enable_cache") => {
            member.default().map_or(Absent::LeftOut, Absent::Text)
        }
        _ => match member.kind {
            Kind::Object(of) => Absent::Empty(of),
            kind => nothing(kind),
        },
    }
}

fn is_on(object: Option<&Value<'_>>, switch: &str) -> bool {
    object.is_some_and(|object| object.bool(switch) == Some(true))
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
