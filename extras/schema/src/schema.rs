//! Compiled schemas: the parts that are checked for each body.

use crate::canonical::canonical;
use crate::number::Number;
use crate::pattern::Pattern;
use gatewright_model::json::{Kind, Value, parse};
use gatewright_model::json_schema::{Draft, Registry, uri};
use std::collections::HashMap;

/// The index of a schema in the list of nodes.
pub(crate) type NodeId = usize;

/// A compiled schema.
#[derive(Debug)]
pub struct Schema {
    pub(crate) nodes: Vec<Node>,
    /// For each schema resource, the anchors that a dynamic reference may resolve to.
    pub(crate) dynamic: Vec<HashMap<String, NodeId>>,
    /// Whether a keyword depends on what other keywords have evaluated.
    pub(crate) tracks: bool,
}

/// A compiled regular expression, with its text for messages.
#[derive(Debug)]
pub(crate) struct Expression {
    pub(crate) text: String,
    pub(crate) compiled: Pattern,
}

/// What must also be present if a member is.
#[derive(Debug)]
pub(crate) enum Dependency {
    Names(Vec<String>),
    Schema(NodeId),
}

/// One schema of the document. An absent keyword restricts nothing.
#[derive(Debug, Default)]
pub(crate) struct Node {
    pub(crate) resource: usize,
    /// The value of a schema that is `true` or `false`.
    pub(crate) verdict: Option<bool>,
    pub(crate) reference: Option<NodeId>,
    /// Whether keywords next to the reference are ignored.
    pub(crate) reference_alone: bool,
    /// A reference to an anchor that an outer resource may override.
    pub(crate) dynamic: Option<(NodeId, Option<String>)>,
    pub(crate) types: Vec<String>,
    pub(crate) constant: Option<String>,
    pub(crate) values: Option<Vec<String>>,
    pub(crate) format: Option<String>,
    pub(crate) multiple_of: Option<Number>,
    pub(crate) maximum: Option<Number>,
    pub(crate) below: Option<Number>,
    pub(crate) minimum: Option<Number>,
    pub(crate) above: Option<Number>,
    pub(crate) min_length: Option<u64>,
    pub(crate) max_length: Option<u64>,
    pub(crate) pattern: Option<Expression>,
    pub(crate) properties: Vec<(String, NodeId)>,
    pub(crate) patterns: Vec<(Expression, NodeId)>,
    pub(crate) additional: Option<NodeId>,
    pub(crate) names: Option<NodeId>,
    pub(crate) min_properties: Option<u64>,
    pub(crate) max_properties: Option<u64>,
    pub(crate) required: Vec<String>,
    pub(crate) dependencies: Vec<(String, Dependency)>,
    pub(crate) prefix: Vec<NodeId>,
    /// The schema for items after the prefix.
    pub(crate) items: Option<NodeId>,
    pub(crate) min_items: Option<u64>,
    pub(crate) max_items: Option<u64>,
    pub(crate) unique: bool,
    pub(crate) contains: Option<NodeId>,
    pub(crate) min_contains: Option<u64>,
    pub(crate) max_contains: Option<u64>,
    pub(crate) any_of: Vec<NodeId>,
    pub(crate) one_of: Vec<NodeId>,
    pub(crate) all_of: Vec<NodeId>,
    pub(crate) not: Option<NodeId>,
    pub(crate) condition: Option<NodeId>,
    pub(crate) consequence: Option<NodeId>,
    pub(crate) alternative: Option<NodeId>,
    pub(crate) unevaluated_properties: Option<NodeId>,
    pub(crate) unevaluated_items: Option<NodeId>,
}

impl Schema {
    /// Compiles the text of a schema.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn compile(text: &str) -> Result<Self, String> {
        let document = parse(text).map_err(|issues| {
            let first = issues.first().map(ToString::to_string);
            format!("the schema is not JSON: {}", first.unwrap_or_default())
        })?;
        let mut compiler = Compiler {
            registry: Registry::read(&document),
            known: HashMap::new(),
            pending: Vec::new(),
            nodes: Vec::new(),
            tracks: false,
        };
        compiler.index_of(&document);
        while let Some((number, value)) = compiler.pending.pop() {
            let node = compiler.node(value)?;
            if let Some(empty) = compiler.nodes.get_mut(number) {
                *empty = node;
            }
        }
        compiler.finish()
    }
}

struct Compiler<'s> {
    registry: Registry<'s>,
    known: HashMap<usize, NodeId>,
    pending: Vec<(NodeId, &'s Value<'s>)>,
    nodes: Vec<Node>,
    tracks: bool,
}

impl<'s> Compiler<'s> {
    fn finish(mut self) -> Result<Schema, String> {
        let mut dynamic = Vec::new();
        for number in 0..self.registry.resources.len() {
            let anchors = self.registry.get(number).map(|resource| &resource.dynamic);
            let anchors: Vec<(String, &'s Value<'s>)> = anchors
                .into_iter()
                .flatten()
                .map(|(name, value)| (name.clone(), *value))
                .collect();
            let placed = anchors.into_iter();
            dynamic.push(
                placed
                    .map(|(name, value)| (name, self.index_of(value)))
                    .collect(),
            );
            // Compiles those that nothing else leads to.
            while let Some((number, value)) = self.pending.pop() {
                let node = self.node(value)?;
                if let Some(empty) = self.nodes.get_mut(number) {
                    *empty = node;
                }
            }
        }
        Ok(Schema {
            nodes: self.nodes,
            dynamic,
            tracks: self.tracks,
        })
    }

    /// Returns the index of a schema; a new one is compiled later.
    fn index_of(&mut self, value: &'s Value<'s>) -> NodeId {
        let address = std::ptr::from_ref(value).addr();
        if let Some(known) = self.known.get(&address) {
            return *known;
        }
        let number = self.nodes.len();
        self.known.insert(address, number);
        self.nodes.push(Node::default());
        self.pending.push((number, value));
        number
    }

    fn node(&mut self, value: &'s Value<'s>) -> Result<Node, String> {
        let resource = self.registry.home(value);
        let draft = self
            .registry
            .get(resource)
            .map_or(Draft::Any, |home| home.draft);
        let mut node = Node {
            resource,
            ..Node::default()
        };
        match &value.kind {
            Kind::Bool(verdict) => {
                node.verdict = Some(*verdict);
                return Ok(node);
            }
            Kind::Object(_) => {}
            _ => return Err("a JSON Schema is an object or a boolean".to_owned()),
        }
        if let Some(reference) = value.str("$ref") {
            let target = self.registry.find(reference, resource)?;
            node.reference = Some(self.index_of(target));
            node.reference_alone = draft.is_reference_alone();
            if node.reference_alone {
                return Ok(node);
            }
        }
        self.dynamic(value, draft, &mut node)?;
        self.values(value, draft, &mut node)?;
        self.objects(value, draft, &mut node)?;
        self.arrays(value, draft, &mut node);
        self.schemas(value, draft, &mut node);
        Ok(node)
    }

    fn dynamic(
        &mut self,
        value: &'s Value<'s>,
        draft: Draft,
        node: &mut Node,
    ) -> Result<(), String> {
        let (reference, fixed) = match draft {
            Draft::D2020 => (value.str("$dynamicRef"), None),
            Draft::D2019 => (value.str("$recursiveRef"), Some(String::new())),
            _ => return Ok(()),
        };
        let Some(reference) = reference else {
            return Ok(());
        };
        let target = self.registry.find(reference, node.resource)?;
        let name = fixed.unwrap_or_else(|| uri::split(reference).1.to_owned());
        // Only if the reference leads to such an anchor may another one override it.
        let home = self.registry.home(target);
        let anchors = self.registry.get(home).map(|resource| &resource.dynamic);
        let is_dynamic = anchors
            .and_then(|anchors| anchors.get(&name))
            .is_some_and(|anchor| std::ptr::eq(*anchor, target));
        node.dynamic = Some((self.index_of(target), is_dynamic.then_some(name)));
        Ok(())
    }

    fn values(
        &mut self,
        value: &'s Value<'s>,
        draft: Draft,
        node: &mut Node,
    ) -> Result<(), String> {
        node.types = match value.get("type").map(|types| &types.kind) {
            Some(Kind::String(name)) => vec![name.to_string()],
            Some(Kind::Array(names)) => texts(names),
            _ => Vec::new(),
        };
        // An empty list restricts nothing, as in the family; draft 4 doesn't allow one.
        let all = value.get("enum").filter(|all| !all.items().is_empty());
        node.values = all.map(|all| all.items().iter().map(canonical).collect());
        if draft.has(Draft::D6) {
            // Not `get`, which treats null as absent.
            node.constant = value.member("const").map(|member| canonical(&member.value));
        }
        node.format = value.str("format").map(str::to_owned);
        node.multiple_of = number(value, "multipleOf");
        node.maximum = number(value, "maximum");
        node.minimum = number(value, "minimum");
        node.below = number(value, "exclusiveMaximum");
        node.above = number(value, "exclusiveMinimum");
        // In draft 4, these are flags of the other limit.
        if value.bool("exclusiveMaximum") == Some(true) {
            node.below = node.maximum.take();
        }
        if value.bool("exclusiveMinimum") == Some(true) {
            node.above = node.minimum.take();
        }
        node.min_length = count(value, "minLength");
        node.max_length = count(value, "maxLength");
        node.pattern = value.str("pattern").map(expression).transpose()?;
        Ok(())
    }

    fn objects(
        &mut self,
        value: &'s Value<'s>,
        draft: Draft,
        node: &mut Node,
    ) -> Result<(), String> {
        node.properties = self.map(value, "properties");
        for (text, schema) in self.map(value, "patternProperties") {
            node.patterns.push((expression(&text)?, schema));
        }
        node.additional = self.single(value, "additionalProperties");
        if draft.has(Draft::D6) {
            node.names = self.single(value, "propertyNames");
        }
        node.min_properties = count(value, "minProperties");
        node.max_properties = count(value, "maxProperties");
        node.required = value
            .get("required")
            .map(|names| texts(names.items()))
            .unwrap_or_default();
        for keyword in ["dependencies", "dependentRequired", "dependentSchemas"] {
            if keyword != "dependencies" && !draft.has(Draft::D2019) {
                continue;
            }
            let all = value.get(keyword).map(Value::members).unwrap_or_default();
            for member in all {
                let dependency = match &member.value.kind {
                    Kind::Array(names) => Dependency::Names(texts(names)),
                    _ => Dependency::Schema(self.index_of(&member.value)),
                };
                node.dependencies
                    .push((member.name.to_string(), dependency));
            }
        }
        if draft.has(Draft::D2019) {
            node.unevaluated_properties = self.single(value, "unevaluatedProperties");
            self.tracks |= node.unevaluated_properties.is_some();
        }
        Ok(())
    }

    fn arrays(&mut self, value: &'s Value<'s>, draft: Draft, node: &mut Node) {
        let items = value.get("items");
        let is_list = items.is_some_and(|items| matches!(items.kind, Kind::Array(_)));
        if draft.has(Draft::D2020) {
            node.prefix = self.list(value, "prefixItems");
        }
        if !is_list {
            node.items = items.map(|items| self.index_of(items));
        } else if draft != Draft::D2020 {
            node.prefix = self.list(value, "items");
            node.items = self.single(value, "additionalItems");
        }
        node.min_items = count(value, "minItems");
        node.max_items = count(value, "maxItems");
        node.unique = value.bool("uniqueItems") == Some(true);
        if draft.has(Draft::D6) {
            node.contains = self.single(value, "contains");
        }
        if draft.has(Draft::D2019) {
            node.min_contains = count(value, "minContains");
            node.max_contains = count(value, "maxContains");
            node.unevaluated_items = self.single(value, "unevaluatedItems");
            self.tracks |= node.unevaluated_items.is_some();
        }
    }

    fn schemas(&mut self, value: &'s Value<'s>, draft: Draft, node: &mut Node) {
        node.any_of = self.list(value, "anyOf");
        node.one_of = self.list(value, "oneOf");
        node.all_of = self.list(value, "allOf");
        node.not = self.single(value, "not");
        if draft.has(Draft::D7) {
            node.condition = self.single(value, "if");
            node.consequence = self.single(value, "then");
            node.alternative = self.single(value, "else");
        }
    }

    fn single(&mut self, value: &'s Value<'s>, name: &str) -> Option<NodeId> {
        value.get(name).map(|schema| self.index_of(schema))
    }

    fn list(&mut self, value: &'s Value<'s>, name: &str) -> Vec<NodeId> {
        let items = value.get(name).map(Value::items).unwrap_or_default();
        items.iter().map(|schema| self.index_of(schema)).collect()
    }

    fn map(&mut self, value: &'s Value<'s>, name: &str) -> Vec<(String, NodeId)> {
        let members = value.get(name).map(Value::members).unwrap_or_default();
        let index_of = |member: &'s gatewright_model::json::Member<'s>| {
            (member.name.to_string(), self.index_of(&member.value))
        };
        members.iter().map(index_of).collect()
    }
}

fn texts(values: &[Value<'_>]) -> Vec<String> {
    let texts = values.iter().filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}

fn number(value: &Value<'_>, name: &str) -> Option<Number> {
    match value.get(name)?.kind {
        Kind::Number(text) => Some(Number::read(text)),
        _ => None,
    }
}

/// Reads a count; one too large is clamped to the maximum.
fn count(value: &Value<'_>, name: &str) -> Option<u64> {
    let value = value.get(name)?;
    match value.kind {
        Kind::Number(_) => Some(
            value
                .as_int()
                .map_or(u64::MAX, |count| u64::try_from(count).unwrap_or(0)),
        ),
        _ => None,
    }
}

fn expression(text: &str) -> Result<Expression, String> {
    let compiled = Pattern::compile(text)
        .map_err(|error| format!("the expression \"{text}\" can't be compiled: {error}"))?;
    Ok(Expression {
        text: text.to_owned(),
        compiled,
    })
}
