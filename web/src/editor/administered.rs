//! Checks documents of OpenAPI APIs and MCP proxies as the administration does.

use gatewright_model::issue::{Issue, Severity};
use gatewright_model::json::{LineIndex, edit, laid_out, parse, quote};
use gatewright_model::openapi::administered::{self, EXTENSION, Parameters, Served, stored_form};
use gatewright_model::openapi::{self, DocumentKind, Import, Options, stored};

/// Returns the issues of a document: its own, or if there are none, those of the definition compiled from it.
pub(super) fn check(text: &str, kind: DocumentKind) -> Vec<Issue> {
    match openapi::check(text, kind) {
        Err(refused) => refused.issues,
        Ok(()) => compiled(text, kind),
    }
}

/// Returns the errors of the compiled definition. Nobody wrote that text, so each error is reported at the member of
/// the extension it originates from, or else at the extension as a whole.
fn compiled(text: &str, kind: DocumentKind) -> Vec<Issue> {
    let served = Served {
        id: "new",
        origin: "https://gateway.invalid",
        before: None,
    };
    let Ok(document) = stored_form(text, &served) else {
        return Vec::new();
    };
    let Ok(definition) = openapi::compile(&document, kind) else {
        return Vec::new();
    };
    let (Ok(value), Ok(made)) = (parse(text), parse(&definition)) else {
        return Vec::new();
    };
    let Some((name, extension)) = stored::extension(&value) else {
        return Vec::new();
    };
    let lines = LineIndex::new(text);
    let placed = |issue: Issue| {
        let origin = openapi::origin(&made, &value, &issue.pointer);
        let origin = origin.and_then(|pointer| Some((extension.pointer(&pointer)?.span, pointer)));
        let (span, below) = origin.unwrap_or((extension.span.opening(), String::new()));
        Issue {
            message: format!(
                "{} (in the definition compiled from it: {})",
                issue.message, issue.pointer
            ),
            pointer: format!("/{name}{below}"),
            start: lines.position(span.start),
            end: lines.position(span.end),
            ..issue
        }
    };
    let issues = gatewright_model::validate(&definition).into_iter();
    let errors = issues.filter(|issue| issue.severity == Severity::Error);
    errors.map(placed).collect()
}

/// Turns a plain OpenAPI document into that of an OpenAPI API, as the gateway's own import does; the chosen options
/// take precedence over the document. If it has an extension already, that is kept.
///
/// # Errors
/// A sentence that says why it can't be done.
pub(super) fn imported(
    text: &str,
    options: &Options,
    open: bool,
    import: &Import,
) -> Result<String, String> {
    let asks = !import.summary.schemes.is_empty() && !open;
    let parameters = Parameters {
        allow_list: options.allow_list.then_some(true),
        validate_request: options.validate_requests.then_some(true),
        mock_response: options.mock_responses.then_some(true),
        authentication: asks.then_some(true),
        ..Parameters::default()
    };
    let has_extension = parse(text).is_ok_and(|value| stored::extension(&value).is_some());
    let made = match has_extension {
        true => administered::patched(
            text,
            text,
            &Parameters {
                authentication: None,
                ..parameters
            },
        ),
        false => administered::imported(text, &parameters),
    };
    let mut made = made.map_err(|administered::DocumentError(message)| message)?;
    // The texts are used as typed, even if incomplete: checking them is left to the document's validation.
    let definition = parse(&import.definition).ok();
    let of_definition = |pointer: &str| {
        let value = definition.as_ref()?.pointer(pointer)?.as_str()?;
        (!value.is_empty() && !has_extension).then(|| value.to_owned())
    };
    let listen_path = options
        .listen_path
        .clone()
        .or_else(|| of_definition("/proxy/listen_path"));
    let upstream = options
        .upstream_url
        .clone()
        .or_else(|| of_definition("/proxy/target_url"));
    let id = options.api_id.clone().filter(|id| !id.is_empty());
    let name = parse(&made)
        .ok()
        .and_then(|value| Some(stored::extension(&value)?.0))
        .unwrap_or(EXTENSION);
    for (pointer, chosen) in [
        ("/info/id", id),
        ("/info/name", options.name.clone()),
        ("/server/listenPath/value", listen_path),
        ("/upstream/url", upstream),
        ("/server/customDomain/name", options.domain.clone()),
    ] {
        let Some(chosen) = chosen else { continue };
        let pointer = format!("/{name}{pointer}");
        made = edit::set(&made, &pointer, &quote(&chosen)).map_err(|error| error.to_string())?;
    }
    Ok(laid_out(&made).unwrap_or(made))
}

#[cfg(test)]
#[cfg(target_arch = "wasm32")]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    fn document(members: &str) -> String {
        format!(
            r#"{{"openapi":"3.0.3","info":{{"title":"A","version":"1"}},"paths":{{}},
"x-gateway-api-gateway":{{"info":{{"name":"A","state":{{"active":true}}}},"upstream":{{"url":"http://u.example"}},"server":{{"listenPath":{{"value":"/a/"}}}}{members}}}}}"#
        )
    }

    #[wasm_bindgen_test]
    fn refusal_has_a_position() {
        assert_eq!(check(&document(""), DocumentKind::Oas), []);
        let without = document("").replace(r#""url":"http://u.example""#, "");
        let issues = check(&without, DocumentKind::Oas);
        let at: Vec<_> = issues
            .iter()
            .map(|issue| (&*issue.pointer, issue.start.line))
            .collect();
        assert!(
            at.iter().any(
                |(pointer, line)| pointer.starts_with("/x-gateway-api-gateway/upstream")
                    && *line == 2
            ),
            "{at:?}"
        );
    }

    #[wasm_bindgen_test]
    fn definition_issues_are_mapped_to_the_document() {
        let text = document(r#","middleware":{"global":{}}"#).replace(
            r#""listenPath""#,
            r#""ipAccessControl":{"enabled":true,"allow":["no address"]},"listenPath""#,
        );
        let issues = check(&text, DocumentKind::Oas);
        let at: Vec<_> = issues
            .iter()
            .map(|issue| (&*issue.pointer, issue.start.line))
            .collect();
        let allowed = "/x-gateway-api-gateway/server/ipAccessControl/allow/0";
        assert!(at.contains(&(allowed, 2)), "{issues:?}");
    }
}
