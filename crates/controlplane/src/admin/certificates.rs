//! Certificates (reference 1.8). Changes take effect at once, without a reload.

use super::decoded;
use super::replies::unexpected;
use crate::error::Error;
use crate::ports::Platform;
use crate::query;
use gatewright_api::message::{CERTIFICATE_MISSING, StatusMessage};
use gatewright_model::certificate::Details;
use gatewright_protocol::certificates::{CertificateAct, CertificateAsk};
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::registry::{Command, Refusal, Reply};
use serde_json::json;

/// The largest body in bytes. A certificate with its key has a few thousand bytes, a chain some ten thousand.
const BODY_MAX: usize = 256 * 1024;
/// The maximum number of certificates per request.
const IDS_MAX: usize = 100;

/// `GET /gateway/certs`.
pub(super) async fn list<P: Platform>(platform: &P, request: &Request) -> Result<Response, Error> {
    let org = query::given(request, "org_id");
    let ask = CertificateAsk {
        act: CertificateAct::List,
        org: org.map(str::to_owned),
        ..CertificateAsk::default()
    };
    let found = details(platform, ask).await?.into_iter().flatten();
    let body = match request.parameter("mode") {
        Some("detailed") => {
            let basics: Vec<_> = found.map(Details::basics).collect();
            json!({ "certs": basics })
        }
        _ => {
            let ids: Vec<String> = found.map(|details| details.id).collect();
            // None are null, as in the reference.
            json!({ "certs": Some(ids).filter(|ids| !ids.is_empty()) })
        }
    };
    Ok(Response::json(200, &body))
}

/// `POST /gateway/certs`.
pub(super) async fn add<P: Platform>(platform: &P, request: &Request) -> Result<Response, Error> {
    if request.body.len() > BODY_MAX {
        return Err(Error::TooLarge(BODY_MAX));
    }
    let org = request.parameter("org_id").unwrap_or_default();
    let is_odd = |letter: char| letter.is_control() || matches!(letter, ',' | '/');
    if org.len() > 128 || org.chars().any(is_odd) {
        let text = "org_id takes at most 128 bytes of text, without commas and slashes";
        return Err(Error::refused(400, text));
    }
    let reading = platform.read_certificate(org, &request.body)?;
    let (details, material) =
        reading.map_err(|why| Error::Explained(403, why.message, why.details))?;
    let ask = CertificateAsk {
        act: CertificateAct::Put,
        ids: vec![details.id.clone()],
        org: Some(org.to_owned()),
        material,
    };
    let text = serde_json::to_string(&details).map_err(|_| unexpected())?;
    match platform.call(&Command::Certificates(ask), &text).await? {
        (Reply::Json, _) => {
            let body = json!({ "id": details.id, "status": "ok", "message": "Certificate added" });
            Ok(Response::json(200, &body))
        }
        (Reply::Refused(Refusal::Exists), _) => {
            let text = format!("Certificate with {} id already exists", details.id);
            Err(Error::Refused(403, text))
        }
        _ => Err(unexpected()),
    }
}

/// `GET /gateway/certs/{certID}`: one, or several separated by commas.
pub(super) async fn read<P: Platform>(
    platform: &P,
    request: &Request,
    variables: &[&str],
) -> Result<Response, Error> {
    let named = ids(variables)?;
    let org = request.parameter("org_id").unwrap_or_default();
    let whole = |id: &String| vec![id.clone(), format!("{org}{id}")];
    let ask = CertificateAsk {
        act: CertificateAct::Find,
        ids: named.iter().flat_map(whole).collect(),
        ..CertificateAsk::default()
    };
    let found = details(platform, ask).await?;
    // Each id was looked up twice: unchanged, and prefixed with the organisation.
    let mut each = found
        .chunks(2)
        .map(|places| places.iter().flatten().next().cloned());
    if named.len() > 1 {
        return Ok(Response::json(200, &each.collect::<Vec<_>>()));
    }
    match each.next().flatten() {
        Some(details) => Ok(Response::json(200, &details)),
        None => Err(Error::refused(404, CERTIFICATE_MISSING)),
    }
}

/// `DELETE /gateway/certs/{certID}`, which also succeeds if there is no such certificate.
pub(super) async fn remove<P: Platform>(
    platform: &P,
    request: &Request,
    variables: &[&str],
) -> Result<Response, Error> {
    let mut wanted = ids(variables)?;
    if let Some(org) = query::given(request, "org_id") {
        let behind: Vec<String> = wanted.iter().map(|id| format!("{org}{id}")).collect();
        wanted.extend(behind);
    }
    let ask = CertificateAsk {
        act: CertificateAct::Remove,
        ids: wanted,
        ..CertificateAsk::default()
    };
    match platform.call(&Command::Certificates(ask), "").await? {
        (Reply::Json, _) => Ok(Response::json(200, &StatusMessage::ok("removed"))),
        _ => Err(unexpected()),
    }
}

fn ids(variables: &[&str]) -> Result<Vec<String>, Error> {
    let sent = decoded(variables, 0);
    let ids: Vec<String> = sent.split(',').map(str::to_owned).collect();
    if ids.len() > IDS_MAX {
        let text = format!("At most {IDS_MAX} certificates are read at once");
        return Err(Error::Refused(400, text));
    }
    Ok(ids)
}

async fn details<P: Platform>(
    platform: &P,
    ask: CertificateAsk,
) -> Result<Vec<Option<Details>>, Error> {
    match platform.call(&Command::Certificates(ask), "").await? {
        (Reply::Json, text) => serde_json::from_str(&text).map_err(|_| unexpected()),
        _ => Err(unexpected()),
    }
}
