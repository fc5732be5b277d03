//! A policy with every member, as clients of the family read it (reference 1.7).

use gatewright_model::json::{self, Value};
use gatewright_model::shape::{Kind, Member, Root, Type};

/// Returns the text with the members that it lacks; what it has stays as it was written. None of the values that are
/// added means anything else than the absence of its member. A policy without an `id` is known by its `_id`.
pub(super) fn complete(text: &str) -> String {
    let mut whole = text.to_owned();
    let Ok(policy) = json::parse(text) else {
        return whole;
    };
    let of = Root::Policy.shape();
    let mut gaps = missing(Some(&policy), of);
    if let Some(internal) = policy.get("_id").filter(|_| policy.get("id").is_none()) {
        gaps.push(format!("\"id\":{}", internal.span.of(text)));
    }
    // From the end, so that the earlier position stays right.
    append(&mut whole, &policy, &gaps);
    for member in of.members {
        if let (Some(inner), Some(value)) = (written_out(member), policy.get(member.name)) {
            append(&mut whole, value, &missing(Some(value), inner));
        }
    }
    whole
}

/// Returns the members of a type that an object lacks, all if there is no object.
fn missing(object: Option<&Value<'_>>, of: &Type) -> Vec<String> {
    let absent = |member: &&Member| object.is_none_or(|object| object.get(member.name).is_none());
    let members = of.members.iter().filter(absent);
    members.filter_map(empty).collect()
}

/// Returns a member as the family writes it if it has no value; `None` if it leaves it out.
fn empty(member: &Member) -> Option<String> {
    let value = match member.kind {
        Kind::Enum(_) => return None,
        _ if member.name == "id" => return None,
        Kind::Text | Kind::Format(_) => "\"\"".to_owned(),
        Kind::Integer(_) | Kind::Number => "0".to_owned(),
        Kind::Bool => "false".to_owned(),
        _ => match written_out(member) {
            Some(of) => format!("{{{}}}", missing(None, of).join(",")),
            None => "null".to_owned(),
        },
    };
    Some(format!("\"{}\":{value}", member.name))
}

/// Returns the type of an object whose members the family always writes.
fn written_out(member: &Member) -> Option<&'static Type> {
    match member.kind {
        Kind::Object(of) if member.name == "partitions" => Some(of),
        _ => None,
    }
}

/// Appends members to an object of the text.
fn append(text: &mut String, object: &Value<'_>, members: &[String]) {
    let json::Kind::Object(present) = &object.kind else {
        return;
    };
    let comma = match present.is_empty() || members.is_empty() {
        true => "",
        false => ",",
    };
    let end = object.span.end.saturating_sub(1);
    text.insert_str(end, &format!("{comma}{}", members.join(",")));
}
