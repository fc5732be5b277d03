//! Cases for every member of every type, generated from the table: one with a value that is accepted and one with a
//! value that is refused (or warned about, if only its format can be wrong).

use gatewright_model::json::pointer;
use gatewright_model::shape::{Kind, Member, Presence, Root, Type};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Returns an accepted value, including required members.
pub(crate) fn sample(kind: &Kind) -> Value {
    match kind {
        Kind::Bool => json!(true),
        Kind::Text | Kind::Any => json!("x"),
        Kind::Format(format) => json!(format.example()),
        Kind::Enum(choice) => json!(choice.values.iter().find(|text| !text.is_empty()).unwrap()),
        Kind::Integer(bounds) => json!(bounds.min.max(1)),
        Kind::Number => json!(0.5),
        Kind::Duration => json!("1m30s"),
        Kind::Array(inner) => json!([sample(inner)]),
        Kind::Map(names, inner) => json!({ sample_name(names): sample(inner) }),
        Kind::Object(of) => smallest(of),
        Kind::Tagged(_) | Kind::Free => json!({}),
    }
}

fn sample_name(names: &gatewright_model::shape::Names) -> String {
    use gatewright_model::shape::Names;
    match names {
        Names::Any => "x".to_owned(),
        Names::Known(list) => list[0].to_owned(),
        Names::Format(format) => format.example().to_owned(),
    }
}

/// Returns an object with the required and expected members.
pub(crate) fn smallest(of: &Type) -> Value {
    if of.name == "ProxyConfig" {
        // Rules require these, unless the targets come from elsewhere.
        return json!({ "listen_path": "/a", "target_url": "http://a.example" });
    }
    let members = of
        .members
        .iter()
        .filter(|member| member.presence() != Presence::Optional);
    Value::Object(
        members
            .map(|member| (member.name.to_owned(), sample(member.kind)))
            .collect::<Map<_, _>>(),
    )
}

/// Returns a value of another kind.
fn wrong(kind: &Kind) -> Option<Value> {
    match kind {
        Kind::Any => None,
        Kind::Bool => Some(json!(1)),
        Kind::Array(_) => Some(json!({})),
        _ => Some(json!([true])),
    }
}

/// Returns a value of the right type that is not allowed.
fn odd(kind: &Kind) -> Option<Value> {
    match kind {
        Kind::Format(format) if format.severity().is_some() => Some(json!(format.counterexample())),
        Kind::Enum(_) => Some(json!("none of them")),
        Kind::Integer(bounds) if bounds.min > i64::MIN => Some(json!(-1)),
        Kind::Integer(_) => Some(json!(0.5)),
        Kind::Duration => Some(json!("90")),
        Kind::Array(inner) => odd(inner).map(|item| json!([item])),
        Kind::Map(names, inner) => match names {
            gatewright_model::shape::Names::Any => odd(inner).map(|item| json!({ "x": item })),
            _ => Some(json!({ "none of them": sample(inner) })),
        },
        _ => None,
    }
}

/// Returns a minimal document of that kind.
fn base(root: Root) -> Value {
    match root {
        Root::ApiDefinition => json!({
            "name": "a", "use_keyless": true,
            "proxy": { "listen_path": "/a", "target_url": "http://a.example" }
        }),
        Root::Session => json!({ "access_rights": { "a-1": {} } }),
        _ => smallest(root.shape()),
    }
}

/// Returns the base with a value at a pointer, creating missing objects and arrays on the path.
fn with(root: Root, at: &str, value: Value, tags: &[(String, Value)]) -> Value {
    let mut document = base(root);
    for (at, value) in tags {
        put(&mut document, at, value.clone());
    }
    put(&mut document, at, value);
    document
}

fn put(document: &mut Value, at: &str, value: Value) {
    let mut target = document;
    for token in pointer::tokens(at).unwrap() {
        target = if token == "0" {
            if !target.is_array() {
                *target = json!([{}]);
            }
            &mut target[0]
        } else {
            if !target.is_object() {
                *target = json!({});
            }
            &mut target[token.as_ref()]
        };
    }
    *target = value;
}

/// One member and its first location.
struct Subject {
    root: Root,
    at: String,
    owner: &'static str,
    member: &'static Member,
    /// Members that select the types of objects on the path.
    tags: Vec<(String, Value)>,
    /// Required members of the same object.
    siblings: Vec<(String, Value)>,
}

fn subjects() -> Vec<Subject> {
    let mut all = Vec::new();
    let mut seen = BTreeSet::new();
    for root in Root::ALL {
        visit(root, root.shape(), "", &[], &mut seen, &mut all);
    }
    all
}

fn visit(
    root: Root,
    of: &'static Type,
    at: &str,
    tags: &[(String, Value)],
    seen: &mut BTreeSet<&'static str>,
    all: &mut Vec<Subject>,
) {
    if !seen.insert(of.name) {
        return;
    }
    let deeper = |at: &str, token: &str| {
        let mut deeper = at.to_owned();
        pointer::push_token(&mut deeper, token);
        deeper
    };
    let needed = of
        .members
        .iter()
        .filter(|member| member.presence() != Presence::Optional);
    let needed: Vec<_> = needed
        .filter(|_| !at.is_empty())
        .map(|member| (deeper(at, member.name), sample(member.kind)))
        .collect();
    for member in of.members {
        let at = deeper(at, member.name);
        let siblings: Vec<_> = needed
            .iter()
            .filter(|(other, _)| *other != at)
            .cloned()
            .chain(companion(&at))
            .collect();
        all.push(Subject {
            root,
            at: at.clone(),
            owner: of.name,
            member,
            tags: tags.to_vec(),
            siblings,
        });
    }
    for member in of.members {
        let here = deeper(at, member.name);
        if let Kind::Tagged(tagged) = *member.kind {
            for (tag, of) in tagged.types {
                let mut tags = tags.to_vec();
                tags.push((deeper(at, tagged.by), json!(tag)));
                visit(root, of, &here, &tags, seen, all);
            }
        }
        inside(root, member.kind, &here, tags, seen, all);
    }
}

fn inside(
    root: Root,
    kind: &'static Kind,
    at: &str,
    tags: &[(String, Value)],
    seen: &mut BTreeSet<&'static str>,
    all: &mut Vec<Subject>,
) {
    let deeper = |token: &str| {
        let mut deeper = at.to_owned();
        pointer::push_token(&mut deeper, token);
        deeper
    };
    match kind {
        Kind::Array(inner) => inside(root, inner, &deeper("0"), tags, seen, all),
        Kind::Map(names, inner) => {
            inside(root, inner, &deeper(&sample_name(names)), tags, seen, all)
        }
        Kind::Object(of) => visit(root, of, at, tags, seen, all),
        _ => {}
    }
}

/// Returns a sibling that a rule requires for a member.
fn companion(at: &str) -> Option<(String, Value)> {
    (at == "/proxy/enable_load_balancing")
        .then(|| ("/proxy/target_list".to_owned(), json!(["http://a.example"])))
}

/// Returns the cases, without their expected results.
pub(crate) fn cases() -> Vec<Value> {
    let mut cases = Vec::new();
    for subject in subjects() {
        let kind = *subject.member.kind;
        let values = [
            ("accepted", Some(sample(&kind))),
            ("refused", wrong(&kind)),
            ("odd", odd(&kind)),
        ];
        for (what, value) in values {
            let Some(value) = value else { continue };
            let before = [subject.tags.as_slice(), subject.siblings.as_slice()].concat();
            let document = with(subject.root, &subject.at, value, &before);
            let mut case = json!({
                "comment": format!("{}.{}: {what}", subject.owner, subject.member.name),
                "run": if subject.root == Root::ApiDefinition { "validate" } else { "check" },
                "input": document.to_string(),
                "pointer": subject.at,
            });
            if subject.root != Root::ApiDefinition {
                case["root"] = json!(subject.root.word());
            }
            cases.push(case);
        }
    }
    cases
}
