//! The model's verdict on documents that are not stored: the functions that the console calls in the browser, for tools
//! that are not a browser.

use crate::admin::{body, descriptions, oas};
use crate::error::Error;
use crate::ports::Platform;
use crate::query;
use gatewright_api::preview::{Difference, Merged, Validated};
use gatewright_model::diff::{self, NotExpressible};
use gatewright_model::document;
use gatewright_model::issue::Issue;
use gatewright_model::json;
use gatewright_model::merge::{self, MergeError};
use gatewright_model::openapi::Options;
use gatewright_model::openapi::task::Call;
use gatewright_protocol::http::{Request, Response};

/// `POST /gateway/validate/{root}`: the issues of a document of any kind.
pub(super) fn validate<P: Platform>(
    platform: &P,
    request: &Request,
    variables: &[&str],
) -> Result<Response, Error> {
    let root = descriptions::root(variables)?;
    let text = body(request)?;
    let mut issues = document::validate(root, text);
    if platform.keys().binds_paths
        && let Ok(value) = json::parse(text)
    {
        document::without_bound(&value, &mut issues);
    }
    let wrong = issues.iter().any(Issue::is_error);
    let status = if wrong { "error" } else { "ok" };
    Ok(Response::json(
        200,
        &Validated {
            status: status.to_owned(),
            issues,
        },
    ))
}

/// `POST /gateway/openapi/import`: the definition that an OpenAPI document is imported as. The body is the document
/// itself, the options are query parameters.
pub(super) fn import<P: Platform>(platform: &P, request: &Request) -> Result<Response, Error> {
    let sent = body(request)?;
    let call = Call::Import(options(request)?);
    let (definition, [report, summary]) =
        oas::definition(platform, &call, sent).map_err(as_classic)?;
    let body = format!(
        "{{\"status\":\"ok\",\"definition\":{},\"report\":{report},\"summary\":{summary}}}\n",
        definition.trim_end()
    );
    Ok(Response::text(200, body))
}

/// Turns refusals into those that definitions get.
fn as_classic(error: Error) -> Error {
    match error {
        Error::Unreadable(_, _, issues) => Error::Malformed(issues),
        error => error,
    }
}

fn options(request: &Request) -> Result<Options, Error> {
    let text = |name| {
        let value = query::given(request, name);
        value.map(str::to_owned)
    };
    let server = match text("server") {
        None => 0,
        Some(number) => number.parse().map_err(|_| {
            Error::refused(
                400,
                "The query parameter server takes a whole number, from 0",
            )
        })?,
    };
    Ok(Options {
        name: text("name"),
        api_id: text("api_id"),
        listen_path: text("listen_path"),
        upstream_url: text("upstream_url"),
        server,
        document_url: text("document_url"),
        domain: text("domain"),
        allow_list: request.flag("allow_list"),
        validate_requests: request.flag("validate_requests"),
        mock_responses: request.flag("mock_responses"),
    })
}

/// `POST /gateway/diff`: the differences between two documents.
pub(super) fn diff(request: &Request) -> Result<Response, Error> {
    let [before, after] = two(request, ["before", "after"])?;
    let (patch, null_at) = match diff::merge_patch(&before, &after) {
        Ok(patch) => (Some(patch), None),
        Err(NotExpressible::Null { pointer }) => (None, Some(pointer)),
        Err(error) => {
            let text = error.to_string();
            let (NotExpressible::Before(issues) | NotExpressible::After(issues)) = error else {
                return Err(Error::Refused(400, text));
            };
            return Err(Error::Unreadable(400, text, issues));
        }
    };
    let changes = diff::changes(&before, &after).map_err(Error::Malformed)?;
    Ok(Response::json(
        200,
        &Difference {
            status: ok(),
            patch,
            null_at,
            changes,
        },
    ))
}

/// `POST /gateway/merge`: a document with a merge patch applied.
pub(super) fn merge(request: &Request) -> Result<Response, Error> {
    let [target, patch] = two(request, ["target", "patch"])?;
    let text = merge::merge(&target, &patch).map_err(|error| match error {
        MergeError::Target(issues) => {
            Error::Unreadable(400, "The target is no JSON".to_owned(), issues)
        }
        MergeError::Patch(issues) => {
            Error::Unreadable(400, "The patch is no JSON".to_owned(), issues)
        }
    })?;
    Ok(Response::json(200, &Merged { status: ok(), text }))
}

/// Returns two text members of the body.
fn two(request: &Request, names: [&str; 2]) -> Result<[String; 2], Error> {
    let value = json::parse(body(request)?).map_err(Error::Malformed)?;
    let text = |name: &str| value.str(name).map(str::to_owned);
    let [first, second] = names;
    match (text(first), text(second)) {
        (Some(a), Some(b)) => Ok([a, b]),
        _ => {
            let text = format!(
                "The body has two documents, each as a JSON string: {{\"{first}\": \"…\", \"{second}\": \"…\"}}"
            );
            Err(Error::Refused(400, text))
        }
    }
}

fn ok() -> String {
    "ok".to_owned()
}
