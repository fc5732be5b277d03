//! The document of a proxy with the derived entries of its tools, for display (`expand`; the members of
//! `GatewayMCPServerPrimitive` in the companion of the specification).

use super::super::super::tree::Tree;
use super::{SERVERS, Tool, Unfit};
use crate::json::{Value, edit, written};

/// Members of an entry that are derived from the operation: values sent for them are ignored.
const DERIVED: [&str; 7] = [
    "inputSchema",
    "outputSchema",
    "parameterLocations",
    "parameterSourceNames",
    "parameterSerializations",
    "parameterOrder",
    "requestBodyContentType",
];

/// Returns the document of a proxy with an entry for each tool. Entries for operations that are not tools stay
/// unchanged.
pub(super) fn expanded(
    tools: &[Tool<'_, '_>],
    document: &Value<'_>,
    text: &str,
) -> Result<String, Unfit> {
    let [name, other] = SERVERS;
    let name = if document.get(other).is_some() {
        other
    } else {
        name
    };
    let server = document.get(name);
    let primitives = server.and_then(|server| server.get("primitives"));
    let primitives = primitives.map(Value::items).unwrap_or_default();
    let mut entries: Vec<Tree> = tools
        .iter()
        .map(|tool| entry(tool, tool.entry.and_then(|index| primitives.get(index))))
        .collect();
    let others = primitives.iter().enumerate();
    let others = others.filter(|(index, _)| !tools.iter().any(|tool| tool.entry == Some(*index)));
    entries.extend(others.map(|(_, other)| Tree::raw(&written(other))));
    let entries = Tree::Array(entries).compact();
    let at = format!("/{name}/primitives");
    edit::set(text, &at, &entries).map_err(|_| "the document is broken".to_owned())
}

fn entry(tool: &Tool<'_, '_>, settings: Option<&Value<'_>>) -> Tree {
    let own = settings.map(Value::members).unwrap_or_default();
    let own = own
        .iter()
        .filter(|member| !DERIVED.contains(&&*member.name));
    let mut members: Vec<(String, Tree)> = own
        .map(|member| (member.name.to_string(), Tree::raw(&written(&member.value))))
        .collect();
    let missing =
        |name: &str, members: &[(String, Tree)]| !members.iter().any(|(known, _)| known == name);
    if missing("source", &members) {
        let id = ("operationId".to_owned(), Tree::text(&tool.operation.id()));
        members.insert(0, ("source".to_owned(), Tree::Object(vec![id])));
    }
    if missing("name", &members) {
        members.push(("name".to_owned(), Tree::text(&tool.name)));
    }
    if missing("description", &members) {
        members.push(("description".to_owned(), Tree::text(&tool.description)));
    }
    let list = &tool.arguments.list;
    let texts = |of: &dyn Fn(&super::Argument) -> Tree| {
        let members = list.iter();
        let members = members.map(|argument| (argument.name.clone(), of(argument)));
        Tree::Object(members.collect())
    };
    let order = list.iter().map(|argument| Tree::text(&argument.name));
    members.push(("inputSchema".to_owned(), tool.input_schema()));
    if let Some(output) = &tool.output {
        members.push(("outputSchema".to_owned(), output.clone()));
    }
    members.extend([
        (
            "parameterLocations".to_owned(),
            texts(&|argument| Tree::text(argument.location)),
        ),
        (
            "parameterSourceNames".to_owned(),
            texts(&|argument| Tree::text(&argument.source)),
        ),
        (
            "parameterSerializations".to_owned(),
            texts(&|argument| {
                let text = |name: &str, text: &str| (name.to_owned(), Tree::text(text));
                let explode = Tree::raw(if argument.explode { "true" } else { "false" });
                Tree::Object(vec![
                    text("sourceName", &argument.source),
                    text("location", argument.location),
                    text("style", &argument.style),
                    ("explode".to_owned(), explode),
                    text("schemaType", &argument.kind),
                ])
            }),
        ),
        ("parameterOrder".to_owned(), Tree::Array(order.collect())),
    ]);
    if !tool.arguments.media.is_empty() {
        let media = Tree::text(&tool.arguments.media);
        members.push(("requestBodyContentType".to_owned(), media));
    }
    Tree::Object(members)
}
