//! Events that an isolate tells the Registry of, and the handlers of definitions that hear of them.

use serde::{Deserialize, Serialize};

/// What the names of handlers begin with. Ids of webhooks are 24 hexadecimal digits.
pub const PREFIX: &str = "api/";

/// The name of a handler among webhooks.
#[must_use]
pub fn handler_name(api_id: &str, revision: u64, event: &str, index: usize) -> String {
    format!("{PREFIX}{api_id}/{revision}/{event}/{index}")
}

/// A webhook handler of a definition.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receiver {
    /// Its name, see [`handler_name`].
    pub hook: String,
    /// The stored webhook that it stands for; empty if it says itself what is called.
    pub id: String,
    /// For how many seconds it is not sent the same again; 0 if it always is.
    pub quiet_seconds: u64,
}

impl Receiver {
    /// Until when it is not sent the same again that it is sent now; Unix milliseconds.
    #[must_use]
    pub const fn quiet_until(&self, now: u64) -> Option<u64> {
        match self.quiet_seconds {
            0 => None,
            seconds => Some(now.saturating_add(seconds.saturating_mul(1000))),
        }
    }

    /// What tells this handler being sent this from everything else.
    #[must_use]
    pub fn identity(&self, data: &str) -> String {
        crate::token::HashFunction::Sha256.hash(&format!("{}\n{data}", self.hook))
    }
}

/// An event that handlers are sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signal {
    /// The organisation of the API.
    pub org: String,
    /// The name of the event.
    pub kind: String,
    /// What is known about it, as a JSON object. Two events are the same if this is.
    pub data: String,
    /// The handlers.
    pub receivers: Vec<Receiver>,
}

/// How many keys an event names beside its own.
pub const KEYS_MAX: usize = 20;

/// The events that are counted into one. It stands at the end of that one's data, so that a release that does not
/// count passes it on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// How many there are beside that one.
    more: u64,
    /// The hashes of the keys that they are about, [`KEYS_MAX`] of them at most.
    keys: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct Written {
    count: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    keys: Vec<String>,
}

/// What a count begins with; in a text the quotation marks would be escaped.
const BEGIN: &str = ",\"count\":";

impl Count {
    /// How many events there are beside the one.
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

    /// Counts an event about a key, and those that are counted into that one.
    pub fn join(&mut self, key: Option<&str>, others: &Self) {
        self.add(key);
        let more = self.more.saturating_add(others.more);
        for key in &others.keys {
            self.add(Some(key));
        }
        self.more = more;
    }

    /// The data of the one event with the count; as it is if there is nothing to count.
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

    /// Takes the data of an event and its count apart.
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
    fn a_count_is_written_behind_the_data_and_read_again() {
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
