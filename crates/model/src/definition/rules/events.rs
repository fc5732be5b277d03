//! Event handlers without effect: for events that are never raised, or handlers that can't work.

use super::Rules;
use crate::issue::IssueCode;
use crate::json::pointer::push_token;
use crate::json::{Value, quote};
use crate::shape::events::{EVENTS as KNOWN, RAISED};

const EVENTS: &str = "/event_handlers/events";

impl Rules<'_, '_> {
    pub(super) fn event_handlers(&mut self) {
        let events = self.definition.pointer(EVENTS);
        for event in events.map(Value::members).unwrap_or_default() {
            let mut pointer = EVENTS.to_owned();
            push_token(&mut pointer, &event.name);
            let handlers = event.value.items();
            let heard = handlers.iter().any(|handler| !is_off(handler));
            let named = |list: &[&str]| list.contains(&&*event.name);
            // Unknown event names were reported with the shape.
            if heard && named(KNOWN) && !named(RAISED) {
                let name = quote(&event.name);
                let message = format!("{name} isn't raised here, so its handlers do nothing");
                self.warning(IssueCode::NotEnforced, &pointer, message);
            }
            for (index, handler) in handlers.iter().enumerate() {
                if calls_nobody(handler) {
                    let message = "nothing is called; write a target_path, or the id of a webhook";
                    let pointer = format!("{pointer}/{index}/handler_meta");
                    self.warning(IssueCode::Required, &pointer, message);
                }
            }
        }
    }
}

fn is_off(handler: &Value<'_>) -> bool {
    handler
        .get("handler_meta")
        .and_then(|meta| meta.bool("disabled"))
        == Some(true)
}

/// Whether a webhook handler has neither a URL to call nor the id of a stored webhook.
fn calls_nobody(handler: &Value<'_>) -> bool {
    let says = |name| {
        let meta = handler.get("handler_meta");
        meta.and_then(|meta| meta.str(name))
            .is_some_and(|text| !text.is_empty())
    };
    handler.str("handler_name") == Some("eh_web_hook_handler")
        && !is_off(handler)
        && !says("id")
        && !says("target_path")
}

#[cfg(test)]
mod tests {
    use crate::definition::validate;

    fn issues(events: &str) -> Vec<String> {
        let text = format!(
            r#"{{"name":"a","use_keyless":true,"proxy":{{"listen_path":"/a/","target_url":"http://u"}},
                "event_handlers":{{"events":{events}}}}}"#
        );
        let line = |issue: crate::Issue| {
            let pointer = issue.pointer.replace("/event_handlers/events", "");
            format!("{} {pointer} {}", issue.code.as_str(), issue.message)
        };
        validate(&text).into_iter().map(line).collect()
    }

    #[test]
    fn handlers_that_work_are_no_issue() {
        let works = r#"{"AuthFailure":[{"handler_name":"eh_log_handler","handler_meta":{"prefix":"x"}},
            {"handler_name":"eh_web_hook_handler","handler_meta":{"method":"POST","event_timeout":5,
             "target_path":"https://e.example/","header_map":{"X-A":"b"}}}],
            "HostDown":[],"HostUp":[{"handler_name":"eh_log_handler","handler_meta":{"disabled":true}}]}"#;
        assert_eq!(issues(works), [""; 0]);
    }

    #[test]
    fn unheard_events_are_a_warning() {
        let idle = r#"{"CertificateExpired":[{"handler_name":"eh_log_handler","handler_meta":{"prefix":"x"}}],
            "KeyExpired":[{"handler_name":"eh_web_hook_handler","handler_meta":{"method":"POST"}},
            {"handler_name":"eh_web_hook_handler","handler_meta":{"id":"h","template_path":"t.json"}},
            {"handler_name":"eh_dynamic_handler","handler_meta":{"name":"f","path":"f.js"}}]}"#;
        assert_eq!(
            issues(idle),
            [
                r#"not_enforced /CertificateExpired "CertificateExpired" isn't raised here, so its handlers do nothing"#,
                "required /KeyExpired/0/handler_meta nothing is called; write a target_path, or the id of a webhook",
                "unsupported /KeyExpired/1/handler_meta/template_path event_handlers.events.KeyExpired.1.handler_meta.template_path is kept but has no effect: there are no files to take a template from, so the default body is sent",
                "not_enforced /KeyExpired/2/handler_meta/name event_handlers.events.KeyExpired.2.handler_meta.name is kept but has no effect yet",
                "not_enforced /KeyExpired/2/handler_meta/path event_handlers.events.KeyExpired.2.handler_meta.path is kept but has no effect yet",
            ]
        );
    }
}
