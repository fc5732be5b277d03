//! The part of a definition that affects requests.
//!
//! An isolate holds the complete published set in memory, and every location reads it. A definition exported from a
//! dashboard has hundreds of members, a large part of which this runtime never reads: those that are only stored, those
//! that can't work here, and unknown ones.

use crate::json::{Kind as Json, Member as JsonMember, Value, push_quoted, push_value};
use crate::shape::{Kind, Root, Support, Switch, Tagged, Type};

/// Returns a definition as one line of JSON, without the members that nothing here acts on (`stored` and `unsupported`
/// in the table, and those that are not in it). Of an object with a switch, the switch stays: keys are refused because
/// of the protocol an API would speak, and because of no other member of that object. The content of free-form objects
/// stays.
///
/// It means the same to the data plane as the original text.
#[must_use]
pub fn effective(definition: &Value<'_>) -> String {
    let mut json = String::new();
    push(
        &Kind::Object(Root::ApiDefinition.shape()),
        definition,
        &mut json,
    );
    json
}

fn push(kind: &Kind, value: &Value<'_>, json: &mut String) {
    match (kind, &value.kind) {
        (Kind::Object(of), Json::Object(members)) => {
            let kept = members.iter().filter_map(|member| {
                let kind = member_kind(of, member, value)?;
                Some((member, kind))
            });
            push_object(kept, json);
        }
        (Kind::Map(_, inner), Json::Object(members)) => {
            push_object(members.iter().map(|member| (member, **inner)), json);
        }
        (Kind::Array(inner), Json::Array(items)) => {
            json.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    json.push(',');
                }
                push(inner, item, json);
            }
            json.push(']');
        }
        _ => push_value(value, json),
    }
}

fn push_object<'v, 't: 'v>(
    members: impl Iterator<Item = (&'v JsonMember<'t>, Kind)>,
    json: &mut String,
) {
    json.push('{');
    for (index, (member, kind)) in members.enumerate() {
        if index > 0 {
            json.push(',');
        }
        push_quoted(&member.name, json);
        json.push(':');
        push(&kind, &member.value, json);
    }
    json.push('}');
}

/// Returns the kind of a member; `None` if nothing acts on it.
fn member_kind(of: &Type, member: &JsonMember<'_>, parent: &Value<'_>) -> Option<Kind> {
    let known = of.member(&member.name)?;
    match (known.support, of.switch) {
        (Support::Stored | Support::Unsupported(_), Switch::On(name) | Switch::Off(name))
            if name == known.name =>
        {
            Some(*known.kind)
        }
        (Support::Stored | Support::Unsupported(_), _) => match known.kind {
            Kind::Object(inner) if inner.switch != Switch::None => Some(*known.kind),
            _ => None,
        },
        (Support::Enforced | Support::Informative, _) => Some(match known.kind {
            Kind::Tagged(tagged) => tagged_kind(tagged, parent),
            kind => *kind,
        }),
    }
}

fn tagged_kind(tagged: &Tagged, parent: &Value<'_>) -> Kind {
    tagged.of(parent).map_or(Kind::Any, Kind::Object)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn of(text: &str) -> String {
        effective(&parse(text).unwrap())
    }

    #[test]
    fn inert_members_are_omitted_at_any_depth() {
        let text = r#"{
            "api_id": "a", "use_keyless": true, "somebodys_own": { "x": 1 },
            "proxy": { "target_url": "http://u.test/", "ssl_ciphers": ["X"] },
            "version_data": { "versions": { "v 1": {
                "name": "v 1", "mine": 1,
                "extended_paths": {
                    "virtual": [{ "path": "/v" }],
                    "white_list": [{ "path": "/a", "mine": 1 }, { "path": "/b" }]
                }
            } } }
        }"#;
        let expected = concat!(
            r#"{"api_id":"a","use_keyless":true,"proxy":{"target_url":"http://u.test/"},"#,
            r#""version_data":{"versions":{"v 1":{"name":"v 1","#,
            r#""extended_paths":{"white_list":[{"path":"/a"},{"path":"/b"}]}}}}}"#,
        );
        assert_eq!(of(text), expected);
    }

    #[test]
    fn enabled_protocol_is_kept() {
        let text = r#"{"graphql":{"enabled":true,"schema":"type Query { a: Int }"}}"#;
        assert_eq!(of(text), r#"{"graphql":{"enabled":true}}"#);
    }

    #[test]
    fn free_objects_and_numbers_are_unchanged() {
        let text = r#"{"openapi":{"a \" b":[1.0,9007199254740993,{"c":null}]}}"#;
        assert_eq!(of(text), text);
    }

    #[test]
    fn a_value_of_another_type_stays() {
        let text = r#"{"proxy":"x","version_data":{"versions":[1]}}"#;
        assert_eq!(of(text), text);
    }
}
