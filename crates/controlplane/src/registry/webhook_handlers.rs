//! Event handlers in a definition that call a webhook: which of them can't be called is reported when the definition is
//! written, not when the first event occurs.

use crate::registry::records::Records;
use gatewright_model::issue::{Issue, IssueCode, Severity};
use gatewright_model::json::pointer::push_token;
use gatewright_model::json::{self, LineIndex, Value};
use gatewright_protocol::records::Kind;

/// The maximum number of these warnings per definition.
const MAX: usize = 100;

/// The settings of one handler.
pub(crate) struct Handler<'v, 'a> {
    /// The pointer to them (RFC 6901).
    pub(crate) pointer: String,
    /// The settings, `handler_meta`.
    pub(crate) settings: &'v Value<'a>,
}

/// Returns the handlers of a definition that call a webhook and are not disabled.
pub(crate) fn of<'v, 'a>(definition: &'v Value<'a>) -> Vec<Handler<'v, 'a>> {
    let mut found = Vec::new();
    let events = definition.pointer("/event_handlers/events");
    for event in events.map(Value::members).unwrap_or_default() {
        for (index, handler) in event.value.items().iter().enumerate() {
            let Some(settings) = handler.get("handler_meta") else {
                continue;
            };
            let off = settings.bool("disabled") == Some(true);
            if off || handler.str("handler_name") != Some("eh_web_hook_handler") {
                continue;
            }
            let mut pointer = "/event_handlers/events".to_owned();
            push_token(&mut pointer, &event.name);
            let pointer = format!("{pointer}/{index}/handler_meta");
            found.push(Handler { pointer, settings });
        }
    }
    found.truncate(MAX);
    found
}

impl Handler<'_, '_> {
    /// Returns the text of a setting; empty if it is missing.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.settings.str(name).unwrap_or_default()
    }

    /// Builds a warning about one of the settings.
    pub(crate) fn warning(
        &self,
        lines: &LineIndex<'_>,
        name: &str,
        code: IssueCode,
        message: String,
    ) -> Option<Issue> {
        let span = self.settings.get(name)?.span;
        let mut pointer = self.pointer.clone();
        push_token(&mut pointer, name);
        Some(Issue {
            pointer,
            code,
            severity: Severity::Warning,
            message,
            start: lines.position(span.start),
            end: lines.position(span.end),
        })
    }
}

/// Warns about handlers that refer to a webhook the organisation does not have. A handler with a `target_path` is
/// exempt, because that is called.
pub(super) fn unknown(records: &Records, org: &str, text: &str) -> Vec<Issue> {
    let Ok(definition) = json::parse(text) else {
        return Vec::new();
    };
    let handlers = of(&definition);
    let known = |id: &str| records.live(Kind::Webhook, org, id).is_some();
    let lost = handlers.iter().filter(|handler| {
        let id = handler.text("id");
        !id.is_empty() && handler.text("target_path").is_empty() && !known(id)
    });
    let lines = LineIndex::new(text);
    let message = "no webhook of this organisation has this id, so nothing is called until one has";
    let warnings = lost.filter_map(|handler| {
        handler.warning(&lines, "id", IssueCode::Conflict, message.to_owned())
    });
    warnings.collect()
}
