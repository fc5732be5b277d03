//! Computes the merge patch (RFC 7386) that turns one document into another.

use std::fmt;

use crate::issue::Issue;
use crate::json::pointer::Path;
use crate::json::{Kind, Member, Value, parse, push_quoted};
use crate::merge::Index;

/// Why no merge patch turns one document into another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotExpressible {
    /// The old text is not JSON.
    Before(Vec<Issue>),
    /// The new text is not JSON.
    After(Vec<Issue>),
    /// The new document has a null member where the old one has none. In a merge patch null means "remove", so it can't
    /// be set.
    Null {
        /// JSON Pointer (RFC 6901) to the member.
        pointer: String,
    },
}

impl fmt::Display for NotExpressible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = |issues: &[Issue]| issues.first().map(ToString::to_string).unwrap_or_default();
        match self {
            Self::Before(issues) => write!(f, "the old document is no JSON: {}", first(issues)),
            Self::After(issues) => write!(f, "the new document is no JSON: {}", first(issues)),
            Self::Null { pointer } => write!(
                f,
                "{pointer} is null in the new document only; a merge patch can remove members, but not set them to null"
            ),
        }
    }
}

impl std::error::Error for NotExpressible {}

/// Returns the smallest merge patch with which [`crate::merge::merge`] turns `before` into `after`, up to member order
/// and with numbers compared by their text. It is `{}` when nothing differs, except that a document that is not an
/// object can only be replaced in full.
///
/// The patch is unique: a changed member is named, a removed one is null, objects on both sides are compared member by
/// member, and anything else is replaced. It is written without spaces; texts and numbers are copied as written.
///
/// # Errors
/// See [`NotExpressible`].
pub fn merge_patch(before: &str, after: &str) -> Result<String, NotExpressible> {
    let old = parse(before).map_err(NotExpressible::Before)?;
    let new = parse(after).map_err(NotExpressible::After)?;
    let writer = Writer { after };
    let mut patch = String::new();
    match (&old.kind, &new.kind) {
        (Kind::Object(_), Kind::Object(_)) => {
            if !writer.objects(&old, &new, &Path::Root, &mut patch)? {
                patch.push_str("{}");
            }
        }
        _ => writer.fresh(&new, &Path::Root, &mut patch)?,
    }
    Ok(patch)
}

struct Writer<'t> {
    after: &'t str,
}

impl Writer<'_> {
    /// Writes the differences between two objects; returns false and writes nothing if there are none.
    fn objects(
        &self,
        old: &Value<'_>,
        new: &Value<'_>,
        path: &Path<'_>,
        patch: &mut String,
    ) -> Result<bool, NotExpressible> {
        let begin = patch.len();
        let index = Index::new(new.members());
        let mut known = vec![false; new.members().len()];
        for member in old.members() {
            let path = path.member(&member.name);
            let Some((at, now)) = index.find(&member.name) else {
                name(&member.name, begin, patch);
                patch.push_str("null");
                continue;
            };
            if let Some(slot) = known.get_mut(at) {
                *slot = true;
            }
            self.both(member, &now.value, &path, begin, patch)?;
        }
        let added = new
            .members()
            .iter()
            .zip(&known)
            .filter(|(_, known)| !**known);
        for (member, _) in added {
            name(&member.name, begin, patch);
            self.fresh(&member.value, &path.member(&member.name), patch)?;
        }
        let some = patch.len() > begin;
        if some {
            patch.push('}');
        }
        Ok(some)
    }

    /// Writes a member of both objects, if it differs.
    fn both(
        &self,
        old: &Member<'_>,
        now: &Value<'_>,
        path: &Path<'_>,
        begin: usize,
        patch: &mut String,
    ) -> Result<(), NotExpressible> {
        let before = patch.len();
        match (&old.value.kind, &now.kind) {
            (Kind::Object(_), Kind::Object(_)) => {
                name(&old.name, begin, patch);
                if !self.objects(&old.value, now, path, patch)? {
                    patch.truncate(before);
                }
                Ok(())
            }
            _ if old.value.same(now) => Ok(()),
            _ => {
                name(&old.name, begin, patch);
                self.fresh(now, path, patch)
            }
        }
    }

    /// Writes a replacement value. A merge would drop null members of objects; inside arrays they are preserved.
    fn fresh(
        &self,
        value: &Value<'_>,
        path: &Path<'_>,
        patch: &mut String,
    ) -> Result<(), NotExpressible> {
        match &value.kind {
            Kind::Null if !matches!(path, Path::Root) => Err(NotExpressible::Null {
                pointer: path.pointer(),
            }),
            Kind::Object(members) => {
                patch.push('{');
                for (index, member) in members.iter().enumerate() {
                    if index > 0 {
                        patch.push(',');
                    }
                    push_quoted(&member.name, patch);
                    patch.push(':');
                    self.fresh(&member.value, &path.member(&member.name), patch)?;
                }
                patch.push('}');
                Ok(())
            }
            _ => {
                self.compact(value, patch);
                Ok(())
            }
        }
    }

    /// Writes a value unchanged, without the whitespace between its parts.
    fn compact(&self, value: &Value<'_>, patch: &mut String) {
        match &value.kind {
            Kind::Array(items) => {
                patch.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        patch.push(',');
                    }
                    self.compact(item, patch);
                }
                patch.push(']');
            }
            Kind::Object(members) => {
                patch.push('{');
                for (index, member) in members.iter().enumerate() {
                    if index > 0 {
                        patch.push(',');
                    }
                    patch.push_str(member.name_span.of(self.after));
                    patch.push(':');
                    self.compact(&member.value, patch);
                }
                patch.push('}');
            }
            _ => patch.push_str(value.span.of(self.after)),
        }
    }
}

/// Writes the name of a member, after the brace or comma that precedes it in an object that starts at `begin`.
fn name(name: &str, begin: usize, patch: &mut String) {
    patch.push(if patch.len() == begin { '{' } else { ',' });
    push_quoted(name, patch);
    patch.push(':');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patch(before: &str, after: &str) -> String {
        merge_patch(before, after).unwrap()
    }

    #[test]
    fn patch_contains_only_differences() {
        for (before, after, expected) in [
            ("{}", " { } ", "{}"),
            (
                r#"{"a":1,"b":{"c":[1, 2]}}"#,
                r#"{"b":{"c":[1,2]},"a":1}"#,
                "{}",
            ),
            (r#"{"a":1}"#, r#"{"a":1.0}"#, r#"{"a":1.0}"#),
            (r#"{"a":1,"b":2}"#, r#"{"b":2}"#, r#"{"a":null}"#),
            (
                r#"{"a":{"b":1,"c":2}}"#,
                r#"{"a":{"b":1}}"#,
                r#"{"a":{"c":null}}"#,
            ),
            (
                r#"{"a":{"b":1}}"#,
                r#"{"a":[ {"b" : null} ]}"#,
                r#"{"a":[{"b":null}]}"#,
            ),
            (r#"{"a":5}"#, r#"{"a":{}}"#, r#"{"a":{}}"#),
            (r#"{"a":{"b":1}}"#, r#"{"a":{}}"#, r#"{"a":{"b":null}}"#),
            (
                r#"{"a":null}"#,
                r#"{"a":null,"b":"\u0061"}"#,
                r#"{"a":null}"#,
            ),
            (r#"{"a":null,"b":1}"#, r#"{"b":1}"#, r#"{"a":null}"#),
            ("[1]", "[ 1 ]", "[1]"),
            ("1", "null", "null"),
            ("[]", r#"{"a":1}"#, r#"{"a":1}"#),
        ] {
            let expected = if after.contains("u0061") {
                r#"{"b":"\u0061"}"#
            } else {
                expected
            };
            assert_eq!(patch(before, after), expected, "{before} {after}");
        }
    }

    #[test]
    fn new_null_cannot_be_expressed() {
        for (before, after, at) in [
            ("{}", r#"{"a":null}"#, "/a"),
            (r#"{"a":1}"#, r#"{"a":null}"#, "/a"),
            (
                r#"{"a":{"b":1}}"#,
                r#"{"a":{"b":1,"c/d":{"e":null}}}"#,
                "/a/c~1d/e",
            ),
            ("[]", r#"{"a":null}"#, "/a"),
        ] {
            let wrong = merge_patch(before, after).unwrap_err();
            assert_eq!(
                wrong,
                NotExpressible::Null {
                    pointer: at.to_owned()
                }
            );
            assert!(wrong.to_string().starts_with(at));
        }
        assert!(matches!(
            merge_patch("{", "{}"),
            Err(NotExpressible::Before(_))
        ));
        assert!(matches!(
            merge_patch("{}", "{"),
            Err(NotExpressible::After(_))
        ));
    }
}
