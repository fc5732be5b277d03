//! Mock responses, which the gateway sends instead of calling the upstream (reference 3.15): everything that a request
//! can select is computed beforehand.

use super::super::Importer;
use super::super::operations::Operation;
use super::super::tree::Tree;
use crate::json::Value;

/// The content type of a body if the rule names none.
const PLAIN: &str = "text/plain; charset=utf-8";

impl<'i, 't> Importer<'i, 't> {
    /// Compiles the rules of `mockResponse`.
    pub(super) fn mocks(&mut self) {
        let groups = self.groups("mockResponse");
        if groups.is_empty() {
            return;
        }
        let mut routes = Vec::new();
        for group in &groups {
            let mut route = group.route();
            if group.is_ruled() {
                let mocks = group.candidates.iter().map(|(operation, rule)| match rule {
                    Some(rule) => self.mock_of(operation, rule),
                    None => Tree::raw("null"),
                });
                route.push(("mocks".to_owned(), Tree::Array(mocks.collect())));
                if group.candidates.len() > 1 {
                    route.push(("settings".to_owned(), self.path_parameters(group)));
                }
            }
            routes.push(Tree::Object(route));
        }
        self.tree
            .set("openapi.mock_response.routes", Tree::Array(routes));
    }

    fn mock_of(&self, operation: &Operation<'i, 't>, rule: &'i Value<'t>) -> Tree {
        let examples = rule.get("fromOASExamples");
        match examples.filter(|examples| examples.bool("enabled") == Some(true)) {
            Some(examples) => self.of_examples(operation, examples),
            None => Tree::Object(vec![("answer".to_owned(), self.plain(rule))]),
        }
    }

    /// Compiles a response given by the rule itself.
    fn plain(&self, rule: &Value<'_>) -> Tree {
        let mut answer = Tree::object();
        if let Some(code) = rule.get("code") {
            answer.set("code", self.raw(code));
        }
        let body = rule.str("body").unwrap_or_default();
        answer.set("body", Tree::text(body));
        // Of several fields with the same name, ignoring case, the last one counts.
        let list = rule.get("headers").map(Value::items).unwrap_or_default();
        let name = |header: &Value<'_>| header.str("name").unwrap_or_default().to_ascii_lowercase();
        let names: Vec<String> = list.iter().map(name).collect();
        let mut fields = Tree::object();
        for (at, header) in list.iter().enumerate() {
            let behind = names.iter().skip(at.saturating_add(1));
            if let Some(known) = header.str("name")
                && !behind.clone().any(|later| Some(later) == names.get(at))
            {
                let value = header.str("value").unwrap_or_default();
                fields.set_in(&[known], Tree::text(value));
            }
        }
        let has_type = names.iter().any(|name| name == "content-type");
        answer.set("headers", fields);
        if !body.is_empty() && !has_type {
            answer.set_in(&["headers", "Content-Type"], Tree::text(PLAIN));
        }
        answer
    }

    /// Compiles the examples of the document, and which of them is used unless a request selects another one.
    fn of_examples(&self, operation: &Operation<'i, 't>, rule: &Value<'_>) -> Tree {
        let mut mock = Tree::object();
        for (from, to) in [("contentType", "type"), ("exampleName", "name")] {
            let text = rule.str(from).filter(|text| !text.is_empty());
            if let Some(text) = text {
                mock.set(to, Tree::text(text));
            }
        }
        if let Some(code) = rule.int("code").filter(|code| *code != 0) {
            mock.set("code", Tree::text(&code.to_string()));
        }
        let responses = operation.value.get("responses").map(Value::members);
        let mut mocked = Vec::new();
        for member in responses.unwrap_or_default() {
            let Some(response) = self.resolved(&member.value) else {
                continue;
            };
            let mut headers = Tree::object();
            for header in response
                .get("headers")
                .map(Value::members)
                .unwrap_or_default()
            {
                if let Some(value) = self.header_value(&header.value) {
                    headers.set_in(&[&header.name], Tree::text(&value));
                }
            }
            let content = response
                .get("content")
                .map(Value::members)
                .unwrap_or_default();
            let content = content.iter().map(|media| {
                let bodies = self.bodies(&media.value, &media.name).into_iter();
                let bodies = bodies.map(|(name, body)| {
                    let name = name.map(|name| ("name".to_owned(), Tree::text(&name)));
                    let body = ("body".to_owned(), Tree::text(&body));
                    Tree::Object(name.into_iter().chain([body]).collect())
                });
                Tree::Object(vec![
                    ("type".to_owned(), Tree::text(&media.name)),
                    ("examples".to_owned(), Tree::Array(bodies.collect())),
                ])
            });
            mocked.push(Tree::Object(vec![
                ("code".to_owned(), Tree::text(&member.name)),
                ("headers".to_owned(), headers),
                ("content".to_owned(), Tree::Array(content.collect())),
            ]));
        }
        mock.set("responses", Tree::Array(mocked));
        mock
    }
}
