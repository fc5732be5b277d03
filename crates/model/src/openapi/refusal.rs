//! Recognises texts that are not importable OpenAPI documents, and names the remedy.

use std::borrow::Cow;

use crate::findings::Findings;
use crate::issue::{Issue, IssueCode};
use crate::json::{Span, Value};

pub(super) fn refused(
    text: &str,
    code: IssueCode,
    span: Span,
    pointer: &str,
    message: impl Into<Cow<'static, str>>,
) -> Vec<Issue> {
    let mut findings = Findings::default();
    findings.error(code, span, pointer, message);
    findings.into_issues(text)
}

pub(super) fn looks_like_yaml(text: &str) -> bool {
    let begins = |line: &str| line.starts_with("openapi:") || line.starts_with("swagger:");
    !text.trim_start().starts_with('{') && text.lines().take(50).any(begins)
}

pub(super) fn version(text: &str, document: &Value<'_>) -> Result<(), Vec<Issue>> {
    let refuse = |pointer: &str, message: &'static str| {
        let span = document
            .pointer(pointer)
            .map_or(document.span.opening(), |value| value.span);
        Err(refused(text, IssueCode::Format, span, pointer, message))
    };
    if document.get("proxy").is_some() && document.get("openapi").is_none() {
        return refuse(
            "/proxy",
            "this is an API definition already; there is nothing to import",
        );
    }
    match document.str("openapi") {
        Some(version) if version.starts_with("3.0") || version.starts_with("3.1") => Ok(()),
        Some(_) => refuse(
            "/openapi",
            "only versions 3.0 and 3.1 of OpenAPI are imported",
        ),
        None => refuse(
            "/openapi",
            "\"openapi\" is missing; this is no OpenAPI document",
        ),
    }
}
