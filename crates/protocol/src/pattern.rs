//! Where the limits of a key count whose metadata has a `rate_limit_pattern`: under that text, shared with every key of
//! its organisation that has the same text.
//!
//! The promise: however many texts clients send, each pattern makes no more than [`OBJECTS`] Ledgers with [`SLOTS`]
//! slots each. Two texts that map to the same slot count together, so no limit ever admits more. A text that doesn't
//! depend on the request has a Ledger of its own, whose name is known when the key is written.

use crate::ledger::{Count, Limit};
use crate::token::HashFunction;
use crate::variables::{Escape, Template, Values, Variable};
use gatewright_model::session::Session;

/// The number of Ledgers over which the texts of one pattern spread.
pub const OBJECTS: u64 = 256;
/// The number of slots in each of them. It is bounded because the counters of a Ledger are stored together.
pub const SLOTS: u64 = 1024;

/// Separates the usual name of a limit from what is appended here; no such name contains it.
pub const MARK: char = '\t';

/// A pattern in which the variables of the key are filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(Template);

/// A Ledger, and the slot of one text in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The Ledger's name.
    pub ledger: String,
    slot: String,
}

impl Pattern {
    /// Returns the pattern of a session with its policies applied, and of a key with this hash: a pattern never
    /// contains the token.
    #[must_use]
    pub fn of(session: &Session, hash: &str) -> Option<Self> {
        let text = session.meta("rate_limit_pattern")?;
        let template = Template::parse(&text).bound(|variable| match variable {
            Variable::Context("token") => Some(hash.to_owned()),
            Variable::Context(_) => None,
            Variable::Meta(name) => Some(session.meta(name).unwrap_or_default()),
        });
        (template.literal() != Some("")).then_some(Self(template))
    }

    /// Returns the Ledger, if the text doesn't depend on the request.
    #[must_use]
    pub fn own(&self, org: &str) -> Option<Place> {
        let text = self.0.literal()?;
        Some(Place {
            ledger: format!("pattern:{}", digest(&[org, text])),
            slot: String::new(),
        })
    }

    /// Returns where a request counts; `None` if the text is empty for it.
    #[must_use]
    pub fn place(&self, org: &str, request: &dyn Values) -> Option<Place> {
        if let Some(own) = self.own(org) {
            return Some(own);
        }
        let text = self.0.fill(request, Escape::None);
        if text.is_empty() {
            return None;
        }
        let number = digest(&[&text]);
        let number = number.get(..15).unwrap_or_default();
        let number = u64::from_str_radix(number, 16).unwrap_or_default();
        let pattern = digest(&[org, &self.0.source()]);
        Some(Place {
            ledger: format!("pattern:{pattern}:{:02x}", number % OBJECTS),
            slot: format!("{:03x}", number / OBJECTS % SLOTS),
        })
    }
}

impl Place {
    /// Renames a counter for this slot. Limits with different windows count apart: the shorter must not forget what the
    /// longer has to remember.
    #[must_use]
    pub fn count(&self, count: &Count) -> Count {
        let window = match count.limit {
            Limit::Rate(limit) => limit.window_ms,
            Limit::Quota(limit) => limit.window_ms,
        };
        Count {
            name: format!("{}{MARK}{window}{MARK}{}", count.name, self.slot),
            limit: count.limit,
            smoothing: count.smoothing,
        }
    }
}

/// Returns the name of a limit without what [`Place::count`] has appended.
#[must_use]
pub fn bare(name: &str) -> &str {
    name.split(MARK).next().unwrap_or_default()
}

/// Returns one hash for several texts. These may be anything that a client sends, so names contain the hash instead.
fn digest(texts: &[&str]) -> String {
    HashFunction::Sha256.hash(&texts.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits;
    use std::collections::BTreeSet;

    struct Sent(String);

    impl Values for Sent {
        fn context(&self, name: &str) -> Option<String> {
            (name == "path").then(|| self.0.clone())
        }

        fn meta(&self, _: &str) -> Option<String> {
            None
        }
    }

    fn pattern(pattern: &str) -> Option<Pattern> {
        let text = serde_json::json!({
            "meta_data": { "rate_limit_pattern": pattern, "team": "blue", "trap": "$gateway_context.path" },
        });
        Pattern::of(&Session::parse(&text.to_string()).unwrap(), "hash")
    }

    fn place(text: &str, sent: &str) -> Option<Place> {
        pattern(text)?.place("org", &Sent(sent.to_owned()))
    }

    #[test]
    fn a_text_of_the_key_alone_has_a_ledger_that_is_known_without_a_request() {
        for (text, same) in [
            ("$gateway_meta.team", "blue"),
            ("$tyk_context.token/$gateway_meta.team", "hash/blue"),
            ("x$gateway_meta.none", "x"),
        ] {
            let own = pattern(text).unwrap().own("org");
            assert_eq!(own, pattern(same).unwrap().own("org"), "{text}");
            assert_eq!(own, place(text, "/a"), "{text}");
            assert_ne!(own, pattern(text).unwrap().own("other"), "{text}");
        }
        // A variable inside the metadata is not expanded.
        assert!(pattern("$gateway_meta.trap").unwrap().own("org").is_some());
        assert_eq!(pattern("$gateway_context.path").unwrap().own("org"), None);
        assert_eq!(pattern(""), None);
        assert_eq!(pattern("$gateway_meta.none"), None);
        assert_eq!(place("$gateway_context.path", ""), None);
    }

    #[test]
    fn equal_texts_share_a_slot_and_others_spread() {
        let spread = |sent: &str| place("$gateway_context.path", sent).unwrap();
        assert_eq!(spread("/a"), spread("/a"));
        assert_ne!(spread("/a"), spread("/b"));
        let other = place("$gateway_meta.team$gateway_context.path", "/a").unwrap();
        assert_ne!(other.ledger, spread("/a").ledger);
    }

    #[test]
    fn any_number_of_texts_makes_a_bounded_number_of_ledgers_and_counters() {
        let places = (0..40_000).map(|n| place("$gateway_context.path", &n.to_string()).unwrap());
        let (mut ledgers, mut slots) = (BTreeSet::new(), BTreeSet::new());
        for place in places {
            ledgers.insert(place.ledger);
            slots.insert(place.slot);
        }
        assert_eq!(ledgers.len() as u64, OBJECTS);
        assert_eq!(slots.len() as u64, SLOTS);
    }

    #[test]
    fn other_windows_count_apart_and_the_bare_name_comes_back() {
        let session = |per: u32| {
            let text = format!("{{\"rate\":5,\"per\":{per}}}");
            Session::parse(&text).unwrap()
        };
        let place = place("x", "").unwrap();
        let count = |per| {
            let limit = session(per).limit;
            place.count(&limits::rate(limit.rate, "rate", "api").unwrap())
        };
        assert_ne!(count(1).name, count(2).name);
        assert_eq!(bare(&count(1).name), "rate-api");
    }
}
