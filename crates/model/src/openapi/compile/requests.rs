//! The rules for validating requests of an operation (reference 3.14), for the module that does so.
//!
//! Each group has its own text with the schemas it reaches, so that a request costs as much as its operation, not as
//! the document. If those texts together would be much longer than the document, all groups share one.

use super::super::Importer;
use super::super::operations::Operation;
use super::super::tree::Tree;
use super::operations::Group;
use crate::json::{Kind, Value};
use std::collections::BTreeMap;

/// The total size in bytes up to which each group has its own text.
const MAX_APART: usize = 1 << 20;

/// The status of a refusal if the rule names none.
const STATUS: i64 = 422;

/// The members of a parameter that are passed on.
const OF_PARAMETER: [&str; 8] = [
    "name",
    "in",
    "required",
    "style",
    "explode",
    "allowEmptyValue",
    "schema",
    "content",
];

/// The targets of references, by reference.
type Reached<'i> = BTreeMap<&'i str, Tree>;

impl<'i, 't> Importer<'i, 't> {
    /// Compiles the rules of `validateRequest`.
    pub(super) fn validations(&mut self) {
        let groups = self.groups("validateRequest");
        if groups.is_empty() {
            return;
        }
        let mut texts = Vec::new();
        let mut length = 0_usize;
        for group in groups.iter().filter(|group| group.is_ruled()) {
            let mut reached = Reached::new();
            let operations = self.candidates(group, &mut reached);
            let text = settings(operations, reached).compact();
            length = length.saturating_add(text.len());
            texts.push(text);
            if length > MAX_APART {
                break;
            }
        }
        if length > MAX_APART {
            let mut reached = Reached::new();
            let mut all = Vec::new();
            for group in groups.iter().filter(|group| group.is_ruled()) {
                all.extend(self.candidates(group, &mut reached));
            }
            texts = vec![settings(all, reached).compact()];
        }
        let is_shared = length > MAX_APART;
        let mut routes = Vec::new();
        let (mut number, mut first) = (0_usize, 0_usize);
        for group in &groups {
            let mut route = group.route();
            if group.is_ruled() {
                let count = group.candidates.len();
                let at = if is_shared { 0 } else { number };
                let start = if is_shared { first } else { 0 };
                let number_of = |number: usize| Tree::raw(&number.to_string());
                route.push(("settings".to_owned(), number_of(at)));
                route.push(("first".to_owned(), number_of(start)));
                route.push(("count".to_owned(), number_of(count)));
                route.extend(self.looks_at(group));
                number = number.saturating_add(1);
                first = first.saturating_add(count);
            }
            routes.push(Tree::Object(route));
        }
        let texts = texts.iter().map(|text| Tree::raw(text)).collect();
        let member = "openapi.validate_request";
        self.tree
            .set(&format!("{member}.routes"), Tree::Array(routes));
        self.tree
            .set(&format!("{member}.settings"), Tree::Array(texts));
    }

    /// Lists the parts of a request that a group needs: the names of headers, and whether it reads the body.
    fn looks_at(&self, group: &Group<'i, 't>) -> Vec<(String, Tree)> {
        let mut headers: Vec<String> = Vec::new();
        let mut reads_body = false;
        for (operation, rule) in &group.candidates {
            if rule.is_none() {
                continue;
            }
            for parameter in self.parameters(operation) {
                match parameter.str("in") {
                    Some("header") => {
                        headers.extend(parameter.str("name").map(str::to_ascii_lowercase));
                    }
                    Some("cookie") => headers.push("cookie".to_owned()),
                    _ => {}
                }
            }
            reads_body |= operation.value.get("requestBody").is_some();
        }
        if reads_body {
            headers.push("content-type".to_owned());
        }
        headers.sort();
        headers.dedup();
        let headers = headers.iter().map(|name| Tree::text(name)).collect();
        vec![
            ("headers".to_owned(), Tree::Array(headers)),
            (
                "body".to_owned(),
                Tree::raw(if reads_body { "true" } else { "false" }),
            ),
        ]
    }

    /// Compiles the requirements of the operations of a group. One without a rule has only its path parameters.
    fn candidates(&self, group: &Group<'i, 't>, reached: &mut Reached<'i>) -> Vec<Tree> {
        let several = group.candidates.len() > 1;
        let candidates = group.candidates.iter();
        candidates
            .map(|(operation, rule)| self.candidate(operation, *rule, several, reached))
            .collect()
    }

    fn candidate(
        &self,
        operation: &Operation<'i, 't>,
        rule: Option<&Value<'_>>,
        several: bool,
        reached: &mut Reached<'i>,
    ) -> Tree {
        let mut members = vec![("path".to_owned(), Tree::text(operation.path))];
        let mut parameters = self.parameters(operation);
        match rule {
            Some(rule) => {
                let status = rule.int("errorResponseCode").filter(|code| *code != 0);
                let status = status.unwrap_or(STATUS).to_string();
                members.push(("status".to_owned(), Tree::raw(&status)));
                if several {
                    members.push(("several".to_owned(), Tree::raw("true")));
                }
                let body = operation.value.get("requestBody");
                if let Some(body) = body.and_then(|body| self.resolved(body)) {
                    members.push(("body".to_owned(), self.body(body, reached)));
                }
            }
            None => parameters.retain(|parameter| parameter.str("in") == Some("path")),
        }
        let parameters = parameters.into_iter();
        let parameters = parameters.map(|parameter| {
            let known = OF_PARAMETER.iter().filter_map(|name| {
                let value = parameter.get(name)?;
                self.reach(value, reached);
                Some(((*name).to_owned(), self.raw(value)))
            });
            Tree::Object(known.collect())
        });
        members.push(("parameters".to_owned(), Tree::Array(parameters.collect())));
        Tree::Object(members)
    }

    /// Returns the path parameters of the candidates, to tell those apart; references are resolved.
    pub(super) fn path_parameters(&self, group: &Group<'i, 't>) -> Tree {
        let mut reached = Reached::new();
        let candidates = group.candidates.iter();
        let operations = candidates
            .map(|(operation, _)| self.candidate(operation, None, true, &mut reached))
            .collect();
        settings(operations, reached)
    }

    /// Compiles a request body: whether it is required, and the schemas of its content types.
    fn body(&self, body: &'i Value<'t>, reached: &mut Reached<'i>) -> Tree {
        let mut content = Tree::object();
        for media in body.get("content").map(Value::members).unwrap_or_default() {
            let mut members = Vec::new();
            for name in ["schema", "encoding"] {
                if let Some(value) = media.value.get(name) {
                    self.reach(value, reached);
                    members.push((name.to_owned(), self.raw(value)));
                }
            }
            content.set_in(&[&media.name], Tree::Object(members));
        }
        let is_required = body.bool("required") == Some(true);
        Tree::Object(vec![
            (
                "required".to_owned(),
                Tree::raw(if is_required { "true" } else { "false" }),
            ),
            ("content".to_owned(), content),
        ])
    }

    /// Collects the targets of the references in a value, transitively.
    fn reach(&self, value: &'i Value<'t>, reached: &mut Reached<'i>) {
        let mut pending = vec![value];
        while let Some(value) = pending.pop() {
            match &value.kind {
                Kind::Array(items) => pending.extend(items),
                Kind::Object(members) => {
                    for member in members {
                        match (&*member.name, member.value.as_str()) {
                            ("$ref", Some(reference)) => {
                                pending.extend(self.reached(reference, reached));
                            }
                            // A `mapping` names schemas that are also in the list beside it.
                            _ => pending.push(&member.value),
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Returns the target of a reference that has not been collected before.
    fn reached(&self, reference: &'i str, reached: &mut Reached<'i>) -> Option<&'i Value<'t>> {
        if reached.contains_key(reference) {
            return None;
        }
        let target = self.document.pointer(reference.strip_prefix('#')?)?;
        reached.insert(reference, self.raw(target));
        Some(target)
    }
}

/// Returns the settings passed to the module once.
fn settings(operations: Vec<Tree>, reached: Reached<'_>) -> Tree {
    let references = reached.into_iter();
    let references = references.map(|(reference, tree)| (reference.to_owned(), tree));
    Tree::Object(vec![
        ("operations".to_owned(), Tree::Array(operations)),
        ("references".to_owned(), Tree::Object(references.collect())),
    ])
}
