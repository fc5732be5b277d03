//! What the policies that a credential names grant it. It is the same for all credentials that name the same ones, so it
//! is worked out once for each published set, which keeps it.

use crate::config::IdentityConfig;
use crate::facts::list;
use crate::identity::org_or_default;
use crate::recent::Size;
use crate::sessions::{Own, RulesByApi};
use gatewright_model::json::{Value, parse, quote};
use gatewright_model::policy::combined;
use gatewright_model::session::Session;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What policies grant to the sessions of an organisation that are derived from credentials.
#[derive(Debug)]
pub(crate) struct Granted {
    /// The ids of those policies that exist and that the organisation may use.
    pub(crate) found: Vec<String>,
    /// The text of a session with them, but without the closing brace.
    pub(crate) start: String,
    /// What such a session may do, which all of them share; `None` if they can't be applied.
    pub(crate) session: Option<Rc<Session>>,
    /// Its path rules, which they share as well.
    pub(crate) rules: Rc<RulesByApi>,
    /// The length of the policies.
    length: usize,
}

impl Size for Granted {
    fn bytes(&self) -> usize {
        self.length
    }
}

impl Granted {
    /// Applies those of the named policies that the organisation may use.
    pub(crate) fn of(
        org: &str,
        named: &[&str],
        policies: &BTreeMap<String, String>,
        config: &IdentityConfig,
    ) -> Self {
        let text = |id: &str| {
            let text = policies.get(id)?;
            let policy = parse(text).ok()?;
            let of = policy.str("org_id").unwrap_or_default();
            (org_or_default(of, config) == org).then_some(text)
        };
        let mut found = Vec::new();
        let mut length = 0_usize;
        for id in named {
            if let Some(text) = text(id) {
                found.push((*id).to_owned());
                length = length.saturating_add(text.len());
            }
        }
        let ids = list(found.iter().map(String::as_str));
        let start = format!("{{\"org_id\":{},\"apply_policies\":{ids}", quote(org));
        Self {
            session: combined(&format!("{start}}}"), policies).map(Rc::new),
            rules: Rc::default(),
            found,
            start,
            length,
        }
    }

    /// Returns what a session has of its own that consists of these members and of what the policies grant; `None` for
    /// members that policies may have something to do with.
    pub(crate) fn own(members: &Value<'_>) -> Option<Own> {
        let is_own = |name: &str| matches!(name, "alias" | "expires");
        let mut names = members.members().iter().map(|member| &*member.name);
        names.all(is_own).then(|| Own {
            alias: members.str("alias").unwrap_or_default().to_owned(),
            expires: members.int("expires").unwrap_or_default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sessions::Known;

    fn policies() -> BTreeMap<String, String> {
        let all = [
            (
                "gold",
                r#"{"id":"gold","rate":5,"per":1,"tags":["t"],"meta_data":{"a":1},"last_updated":"7",
                    "access_rights":{"a":{"limit":{"rate":2,"per":1}},"b":{}}}"#,
            ),
            (
                "own",
                r#"{"id":"own","org_id":"o","partitions":{"quota":true},"quota_max":9,"access_rights":{"b":{}}}"#,
            ),
            ("none", r#"{"id":"none"}"#),
        ];
        all.map(|(id, text)| (id.to_owned(), text.to_owned()))
            .into()
    }

    #[test]
    fn a_session_is_what_its_policies_make_of_its_text() {
        let policies = policies();
        let config = IdentityConfig::default();
        for (org, named) in [
            ("default", vec!["gold"]),
            ("default", vec!["gold", "missing"]),
            ("o", vec!["own"]),
            ("default", vec!["none"]),
            ("default", vec![]),
        ] {
            let granted = Granted::of(org, &named, &policies, &config);
            for own in [
                r#"{"alias":"x\"y","expires":1700000000}"#,
                r#"{"alias":"x"}"#,
            ] {
                let text = format!("{},{}", granted.start, own.strip_prefix('{').unwrap());
                let own = Granted::own(&parse(own).unwrap()).unwrap();
                let known = Known::granted("h".to_owned(), &granted, own, 1);
                let alone = Known::derived("h".to_owned(), text, (1, &policies));
                let shared = known.session.as_deref().cloned().map(|session| Session {
                    alias: known.alias().to_owned(),
                    expires: known.expires(),
                    ..session
                });
                let alone = alone.session.as_deref().cloned();
                assert_eq!(shared, alone, "{org} {named:?}");
            }
        }
    }

    #[test]
    fn only_policies_of_the_organisation_count() {
        let (policies, config) = (policies(), IdentityConfig::default());
        let found = |org: &str| Granted::of(org, &["gold", "own"], &policies, &config).found;
        assert_eq!(found("default"), ["gold"]);
        assert_eq!(found("o"), ["own"]);
    }

    #[test]
    fn other_members_are_left_to_the_policies() {
        let own = parse(r#"{"alias":"x","tags":["u"]}"#).unwrap();
        assert_eq!(Granted::own(&own), None);
    }
}
