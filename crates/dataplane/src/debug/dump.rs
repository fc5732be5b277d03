//! The reference's two texts: request and response as on the wire, and the steps as log lines.

use super::mask::Mask;
use crate::batch::{Item, Scope};
use crate::headers::canonical;
use gatewright_api::debug::{Answer, Decision, Step};
use gatewright_model::definition::ApiDefinition;
use gatewright_model::json::quote;
use gatewright_protocol::time::rfc3339;

/// Formats request and response (reference 1.8), without the request's credentials.
pub(super) fn dump(scope: &Scope<'_>, item: &Item, mask: &Mask, answer: &Answer) -> String {
    let mut text = format!("====== Request ======\n{} ", item.method);
    text.push_str(&mask.hide(&item.path));
    if !item.query.is_empty() {
        text.push('?');
        text.push_str(&mask.hide(&item.query));
    }
    text.push_str(" HTTP/1.1");
    line(&mut text, "Host", scope.authority);
    for (name, value) in &item.headers {
        line(&mut text, &canonical(name), &mask.header(name, value));
    }
    text.push_str("\r\n\r\n");
    text.push_str(&mask.hide(&item.body));
    text.push_str("\n====== Response ======\nHTTP/1.1 ");
    text.push_str(&answer.status.to_string());
    for (name, values) in &answer.headers {
        for value in values {
            line(&mut text, name, &mask.hide(value));
        }
    }
    text.push_str("\r\n\r\n");
    text.push_str(&mask.hide(&answer.body));
    text
}

fn line(text: &mut String, name: &str, value: &str) {
    text.push_str("\r\n");
    text.push_str(name);
    text.push_str(": ");
    text.push_str(value);
}

/// The steps of a request that started at `began`, one per line.
pub(super) fn logs(definition: &ApiDefinition, began: u64, steps: &[Step]) -> String {
    let mut text = String::new();
    for step in steps {
        let (decision, level) = match step.decision {
            Decision::Passed => ("passed", "info"),
            Decision::Refused => ("refused", "warning"),
            Decision::Skipped => ("skipped", "info"),
            Decision::Deferred => ("deferred", "info"),
        };
        let members = [
            ("api_id", definition.api_id.as_str()),
            ("api_name", &definition.name),
            ("decision", decision),
            ("level", level),
            ("msg", &step.detail),
            ("mw", &step.name),
        ];
        log(&mut text, began.saturating_add(step.at_ms), &members);
    }
    text
}

/// Writes a log line with these members and the time.
fn log(text: &mut String, ms: u64, members: &[(&str, &str)]) {
    text.push('{');
    for (name, value) in members {
        text.push('"');
        text.push_str(name);
        text.push_str("\":");
        text.push_str(&quote(value));
        text.push(',');
    }
    text.push_str("\"time\":\"");
    text.push_str(&rfc3339(ms));
    text.push_str("\"}\n");
}
