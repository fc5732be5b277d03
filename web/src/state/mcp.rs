//! Messages to an MCP server (JSON-RPC 2.0 over HTTP), and reading its responses. Plain values.

use std::borrow::Cow;

use gatewright_model::json::{Kind, Value, parse, quote};

/// The header in which a server returns the session id and later requests send it.
pub const SESSION_HEADER: &str = "Mcp-Session-Id";

/// The revision of the protocol that is used.
const PROTOCOL: &str = "2025-06-18";

/// A tool of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its description.
    pub about: String,
    /// Its arguments, according to its schema.
    pub arguments: Vec<Argument>,
}

/// An argument of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// The type of its value, such as `string`; empty if the schema gives none or several.
    pub kind: String,
    /// Its description.
    pub about: String,
    /// Whether it is required.
    pub required: bool,
    /// The allowed values; empty if any is.
    pub choices: Vec<String>,
    /// Its default, as JSON.
    first: String,
}

impl Argument {
    fn read(name: &str, schema: &Value<'_>, required: bool, text: &str) -> Self {
        let kind = schema.str("type").unwrap_or_default();
        let choices = schema.get("enum").map(Value::items).unwrap_or_default();
        let choices: Vec<String> = choices
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect();
        let empty = match (kind, choices.first()) {
            ("string", Some(first)) => quote(first),
            ("string", None) => "\"\"".to_owned(),
            ("number" | "integer", _) => "0".to_owned(),
            ("boolean", _) => "false".to_owned(),
            ("array", _) => "[]".to_owned(),
            ("object", _) => "{}".to_owned(),
            _ => "null".to_owned(),
        };
        let default = schema
            .get("default")
            .map(|value| value.span.of(text).to_owned());
        Self {
            name: name.to_owned(),
            kind: kind.to_owned(),
            about: schema.str("description").unwrap_or_default().to_owned(),
            required,
            choices,
            first: default.unwrap_or(empty),
        }
    }

    /// Whether a form field can edit it.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        matches!(
            self.kind.as_str(),
            "string" | "number" | "integer" | "boolean"
        )
    }

    /// Returns its value in the arguments, as shown in a field; empty if it is not set.
    #[must_use]
    pub fn value(&self, arguments: &str) -> String {
        let Ok(all) = parse(arguments) else {
            return String::new();
        };
        let Some(value) = all.get(&self.name) else {
            return String::new();
        };
        value
            .as_str()
            .map_or_else(|| value.span.of(arguments).to_owned(), str::to_owned)
    }

    /// Returns the arguments with the text of its field applied; an empty field of an optional argument is left out.
    #[must_use]
    pub fn typed(&self, arguments: &str, typed: &str) -> String {
        let Ok(all) = parse(arguments) else {
            return arguments.to_owned();
        };
        let is_text = self.kind == "string" || parse(typed.trim()).is_err();
        let value = match (typed.is_empty() && !self.required, is_text) {
            (true, _) => None,
            (false, true) => Some(quote(typed)),
            (false, false) => Some(typed.trim().to_owned()),
        };
        let known = all
            .members()
            .iter()
            .map(|member| (&*member.name, member.value.span.of(arguments)));
        let before: Vec<(&str, &str)> = known.collect();
        let has = before.iter().any(|(name, _)| *name == self.name);
        let added = value
            .as_deref()
            .filter(|_| !has)
            .map(|value| (&*self.name, value));
        let kept = before
            .into_iter()
            .filter_map(|(name, old)| match name == self.name {
                true => Some((name, value.as_deref()?)),
                false => Some((name, old)),
            });
        object(kept.chain(added))
    }
}

impl Tool {
    /// Returns the initial arguments of a call: the required ones.
    #[must_use]
    pub fn first(&self) -> String {
        let needed = self.arguments.iter().filter(|argument| argument.required);
        object(needed.map(|argument| (&*argument.name, &*argument.first)))
    }
}

/// Writes an object with one member per line.
fn object<'m>(members: impl Iterator<Item = (&'m str, &'m str)>) -> String {
    let lines = members.map(|(name, value)| format!("\n  {}: {value}", quote(name)));
    let lines: Vec<String> = lines.collect();
    match lines.as_slice() {
        [] => "{}".to_owned(),
        lines => format!("{{{}\n}}", lines.join(",")),
    }
}

/// Returns the headers of a message.
#[must_use]
pub fn headers(session: Option<&str>) -> Vec<(String, String)> {
    let mut headers = vec![
        ("Content-Type".to_owned(), "application/json".to_owned()),
        (
            "Accept".to_owned(),
            "application/json, text/event-stream".to_owned(),
        ),
    ];
    if let Some(session) = session {
        headers.push((SESSION_HEADER.to_owned(), session.to_owned()));
    }
    headers
}

/// Returns the first message of a session.
#[must_use]
pub fn initialize() -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{PROTOCOL}","capabilities":{{}},"clientInfo":{{"name":"gatewright-console","version":"1"}}}}}}"#
    )
}

/// The notification after which a server accepts other requests.
pub const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// Returns a request for the tools, starting at a cursor.
#[must_use]
pub fn list(cursor: Option<&str>) -> String {
    ask("tools/list", cursor)
}

/// Returns a request for a list by its method, starting at a cursor.
#[must_use]
pub fn ask(method: &str, cursor: Option<&str>) -> String {
    let parameters = cursor.map(|cursor| format!(",\"params\":{{\"cursor\":{}}}", quote(cursor)));
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":{}{}}}"#,
        quote(method),
        parameters.unwrap_or_default()
    )
}

/// Returns a call of a tool. Arguments that aren't JSON are sent unchanged, so that the response says so.
#[must_use]
pub fn call(name: &str, arguments: &str) -> String {
    let arguments = if arguments.trim().is_empty() {
        "{}"
    } else {
        arguments
    };
    format!(
        "{{\n\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/call\",\n\"params\": {{\"name\": {}, \"arguments\": {arguments}}}\n}}",
        quote(name)
    )
}

/// Returns the message in a body. If that is an event stream (server-sent events), it is the first response in it.
fn message(body: &str) -> Cow<'_, str> {
    if body.trim_start().starts_with('{') {
        return Cow::Borrowed(body);
    }
    for event in body.replace("\r\n", "\n").split("\n\n") {
        let lines = event.lines().filter_map(|line| line.strip_prefix("data:"));
        let data: Vec<&str> = lines.map(str::trim_start).collect();
        let data = data.join("\n");
        let is_answer = parse(&data)
            .is_ok_and(|value| value.get("result").is_some() || value.get("error").is_some());
        if is_answer {
            return Cow::Owned(data);
        }
    }
    Cow::Borrowed("")
}

/// Reads the tools in a response, and the cursor of the next page.
///
/// # Errors
/// The error reported by the server or the gateway.
pub fn tools(body: &str) -> Result<(Vec<Tool>, Option<String>), String> {
    let read = |answer: &Answered<'_>| {
        let tools = answer
            .items
            .iter()
            .filter_map(|tool| read(tool, answer.text));
        tools.collect()
    };
    answered(body, "tools", &read)
}

/// An entry of a server's list: a tool, a resource, a resource template or a prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// Its name; for a resource, its URI.
    pub name: String,
    /// Its description.
    pub about: String,
    /// Its input as the server declares it: the schema of a tool, the arguments of a prompt. JSON; empty for none.
    pub takes: String,
}

/// Reads the list in a response whose entries are identified by their member `name`, and the cursor of the next page.
///
/// # Errors
/// The error reported by the server or the gateway.
pub fn listed(
    body: &str,
    (list, name): (&str, &str),
) -> Result<(Vec<Listed>, Option<String>), String> {
    let one = |value: &Value<'_>, text: &str| {
        let takes = ["inputSchema", "arguments"].into_iter();
        let takes = takes.filter_map(|name| value.get(name)).next();
        let texts = ["description", "title", "name"].into_iter();
        let texts = texts.filter_map(|own| Some((own, value.str(own)?)));
        // A resource has a name in addition to its URI.
        let about = texts
            .filter(|(own, text)| *own != name && !text.is_empty())
            .map(|(_, text)| text);
        Some(Listed {
            name: value.str(name)?.to_owned(),
            about: about.take(1).collect(),
            takes: takes
                .map(|value| value.span.of(text).to_owned())
                .unwrap_or_default(),
        })
    };
    let read = |answer: &Answered<'_>| {
        let items = answer
            .items
            .iter()
            .filter_map(|item| one(item, answer.text));
        items.collect()
    };
    answered(body, list, &read)
}

/// Whether a response means that the server has none of that kind: it doesn't know the method.
#[must_use]
pub fn is_unknown_method(body: &str) -> bool {
    let text = message(body);
    let answer = parse(&text).ok();
    let error = answer.as_ref().and_then(|answer| answer.get("error"));
    error.is_some_and(|error| error.int("code") == Some(-32601))
}

/// The list in a response, and the text that it is a slice of.
struct Answered<'a> {
    items: &'a [Value<'a>],
    text: &'a str,
}

fn answered<T>(
    body: &str,
    list: &str,
    read: &dyn Fn(&Answered<'_>) -> Vec<T>,
) -> Result<(Vec<T>, Option<String>), String> {
    let text = message(body);
    let Ok(answer) = parse(&text) else {
        return Err("The answer is not a JSON-RPC message.".to_owned());
    };
    if let Some(error) = answer.get("error") {
        let message = error
            .str("message")
            .or_else(|| error.as_str())
            .unwrap_or("no reason is given");
        return Err(format!("The answer is an error: {message}"));
    }
    let found = answer
        .pointer(&format!("/result/{list}"))
        .filter(|found| matches!(found.kind, Kind::Array(_)));
    let Some(found) = found else {
        return Err(format!("The answer has no list of {list}."));
    };
    let cursor = answer.pointer("/result/nextCursor").and_then(Value::as_str);
    let items = read(&Answered {
        items: found.items(),
        text: &text,
    });
    Ok((items, cursor.map(str::to_owned)))
}

fn read(tool: &Value<'_>, text: &str) -> Option<Tool> {
    let schema = tool.get("inputSchema");
    let required = schema
        .and_then(|schema| schema.get("required"))
        .map(Value::items)
        .unwrap_or_default();
    let is_required = |name: &str| required.iter().any(|own| own.as_str() == Some(name));
    let properties = schema
        .and_then(|schema| schema.get("properties"))
        .map(Value::members);
    let argument = |member: &gatewright_model::json::Member<'_>| {
        Argument::read(&member.name, &member.value, is_required(&member.name), text)
    };
    Some(Tool {
        name: tool.str("name")?.to_owned(),
        about: tool.str("description").unwrap_or_default().to_owned(),
        arguments: properties
            .unwrap_or_default()
            .iter()
            .map(argument)
            .collect(),
    })
}
