//! Answers as MCP servers send them: one JSON text, or events of a stream (the event stream format of the HTML
//! standard, section 9.2.6).

use gatewright_model::json::{Value, parse_repeating, written};

/// How an answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Media {
    /// A JSON text.
    Json,
    /// Anything else, which may be a JSON text all the same.
    Other,
    /// Events.
    Events,
}

impl Media {
    /// By the `Content-Type` of an answer.
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

    /// The answer with other messages; `None` if all of them stay. `change` says whether it has changed one.
    ///
    /// # Errors
    /// An answer that says it is JSON, and can't be read: a client might read it all the same.
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

/// Another text; `Err` for one that is not JSON.
fn rewritten(text: &str, change: &impl Fn(&mut Value<'_>) -> bool) -> Result<Option<String>, ()> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let mut value = parse_repeating(text).ok_or(())?;
    Ok(change(&mut value).then(|| written(&value)))
}

/// Goes through the events of a stream. Lines of data of one event are one text, and become one line where it has
/// changed; all other lines stay.
fn events(text: &str, change: &impl Fn(&mut Value<'_>) -> bool) -> Result<Option<String>, ()> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut stream = String::with_capacity(text.len());
    let mut is_changed = false;
    for event in blocks(text) {
        let data: Vec<&str> = event.iter().filter_map(|line| data(line)).collect();
        let mut changed = rewritten(&data.join("\n"), change)?;
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

/// Whether a line is one of data that another one takes the place of.
fn data_line(line: &str, had_change: bool) -> bool {
    had_change && data(line).is_some()
}

/// What a line says, if it is one of data.
fn data(line: &str) -> Option<&str> {
    let value = match line.split_once(':') {
        Some(("data", value)) => value,
        None if line == "data" => "",
        _ => return None,
    };
    Some(value.strip_prefix(' ').unwrap_or(value))
}

/// The lines of each event, with the empty one at its end. A line ends with CR, LF or both.
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
