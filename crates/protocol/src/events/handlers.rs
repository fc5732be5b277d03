//! Who receives events: `event_handlers` of a definition (reference 7.2).

use super::EventKind;
use crate::signal::{Receiver, handler_name};
use gatewright_model::json::Value;
use serde::{Deserialize, Serialize};

/// What an event handler does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Handler {
    /// Writes a line to the log that starts with this text.
    Log(String),
    /// Calls a webhook.
    Hook(Receiver),
}

/// The handlers of an API. Most APIs have none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handlers(Vec<(EventKind, Handler)>);

impl Handlers {
    /// Reads the handlers of a definition's revision that are enabled and can work here; the model has warned about the
    /// others.
    #[must_use]
    pub fn read(definition: &Value<'_>, revision: u64) -> Self {
        let mut handlers = Vec::new();
        let api_id = definition.str("api_id").unwrap_or_default();
        let events = definition.pointer("/event_handlers/events");
        for event in events.map(Value::members).unwrap_or_default() {
            let Some(kind) = EventKind::named(&event.name) else {
                continue;
            };
            for (index, handler) in event.value.items().iter().enumerate() {
                let hook = || handler_name(api_id, revision, kind.name(), index);
                handlers.extend(read(handler, hook).map(|handler| (kind, handler)));
            }
        }
        Self(handlers)
    }

    /// Returns the handlers of an event.
    pub fn of(&self, kind: EventKind) -> impl Iterator<Item = &Handler> {
        let of_kind = move |(of, _): &&(EventKind, Handler)| *of == kind;
        self.0.iter().filter(of_kind).map(|(_, handler)| handler)
    }

    /// Whether an event has a handler.
    #[must_use]
    pub fn hear(&self, kind: EventKind) -> bool {
        self.of(kind).next().is_some()
    }

    /// Whether an event about keys has a handler.
    #[must_use]
    pub fn hear_of_tokens(&self) -> bool {
        self.0.iter().any(|(kind, _)| kind.is_of_token())
    }
}

fn read(handler: &Value<'_>, hook: impl FnOnce() -> String) -> Option<Handler> {
    let settings = handler.get("handler_meta")?;
    if settings.bool("disabled") == Some(true) {
        return None;
    }
    let text = |name| settings.str(name).unwrap_or_default();
    match handler.str("handler_name")? {
        "eh_log_handler" => Some(Handler::Log(text("prefix").to_owned())),
        "eh_web_hook_handler" if text("id").is_empty() && text("target_path").is_empty() => None,
        "eh_web_hook_handler" => Some(Handler::Hook(Receiver {
            hook: hook(),
            // The handler's own target is called whatever else it names (reference 7.2).
            id: match text("target_path") {
                "" => text("id").to_owned(),
                _ => String::new(),
            },
            quiet_seconds: timeout(settings),
        })),
        _ => None,
    }
}

/// Returns for how many seconds a handler or a stored webhook with these settings is not sent the same event again.
#[must_use]
pub fn timeout(settings: &Value<'_>) -> u64 {
    let seconds = settings.int("event_timeout");
    seconds.map_or(0, |seconds| u64::try_from(seconds).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatewright_model::json::parse;

    fn handlers(events: &str) -> Handlers {
        let text = format!(r#"{{"api_id":"a","event_handlers":{{"events":{events}}}}}"#);
        Handlers::read(&parse(&text).unwrap(), 7)
    }

    #[test]
    fn only_enabled_and_supported_handlers_are_read() {
        let read = handlers(
            r#"{"AuthFailure":[
                {"handler_name":"eh_log_handler","handler_meta":{"prefix":"p"}},
                {"handler_name":"eh_log_handler","handler_meta":{"prefix":"p","disabled":true}},
                {"handler_name":"eh_dynamic_handler","handler_meta":{"name":"f"}},
                {"handler_name":"eh_web_hook_handler","handler_meta":{"method":"POST"}},
                {"handler_name":"eh_web_hook_handler",
                 "handler_meta":{"target_path":"https://e.example","event_timeout":5}}],
              "HostDown":[{"handler_name":"eh_log_handler","handler_meta":{}}],
              "TokenDeleted":[{"handler_name":"eh_web_hook_handler",
                 "handler_meta":{"id":"h","event_timeout":-1}},
                {"handler_name":"eh_web_hook_handler",
                 "handler_meta":{"id":"h","target_path":"https://e.example"}}]}"#,
        );
        let hook = |hook: &str, id: &str, quiet_seconds| {
            Handler::Hook(Receiver {
                hook: hook.to_owned(),
                id: id.to_owned(),
                quiet_seconds,
            })
        };
        let failures: Vec<_> = read.of(EventKind::AuthFailure).cloned().collect();
        let expected = [
            Handler::Log("p".to_owned()),
            hook("api/a/7/AuthFailure/4", "", 5),
        ];
        assert_eq!(failures, expected);
        let deleted: Vec<_> = read.of(EventKind::TokenDeleted).cloned().collect();
        let expected = [
            hook("api/a/7/TokenDeleted/0", "h", 0),
            hook("api/a/7/TokenDeleted/1", "", 0),
        ];
        assert_eq!(deleted, expected);
        assert!(read.hear_of_tokens() && !read.hear(EventKind::KeyExpired));
    }

    #[test]
    fn most_apis_have_none() {
        assert!(handlers("{}").0.is_empty());
        assert!(handlers(r#"{"AuthFailure":[]}"#).0.is_empty());
        assert!(
            handlers(r#"{"AuthFailure":[{"handler_name":"eh_log_handler"}]}"#)
                .0
                .is_empty()
        );
        assert!(Handlers::read(&parse("{}").unwrap(), 1).0.is_empty());
    }
}
