//! The arguments of a tool: the parameters of its operation, and the members of its body.

use super::super::super::Importer;
use super::super::super::operations::Operation;
use super::super::super::tree::Tree;
use super::schemas::Schemas;
use crate::json::{Kind, Value};

/// One argument.
#[derive(Clone, Debug)]
pub(super) struct Argument {
    /// Its name in the document, by which an override refers to it.
    pub(super) derived: String,
    /// Its name in the tool.
    pub(super) name: String,
    /// Its name in the request; empty for a complete body.
    pub(super) source: String,
    /// `path`, `query`, `header`, `cookie` or `body`.
    pub(super) location: &'static str,
    /// How lists and objects are serialised (OpenAPI 3.1 section 4.8.12.2); `json` for a parameter with `content`.
    pub(super) style: String,
    /// Whether each element is a separate parameter.
    pub(super) explode: bool,
    /// The type given by its schema; empty if there is none.
    pub(super) kind: String,
    /// Whether it is required.
    pub(super) required: bool,
    /// Its JSON Schema.
    pub(super) schema: Tree,
}

/// All arguments of an operation.
#[derive(Clone, Debug)]
pub(super) struct Arguments {
    /// The arguments: parameters in document order, then the body.
    pub(super) list: Vec<Argument>,
    /// The media type of the body; empty if there is none.
    pub(super) media: String,
}

/// Headers that can't be parameters: the gateway sets them (OpenAPI 3.1 section 4.8.12.1).
const NO_HEADERS: [&str; 3] = ["accept", "content-type", "authorization"];

const FORM: &str = "application/x-www-form-urlencoded";

impl<'i, 't> Importer<'i, 't> {
    /// Returns the arguments of an operation.
    pub(super) fn arguments(
        &self,
        operation: &Operation<'i, 't>,
        schemas: &mut Schemas<'_, 'i, 't>,
    ) -> Arguments {
        let parameters = self.parameters(operation).into_iter();
        let mut list: Vec<Argument> = parameters
            .filter_map(|parameter| self.argument(parameter, schemas))
            .collect();
        // A path parameter that has no description.
        for name in super::names_in(operation.path) {
            let is_told = |known: &Argument| known.location == "path" && known.source == name;
            if !list.iter().any(is_told) {
                list.push(Argument {
                    kind: "string".to_owned(),
                    required: true,
                    schema: Tree::Object(vec![("type".to_owned(), Tree::text("string"))]),
                    ..plain(name, "path")
                });
            }
        }
        let media = self.body_arguments(operation, schemas, &mut list);
        Arguments {
            list,
            media: media.unwrap_or_default(),
        }
    }

    fn argument(
        &self,
        parameter: &'i Value<'t>,
        schemas: &mut Schemas<'_, 'i, 't>,
    ) -> Option<Argument> {
        let name = parameter.str("name").filter(|name| !name.is_empty())?;
        let location = match parameter.str("in")? {
            "path" => "path",
            "query" => "query",
            "header" if !NO_HEADERS.contains(&&*name.to_ascii_lowercase()) => "header",
            "cookie" => "cookie",
            _ => return None,
        };
        let content = parameter.get("content").map(Value::members);
        let content = content.and_then(<[_]>::first);
        let schema = match content {
            Some(media) => media.value.get("schema"),
            None => parameter.get("schema"),
        };
        let usual = match location {
            "query" | "cookie" => "form",
            _ => "simple",
        };
        let style = match content {
            Some(_) => "json",
            None => parameter.str("style").unwrap_or(usual),
        };
        Some(Argument {
            style: style.to_owned(),
            explode: parameter.bool("explode").unwrap_or(style == "form"),
            kind: self.kind_of(schema),
            required: location == "path" || parameter.bool("required") == Some(true),
            schema: described(
                schema.map_or_else(Tree::object, |schema| schemas.schema(schema)),
                parameter.str("description"),
            ),
            ..plain(name, location)
        })
    }

    fn kind_of(&self, schema: Option<&'i Value<'t>>) -> String {
        let schema = schema.and_then(|schema| self.resolved(schema));
        let kind = schema.and_then(|schema| schema.str("type"));
        kind.unwrap_or_default().to_owned()
    }

    /// Adds the arguments for the body and returns its media type. A body that is neither JSON nor a form is ignored.
    fn body_arguments(
        &self,
        operation: &Operation<'i, 't>,
        schemas: &mut Schemas<'_, 'i, 't>,
        list: &mut Vec<Argument>,
    ) -> Option<String> {
        let body = self.resolved(operation.value.get("requestBody")?)?;
        let content = body.get("content")?.members();
        let json = content.iter().find(|media| is_json(&media.name));
        let is_form = |name: &str| name.trim().to_ascii_lowercase().starts_with(FORM);
        let media = json.or_else(|| content.iter().find(|media| is_form(&media.name)))?;
        let is_required = body.bool("required") == Some(true);
        let schema = media.value.get("schema");
        let whole = schema.and_then(|schema| self.resolved(schema));
        let Some(members) = whole.and_then(members_of) else {
            // A form consists of members, and this one declares none.
            json?;
            list.push(Argument {
                derived: "body".to_owned(),
                name: "body".to_owned(),
                kind: self.kind_of(schema),
                required: is_required,
                schema: described(
                    schema.map_or_else(Tree::object, |schema| schemas.schema(schema)),
                    body.str("description"),
                ),
                ..plain("", "body")
            });
            return Some(media.name.to_string());
        };
        let required = whole.and_then(|whole| whole.get("required"));
        let required = required.map(Value::items).unwrap_or_default();
        for (name, schema) in members {
            let is_named = |known: &Value<'_>| known.as_str() == Some(name);
            list.push(Argument {
                kind: self.kind_of(Some(schema)),
                required: is_required && required.iter().any(is_named),
                schema: schemas.schema(schema),
                ..plain(name, "body")
            });
        }
        Some(media.name.to_string())
    }
}

/// Creates an argument with the same name in the tool and in the request.
fn plain(name: &str, location: &'static str) -> Argument {
    Argument {
        derived: name.to_owned(),
        name: name.to_owned(),
        source: name.to_owned(),
        location,
        style: "simple".to_owned(),
        explode: false,
        kind: String::new(),
        required: false,
        schema: Tree::object(),
    }
}

/// Returns the members of a body, if its schema declares them all directly. Read-only members are left out.
fn members_of<'v, 't>(schema: &'v Value<'t>) -> Option<Vec<(&'v str, &'v Value<'t>)>> {
    let composes = ["allOf", "anyOf", "oneOf", "not", "if", "patternProperties"];
    let is_open = matches!(
        schema.get("additionalProperties").map(|more| &more.kind),
        Some(Kind::Object(_))
    );
    if is_open || composes.iter().any(|name| schema.get(name).is_some()) {
        return None;
    }
    let members = schema.get("properties")?.members().iter();
    let members = members.filter(|member| member.value.bool("readOnly") != Some(true));
    let members: Vec<_> = members
        .map(|member| (&*member.name, &member.value))
        .collect();
    (!members.is_empty()).then_some(members)
}

pub(super) fn is_json(media: &str) -> bool {
    let media = media.split(';').next().unwrap_or_default().trim();
    let media = media.to_ascii_lowercase();
    media == "application/json" || media.ends_with("+json")
}

/// Adds a description to a schema that has none.
pub(super) fn described(schema: Tree, description: Option<&str>) -> Tree {
    let Some(description) = description.filter(|text| !text.is_empty()) else {
        return schema;
    };
    with_description(schema, description, false)
}

/// Adds a description to a schema; `replaces` says whether it replaces an existing one.
pub(super) fn with_description(schema: Tree, description: &str, replaces: bool) -> Tree {
    let Tree::Object(mut members) = schema else {
        return schema;
    };
    if replaces {
        members.retain(|(name, _)| name != "description");
    }
    if !members.iter().any(|(name, _)| name == "description") {
        members.push(("description".to_owned(), Tree::text(description)));
    }
    Tree::Object(members)
}
