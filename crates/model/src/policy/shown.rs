//! A session as the administration shows it (reference sections 2.1, 2.2 and 2.4).

use super::Named;
use super::part::{Object, Part, array};
use crate::json::{parse, quote};
use crate::session::Limit;
use crate::shape::session::{ACCESS_DEFINITION, SESSION};
use crate::shape::{Kind, Member};

/// The session's text without members that say nothing or that no type has. With policies applied to it, these
/// here, rights have their endpoints in the order of their paths (row 12), and no id and name of their API unless
/// one of the policies gives each API limits of its own (row 19). A text that is no JSON stays as it is.
#[must_use]
pub fn shown(session: &str, policies: &[Named<'_>]) -> String {
    let Ok(value) = parse(session) else {
        return session.to_owned();
    };
    let part = Part {
        text: session,
        value: &value,
    };
    let texts = || policies.iter().filter_map(|named| named.text);
    let per_api = |text: &str| {
        let policy = super::Policy::parse(text);
        policy.is_ok_and(|policy| policy.partitions.per_api)
    };
    let view = View {
        sorts: texts().next().is_some(),
        names: texts().next().is_none() || texts().any(per_api),
    };
    let object = view.object(part, SESSION.members);
    object.unwrap_or_else(|| "{}".to_owned())
}

/// What a view has of the rights of a session.
#[derive(Clone, Copy)]
struct View {
    names: bool,
    sorts: bool,
}

impl View {
    /// An object of these members; `None` for an empty one.
    fn object(self, part: Part<'_>, members: &'static [Member]) -> Option<String> {
        let is_right = std::ptr::eq(members, ACCESS_DEFINITION.members);
        let mut json = Object::default();
        for (name, value) in part.members() {
            let Some(member) = members.iter().find(|member| member.name == name) else {
                continue;
            };
            let hides = match name {
                "api_id" | "api_name" => !self.names,
                "limit" => Limit::of_api(part.value).is_none(),
                _ => false,
            };
            if is_right && hides {
                continue;
            }
            let shown = if is_right && name == "endpoints" && self.sorts {
                self.endpoints(value)
            } else {
                self.value(value, member.kind)
            };
            if let Some(shown) = shown {
                json.put(name, &shown);
            }
        }
        json.end()
    }

    /// A value; `None` for one that says nothing.
    fn value(self, part: Part<'_>, kind: &'static Kind) -> Option<String> {
        if part.is_empty() {
            return None;
        }
        let whole = |json: Option<String>| json.unwrap_or_else(|| "{}".to_owned());
        match kind {
            Kind::Object(of) => self.object(part, of.members),
            Kind::Map(_, inner) => inner.object().map_or_else(
                || Some(part.json().to_owned()),
                |of| {
                    let mut json = Object::default();
                    for (name, value) in part.members() {
                        json.put(name, &whole(self.object(value, of.members)));
                    }
                    json.end()
                },
            ),
            Kind::Array(inner) => match inner.object() {
                None => Some(part.json().to_owned()),
                Some(of) => {
                    let items = part
                        .items()
                        .map(|item| whole(self.object(item, of.members)));
                    let items: Vec<String> = items.collect();
                    Some(array(items.iter().map(String::as_str)))
                }
            },
            _ => Some(part.json().to_owned()),
        }
    }

    fn endpoints(self, part: Part<'_>) -> Option<String> {
        let kind = ACCESS_DEFINITION.member("endpoints")?.kind.object()?;
        let items = crate::order::sorted(part.items().collect(), |item| quote(item.str("path")));
        let items = items
            .into_iter()
            .filter_map(|item| self.object(item, kind.members));
        let items: Vec<String> = items.collect();
        (!items.is_empty()).then(|| array(items.iter().map(String::as_str)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_nothing_is_not_shown() {
        for (session, expected) in [
            (
                r#"{"rate":0,"alias":"","tags":[],"meta_data":{},"is_inactive":false,"smoothing":null}"#,
                "{}",
            ),
            (
                r#"{"rate":-1,"per":1.50,"no_such_member":true}"#,
                r#"{"rate":-1,"per":1.50}"#,
            ),
            (
                r#"{"basic_auth_data":{"password":"","hash_type":"bcrypt"},"monitor":{"trigger_limits":[]}}"#,
                r#"{"basic_auth_data":{"hash_type":"bcrypt"}}"#,
            ),
            (
                r#"{"meta_data":{"a":0,"b":{}}}"#,
                r#"{"meta_data":{"a":0,"b":{}}}"#,
            ),
            (
                r#"{"access_rights":{"a":{"api_id":"a","versions":[],"limit":{"rate":0,"quota_renews":5}},"b":null}}"#,
                r#"{"access_rights":{"a":{"api_id":"a"},"b":{}}}"#,
            ),
            (
                r#"{"access_rights":{"a":{"limit":{"quota_max":-1,"rate":0}}}}"#,
                r#"{"access_rights":{"a":{"limit":{"quota_max":-1}}}}"#,
            ),
            ("no JSON", "no JSON"),
        ] {
            assert_eq!(shown(session, &[]), expected);
        }
    }

    #[test]
    fn rights_of_policies_are_shown_as_the_family_does() {
        let session = r#"{"access_rights":{"a":{"api_id":"a","api_name":"x","versions":["v"],
            "endpoints":[{"path":"/c","methods":[{"name":"PUT","limit":{"rate":-1,"per":0}}]},{"path":"/a"}]}}}"#;
        let named = |text| [Named { id: "p", text }];
        assert_eq!(
            shown(session, &named(Some("{}"))),
            r#"{"access_rights":{"a":{"versions":["v"],"endpoints":[{"path":"/a"},{"path":"/c","methods":[{"name":"PUT","limit":{"rate":-1}}]}]}}}"#
        );
        let per_api = shown(session, &named(Some(r#"{"partitions":{"per_api":true}}"#)));
        assert!(
            per_api.contains(r#""api_id":"a","api_name":"x""#),
            "{per_api}"
        );
        let missing = shown(session, &named(None));
        assert!(
            missing.contains(r#""path":"/c""#) && missing.contains("api_name"),
            "{missing}"
        );
    }
}
