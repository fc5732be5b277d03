//! A policy with every member, as clients of the family read it (reference 1.7).

use gatewright_model::json::{self, Kind, Value};

/// What a member is that a policy lacks; none of these values means anything else than its absence.
const MEMBERS: [(&str, &[&str]); 4] = [
    ("\"\"", &["_id", "name", "org_id", "last_updated"]),
    (
        "0",
        &[
            "rate",
            "per",
            "quota_max",
            "quota_renewal_rate",
            "throttle_interval",
            "throttle_retry_limit",
            "max_query_depth",
            "key_expires_in",
            "post_expiry_grace_period",
        ],
    ),
    (
        "false",
        &[
            "hmac_enabled",
            "enable_http_signature_validation",
            "active",
            "is_inactive",
        ],
    ),
    (
        "null",
        &[
            "access_rights",
            "tags",
            "meta_data",
            "graphql_access_rights",
            "smoothing",
        ],
    ),
];

const PARTITIONS: [&str; 5] = ["quota", "rate_limit", "complexity", "acl", "per_api"];

/// Returns the text with the members that it lacks; what it has stays as it was written. A policy without an `id` is
/// known by its `_id`.
pub(super) fn complete(text: &str) -> String {
    let mut whole = text.to_owned();
    let Ok(policy) = json::parse(text) else {
        return whole;
    };
    let mut gaps = Vec::new();
    for (value, names) in MEMBERS {
        gaps.extend(missing(&policy, names, value));
    }
    if let Some(internal) = policy.get("_id") {
        gaps.extend(missing(&policy, &["id"], internal.span.of(text)));
    }
    let partitions = policy.get("partitions");
    let flags: Vec<String> = match partitions {
        Some(partitions) => missing(partitions, &PARTITIONS, "false").collect(),
        None => PARTITIONS.map(|name| member(name, "false")).into(),
    };
    if partitions.is_none() {
        gaps.push(member("partitions", &format!("{{{}}}", flags.join(","))));
    }
    // From the end, so that the earlier position stays right.
    append(&mut whole, &policy, &gaps);
    if let Some(partitions) = partitions {
        append(&mut whole, partitions, &flags);
    }
    whole
}

fn member(name: &str, value: &str) -> String {
    format!("\"{name}\":{value}")
}

fn missing<'a>(
    object: &'a Value<'_>,
    names: &'a [&str],
    value: &'a str,
) -> impl Iterator<Item = String> + 'a {
    let absent = names.iter().filter(|name| object.get(name).is_none());
    absent.map(move |name| member(name, value))
}

/// Appends members to an object of the text.
fn append(text: &mut String, object: &Value<'_>, members: &[String]) {
    let Kind::Object(present) = &object.kind else {
        return;
    };
    let comma = match present.is_empty() || members.is_empty() {
        true => "",
        false => ",",
    };
    let end = object.span.end.saturating_sub(1);
    text.insert_str(end, &format!("{comma}{}", members.join(",")));
}
