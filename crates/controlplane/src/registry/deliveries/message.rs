//! The format of webhook requests: Standard Webhooks 1.0.0 (<https://www.standardwebhooks.com>).

use super::secret::HookSecrets;
use crate::ports::Outgoing;
use gatewright_model::document::webhook::header_problem;
use gatewright_model::json;
use serde_json::Value;

/// The maximum length of a body in bytes (Standard Webhooks, *Payload size*).
pub const BODY_MAX_BYTES: usize = 20 * 1024;

/// The default `User-Agent`.
const AGENT: &str = "Gatewright";

/// Builds the body for an event. If it would be too long, its lists are removed and `truncated` is set: the document
/// itself has everything.
#[must_use]
pub fn body(kind: &str, at: &str, data: &Value) -> String {
    let (kind, at) = (Value::from(kind), Value::from(at));
    let write = |data: &Value| format!(r#"{{"type":{kind},"timestamp":{at},"data":{data}}}"#);
    let whole = write(data);
    if whole.len() <= BODY_MAX_BYTES {
        return whole;
    }
    let mut kept = data.as_object().cloned().unwrap_or_default();
    kept.retain(|_, value| !value.is_array() && !value.is_object());
    kept.insert("truncated".to_owned(), true.into());
    let shorter = write(&Value::Object(kept));
    if shorter.len() <= BODY_MAX_BYTES {
        return shorter;
    }
    write(&serde_json::json!({ "truncated": true }))
}

/// The error for a webhook whose stored text is malformed.
pub(super) const UNREADABLE: &str = "The webhook can't be read";

/// How a request is signed.
#[derive(Clone, Copy, Debug)]
pub enum Signing<'a> {
    /// With the secrets of a stored webhook, which must have some.
    With(Option<&'a HookSecrets>),
    /// Not signed: a definition has no secret to sign with.
    None,
}

/// Builds the request for a webhook, or for a handler of a definition, whose settings have the same members. `now` is
/// in Unix milliseconds.
///
/// # Errors
/// Why no request can be made.
pub fn outgoing(
    webhook: &json::Value<'_>,
    id: &str,
    body: String,
    signing: Signing<'_>,
    now: u64,
) -> Result<Outgoing, &'static str> {
    let method = match webhook
        .str("method")
        .unwrap_or_default()
        .to_ascii_uppercase()
    {
        // Any other text means GET (reference 7.3).
        method if matches!(method.as_str(), "POST" | "PUT" | "PATCH" | "DELETE") => method,
        _ => "GET".to_owned(),
    };
    // A GET has no body (RFC 9110 section 9.3.1): it only signals that something has happened.
    let body = (method != "GET").then_some(body);
    let signature = match signing {
        Signing::None => None,
        Signing::With(secrets) => {
            let signed = body.as_deref().unwrap_or_default();
            let signature = secrets.and_then(|secrets| secrets.signature(id, signed, now));
            Some(signature.ok_or(
                "The webhook has no signing secret: make one with POST /api/hooks/{hookId}/secret",
            )?)
        }
    };
    let mut headers = vec![("user-agent".to_owned(), AGENT.to_owned())];
    if body.is_some() {
        headers.push(("content-type".to_owned(), "application/json".to_owned()));
    }
    let own = webhook.get("header_map").map(json::Value::members);
    for member in own.unwrap_or_default() {
        let name = member.name.to_ascii_lowercase();
        let value = member.value.as_str().unwrap_or_default();
        // A revision older than this rule may contain an invalid header.
        if header_problem(&name, value).is_none() {
            headers.retain(|(known, _)| *known != name);
            headers.push((name, value.to_owned()));
        }
    }
    headers.push(("webhook-id".to_owned(), id.to_owned()));
    headers.push(("webhook-timestamp".to_owned(), (now / 1000).to_string()));
    if let Some(signature) = signature {
        headers.push(("webhook-signature".to_owned(), signature));
    }
    Ok(Outgoing {
        method,
        url: webhook.str("target_path").unwrap_or_default().to_owned(),
        headers,
        body,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatewright_protocol::secret::Secret;
    use serde_json::json;

    fn secrets() -> HookSecrets {
        let token = "A".repeat(43);
        HookSecrets::rotated(None, Secret::new(&token).unwrap(), 0)
    }

    fn sent(webhook: &Value) -> Outgoing {
        let (text, secrets) = (webhook.to_string(), secrets());
        let signing = Signing::With(Some(&secrets));
        let webhook = json::parse(&text).unwrap();
        outgoing(&webhook, "ntc_1", "{}".to_owned(), signing, 1_999).unwrap()
    }

    #[test]
    fn a_body_is_never_longer_than_the_standard_allows() {
        let short = body("T", "2026", &json!({"b": 1, "a": [1]}));
        assert_eq!(
            short,
            r#"{"type":"T","timestamp":"2026","data":{"a":[1],"b":1}}"#
        );
        let many: Vec<String> = (0..5000).map(|n| format!("api-{n}")).collect();
        let cut = body("T", "2026", &json!({"_id": "x", "api_ids": many}));
        assert!(cut.len() <= BODY_MAX_BYTES);
        assert!(
            cut.contains(r#""data":{"_id":"x","truncated":true}"#),
            "{cut}"
        );
        let long = body("T", "2026", &json!({"name": "x".repeat(30_000)}));
        assert!(long.len() <= BODY_MAX_BYTES && long.contains("truncated"));
    }

    #[test]
    fn webhook_headers_cannot_override_the_signature() {
        let webhook = json!({
            "method": "put", "target_path": "https://e.example/x",
            "header_map": {"X-Team": "ops", "Content-Type": "application/x", "Webhook-Id": "forged", "Host": "h"},
        });
        let outgoing = sent(&webhook);
        assert_eq!(
            (outgoing.method.as_str(), outgoing.url.as_str()),
            ("PUT", "https://e.example/x")
        );
        let all = |name: &str| {
            let found = outgoing.headers.iter().filter(|(key, _)| key == name);
            found.map(|(_, value)| value.clone()).collect::<Vec<_>>()
        };
        assert_eq!(all("x-team"), ["ops"]);
        assert_eq!(all("content-type"), ["application/x"]);
        assert_eq!(all("webhook-id"), ["ntc_1"]);
        assert_eq!(all("webhook-timestamp"), ["1"]);
        assert!(all("host").is_empty());
        let expected = secrets().signature("ntc_1", "{}", 1_999).unwrap();
        assert_eq!(all("webhook-signature"), [expected]);
    }

    #[test]
    fn get_signs_an_empty_body() {
        let outgoing = sent(&json!({"method": "", "target_path": "https://e.example/"}));
        assert_eq!((outgoing.method.as_str(), &outgoing.body), ("GET", &None));
        let expected = secrets().signature("ntc_1", "", 1_999).unwrap();
        assert!(
            outgoing
                .headers
                .contains(&("webhook-signature".to_owned(), expected))
        );
    }

    #[test]
    fn without_a_secret_nothing_is_sent() {
        let webhook = json::parse("{}").unwrap();
        let refused = outgoing(&webhook, "ntc_1", String::new(), Signing::With(None), 0);
        assert!(refused.unwrap_err().contains("no signing secret"));
    }

    #[test]
    fn a_handler_of_a_definition_is_not_signed() {
        let text = r#"{"method":"POST","target_path":"https://e.example/"}"#;
        let handler = json::parse(text).unwrap();
        let sent = outgoing(&handler, "ntc_1", "{}".to_owned(), Signing::None, 0).unwrap();
        assert_eq!(sent.body.as_deref(), Some("{}"));
        let names: Vec<&str> = sent.headers.iter().map(|(name, _)| name.as_str()).collect();
        assert!(names.contains(&"webhook-id") && !names.contains(&"webhook-signature"));
    }
}
