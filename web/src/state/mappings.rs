//! The mappings of a client identity provider being edited. The merge patch is what a person works on;
//! the table is what it makes of the stored document, and an edit in the table is an edit of the patch.
//!
//! What a patch does is worked out by the functions that the edge stores by
//! ([`gatewright_model::mappings`], [`gatewright_model::diff`]).

mod edits;

use gatewright_model::Issue;
use gatewright_model::diff::{Change, changes};
use gatewright_model::json::{Value, parse};
use gatewright_model::{mappings, merge};

pub use edits::{Edit, edited};

/// The patch that does nothing.
pub const NOTHING: &str = "{}";
/// The member of a document that holds the mappings.
const MAPPINGS: &str = "api_mappings";
/// The member of a mapping that holds its scopes.
const SCOPES: &str = "scope_to_policy";

/// What a patch does to something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fate {
    /// It stays as it is.
    #[default]
    Same,
    /// It gets another value.
    Changed,
    /// It is new.
    Added,
    /// It goes.
    Removed,
}

impl Fate {
    fn of(before: Option<&str>, after: Option<&str>) -> Self {
        match (before, after) {
            (None, Some(_)) => Self::Added,
            (Some(_), None) => Self::Removed,
            (before, after) if before == after => Self::Same,
            _ => Self::Changed,
        }
    }
}

/// A scope and the policy that it leads to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// The scope.
    pub name: String,
    /// The policy that is stored.
    pub before: Option<String>,
    /// The policy with the patch applied.
    pub after: Option<String>,
}

impl Scope {
    /// What the patch does to it.
    #[must_use]
    pub fn fate(&self) -> Fate {
        Fate::of(self.before.as_deref(), self.after.as_deref())
    }
}

/// The mapping of one API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mapping {
    /// The id of the API.
    pub api_id: String,
    /// Whether the patch adds it, removes it, or neither; its scopes may change all the same.
    pub fate: Fate,
    /// Its scopes: the stored ones in their order, new ones behind them.
    pub scopes: Vec<Scope>,
    /// Members besides the scopes; they are kept and do nothing.
    pub others: usize,
}

impl Mapping {
    /// Whether it is there with the patch applied.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.fate != Fate::Removed
    }
}

/// How many scopes a patch changes, adds, deletes and leaves untouched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// They lead to another policy.
    pub changed: usize,
    /// They are new.
    pub added: usize,
    /// They go.
    pub removed: usize,
    /// They stay as they are.
    pub same: usize,
}

/// What a patch does to a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// What is wrong with the patch, or worth knowing.
    pub issues: Vec<Issue>,
    /// The document with the patch applied; none if the patch is wrong.
    pub result: Option<String>,
    /// The differences between the two.
    pub changes: Vec<Change>,
    /// All mappings, before and after. Of a wrong patch: those of the last one that was right.
    pub table: Vec<Mapping>,
}

impl Plan {
    /// Works out what a patch does. `known` says whether there is an API of an id, if that can be said.
    #[must_use]
    pub fn of(
        document: &str,
        patch: &str,
        known: Option<&dyn Fn(&str) -> bool>,
        last: Option<&Self>,
    ) -> Self {
        let mut issues = mappings::check_patch(patch);
        if let Some(known) = known {
            issues.extend(mappings::unknown_apis(patch, known));
        }
        let wrong = issues.iter().any(Issue::is_error);
        let result = match wrong {
            true => None,
            false => mappings::apply(document, patch).ok(),
        };
        let Some(after) = result else {
            let table = last.map(|last| last.table.clone()).unwrap_or_default();
            return Self {
                issues,
                table,
                ..Self::default()
            };
        };
        Self {
            issues,
            changes: changes(document, &after).unwrap_or_default(),
            table: table(document, &after),
            result: Some(after),
        }
    }

    /// Whether the patch is right and does something.
    #[must_use]
    pub fn does_something(&self) -> bool {
        !self.changes.is_empty()
    }

    /// How many scopes have which fate.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for scope in self.table.iter().flat_map(|mapping| &mapping.scopes) {
            let count = match scope.fate() {
                Fate::Changed => &mut counts.changed,
                Fate::Added => &mut counts.added,
                Fate::Removed => &mut counts.removed,
                Fate::Same => &mut counts.same,
            };
            *count = count.saturating_add(1);
        }
        counts
    }

    /// The mappings that go as a whole.
    #[must_use]
    pub fn removed(&self) -> Vec<Mapping> {
        let gone = |mapping: &&Mapping| mapping.fate == Fate::Removed;
        self.table.iter().filter(gone).cloned().collect()
    }
}

fn table(document: &str, after: &str) -> Vec<Mapping> {
    let (Ok(document), Ok(after)) = (parse(document), parse(after)) else {
        return Vec::new();
    };
    let (old, new) = (document.get(MAPPINGS), after.get(MAPPINGS));
    union(old, new)
        .into_iter()
        .map(|(api_id, before, after)| Mapping {
            fate: match (before, after) {
                (None, Some(_)) => Fate::Added,
                (Some(_), None) => Fate::Removed,
                _ => Fate::Same,
            },
            scopes: scopes(before, after),
            others: after.or(before).map_or(0, others),
            api_id,
        })
        .collect()
}

fn scopes(before: Option<&Value<'_>>, after: Option<&Value<'_>>) -> Vec<Scope> {
    let before = before.and_then(|mapping| mapping.get(SCOPES));
    let after = after.and_then(|mapping| mapping.get(SCOPES));
    let policy = |value: Option<&Value<'_>>| value.and_then(Value::as_str).map(str::to_owned);
    union(before, after)
        .into_iter()
        .map(|(name, before, after)| Scope {
            name,
            before: policy(before),
            after: policy(after),
        })
        .collect()
}

fn others(mapping: &Value<'_>) -> usize {
    let names = mapping.members().iter().map(|member| &*member.name);
    names.filter(|name| *name != SCOPES).count()
}

type Sides<'v, 't> = (String, Option<&'v Value<'t>>, Option<&'v Value<'t>>);

/// The members of two objects by name: those of the first in their order, the others behind them.
fn union<'v, 't>(old: Option<&'v Value<'t>>, new: Option<&'v Value<'t>>) -> Vec<Sides<'v, 't>> {
    let members = |value: Option<&'v Value<'t>>| value.map(Value::members).unwrap_or_default();
    let old_members = members(old).iter().map(|member| {
        let after = new.and_then(|new| new.get(&member.name));
        (member.name.to_string(), Some(&member.value), after)
    });
    let added = members(new)
        .iter()
        .filter(|member| old.is_none_or(|old| old.get(&member.name).is_none()))
        .map(|member| (member.name.to_string(), None, Some(&member.value)));
    old_members.chain(added).collect()
}

/// What the edge should have stored for a patch, given when it says it did.
///
/// # Errors
/// If a text is no JSON.
pub fn expected(document: &str, patch: &str, stored: &str) -> Result<String, merge::MergeError> {
    let at = parse(stored).ok();
    let at = at.as_ref().and_then(|stored| stored.str("last_updated"));
    merge::merge(
        document,
        &mappings::document_patch(patch, at.unwrap_or_default()),
    )
}
