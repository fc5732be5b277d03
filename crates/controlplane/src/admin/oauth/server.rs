//! The endpoints below the listen path of an API.

use super::answer::{Failed, uncacheable};
use super::parameters::Parameters;
use super::{Api, authorize, exchange, served, tokens};
use crate::admin::authorise;
use crate::error::Error;
use crate::ports::Platform;
use gatewright_api::message::{API_NOT_FOUND, METHOD_NOT_SUPPORTED, StatusMessage};
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::strangers;
use gatewright_protocol::time::millis;
use std::net::IpAddr;

/// What the data plane passes on about a request to the OAuth 2.0 server of an API.
#[derive(Clone, Debug, Default)]
pub struct Call {
    /// The API's id.
    pub api: String,
    /// The path below its listen path, without leading and trailing slashes.
    pub rest: String,
    /// Everything before that, with scheme and host and without a trailing slash: the issuer.
    pub base: String,
    /// The query, unchanged.
    pub query: String,
    /// The client's address; empty if it is unknown.
    pub address: String,
}

/// The sender of a request, by which wrong secrets are counted.
#[derive(Clone, Copy)]
pub(super) struct Sender(Option<IpAddr>);

impl Sender {
    fn as_stranger(self) -> strangers::Sender {
        strangers::Sender {
            address: self.0,
            in_batch: false,
        }
    }

    /// Whether the sender's secrets are still checked.
    pub(super) fn may_try<P: Platform>(self, platform: &P) -> bool {
        let (strangers, limit) = platform.strangers();
        let now = millis(&platform.now()).unwrap_or(0);
        strangers.borrow().may_try(self.as_stranger(), limit, now)
    }

    /// Records that the sender sent a wrong secret.
    pub(super) fn has_failed<P: Platform>(self, platform: &P) {
        let (strangers, limit) = platform.strangers();
        let now = millis(&platform.now()).unwrap_or(0);
        let mut strangers = strangers.borrow_mut();
        strangers.record_failure(self.as_stranger(), limit, now);
    }
}

/// Handles a request to the OAuth 2.0 server of an API.
///
/// # Errors
/// Those that [`crate::admin::settle`] turns into a response.
pub async fn answer<P: Platform>(
    platform: &P,
    request: &Request,
    call: &Call,
) -> Result<Response, Error> {
    if call.rest == APPROVAL {
        authorise(platform, request)?;
    }
    let api = served(platform, &call.api).await?;
    let api = api.ok_or_else(|| Error::refused(404, API_NOT_FOUND))?;
    let sender = Sender(call.address.parse().ok());
    match (call.rest.as_str(), request.method.as_str()) {
        ("oauth/token", "GET" | "POST") => exchange::answer(platform, &api, request, sender).await,
        ("oauth/authorize", "GET" | "HEAD" | "POST") => {
            redirect_to_login(platform, &api, request, call).await
        }
        (APPROVAL, "POST") => {
            let sent = Parameters::of_form(request).with_query(&call.query);
            let (why, address) = match authorize::validate(platform, &api, &sent).await {
                Ok(authorization) => {
                    match authorize::approved(platform, &api, &sent, &authorization).await {
                        Ok(response) => return Ok(response),
                        Err(why) => (why, None),
                    }
                }
                Err(refused) => (refused.why, refused.address),
            };
            match why {
                Failed::Client(error) => {
                    let status = platform.oauth().error_status;
                    Ok(authorize::refused(status, error, address.as_deref(), &sent))
                }
                Failed::Here(error) => Err(error),
            }
        }
        // As in the family, a request that is not a POST of a form has no token.
        ("oauth/revoke", _) => tokens::revoke_here(platform, &api, request).await,
        ("oauth/revoke_all", _) => tokens::revoke_all_here(platform, &api, request, sender).await,
        (METADATA, "GET" | "HEAD") => Ok(metadata(&api, &call.base)),
        ("oauth/authorize", _) => Err(Error::Method(vec!["GET", "POST"])),
        (METADATA, _) => Err(Error::Method(vec!["GET"])),
        _ => Err(Error::Method(vec!["POST"])),
    }
}

/// The endpoint where a login page reports what its user has approved.
const APPROVAL: &str = "gateway/oauth/authorize-client";
/// The metadata endpoint of RFC 8414.
const METADATA: &str = ".well-known/oauth-authorization-server";

/// Redirects the user to the login page.
async fn redirect_to_login<P: Platform>(
    platform: &P,
    api: &Api,
    request: &Request,
    call: &Call,
) -> Result<Response, Error> {
    let sent = Parameters::of_form(request).with_query(&call.query);
    match authorize::validate(platform, api, &sent)
        .await
        .map_err(|refused| refused.why)
    {
        Ok(_) => {}
        Err(Failed::Client(error)) => {
            let body = StatusMessage::error(error.description());
            return Ok(Response::json(platform.oauth().error_status, &body));
        }
        Err(Failed::Here(error)) => return Err(error),
    }
    let query = match request.method.as_str() {
        "POST" => "",
        _ => call.query.as_str(),
    };
    let behind = if api.login.contains('?') { '&' } else { '?' };
    let location = match query {
        "" => api.login.clone(),
        query => format!("{}{behind}{query}", api.login),
    };
    let moved = Response {
        status: 307,
        ..Response::default()
    };
    Ok(moved.with("location", location))
}

/// Returns the metadata of the server (RFC 8414 section 2).
fn metadata(api: &Api, base: &str) -> Response {
    let at = |path: &str| format!("{base}/{path}");
    let known = |list: &[String], known: &[&str]| {
        let list = list.iter().filter(|name| known.contains(&name.as_str()));
        list.cloned().collect::<Vec<_>>()
    };
    let mut grants = known(&api.access_types, &exchange::GRANTS);
    if api.authorize_types.iter().any(|name| name == "token") {
        grants.push("implicit".to_owned());
    }
    Response::json(
        200,
        &serde_json::json!({
            "issuer": base,
            "authorization_endpoint": at("oauth/authorize"),
            "token_endpoint": at("oauth/token"),
            "revocation_endpoint": at("oauth/revoke"),
            "response_types_supported": known(&api.authorize_types, &["code", "token"]),
            "grant_types_supported": grants,
            "token_endpoint_auth_methods_supported": ["client_secret_basic"],
            "revocation_endpoint_auth_methods_supported": ["none"],
            "code_challenge_methods_supported": ["S256", "plain"],
        }),
    )
}

/// Builds the data plane's response to an error of the gateway itself.
#[must_use]
pub fn failed(request: &Request, call: &Call, error: Error) -> Response {
    let response = match &error {
        Error::Store(_) => {
            let body = StatusMessage::error("Internal Server Error");
            Response::json(500, &body)
        }
        Error::Method(_) => {
            let response = error.into_response(request);
            Response {
                body: Response::json(405, &StatusMessage::error(METHOD_NOT_SUPPORTED)).body,
                ..response
            }
        }
        _ => error.into_response(request),
    };
    if call.rest == "oauth/token" {
        return uncacheable(response);
    }
    response
}
