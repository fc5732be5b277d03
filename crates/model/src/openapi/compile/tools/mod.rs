//! Tools of an MCP proxy that are operations of an OpenAPI API (`gateway://{id}/mcp`; reference 1.5 and 6.4): their
//! list, their arguments, and the request each one makes.
//!
//! Everything is decided when a set is published, from the document of the API and the `x-gateway-mcp-server` of the
//! proxy. At run time, only a name is looked up and arguments are filled in. An operation that the API itself blocks or
//! keeps internal is no tool.

mod arguments;
mod names;
mod outputs;
mod schemas;
mod shown;

use super::super::operations::Operation;
use super::super::stored::{self, MEMBER};
use super::super::tree::Tree;
use super::super::{DocumentKind, Importer, Options};
use crate::json::{Value, edit, parse, quote};
use arguments::{Argument, Arguments, with_description};
use names::Names;
use schemas::Schemas;

/// The member with a proxy's settings for its tools, in both spellings.
const SERVERS: [&str; 2] = ["x-gateway-mcp-server", "x-tyk-mcp-server"];

/// Hints implied by the method (RFC 9110 sections 9.2.1 and 9.2.2), unless the proxy overrides them.
const HINTS: [(&str, &[&str]); 4] = [
    ("GET", &["readOnlyHint"]),
    ("HEAD", &["readOnlyHint"]),
    ("PUT", &["idempotentHint"]),
    ("DELETE", &["destructiveHint", "idempotentHint"]),
];

/// Why operations can't be tools, as a sentence.
pub type Unfit = String;

/// Returns the definition that a proxy is served by, with the tools of its API, and without its document. Both
/// arguments are stored texts ([`stored`]). If there can be no tools, `openapi.mcp.refused` says why.
///
/// # Errors
/// The proxy is not a stored document.
pub fn served(proxy: &str, source: &str) -> Result<String, Unfit> {
    let broken = |_| "the stored text is broken".to_owned();
    let served = stored::served(proxy).map_err(broken)?;
    let with = |name, json: &str| edit::set(&served, &format!("/{MEMBER}/mcp/{name}"), json);
    let refused = match with_tools(proxy, source, |compiler, tools, document, _| {
        Ok(compiler.catalogue(tools, document))
    }) {
        // Content at the maximum depth of a document is too deep here.
        Ok(catalogue) => match with("catalogue", &catalogue) {
            Ok(definition) => return Ok(definition),
            Err(_) => "their schemas nest too deep".to_owned(),
        },
        Err(why) => why,
    };
    with("refused", &quote(&refused)).map_err(broken)
}

/// Returns the document of a proxy with the derived entries of its tools (`expand`).
///
/// # Errors
/// Why the operations can't be its tools.
pub fn shown(proxy: &str, source: &str) -> Result<String, Unfit> {
    with_tools(proxy, source, |_, tools, document, text| {
        shown::expanded(tools, document, text)
    })
}

/// Calls a function with the tools of a proxy, its document, and the document's text.
fn with_tools<T>(
    proxy: &str,
    source: &str,
    with: impl FnOnce(&Importer<'_, '_>, &[Tool<'_, '_>], &Value<'_>, &str) -> Result<T, Unfit>,
) -> Result<T, Unfit> {
    let no_document = || "it is no OpenAPI document".to_owned();
    let read = |text: &str, kind| match stored::document(text) {
        Some((found, document)) if found == kind => Ok(document.to_owned()),
        _ => Err(no_document()),
    };
    let text = read(proxy, DocumentKind::Mcp)?;
    let of_source = read(source, DocumentKind::Oas)?;
    let parsed = |text| parse(text).map_err(|_| no_document());
    let (document, value) = (parsed(&text)?, parsed(&of_source)?);
    let options = Options::default();
    let compiler = Importer {
        text: &of_source,
        document: &value,
        options: &options,
        extension: stored::extension(&value),
        kind: Some(DocumentKind::Oas),
        tree: Tree::object(),
        report: Vec::new(),
        inactive: false,
    };
    let server = SERVERS.iter().find_map(|name| document.get(name));
    let tools = compiler.tools(server)?;
    with(&compiler, &tools, &document, &text)
}

/// An operation as a tool.
struct Tool<'i, 't> {
    operation: Operation<'i, 't>,
    name: String,
    description: String,
    annotations: Vec<(String, Tree)>,
    arguments: Arguments,
    defs: Vec<(String, Tree)>,
    /// The schema of its results, if they are validated.
    output: Option<Tree>,
    /// The index of the proxy's entry for it in the list.
    entry: Option<usize>,
}

/// Iterates over the parameter names of a path.
fn names_in(path: &str) -> impl Iterator<Item = &str> {
    let pieces = path.split('{').skip(1);
    pieces.filter_map(|piece| Some(piece.split_once('}')?.0))
}

impl<'i, 't> Importer<'i, 't> {
    /// Returns all tools, in document order.
    fn tools(&self, server: Option<&Value<'_>>) -> Result<Vec<Tool<'i, 't>>, Unfit> {
        let primitives = server.and_then(|server| server.get("primitives"));
        let primitives = primitives.map(Value::items).unwrap_or_default();
        let operations = self.open_operations();
        let mut entries: Vec<Option<usize>> = vec![None; operations.len()];
        for (index, primitive) in primitives.iter().enumerate() {
            let found = find_source(&operations, primitive)?;
            let entry = found.and_then(|at| entries.get_mut(at));
            match entry {
                Some(entry @ None) => *entry = Some(index),
                Some(_) => {
                    return Err(format!(
                        "duplicate source operation {}",
                        source_name(primitive)
                    ));
                }
                None => {
                    return Err(format!(
                        "unknown source operation {}",
                        source_name(primitive)
                    ));
                }
            }
        }
        let is_listed = |primitive: &&Value<'_>| primitive.bool("allow") == Some(true);
        let has_list = primitives.iter().any(|primitive| is_listed(&primitive));
        let settings_of = |entry: Option<usize>| entry.and_then(|index| primitives.get(index));
        let chosen = operations.into_iter().zip(entries);
        let chosen: Vec<_> = chosen
            .filter(|(_, entry)| !has_list || settings_of(*entry).as_ref().is_some_and(is_listed))
            .collect();
        let mut names = Names::default();
        for (operation, entry) in &chosen {
            let own = settings_of(*entry).and_then(|primitive| primitive.str("name"));
            names.add(operation, own)?;
        }
        let mut tools = Vec::new();
        for ((operation, entry), name) in chosen.into_iter().zip(names.all()) {
            tools.push(self.tool(operation, name, entry, settings_of(entry))?);
        }
        Ok(tools)
    }

    /// Returns the operations that a client may call.
    fn open_operations(&self) -> Vec<Operation<'i, 't>> {
        let mut operations = self.operations();
        let has_list = operations.iter().any(|known| self.is_on(known, "allow"));
        operations.retain(|known| {
            let is_let = !has_list || self.is_on(known, "allow");
            let is_kept = self.is_on(known, "block") || self.is_on(known, "internal");
            // Requests with this method can't be sent (Fetch Standard, section 2.2.1).
            is_let && !is_kept && known.method != "TRACE"
        });
        operations
    }

    /// Whether a rule of the extension is enabled for an operation.
    fn is_on(&self, operation: &Operation<'_, '_>, rule: &str) -> bool {
        let extension = self.extension.map(|(_, extension)| extension);
        let rules = extension.and_then(|extension| extension.pointer("/middleware/operations"));
        let rules = rules.and_then(|rules| rules.get(&operation.id()));
        let rule = rules.and_then(|rules| rules.get(rule));
        rule.is_some_and(|rule| rule.bool("enabled") == Some(true))
    }

    fn tool(
        &self,
        operation: Operation<'i, 't>,
        name: String,
        entry: Option<usize>,
        settings: Option<&Value<'_>>,
    ) -> Result<Tool<'i, 't>, Unfit> {
        let mut schemas = Schemas::new(self);
        let mut arguments = self.arguments(&operation, &mut schemas);
        let defs = schemas.defs();
        let parameters = settings.and_then(|settings| settings.get("parameters"));
        let parameters = parameters.map(Value::items).unwrap_or_default();
        names::of_arguments(&mut arguments.list, parameters, &name)?;
        let own = ["description", "summary"];
        let described = own
            .iter()
            .find_map(|member| operation.value.str(member).filter(|text| !text.is_empty()));
        let described = settings
            .and_then(|settings| settings.str("description"))
            .or(described);
        let description = match described {
            Some(text) => text.to_owned(),
            None => format!("{} {}", operation.method, operation.path),
        };
        let hints = HINTS.iter().find(|(method, _)| *method == operation.method);
        let hints = hints.map(|(_, hints)| *hints).unwrap_or_default();
        let mut annotations: Vec<(String, Tree)> = hints
            .iter()
            .map(|hint| ((*hint).to_owned(), Tree::raw("true")))
            .collect();
        let overrides = settings.and_then(|settings| settings.get("annotations"));
        for member in overrides.map(Value::members).unwrap_or_default() {
            annotations.retain(|(known, _)| *known != member.name);
            let value = Tree::raw(&crate::json::written(&member.value));
            annotations.push((member.name.to_string(), value));
        }
        let output = self.output_schema(&operation);
        Ok(Tool {
            operation,
            name,
            description,
            annotations,
            arguments,
            defs,
            output,
            entry,
        })
    }

    /// Returns the part of a definition about its tools.
    fn catalogue(&self, tools: &[Tool<'_, '_>], document: &Value<'_>) -> String {
        let own = self.extension.map(|(_, extension)| extension);
        let text = |pointer| {
            let found = own.and_then(|own| own.pointer(pointer));
            found.and_then(Value::as_str).unwrap_or_default()
        };
        // A listen path with parameters can't be requested: the API is called with the path of the operation alone.
        let base = text("/server/listenPath/value").trim_end_matches('/');
        let base = if base.contains('{') { "" } else { base };
        let about = |member| {
            let found = document.get("info").and_then(|info| info.str(member));
            Tree::text(found.unwrap_or_default())
        };
        let named = |name: &str, tree: Tree| (name.to_owned(), tree);
        let tools = tools.iter().map(|tool| {
            Tree::Object(vec![
                named("tool", tool.listed()),
                named("call", tool.call(base)),
            ])
        });
        let catalogue = Tree::Object(vec![
            named("api", Tree::text(text("/info/id"))),
            named(
                "server",
                Tree::Object(vec![
                    named("name", about("title")),
                    named("version", about("version")),
                ]),
            ),
            named("tools", Tree::Array(tools.collect())),
        ]);
        catalogue.compact()
    }
}

impl Tool<'_, '_> {
    /// Returns its entry in a list of tools.
    fn listed(&self) -> Tree {
        let mut members = vec![
            ("name".to_owned(), Tree::text(&self.name)),
            ("description".to_owned(), Tree::text(&self.description)),
            ("inputSchema".to_owned(), self.input_schema()),
        ];
        if let Some(output) = &self.output {
            members.push(("outputSchema".to_owned(), output.clone()));
        }
        if !self.annotations.is_empty() {
            let annotations = Tree::Object(self.annotations.clone());
            members.push(("annotations".to_owned(), annotations));
        }
        Tree::Object(members)
    }

    /// Returns the schema of its arguments.
    fn input_schema(&self) -> Tree {
        let list = &self.arguments.list;
        let properties = list
            .iter()
            .map(|argument| (argument.name.clone(), argument.schema.clone()));
        let required = list.iter().filter(|argument| argument.required);
        let required: Vec<Tree> = required
            .map(|argument| Tree::text(&argument.name))
            .collect();
        let mut members = vec![
            ("type".to_owned(), Tree::text("object")),
            ("properties".to_owned(), Tree::Object(properties.collect())),
        ];
        if !required.is_empty() {
            members.push(("required".to_owned(), Tree::Array(required)));
        }
        members.push(("additionalProperties".to_owned(), Tree::raw("false")));
        if !self.defs.is_empty() {
            members.push(("$defs".to_owned(), Tree::Object(self.defs.clone())));
        }
        Tree::Object(members)
    }

    /// Returns the request it makes, in the form the extra `mcp` reads.
    fn call(&self, base: &str) -> Tree {
        let arguments = self.arguments.list.iter().map(|argument| {
            let text = |name: &str, text: &str| (name.to_owned(), Tree::text(text));
            let flag = |name: &str| (name.to_owned(), Tree::raw("true"));
            let mut members = vec![
                text("name", &argument.name),
                text("source", &argument.source),
                text("in", argument.location),
            ];
            if argument.style != "simple" {
                members.push(text("style", &argument.style));
            }
            members.extend(argument.explode.then(|| flag("explode")));
            members.extend(argument.required.then(|| flag("required")));
            Tree::Object(members)
        });
        let mut members = vec![
            ("method".to_owned(), Tree::text(&self.operation.method)),
            (
                "path".to_owned(),
                Tree::text(&format!("{base}{}", self.operation.path)),
            ),
            ("arguments".to_owned(), Tree::Array(arguments.collect())),
        ];
        if !self.arguments.media.is_empty() {
            members.push(("media".to_owned(), Tree::text(&self.arguments.media)));
        }
        if let Some(output) = &self.output {
            members.push(("output".to_owned(), output.clone()));
        }
        Tree::Object(members)
    }
}

/// Finds the operation that an entry of a proxy is about.
fn find_source(
    operations: &[Operation<'_, '_>],
    primitive: &Value<'_>,
) -> Result<Option<usize>, Unfit> {
    let source = primitive.get("source");
    let text = |name| source.and_then(|source| source.str(name));
    let position = |is: &dyn Fn(&Operation<'_, '_>) -> bool| operations.iter().position(is);
    match (text("operationId"), text("method"), text("path")) {
        (Some(id), ..) => Ok(position(&|known| known.id() == id)),
        (None, Some(method), Some(path)) => Ok(position(&|known| {
            known.path == path && known.method.eq_ignore_ascii_case(method)
        })),
        _ => Err("a source needs an operationId, or a method and a path".to_owned()),
    }
}

/// Returns the name that an entry of a proxy gives its operation.
fn source_name(primitive: &Value<'_>) -> String {
    let source = primitive.get("source");
    let text = |name| source.and_then(|source| source.str(name));
    match text("operationId") {
        Some(id) => quote(id),
        None => format!(
            "{} {}",
            text("method").unwrap_or_default(),
            text("path").unwrap_or_default()
        ),
    }
}

#[cfg(test)]
mod tests;
