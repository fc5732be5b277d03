//! Composes the text that is stored from what a client sends: it sets the members that the server writes, and leaves
//! every other byte unchanged (reference 1.11).

use crate::registry::rows::patched;
use gatewright_model::json::{self, Value};
use gatewright_model::merge;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::records::{Kind, RecordRefusal};
use serde_json::{Map, json};
use std::collections::BTreeSet;

/// Ownership and time of a write.
#[derive(Clone, Copy, Debug)]
pub struct Owner<'a> {
    /// The internal id.
    pub id: &'a str,
    /// The organisation.
    pub org: &'a str,
    /// The name of the actor.
    pub actor: &'a str,
    /// The time of the write, RFC 3339.
    pub now: &'a str,
}

/// The member that every write sets, except for webhooks.
const LAST_UPDATED: &str = "last_updated";

type Members = Map<String, serde_json::Value>;

/// Composes the text of a new document.
///
/// # Errors
/// If the text is not a JSON object; it was checked before.
pub fn create(kind: Kind, text: &str, owner: &Owner<'_>) -> Result<String, StoreError> {
    let value = read(text)?;
    let mut members = always(kind, owner);
    match kind {
        // The client chooses its ids (reference 1.7).
        Kind::Policy => return Ok(text.to_owned()),
        Kind::Ruleset => {
            default(&value, &mut members, "ruleset_id", owner.id);
            ruleset_defaults(&value, &mut members, None);
            members.insert("owner".to_owned(), owner.actor.into());
            members.insert("date_created".to_owned(), owner.now.into());
        }
        Kind::ClientIdp => {
            default(&value, &mut members, "client_idp_id", owner.id);
            members.insert("date_created".to_owned(), owner.now.into());
        }
        Kind::Webhook => webhook_defaults(&value, &mut members),
    }
    with(text, members)
}

/// Composes the text that replaces a document.
///
/// # Errors
/// A refusal if a ruleset's `ruleset_id` would change; else as [`create`].
pub fn replace(
    kind: Kind,
    text: &str,
    old: &str,
    owner: &Owner<'_>,
) -> Result<Result<String, RecordRefusal>, StoreError> {
    let value = read(text)?;
    let before = read(old)?;
    let mut members = always(kind, owner);
    let stable = before.str(kind.row().stable_member).unwrap_or_default();
    match kind {
        Kind::Policy => {
            members = policy_ids(&value, stable, owner.id);
            if members.is_empty() {
                return Ok(Ok(text.to_owned()));
            }
        }
        Kind::Ruleset => {
            let wanted = value.str("ruleset_id").unwrap_or_default();
            if !wanted.is_empty() && wanted != stable {
                let id = stable.to_owned();
                return Ok(Err(RecordRefusal::StableIdFixed { id }));
            }
            members.insert("ruleset_id".to_owned(), stable.into());
            ruleset_defaults(&value, &mut members, Some(&before));
            keep(&before, &mut members, &["owner", "date_created"]);
        }
        Kind::ClientIdp => {
            default(&value, &mut members, "client_idp_id", stable);
            keep(&before, &mut members, &["date_created"]);
        }
        Kind::Webhook => webhook_defaults(&value, &mut members),
    }
    with(text, members).map(Ok)
}

/// Composes the text that restores an earlier one at `now`.
///
/// # Errors
/// If the text is not a JSON object; it was stored as one.
pub fn restore(kind: Kind, text: String, now: &str) -> Result<String, StoreError> {
    if kind == Kind::Webhook {
        return Ok(text);
    }
    let mut members = Members::new();
    members.insert(LAST_UPDATED.to_owned(), now.into());
    with(&text, members)
}

/// Returns the categories of a ruleset as they are stored: trimmed, without empty ones, and of those that differ only
/// in case, the first (specification, *Ruleset*).
#[must_use]
pub fn sanitised(categories: &[Value<'_>]) -> Vec<String> {
    let mut known = BTreeSet::new();
    let categories = categories.iter().filter_map(Value::as_str).map(str::trim);
    categories
        .filter(|category| !category.is_empty() && known.insert(category.to_lowercase()))
        .map(str::to_owned)
        .collect()
}

/// Returns members that clients can't choose: the `org_id` in a body is never trusted.
fn always(kind: Kind, owner: &Owner<'_>) -> Members {
    let mut members = Members::new();
    members.insert(kind.row().id_member.to_owned(), owner.id.into());
    members.insert("org_id".to_owned(), owner.org.into());
    if kind != Kind::Webhook {
        members.insert(LAST_UPDATED.to_owned(), owner.now.into());
    }
    if kind == Kind::Ruleset {
        // Computed when read; null removes what a client has read and sends back.
        members.insert("applied_rules".to_owned(), serde_json::Value::Null);
    }
    members
}

/// Returns the ids that a PUT of a policy leaves out. Keys refer to a policy by them, so omitting an id never removes
/// it.
fn policy_ids(value: &Value<'_>, stable: &str, internal: &str) -> Members {
    let mut members = Members::new();
    let has = |name| value.str(name).is_some_and(|id| !id.is_empty());
    match (stable, has("id")) {
        (_, true) => {}
        ("", _) => default(value, &mut members, "_id", internal),
        (stable, false) => default(value, &mut members, "id", stable),
    }
    members
}

fn ruleset_defaults(value: &Value<'_>, members: &mut Members, before: Option<&Value<'_>>) {
    for (name, fallback) in [("resource_type", "oas-api"), ("action", "none")] {
        let old = before.and_then(|before| before.str(name));
        let old = old.filter(|old| !old.is_empty());
        default(value, members, name, old.unwrap_or(fallback));
    }
    for name in ["active", "is_template"] {
        if value.bool(name).is_none() {
            members.insert(name.to_owned(), false.into());
        }
    }
    let categories = value.get("categories").map(Value::items);
    members.insert(
        "categories".to_owned(),
        sanitised(categories.unwrap_or_default()).into(),
    );
}

/// Sets members that a PUT leaves out to their empty values, because it replaces the document completely
/// (specification, *Update a webhook*).
fn webhook_defaults(value: &Value<'_>, members: &mut Members) {
    for name in ["name", "webhook_id", "template_path"] {
        default(value, members, name, "");
    }
    if value.get("header_map").is_none() {
        members.insert("header_map".to_owned(), json!({}));
    }
    if value.get("event_timeout").is_none() {
        members.insert("event_timeout".to_owned(), 0.into());
    }
}

fn default(value: &Value<'_>, members: &mut Members, name: &str, fallback: &str) {
    if value.str(name).is_none_or(str::is_empty) {
        members.insert(name.to_owned(), fallback.into());
    }
}

fn keep(before: &Value<'_>, members: &mut Members, names: &[&str]) {
    for name in names {
        let old = before.str(name).unwrap_or_default();
        members.insert((*name).to_owned(), old.into());
    }
}

fn with(text: &str, members: Members) -> Result<String, StoreError> {
    patched(text, &serde_json::Value::Object(members).to_string())
}

fn read(text: &str) -> Result<Value<'_>, StoreError> {
    json::parse(text).map_err(|_| StoreError::new("read document", "no JSON"))
}

/// Replaces or adds one mapping of a provider.
///
/// # Errors
/// If a text is not JSON; both were checked before.
pub fn set_mapping(document: &str, api_id: &str, mapping: &str) -> Result<String, StoreError> {
    let mut pointer = "/api_mappings".to_owned();
    // A document may use null for no mappings.
    let emptied = merge::merge(document, r#"{"api_mappings":{}}"#)
        .map_err(|error| StoreError::new("edit mappings", format!("{error:?}")))?;
    json::pointer::push_token(&mut pointer, api_id);
    json::edit::set(&emptied, &pointer, mapping)
        .map_err(|error| StoreError::new("edit mappings", error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWNER: Owner<'_> = Owner {
        id: "0123456789abcdef01234567",
        org: "acme",
        actor: "ci",
        now: "2026-01-02T03:04:05.000Z",
    };

    fn value(text: &str) -> serde_json::Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn server_members_win_and_other_bytes_are_kept() {
        let sent = "{\n  \"name\": \"a\",\n  \"org_id\": \"other\",\n  \"x\": 1.0\n}";
        let text = create(Kind::ClientIdp, sent, &OWNER).unwrap();
        assert!(text.contains("\"x\": 1.0"), "{text}");
        let stored = value(&text);
        assert_eq!(stored["org_id"], "acme");
        assert_eq!(stored["client_idp_id"], OWNER.id);
        assert_eq!(stored["date_created"], OWNER.now);
    }

    #[test]
    fn ruleset_put_keeps_id_and_omitted_members() {
        let sent = r#"{"name":"r","action":"warn","categories":[" a ","A",""],"ruleset_id":"r1"}"#;
        let first = create(Kind::Ruleset, sent, &OWNER).unwrap();
        assert_eq!(value(&first)["categories"], json!(["a"]));
        assert_eq!(value(&first)["resource_type"], "oas-api");
        let second = replace(Kind::Ruleset, r#"{"name":"s"}"#, &first, &OWNER);
        let second = value(&second.unwrap().unwrap());
        assert_eq!(
            (&second["action"], &second["ruleset_id"]),
            (&json!("warn"), &json!("r1"))
        );
        let other = replace(
            Kind::Ruleset,
            r#"{"name":"s","ruleset_id":"x"}"#,
            &first,
            &OWNER,
        );
        let fixed = RecordRefusal::StableIdFixed {
            id: "r1".to_owned(),
        };
        assert_eq!(other.unwrap(), Err(fixed));
    }

    /// A hundred thousand of them must not keep the only Registry busy.
    #[test]
    fn categories_are_compared_in_linear_time() {
        let names: Vec<String> = (0..100_000).map(|name| format!("c{name}")).collect();
        let text = json!([names, ["C1", " c2 "]]).to_string();
        let value = read(&text).unwrap();
        let began = std::time::Instant::now();
        let lists = value.items();
        assert_eq!(sanitised(lists[0].items()).len(), 100_000);
        assert_eq!(sanitised(lists[1].items()), ["C1", "c2"]);
        assert!(began.elapsed().as_secs() < 10, "{:?}", began.elapsed());
    }

    #[test]
    fn webhook_put_clears_omitted_members() {
        let first = r#"{"method":"GET","target_path":"https://a","name":"n","webhook_id":"w"}"#;
        let first = create(Kind::Webhook, first, &OWNER).unwrap();
        let sent = r#"{"method":"GET","target_path":"https://b"}"#;
        let second = value(
            &replace(Kind::Webhook, sent, &first, &OWNER)
                .unwrap()
                .unwrap(),
        );
        assert_eq!(
            (&second["name"], &second["webhook_id"]),
            (&json!(""), &json!(""))
        );
        assert_eq!(second["id"], OWNER.id);
    }

    #[test]
    fn one_mapping_is_replaced_and_the_others_keep_their_bytes() {
        let document =
            r#"{"api_mappings": {"a/b": {"scope_to_policy": {"s": "p"}}, "c": {"n": 1.0}}}"#;
        let text = set_mapping(document, "a/b", r#"{"scope_to_policy":{}}"#).unwrap();
        assert_eq!(
            text,
            r#"{"api_mappings": {"a/b": {"scope_to_policy":{}}, "c": {"n": 1.0}}}"#
        );
        let none = set_mapping(r#"{"api_mappings":null}"#, "a", "{}").unwrap();
        assert_eq!(value(&none), json!({"api_mappings": {"a": {}}}));
    }
}
