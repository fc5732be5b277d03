//! Finds the entry of the table for a value of a document, by its pointer.

use super::{Kind, Member, Root, Type};
use crate::json::Value;
use crate::json::pointer::{array_index, push_token, tokens};

/// What the table says about one value of a document.
#[derive(Clone, Copy, Debug)]
pub struct Spot {
    /// The kind of the value.
    pub kind: Kind,
    /// The member it is the value of, or that contains it as an array element or a map entry.
    pub member: Option<&'static Member>,
    /// The type that has this member.
    pub owner: Option<&'static Type>,
}

impl Spot {
    /// Returns the spot of a complete document.
    #[must_use]
    pub const fn root(root: Root) -> Self {
        Self::of(root.shape())
    }

    /// Returns the spot of a document of a type.
    #[must_use]
    pub const fn of(of: &'static Type) -> Self {
        Self {
            kind: Kind::Object(of),
            member: None,
            owner: None,
        }
    }

    /// Moves one pointer token further. `tag` returns the text of a member of the object being left, for types that a
    /// sibling member selects.
    #[must_use]
    pub fn step<'t>(&self, token: &str, tag: impl Fn(&str) -> Option<&'t str>) -> Option<Self> {
        match self.kind {
            Kind::Object(of) => {
                let member = of.member(token)?;
                let kind = match *member.kind {
                    Kind::Tagged(tagged) => {
                        let of = tag(tagged.by).and_then(|tag| tagged.named(tag));
                        of.map_or(Kind::Free, Kind::Object)
                    }
                    kind => kind,
                };
                Some(Self {
                    kind,
                    member: Some(member),
                    owner: Some(of),
                })
            }
            Kind::Array(inner) => (token == "-" || array_index(token).is_some()).then_some(Self {
                kind: *inner,
                ..*self
            }),
            Kind::Map(_, inner) => Some(Self {
                kind: *inner,
                ..*self
            }),
            _ => None,
        }
    }
}

/// Finds what the table says about the value at a JSON Pointer. If the type of an object depends on a sibling member,
/// any object is allowed.
#[must_use]
pub fn at(root: Root, pointer: &str) -> Option<Spot> {
    let tokens = tokens(pointer)?;
    tokens
        .iter()
        .try_fold(Spot::root(root), |spot, token| spot.step(token, |_| None))
}

/// Returns the member names on the path to a value, joined by dots: without list indices and map keys, so that the path
/// identifies a member wherever it occurs, as in `version_data.versions.expires`. It ends at the first name that is not
/// in the table.
#[must_use]
pub fn member_path(root: Root, document: &Value<'_>, pointer: &str) -> String {
    let mut path = String::new();
    let (mut spot, mut parent_pointer) = (Some(Spot::root(root)), String::new());
    for token in tokens(pointer).unwrap_or_default() {
        let Some(here) = spot else { break };
        let parent = document.pointer(&parent_pointer);
        let next = here.step(&token, |name| parent?.str(name));
        if next.is_some() && matches!(here.kind, Kind::Object(_)) {
            join(&mut path, &token);
        }
        push_token(&mut parent_pointer, &token);
        spot = next;
    }
    path
}

fn join(path: &mut String, name: &str) {
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(name);
}

/// A member and its [`member_path`].
#[derive(Clone, Debug)]
pub struct Named {
    /// The names on the path to it, joined by dots.
    pub path: String,
    /// The member.
    pub member: &'static Member,
    /// The type that has it.
    pub owner: &'static Type,
}

/// Returns every member of a kind of document at every path it can have, in the order of the table.
#[must_use]
pub fn member_paths(root: Root) -> Vec<Named> {
    let mut all = Vec::new();
    visit(root.shape(), "", &mut Vec::new(), &mut all);
    all
}

fn visit(of: &'static Type, before: &str, open: &mut Vec<&'static str>, all: &mut Vec<Named>) {
    // No type is recursive today; one that is would be listed once.
    if open.contains(&of.name) {
        return;
    }
    open.push(of.name);
    for member in of.members {
        let mut path = before.to_owned();
        join(&mut path, member.name);
        let known = |named: &Named| named.path == path;
        if all.iter().any(known) {
            continue;
        }
        let inner = match *member.kind {
            Kind::Tagged(tagged) => tagged.types.iter().map(|(_, of)| *of).collect(),
            kind => kind.object().into_iter().collect::<Vec<_>>(),
        };
        all.push(Named {
            path: path.clone(),
            member,
            owner: of,
        });
        for of in inner {
            visit(of, &path, open, all);
        }
    }
    open.pop();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn member_path_is_position_independent() {
        let text = r#"{"version_data":{"versions":{"a.b":{"extended_paths":{"cache":["/x"]}}}},
            "response_processors":[{"name":"header_injector","options":{"add_headers":{"X":"y"}}}]}"#;
        let document = crate::json::parse(text).unwrap();
        for (pointer, expected) in [
            (
                "/version_data/versions/a.b/extended_paths/cache/0",
                "version_data.versions.extended_paths.cache",
            ),
            (
                "/response_processors/0/options/add_headers/X",
                "response_processors.options.add_headers",
            ),
            ("/response_processors/0/nope", "response_processors"),
            ("", ""),
        ] {
            assert_eq!(
                member_path(Root::ApiDefinition, &document, pointer),
                expected
            );
        }
        let all = member_paths(Root::ApiDefinition);
        let count = |path: &str| all.iter().filter(|named| named.path == path).count();
        for path in [
            "name",
            "auth.use_param",
            "auth_configs.use_param",
            "response_processors.options.add_headers",
        ] {
            assert_eq!(count(path), 1, "{path}");
        }
    }

    #[test]
    fn places_are_found() {
        let spot = at(Root::ApiDefinition, "/proxy/target_list/3").unwrap();
        assert_eq!(spot.member.unwrap().name, "target_list");
        assert_eq!(spot.owner.unwrap().name, "ProxyConfig");
        assert!(matches!(spot.kind, Kind::Format(_)));
        let spot = at(Root::ApiDefinition, "/version_data/versions/v1/expires").unwrap();
        assert_eq!(spot.owner.unwrap().name, "VersionInfo");
        assert!(at(Root::Session, "/access_rights/x/limit/rate").is_some());
        assert!(at(Root::Session, "").unwrap().member.is_none());
        for pointer in ["/nope", "/proxy/target_list/x", "/name/x", "x"] {
            assert!(at(Root::ApiDefinition, pointer).is_none(), "{pointer}");
        }
    }
}
