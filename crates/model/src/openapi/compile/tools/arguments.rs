//! The arguments of a tool: the parameters of its operation, and what its body consists of.

use super::super::super::Importer;
use super::super::super::operations::Operation;
use super::super::super::tree::Tree;
use super::schemas::Schemas;
use crate::json::{Kind, Value};

/// One argument.
#[derive(Clone, Debug)]
pub(super) struct Argument {
    /// What the document calls it; an override names it so.
    pub(super) derived: String,
    /// What the tool calls it.
    pub(super) name: String,
    /// What it is called where it goes; empty for a body as a whole.
    pub(super) source: String,
    /// `path`, `query`, `header`, `cookie` or `body`.
    pub(super) location: &'static str,
    /// How lists and objects are written (OpenAPI 3.1 section 4.8.12.2); `json` for a parameter with `content`.
    pub(super) style: String,
    /// Whether each element is a parameter of its own.
    pub(super) explode: bool,
    /// The type that its schema says; empty for none.
    pub(super) kind: String,
    /// Whether it has to be there.
    pub(super) required: bool,
    /// Its JSON Schema.
    pub(super) schema: Tree,
}

/// All arguments of an operation.
#[derive(Clone, Debug)]
pub(super) struct Arguments {
    /// Each one: parameters in their order, then the body.
    pub(super) list: Vec<Argument>,
    /// The media type of the body; empty for none.
    pub(super) media: String,
}

/// What a parameter of a header can't say: the gateway says it (OpenAPI 3.1 section 4.8.12.1).
const NO_HEADERS: [&str; 3] = ["accept", "content-type", "authorization"];

const FORM: &str = "application/x-www-form-urlencoded";

impl<'i, 't> Importer<'i, 't> {
    /// The arguments of an operation.
    pub(super) fn arguments(
        &self,
        operation: &Operation<'i, 't>,
        schemas: &mut Schemas<'_, 'i, 't>,
    ) -> Arguments {
        let parameters = self.parameters(operation).into_iter();
        let mut list: Vec<Argument> = parameters
            .filter_map(|parameter| self.argument(parameter, schemas))
            .collect();
        // One that the path has and no parameter describes.
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

    /// Adds what the body consists of, and answers its media type. A body that is neither JSON nor a form is none
    /// of the tool's.
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
            // A form consists of members, and this one says of none.
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

/// An argument that is called as where it goes.
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

/// The members that a body consists of, where its schema says them all in one place. Those that only answers have
/// are none.
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

/// A schema with a description, where it has none of its own.
pub(super) fn described(schema: Tree, description: Option<&str>) -> Tree {
    let Some(description) = description.filter(|text| !text.is_empty()) else {
        return schema;
    };
    with_description(schema, description, false)
}

/// A schema with a description; in the place of its own if `replaces` says so.
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
