//! The reference: the members of documents from the model's table of types, and the operations from the
//! administration's OpenAPI document. Plain values; as the gateway uses the same sources, they can't disagree with it.

use gatewright_model::form::search;
use gatewright_model::json::{Value, parse};
use gatewright_model::shape::{Kind, Member, Presence, Root, Support, Switch, Type, types_of};

use super::query_string::{join, pairs};
use super::sought::lowered;
use crate::routes::REFERENCE;

/// The word for the administration API in the address, instead of the word for a kind of document.
pub const API: &str = "api";

/// The part of the reference that is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The word for a kind of document, or [`API`].
    pub of: String,
    /// The name of a type within it; empty for the document itself.
    pub kind: String,
    /// The member that is highlighted.
    pub at: String,
    /// The search text.
    pub q: String,
}

impl Place {
    /// Reads a query string.
    #[must_use]
    pub fn parse(query: &str) -> Self {
        let mut place = Self {
            of: Root::ApiDefinition.word().to_owned(),
            ..Self::default()
        };
        for (name, value) in pairs(query) {
            match name.as_str() {
                "of" if value == API || Root::from_word(&value).is_some() => place.of = value,
                "type" => place.kind = value,
                "at" => place.at = value,
                "q" => place.q = value,
                "path" => place.go(&value),
                _ => {}
            }
        }
        place
    }

    /// Selects the member at a path of names separated by dots, as editors write it. Indexes and user-defined names in
    /// the path are skipped.
    fn go(&mut self, path: &str) {
        let Some(mut of) = Root::from_word(&self.of).map(Root::shape) else {
            return;
        };
        for name in path.split('.') {
            let Some(member) = of.member(name) else {
                continue;
            };
            (self.kind, self.at) = (of.name.to_owned(), name.to_owned());
            let mut kind = member.kind;
            while let Kind::Array(inner) | Kind::Map(_, inner) = kind {
                kind = inner;
            }
            if let Kind::Object(inner) = kind {
                of = inner;
            }
        }
    }

    /// Returns its address.
    #[must_use]
    pub fn url(&self) -> String {
        let query = join(&[
            ("of", self.of.clone()),
            ("type", self.kind.clone()),
            ("at", self.at.clone()),
            ("q", self.q.trim().to_owned()),
        ]);
        format!("{REFERENCE}?{query}")
    }

    /// Returns the type that is shown; `None` for the administration API.
    #[must_use]
    pub fn shown(&self) -> Option<&'static Type> {
        let root = Root::from_word(&self.of)?;
        let named = types_of(root).into_iter().find(|of| of.name == self.kind);
        Some(named.unwrap_or(root.shape()))
    }

    /// Returns name and address of the document's own type, if another type is shown.
    #[must_use]
    pub fn top(&self) -> Option<(&'static str, String)> {
        let top = Root::from_word(&self.of)?.shape().name;
        let inside = self.shown().is_some_and(|of| of.name != top);
        inside.then(|| (top, self.on("", "")))
    }

    fn on(&self, kind: &str, at: &str) -> String {
        Self {
            of: self.of.clone(),
            kind: kind.to_owned(),
            at: at.to_owned(),
            q: String::new(),
        }
        .url()
    }
}

/// Returns the address of the reference for the member at a JSON Pointer.
#[must_use]
pub fn at(root: Root, pointer: &str) -> String {
    let names = pointer.split('/').skip(1);
    let names: Vec<String> = names
        .map(|name| name.replace("~1", "/").replace("~0", "~"))
        .collect();
    let mut place = Place {
        of: root.word().to_owned(),
        ..Place::default()
    };
    place.go(&names.join("."));
    place.url()
}

/// A member, as the reference shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Its name; in search results, its path.
    pub name: String,
    /// The description of its value.
    pub value: String,
    /// The types mentioned there, with their addresses.
    pub types: Vec<(&'static str, String)>,
    /// Whether it is required; empty if not.
    pub presence: &'static str,
    /// Its default as JSON; empty if there is none.
    pub default: &'static str,
    /// Its description.
    pub doc: String,
    /// The word for how well this runtime supports it.
    pub support: &'static str,
    /// Why it can never be supported, if so.
    pub reason: &'static str,
    /// Its own address; empty in search results.
    pub url: String,
}

impl Entry {
    fn of(place: &Place, name: String, member: &Member, url: String) -> Self {
        let mut doc = member.doc.to_owned();
        if let Some(other) = member.unless() {
            doc.push_str(&format!("; off while {other} is true"));
        }
        if let Some(other) = member.needs() {
            let other = other.trim_start_matches('/').replace('/', ".");
            doc.push_str(&format!("; off unless {other} is true"));
        }
        let mut types = Vec::new();
        let value = value(member.kind, &mut types);
        Self {
            name,
            value,
            types: types
                .into_iter()
                .map(|of| (of.name, place.on(of.name, "")))
                .collect(),
            presence: match member.presence() {
                Presence::Required => "required",
                Presence::Expected => "expected",
                Presence::Optional => "",
            },
            default: member.default().unwrap_or_default(),
            doc,
            support: member.support.word(),
            reason: match member.support {
                Support::Unsupported(why) => why,
                _ => "",
            },
            url,
        }
    }
}

/// Describes a value; types are added to `types`.
fn value(kind: &Kind, types: &mut Vec<&'static Type>) -> String {
    match kind {
        Kind::Bool => "boolean".to_owned(),
        Kind::Text => "string".to_owned(),
        Kind::Format(format) => format.title().to_owned(),
        Kind::Enum(choice) => {
            let named = choice.values.iter().filter(|text| !text.is_empty());
            let names: Vec<String> = named.map(|text| format!("\"{text}\"")).collect();
            names.join(", ")
        }
        Kind::Integer(bounds) => match (bounds.min > i64::MIN, bounds.max < i64::MAX) {
            (true, true) => format!("integer, {} to {}", bounds.min, bounds.max),
            (true, false) => format!("integer, {} or more", bounds.min),
            _ => "integer".to_owned(),
        },
        Kind::Number => "number".to_owned(),
        Kind::Duration => "seconds, or a text such as \"1h30m\"".to_owned(),
        Kind::Array(inner) => format!("array of {}", value(inner, types)),
        Kind::Map(_, inner) => format!("object; each value: {}", value(inner, types)),
        Kind::Object(of) => {
            types.push(of);
            "object".to_owned()
        }
        Kind::Tagged(tagged) => {
            types.extend(tagged.types.iter().map(|(_, of)| *of));
            format!("object, by {}", tagged.by)
        }
        Kind::Free => "object of any members".to_owned(),
        Kind::Any => "any value".to_owned(),
    }
}

/// Returns the introduction to a type.
#[must_use]
pub fn about(of: &Type) -> String {
    match of.switch {
        Switch::On(name) => format!("{}. It has no effect unless {name} is true.", of.doc),
        Switch::Off(name) => format!("{}. It has no effect when {name} is true.", of.doc),
        Switch::None => format!("{}.", of.doc),
    }
}

/// Returns the members that are shown: those of the type, or the search results.
#[must_use]
pub fn entries(place: &Place) -> Vec<Entry> {
    let Some(root) = Root::from_word(&place.of) else {
        return Vec::new();
    };
    if place.q.trim().is_empty() {
        let of = place.shown().unwrap_or(root.shape());
        let entry = |member: &Member| {
            let url = place.on(of.name, member.name);
            Entry::of(place, member.name.to_owned(), member, url)
        };
        return of.members.iter().map(entry).collect();
    }
    let hits = search(root, &place.q).into_iter();
    hits.map(|hit| Entry::of(place, hit.path.join("."), hit.member, String::new()))
        .collect()
}

/// An operation of the administration API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Operation {
    /// Its method, in upper case.
    pub method: String,
    /// Its path, with parameters in braces.
    pub path: String,
    /// Its summary.
    pub summary: String,
    /// Its description.
    pub description: String,
    /// Its parameters: name, location and description.
    pub parameters: Vec<(String, String, String)>,
}

/// Returns the operations of an OpenAPI document that match every word of a query.
#[must_use]
pub fn operations(document: &str, query: &str) -> Vec<Operation> {
    let document = parse(document).ok();
    let paths = document.as_ref().and_then(|document| document.get("paths"));
    let mut found = Vec::new();
    for path in paths.map(Value::members).unwrap_or_default() {
        for method in path.value.members() {
            found.push(operation(&path.name, &method.name, &method.value));
        }
    }
    let query = lowered(query);
    found.retain(|operation| {
        let Operation {
            method,
            path,
            summary,
            description,
            ..
        } = operation;
        let text = lowered(&format!("{method} {path} {summary} {description}"));
        query.split_whitespace().all(|word| text.contains(word))
    });
    found
}

fn operation(path: &str, method: &str, value: &Value<'_>) -> Operation {
    let text = |value: &Value<'_>, name: &str| value.str(name).unwrap_or_default().to_owned();
    let parameters = value.get("parameters").map(Value::items);
    Operation {
        method: method.to_ascii_uppercase(),
        path: path.to_owned(),
        summary: text(value, "summary"),
        description: text(value, "description"),
        parameters: parameters
            .unwrap_or_default()
            .iter()
            .map(|one| (text(one, "name"), text(one, "in"), text(one, "description")))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn every_member_of_every_type_can_be_shown_and_pointed_at() {
        for root in Root::ALL {
            for of in types_of(root) {
                let place = Place {
                    of: root.word().to_owned(),
                    kind: of.name.to_owned(),
                    ..Place::default()
                };
                assert_eq!(place.shown().map(|of| of.name), Some(of.name));
                let entries = entries(&place);
                assert_eq!(entries.len(), of.members.len(), "{}", of.name);
                for (entry, member) in entries.iter().zip(of.members) {
                    let query = entry.url.split_once('?').map(|(_, query)| query);
                    let pointed = Place::parse(query.unwrap_or_default());
                    assert_eq!((&*pointed.kind, &*pointed.at), (of.name, member.name));
                    assert!(!entry.value.is_empty() && !entry.doc.is_empty());
                    for (_, url) in &entry.types {
                        let query = url.split_once('?').map(|(_, query)| query);
                        let other = Place::parse(query.unwrap_or_default());
                        assert_eq!(other.shown().map(|of| of.name), Some(&*other.kind));
                    }
                }
            }
        }
    }

    #[test]
    fn search_shows_path_to_its_results() {
        let found = entries(&Place::parse("of=api_definition&q=listen_path"));
        let first = found.first().cloned().unwrap_or_default();
        assert_eq!(first.name, "proxy.listen_path");
        assert_eq!((first.presence, first.support), ("", "enforced"));
        let own = entries(&Place::parse(""));
        let proxy = own.iter().find(|entry| entry.name == "proxy");
        assert_eq!(proxy.map(|entry| entry.presence), Some("required"));
        assert!(entries(&Place::parse("q=no+such+member")).is_empty());
        assert_eq!(Place::parse("of=nonsense"), Place::parse(""));
    }

    #[test]
    fn a_path_of_a_document_leads_to_its_member() {
        let at = |query: &str| {
            let place = Place::parse(query);
            (place.kind, place.at)
        };
        let is = |kind: &str, at: &str| (kind.to_owned(), at.to_owned());
        assert_eq!(
            at("of=api_definition&path=proxy.listen_path"),
            is("ProxyConfig", "listen_path")
        );
        let deep = at("of=api_definition&path=version_data.versions.Default.use_extended_paths");
        assert_eq!(deep.1, "use_extended_paths");
        assert_eq!(at("of=session&path=nothing"), is("", ""));
        assert_eq!(
            super::at(Root::ApiDefinition, "/proxy/listen_path"),
            "/console/reference?of=api_definition&type=ProxyConfig&at=listen_path"
        );
        assert_eq!(super::at(Root::Policy, ""), "/console/reference?of=policy");
        let top = Place::parse("of=api_definition&path=proxy.listen_path").top();
        let url = "/console/reference?of=api_definition".to_owned();
        assert_eq!(top, Some(("ApiDefinition", url)));
        assert_eq!(Place::parse("of=policy").top(), None);
    }

    #[test]
    fn operations_match_all_keywords() {
        let document = r#"{"paths":{"/gateway/apis/{id}":{
            "get":{"summary":"Reads an API","parameters":[{"name":"id","in":"path","description":"Its id"}]},
            "delete":{"summary":"Deletes an API"}}}}"#;
        let found = operations(document, "api DELETE");
        assert_eq!(found.len(), 1);
        assert_eq!(found.first().map(|one| &*one.method), Some("DELETE"));
        let get = operations(document, "reads");
        let parameters = get.first().map(|one| one.parameters.clone());
        let id = ["id", "path", "Its id"].map(str::to_owned);
        assert_eq!(parameters, Some(vec![id.into()]));
        assert!(operations("no json", "").is_empty());
    }
}
