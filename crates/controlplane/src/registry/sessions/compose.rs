//! Composes the text that is stored from the session that a client sends: it sets the members that the gateway writes,
//! and leaves every other byte unchanged (reference 1.6).

use gatewright_model::json::{self, Value};
use gatewright_model::merge;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::sessions::Owner;
use serde_json::{Map, json};

/// The context of a write.
#[derive(Clone, Copy, Debug)]
pub(super) struct Writing<'a> {
    pub(super) owner: Owner,
    /// The text that is replaced.
    pub(super) old: Option<&'a str>,
    /// The session with its policies applied.
    pub(super) applied: &'a str,
    /// Whether the counters are reset.
    pub(super) reset: bool,
    /// Whether the quota's window starts now (reference 1.6, rule 4).
    pub(super) renews: bool,
    /// Whether the write asks for a reset of the counters, regardless of the APIs' quota settings.
    pub(super) wants_reset: bool,
    /// Whether the write itself determines when the counters' windows start and end.
    pub(super) suppressed: bool,
    /// After how many seconds a new key ends, by its policies.
    pub(super) expires_in: Option<i64>,
    /// The current time, RFC 3339.
    pub(super) now: &'a str,
    /// The current time in Unix seconds.
    pub(super) seconds: i64,
}

/// Composes the text to store.
///
/// # Errors
/// If a text is not a JSON object; each was checked before.
pub(super) fn compose(
    (text, value): (&str, &Value<'_>),
    writing: &Writing<'_>,
) -> Result<String, StoreError> {
    let other = (writing.applied != text).then(|| read(writing.applied));
    let other = other.transpose()?;
    let applied = other.as_ref().unwrap_or(value);
    let old = writing.old.map(read).transpose()?;
    let mut members = Map::new();
    let created = old.as_ref().and_then(|old| old.str("date_created"));
    let created = created
        .or_else(|| value.str("date_created").filter(|text| !text.is_empty()))
        .unwrap_or(writing.now);
    members.insert("date_created".to_owned(), created.into());
    match old.as_ref().filter(|_| !writing.reset) {
        _ if writing.suppressed => {}
        None if writing.renews => renewed(applied, writing, &mut members),
        // Every API has `dont_set_quota_on_create`: the client's window remains.
        None => updated(writing, &mut members),
        // Of an organisation nothing is preserved (reference 1.8).
        Some(_) if writing.wants_reset || writing.owner == Owner::Organisation => {
            updated(writing, &mut members);
        }
        Some(old) => preserved(old, value, &mut members),
    }
    if let Some(data) = old.as_ref().and_then(|old| preserved_password(old, value)) {
        members.insert("basic_auth_data".to_owned(), data);
    }
    if writing.owner == Owner::Key
        && let Some(expires) = expires(value, old.as_ref(), writing)
    {
        members.insert("expires".to_owned(), expires.into());
    }
    patched((text, value), members)
}

/// Returns the password to preserve. It is never shown, so a client that sends back what it has read, or leaves it out,
/// means to keep it, with its own kind of hash.
fn preserved_password(old: &Value<'_>, new: &Value<'_>) -> Option<serde_json::Value> {
    let known = old.get("basic_auth_data")?;
    let password = known.str("password").filter(|text| !text.is_empty())?;
    match new.get("basic_auth_data") {
        Some(sent) if sent.str("password").is_some_and(|text| !text.is_empty()) => None,
        _ => Some(json!({ "password": password, "hash_type": known.str("hash_type") })),
    }
}

fn updated(writing: &Writing<'_>, members: &mut Map<String, serde_json::Value>) {
    members.insert(
        "last_updated".to_owned(),
        writing.seconds.to_string().into(),
    );
}

/// Reference 1.6, rule 4: the quotas' windows start now.
fn renewed(
    applied: &Value<'_>,
    writing: &Writing<'_>,
    members: &mut Map<String, serde_json::Value>,
) {
    updated(writing, members);
    let renewal = applied.int("quota_renewal_rate").unwrap_or(0);
    let renews = writing.seconds.saturating_add(renewal);
    members.insert("quota_renews".to_owned(), renews.into());
}

/// The same rule with `suppress_reset`: the members that say when counters started are preserved.
fn preserved(old: &Value<'_>, new: &Value<'_>, members: &mut Map<String, serde_json::Value>) {
    let since = old.str("last_updated").unwrap_or_default();
    members.insert("last_updated".to_owned(), since.into());
    if let Some(renews) = old.int("quota_renews") {
        members.insert("quota_renews".to_owned(), renews.into());
    }
    let rights = new.get("access_rights").map(Value::members);
    let mut limits = Map::new();
    for right in rights.unwrap_or_default() {
        let limit = |session: &Value<'_>| {
            let rights = session.get("access_rights")?;
            rights.get(&right.name)?.get("limit")?.int("quota_renews")
        };
        let has_limit = right
            .value
            .get("limit")
            .is_some_and(|limit| !limit.members().is_empty());
        if let Some(renews) = limit(old).filter(|_| has_limit) {
            limits.insert(
                right.name.to_string(),
                json!({"limit": {"quota_renews": renews}}),
            );
        }
    }
    if !limits.is_empty() {
        members.insert("access_rights".to_owned(), limits.into());
    }
}

/// Returns the expiry to set. Reference 1.6, rule 3, and `key_expires_in` of policies (reference 2.3), which applies
/// only once.
fn expires(value: &Value<'_>, old: Option<&Value<'_>>, writing: &Writing<'_>) -> Option<i64> {
    let sent = value.int("expires").unwrap_or(0);
    match old {
        None => writing
            .expires_in
            .map(|after| writing.seconds.saturating_add(after)),
        Some(old) if sent > 1 && sent < writing.seconds => old.int("expires"),
        Some(_) => None,
    }
}

fn read(text: &str) -> Result<Value<'_>, StoreError> {
    json::parse(text).map_err(|_| StoreError::new("read session", "no JSON"))
}

fn patched(
    (text, value): (&str, &Value<'_>),
    members: Map<String, serde_json::Value>,
) -> Result<String, StoreError> {
    let patch = serde_json::Value::Object(members).to_string();
    merge::merge_read(text, value, &patch)
        .map_err(|error| StoreError::new("edit session", format!("{error:?}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn composed(text: &str, writing: &Writing<'_>) -> Result<String, StoreError> {
        compose((text, &read(text)?), writing)
    }

    fn value(text: &str) -> serde_json::Value {
        serde_json::from_str(text).unwrap()
    }

    fn writing<'a>(old: Option<&'a str>, applied: &'a str, reset: bool) -> Writing<'a> {
        Writing {
            owner: Owner::Key,
            old,
            applied,
            reset,
            renews: reset,
            wants_reset: reset,
            suppressed: false,
            expires_in: None,
            now: "2026-01-02T03:04:05.000Z",
            seconds: 1_767_323_045,
        }
    }

    #[test]
    fn client_sets_window_end_if_apis_keep_quotas() {
        let old = r#"{"date_created":"d","last_updated":"7","quota_renews":9}"#;
        let with_reset = Writing {
            wants_reset: true,
            ..writing(Some(old), "{}", false)
        };
        for (sent, renews) in [("{}", json!(null)), (r#"{"quota_renews":5}"#, json!(5))] {
            let stored = value(&composed(sent, &with_reset).unwrap());
            assert_eq!(stored["quota_renews"], renews, "{sent}");
            assert_eq!(stored["last_updated"], "1767323045");
            assert_eq!(stored["date_created"], "d");
        }
    }

    #[test]
    fn a_new_session_begins_now_and_keeps_its_bytes() {
        let sent = "{\n  \"rate\": 1.0,\n  \"quota_renewal_rate\": 60\n}";
        let text = composed(sent, &writing(None, sent, true)).unwrap();
        assert!(text.contains("\"rate\": 1.0"), "{text}");
        let stored = value(&text);
        assert_eq!(stored["date_created"], "2026-01-02T03:04:05.000Z");
        assert_eq!(stored["last_updated"], "1767323045");
        assert_eq!(stored["quota_renews"], 1_767_323_105);
        assert_eq!(stored.get("expires"), None);
    }

    #[test]
    fn new_session_keeps_its_window_if_apis_keep_quotas() {
        let writing = Writing {
            renews: false,
            ..writing(None, "{}", true)
        };
        for (sent, renews) in [("{}", json!(null)), (r#"{"quota_renews":5}"#, json!(5))] {
            let stored = value(&composed(sent, &writing).unwrap());
            assert_eq!(stored["quota_renews"], renews, "{sent}");
            assert_eq!(stored["last_updated"], "1767323045");
        }
    }

    #[test]
    fn new_session_may_set_its_window_ends() {
        let sent = r#"{"quota_renewal_rate":60,"quota_renews":2000000000,"last_updated":"5"}"#;
        let writing = Writing {
            suppressed: true,
            ..writing(None, sent, true)
        };
        let stored = value(&composed(sent, &writing).unwrap());
        assert_eq!(stored["quota_renews"], 2_000_000_000);
        assert_eq!(stored["last_updated"], "5");
    }

    #[test]
    fn windows_stay_without_a_reset() {
        let old = r#"{"date_created":"d","last_updated":"7","quota_renews":9,
            "access_rights":{"a":{"limit":{"quota_max":1,"quota_renews":5}}}}"#;
        let sent = r#"{"access_rights":{"a":{"limit":{"quota_max":2}},"b":{"limit":{}}}}"#;
        let stored = value(&composed(sent, &writing(Some(old), sent, false)).unwrap());
        assert_eq!(stored["date_created"], "d");
        assert_eq!(stored["last_updated"], "7");
        assert_eq!(stored["quota_renews"], 9);
        assert_eq!(
            stored["access_rights"]["a"]["limit"],
            json!({"quota_max":2,"quota_renews":5})
        );
        assert_eq!(stored["access_rights"]["b"]["limit"], json!({}));
    }

    #[test]
    fn update_cannot_expire_key_in_the_past() {
        let old = r#"{"expires":2000000000}"#;
        for (sent, expires) in [
            (r#"{"expires":5}"#, json!(2_000_000_000)),
            (r#"{"expires":1}"#, json!(1)),
            (r#"{"expires":0}"#, json!(0)),
            (r#"{"expires":1900000000}"#, json!(1_900_000_000)),
        ] {
            let stored = value(&composed(sent, &writing(Some(old), sent, true)).unwrap());
            assert_eq!(stored["expires"], expires, "{sent}");
        }
    }

    #[test]
    fn masked_password_is_kept() {
        let old = r#"{"basic_auth_data":{"password":"$2a$10$x","hash_type":"bcrypt"}}"#;
        for (sent, password) in [
            (
                r#"{"basic_auth_data":{"password":"","hash_type":"bcrypt"}}"#,
                json!("$2a$10$x"),
            ),
            (
                r#"{"basic_auth_data":{"password":"$2a$10$y","hash_type":"bcrypt"}}"#,
                json!("$2a$10$y"),
            ),
            ("{}", json!("$2a$10$x")),
            (
                r#"{"basic_auth_data":{"hash_type":"sha256"}}"#,
                json!("$2a$10$x"),
            ),
        ] {
            let stored = value(&composed(sent, &writing(Some(old), sent, true)).unwrap());
            assert_eq!(stored["basic_auth_data"]["hash_type"], "bcrypt", "{sent}");
            assert_eq!(stored["basic_auth_data"]["password"], password, "{sent}");
        }
    }

    #[test]
    fn policy_sets_expiry_of_new_key() {
        let with = |old| Writing {
            expires_in: Some(100),
            ..writing(old, "{}", true)
        };
        let stored = value(&composed("{}", &with(None)).unwrap());
        assert_eq!(stored["expires"], 1_767_323_145);
        let stored = value(&composed("{}", &with(Some("{}"))).unwrap());
        assert_eq!(stored.get("expires"), None);
    }
}
