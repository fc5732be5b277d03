//! Schemas as they are checked: their keywords, read once.

use super::super::formats;
use super::super::json::Json;
use super::super::problem::Problem;
use super::MAX_HOPS;
use crate::number::Number;
use std::collections::HashMap;

/// The index of a schema in the list of nodes.
pub(crate) type NodeId = usize;

/// The types that a schema names; none means any.
#[derive(Debug, Default)]
pub(super) struct Types {
    names: Vec<String>,
}

impl Types {
    /// Whether a type is permitted.
    pub(super) fn permit(&self, wanted: &str) -> bool {
        self.names.is_empty() || self.name(wanted)
    }

    fn name(&self, wanted: &str) -> bool {
        self.names.iter().any(|name| name == wanted)
    }

    /// Returns the problem of a value of another type.
    pub(super) fn expected(&self) -> Problem {
        let message = match self.names.as_slice() {
            [one] if matches!(&**one, "array" | "object" | "integer") => {
                format!("value must be an {one}")
            }
            [one] => format!("value must be a {one}"),
            several => format!("value must be one of {}", several.join(", ")),
        };
        Problem::new(message)
    }
}

/// A property that is read-only, or filled in if it is missing.
#[derive(Debug)]
pub(super) struct Special {
    pub(super) name: String,
    pub(super) default: Option<Json>,
    pub(super) is_read_only: bool,
}

/// A property that must be present.
#[derive(Debug)]
pub(super) struct Required {
    pub(super) name: String,
    pub(super) is_read_only: bool,
}

/// One of several schemas, with its reference.
#[derive(Debug)]
pub(super) struct Alternative {
    pub(super) reference: Option<String>,
    pub(super) schema: NodeId,
}

/// What a schema says about members that it doesn't name.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Others {
    #[default]
    Allowed,
    Refused,
    Like(NodeId),
}

/// One schema of the document, with its keywords. An absent one restricts nothing.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// The value of a schema that is `true` or `false`.
    pub(super) verdict: Option<bool>,
    /// A reference, and its target unless it is unresolved.
    pub(super) reference: Option<(String, Option<NodeId>)>,
    /// Whether there are keywords next to the reference.
    pub(super) has_more: bool,
    /// Whether it restricts nothing.
    pub(super) is_empty: bool,
    pub(super) may_be_null: bool,
    /// Whether it doesn't restrict types, so that null is a value like any other.
    pub(super) is_free: bool,
    pub(super) types: Types,
    /// The values of `enum`, as JSON.
    pub(super) enumeration: Vec<String>,
    /// The value of `const`, as JSON.
    pub(super) constant: Option<String>,
    pub(super) format: String,
    pub(super) multiple_of: Option<Number>,
    pub(super) maximum: Option<Number>,
    pub(super) exclusive_maximum: Option<Number>,
    pub(super) minimum: Option<Number>,
    pub(super) exclusive_minimum: Option<Number>,
    /// The smallest and the largest integer of its format.
    pub(super) range: Option<(Number, Number)>,
    pub(super) min_length: Option<usize>,
    pub(super) max_length: Option<usize>,
    pub(super) pattern: Option<String>,
    pub(super) min_items: Option<usize>,
    pub(super) max_items: Option<usize>,
    pub(super) is_unique: bool,
    pub(super) prefix_items: Vec<NodeId>,
    /// The schema for items after the prefix.
    pub(super) items: Option<NodeId>,
    pub(super) contains: Option<NodeId>,
    pub(super) min_contains: Option<usize>,
    pub(super) max_contains: Option<usize>,
    /// By name.
    pub(super) properties: Vec<(String, NodeId)>,
    pub(super) special: Vec<Special>,
    pub(super) pattern_properties: Vec<(String, NodeId)>,
    pub(super) additional_properties: Others,
    pub(super) property_names: Option<NodeId>,
    pub(super) min_properties: Option<usize>,
    pub(super) max_properties: Option<usize>,
    pub(super) required: Vec<Required>,
    pub(super) dependent_required: Vec<(String, Vec<String>)>,
    pub(super) one_of: Vec<Alternative>,
    pub(super) any_of: Vec<NodeId>,
    pub(super) all_of: Vec<NodeId>,
    pub(super) not: Option<NodeId>,
    pub(super) discriminator: Option<Json>,
    /// `if`, `then` and `else`.
    pub(super) condition: Option<NodeId>,
    pub(super) consequence: Option<NodeId>,
    pub(super) alternative: Option<NodeId>,
}

impl Node {
    /// Returns the schema of a property.
    pub(super) fn property(&self, name: &str) -> Option<NodeId> {
        let found = self
            .properties
            .binary_search_by(|(known, _)| known.as_str().cmp(name));
        let (_, schema) = self.properties.get(found.ok()?)?;
        Some(*schema)
    }

    /// Whether numbers are compared with something.
    pub(super) fn compares(&self) -> bool {
        let limits = [
            &self.multiple_of,
            &self.maximum,
            &self.exclusive_maximum,
            &self.minimum,
            &self.exclusive_minimum,
        ];
        self.range.is_some() || limits.iter().any(|limit| limit.is_some())
    }
}

/// Keywords that restrict nothing.
const SILENT: [&str; 12] = [
    "title",
    "description",
    "default",
    "example",
    "examples",
    "deprecated",
    "externalDocs",
    "xml",
    "$comment",
    "readOnly",
    "writeOnly",
    "discriminator",
];

/// Returns a schema, or the target of its reference.
pub(super) fn resolved<'s>(references: &'s Json, schema: &'s Json) -> Option<&'s Json> {
    let mut schema = schema;
    for _ in 0..MAX_HOPS {
        let Some(reference) = schema.text("$ref") else {
            return Some(schema);
        };
        schema = references.get(reference)?;
    }
    None
}

/// Reads schemas, each once.
pub(super) struct Compiler<'s> {
    references: &'s Json,
    /// The nodes, by the addresses of their schemas.
    pub(super) known: HashMap<usize, NodeId>,
    pub(super) nodes: Vec<Node>,
    pending: Vec<(NodeId, &'s Json)>,
}

impl<'s> Compiler<'s> {
    pub(super) fn new(references: &'s Json) -> Self {
        Self {
            references,
            known: HashMap::new(),
            nodes: Vec::new(),
            pending: Vec::new(),
        }
    }

    /// Reads a schema and all that it leads to.
    pub(super) fn add(&mut self, schema: &'s Json) {
        self.index_of(schema);
        while let Some((number, schema)) = self.pending.pop() {
            let node = self.node(schema);
            if let Some(empty) = self.nodes.get_mut(number) {
                *empty = node;
            }
        }
    }

    fn index_of(&mut self, schema: &'s Json) -> NodeId {
        let number = self.nodes.len();
        let address = std::ptr::from_ref(schema).addr();
        let known = *self.known.entry(address).or_insert(number);
        if known == number {
            self.nodes.push(Node::default());
            self.pending.push((number, schema));
        }
        known
    }

    fn node(&mut self, schema: &'s Json) -> Node {
        let mut node = Node::default();
        if let Json::Bool(verdict) = schema {
            node.verdict = Some(*verdict);
            return node;
        }
        if let Some(reference) = schema.text("$ref") {
            let target = resolved(self.references, schema);
            let target = target.map(|target| self.index_of(target));
            node.reference = Some((reference.to_owned(), target));
            node.has_more = schema.members().count() > 1;
        }
        node.is_empty = schema
            .members()
            .all(|(name, _)| SILENT.contains(&name) || name.starts_with("x-"));
        self.values(schema, &mut node);
        self.arrays(schema, &mut node);
        self.objects(schema, &mut node);
        node.not = self.single(schema, "not");
        let one_of = schema.list("oneOf").iter();
        node.one_of = one_of
            .map(|schema| Alternative {
                reference: schema.text("$ref").map(str::to_owned),
                schema: self.index_of(schema),
            })
            .collect();
        node.any_of = self.list(schema, "anyOf");
        node.all_of = self.list(schema, "allOf");
        node.discriminator = schema.get("discriminator").cloned();
        node.condition = self.single(schema, "if");
        node.consequence = self.single(schema, "then");
        node.alternative = self.single(schema, "else");
        node
    }

    fn values(&self, schema: &Json, node: &mut Node) {
        node.types.names = super::types(schema)
            .into_iter()
            .map(str::to_owned)
            .collect();
        node.may_be_null = schema.is_on("nullable") || node.types.name("null");
        let list = schema.list("enum");
        node.enumeration = list.iter().map(Json::json).collect();
        if let Json::Object(members) = schema {
            node.constant = members.get("const").map(Json::json);
        }
        let is_said = |name: &str| schema.get(name).is_some();
        node.is_free =
            (list.contains(&Json::Null) || is_said("const") || is_said("if")) && !is_said("type");
        schema
            .text("format")
            .unwrap_or_default()
            .clone_into(&mut node.format);
        let range = formats::range(&node.format).filter(|_| !node.types.permit("number"));
        node.range = range.map(|(least, most)| (Number::read(least), Number::read(most)));
        node.minimum = schema.number("minimum");
        node.maximum = schema.number("maximum");
        // In OpenAPI 3.0, these are flags of the other limit.
        let flagged = |name: &str, limit: &Option<Number>| {
            let own = schema.number(name);
            own.or_else(|| limit.clone().filter(|_| schema.is_on(name)))
        };
        node.exclusive_minimum = flagged("exclusiveMinimum", &node.minimum);
        node.exclusive_maximum = flagged("exclusiveMaximum", &node.maximum);
        node.multiple_of = schema.number("multipleOf");
        node.min_length = schema.count("minLength");
        node.max_length = schema.limit("maxLength");
        let pattern = schema.text("pattern").filter(|text| !text.is_empty());
        node.pattern = pattern.map(str::to_owned);
    }

    fn arrays(&mut self, schema: &'s Json, node: &mut Node) {
        node.min_items = schema.count("minItems");
        node.max_items = schema.limit("maxItems");
        node.is_unique = schema.is_on("uniqueItems");
        node.prefix_items = self.list(schema, "prefixItems");
        node.items = self.single(schema, "items");
        node.contains = self.single(schema, "contains");
        node.min_contains = schema.limit("minContains");
        node.max_contains = schema.limit("maxContains");
    }

    fn objects(&mut self, schema: &'s Json, node: &mut Node) {
        let properties = schema.get("properties");
        for (name, property) in properties.into_iter().flat_map(Json::members) {
            let target = resolved(self.references, property).unwrap_or(property);
            let special = Special {
                name: name.to_owned(),
                default: target.get("default").cloned(),
                is_read_only: target.is_on("readOnly"),
            };
            if special.is_read_only || special.default.is_some() {
                node.special.push(special);
            }
            let own = (name.to_owned(), self.index_of(property));
            node.properties.push(own);
        }
        let required = schema.list("required").iter().filter_map(Json::as_text);
        let is_read_only = |name: &str| {
            let property = properties?.get(name)?;
            Some(resolved(self.references, property)?.is_on("readOnly"))
        };
        node.required = required
            .map(|name| Required {
                name: name.to_owned(),
                is_read_only: is_read_only(name) == Some(true),
            })
            .collect();
        let dependent = schema.get("dependentRequired").into_iter();
        let texts = |list: &Json| {
            list.items()
                .iter()
                .filter_map(Json::as_text)
                .map(str::to_owned)
                .collect()
        };
        node.dependent_required = dependent
            .flat_map(Json::members)
            .map(|(name, needed)| (name.to_owned(), texts(needed)))
            .collect();
        let patterns = schema.get("patternProperties").into_iter();
        node.pattern_properties = patterns
            .flat_map(Json::members)
            .map(|(pattern, property)| (pattern.to_owned(), self.index_of(property)))
            .collect();
        node.additional_properties = match schema.get("additionalProperties") {
            None | Some(Json::Bool(true)) => Others::Allowed,
            Some(Json::Bool(false)) => Others::Refused,
            Some(others) => Others::Like(self.index_of(others)),
        };
        node.property_names = self.single(schema, "propertyNames");
        node.min_properties = schema.count("minProperties");
        node.max_properties = schema.limit("maxProperties");
    }

    fn single(&mut self, schema: &'s Json, name: &str) -> Option<NodeId> {
        schema.get(name).map(|schema| self.index_of(schema))
    }

    fn list(&mut self, schema: &'s Json, name: &str) -> Vec<NodeId> {
        let list = schema.list(name).iter();
        list.map(|schema| self.index_of(schema)).collect()
    }
}
