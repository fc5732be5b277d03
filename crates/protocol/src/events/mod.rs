//! Events: what happens at the gateway and to keys that others may want to be notified of (reference section 7).
//!
//! The promise: no event contains a token, only the hash that it is or would be stored under, or a pseudonym of that
//! hash where a token could be derived from it ([`crate::pseudonym`]). That is why there is no `OriginatingRequest`
//! (reference 7.3): the request contains the token.

mod handlers;
mod kind;

pub use handlers::{Handler, Handlers, timeout};
pub use kind::{EventKind, TOKEN_CREATED, TOKEN_DELETED, TOKEN_UPDATED};

use gatewright_model::amount::Amount;
use gatewright_model::json::quote;

/// An event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The kind of event.
    pub kind: EventKind,
    /// A description of the event.
    pub message: &'static str,
    /// The normalised path of the request; empty if there was none.
    pub path: String,
    /// The address that the request came from, if known.
    pub origin: String,
    /// The key's name in events ([`crate::pseudonym`]): that of the request's key, or of the key that was administered;
    /// empty for none.
    pub key: String,
    /// The organisation of the API, or of the key.
    pub org: String,
    /// The API; empty if the event isn't about a request.
    pub api_id: String,
    /// The text of the response, for [`EventKind::VersionFailure`].
    pub reason: &'static str,
    /// The percentage of the quota, for [`EventKind::TriggerExceeded`].
    pub trigger_limit: Option<Amount>,
    /// For a circuit breaker: 0 if it has opened, 1 if it has closed.
    pub status: Option<u8>,
}

impl Event {
    /// Creates the event for a change of a key.
    #[must_use]
    pub fn of_token(kind: EventKind, org: &str, key: &str) -> Self {
        let message = match kind {
            EventKind::TokenCreated => "Key generated.",
            EventKind::TokenDeleted => "Key deleted.",
            _ => "Key modified.",
        };
        Self {
            kind,
            message,
            path: String::new(),
            origin: String::new(),
            key: key.to_owned(),
            org: org.to_owned(),
            api_id: String::new(),
            reason: "",
            trigger_limit: None,
            status: None,
        }
    }

    /// Returns what a webhook is sent, as a JSON object: the members of the reference's template (reference 7.3) under
    /// the names there, and whatever else is known.
    #[must_use]
    pub fn data(&self) -> String {
        let mut text = String::with_capacity(256);
        text.push_str("{\"event\":");
        text.push_str(&quote(self.kind.name()));
        for (name, _, value) in self.members() {
            put(&mut text, name, &quote(value));
        }
        if let Some(limit) = self.trigger_limit {
            put(&mut text, "trigger_limit", &limit.to_string());
        }
        self.put_status(&mut text);
        text.push('}');
        text
    }

    /// Returns a line for the log, in the envelope of reference 7.3. `at` is RFC 3339.
    #[must_use]
    pub fn line(&self, prefix: &str, at: &str) -> String {
        let mut text = String::with_capacity(256);
        if !prefix.is_empty() {
            text.push_str(prefix);
            text.push(' ');
        }
        text.push_str("{\"Type\":");
        text.push_str(&quote(self.kind.name()));
        text.push_str(",\"Meta\":{");
        let mut meta = String::new();
        for (_, name, value) in self.members() {
            put(&mut meta, name, &quote(value));
        }
        if let Some(limit) = self.trigger_limit {
            put(&mut meta, "TriggerLimit", &limit.to_string());
        }
        self.put_status(&mut meta);
        text.push_str(meta.trim_start_matches(','));
        text.push('}');
        put(&mut text, "TimeStamp", &quote(at));
        text.push('}');
        text
    }

    fn put_status(&self, text: &mut String) {
        if let Some(status) = self.status {
            put(text, "Status", &status.to_string());
        }
    }

    /// Returns the members: the name in a webhook's body, the name in the log, and the value.
    fn members(&self) -> impl Iterator<Item = (&'static str, &'static str, &str)> {
        let always = [
            ("message", "Message", self.message),
            ("path", "Path", self.path.as_str()),
            ("origin", "Origin", &self.origin),
            ("key", "Key", &self.key),
            ("org", "Org", &self.org),
        ];
        let known = [
            ("api_id", "ApiId", self.api_id.as_str()),
            ("reason", "Reason", self.reason),
        ];
        let known = known.into_iter().filter(|(_, _, text)| !text.is_empty());
        always.into_iter().chain(known)
    }
}

fn put(text: &mut String, name: &str, value: &str) {
    text.push(',');
    text.push_str(&quote(name));
    text.push(':');
    text.push_str(value);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event() -> Event {
        Event {
            path: "/a/\"x\"".to_owned(),
            origin: "192.0.2.1".to_owned(),
            api_id: "a".to_owned(),
            ..Event::of_token(EventKind::AuthFailure, "o", "00ff")
        }
    }

    #[test]
    fn a_webhook_and_the_log_get_the_names_of_the_reference() {
        let data: serde_json::Value = serde_json::from_str(&event().data()).unwrap();
        let expected = serde_json::json!({
            "event": "AuthFailure", "message": "Key modified.", "path": "/a/\"x\"",
            "origin": "192.0.2.1", "key": "00ff", "org": "o", "api_id": "a",
        });
        assert_eq!(data, expected);
        let line = event().line("note:", "2026-01-01T00:00:00.000Z");
        let envelope = line.strip_prefix("note: ").unwrap();
        let envelope: serde_json::Value = serde_json::from_str(envelope).unwrap();
        let expected = serde_json::json!({
            "Type": "AuthFailure", "TimeStamp": "2026-01-01T00:00:00.000Z",
            "Meta": {"Message": "Key modified.", "Path": "/a/\"x\"", "Origin": "192.0.2.1",
                "Key": "00ff", "Org": "o", "ApiId": "a"},
        });
        assert_eq!(envelope, expected);
        assert!(event().line("", "t").starts_with('{'));
    }

    #[test]
    fn a_breaker_says_whether_it_has_opened() {
        let event = Event {
            status: Some(0),
            ..event()
        };
        assert!(event.data().ends_with(",\"Status\":0}"));
        assert!(event.line("", "t").contains(",\"Status\":0}"));
    }

    #[test]
    fn a_trigger_names_its_limit_as_a_number() {
        let event = Event {
            trigger_limit: Some(Amount::whole(80)),
            ..event()
        };
        assert!(event.data().ends_with(",\"trigger_limit\":80}"));
        assert!(event.line("", "t").contains(",\"TriggerLimit\":80}"));
    }
}
