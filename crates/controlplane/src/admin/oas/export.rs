//! Downloads of OpenAPI documents.

use super::represented;
use crate::admin::apis::{known_id, read_by, stored_text};
use crate::admin::replies::{streamed, unexpected};
use crate::admin::{may, media};
use crate::config::OPENAPI_MAX_BYTES;
use crate::error::Error;
use crate::ports::Platform;
use gatewright_api::dashboard::{Access, Part};
use gatewright_api::message::API_IS_CLASSIC;
use gatewright_model::json;
use gatewright_model::openapi::{administered, stored};
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::registry::{Command, Listed, Reply};

/// `GET /gateway/apis/oas/{apiID}/export`.
pub(in crate::admin) async fn export<P: Platform>(
    platform: &P,
    request: &Request,
    variables: &[&str],
) -> Result<Response, Error> {
    let id = known_id(variables)?;
    let text = read_by(request, stored_text(platform, id).await?)?;
    let (_, document) =
        stored::document(&text).ok_or_else(|| Error::refused(400, API_IS_CLASSIC))?;
    let document = match is_public(request) {
        true => administered::public(document)?,
        false => document.to_owned(),
    };
    file(platform, request, &format!("-{id}"), (&text, document))
}

fn is_public(request: &Request) -> bool {
    request.parameter("mode") == Some("public")
}

/// `GET /gateway/apis/oas/export`: all documents. As JSON they are streamed; YAML is made of all of them at once, so there
/// may be only so much of it.
pub(in crate::admin) async fn export_all<P: Platform>(
    platform: &P,
    request: &Request,
) -> Result<Response, Error> {
    let is_yaml = media::requested_yaml(request).is_some();
    let command = |listed, from| Command::ListDocuments {
        listed,
        from,
        masked: !may(request, Part::Apis, Access::Write),
    };
    if !is_yaml {
        let listed = match is_public(request) {
            true => Listed::OasPublic,
            false => Listed::OasFile,
        };
        let command = command(listed, String::new());
        // A Registry of the previous release doesn't know this list.
        if let Ok((Reply::Json, text)) = platform.call(&command, "").await {
            let response = streamed(&command, &text)?.with("vary", "Accept");
            return Ok(named(request, "", is_yaml, response));
        }
    }
    let mut all = String::new();
    let mut next = String::new();
    loop {
        let command = command(Listed::Oas, next);
        let (Reply::Json, text) = platform.call(&command, "").await? else {
            return Err(unexpected());
        };
        let (behind, page) = text.split_once('\n').ok_or_else(unexpected)?;
        all.push_str(page);
        if all.len() > OPENAPI_MAX_BYTES {
            return Err(Error::refused(400, TOO_MANY));
        }
        if behind.is_empty() {
            break;
        }
        next = behind.to_owned();
    }
    if is_public(request) {
        let value = json::parse(&all).map_err(|_| unexpected())?;
        let documents = value.items().iter();
        let public = documents.map(|document| administered::public(document.span.of(&all)));
        all = format!("[{}]", public.collect::<Result<Vec<_>, _>>()?.join(","));
    }
    file(platform, request, "", ("", all))
}

const TOO_MANY: &str = "Together the documents have more than 16 MB; export all of them as JSON, or each of them as YAML";

/// Responds with a document as a download, given its stored text.
fn file<P: Platform>(
    platform: &P,
    request: &Request,
    of: &str,
    (text, document): (&str, String),
) -> Result<Response, Error> {
    let mut response = represented(platform, request, text, document)?;
    let is_yaml = media::requested_yaml(request).is_some();
    if !is_yaml {
        response.body = json::laid_out(&response.body).unwrap_or(response.body);
    }
    Ok(named(request, of, is_yaml, response))
}

/// Makes a response a download. The file names are those of the reference.
fn named(request: &Request, of: &str, is_yaml: bool, mut response: Response) -> Response {
    for (name, value) in &mut response.headers {
        if *name == "content-type" && !is_yaml {
            "application/octet-stream".clone_into(value);
        }
    }
    let name = if is_public(request) {
        "oas"
    } else {
        "OasApiDef"
    };
    let extension = if is_yaml { "yaml" } else { "json" };
    let disposition = format!("attachment;filename=\"{name}{of}.{extension}\"");
    response.with("content-disposition", disposition)
}
