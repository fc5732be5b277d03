//! Responses of an API as results of a tool (<https://modelcontextprotocol.io/specification/2025-11-25/server/tools>,
//! *Tool Result*): the caller sees an error of the API like any other response, and can choose a different call.
//!
//! The promise: if a tool has an `outputSchema`, a result that isn't an error matches it. A response that doesn't
//! becomes an error that says what is wrong with it.

use crate::output;
use crate::parts::{last, object};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gatewright_model::json::{Kind, Value, parse, parse_repeating, quote, written};

/// Turns a response into a result. The first line of the facts is the response's head, the rest what `asked` returned
/// for this. `is_cut` says that the body was cut off.
pub(crate) fn of(is_cut: bool, facts: &str, body: &[u8]) -> Result<String, String> {
    let broken = || "what the gateway tells is no JSON".to_owned();
    let (head, context) = facts.split_once('\n').ok_or_else(broken)?;
    let read = |text| parse(text).map_err(|_| broken());
    let context = read(context)?;
    let head = parse_repeating(head).ok_or_else(broken)?;
    let id = context.str("id").unwrap_or("null");
    let status = head.int("status").unwrap_or(500);
    let media = last(&head, "headers")
        .and_then(|headers| headers.get("content-type"))
        .and_then(|values| values.items().first()?.as_str())
        .unwrap_or_default();
    let media = media.split(';').next().unwrap_or_default().trim();
    let media = media.to_ascii_lowercase();
    let kind = media.split('/').next().unwrap_or_default();
    let text = String::from_utf8_lossy(body);
    let value = match !is_cut && (media.ends_with("/json") || media.ends_with("+json")) {
        true => parse_repeating(&text),
        false => None,
    };
    let content = match kind {
        "image" | "audio" if !is_cut && std::str::from_utf8(body).is_err() => object(&[
            ("type", quote(kind)),
            ("data", quote(&STANDARD.encode(body))),
            ("mimeType", quote(&media)),
        ]),
        _ if text.is_empty() => texts(&format!("HTTP {status}")),
        _ => texts(&text),
    };
    // Before revision 2026-07-28 it has to be an object; clients of both accept one.
    let is_object = |value: &&Value<'_>| matches!(value.kind, Kind::Object(_));
    let is_failed = status >= 400;
    let structured = value.as_ref().filter(is_object).filter(|_| !is_failed);
    let schema = context.get("output").filter(|_| !is_failed);
    let mismatch = schema.and_then(|schema| match structured {
        Some(value) => output::mismatch(schema, value),
        None if is_cut => Some("it is longer than a result may be".to_owned()),
        None => Some("it is no JSON object".to_owned()),
    });
    let mut content = vec![content];
    content.extend(mismatch.as_ref().map(|why| {
        texts(&format!("The API has answered with status {status}, but not as the outputSchema of the tool says: {why}"))
    }));
    let is_error = is_failed || mismatch.is_some();
    let mut members = Vec::new();
    if context.bool("modern") == Some(true) {
        members.push(("resultType", quote("complete")));
    }
    members.push(("content", format!("[{}]", content.join(","))));
    if let Some(value) = structured.filter(|_| !is_error) {
        members.push(("structuredContent", written(value)));
    }
    members.push(("isError", is_error.to_string()));
    let result = object(&members);
    Ok(format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}"
    ))
}

fn texts(text: &str) -> String {
    object(&[("type", quote("text")), ("text", quote(text))])
}
