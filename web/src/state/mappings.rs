//! Editing the mappings of a client identity provider. The user works on a merge patch; the table shows its effect on
//! the stored document, and an edit in the table is an edit of the patch.
//!
//! The effect is computed by the functions that the edge stores with ([`gatewright_model::mappings`],
//! [`gatewright_model::diff`]).

mod edits;

use gatewright_model::Issue;
use gatewright_model::diff::{Change, changes};
use gatewright_model::json::{Value, parse};
use gatewright_model::{mappings, merge};

pub use edits::{Edit, edited};

/// The patch without an effect.
pub const NOTHING: &str = "{}";
/// The member of a document with the mappings.
const MAPPINGS: &str = "api_mappings";
/// The member of a mapping with its scopes.
const SCOPES: &str = "scope_to_policy";

/// The effect of a patch on something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fate {
    /// It is unchanged.
    #[default]
    Same,
    /// It gets another value.
    Changed,
    /// It is new.
    Added,
    /// It is removed.
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

/// A scope and the policy it maps to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// The scope.
    pub name: String,
    /// The stored policy.
    pub before: Option<String>,
    /// The policy after the patch.
    pub after: Option<String>,
}

impl Scope {
    /// Returns the effect of the patch on it.
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
    /// Whether the patch adds or removes it, or neither; its scopes may change all the same.
    pub fate: Fate,
    /// Its scopes: the stored ones in order, followed by new ones.
    pub scopes: Vec<Scope>,
    /// The number of members besides the scopes; they are preserved but have no effect.
    pub others: usize,
}

impl Mapping {
    /// Whether it exists after the patch.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.fate != Fate::Removed
    }
}

/// How many scopes a patch changes, adds, removes and leaves unchanged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Scopes that map to another policy.
    pub changed: usize,
    /// New scopes.
    pub added: usize,
    /// Removed scopes.
    pub removed: usize,
    /// Unchanged scopes.
    pub same: usize,
}

/// The effect of a patch on a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// Errors in the patch, and warnings.
    pub issues: Vec<Issue>,
    /// The document after the patch; `None` if the patch is invalid.
    pub result: Option<String>,
    /// The differences between the two.
    pub changes: Vec<Change>,
    /// All mappings, before and after. For an invalid patch, those of the last valid one.
    pub table: Vec<Mapping>,
}

impl Plan {
    /// Computes the effect of a patch. `known` says whether there is an API with an id, if that is known.
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
        let mut changes = changes(document, &after).unwrap_or_default();
        // A document without mappings gets an empty list of them, which maps nothing.
        let is_empty = |change: &Change| {
            change.pointer == "/api_mappings" && change.after.as_deref() == Some(NOTHING)
        };
        changes.retain(|change| change.before.is_some() || !is_empty(change));
        Self {
            issues,
            changes,
            table: table(document, &after),
            result: Some(after),
        }
    }

    /// Returns why the patch can't be saved.
    #[must_use]
    pub fn lacks(&self) -> Option<&'static str> {
        match (&self.result, self.changes.is_empty()) {
            (None, _) => Some("The patch is not valid yet"),
            (_, true) => Some("The patch changes nothing"),
            _ => None,
        }
    }

    /// Counts the scopes by the effect on them.
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

    /// Returns the mappings that are removed completely.
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

/// Pairs the members of two objects by name: those of the first in order, followed by those only in the second.
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

/// Returns the document that the edge should have stored for a patch, given the one that it returned.
///
/// # Errors
/// If a text is not JSON.
pub fn expected(document: &str, patch: &str, stored: &str) -> Result<String, merge::MergeError> {
    let at = parse(stored).ok();
    let at = at.as_ref().and_then(|stored| stored.str("last_updated"));
    merge::merge(
        document,
        &mappings::document_patch(patch, at.unwrap_or_default()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn a_patch_without_effect_says_so() {
        let lacks = |document: &str, patch: &str| Plan::of(document, patch, None, None).lacks();
        let nothing = Some("The patch changes nothing");
        let mapped = r#"{"api_mappings":{"a":{"scope_to_policy":{"read":"gold"}}}}"#;
        assert_eq!(lacks(mapped, NOTHING), nothing);
        assert_eq!(lacks("{}", NOTHING), nothing);
        assert_eq!(lacks("{}", r#"{"a":null}"#), nothing);
        assert_eq!(lacks("{}", "{"), Some("The patch is not valid yet"));
        assert_eq!(lacks("{}", r#"{"a":{}}"#), None);
        assert_eq!(lacks(mapped, r#"{"a":null}"#), None);
    }
}
