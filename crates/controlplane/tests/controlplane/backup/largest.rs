//! The largest documents: whatever is exported can be imported.

use super::{export, import, imported, message, sent};
use gatewright_controlplane::config::OPENAPI_MAX_BYTES;
use gatewright_testkit::platform::Memory;

/// Returns an OpenAPI document of about this many bytes. Its description consists of escaped quotation marks, so that
/// every byte of it is escaped once more in a line of an export.
fn document(bytes: usize, before: &str, after: &str) -> String {
    let escaped = "\\\"".repeat((bytes - before.len() - after.len()) / 2);
    format!("{before}{escaped}{after}")
}

fn json() -> String {
    let before = r#"{"openapi":"3.0.3","info":{"title":"t","version":"1","description":""#;
    let after = r#""},"paths":{},"servers":[{"url":"http://gateway.test/a"},{"url":"/a"}],"components":{},
        "x-gateway-api-gateway":{"info":{"id":"a","name":"a","state":{"active":true}},
        "upstream":{"url":"http://up/"},"server":{"listenPath":{"value":"/a/","strip":true}}}}"#;
    // Its line is longer than 8 MiB; one of 16 MiB takes too long without optimisations.
    document(5 * 1024 * 1024, before, after)
}

fn yaml() -> String {
    let before = "# b\nopenapi: 3.0.3\ninfo:\n  title: t\n  version: '1'\n  description: \"";
    let after = "\"\npaths: {}\nx-gateway-api-gateway:\n  info: {id: a, name: a, state: {active: true}}\n  \
        upstream: {url: http://up/}\n  server: {listenPath: {value: /a/, strip: true}}\n";
    // Long enough for several rows and pages; the largest takes too long without optimisations.
    document(2 * 1024 * 1024, before, after)
}

fn stored(text: &str, kind: &str) -> Memory {
    let memory = Memory::default();
    let header = [("content-type", kind)];
    let answer = sent(&memory, "POST", "/gateway/apis/oas", text, &header);
    assert_eq!(answer.status, 200, "{}", answer.body);
    memory
}

fn shown(memory: &Memory, kind: &str) -> String {
    let header = [("accept", kind)];
    let answer = sent(memory, "GET", "/gateway/apis/oas/a", "", &header);
    assert_eq!(answer.status, 200);
    answer.body
}

#[test]
fn exports_large_openapi_documents_so_that_they_can_be_imported() {
    for (text, kind) in [(json(), "application/json"), (yaml(), "application/yaml")] {
        let from = stored(&text, kind);
        let file = export(&from, "");
        assert!(file.len() > 2 * text.len() - 10_000, "{}", file.len());
        let to = Memory::default();
        imported(&to, &file);
        assert!(shown(&to, kind) == shown(&from, kind), "{kind}");
    }
}

#[test]
fn a_file_that_is_no_export_is_refused_before_much_of_it_is_read() {
    let answer = import(&Memory::default(), "", &"x".repeat(100_000));
    assert_eq!(answer.status, 400);
    let text = message(&answer);
    assert!(text.contains("Line 1, /: it is longer than"), "{text}");
}

#[test]
fn a_document_that_becomes_too_long_with_what_the_gateway_adds_is_refused() {
    // Each of eight operations gets an id, which repeats its path.
    let methods = [
        "get", "put", "post", "delete", "options", "head", "patch", "trace",
    ];
    let operation =
        |method: &&str| format!(r#""{method}":{{"responses":{{"200":{{"description":""}}}}}}"#);
    let operations = methods.iter().map(operation).collect::<Vec<_>>().join(",");
    let path = |number| format!(r#""/{number}{}":{{{operations}}}"#, "x".repeat(50_000));
    let paths = (0..200).map(path).collect::<Vec<_>>().join(",");
    let text = format!(
        r#"{{"openapi":"3.0.3","info":{{"title":"t","version":"1"}},"paths":{{{paths}}},
        "x-gateway-api-gateway":{{"info":{{"id":"a","name":"a","state":{{"active":true}}}},
        "upstream":{{"url":"http://up/"}},"server":{{"listenPath":{{"value":"/a/","strip":true}}}}}}}}"#
    );
    assert!(text.len() < OPENAPI_MAX_BYTES);
    let answer = sent(&Memory::default(), "POST", "/gateway/apis/oas", &text, &[]);
    assert_eq!(answer.status, 413, "{}", answer.body);
    assert!(
        message(&answer).contains("make it smaller"),
        "{}",
        answer.body
    );
}
