//! Requests to MCP proxies: JSON-RPC 2.0 messages (reference 6.4).
//!
//! The promise: a message is parsed once, before a key is required; authorisation, counting and answers all use that
//! result, and the upstream gets the body byte for byte.

mod message;
pub mod sessions;

pub use gatewright_model::mcp::Rights;
pub use message::{Message, Unread, read};

use crate::chain::{Need, Step};
use crate::exchange::{Body, Exchange};
use crate::failure::{Failure, FailureReply, Reply};
use gatewright_model::json::quote;

/// Whether the request's content type is JSON.
#[must_use]
pub fn is_json(exchange: &Exchange) -> bool {
    const JSON: &[u8] = b"application/json";
    let media = exchange
        .request
        .headers
        .get("content-type")
        .unwrap_or_default();
    let beginning = media.trim_start().as_bytes().get(..JSON.len());
    beginning.is_some_and(|beginning| beginning.eq_ignore_ascii_case(JSON))
}

/// Reads the message in a request's body.
///
/// # Errors
/// The step for the current link to return: the body is needed, too long, or not a message.
pub fn ask(exchange: &mut Exchange) -> Result<(), Step> {
    let read = match &exchange.body {
        Body::Streamed => {
            let max = exchange.chain.settings.max_body_bytes;
            return Err(Step::Need(Need::Body { max }));
        }
        Body::TooLarge => return Err(Step::Reply(Failure::BodyOverLimit.into())),
        Body::Read(bytes) => read(bytes),
    };
    let message = match read {
        Ok(message) => message,
        Err(Unread {
            failure,
            message,
            id,
        }) => {
            exchange.rpc = Some(Message::unread(id));
            return Err(Step::Reply(Reply::saying(failure, message)));
        }
    };
    let mismatch = message.mismatch(exchange);
    exchange.note(|| message.describe());
    exchange.rpc = Some(message);
    match mismatch {
        Some(words) => Err(Step::Reply(Reply::saying(Failure::RpcHeaders, words))),
        None => Ok(()),
    }
}

/// Reads what may be a message, because there are rules for messages: whatever its content type or its method, a server
/// that accepts it could be asked for what they forbid.
///
/// # Errors
/// As [`ask`]; or that only a POST may have a message.
pub fn ask_ruled(exchange: &mut Exchange) -> Result<(), Step> {
    if exchange.rpc.is_some() {
        return Ok(());
    }
    let header = |name| exchange.request.headers.get(name);
    let has_body = || {
        header("transfer-encoding").is_some()
            || header("content-length").is_some_and(|length| length.trim() != "0")
    };
    match exchange.request.method.as_str() {
        "POST" => ask(exchange),
        "GET" | "HEAD" | "OPTIONS" | "DELETE" if !has_body() => Ok(()),
        _ => Err(Step::Reply(Reply::Failure(FailureReply {
            headers: vec![("allow".to_owned(), "DELETE, GET, POST".to_owned())],
            ..Failure::MethodNotAllowed.into()
        }))),
    }
}

/// An error in answer to a message (reference 6.4, *Code map*). Errors in the message itself have their own codes and
/// no data.
#[must_use]
pub fn error(failure: Failure, status: u16, text: &str, id: &str) -> String {
    let text = quote(text);
    let own = match failure {
        Failure::RpcParse => Some(-32_700),
        Failure::RpcInvalid => Some(-32_600),
        Failure::RpcParams => Some(-32_602),
        Failure::RpcHeaders => Some(-32_020),
        _ => None,
    };
    if let Some(code) = own {
        return format!(
            "{{\"jsonrpc\":\"2.0\",\"error\":{{\"code\":{code},\"message\":{text}}},\"id\":{id}}}\n"
        );
    }
    let code = match status {
        401 => -32_001,
        403 => -32_002,
        429 => -32_003,
        502..=504 => -32_004,
        404 => -32_601,
        400 | 405 => -32_600,
        402..500 => -32_000,
        _ => -32_603,
    };
    format!(
        "{{\"jsonrpc\":\"2.0\",\"error\":{{\"code\":{code},\"message\":{text},\"data\":{{\"http_code\":{status}}}}},\"id\":{id}}}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_the_code_of_its_status() {
        for (status, code) in [
            (401, -32_001),
            (403, -32_002),
            (429, -32_003),
            (502, -32_004),
            (503, -32_004),
            (504, -32_004),
            (404, -32_601),
            (400, -32_600),
            (405, -32_600),
            (500, -32_603),
            (501, -32_603),
            (411, -32_000),
            (422, -32_000),
            (499, -32_000),
        ] {
            let body = error(Failure::ApiDisallowed, status, "a \"b\"", "\"x\"");
            assert_eq!(
                body,
                format!(
                    r#"{{"jsonrpc":"2.0","error":{{"code":{code},"message":"a \"b\"","data":{{"http_code":{status}}}}},"id":"x"}}"#
                )
            );
        }
        let parse = error(Failure::RpcParse, 400, "parse error", "null");
        assert_eq!(
            parse,
            "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"parse error\"},\"id\":null}\n"
        );
    }
}
