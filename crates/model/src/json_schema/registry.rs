//! The schemas of a document: their URIs and anchors, and their drafts.

use super::uri::{decoded, resolve, split};
use crate::json::pointer::tokens;
use crate::json::{Kind, Value};
use std::collections::HashMap;

/// A draft of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Draft {
    /// Draft 4.
    D4,
    /// Draft 6.
    D6,
    /// Draft 7.
    D7,
    /// A schema that names no draft: read as draft 7, with the different forms of draft 4 and the additions of later
    /// drafts.
    Any,
    /// Draft 2019-09.
    D2019,
    /// Draft 2020-12.
    D2020,
}

impl Draft {
    /// Returns the draft that a `$schema` URI identifies.
    #[must_use]
    pub fn named(text: &str) -> Option<Self> {
        let (_, name) = split(text).0.split_once("://")?;
        match name.trim_end_matches('/') {
            "json-schema.org/draft-04/schema" => Some(Self::D4),
            "json-schema.org/draft-06/schema" => Some(Self::D6),
            "json-schema.org/draft-07/schema" => Some(Self::D7),
            "json-schema.org/draft/2019-09/schema" => Some(Self::D2019),
            "json-schema.org/draft/2020-12/schema" => Some(Self::D2020),
            _ => None,
        }
    }

    /// Whether it includes the additions of this draft.
    #[must_use]
    pub fn has(self, since: Self) -> bool {
        self == Self::Any || self >= since
    }

    /// Whether a `$ref` overrides its siblings.
    #[must_use]
    pub fn is_reference_alone(self) -> bool {
        self <= Self::Any
    }
}

/// A schema resource: a schema with its own URI, and its subschemas.
#[derive(Debug)]
pub struct Resource<'s> {
    /// Its URI; "" if it has none.
    pub address: String,
    /// The schema.
    pub root: &'s Value<'s>,
    /// Its draft.
    pub draft: Draft,
    anchors: HashMap<String, &'s Value<'s>>,
    /// Its dynamic anchors (`$dynamicAnchor`), which schemas that refer to this one may override.
    pub dynamic: HashMap<String, &'s Value<'s>>,
}

/// All resources; the first one is the document.
#[derive(Debug, Default)]
pub struct Registry<'s> {
    /// The resources.
    pub resources: Vec<Resource<'s>>,
    homes: HashMap<usize, usize>,
}

const SINGLE: [&str; 12] = [
    "additionalItems",
    "additionalProperties",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];
const LISTS: [&str; 5] = ["allOf", "anyOf", "items", "oneOf", "prefixItems"];
const MAPS: [&str; 6] = [
    "$defs",
    "definitions",
    "dependencies",
    "dependentSchemas",
    "patternProperties",
    "properties",
];

/// Returns the address of a value in memory, which distinguishes it from equal values.
fn address_of(value: &Value<'_>) -> usize {
    std::ptr::from_ref(value).addr()
}

impl<'s> Registry<'s> {
    /// Indexes a document.
    #[must_use]
    pub fn read(document: &'s Value<'s>) -> Self {
        let mut registry = Self::default();
        registry.resource(String::new(), document, Draft::Any);
        registry.visit(document, 0);
        registry
    }

    fn resource(&mut self, address: String, root: &'s Value<'s>, draft: Draft) -> usize {
        let draft = root.str("$schema").and_then(Draft::named).unwrap_or(draft);
        self.resources.push(Resource {
            address,
            root,
            draft,
            anchors: HashMap::new(),
            dynamic: HashMap::new(),
        });
        self.resources.len().saturating_sub(1)
    }

    /// Returns the resource that a schema belongs to.
    #[must_use]
    pub fn home(&self, value: &Value<'_>) -> usize {
        self.homes.get(&address_of(value)).copied().unwrap_or(0)
    }

    /// Returns the resource with this index.
    #[must_use]
    pub fn get(&self, number: usize) -> Option<&Resource<'s>> {
        self.resources.get(number)
    }

    fn draft(&self, home: usize) -> Draft {
        self.get(home).map_or(Draft::Any, |resource| resource.draft)
    }

    fn visit(&mut self, value: &'s Value<'s>, home: usize) {
        let home = self.identify(value, home);
        if self.homes.insert(address_of(value), home).is_some() {
            return;
        }
        for child in SINGLE.iter().filter_map(|name| value.get(name)) {
            if matches!(child.kind, Kind::Object(_) | Kind::Bool(_)) {
                self.visit(child, home);
            }
        }
        for child in LISTS.iter().filter_map(|name| value.get(name)) {
            for child in child.items() {
                self.visit(child, home);
            }
        }
        for map in MAPS.iter().filter_map(|name| value.get(name)) {
            for member in map.members() {
                if matches!(member.value.kind, Kind::Object(_) | Kind::Bool(_)) {
                    self.visit(&member.value, home);
                }
            }
        }
    }

    /// Records the identifiers of a schema and returns the index of the resource it is or belongs to.
    fn identify(&mut self, value: &'s Value<'s>, home: usize) -> usize {
        let draft = value
            .str("$schema")
            .and_then(Draft::named)
            .unwrap_or_else(|| self.draft(home));
        let id = match draft {
            Draft::D4 => value.str("id"),
            Draft::Any => value.str("id").or_else(|| value.str("$id")),
            _ => value.str("$id"),
        };
        let id = id.filter(|_| !draft.is_reference_alone() || value.get("$ref").is_none());
        let mut home = home;
        let mut anchors = Vec::new();
        if let Some(id) = id {
            let base = self.get(home).map_or("", |resource| &resource.address);
            let address = resolve(base, id);
            let (address, fragment) = split(&address);
            if !fragment.is_empty() && !fragment.starts_with('/') {
                anchors.push((fragment.to_owned(), false));
            }
            if !id.starts_with('#') {
                let address = address.to_owned();
                let is_root = home == 0
                    && self
                        .get(0)
                        .is_some_and(|root| std::ptr::eq(root.root, value));
                match self.resources.first_mut().filter(|_| is_root) {
                    Some(root) => root.address = address,
                    None => home = self.resource(address, value, draft),
                }
            }
        }
        if draft > Draft::Any {
            let named = |name: &str| value.str(name).map(str::to_owned);
            anchors.extend(named("$anchor").map(|name| (name, false)));
            anchors.extend(named("$dynamicAnchor").map(|name| (name, true)));
            if value.bool("$recursiveAnchor") == Some(true) {
                anchors.push((String::new(), true));
            }
        }
        if let Some(resource) = self.resources.get_mut(home) {
            for (name, is_dynamic) in anchors {
                if is_dynamic {
                    resource.dynamic.entry(name.clone()).or_insert(value);
                }
                resource.anchors.entry(name).or_insert(value);
            }
        }
        home
    }

    /// Resolves a reference in a resource.
    ///
    /// # Errors
    /// Why it can't be resolved, in words.
    pub fn find(&mut self, reference: &str, home: usize) -> Result<&'s Value<'s>, String> {
        let base = self.get(home).map_or("", |resource| &resource.address);
        let address = resolve(base, reference);
        let (address, fragment) = split(&address);
        let mut resources = self.resources.iter();
        let Some(number) = resources.position(|resource| resource.address == address) else {
            return Err(format!(
                "\"{reference}\" is not part of the schema; other documents are not fetched, put it into definitions"
            ));
        };
        let lost = || format!("\"{reference}\" leads nowhere in the schema");
        let resource = self.get(number).ok_or_else(lost)?;
        let fragment = decoded(fragment);
        if fragment.is_empty() {
            return Ok(resource.root);
        }
        if !fragment.starts_with('/') {
            return resource.anchors.get(&fragment).copied().ok_or_else(lost);
        }
        let (mut found, mut home) = (resource.root, number);
        for token in tokens(&fragment).ok_or_else(lost)? {
            let next = match &found.kind {
                Kind::Object(_) => found.get(&token),
                Kind::Array(items) => token.parse().ok().and_then(|index: usize| items.get(index)),
                _ => None,
            };
            found = next.ok_or_else(lost)?;
            home = self.homes.get(&address_of(found)).copied().unwrap_or(home);
        }
        // A schema may be where no keyword expects one.
        if !self.homes.contains_key(&address_of(found)) {
            self.visit(found, home);
        }
        Ok(found)
    }
}
