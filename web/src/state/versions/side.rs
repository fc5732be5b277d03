//! One side of a comparison of two documents: its operations, and what they depend on.

use std::collections::{BTreeMap, BTreeSet};

use gatewright_model::json::Value;
use gatewright_model::json::pointer::push_token;
use gatewright_model::openapi::{self, Operation, stored};

/// The identity of an operation: its method and its path, in which the names of path parameters don't matter (OpenAPI
/// 3.1 section 4.8.8.1).
pub(super) type Key = (String, String);

/// Returns the identity of an operation.
pub(super) fn key(method: &str, path: &str) -> Key {
    let mut plain = String::new();
    let mut is_name = false;
    for letter in path.chars() {
        is_name &= letter != '}';
        if !is_name {
            plain.push(letter);
        }
        is_name |= letter == '{';
    }
    (method.to_owned(), plain)
}

/// An operation, and what the document says about it elsewhere.
pub(super) struct Own<'o, 't> {
    pub(super) key: Key,
    pub(super) of: Operation<'o, 't>,
    /// The parameters that its path defines for all operations.
    parameters: Option<&'o Value<'t>>,
    /// The gateway's rules for it.
    rules: Option<&'o Value<'t>>,
    /// The security of the document, unless the operation has its own.
    security: Option<&'o Value<'t>>,
}

impl<'o, 't> Own<'o, 't> {
    pub(super) fn summary(&self) -> &str {
        self.of.value.str("summary").unwrap_or_default()
    }

    /// Returns everything that applies to it, with headings.
    fn aspects(&self) -> [(&'static str, Option<&'o Value<'t>>); 4] {
        [
            ("The operation", Some(self.of.value)),
            ("Parameters of its path", self.parameters),
            ("Rules of the gateway", self.rules),
            ("Security of the document", self.security),
        ]
    }

    /// Returns the components it references.
    fn uses(&self) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for (_, value) in self.aspects() {
            value
                .into_iter()
                .for_each(|value| references(value, &mut found));
        }
        let security = self.of.value.get("security").or(self.security);
        for requirement in security.map(Value::items).unwrap_or_default() {
            for scheme in requirement.members() {
                found.insert(pointer("securitySchemes", &scheme.name));
            }
        }
        found
    }
}

/// One of the two documents.
pub(super) struct Side<'o, 't> {
    pub(super) operations: Vec<Own<'o, 't>>,
    at: BTreeMap<Key, usize>,
    components: BTreeMap<String, &'o Value<'t>>,
}

impl<'o, 't> Side<'o, 't> {
    pub(super) fn of(document: &'o Value<'t>) -> Self {
        let extension = stored::extension(document);
        let rules =
            extension.and_then(|(_, extension)| extension.pointer("/middleware/operations"));
        let security = document.get("security");
        let paths = document.get("paths");
        let own = |of: Operation<'o, 't>| Own {
            key: key(&of.method, of.path),
            parameters: paths
                .and_then(|paths| paths.get(of.path))
                .and_then(|item| item.get("parameters")),
            rules: rules.and_then(|rules| rules.get(&of.id())),
            security: security.filter(|_| of.value.get("security").is_none()),
            of,
        };
        let operations: Vec<_> = openapi::operations(document).into_iter().map(own).collect();
        let at = operations.iter().enumerate();
        let kinds = document.get("components").map(Value::members);
        let components = kinds.unwrap_or_default().iter().flat_map(|kind| {
            let members = kind.value.members().iter();
            members.map(|member| (pointer(&kind.name, &member.name), &member.value))
        });
        Self {
            at: at.map(|(at, own)| (own.key.clone(), at)).collect(),
            operations,
            components: components.collect(),
        }
    }

    pub(super) fn find(&self, key: &Key) -> Option<&Own<'o, 't>> {
        self.operations.get(*self.at.get(key)?)
    }

    /// Returns the components that an operation references, directly or indirectly.
    fn reached(&self, own: &Own<'_, '_>) -> BTreeSet<String> {
        let mut seen = BTreeSet::new();
        let mut open: Vec<String> = own.uses().into_iter().collect();
        while let Some(next) = open.pop() {
            if let Some(value) = self.components.get(&next) {
                let mut found = BTreeSet::new();
                references(value, &mut found);
                open.extend(found.into_iter().filter(|name| !seen.contains(name)));
            }
            seen.insert(next);
        }
        seen
    }

    /// Returns everything that applies to an operation as texts of the document, with headings.
    pub(super) fn parts(&self, own: &Own<'_, '_>, text: &str) -> Vec<(String, String)> {
        let written = |value: &Value<'_>| value.span.of(text).to_owned();
        let path = [("Its path".to_owned(), own.of.path.to_owned())];
        let aspects = own
            .aspects()
            .into_iter()
            .map(|(title, value)| (title.to_owned(), value.map(written).unwrap_or_default()));
        path.into_iter().chain(aspects).collect()
    }

    /// Returns the text of a component; empty if it doesn't exist.
    pub(super) fn component(&self, pointer: &str, text: &str) -> String {
        let found = self.components.get(pointer);
        found
            .map(|value| value.span.of(text).to_owned())
            .unwrap_or_default()
    }
}

fn same(one: Option<&Value<'_>>, other: Option<&Value<'_>>) -> bool {
    match (one, other) {
        (None, None) => true,
        (Some(one), Some(other)) => one.same(other),
        _ => false,
    }
}

fn pointer(kind: &str, name: &str) -> String {
    let mut pointer = "/components".to_owned();
    push_token(&mut pointer, kind);
    push_token(&mut pointer, name);
    pointer
}

/// Collects the components that a value references in its own document.
fn references(value: &Value<'_>, found: &mut BTreeSet<String>) {
    for member in value.members() {
        let target = member
            .value
            .as_str()
            .and_then(|text| text.strip_prefix('#'));
        match target {
            // A reference to something inside a component counts as one to the component.
            Some(target) if member.name == "$ref" => {
                let parts: Vec<&str> = target.splitn(5, '/').take(4).collect();
                found.insert(parts.join("/"));
            }
            _ => references(&member.value, found),
        }
    }
    value
        .items()
        .iter()
        .for_each(|item| references(item, found));
}

/// Whether an operation is the same in two documents; `affected` are the components that differ.
pub(super) fn alike(own: &Own<'_, '_>, their: &Own<'_, '_>, affected: &BTreeSet<String>) -> bool {
    let mut aspects = own.aspects().into_iter().zip(their.aspects());
    own.of.path == their.of.path
        && aspects.all(|((_, one), (_, other))| same(one, other))
        && (affected.is_empty() || own.uses().is_disjoint(affected))
}

/// Returns the components that differ between two documents.
fn changed(one: &Side<'_, '_>, other: &Side<'_, '_>) -> BTreeSet<String> {
    let names = one.components.keys().chain(other.components.keys());
    let of = [one, other].map(|side| &side.components);
    let differs = |name: &&String| match of.map(|components| components.get(*name)) {
        [Some(one), Some(other)] => !one.same(other),
        _ => true,
    };
    names.filter(differs).cloned().collect()
}

/// Returns the components that differ between two documents, and those that reference them at any depth.
pub(super) fn affected(one: &Side<'_, '_>, other: &Side<'_, '_>) -> BTreeSet<String> {
    let mut found = changed(one, other);
    if found.is_empty() {
        return found;
    }
    let mut users: BTreeMap<String, Vec<&String>> = BTreeMap::new();
    for (name, value) in one.components.iter().chain(&other.components) {
        let mut named = BTreeSet::new();
        references(value, &mut named);
        for target in named {
            users.entry(target).or_default().push(name);
        }
    }
    let mut open: Vec<String> = found.iter().cloned().collect();
    while let Some(next) = open.pop() {
        for user in users.get(&next).into_iter().flatten() {
            if found.insert((*user).clone()) {
                open.push((*user).clone());
            }
        }
    }
    found
}

/// Returns the differing components that an operation uses in either document.
pub(super) fn components_of(
    one: (&Side<'_, '_>, &Own<'_, '_>),
    other: (&Side<'_, '_>, &Own<'_, '_>),
) -> BTreeSet<String> {
    let mut reached = one.0.reached(one.1);
    reached.extend(other.0.reached(other.1));
    let changed = changed(one.0, other.0);
    reached.intersection(&changed).cloned().collect()
}

/// Pairs the parts with the same heading and returns those that differ: heading, before and after. Formatting makes no
/// difference.
pub(super) fn beside(
    before: Vec<(String, String)>,
    after: Vec<(String, String)>,
) -> Vec<(String, String, String)> {
    let titles = if before.is_empty() { &after } else { &before };
    let titles: Vec<String> = titles.iter().map(|(title, _)| title.clone()).collect();
    let mut before = before.into_iter().map(|(_, text)| text);
    let mut after = after.into_iter().map(|(_, text)| text);
    let mut found = Vec::new();
    for title in titles {
        let (one, other) = (
            before.next().unwrap_or_default(),
            after.next().unwrap_or_default(),
        );
        let equal = one == other
            || gatewright_model::diff::changes(&one, &other)
                .is_ok_and(|changes| changes.is_empty());
        if !equal {
            found.push((title, one, other));
        }
    }
    found
}
