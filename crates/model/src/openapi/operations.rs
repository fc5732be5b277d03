//! Paths and operations of a document, and their rules.

use super::tree::Tree;
use super::{DocumentKind, Importer};
use crate::json::pointer::{Path, push_token};
use crate::json::{Kind, Value};

/// Members of a path item that are operations (OpenAPI 3.1 section 4.8.9).
const METHODS: [&str; 8] = [
    "get", "put", "post", "delete", "options", "head", "patch", "trace",
];

/// The paths of an MCP proxy whose operations have rules for messages that name a primitive (reference 6.4).
const MESSAGES: [&str; 3] = ["/tools/call", "/resources/read", "/prompts/get"];

/// One operation and its location.
#[derive(Debug)]
pub struct Operation<'o, 't> {
    /// Its path template.
    pub path: &'o str,
    /// The method in upper case.
    pub method: String,
    /// The operation object.
    pub value: &'o Value<'t>,
    /// Its JSON Pointer.
    pub pointer: String,
}

impl<'o, 't> Operation<'o, 't> {
    /// Returns the same operation for POST requests.
    fn posted(&self) -> Self {
        Self {
            path: self.path,
            method: "POST".to_owned(),
            value: self.value,
            pointer: self.pointer.clone(),
        }
    }

    /// Returns its `operationId`, or the id that the reference makes from its path and method (its section 6.3).
    #[must_use]
    pub fn id(&self) -> String {
        match self.value.str("operationId") {
            Some(id) if !id.is_empty() => id.to_owned(),
            _ => format!(
                "{}{}",
                self.path.strip_prefix('/').unwrap_or(self.path),
                self.method
            ),
        }
    }

    /// Creates a rule for this operation with further members.
    pub(super) fn rule(&self, members: impl IntoIterator<Item = (&'static str, Tree)>) -> Tree {
        let head = [
            ("path".to_owned(), Tree::text(self.path)),
            ("method".to_owned(), Tree::text(&self.method)),
        ];
        let rest = members
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value));
        Tree::Object(head.into_iter().chain(rest).collect())
    }
}

/// Returns every operation of a document, in its order.
#[must_use]
pub fn operations<'o, 't>(document: &'o Value<'t>) -> Vec<Operation<'o, 't>> {
    let paths = document
        .get("paths")
        .map(Value::members)
        .unwrap_or_default();
    let mut operations = Vec::new();
    for path in paths.iter().filter(|path| path.name.starts_with('/')) {
        let members = path.value.members().iter();
        for member in members.filter(|member| METHODS.contains(&&*member.name)) {
            let root = Path::Root;
            let root = root.member("paths");
            let root = root.member(&path.name);
            operations.push(Operation {
                path: &path.name,
                method: member.name.to_ascii_uppercase(),
                value: &member.value,
                pointer: root.member(&member.name).pointer(),
            });
        }
    }
    operations
}

impl<'i, 't> Importer<'i, 't> {
    /// Returns every operation, in document order.
    ///
    /// In an MCP proxy the path `/tools/call` stands for messages with that method, which are always posted: if it has
    /// no such operation, its first named one is used for them too.
    pub(super) fn operations(&self) -> Vec<Operation<'i, 't>> {
        let mut operations = operations(self.document);
        if self.kind == Some(DocumentKind::Mcp) {
            for path in MESSAGES {
                let of_path = |operation: &&Operation<'_, '_>| operation.path == path;
                let mut known = operations.iter().filter(of_path);
                if known.any(|operation| operation.method == "POST") {
                    continue;
                }
                let is_named = |operation: &&Operation<'_, '_>| {
                    let id = operation.value.str("operationId");
                    of_path(operation) && id.is_some_and(|id| !id.is_empty())
                };
                let posted = operations.iter().find(is_named).map(Operation::posted);
                operations.extend(posted);
            }
        }
        operations
    }

    /// Adds a rule to a list of `extended_paths`.
    pub(super) fn add_rule(&mut self, list: &str, rule: Tree) {
        let dotted = format!("version_data.versions.Default.extended_paths.{list}");
        self.tree.push(&dotted, rule);
    }

    pub(super) fn paths(&mut self) {
        let operations = self.operations();
        let count = match operations.len() {
            1 => "1 operation".to_owned(),
            more => format!("{more} operations"),
        };
        self.lists(&operations);
        if self.options.allow_list {
            self.note(
                "/paths",
                true,
                format!("{count}, the only ones that are allowed"),
            );
        } else {
            self.note(
                "/paths",
                false,
                format!("{count}; every path of the upstream is let through"),
            );
        }
        self.path_items();
        if self.options.mock_responses {
            for operation in &operations {
                self.mock(operation);
            }
        }
    }

    fn lists(&mut self, operations: &[Operation<'_, '_>]) {
        for operation in operations {
            if self.options.allow_list {
                self.add_rule("white_list", operation.rule([]));
            }
            if self.options.validate_requests {
                let rule = [
                    ("enabled", Tree::raw("true")),
                    ("error_response_code", Tree::raw("422")),
                ];
                self.add_rule("validate_request", operation.rule(rule));
            }
        }
    }

    /// Notes the members of path items that are not operations.
    fn path_items(&mut self) {
        let paths = self
            .document
            .get("paths")
            .map(Value::members)
            .unwrap_or_default();
        for path in paths {
            let mut pointer = "/paths".to_owned();
            push_token(&mut pointer, &path.name);
            for (member, message) in [
                ("$ref", "references to other documents aren't followed"),
                ("servers", "all paths have the same upstream"),
            ] {
                if path.value.get(member).is_some() {
                    let mut pointer = pointer.clone();
                    push_token(&mut pointer, member);
                    self.note(pointer, false, message);
                }
            }
        }
    }

    /// Turns the first successful response with an example into a mock response.
    fn mock(&mut self, operation: &Operation<'_, '_>) {
        let responses = operation
            .value
            .get("responses")
            .map(Value::members)
            .unwrap_or_default();
        let success = |name: &str| name.starts_with('2') && name.len() == 3;
        let found = responses.iter().find(|response| success(&response.name));
        let example = found.and_then(|response| Some((response, example(&response.value)?)));
        let Some((response, (media, body))) = example else {
            return self.note(
                &operation.pointer,
                false,
                "there is no example to answer with",
            );
        };
        // A class such as 2XX is represented by its first status.
        let code = if response.name.bytes().all(|byte| byte.is_ascii_digit()) {
            &*response.name
        } else {
            "200"
        };
        let text = match &body.kind {
            Kind::String(text) => text.to_string(),
            _ => body.span.of(self.text).to_owned(),
        };
        let headers = Tree::Object(vec![("Content-Type".to_owned(), Tree::text(media))]);
        let rule = operation.rule([
            ("code", Tree::raw(code)),
            ("body", Tree::text(&text)),
            ("headers", headers),
        ]);
        self.add_rule("mock_response", rule);
        self.note(&operation.pointer, true, "its example is the answer");
    }
}

/// Returns the media type and the first example of a response.
fn example<'v, 't>(response: &'v Value<'t>) -> Option<(&'v str, &'v Value<'t>)> {
    let content = response.get("content")?;
    content.members().iter().find_map(|media| {
        let examples = media
            .value
            .get("examples")
            .map(Value::members)
            .unwrap_or_default();
        let named = examples
            .iter()
            .find_map(|example| example.value.get("value"));
        let one = media.value.get("example").or(named);
        Some((&*media.name, one?))
    })
}
