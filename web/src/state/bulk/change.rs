//! The effect of a verb on one document: its new text, or why there is none.

use gatewright_model::json::edit::{self, EditError};
use gatewright_model::json::{Kind as Json, Value, parse, quote};
use gatewright_model::policy;

use super::Kind;
use super::selection::Pick;
use super::verb::{Verb, end};
use crate::state::rules::in_extension;

/// The effect on a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// The new text, and a description of the change.
    Text(String, String),
    /// No change is needed, for this reason.
    Already(&'static str),
    /// The change is impossible, for this reason.
    Cannot(String),
}

/// Applies a verb that changes documents to one of them. `input` is what the user entered, `now` is in Unix seconds.
#[must_use]
pub fn change(verb: Verb, kind: Kind, pick: &Pick, input: &str, text: &str, now: i64) -> Change {
    let Ok(value) = parse(text) else {
        return Change::Cannot("The stored text is not JSON.".to_owned());
    };
    let changed = match verb {
        Verb::Tag => tag(pick, &value, text, input.trim()),
        Verb::Untag => untag(pick, &value, text, input.trim()),
        Verb::Activate => switch(kind, pick, &value, text, true),
        Verb::Deactivate => switch(kind, pick, &value, text, false),
        Verb::Extend => extend(&value, text, input, now),
        Verb::AddPolicy => add_policy(&value, text, input),
        Verb::RemovePolicy => remove_policy(&value, text, input),
        Verb::Export | Verb::Delete => Ok(Change::Already("It stays as it is.")),
    };
    changed.unwrap_or_else(|error| Change::Cannot(format!("It can't be written: {error}.")))
}

type Changed = Result<Change, EditError>;

fn of(text: String, description: impl Into<String>) -> Changed {
    Ok(Change::Text(text, description.into()))
}

/// Returns the pointer of an API's tags.
fn tags_at(pick: &Pick, text: &str) -> String {
    match pick.document {
        Some(_) => in_extension(text, "/server/gatewayTags/tags"),
        None => "/tags".to_owned(),
    }
}

/// Returns the tags of an API, found at the pointer `at`.
fn tags<'v>(value: &'v Value<'_>, at: &str) -> Result<Vec<&'v str>, Change> {
    match value.pointer(at).map(|tags| &tags.kind) {
        None | Some(Json::Null) => Ok(Vec::new()),
        Some(Json::Array(items)) => Ok(items
            .iter()
            .map(|item| item.as_str().unwrap_or_default())
            .collect()),
        Some(_) => Err(Change::Cannot("Its tags are not a list.".to_owned())),
    }
}

fn tag(pick: &Pick, value: &Value<'_>, text: &str, tag: &str) -> Changed {
    let at = tags_at(pick, text);
    let known = match tags(value, &at) {
        Ok(known) => known,
        Err(cannot) => return Ok(cannot),
    };
    if known.contains(&tag) {
        return Ok(Change::Already("It already has this tag."));
    }
    let around = at.strip_suffix("/tags").unwrap_or_default();
    let text = if matches!(
        value.pointer(&at).map(|tags| &tags.kind),
        Some(Json::Array(_))
    ) {
        edit::set(text, &format!("{at}/-"), &quote(tag))?
    } else if around.is_empty() || value.pointer(around).is_some() {
        edit::set(text, &at, &format!("[{}]", quote(tag)))?
    } else {
        let tags = format!("{{\"enabled\":true,\"tags\":[{}]}}", quote(tag));
        edit::set(text, around, &tags)?
    };
    let mut all = known;
    all.push(tag);
    of(text, format!("Tags: {}", all.join(", ")))
}

fn untag(pick: &Pick, value: &Value<'_>, text: &str, tag: &str) -> Changed {
    let at = tags_at(pick, text);
    let known = match tags(value, &at) {
        Ok(known) => known,
        Err(cannot) => return Ok(cannot),
    };
    let mut changed = text.to_owned();
    // From the end, so that earlier indexes stay valid.
    for (index, _) in known
        .iter()
        .enumerate()
        .rev()
        .filter(|(_, known)| **known == tag)
    {
        changed = edit::remove(&changed, &format!("{at}/{index}"))?;
    }
    if changed == text {
        return Ok(Change::Already("It doesn't have this tag."));
    }
    let left: Vec<&str> = known.into_iter().filter(|known| *known != tag).collect();
    let description = if left.is_empty() {
        "No tags".to_owned()
    } else {
        format!("Tags: {}", left.join(", "))
    };
    of(changed, description)
}

fn switch(kind: Kind, pick: &Pick, value: &Value<'_>, text: &str, on: bool) -> Changed {
    let (at, is_on, written) = match (kind, pick.document) {
        (Kind::Api, None) => (
            "/active".to_owned(),
            value.bool("active") != Some(false),
            on,
        ),
        (Kind::Api, Some(_)) => {
            let at = in_extension(text, "/info/state/active");
            let stored = value.pointer(&at).map(|value| &value.kind);
            let is_on = !matches!(stored, Some(Json::Bool(false)));
            (at, is_on, on)
        }
        _ => {
            let is_on = value.bool("is_inactive") != Some(true);
            ("/is_inactive".to_owned(), is_on, !on)
        }
    };
    if is_on == on {
        return Ok(Change::Already(if on {
            "It is active."
        } else {
            "It is inactive."
        }));
    }
    let description = if on {
        "It becomes active"
    } else {
        "It becomes inactive"
    };
    of(edit::set(text, &at, &written.to_string())?, description)
}

fn extend(value: &Value<'_>, text: &str, input: &str, now: i64) -> Changed {
    let expires = value.int("expires").unwrap_or_default();
    if expires <= 0 && input.starts_with('+') {
        return Ok(Change::Already("It never expires."));
    }
    let Some(at) = end(input, expires, now) else {
        return Ok(Change::Cannot("No expiry is chosen.".to_owned()));
    };
    if at == expires.max(0) {
        return Ok(Change::Already("It already has this expiry."));
    }
    let description = match (expires, at) {
        (_, 0) => "It never expires",
        (1.., _) if expires <= now => "It has expired, and works again until the new expiry",
        (1.., _) if at < expires => "It expires earlier than before",
        (1.., _) => "It expires later",
        _ => "It had no expiry until now",
    };
    of(edit::set(text, "/expires", &at.to_string())?, description)
}

fn add_policy(value: &Value<'_>, text: &str, id: &str) -> Changed {
    let mut named = policy::named(text).unwrap_or_default();
    if named.iter().any(|name| name == id) {
        return Ok(Change::Already("It already has this policy."));
    }
    let listed = value
        .get("apply_policies")
        .and_then(Value::as_array)
        .is_some_and(|list| !list.is_empty());
    named.push(id.to_owned());
    let text = if listed {
        edit::set(text, "/apply_policies/-", &quote(id))?
    } else {
        let all: Vec<String> = named.iter().map(|name| quote(name)).collect();
        edit::set(text, "/apply_policies", &format!("[{}]", all.join(",")))?
    };
    of(text, format!("Policies: {}", named.join(", ")))
}

fn remove_policy(value: &Value<'_>, text: &str, id: &str) -> Changed {
    let named = policy::named(text).unwrap_or_default();
    if !named.iter().any(|name| name == id) {
        return Ok(Change::Already("It doesn't have this policy."));
    }
    let list = value.get("apply_policies").map(Value::items);
    let mut changed = text.to_owned();
    for (index, name) in list.unwrap_or_default().iter().enumerate().rev() {
        if name.as_str() == Some(id) {
            changed = edit::remove(&changed, &format!("/apply_policies/{index}"))?;
        }
    }
    // It takes effect if the list is empty.
    if value.str("apply_policy_id") == Some(id) {
        changed = edit::remove(&changed, "/apply_policy_id")?;
    }
    let left = policy::named(&changed).unwrap_or_default();
    let own = value.get("access_rights").map(Value::members);
    let description = match (left.is_empty(), own.is_none_or(<[_]>::is_empty)) {
        (true, true) => "No policies left: it no longer opens any API".to_owned(),
        (true, false) => "No policies left, only rights of its own".to_owned(),
        _ => format!("Policies: {}", left.join(", ")),
    };
    of(changed, description)
}

/// Returns the tags or policies that a document has, for the verbs that concern them.
#[must_use]
pub fn named(verb: Verb, pick: &Pick, text: &str) -> Vec<String> {
    match verb {
        Verb::Tag | Verb::Untag => {
            let value = parse(text).ok();
            let at = tags_at(pick, text);
            let tags = value.as_ref().and_then(|value| tags(value, &at).ok());
            tags.unwrap_or_default()
                .into_iter()
                .map(str::to_owned)
                .collect()
        }
        Verb::AddPolicy | Verb::RemovePolicy => policy::named(text).unwrap_or_default(),
        _ => Vec::new(),
    }
}
