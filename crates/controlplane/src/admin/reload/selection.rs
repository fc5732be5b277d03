//! The body of a reload that publishes a selection, and the errors in it.

use crate::error::Error;
use gatewright_model::issue::{Issue, IssueCode, Severity};
use gatewright_model::json::{self, Kind, LineIndex, Span, Value};
use gatewright_protocol::registry::Selection;
use std::cell::RefCell;

/// Parses a body, `{"apis": ["<id>"], "policies": ["<id>"]}` or `{"generation": 7}`; `None` for an empty one.
///
/// # Errors
/// 400 with each pointer that is wrong.
pub(super) fn read(text: &str) -> Result<Option<Selection>, Error> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    let value = json::parse(text).map_err(Error::Malformed)?;
    let lines = LineIndex::new(text);
    let issues = RefCell::new(Vec::new());
    let say = |pointer: String, span: Span, code, message: &str| {
        issues.borrow_mut().push(Issue {
            pointer,
            code,
            severity: Severity::Error,
            message: message.to_owned(),
            start: lines.position(span.start),
            end: lines.position(span.end),
        });
    };
    let mut selection = Selection::default();
    for member in value.members() {
        let Value { span, .. } = member.value;
        let mut pointer = String::new();
        json::pointer::push_token(&mut pointer, &member.name);
        let ids = match &*member.name {
            "apis" => &mut selection.apis,
            "policies" => &mut selection.policies,
            "generation" => {
                selection.generation = member.value.as_u64().filter(|number| *number > 0);
                if selection.generation.is_none() {
                    let text = "expected the number of a generation: GET /gateway/reload/generations lists them";
                    say(pointer, span, IssueCode::Type, text);
                }
                continue;
            }
            _ => {
                let text = "unknown; a reload takes apis, policies and generation";
                say(pointer, member.name_span, IssueCode::UnknownMember, text);
                continue;
            }
        };
        let Some(items) = member.value.as_array() else {
            say(pointer, span, IssueCode::Type, "expected a list of ids");
            continue;
        };
        for (at, item) in items.iter().enumerate() {
            match item.as_str() {
                Some(id) => ids.push(id.to_owned()),
                None => {
                    let pointer = format!("{pointer}/{at}");
                    say(
                        pointer,
                        item.span,
                        IssueCode::Type,
                        "expected an id, a text",
                    );
                }
            }
        }
    }
    let names_some = !selection.apis.is_empty() || !selection.policies.is_empty();
    if !matches!(value.kind, Kind::Object(_)) {
        let text = "expected an object with apis and policies, or with generation";
        say(String::new(), value.span, IssueCode::Type, text);
    } else if selection.generation.is_some() && names_some {
        let text = "a generation is published as it was; leave apis and policies out, or it";
        say(
            "/generation".to_owned(),
            value.span,
            IssueCode::Conflict,
            text,
        );
    } else if issues.borrow().is_empty() && selection == Selection::default() {
        let text =
            "selects nothing; name APIs or policies, or leave the body out to publish everything";
        say(String::new(), value.span, IssueCode::Required, text);
    }
    let issues = issues.into_inner();
    match issues.first() {
        None => Ok(Some(selection)),
        Some(first) => {
            let text = format!(
                "Nothing was published. {}{}{}",
                first.pointer,
                if first.pointer.is_empty() {
                    "The body: "
                } else {
                    ": "
                },
                first.message
            );
            Err(Error::Unreadable(400, text, issues))
        }
    }
}
