//! Which entries stay in a response.

use gatewright_model::json::{Kind, Member, Value};
use gatewright_model::mcp::{Decision, Listed, Lists, NameRules, Names, listed};
use std::borrow::Cow;

/// What is removed from a message.
pub(crate) enum Filter {
    /// Entries of a list.
    List {
        listed: Listed,
        lists: Lists,
        /// The rules of the key, if it has any.
        key: Option<Names>,
    },
    /// Capabilities with these names.
    Capabilities(Vec<String>),
}

impl Filter {
    /// Reads a filter from the data plane's settings and facts.
    pub(crate) fn read(settings: &Value<'_>, facts: &Value<'_>) -> Result<Self, String> {
        if let Some(lost) = facts.get("lost") {
            let names = lost.items().iter().filter_map(Value::as_str);
            return Ok(Self::Capabilities(names.map(str::to_owned).collect()));
        }
        let listed = facts.str("list").and_then(listed);
        let rights = facts
            .get("rights")
            .filter(|rights| rights.kind != Kind::Null);
        Ok(Self::List {
            listed: listed.ok_or("there is no such list")?,
            lists: Lists::read(settings),
            key: rights.map(|rights| Names::new(&NameRules::read(Some(rights)))),
        })
    }

    /// Removes what may not be used from a message, or from each of several; returns whether anything was removed.
    pub(crate) fn message(&self, message: &mut Value<'_>) -> bool {
        match &mut message.kind {
            Kind::Array(messages) => {
                let changed = messages.iter_mut().map(|message| self.message(message));
                changed.fold(false, |before, now| before | now)
            }
            Kind::Object(members) => {
                // Each of several members of that name, since it isn't known which one a client reads.
                let results = members.iter_mut().filter(|member| member.name == "result");
                let changed = results.map(|member| self.result(&mut member.value));
                changed.fold(false, |before, now| before | now)
            }
            _ => false,
        }
    }

    fn result(&self, result: &mut Value<'_>) -> bool {
        let Kind::Object(members) = &mut result.kind else {
            return false;
        };
        match self {
            Self::Capabilities(lost) => {
                let capabilities = members.iter_mut();
                let capabilities = capabilities.filter(|member| member.name == "capabilities");
                let changed = capabilities.map(|member| without(&mut member.value, lost));
                changed.fold(false, |before, now| before | now)
            }
            Self::List { listed, .. } => {
                let lists = members
                    .iter_mut()
                    .filter(|member| member.name == listed.member);
                let changed = lists.map(|member| self.entries(listed, &mut member.value));
                let (mut has_list, mut is_changed) = (false, false);
                for changed in changed {
                    (has_list, is_changed) = (true, is_changed | changed);
                }
                is_changed | (has_list && is_private(members))
            }
        }
    }

    /// Removes entries from a list.
    fn entries(&self, listed: &Listed, list: &mut Value<'_>) -> bool {
        let (Kind::Array(entries), Self::List { lists, key, .. }) = (&mut list.kind, self) else {
            return false;
        };
        let before = entries.len();
        entries.retain(|entry| {
            let names = entry
                .members()
                .iter()
                .filter(|member| member.name == listed.name);
            // An entry without a name stays (reference 6.4).
            let mut names = names.filter_map(|member| member.value.as_str());
            names.all(|name| {
                let category = listed.category;
                let by_key = key.as_ref().is_none_or(|key| key.permit(category, name));
                by_key && lists.decide(category, name) == Decision::Passes
            })
        });
        entries.len() != before
    }
}

/// Removes members from an object.
fn without(object: &mut Value<'_>, names: &[String]) -> bool {
    let Kind::Object(members) = &mut object.kind else {
        return false;
    };
    let before = members.len();
    members.retain(|member| !names.iter().any(|name| *name == *member.name));
    members.len() != before
}

/// Marks a filtered list as not to be shared with other clients (`cacheScope` of revision 2026-07-28).
fn is_private(result: &mut [Member<'_>]) -> bool {
    let scopes = result
        .iter_mut()
        .filter(|member| member.name == "cacheScope");
    let mut is_changed = false;
    for scope in scopes {
        if scope.value.as_str() != Some("private") {
            scope.value.kind = Kind::String(Cow::Borrowed("private"));
            is_changed = true;
        }
    }
    is_changed
}
