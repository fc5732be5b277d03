//! The rules of a definition that rewrite bodies, as the playground edits them.

use gatewright_model::json::pointer::push_token;
use gatewright_model::json::{Member, Value, parse, quote};

/// The lists of `extended_paths` with such rules, their titles, and the member with the filter or template.
const LISTS: [(&str, &str, &str); 4] = [
    (
        "transform",
        "Template of the request",
        "/template_data/template_source",
    ),
    (
        "transform_response",
        "Template of the answer",
        "/template_data/template_source",
    ),
    ("transform_jq", "jq of the request", "/filter"),
    ("transform_jq_response", "jq of the answer", "/filter"),
];

/// A rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BodyRule {
    /// The name of the list it is in.
    pub kind: &'static str,
    /// Its title.
    pub title: &'static str,
    /// The version it belongs to; empty if there is only one.
    pub version: String,
    /// Its method and path.
    pub on: String,
    /// Its pointer.
    pub pointer: String,
    /// The pointer of its filter or template.
    pub at: String,
    /// The source: a filter, or a template in Base64.
    source: String,
    /// The format in which a template reads the body.
    input: String,
    context: bool,
    meta: bool,
}

impl BodyRule {
    /// Returns the rule as the JSON that `web/editor/body-playground.js` reads.
    #[must_use]
    pub fn to_json(&self) -> String {
        format!(
            "{{\"kind\":\"{}\",\"pointer\":{},\"source\":{},\"input\":{},\"context\":{},\"meta\":{}}}",
            self.kind,
            quote(&self.pointer),
            quote(&self.source),
            quote(&self.input),
            self.context,
            self.meta
        )
    }

    /// Returns the edits that put what was tried into the definition: pointers and JSON values.
    #[must_use]
    pub fn edits(&self, source: &str, input: &str) -> Vec<(String, String)> {
        let mut edits = vec![(self.at.clone(), quote(source))];
        if input != self.input && self.at.ends_with("template_source") {
            edits.push((
                format!("{}/template_data/input_type", self.pointer),
                quote(input),
            ));
        }
        edits
    }

    /// Whether a pointer refers to the rule or something inside it.
    #[must_use]
    pub fn holds(&self, pointer: &str) -> bool {
        let rest = pointer.strip_prefix(&self.pointer);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

/// Returns the rules of a definition, in order; none if the text is not JSON.
#[must_use]
pub fn body_rules(text: &str) -> Vec<BodyRule> {
    let Ok(definition) = parse(text) else {
        return Vec::new();
    };
    let context = definition.bool("enable_context_vars").unwrap_or_default();
    let versions = definition.pointer("/version_data/versions");
    let versions = versions.map(Value::members).unwrap_or_default();
    let many = versions.len() > 1;
    let mut rules = Vec::new();
    for Member {
        name,
        value: version,
        ..
    } in versions
    {
        let mut around = "/version_data/versions".to_owned();
        push_token(&mut around, name);
        around.push_str("/extended_paths");
        for (kind, title, member) in LISTS {
            let list = version
                .get("extended_paths")
                .and_then(|paths| paths.get(kind));
            let rows = list.map(Value::items).unwrap_or_default();
            for (index, row) in rows.iter().enumerate() {
                let pointer = format!("{around}/{kind}/{index}");
                let text = |name: &str| row.str(name).unwrap_or_default();
                let data = row.get("template_data");
                let of_data = |name: &str| data.and_then(|data| data.str(name));
                let source = match data.filter(|_| member != "/filter") {
                    Some(_) => of_data("template_source").unwrap_or_default(),
                    None => text("filter"),
                };
                rules.push(BodyRule {
                    kind,
                    title,
                    version: if many {
                        name.to_string()
                    } else {
                        String::new()
                    },
                    on: format!("{} {}", text("method"), text("path")),
                    at: format!("{pointer}{member}"),
                    pointer,
                    source: source.to_owned(),
                    input: of_data("input_type").unwrap_or("json").to_owned(),
                    context,
                    meta: data
                        .and_then(|data| data.bool("enable_session"))
                        .unwrap_or_default(),
                });
            }
        }
    }
    rules
}
