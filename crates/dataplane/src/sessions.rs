//! The sessions that an isolate knows, so that a request with a known token asks only one object.
//!
//! They may be out of date: the Ledger reports that before they have any effect.

use crate::granted::Granted;
use crate::mcp::Rights;
use crate::recent::{Recent, Size};
use crate::strangers::Strangers;
use gatewright_model::policy::combined;
use gatewright_model::session::Session;
use gatewright_protocol::access::{Anchors, Endpoints, Urls};
use gatewright_protocol::pattern::Pattern;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

/// A session cached in an isolate.
#[derive(Clone, Debug)]
pub struct Known {
    /// The hash of its token.
    pub hash: String,
    /// Its revision.
    pub revision: u64,
    /// Whether the session is derived from a credential and not stored.
    pub is_derived: bool,
    /// The session document; empty if it has only members of its own and what its policies grant.
    pub text: String,
    /// What the session allows under the policies of `generation`; `None` if they can't be applied. Alias and expiry are
    /// those of [`Self::alias`] and [`Self::expires`].
    pub session: Option<Rc<Session>>,
    /// What it has of its own, if it shares `session` with others.
    own: Option<Own>,
    /// What limits are counted under instead of the session's own hash (`rate_limit_pattern`).
    pub pattern: Option<Pattern>,
    /// The generation whose policies were applied.
    pub generation: u64,
    /// Shared as `session` is.
    rules: Rc<RulesByApi>,
}

/// A session's path rules for each API, compiled on first use.
pub(crate) type RulesByApi = RefCell<HashMap<String, Rc<Rules>>>;

/// What distinguishes sessions that the same policies grant the same.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Own {
    /// The display name.
    pub(crate) alias: String,
    /// When it expires, in Unix seconds; 0 or less for never.
    pub(crate) expires: i64,
}

/// A session's rules for the paths of one API.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// The paths that it may use.
    pub urls: Urls,
    /// The paths with their own rates.
    pub endpoints: Endpoints,
    /// Its rights at an MCP proxy.
    pub mcp: Rights,
}

impl Known {
    /// Creates a session under the published policies.
    #[must_use]
    pub fn new(
        hash: String,
        revision: u64,
        text: String,
        (generation, policies): (u64, &BTreeMap<String, String>),
    ) -> Self {
        let session = combined(&text, policies).map(Rc::new);
        let shared = (session, Rc::default());
        Self::with((hash, revision), text, shared, generation)
    }

    fn with(
        (hash, revision): (String, u64),
        text: String,
        (session, rules): (Option<Rc<Session>>, Rc<RulesByApi>),
        generation: u64,
    ) -> Self {
        let pattern = session
            .as_ref()
            .and_then(|session| Pattern::of(session, &hash));
        Self {
            pattern,
            hash,
            revision,
            is_derived: false,
            text,
            session,
            own: None,
            generation,
            rules,
        }
    }

    /// Creates a session derived from a credential, under the published policies. Limits are counted under this hash.
    #[must_use]
    pub fn derived(hash: String, text: String, policies: (u64, &BTreeMap<String, String>)) -> Self {
        Self {
            is_derived: true,
            ..Self::new(hash, 0, text, policies)
        }
    }

    /// Like [`Self::derived`], for a session with these members of its own that otherwise shares what its policies grant.
    pub(crate) fn granted(hash: String, granted: &Granted, own: Own, generation: u64) -> Self {
        let shared = (granted.session.clone(), Rc::clone(&granted.rules));
        Self {
            is_derived: true,
            own: Some(own),
            ..Self::with((hash, 0), String::new(), shared, generation)
        }
    }

    /// When it expires, in Unix seconds; 0 or less for never.
    #[must_use]
    pub fn expires(&self) -> i64 {
        let session = || self.session.as_ref().map(|session| session.expires);
        let own = self.own.as_ref().map(|own| own.expires);
        own.or_else(session).unwrap_or_default()
    }

    /// Its display name.
    #[must_use]
    pub fn alias(&self) -> &str {
        let session = || self.session.as_ref().map(|session| session.alias.as_str());
        let own = self.own.as_ref().map(|own| own.alias.as_str());
        own.or_else(session).unwrap_or_default()
    }

    /// The revision that its Ledger has to confirm; `None` if no confirmation is needed.
    #[must_use]
    pub fn revision(&self) -> Option<u64> {
        (!self.is_derived).then_some(self.revision)
    }

    /// The session's path rules for an API.
    #[must_use]
    pub fn rules(&self, api_id: &str, anchors: Anchors) -> Rc<Rules> {
        if let Some(rules) = self.rules.borrow().get(api_id) {
            return Rc::clone(rules);
        }
        let access = self
            .session
            .as_ref()
            .and_then(|session| session.access(api_id));
        let rules = access.map_or_else(Rules::default, |access| Rules {
            urls: Urls::new(&access.allowed_urls, anchors),
            endpoints: Endpoints::new(&access.endpoints, anchors),
            mcp: access.mcp.as_deref().map(Rights::new).unwrap_or_default(),
        });
        let rules = Rc::new(rules);
        let mut kept = self.rules.borrow_mut();
        kept.insert(api_id.to_owned(), Rc::clone(&rules));
        rules
    }
}

impl Size for Known {
    fn bytes(&self) -> usize {
        let own = self.own.as_ref().map_or(0, |own| own.alias.len());
        self.text.len().saturating_add(own)
    }
}

/// Cached sessions by name, each about a kilobyte. A name stands for a token in an organisation, or for an organisation
/// itself.
#[derive(Debug, Default)]
pub struct Sessions {
    /// Tokens that are not keys.
    pub strangers: Strangers,
    recent: Recent<Known>,
}

impl Sessions {
    /// Returns the session with this name, if it is cached with these policies.
    pub fn get(&mut self, name: &str, generation: u64) -> Option<Rc<Known>> {
        let is_current = |known: &Known| known.generation == generation;
        self.recent.get(name, is_current)
    }

    /// Caches a session.
    pub fn put(&mut self, name: &str, known: Rc<Known>) {
        self.recent.put(name.to_owned(), known);
    }

    /// Removes a session.
    pub fn remove(&mut self, name: &str) {
        self.recent.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(revision: u64, generation: u64) -> Rc<Known> {
        let none = BTreeMap::new();
        let text = "{\"access_rights\":{\"a\":{}}}".to_owned();
        Rc::new(Known::new(
            "h".to_owned(),
            revision,
            text,
            (generation, &none),
        ))
    }

    #[test]
    fn session_is_cached_until_policies_change() {
        let mut sessions = Sessions::default();
        sessions.put("t", known(1, 7));
        assert_eq!(sessions.get("t", 7).unwrap().revision, 1);
        assert!(sessions.get("t", 8).is_none());
        sessions.put("t", known(2, 8));
        assert_eq!(sessions.get("t", 8).unwrap().revision, 2);
        sessions.remove("t");
        assert!(sessions.get("t", 8).is_none());
    }
}
