//! Paths: parameters, bodies and responses of operations.

use super::schemas::target;
use super::{Upgrade, below};
use crate::json::{Member, Value, quote};
use crate::openapi::tree::Tree;

const METHODS: [&str; 7] = ["get", "put", "post", "delete", "options", "head", "patch"];

/// Members of a parameter or a header that belong to its schema in version 3.0.
const OF_SCHEMA: [&str; 17] = [
    "type",
    "format",
    "items",
    "default",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "enum",
    "multipleOf",
    "x-nullable",
];

const URL_ENCODED: &str = "application/x-www-form-urlencoded";
const MULTIPART: &str = "multipart/form-data";

/// A parameter and its pointer.
type Placed<'v, 't> = (&'v Value<'t>, String);

impl<'u, 't> Upgrade<'u, 't> {
    pub(super) fn paths(&mut self, paths: &'u Value<'t>) -> Tree {
        let mut made = Vec::new();
        for path in paths.members() {
            let item = match path.name.starts_with("x-") {
                true => self.raw(&path.value),
                false => self.path(&path.value, &below("/paths", &path.name)),
            };
            made.push((path.name.to_string(), item));
        }
        Tree::Object(made)
    }

    fn path(&mut self, item: &'u Value<'t>, pointer: &str) -> Tree {
        // A body shared by all operations becomes one of each of them.
        let shared = self.placed(item, pointer);
        let bodies: Vec<Placed<'u, 't>> = shared
            .into_iter()
            .filter(|(parameter, _)| in_body(self.resolved(parameter)))
            .collect();
        let mut made = Vec::new();
        for member in item.members() {
            let (name, value) = (&*member.name, &member.value);
            let here = below(pointer, name);
            let new = match name {
                "parameters" => Tree::Array(self.parameters(item, pointer)),
                "$ref" => self.reference(value),
                _ if METHODS.contains(&name) => self.operation(value, &bodies, &here),
                _ => self.raw(value),
            };
            if !matches!(&new, Tree::Array(items) if items.is_empty()) {
                made.push((name.to_owned(), new));
            }
        }
        Tree::Object(made)
    }

    fn operation(
        &mut self,
        operation: &'u Value<'t>,
        shared: &[Placed<'u, 't>],
        pointer: &str,
    ) -> Tree {
        let mut made = Vec::new();
        let own = self.placed(operation, pointer);
        let mut bodies: Vec<Placed<'u, 't>> = own
            .into_iter()
            .filter(|(parameter, _)| in_body(self.resolved(parameter)))
            .collect();
        let same = |one: &Value<'_>, other: &Value<'_>| {
            one.str("in") == other.str("in") && one.str("name") == other.str("name")
        };
        for (parameter, place) in shared {
            let it = self.resolved(parameter);
            if !bodies.iter().any(|(own, _)| same(self.resolved(own), it)) {
                bodies.push((*parameter, place.clone()));
            }
        }
        let mut body = self.request_body(operation, &bodies);
        for member in operation.members() {
            let (name, value) = (&*member.name, &member.value);
            let here = below(pointer, name);
            let new = match name {
                "parameters" => {
                    let parameters = self.parameters(operation, pointer);
                    if !parameters.is_empty() {
                        made.push((name.to_owned(), Tree::Array(parameters)));
                    }
                    made.extend(body.take().map(|body| ("requestBody".to_owned(), body)));
                    continue;
                }
                "responses" => {
                    made.extend(body.take().map(|body| ("requestBody".to_owned(), body)));
                    self.responses(value, operation, &here)
                }
                "consumes" | "produces" => continue,
                "schemes" => {
                    self.lost(
                        &here,
                        "the schemes of one operation; those of the document hold",
                    );
                    continue;
                }
                _ => self.raw(value),
            };
            made.push((name.to_owned(), new));
        }
        made.extend(body.take().map(|body| ("requestBody".to_owned(), body)));
        Tree::Object(made)
    }

    /// Returns the parameters of a path or an operation.
    fn placed(&self, of: &'u Value<'t>, pointer: &str) -> Vec<Placed<'u, 't>> {
        let items = of.get("parameters").map(Value::items).unwrap_or_default();
        let pointer = below(pointer, "parameters");
        let place = |(index, item)| (item, below(&pointer, &usize::to_string(&index)));
        items.iter().enumerate().map(place).collect()
    }

    /// Returns the target of a parameter reference, or the parameter itself.
    fn resolved(&self, parameter: &'u Value<'t>) -> &'u Value<'t> {
        let found = parameter.str("$ref").and_then(target);
        let found = found.filter(|(section, _, rest)| *section == "parameters" && rest.is_empty());
        let found = found.and_then(|(section, name, _)| self.document.get(section)?.get(&name));
        found.unwrap_or(parameter)
    }

    /// Converts the parameters that are not part of a body.
    fn parameters(&mut self, of: &'u Value<'t>, pointer: &str) -> Vec<Tree> {
        let mut made = Vec::new();
        for (parameter, place) in self.placed(of, pointer) {
            if in_body(self.resolved(parameter)) {
                continue;
            }
            made.push(match parameter.get("$ref") {
                Some(reference) => {
                    let reference = ("$ref".to_owned(), self.reference(reference));
                    Tree::Object(vec![reference])
                }
                None => self.parameter(parameter, &place),
            });
        }
        made
    }

    pub(super) fn parameter(&mut self, parameter: &Value<'_>, pointer: &str) -> Tree {
        let mut made = self.described(parameter);
        let is_query = parameter.str("in") == Some("query");
        let format = parameter.str("collectionFormat").unwrap_or("csv");
        let is_list = parameter.str("type") == Some("array");
        let style = match (format, is_query) {
            _ if !is_list => None,
            ("csv", true) => Some(("form", false)),
            ("ssv", true) => Some(("spaceDelimited", false)),
            ("pipes", true) => Some(("pipeDelimited", false)),
            // Lists in a query are written as one parameter per value by default.
            ("multi", true) | ("csv", false) => None,
            _ => {
                let place = below(pointer, "collectionFormat");
                self.lost(&place, "such a list has no form in OpenAPI 3.0");
                None
            }
        };
        if let Some((style, explode)) = style {
            made.push(("style".to_owned(), Tree::text(style)));
            made.push(("explode".to_owned(), Tree::raw(&explode.to_string())));
        }
        made.push(("schema".to_owned(), self.schema_of(parameter, pointer)));
        Tree::Object(made)
    }

    /// Returns the members of a parameter or a header that are not about its values.
    fn described(&self, of: &Value<'_>) -> Vec<(String, Tree)> {
        let kept = |member: &&Member<'_>| {
            let name = &*member.name;
            let extra = name.starts_with("x-") && name != "x-nullable";
            extra || ["name", "in", "description", "required", "allowEmptyValue"].contains(&name)
        };
        let members = of.members().iter().filter(kept);
        let pair = |member: &Member<'_>| (member.name.to_string(), self.raw(&member.value));
        members.map(pair).collect()
    }

    /// Builds the schema that a parameter or a header has in its own members.
    fn schema_of(&mut self, of: &Value<'_>, pointer: &str) -> Tree {
        let mut made = Vec::new();
        for member in of.members() {
            let name = &*member.name;
            if !OF_SCHEMA.contains(&name) {
                continue;
            }
            match (name, member.value.as_str()) {
                ("type", Some("file")) => {
                    made.push((name.to_owned(), Tree::text("string")));
                    made.push(("format".to_owned(), Tree::text("binary")));
                }
                ("items", _) => {
                    let items = self.schema(&member.value, &below(pointer, name));
                    made.push((name.to_owned(), items));
                }
                ("x-nullable", _) => made.push(("nullable".to_owned(), self.raw(&member.value))),
                _ => made.push((name.to_owned(), self.raw(&member.value))),
            }
        }
        Tree::Object(made)
    }

    /// Returns the media types of an operation, or those of the document; JSON if there are none.
    pub(super) fn kinds(&self, operation: Option<&Value<'_>>, name: &str) -> Vec<String> {
        let own = operation.and_then(|operation| operation.get(name));
        let listed = own.or_else(|| self.document.get(name)).map(Value::items);
        let listed = listed.unwrap_or_default().iter();
        let mut kinds: Vec<String> = listed
            .filter_map(|kind| kind.as_str().map(str::to_owned))
            .collect();
        if kinds.is_empty() {
            kinds.push("application/json".to_owned());
        }
        kinds
    }

    fn request_body(
        &mut self,
        operation: &Value<'_>,
        parameters: &[Placed<'u, 't>],
    ) -> Option<Tree> {
        let kinds = self.kinds(Some(operation), "consumes");
        let is_body =
            |(parameter, _): &&Placed<'u, 't>| self.resolved(parameter).str("in") == Some("body");
        let (bodies, fields): (Vec<_>, Vec<_>) = parameters.iter().partition(is_body);
        let Some((body, pointer)) = bodies.first() else {
            return (!fields.is_empty()).then(|| self.form(&fields, &kinds));
        };
        for (_, pointer) in fields {
            self.lost(pointer, "there is a body as well, which has no fields");
        }
        let it = self.resolved(body);
        // The shared body is for the media types of the document.
        let shared = body.str("$ref").and_then(target);
        let shared = shared.filter(|_| operation.get("consumes").is_none());
        Some(match shared {
            Some((section, name, _)) => {
                let pointer = below("#/components/requestBodies", &self.name(section, &name));
                Tree::Object(vec![("$ref".to_owned(), Tree::Raw(quote(&pointer)))])
            }
            None => self.body(it, &kinds, pointer),
        })
    }

    pub(super) fn body(&mut self, body: &Value<'_>, kinds: &[String], pointer: &str) -> Tree {
        let mut made = self.described(body);
        made.retain(|(name, _)| !matches!(name.as_str(), "name" | "in"));
        let schema = match body.get("schema") {
            Some(schema) => self.schema(schema, &below(pointer, "schema")),
            None => Tree::object(),
        };
        let kind = |kind: &String| (kind.clone(), of_schema(schema.clone()));
        let content = Tree::Object(kinds.iter().map(kind).collect());
        made.push(("content".to_owned(), content));
        Tree::Object(made)
    }

    /// Combines the fields of a form into one body.
    fn form(&mut self, fields: &[&Placed<'u, 't>], kinds: &[String]) -> Tree {
        let (mut properties, mut required, mut encoding) = (Vec::new(), Vec::new(), Vec::new());
        let mut has_file = false;
        for (field, place) in fields {
            let field = self.resolved(field);
            let name = field.str("name").unwrap_or_default();
            has_file |= field.str("type") == Some("file");
            let mut schema = self.schema_of(field, place);
            if let (Tree::Object(members), Some(doc)) = (&mut schema, field.get("description")) {
                members.push(("description".to_owned(), self.raw(doc)));
            }
            properties.push((name.to_owned(), schema));
            if field.bool("required") == Some(true) {
                required.push(Tree::text(name));
            }
            let style = match field.str("collectionFormat").unwrap_or("csv") {
                _ if field.str("type") != Some("array") => None,
                "csv" => Some("form"),
                "ssv" => Some("spaceDelimited"),
                "pipes" => Some("pipeDelimited"),
                "multi" => None,
                _ => {
                    let place = below(place, "collectionFormat");
                    self.lost(&place, "such a list has no form in OpenAPI 3.0");
                    None
                }
            };
            if let Some(style) = style {
                let members = vec![
                    ("style".to_owned(), Tree::text(style)),
                    ("explode".to_owned(), Tree::raw("false")),
                ];
                encoding.push((name.to_owned(), Tree::Object(members)));
            }
        }
        let is_required = !required.is_empty();
        let mut schema = vec![("type".to_owned(), Tree::text("object"))];
        if is_required {
            schema.push(("required".to_owned(), Tree::Array(required)));
        }
        schema.push(("properties".to_owned(), Tree::Object(properties)));
        let mut media = vec![("schema".to_owned(), Tree::Object(schema))];
        if !encoding.is_empty() {
            media.push(("encoding".to_owned(), Tree::Object(encoding)));
        }
        let mut kinds: Vec<&str> = kinds.iter().map(String::as_str).collect();
        kinds.retain(|kind| [URL_ENCODED, MULTIPART].contains(kind));
        if has_file {
            kinds.retain(|kind| *kind == MULTIPART);
        }
        if kinds.is_empty() {
            kinds.push(if has_file { MULTIPART } else { URL_ENCODED });
        }
        let content = kinds.iter();
        let content = content.map(|kind| ((*kind).to_owned(), Tree::Object(media.clone())));
        let content = Tree::Object(content.collect());
        let mut made = vec![("content".to_owned(), content)];
        if is_required {
            made.insert(0, ("required".to_owned(), Tree::raw("true")));
        }
        Tree::Object(made)
    }

    fn responses(&mut self, all: &Value<'_>, operation: &Value<'_>, pointer: &str) -> Tree {
        let kinds = self.kinds(Some(operation), "produces");
        let mut made = Vec::new();
        for member in all.members() {
            let (name, value) = (&*member.name, &member.value);
            let new = match (name.starts_with("x-"), value.get("$ref")) {
                (true, _) => self.raw(value),
                (false, Some(reference)) => {
                    let reference = ("$ref".to_owned(), self.reference(reference));
                    Tree::Object(vec![reference])
                }
                (false, None) => self.response(value, &kinds, &below(pointer, name)),
            };
            made.push((name.to_owned(), new));
        }
        Tree::Object(made)
    }

    pub(super) fn response(
        &mut self,
        response: &Value<'_>,
        kinds: &[String],
        pointer: &str,
    ) -> Tree {
        let description = response.get("description");
        let description = description.map_or_else(|| Tree::text(""), |text| self.raw(text));
        let mut made = vec![("description".to_owned(), description)];
        let headers = response.get("headers").map(Value::members);
        let headers = headers.unwrap_or_default();
        if !headers.is_empty() {
            let place = below(pointer, "headers");
            let mut all = Vec::new();
            for header in headers {
                let place = below(&place, &header.name);
                let mut members = self.described(&header.value);
                members.push(("schema".to_owned(), self.schema_of(&header.value, &place)));
                all.push((header.name.to_string(), Tree::Object(members)));
            }
            made.push(("headers".to_owned(), Tree::Object(all)));
        }
        let schema = response
            .get("schema")
            .map(|schema| self.schema(schema, &below(pointer, "schema")));
        let examples = response.get("examples").map(Value::members);
        let examples = examples.unwrap_or_default();
        let mut content: Vec<(String, Tree)> = Vec::new();
        if let Some(schema) = &schema {
            let kind = |kind: &String| (kind.clone(), of_schema(schema.clone()));
            content.extend(kinds.iter().map(kind));
        }
        for example in examples {
            let raw = self.raw(&example.value);
            let known = content.iter_mut().find(|(kind, _)| *kind == example.name);
            match known {
                Some((_, Tree::Object(members))) => members.push(("example".to_owned(), raw)),
                _ => {
                    let mut members: Vec<(String, Tree)> = Vec::new();
                    members.extend(schema.clone().map(|schema| ("schema".to_owned(), schema)));
                    members.push(("example".to_owned(), raw));
                    content.push((example.name.to_string(), Tree::Object(members)));
                }
            }
        }
        if !content.is_empty() {
            made.push(("content".to_owned(), Tree::Object(content)));
        }
        let extras = response.members().iter();
        for extra in extras.filter(|member| member.name.starts_with("x-")) {
            made.push((extra.name.to_string(), self.raw(&extra.value)));
        }
        Tree::Object(made)
    }
}

/// Whether a parameter is a body, or a field of one.
fn in_body(parameter: &Value<'_>) -> bool {
    matches!(parameter.str("in"), Some("body" | "formData"))
}

fn of_schema(schema: Tree) -> Tree {
    Tree::Object(vec![("schema".to_owned(), schema)])
}
