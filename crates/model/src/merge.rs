//! JSON Merge Patch (RFC 7386) on texts: members the patch doesn't name keep every byte.

use std::cell::{Cell, OnceCell};

use crate::issue::Issue;
use crate::json::edit::{Changes, Edits, Layout};
use crate::json::{Kind, Member, Value, along, parse, push_quoted};
use crate::order::order;

/// Why a merge was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeError {
    /// The target is not JSON.
    Target(Vec<Issue>),
    /// The patch is not JSON.
    Patch(Vec<Issue>),
}

/// Applies a patch to a target as in RFC 7386 section 2. A removed member takes its comma with it, and a new one is
/// formatted like its siblings; everything else is copied from the target.
///
/// # Errors
/// See [`MergeError`]. The parser bounds how deep both may nest.
pub fn merge(target: &str, patch: &str) -> Result<String, MergeError> {
    let root = parse(target).map_err(MergeError::Target)?;
    merge_read(target, &root, patch)
}

/// Like [`merge`], for a target that has already been parsed.
///
/// # Errors
/// [`MergeError::Patch`].
pub fn merge_read(target: &str, root: &Value<'_>, patch: &str) -> Result<String, MergeError> {
    let changes = parse(patch).map_err(MergeError::Patch)?;
    Ok(merged(target, root, patch, &changes))
}

/// Like [`merge`], for a target that was checked before it was stored: only what the patch concerns is parsed.
///
/// # Errors
/// See [`MergeError`].
pub fn merge_stored(target: &str, patch: &str) -> Result<String, MergeError> {
    let changes = parse(patch).map_err(MergeError::Patch)?;
    let root = along(target, &changes).ok_or_else(|| MergeError::Target(Vec::new()))?;
    Ok(merged(target, &root, patch, &changes))
}

fn merged(target: &str, root: &Value<'_>, patch: &str, changes: &Value<'_>) -> String {
    let merging = Merging {
        target,
        root,
        patch,
    };
    if !matches!(
        (&root.kind, &changes.kind),
        (Kind::Object(_), Kind::Object(_))
    ) {
        return merging.fresh(changes);
    }
    let mut edits = Edits::new(target);
    merging.object(root, changes, &mut edits);
    edits.apply()
}

struct Merging<'m, 't> {
    target: &'m str,
    root: &'m Value<'t>,
    patch: &'m str,
}

impl Merging<'_, '_> {
    fn object(&self, object: &Value<'_>, patch: &Value<'_>, edits: &mut Edits<'_>) {
        let index = Index::new(object.members());
        let mut changes = Changes::default();
        for member in patch.members() {
            match (index.find(&member.name), &member.value.kind) {
                (None, Kind::Null) => {}
                (None, _) => changes
                    .added
                    .push((member.name.to_string(), self.fresh(&member.value))),
                (Some((position, _)), Kind::Null) => changes.removed.push(position),
                (Some((_, old)), Kind::Object(_)) if matches!(old.value.kind, Kind::Object(_)) => {
                    self.object(&old.value, &member.value, edits);
                }
                (Some((_, old)), _) => {
                    edits.replace(
                        old.value.span.start,
                        old.value.span.end,
                        self.fresh(&member.value),
                    );
                }
            }
        }
        if !changes.removed.is_empty() || !changes.added.is_empty() {
            let removed = |at: usize| changes.removed.get(at).copied();
            let ascending = order(changes.removed.len(), &mut |a, b| {
                removed(a).cmp(&removed(b))
            });
            changes.removed = ascending.into_iter().filter_map(removed).collect();
            let layout = Layout::of(self.target, self.root, object);
            edits.object(object, object.members(), &changes, &layout);
        }
    }

    /// Writes a value of the patch that the target lacks: unchanged, unless it has null members, which mean "remove"
    /// and are left out (arrays are copied unchanged).
    fn fresh(&self, value: &Value<'_>) -> String {
        if has_null_member(value) {
            let mut json = String::new();
            self.without_nulls(value, &mut json);
            json
        } else {
            value.span.of(self.patch).to_owned()
        }
    }

    fn without_nulls(&self, value: &Value<'_>, json: &mut String) {
        if !has_null_member(value) {
            return json.push_str(value.span.of(self.patch));
        }
        json.push('{');
        let mut first = true;
        for member in value
            .members()
            .iter()
            .filter(|member| !member.value.is_null())
        {
            if !std::mem::take(&mut first) {
                json.push(',');
            }
            push_quoted(&member.name, json);
            json.push(':');
            self.without_nulls(&member.value, json);
        }
        json.push('}');
    }
}

fn has_null_member(value: &Value<'_>) -> bool {
    value
        .members()
        .iter()
        .any(|member| member.value.is_null() || has_null_member(&member.value))
}

/// Finds members by name. Two documents mostly have the same members in the same order, so the member after the last
/// hit is tried first. Otherwise a few members are searched linearly, and many, after a few searches, through a sorted
/// index.
pub(crate) struct Index<'v, 't> {
    members: &'v [Member<'t>],
    next: Cell<usize>,
    /// How often it was searched.
    searches: Cell<usize>,
    sorted: OnceCell<Vec<usize>>,
}

impl<'v, 't> Index<'v, 't> {
    const FEW: usize = 16;

    /// The number of searches that take less time than sorting.
    const SEARCHES: usize = 4;

    /// The number of members after the last hit that are tried before searching.
    const NEAR: usize = 3;

    pub(crate) const fn new(members: &'v [Member<'t>]) -> Self {
        Self {
            members,
            next: Cell::new(0),
            searches: Cell::new(0),
            sorted: OnceCell::new(),
        }
    }

    pub(crate) fn find(&self, wanted: &str) -> Option<(usize, &'v Member<'t>)> {
        let near = self.next.get()..self.next.get().saturating_add(Self::NEAR);
        let here = near.clone().find(|at| self.is(*at, wanted));
        let position = here.or_else(|| self.search(wanted))?;
        self.next.set(position.saturating_add(1));
        Some((position, self.members.get(position)?))
    }

    fn is(&self, at: usize, wanted: &str) -> bool {
        self.members
            .get(at)
            .is_some_and(|member| member.name == wanted)
    }

    fn search(&self, wanted: &str) -> Option<usize> {
        let count = self.members.len();
        let searches = self.searches.get().saturating_add(1);
        self.searches.set(searches);
        if count <= Self::FEW || searches <= Self::SEARCHES {
            return (0..count).find(|at| self.is(*at, wanted));
        }
        let sorted = self.sorted.get_or_init(|| {
            order(count, &mut |a, b| {
                name(self.members, a).cmp(name(self.members, b))
            })
        });
        let found = sorted.binary_search_by(|at| name(self.members, *at).cmp(wanted));
        sorted.get(found.ok()?).copied()
    }
}

fn name<'v>(members: &'v [Member<'_>], index: usize) -> &'v str {
    members.get(index).map_or("", |member| &member.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 7386, appendix A.
    const APPENDIX_A: &[(&str, &str, &str)] = &[
        (r#"{"a":"b"}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
        (r#"{"a":"b"}"#, r#"{"b":"c"}"#, r#"{"a":"b","b":"c"}"#),
        (r#"{"a":"b"}"#, r#"{"a":null}"#, "{}"),
        (r#"{"a":"b","b":"c"}"#, r#"{"a":null}"#, r#"{"b":"c"}"#),
        (r#"{"a":["b"]}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
        (r#"{"a":"c"}"#, r#"{"a":["b"]}"#, r#"{"a":["b"]}"#),
        (
            r#"{"a":{"b":"c"}}"#,
            r#"{"a":{"b":"d","c":null}}"#,
            r#"{"a":{"b":"d"}}"#,
        ),
        (r#"{"a":[{"b":"c"}]}"#, r#"{"a":[1]}"#, r#"{"a":[1]}"#),
        (r#"["a","b"]"#, r#"["c","d"]"#, r#"["c","d"]"#),
        (r#"{"a":"b"}"#, r#"["c"]"#, r#"["c"]"#),
        (r#"{"a":"foo"}"#, "null", "null"),
        (r#"{"a":"foo"}"#, r#""bar""#, r#""bar""#),
        (r#"{"e":null}"#, r#"{"a":1}"#, r#"{"e":null,"a":1}"#),
        ("[1,2]", r#"{"a":"b","c":null}"#, r#"{"a":"b"}"#),
        ("{}", r#"{"a":{"bb":{"ccc":null}}}"#, r#"{"a":{"bb":{}}}"#),
    ];

    #[test]
    fn all_examples_of_appendix_a() {
        for (target, patch, expected) in APPENDIX_A {
            assert_eq!(
                merge(target, patch).as_deref(),
                Ok(*expected),
                "{target} {patch}"
            );
        }
    }

    #[test]
    fn untouched_members_keep_every_byte() {
        let target = "{\n  \"a\" : 1.0,\n  \"b\": { \"c\": 1,\n \"d\":2 },\n  \"big\": 12345678901234567890123,\n  \"z\": null\n}\n";
        let patch = r#"{"b":{"c":null,"e":[null]},"a":2,"n":{"x":null,"y":{}},"z":null}"#;
        let expected = "{\n  \"a\" : 2,\n  \"b\": { \"d\":2,\n \"e\":[null] },\n  \"big\": 12345678901234567890123,\n  \"n\": {\"y\":{}}\n}\n";
        assert_eq!(merge(target, patch).as_deref(), Ok(expected));
        assert_eq!(merge(target, "{}").as_deref(), Ok(target));
    }

    #[test]
    fn all_members_may_be_exchanged() {
        assert_eq!(
            merge("{ \"a\": 1 }", r#"{"a":null,"b":2,"c":3}"#).as_deref(),
            Ok("{ \"b\": 2, \"c\": 3 }")
        );
        assert_eq!(
            merge(
                "{\"a\":1,\"b\":2,\"c\":3,\"d\":4}",
                r#"{"a":null,"c":null,"d":null}"#
            )
            .as_deref(),
            Ok("{\"b\":2}")
        );
    }

    #[test]
    fn errors_distinguish_target_from_patch() {
        assert!(matches!(merge("{", "{}"), Err(MergeError::Target(_))));
        assert!(matches!(merge("{}", "{"), Err(MergeError::Patch(_))));
        assert!(matches!(
            merge(r#"{"a":1,"a":2}"#, "{}"),
            Err(MergeError::Target(_))
        ));
    }
}
