//! Link 2, first half: paths that the gateway answers itself (`extended_paths.mock_response`, reference 5.2 no. 5).
//!
//! A mock precedes path lists, address lists and keys, but an `internal` path has none for requests from outside. Its
//! response has exactly the headers of its rule, and no response rules apply. A rule without a method matches nothing.

use super::cors::{self, is_preflight};
use super::path_lists::List;
use crate::chain::{Compiler, Middleware, Step};
use crate::exchange::Exchange;
use crate::failure::{Answer, Reply};
use crate::headers::{answer_value, is_name};
use crate::rules::PatternId;
use gatewright_model::json::Value;

/// Rules for paths that the gateway answers itself.
#[derive(Debug)]
pub struct MockResponses {
    rows: Vec<Mock>,
    internal: List,
    has_cors: bool,
}

/// A path and a method with their response.
#[derive(Debug)]
struct Mock {
    path: PatternId,
    method: String,
    number: usize,
    answer: Answer,
}

/// Headers about transferring a response, which the platform sets.
const OF_CONNECTION: [&str; 6] = [
    "connection",
    "content-length",
    "keep-alive",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// The response that a definition spells out: its `code`, `headers`, and the member that holds its body. What is not
/// permitted in a response is left out: invalid header names, values with line breaks, and the body of a status that
/// has none (RFC 9110 section 6.4.1). The default code is 200.
#[must_use]
pub fn written_answer(value: &Value<'_>, body: &str) -> Answer {
    let status = match value.int("code") {
        None | Some(0) => 200,
        // The platform sends no other status.
        Some(code @ 200..=599) => u16::try_from(code).unwrap_or(500),
        Some(_) => 500,
    };
    let members = value.get("headers").map(Value::members).unwrap_or_default();
    let mut headers: Vec<(String, String)> = members
        .iter()
        .filter_map(|member| {
            let name = member.name.to_ascii_lowercase();
            let is_sent = is_name(&name) && !OF_CONNECTION.contains(&name.as_str());
            let value = member.value.as_str()?;
            is_sent.then(|| (name, answer_value(value)))
        })
        .collect();
    let body = match status {
        204 | 205 | 304 => "",
        _ => value.str(body).unwrap_or_default(),
    };
    let has_type = headers.iter().any(|(name, _)| name == "content-type");
    if !body.is_empty() && !has_type {
        headers.push(("content-type".to_owned(), sniffed(body).to_owned()));
    }
    Answer {
        status,
        headers,
        body: body.to_owned(),
    }
}

/// How bodies start, with their content types (MIME Sniffing Standard, sections 6 and 7.1), limited to those a text can
/// start with.
const SIGNATURES: [(&str, &str); 11] = [
    ("\u{feff}", PLAIN),
    ("%PDF-", "application/pdf"),
    ("%!PS-Adobe-", "application/postscript"),
    ("GIF87a", "image/gif"),
    ("GIF89a", "image/gif"),
    ("BM", "image/bmp"),
    ("ID3", "audio/mpeg"),
    ("OTTO", "font/otf"),
    ("ttcf", "font/collection"),
    ("wOFF", "font/woff"),
    ("wOF2", "font/woff2"),
];
const PLAIN: &str = "text/plain; charset=utf-8";

/// The tags that make a body HTML, in upper case, if a space or `>` follows; as in the reference, that goes for a comment
/// too.
const HTML: [&str; 17] = [
    "<!DOCTYPE HTML",
    "<HTML",
    "<HEAD",
    "<SCRIPT",
    "<IFRAME",
    "<H1",
    "<DIV",
    "<FONT",
    "<TABLE",
    "<A",
    "<STYLE",
    "<TITLE",
    "<B",
    "<BODY",
    "<BR",
    "<P",
    "<!--",
];

/// Guesses the content type of a body without one.
fn sniffed(body: &str) -> &'static str {
    let text = body.trim_start_matches(['\t', '\n', '\u{c}', '\r', ' ']);
    if HTML.iter().any(|tag| begins_with_tag(text, tag)) {
        return "text/html; charset=utf-8";
    }
    if text.starts_with("<?xml") {
        return "text/xml; charset=utf-8";
    }
    if let Some((_, found)) = SIGNATURES.iter().find(|(begin, _)| body.starts_with(begin)) {
        return found;
    }
    let is_binary = |byte: u8| matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f);
    if body.bytes().take(512).any(is_binary) {
        return "application/octet-stream";
    }
    PLAIN
}

fn begins_with_tag(text: &str, tag: &str) -> bool {
    let Some((begin, behind)) = text.split_at_checked(tag.len()) else {
        return false;
    };
    begin.eq_ignore_ascii_case(tag) && behind.starts_with([' ', '>'])
}

impl Middleware for MockResponses {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        let rows = from.rows("mock_response").into_iter();
        let rows: Vec<Mock> = rows
            .map(|row| Mock {
                path: from.list_path(&row),
                method: row.method().to_owned(),
                number: row.number,
                answer: written_answer(row.value, "body"),
            })
            .collect();
        from.origin_of_rules("mock_response", rows.len());
        (!rows.is_empty()).then(|| Self {
            rows,
            internal: List::internal(from),
            has_cors: cors::is_on(from.definition),
        })
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        if self.has_cors && is_preflight(exchange) {
            return Step::Next;
        }
        let fits =
            |mock: &&Mock| mock.method == exchange.request.method && exchange.is_match(mock.path);
        let Some(mock) = self.rows.iter().find(fits) else {
            return Step::Next;
        };
        if self.internal.hides(exchange) {
            return Step::Next;
        }
        exchange.note(|| format!("rule {} of mock_response answers", mock.number));
        Step::Reply(Reply::Answer(mock.answer.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::sniffed;
    use crate::testing::{Sent, send};

    const DEFINITION: &str = r#"{"version_data":{"versions":{"v":{"use_extended_paths":true,
        "global_response_headers":{"X-All":"1"},
        "extended_paths":{"mock_response":[
            {"path":"/mock/{id}","method":"GET","code":404,"body":"{\"e\":1}","headers":{"Content-Type":"application/json","X-Mock":"by-id"}},
            {"path":"/mock","method":"GET","code":200,"body":"<p>hi"},
            {"path":"/mock","method":"POST","code":201,"body":"","headers":{"Location":"/mock/9"}},
            {"path":"/Case","method":"GET","body":"any","ignore_case":true},
            {"path":"/Strict","method":"GET","body":"any"},
            {"path":"/off","method":"GET","code":503,"disabled":true},
            {"path":"/any","code":200,"body":"never"},
            {"path":"/low","method":"get","code":200,"body":"never"},
            {"path":"/none","method":"GET","code":204,"body":"never","headers":{"X-A":"a\r\nb","Content-Length":"9","b d":"x"}},
            {"path":"/odd","method":"GET","code":99,"body":"x"},
            {"path":"/broken(","method":"GET","body":"never"}]}}}}}"#;

    fn got(method: &str, path: &str) -> Sent {
        send(DEFINITION, method, path, &[])
    }

    fn shown(method: &str, path: &str) -> Option<(u16, String, String)> {
        let sent = got(method, path);
        let answer = sent.answer()?;
        let lines = answer
            .headers
            .iter()
            .map(|(name, value)| format!("{name}: {value}"));
        Some((
            answer.status,
            lines.collect::<Vec<_>>().join("|"),
            answer.body.clone(),
        ))
    }

    #[test]
    fn the_first_row_of_path_and_method_answers() {
        let is =
            |status, headers: &str, body: &str| Some((status, headers.to_owned(), body.to_owned()));
        assert_eq!(
            shown("GET", "/mock/7"),
            is(
                404,
                "content-type: application/json|x-mock: by-id",
                "{\"e\":1}"
            )
        );
        assert_eq!(
            shown("GET", "/mock?x=1"),
            is(200, "content-type: text/html; charset=utf-8", "<p>hi")
        );
        assert_eq!(shown("POST", "/mock"), is(201, "location: /mock/9", ""));
        assert_eq!(
            shown("GET", "/cASE"),
            is(200, "content-type: text/plain; charset=utf-8", "any")
        );
    }

    #[test]
    fn other_methods_and_disabled_rows_pass() {
        for (method, path) in [
            ("PUT", "/mock"),
            ("HEAD", "/mock"),
            ("GET", "/strict"),
            ("GET", "/off"),
            ("GET", "/any"),
            ("GET", "/low"),
            ("GET", "/broken("),
        ] {
            assert_eq!(shown(method, path), None, "{method} {path}");
        }
    }

    /// CORS or the upstream answers a preflight even if a rule would (reference 3.4 and 3.5).
    #[test]
    fn a_preflight_skips_mocks_with_cors_only() {
        let row = r#""version_data":{"versions":{"v":{"use_extended_paths":true,"extended_paths":{
            "mock_response":[{"path":"/m","method":"OPTIONS","code":418,"body":""}],
            "white_list":[{"path":"/r","method_actions":{"OPTIONS":{"action":"reply","code":418}}}]}}}}"#;
        let asks = [
            ("origin", "https://a"),
            ("access-control-request-method", "GET"),
        ];
        for (cors, headers, status) in [
            (r#""enable":true"#, &asks[..], Some(204)),
            (r#""enable":true"#, &[], Some(418)),
            (r#""enable":true,"options_passthrough":true"#, &asks, None),
            (r#""enable":false"#, &asks, Some(418)),
        ] {
            let definition = format!(r#"{{"CORS":{{{cors}}},{row}}}"#);
            for path in ["/m", "/r"] {
                let sent = send(&definition, "OPTIONS", path, headers);
                assert_eq!(sent.status(), status, "{cors} {path} {headers:?}");
            }
        }
    }

    #[test]
    fn invalid_response_headers_are_omitted() {
        assert_eq!(
            shown("GET", "/none"),
            Some((204, "x-a: a  b".to_owned(), String::new()))
        );
        assert_eq!(got("GET", "/odd").status(), Some(500));
    }

    #[test]
    fn a_content_type_is_found_from_the_body() {
        for (body, found) in [
            ("plain", "text/plain; charset=utf-8"),
            ("{\"a\":1}", "text/plain; charset=utf-8"),
            ("\n <!doctype html>", "text/html; charset=utf-8"),
            ("<bodyguard>", "text/plain; charset=utf-8"),
            ("<b>x", "text/html; charset=utf-8"),
            ("<!-- x", "text/html; charset=utf-8"),
            ("<!--x", "text/plain; charset=utf-8"),
            ("BM", "image/bmp"),
            ("<br", "text/plain; charset=utf-8"),
            (" <?xml version='1.0'?>", "text/xml; charset=utf-8"),
            ("%PDF-1.7", "application/pdf"),
            ("a\u{1}", "application/octet-stream"),
            ("é", "text/plain; charset=utf-8"),
        ] {
            assert_eq!(sniffed(body), found, "{body}");
        }
    }
}
