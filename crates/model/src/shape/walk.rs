//! Finding a place of a document in the table.

use super::{Kind, Member, Root, Type};
use crate::json::pointer::{array_index, tokens};

/// What the table says about one place of a document.
#[derive(Clone, Copy, Debug)]
pub struct Spot {
    /// What the value there has to be.
    pub kind: Kind,
    /// The member it is the value of, or is inside of as an element or an entry of a map.
    pub member: Option<&'static Member>,
    /// The type that member belongs to.
    pub owner: Option<&'static Type>,
}

impl Spot {
    /// The whole document.
    #[must_use]
    pub const fn root(root: Root) -> Self {
        Self {
            kind: Kind::Object(root.shape()),
            member: None,
            owner: None,
        }
    }

    /// The place one token of a pointer further. `tag` answers the text of a member of the object
    /// that is left, for types that another member names.
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

/// What the table says about the place at a JSON Pointer. Where the type of an object depends on a
/// text beside it, any object is allowed.
#[must_use]
pub fn at(root: Root, pointer: &str) -> Option<Spot> {
    let tokens = tokens(pointer)?;
    tokens
        .iter()
        .try_fold(Spot::root(root), |spot, token| spot.step(token, |_| None))
}

#[cfg(test)]
mod tests {
    use super::*;

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
