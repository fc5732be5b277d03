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

#[cfg(test)]
mod tests {
    use super::*;

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
