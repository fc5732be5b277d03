//! Validates requests against their operations in an OpenAPI document (reference 3.14).
//!
//! The settings are the document's requirements, as compiled by `model/src/openapi/compile/requests.rs`; the facts
//! describe a request: `{"first":0,"count":1,"segments":["a"],"query":"b=1","headers":{"c":"2"}}`. The report is `{}`,
//! what is wrong (`{"refused":{"status":422,"message":"…"}}`), or what defaults have been filled in: `query`,
//! `headers`, and a body that replaces the original.

mod body;
mod candidate;
mod formats;
mod json;
mod problem;
mod request;
mod schema;
mod values;

use crate::text;
use gatewright_model::json::{Value, parse_repeating, quote};
use gatewright_model::openapi::template::Template;
use json::Json;
use request::{Filled, Request, style};
use schema::{Run, Schemas};
use values::{Found, Source, Style};

/// How deep a parameter's alternatives are followed.
const HOPS: u32 = 8;

/// The prefix of every message.
const ERROR: &str = "request validation error: ";

/// The operations and schemas that requests are validated against.
#[derive(Debug)]
pub(crate) struct Rules {
    operations: Vec<(Template, Json)>,
    schemas: Schemas,
}

/// The result for a request.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// The report.
    pub(crate) report: String,
    /// A body that replaces the original.
    pub(crate) body: Option<String>,
}

impl Rules {
    /// Reads the settings.
    ///
    /// # Errors
    /// If they aren't JSON.
    pub(crate) fn compile(text: &str) -> Result<Self, String> {
        let value = parse_repeating(text).ok_or("the rules are not JSON")?;
        let operations = value
            .get("operations")
            .map(Value::items)
            .unwrap_or_default();
        let operations = operations.iter().map(|operation| {
            let path = operation.str("path").unwrap_or_default();
            (Template::read(path), Json::of(operation))
        });
        let references = value.get("references").map_or(Json::Null, Json::of);
        let operations: Vec<(Template, Json)> = operations.collect();
        let checked = operations.iter().flat_map(|(_, operation)| {
            let parameters = operation.list("parameters").iter();
            let of_parameter =
                |parameter| of_media(parameter).chain(Json::get(parameter, "schema"));
            let of_body = operation.get("body").into_iter().flat_map(of_media);
            parameters.flat_map(of_parameter).chain(of_body)
        });
        let schemas = Schemas::new(references, checked);
        Ok(Self {
            operations,
            schemas,
        })
    }

    /// Returns the operations that a request may be for.
    fn candidates(&self, facts: &Value<'_>) -> &[(Template, Json)] {
        let number = |name: &str| usize::try_from(facts.int(name).unwrap_or_default());
        let first = number("first").unwrap_or_default();
        let count = number("count").unwrap_or_default();
        let end = first.saturating_add(count);
        self.operations.get(first..end).unwrap_or_default()
    }

    /// Returns the index of the first candidate whose path parameters match; `None` if none does.
    fn which(&self, facts: &Value<'_>, request: &Request<'_>) -> Option<usize> {
        let candidates = self.candidates(facts);
        candidates.iter().position(|(template, operation)| {
            let path = path_pairs(template, request);
            let parameters = operation.list("parameters").iter();
            let mut of_path = parameters.filter(|known| known.text("in") == Some("path"));
            of_path.all(|parameter| candidate::fits(&self.schemas, parameter, &path))
        })
    }

    /// Reports which of the candidates a request is for: `{"candidate":0}`, or `{}` for none.
    pub(crate) fn choose(&self, facts: &str) -> String {
        let Some(facts) = parse_repeating(facts) else {
            return "{}".to_owned();
        };
        match self.which(&facts, &Request::of(&facts, &[])) {
            Some(at) => format!("{{\"candidate\":{at}}}"),
            None => "{}".to_owned(),
        }
    }

    /// Validates a request against its operation.
    pub(crate) fn check(&self, facts: &str, body: &[u8]) -> Outcome {
        let Some(facts) = parse_repeating(facts) else {
            return refused(500, "the request can't be read");
        };
        let request = Request::of(&facts, body);
        let candidates = self.candidates(&facts);
        let status = |operation: &Json| operation.count("status").unwrap_or(422);
        let at = match candidates {
            [] => return Outcome::default(),
            [_] => Some(0),
            _ => self.which(&facts, &request),
        };
        let Some((template, operation)) = at.and_then(|at| candidates.get(at)) else {
            let ruled = candidates.iter().map(|(_, operation)| operation);
            let mut ruled = ruled.filter(|operation| operation.get("status").is_some());
            let status = ruled.next().map_or(422, status);
            return refused(status, "path parameter doesn't match any endpoint");
        };
        if operation.get("status").is_none() {
            return Outcome::default();
        }
        match self.fill_and_check(template, operation, &request) {
            Ok(filled) => filled.outcome(&request),
            Err(why) => refused(status(operation), &why),
        }
    }

    fn fill_and_check(
        &self,
        template: &Template,
        operation: &Json,
        request: &Request<'_>,
    ) -> Result<Filled, String> {
        let path = path_pairs(template, request);
        let mut filled = Filled::default();
        let mut run = self.schemas.run();
        for parameter in operation.list("parameters") {
            let default = self.parameter(&mut run, parameter, &path, request);
            let name = parameter.text("name").unwrap_or_default();
            let place = parameter.text("in").unwrap_or_default();
            let default = default
                .map_err(|why| format!("parameter \"{name}\" in {place} has an error: {why}"))?;
            if let Some(default) = default {
                filled.add(place, name, parameter, &default);
            }
        }
        if let Some(body) = operation.get("body") {
            let in_body = |why: String| format!("request body has an error: {why}");
            filled.body = self.body(&mut run, body, request).map_err(in_body)?;
        }
        Ok(filled)
    }

    /// Validates a parameter against its schema; returns the default of a missing one.
    fn parameter<'s>(
        &'s self,
        run: &mut Run<'s>,
        parameter: &'s Json,
        path: &[(String, String)],
        request: &Request<'_>,
    ) -> Result<Option<Json>, String> {
        let place = parameter.text("in").unwrap_or_default();
        let name = parameter.text("name").unwrap_or_default();
        let cookies;
        let header;
        let all = match place {
            "path" => path,
            "query" => &request.query,
            "cookie" => {
                cookies = request.cookies();
                &cookies
            }
            _ => {
                header = request.header(name);
                &header
            }
        };
        let source = Source { all };
        let style = style(parameter);
        let (schema, found) = match parameter.get("schema") {
            Some(schema) => {
                let found = values::read(&self.schemas, schema, style, &source, HOPS)?;
                (schema, found)
            }
            None => match of_content(&self.schemas, parameter, all)? {
                Some(found) => found,
                None => return Ok(None),
            },
        };
        let schema_of = self.schemas.resolved(schema).unwrap_or(schema);
        let mut value = found.value;
        let mut default = None;
        if value.is_none() && place != "path" && parameter.get("schema").is_some() {
            default = self.default_of(schema_of).cloned();
            value = default.clone();
        }
        if parameter.is_on("required") && !found.is_there {
            return Err("value is required but missing".to_owned());
        }
        let Some(mut value) = value else {
            let is_wrong = found.is_there && !parameter.is_on("allowEmptyValue");
            return match is_wrong {
                true => Err("empty value is not allowed".to_owned()),
                false => Ok(None),
            };
        };
        let is_whole = style.takes_all() && matches!(value, Json::List(_));
        let checked = run.check_against(schema, &mut value);
        checked.map_err(|problem| problem.to_string())?;
        if !is_whole && parameter.get("schema").is_some() {
            self.repeated(run, (schema, style), all)?;
        }
        Ok(default)
    }

    /// Validates the further values of a parameter that is sent several times without being a list of them: which one
    /// the upstream uses is not known.
    fn repeated<'s>(
        &'s self,
        run: &mut Run<'s>,
        (schema, style): (&'s Json, Style<'s>),
        all: &[(String, String)],
    ) -> Result<(), String> {
        let own = all.iter().filter(|(known, _)| known == style.name);
        for one in own.skip(1) {
            let all = std::slice::from_ref(one);
            let found = values::read(&self.schemas, schema, style, &Source { all }, HOPS)?;
            if let Some(mut value) = found.value {
                let checked = run.check_against(schema, &mut value);
                checked.map_err(|problem| problem.to_string())?;
            }
        }
        Ok(())
    }

    /// Returns the default of the schemas it combines, or its own.
    fn default_of<'s>(&'s self, schema: &'s Json) -> Option<&'s Json> {
        let parts = schema.list("allOf").iter();
        let mut parts = parts.filter_map(|part| self.schemas.resolved(part)?.get("default"));
        parts.next().or_else(|| schema.get("default"))
    }

    /// Validates the body against the schema of its content type; returns one with defaults filled in, if there are
    /// any.
    fn body<'s>(
        &'s self,
        run: &mut Run<'s>,
        rule: &'s Json,
        request: &Request<'_>,
    ) -> Result<Option<String>, String> {
        if request.body.is_empty() {
            return match rule.is_on("required") {
                true => Err("value is required but missing".to_owned()),
                false => Ok(None),
            };
        }
        let Some(content) = rule.get("content") else {
            return Ok(None);
        };
        if content.members().next().is_none() {
            return Ok(None);
        }
        let content_type = request.headers.get("content-type").copied();
        let content_type = content_type.unwrap_or_default();
        let Some(media) = body::media(content, content_type) else {
            let content_type = quote(content_type);
            return Err(format!(
                "header Content-Type has unexpected value {content_type}"
            ));
        };
        let Some(schema) = media.get("schema") else {
            return Ok(None);
        };
        let decoded = body::decode(&self.schemas, schema, content_type, request.body);
        let decoded = decoded.map_err(|why| format!("failed to decode request body: {why}"))?;
        let mut value = decoded.value;
        run.is_body = true;
        run.has_filled = false;
        let others = decoded.others.into_iter();
        let mut checks = others.map(|mut other| run.check_against(schema, &mut other));
        let others = checks.find_map(Result::err);
        run.has_filled = false;
        if let Some(problem) = run.check_against(schema, &mut value).err().or(others) {
            let name = schema.text("$ref").or_else(|| schema.text("title"));
            let name = name.map_or_else(String::new, |name| format!(" {}", name.trim()));
            return Err(format!("doesn't match schema{name}: {problem}"));
        }
        Ok((run.has_filled && decoded.is_json).then(|| value.json()))
    }
}

/// Returns the schemas of the media types of a body or parameter.
fn of_media(content: &Json) -> impl Iterator<Item = &Json> {
    let media = content.get("content").into_iter().flat_map(Json::members);
    media.filter_map(|(_, media)| media.get("schema"))
}

/// Returns the parameters of a path.
fn path_pairs(template: &Template, request: &Request<'_>) -> Vec<(String, String)> {
    let found = template.parameters(&request.segments, true);
    let own = |(name, text): (&str, &str)| (name.to_owned(), text.to_owned());
    found.unwrap_or_default().into_iter().map(own).collect()
}

/// Reads a parameter whose text is JSON, together with its schema. As in the reference, a text that isn't JSON is taken
/// as a string unless an object is expected, and several values become a list.
fn of_content<'s>(
    schemas: &Schemas,
    parameter: &'s Json,
    all: &[(String, String)],
) -> Result<Option<(&'s Json, Found)>, String> {
    let name = parameter.text("name").unwrap_or_default();
    let mut media = parameter.get("content").into_iter().flat_map(Json::members);
    let Some(schema) = media.next().and_then(|(_, media)| media.get("schema")) else {
        return Ok(None);
    };
    let read = |text: &str| {
        let of_text = schemas.resolved(schema).unwrap_or(schema);
        match text::value(text) {
            Ok(value) => Ok(Json::of(&value)),
            Err(_) if !schema::types(of_text).contains(&"object") => {
                Ok(Json::text_of(text.to_owned()))
            }
            Err(_) => Err(format!("error unmarshaling parameter \"{name}\"")),
        }
    };
    let own = all.iter().filter(|(known, _)| known == name);
    let mut values = own
        .map(|(_, text)| read(text))
        .collect::<Result<Vec<_>, _>>()?;
    let is_there = !values.is_empty();
    if !is_there && parameter.is_on("required") {
        return Err(format!("parameter \"{name}\" is required, but missing"));
    }
    let value = match values.len() {
        0 | 1 => values.pop(),
        _ => Some(Json::List(values)),
    };
    Ok(Some((schema, Found { value, is_there })))
}

fn refused(status: usize, why: &str) -> Outcome {
    let message = quote(&format!("{ERROR}{why}"));
    Outcome {
        report: format!("{{\"refused\":{{\"status\":{status},\"message\":{message}}}}}"),
        body: None,
    }
}

#[cfg(test)]
mod tests;
