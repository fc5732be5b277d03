//! Differences between two documents, as a list member by member.

use serde::{Deserialize, Serialize};

use crate::issue::Issue;
use crate::json::pointer::Path;
use crate::json::{Kind, Span, Value, parse};
use crate::merge::Index;

pub use crate::patch::{NotExpressible, merge_patch};

/// What happened to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// Only the new document has it.
    Added,
    /// Only the old document has it.
    Removed,
    /// Its value differs.
    Changed,
}

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Change {
    /// JSON Pointer (RFC 6901) to the value.
    pub pointer: String,
    /// What happened to it.
    pub kind: ChangeKind,
    /// JSON text of the old value, as written; `None` for an added value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// JSON text of the new value, as written; `None` for a removed value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// Lists all differences between two documents. Whitespace and member order are ignored; numbers differ when their
/// texts do. Objects are compared by member name, arrays by index. Changes and removals come in the order of the old
/// document, followed for each object by its additions in the order of the new one.
///
/// # Errors
/// The syntax issues of the first text that is not JSON.
pub fn changes(before: &str, after: &str) -> Result<Vec<Change>, Vec<Issue>> {
    let (old, new) = (parse(before)?, parse(after)?);
    Ok(changes_of(
        (&old, &|span| span.of(before).to_owned()),
        (&new, &|span| span.of(after).to_owned()),
    ))
}

/// One side of a comparison: its value, and how a part of it is written.
type Side<'s, 'v> = (&'s Value<'v>, &'s dyn Fn(Span) -> String);

/// Lists all differences between two values as [`changes`] does.
pub(crate) fn changes_of(before: Side<'_, '_>, after: Side<'_, '_>) -> Vec<Change> {
    let ((old, before), (new, after)) = (before, after);
    let mut comparison = Comparison {
        before,
        after,
        changes: Vec::new(),
    };
    comparison.values(old, new, &Path::Root);
    comparison.changes
}

struct Comparison<'t> {
    before: &'t dyn Fn(Span) -> String,
    after: &'t dyn Fn(Span) -> String,
    changes: Vec<Change>,
}

impl Comparison<'_> {
    fn values(&mut self, old: &Value<'_>, new: &Value<'_>, path: &Path<'_>) {
        match (&old.kind, &new.kind) {
            (Kind::Object(_), Kind::Object(_)) => self.objects(old, new, path),
            (Kind::Array(a), Kind::Array(b)) => {
                for (index, (old, new)) in a.iter().zip(b).enumerate() {
                    self.values(old, new, &path.element(index));
                }
                for (index, old) in a.iter().enumerate().skip(b.len()) {
                    self.push(ChangeKind::Removed, &path.element(index), Some(old), None);
                }
                for (index, new) in b.iter().enumerate().skip(a.len()) {
                    self.push(ChangeKind::Added, &path.element(index), None, Some(new));
                }
            }
            _ if old.same(new) => {}
            _ => self.push(ChangeKind::Changed, path, Some(old), Some(new)),
        }
    }

    fn objects(&mut self, old: &Value<'_>, new: &Value<'_>, path: &Path<'_>) {
        let index = Index::new(new.members());
        let mut known = vec![false; new.members().len()];
        for member in old.members() {
            let path = path.member(&member.name);
            match index.find(&member.name) {
                Some((at, now)) => {
                    if let Some(slot) = known.get_mut(at) {
                        *slot = true;
                    }
                    self.values(&member.value, &now.value, &path);
                }
                None => self.push(ChangeKind::Removed, &path, Some(&member.value), None),
            }
        }
        let added = new
            .members()
            .iter()
            .zip(&known)
            .filter(|(_, known)| !**known);
        for (member, _) in added {
            let path = path.member(&member.name);
            self.push(ChangeKind::Added, &path, None, Some(&member.value));
        }
    }

    fn push(
        &mut self,
        kind: ChangeKind,
        path: &Path<'_>,
        old: Option<&Value<'_>>,
        new: Option<&Value<'_>>,
    ) {
        let before = old.map(|value| (self.before)(value.span));
        let after = new.map(|value| (self.after)(value.span));
        self.changes.push(Change {
            pointer: path.pointer(),
            kind,
            before,
            after,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(before: &str, after: &str) -> Vec<String> {
        let line = |change: Change| {
            let text = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
            format!(
                "{:?} {} {} {}",
                change.kind,
                change.pointer,
                text(change.before),
                text(change.after)
            )
        };
        changes(before, after)
            .unwrap()
            .into_iter()
            .map(line)
            .collect()
    }

    #[test]
    fn every_difference_is_named_with_its_pointer() {
        assert_eq!(
            lines(
                r#"{"a":1,"b":{"c/d":[1,2,3]},"x":true}"#,
                r#"{"b":{"c/d":[1,5]},"y":null,"a":1.0}"#
            ),
            [
                "Changed /a 1 1.0",
                "Changed /b/c~1d/1 2 5",
                "Removed /b/c~1d/2 3 -",
                "Removed /x true -",
                "Added /y - null"
            ]
        );
        assert_eq!(lines("[]", r#"[{"a":1}]"#), [r#"Added /0 - {"a":1}"#]);
        assert_eq!(lines("1", "[1]"), ["Changed  1 [1]"]);
    }

    #[test]
    fn layout_and_order_are_no_difference() {
        assert!(lines(r#"{"a":1,"b":[1]}"#, "{\n\"b\":[ 1 ],\"\\u0061\":1}").is_empty());
    }

    #[test]
    fn absent_sides_are_omitted_from_json() {
        let change = &changes("{}", r#"{"a":1}"#).unwrap()[0];
        assert_eq!(
            serde_json::to_string(change).unwrap(),
            r#"{"pointer":"/a","kind":"added","after":"1"}"#
        );
    }
}
