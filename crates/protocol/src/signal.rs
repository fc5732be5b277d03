//! Events that an isolate sends to the Registry, and the handlers of definitions that receive them.

use serde::{Deserialize, Serialize};

/// The prefix of handler names. Ids of webhooks, in contrast, are 24 hexadecimal digits.
pub const PREFIX: &str = "api/";

/// Returns the name under which a handler is listed among webhooks.
#[must_use]
pub fn handler_name(api_id: &str, revision: u64, event: &str, index: usize) -> String {
    format!("{PREFIX}{api_id}/{revision}/{event}/{index}")
}

/// A webhook handler of a definition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receiver {
    /// Its name, see [`handler_name`].
    pub hook: String,
    /// The stored webhook that it refers to; empty if it defines the call itself.
    pub id: String,
    /// For how many seconds the same event is not sent again; 0 if it always is.
    pub quiet_seconds: u64,
}

impl Receiver {
    /// Returns until when an event sent now is not sent again, in Unix milliseconds; `None` if it always is.
    #[must_use]
    pub const fn quiet_until(&self, now: u64) -> Option<u64> {
        match self.quiet_seconds {
            0 => None,
            seconds => Some(now.saturating_add(seconds.saturating_mul(1000))),
        }
    }

    /// Returns the identity of this handler being sent this data.
    #[must_use]
    pub fn identity(&self, data: &str) -> String {
        crate::token::HashFunction::Sha256.hash(&format!("{}\n{data}", self.hook))
    }
}

/// An event to be sent to handlers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signal {
    /// The organisation of the API.
    pub org: String,
    /// The name of the event.
    pub kind: String,
    /// What is known about it, as a JSON object. Two events with equal data are the same.
    pub data: String,
    /// The handlers.
    pub receivers: Vec<Receiver>,
}

/// How many keys an event lists besides its own.
pub const KEYS_MAX: usize = 20;

/// The events that are merged into one. The count is the last member of that event's data, so a release that does not
/// count passes it on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// How many there are besides that one.
    more: u64,
    /// The hashes of the keys that they are about, at most [`KEYS_MAX`].
    keys: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct Written {
    count: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    keys: Vec<String>,
}

/// How a count starts; within a JSON string the quotation marks would be escaped.
const BEGIN: &str = ",\"count\":";

impl Count {
    /// Returns how many events there are besides the one.
    #[must_use]
    pub const fn more(&self) -> u64 {
        self.more
    }

    /// Counts an event about a key.
    pub fn add(&mut self, key: Option<&str>) {
        self.more = self.more.saturating_add(1);
        self.keys.extend(
            key.filter(|key| !key.is_empty())
                .filter(|key| {
                    self.keys.len() < KEYS_MAX && !self.keys.iter().any(|known| known == key)
                })
                .map(str::to_owned),
        );
    }

    /// Counts an event about a key, and the events that are merged into it.
    pub fn join(&mut self, key: Option<&str>, others: &Self) {
        self.add(key);
        let more = self.more.saturating_add(others.more);
        for key in &others.keys {
            self.add(Some(key));
        }
        self.more = more;
    }

    /// Returns the data of the one event with the count; unchanged if there is nothing to count.
    #[must_use]
    pub fn write(&self, data: &str) -> String {
        let written = Written {
            count: self.more.saturating_add(1),
            keys: self.keys.clone(),
        };
        let written = serde_json::to_string(&written).unwrap_or_default();
        match (data.strip_suffix('}'), written.strip_prefix('{')) {
            (Some(data), Some(written)) if self.more > 0 => format!("{data},{written}"),
            _ => data.to_owned(),
        }
    }

    /// Splits the data of an event from its count.
    #[must_use]
    pub fn split(data: &str) -> (String, Self) {
        let parts = data.rfind(BEGIN).and_then(|at| data.split_at_checked(at));
        let read = parts.and_then(|(data, count)| {
            let count = format!("{{{}", count.strip_prefix(',')?);
            let Written { count, keys } = serde_json::from_str(&count).ok()?;
            let more = count.saturating_sub(1);
            Some((format!("{data}}}"), Self { more, keys }))
        });
        read.unwrap_or_else(|| (data.to_owned(), Self::default()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_round_trips_through_the_data() {
        let data = r#"{"event":"AuthFailure","path":"/,\"count\":7}","key":"a"}"#;
        let mut count = Count::default();
        assert_eq!(count.write(data), data);
        assert_eq!(Count::split(data), (data.to_owned(), count.clone()));
        for key in [None, Some("b"), Some("b"), Some("")] {
            count.add(key);
        }
        let written = count.write(data);
        assert!(
            written.ends_with(r#""key":"a","count":5,"keys":["b"]}"#),
            "{written}"
        );
        assert_eq!(Count::split(&written), (data.to_owned(), count.clone()));
        let mut all = Count::default();
        all.join(Some("c"), &count);
        assert_eq!(
            (all.more, all.keys.as_slice()),
            (5, &["c".to_owned(), "b".to_owned()][..])
        );
        for key in 0..KEYS_MAX * 2 {
            all.add(Some(&key.to_string()));
        }
        assert_eq!((all.more(), all.keys.len()), (45, KEYS_MAX));
    }

    #[test]
    fn the_same_is_sent_to_several() {
        let named = |hook: &str| Receiver {
            hook: hook.to_owned(),
            ..Receiver::default()
        };
        assert_ne!(named("a").identity("{}"), named("b").identity("{}"));
        assert_ne!(named("a").identity("{}"), named("a").identity("{ }"));
        assert_eq!(named("a").quiet_until(5), None);
    }
}
