//! Rules about webhooks: where their calls may go, and which headers they may set.

use crate::definition::target::{self, Target};
use crate::findings::Findings;
use crate::issue::IssueCode;
use crate::json::Value;
use crate::json::pointer::push_token;
use crate::text::network::is_token;

/// Headers that a webhook can't set: those of the connection (RFC 9110 section 7.6.1), those that the sender computes,
/// and `Expect`, which changes the exchange.
const RESERVED: [&str; 14] = [
    "connection",
    "content-encoding",
    "content-length",
    "expect",
    "host",
    "http2-settings",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// The prefix of the headers of Standard Webhooks 1.0.0; only the signer sets them.
const SIGNED: &str = "webhook-";

/// Returns the problem of a header of a webhook, if any.
#[must_use]
pub fn header_problem(name: &str, value: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    if !is_token(name) {
        Some("the name of a header has letters, digits and !#$%&'*+-.^_`|~ only")
    } else if lower.starts_with(SIGNED) {
        Some("the signer sets the webhook- headers; remove this one")
    } else if RESERVED.contains(&lower.as_str()) {
        Some("this header belongs to the connection; remove it")
    } else if !value
        .bytes()
        .all(|byte| matches!(byte, 0x20..=0x7e | b'\t'))
    {
        Some("the value of a header is printable ASCII text on one line")
    } else {
        None
    }
}

/// Checks a webhook; the shape has already been checked.
pub(super) fn check(webhook: &Value<'_>, findings: &mut Findings) {
    if let Some(value) = webhook.get("target_path") {
        // Other types have already been reported.
        let text = value.as_str().or(value.is_null().then_some(""));
        if let Some(problem) = text.and_then(target_problem) {
            // Elsewhere, a malformed URL is only a warning, and WebSocket URLs are allowed.
            findings.retract(value.span);
            findings.error(IssueCode::Format, value.span, "/target_path", problem);
        }
    }
    let Some(headers) = webhook.get("header_map") else {
        return;
    };
    for member in headers.members() {
        let value = member.value.as_str().unwrap_or_default();
        if let Some(problem) = header_problem(&member.name, value) {
            let mut pointer = "/header_map".to_owned();
            push_token(&mut pointer, &member.name);
            // As above.
            findings.retract(member.name_span);
            findings.error(IssueCode::Format, member.name_span, pointer, problem);
        }
    }
}

/// Returns the problem of a target URL, if any.
fn target_problem(text: &str) -> Option<&'static str> {
    let scheme = text.split_once("://").map_or("", |(scheme, _)| scheme);
    if !matches!(scheme.to_ascii_lowercase().as_str(), "http" | "https") {
        return Some(SCHEME);
    }
    match target::check(text) {
        Err(reason) => Some(reason),
        Ok(Target::Usable { credentials: true }) => {
            Some("it can't contain a user name or password; remove what stands before '@'")
        }
        Ok(Target::Usable { .. } | Target::Unsupported(_) | Target::Loop(_)) => None,
    }
}

const SCHEME: &str = "begin it with http:// or https://";

#[cfg(test)]
mod tests {
    use crate::document::validate;
    use crate::shape::Root;

    fn pointers(text: &str) -> Vec<String> {
        let issues = validate(Root::Webhook, text);
        issues.into_iter().map(|issue| issue.pointer).collect()
    }

    #[test]
    fn a_target_is_an_http_url_without_credentials() {
        for (target, right) in [
            ("https://example.com/hook?a=b", true),
            ("HTTP://example.com", true),
            ("http://127.0.0.1:9/", true),
            ("", false),
            ("/relative", false),
            ("example.com", false),
            ("ftp://example.com/", false),
            ("ws://example.com/", false),
            ("https://u:p@example.com/", false),
            ("https://user@example.com/", false),
        ] {
            let text = format!(r#"{{"method":"POST","target_path":"{target}"}}"#);
            let found = pointers(&text);
            if right {
                assert!(found.is_empty(), "{target}: {found:?}");
            } else {
                assert!(found.iter().all(|at| at == "/target_path"), "{found:?}");
                assert_eq!(found.len(), 1, "{target}: {found:?}");
            }
        }
    }

    #[test]
    fn no_header_of_the_connection_or_the_signature_can_be_set() {
        for (name, value, right) in [
            ("X-Team", "ops", true),
            ("Authorization", "Bearer x", true),
            ("Content-Type", "application/cloudevents+json", true),
            ("Host", "x", false),
            ("content-LENGTH", "1", false),
            ("Transfer-Encoding", "chunked", false),
            ("Webhook-Signature", "v1,x", false),
            ("a b", "x", false),
            ("", "x", false),
            ("X-Split", "a\\r\\nb: c", false),
            ("X-Wide", "\u{fc}", false),
        ] {
            let text = format!(
                r#"{{"method":"POST","target_path":"https://e.example","header_map":{{"{name}":"{value}"}}}}"#
            );
            let found = pointers(&text);
            // Each problem is told once.
            assert_eq!(found.len(), usize::from(!right), "{name}: {found:?}");
        }
    }
}
