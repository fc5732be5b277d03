//! Downloads of OpenAPI documents.

use super::represented;
use crate::admin::apis::{known_id, read_by, stored_text};
use crate::admin::replies::unexpected;
use crate::admin::{may, media};
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

/// `GET /gateway/apis/oas/export`: all documents.
pub(in crate::admin) async fn export_all<P: Platform>(
    platform: &P,
    request: &Request,
) -> Result<Response, Error> {
    let mut all = String::new();
    let mut next = String::new();
    loop {
        let command = Command::ListDocuments {
            listed: Listed::Oas,
            from: next,
            masked: !may(request, Part::Apis, Access::Write),
        };
        let (Reply::Json, text) = platform.call(&command, "").await? else {
            return Err(unexpected());
        };
        let (behind, page) = text.split_once('\n').ok_or_else(unexpected)?;
        all.push_str(page);
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

/// Responds with a document as a download, given its stored text. The file names are those of the reference.
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
        for (name, value) in &mut response.headers {
            if *name == "content-type" {
                "application/octet-stream".clone_into(value);
            }
        }
    }
    let name = if is_public(request) {
        "oas"
    } else {
        "OasApiDef"
    };
    let extension = if is_yaml { "yaml" } else { "json" };
    let disposition = format!("attachment;filename=\"{name}{of}.{extension}\"");
    Ok(response.with("content-disposition", disposition))
}
