//! A session as the administration shows it (reference sections 2.1, 2.2 and 2.4).

use super::Named;
use super::combine::Source;
use super::part::{Object, Part, array};
use crate::json::{Value, parse};
use crate::merge::Index;
use crate::order::sorted;
use crate::shape::session::{ACCESS_DEFINITION, SESSION};
use crate::shape::{Kind, Member};

/// Returns the session's text without members that are empty or that no type has. If it has these policies applied,
/// endpoints that several of them contributed are sorted by path and method (row 12), and a right has no id and name of
/// its API unless one of the policies gives it limits of its own (row 19). A text that is not JSON is returned
/// unchanged.
#[must_use]
pub fn shown(session: &str, policies: &[Named<'_>]) -> String {
    let Ok(value) = parse(session) else {
        return session.to_owned();
    };
    let part = Part {
        text: session,
        value: &value,
    };
    let given = policies.iter().filter_map(|named| {
        let text = named.text?;
        Some((text, parse(text).ok()?))
    });
    let given: Vec<(&str, Value<'_>)> = given.collect();
    let given = given.iter().map(|(text, value)| {
        let part = Part { text, value };
        let rights = value.get("access_rights").map(Value::members);
        Given {
            source: Source::read("", part),
            rights: Index::new(rights.unwrap_or_default()),
        }
    });
    let given: Vec<Given<'_>> = given.collect();
    let view = View {
        policies: &given,
        names: true,
        sorts: false,
    };
    let object = view.object(part, SESSION.members);
    object.unwrap_or_else(|| "{}".to_owned())
}

/// A policy, and its rights to find by their APIs: there can be many of both.
struct Given<'v> {
    source: Source<'v>,
    rights: Index<'v, 'v>,
}

/// How a part of a session is shown.
#[derive(Clone, Copy)]
struct View<'v> {
    policies: &'v [Given<'v>],
    /// Whether a right has the id and the name of its API.
    names: bool,
    /// Whether its endpoints and their methods are sorted by name.
    sorts: bool,
}

impl<'v> View<'v> {
    /// Returns the view for the right to an API.
    fn of(self, api: &str) -> Self {
        let named = self.policies.iter().filter_map(|given| {
            let (_, right) = given.rights.find(api)?;
            let right = Some(&right.value).filter(|right| !right.is_null())?;
            Some((&given.source, given.source.part.with(right)))
        });
        let limiting = named.clone().filter(|(source, _)| source.provides.rate);
        let mut merged = limiting.skip_while(|(_, right)| {
            let endpoints = right.get("endpoints");
            endpoints.is_none_or(Part::is_empty)
        });
        Self {
            names: self.policies.is_empty() || named.clone().any(|(source, _)| source.per_api),
            sorts: merged.nth(1).is_some(),
            ..self
        }
    }

    /// Writes an object with these members; `None` for an empty one.
    fn object(self, part: Part<'_>, members: &'static [Member]) -> Option<String> {
        let is_right = std::ptr::eq(members, ACCESS_DEFINITION.members);
        let mut json = Object::default();
        for (name, value) in part.members() {
            let Some(member) = members.iter().find(|member| member.name == name) else {
                continue;
            };
            if is_right && !self.names && matches!(name, "api_id" | "api_name") {
                continue;
            }
            let inside = Self {
                sorts: self.sorts && (!is_right || name == "endpoints"),
                ..self
            };
            if let Some(shown) = inside.value(value, member.kind) {
                json.put(name, &shown);
            }
        }
        json.end()
    }

    /// Writes a value; `None` for an empty one.
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
                        json.put(name, &whole(self.of(name).object(value, of.members)));
                    }
                    json.end()
                },
            ),
            Kind::Array(inner) => match inner.object() {
                None => Some(part.json().to_owned()),
                Some(of) => {
                    let mut items: Vec<Part<'_>> = part.items().collect();
                    if self.sorts {
                        items = sorted(items, |item| {
                            format!("{}{}", item.str("path"), item.str("name"))
                        });
                    }
                    let items = items
                        .into_iter()
                        .map(|item| whole(self.object(item, of.members)));
                    let items: Vec<String> = items.collect();
                    Some(array(items.iter().map(String::as_str)))
                }
            },
            _ => Some(part.json().to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_members_are_not_shown() {
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
                r#"{"access_rights":{"a":{"api_id":"a","versions":[],"limit":{"rate":0,"quota_max":0}},"b":null}}"#,
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

    /// A key may have several policies that each name thousands of APIs.
    #[test]
    fn many_rights_are_shown_in_linear_time() {
        let rights: Vec<String> = (0..10_000).map(|api| format!(r#""a{api}":{{}}"#)).collect();
        let text = format!(r#"{{"access_rights":{{{}}}}}"#, rights.join(","));
        let policies = [(); 10].map(|()| Named {
            id: "p",
            text: Some(text.as_str()),
        });
        let began = std::time::Instant::now();
        assert_eq!(shown(&text, &policies), text);
        assert!(began.elapsed().as_secs() < 10, "{:?}", began.elapsed());
    }

    #[test]
    fn rights_of_policies_are_shown_as_the_family_does() {
        let session = r#"{"access_rights":{"a":{"api_id":"a","api_name":"x","versions":["v"],
            "endpoints":[{"path":"/c","methods":[{"name":"PUT","limit":{"rate":-1,"per":0}},{"name":"GET"}]},{"path":"/a"}]}}}"#;
        let named = |text| Named { id: "p", text };
        let of = |right: &str| format!(r#"{{"access_rights":{{"a":{right}}}}}"#);
        let gives = of(r#"{"endpoints":[{}]}"#);
        let plain = of("{}");
        let missing = shown(session, &[named(None)]);
        assert!(
            missing.contains(r#""api_id":"a","api_name":"x""#),
            "{missing}"
        );
        let as_given = r#"[{"path":"/c","methods":[{"name":"PUT","limit":{"rate":-1}},{"name":"GET"}]},{"path":"/a"}]"#;
        let in_order = r#"[{"path":"/a"},{"path":"/c","methods":[{"name":"GET"},{"name":"PUT","limit":{"rate":-1}}]}]"#;
        let elsewhere = r#"{"access_rights":{"b":{}}}"#;
        let rights_only = r#"{"partitions":{"acl":true},"access_rights":{"a":{}}}"#;
        for (policies, endpoints) in [
            (vec![gives.as_str()], as_given),
            (vec![&plain, &gives], as_given),
            (vec![&gives, elsewhere, rights_only], as_given),
            (vec![&gives, &plain], in_order),
            (vec![&gives, &gives], in_order),
        ] {
            let all: Vec<_> = policies.iter().map(|text| named(Some(text))).collect();
            let expected = of(&format!(r#"{{"versions":["v"],"endpoints":{endpoints}}}"#));
            assert_eq!(shown(session, &all), expected, "{policies:?}");
        }
        let names = |api: &str| {
            let per_api =
                format!(r#"{{"partitions":{{"per_api":true}},"access_rights":{{"{api}":{{}}}}}}"#);
            let [plain, per_api] = [&plain, &per_api].map(|text| Named {
                id: "p",
                text: Some(text),
            });
            shown(session, &[plain, per_api]).contains("api_name")
        };
        assert!(names("a") && !names("b"));
    }
}
