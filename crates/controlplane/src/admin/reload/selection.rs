//! The body of a reload that publishes a selection, and the errors in it.

use crate::error::Error;
use gatewright_model::issue::{Issue, IssueCode, Severity};
use gatewright_model::json::{self, Kind, LineIndex, Member, Span, Value};
use gatewright_protocol::registry::Selection;

/// Parses a body, `{"apis": ["<id>"], "policies": ["<id>"]}` or `{"generation": 7}`; `None` for an empty one.
///
/// # Errors
/// 400 with each pointer that is wrong.
pub(super) fn read(text: &str) -> Result<Option<Selection>, Error> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let value = json::parse(text).map_err(Error::Malformed)?;
    let mut reading = Reading {
        lines: LineIndex::new(text),
        selection: Selection::default(),
        issues: Vec::new(),
    };
    for member in value.members() {
        reading.member(member);
    }
    reading.whole(&value);
    let Reading {
        selection, issues, ..
    } = reading;
    let Some(Issue {
        pointer, message, ..
    }) = issues.first()
    else {
        return Ok(Some(selection));
    };
    let place = match pointer.as_str() {
        "" => "The body",
        pointer => pointer,
    };
    let text = format!("Nothing was published. {place}: {message}");
    Err(Error::Unreadable(400, text, issues))
}

/// A body that is being read.
struct Reading<'t> {
    lines: LineIndex<'t>,
    selection: Selection,
    issues: Vec<Issue>,
}

impl Reading<'_> {
    fn say(&mut self, pointer: String, span: Span, code: IssueCode, message: &str) {
        self.issues.push(Issue {
            pointer,
            code,
            severity: Severity::Error,
            message: message.to_owned(),
            start: self.lines.position(span.start),
            end: self.lines.position(span.end),
        });
    }

    fn member(&mut self, member: &Member<'_>) {
        let value = &member.value;
        let mut pointer = String::new();
        json::pointer::push_token(&mut pointer, &member.name);
        match &*member.name {
            "apis" => {
                let ids = self.ids(&pointer, value);
                self.selection.apis.extend(ids);
            }
            "policies" => {
                let ids = self.ids(&pointer, value);
                self.selection.policies.extend(ids);
            }
            "generation" => {
                self.selection.generation = value.as_u64().filter(|number| *number > 0);
                if self.selection.generation.is_none() {
                    let text = "expected the number of a generation: GET /gateway/reload/generations lists them";
                    self.say(pointer, value.span, IssueCode::Type, text);
                }
            }
            _ => {
                let text = "unknown; a reload takes apis, policies and generation";
                self.say(pointer, member.name_span, IssueCode::UnknownMember, text);
            }
        }
    }

    fn ids(&mut self, pointer: &str, value: &Value<'_>) -> Vec<String> {
        let Some(items) = value.as_array() else {
            let text = "expected a list of ids";
            self.say(pointer.to_owned(), value.span, IssueCode::Type, text);
            return Vec::new();
        };
        let mut ids = Vec::new();
        for (at, item) in items.iter().enumerate() {
            match item.as_str() {
                Some(id) => ids.push(id.to_owned()),
                None => {
                    let text = "expected an id, a text";
                    self.say(format!("{pointer}/{at}"), item.span, IssueCode::Type, text);
                }
            }
        }
        ids
    }

    /// Checks what the members select together.
    fn whole(&mut self, value: &Value<'_>) {
        let selection = &self.selection;
        let names_some = !selection.apis.is_empty() || !selection.policies.is_empty();
        let (pointer, code, text) = if !matches!(value.kind, Kind::Object(_)) {
            let text = "expected an object with apis and policies, or with generation";
            ("", IssueCode::Type, text)
        } else if selection.generation.is_some() && names_some {
            let text = "a generation is published as it was; leave apis and policies out, or it";
            ("/generation", IssueCode::Conflict, text)
        } else if self.issues.is_empty() && *selection == Selection::default() {
            let text = "selects nothing; name APIs or policies, or leave the body out to publish everything";
            ("", IssueCode::Required, text)
        } else {
            return;
        };
        self.say(pointer.to_owned(), value.span, code, text);
    }
}
