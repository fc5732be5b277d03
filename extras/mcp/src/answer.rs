//! Responses as MCP servers send them: one JSON text, or events of a stream (the event stream format of the HTML
//! standard, section 9.2.6).

use gatewright_model::json::{Value, parse_repeating, written};

/// The format of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Media {
    /// A JSON text.
    Json,
    /// Anything else, which may still be a JSON text.
    Other,
    /// Server-sent events.
    Events,
}

impl Media {
    /// Determines the format from a response's `Content-Type`.
    pub(crate) fn of(content_type: &str) -> Self {
        let media = content_type.split(';').next().unwrap_or_default().trim();
        if media.eq_ignore_ascii_case("text/event-stream") {
            Self::Events
        } else if media.eq_ignore_ascii_case("application/json") {
            Self::Json
        } else {
            Self::Other
        }
    }

    /// Returns the response with changed messages; `None` if all of them stay. `change` returns whether it has changed
    /// one.
    ///
    /// # Errors
    /// If the response declares JSON or events but can't be parsed: a client might parse it nevertheless.
    pub(crate) fn rewrite(
        self,
        body: &[u8],
        change: impl Fn(&mut Value<'_>) -> bool,
    ) -> Result<Option<String>, String> {
        let unread = "the answer can't be read";
        let text = std::str::from_utf8(body);
        let changed = match (self, text) {
            (Self::Other, Err(_)) => Ok(None),
            (Self::Json | Self::Events, Err(_)) => Err(()),
            (Self::Events, Ok(text)) => events(text, &change),
            (Self::Other, Ok(text)) => Ok(rewritten(text, &change).unwrap_or_default()),
            (Self::Json, Ok(text)) => rewritten(text, &change),
        };
        changed.map_err(|()| unread.to_owned())
    }
}

/// Returns the changed text, if it changes; `Err` if it is not JSON.
fn rewritten(text: &str, change: &impl Fn(&mut Value<'_>) -> bool) -> Result<Option<String>, ()> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let mut value = parse_repeating(text).ok_or(())?;
    Ok(change(&mut value).then(|| written(&value)))
}

/// Rewrites the events of a stream. The data lines of one event are one text, and become a single line if it has
/// changed; all other lines stay.
fn events(text: &str, change: &impl Fn(&mut Value<'_>) -> bool) -> Result<Option<String>, ()> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut stream = String::with_capacity(text.len());
    let mut is_changed = false;
    for event in blocks(text) {
        let fields = |name| event.iter().filter_map(move |line| field(line, name));
        let data: Vec<&str> = fields("data").collect();
        let mut changed = match rewritten(&data.join("\n"), change) {
            // The address for messages (*HTTP with SSE* of revision 2024-11-05).
            Err(()) if fields("event").eq(["endpoint"]) => None,
            read => read?,
        };
        is_changed |= changed.is_some();
        let had_change = changed.is_some();
        for line in event {
            match (data_line(line, had_change), changed.take()) {
                (true, Some(message)) => {
                    stream.push_str("data: ");
                    stream.push_str(&message);
                    stream.push('\n');
                }
                (true, None) => {}
                (false, message) => {
                    changed = message;
                    stream.push_str(line);
                    stream.push('\n');
                }
            }
        }
    }
    Ok(is_changed.then_some(stream))
}

/// Whether a line is a data line that has been replaced.
fn data_line(line: &str, had_change: bool) -> bool {
    had_change && field(line, "data").is_some()
}

/// Returns the value of a line with this field.
fn field<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    let value = match line.split_once(':') {
        Some((known, value)) if known == name => value,
        None if line == name => "",
        _ => return None,
    };
    Some(value.strip_prefix(' ').unwrap_or(value))
}

/// Returns the lines of each event, including the empty one at its end. A line ends with CR, LF or both.
fn blocks(text: &str) -> Vec<Vec<&str>> {
    let mut blocks: Vec<Vec<&str>> = Vec::new();
    let mut block: Vec<&str> = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(['\r', '\n']).unwrap_or(rest.len());
        let (line, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
        let ends = ["\r\n", "\r", "\n"];
        let behind = ends.iter().find_map(|end| behind.strip_prefix(end));
        rest = behind.unwrap_or_default();
        block.push(line);
        if line.is_empty() {
            blocks.push(std::mem::take(&mut block));
        }
    }
    if !block.is_empty() {
        blocks.push(block);
    }
    blocks
}
