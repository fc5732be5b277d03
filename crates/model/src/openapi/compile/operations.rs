//! Operations whose requests are validated or mocked, in groups that match the same paths (reference 3.14, *which
//! operation*).
//!
//! Templates that differ only in their parameter names form one group; a request is for the operation in it whose
//! parameters match. A path without parameters and without a rule is a group that shields requests from the templates.

use super::super::Importer;
use super::super::operations::Operation;
use super::super::template::Template;
use super::super::tree::Tree;
use crate::json::Value;

/// The maximum number of references followed in a row.
const MAX_HOPS: usize = 16;

/// The operations with one path shape and method.
pub(super) struct Group<'o, 't> {
    shape: String,
    is_static: bool,
    /// The operations, each with its rule if that is enabled.
    pub(super) candidates: Vec<(Operation<'o, 't>, Option<&'o Value<'t>>)>,
}

impl Group<'_, '_> {
    /// Whether any of them has a rule.
    pub(super) fn is_ruled(&self) -> bool {
        self.candidates.iter().any(|(_, rule)| rule.is_some())
    }

    /// Returns its path and method.
    pub(super) fn route(&self) -> Vec<(String, Tree)> {
        let first = self.candidates.first();
        let text = |text: Option<&str>| Tree::text(text.unwrap_or_default());
        vec![
            ("path".to_owned(), text(first.map(|(first, _)| first.path))),
            (
                "method".to_owned(),
                text(first.map(|(first, _)| &*first.method)),
            ),
        ]
    }
}

impl<'i, 't> Importer<'i, 't> {
    /// Returns the groups that matter for a rule of operations; empty if no operation has that rule.
    pub(super) fn groups(&self, rule: &str) -> Vec<Group<'i, 't>> {
        let extension = self.extension.map(|(_, extension)| extension);
        let rules = extension.and_then(|extension| extension.pointer("/middleware/operations"));
        let Some(rules) = rules else {
            return Vec::new();
        };
        let mut groups: Vec<Group<'i, 't>> = Vec::new();
        let mut known = std::collections::BTreeMap::new();
        for operation in self.operations() {
            let rule = rules.get(&operation.id()).and_then(|all| all.get(rule));
            let rule = rule.filter(|rule| rule.bool("enabled") == Some(true));
            let template = Template::read(operation.path);
            let shape = template.shape();
            let key = (shape.clone(), operation.method.clone());
            let at = *known.entry(key).or_insert(groups.len());
            if at == groups.len() {
                groups.push(Group {
                    shape,
                    is_static: template.is_static(),
                    candidates: Vec::new(),
                });
            }
            if let Some(group) = groups.get_mut(at) {
                group.candidates.push((operation, rule));
            }
        }
        if !groups.iter().any(Group::is_ruled) {
            return Vec::new();
        }
        groups.retain(|group| group.is_static || group.is_ruled());
        for group in &mut groups {
            // The narrower ones are tried first, and equal ones by their paths.
            group
                .candidates
                .sort_by_key(|(operation, _)| (self.width(operation), operation.path));
        }
        groups.sort_by(|a, b| rank(&a.shape).cmp(&rank(&b.shape)));
        groups
    }

    /// Returns how permissive the path parameters of an operation are; lower is narrower.
    fn width(&self, operation: &Operation<'_, '_>) -> usize {
        let parameters = self.parameters(operation);
        let of_path = parameters
            .iter()
            .filter(|known| known.str("in") == Some("path"));
        let width = |parameter: &Value<'_>| {
            let schema = parameter
                .get("schema")
                .and_then(|schema| self.resolved(schema));
            let Some(schema) = schema else { return 2 };
            let narrows = |name: &&str| schema.get(name).is_some();
            match schema.str("type") {
                Some("integer" | "number" | "boolean") => 0,
                _ if ["enum", "pattern", "format", "const"].iter().any(narrows) => 1,
                _ => 2,
            }
        };
        of_path.map(|parameter| width(parameter)).sum()
    }

    /// Returns the target of a reference into the document, or the value itself; `None` if the reference leads nowhere.
    pub(super) fn resolved(&self, value: &'i Value<'t>) -> Option<&'i Value<'t>> {
        let mut value = value;
        for _ in 0..MAX_HOPS {
            let Some(reference) = value.str("$ref") else {
                return Some(value);
            };
            value = self.document.pointer(reference.strip_prefix('#')?)?;
        }
        None
    }

    /// Returns the parameters of an operation: those of its path that it doesn't override, then its own.
    pub(super) fn parameters(&self, operation: &Operation<'i, 't>) -> Vec<&'i Value<'t>> {
        let list = |value: Option<&'i Value<'t>>| {
            let items = value
                .and_then(|value| value.get("parameters"))
                .map(Value::items);
            let items = items.unwrap_or_default().iter();
            items
                .filter_map(|item| self.resolved(item))
                .collect::<Vec<_>>()
        };
        let own = list(Some(operation.value));
        let paths = self.document.get("paths");
        let mut all = list(paths.and_then(|paths| paths.get(operation.path)));
        let is_same = |a: &Value<'_>, b: &Value<'_>| {
            a.str("name") == b.str("name") && a.str("in") == b.str("in")
        };
        all.retain(|known| !own.iter().any(|other| is_same(known, other)));
        all.extend(own);
        all
    }
}

/// Returns the sort key of a group: longer and more literal shapes come first, and so a path without parameters
/// precedes every template that matches it.
fn rank(shape: &str) -> (std::cmp::Reverse<usize>, std::cmp::Reverse<usize>, &str) {
    let names = shape.matches("{}").count();
    let literal = shape.len().saturating_sub(names.saturating_mul(2));
    let depth = shape.matches('/').count();
    (std::cmp::Reverse(depth), std::cmp::Reverse(literal), shape)
}
