//! Responses of the OAuth 2.0 server to its clients: tokens, and the errors of RFC 6749.

use crate::error::Error;
use gatewright_model::order::sorted_by;
use gatewright_protocol::http::Response;
use serde_json::{Map, Value};

/// Why a client gets no code or token. The descriptions are those of RFC 6749 sections 4.1.2.1 and 5.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OauthError {
    InvalidRequest,
    UnauthorizedClient,
    AccessDenied,
    UnsupportedResponseType,
    ServerError,
    InvalidClient,
    InvalidGrant,
    UnsupportedGrantType,
}

impl OauthError {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::InvalidRequest => "invalid_request",
            Self::UnauthorizedClient => "unauthorized_client",
            Self::AccessDenied => "access_denied",
            Self::UnsupportedResponseType => "unsupported_response_type",
            Self::ServerError => "server_error",
            Self::InvalidClient => "invalid_client",
            Self::InvalidGrant => "invalid_grant",
            Self::UnsupportedGrantType => "unsupported_grant_type",
        }
    }

    pub(super) const fn description(self) -> &'static str {
        match self {
            Self::InvalidRequest => {
                "The request is missing a required parameter, includes an invalid parameter value, includes a parameter more than once, or is otherwise malformed."
            }
            Self::UnauthorizedClient => {
                "The client is not authorized to request a token using this method."
            }
            Self::AccessDenied => "The resource owner or authorization server denied the request.",
            Self::UnsupportedResponseType => {
                "The authorization server does not support obtaining a token using this method."
            }
            Self::ServerError => {
                "The authorization server encountered an unexpected condition that prevented it from fulfilling the request."
            }
            Self::InvalidClient => {
                "Client authentication failed (e.g., unknown client, no client authentication included, or unsupported authentication method)."
            }
            Self::InvalidGrant => {
                "The provided authorization grant (e.g., authorization code, resource owner credentials) or refresh token is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client."
            }
            Self::UnsupportedGrantType => {
                "The authorization grant type is not supported by the authorization server."
            }
        }
    }

    /// Returns the members of the error response.
    pub(super) fn members(self) -> Map<String, Value> {
        let mut members = Map::new();
        members.insert("error".to_owned(), self.name().into());
        members.insert("error_description".to_owned(), self.description().into());
        members
    }
}

/// Why a request did not succeed: an error of the client, or one of the gateway.
#[derive(Debug)]
pub(super) enum Failed {
    Client(OauthError),
    Here(Error),
}

impl From<OauthError> for Failed {
    fn from(error: OauthError) -> Self {
        Self::Client(error)
    }
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Self::Here(error)
    }
}

/// Builds a JSON response with its members sorted by name, as clients of this family expect.
pub(super) fn object(status: u16, members: Map<String, Value>) -> Response {
    let members = sorted_by(members.into_iter().collect(), |(one, _), (other, _)| {
        one.cmp(other)
    });
    let mut object = Map::new();
    object.extend(members);
    Response::json(status, &object)
}

/// Adds the headers that forbid caching responses of the token endpoint, errors included (reference 1.9).
pub(super) fn uncacheable(mut response: Response) -> Response {
    let headers = [
        ("cache-control", "no-cache, no-store, must-revalidate"),
        ("pragma", "no-cache"),
        ("expires", "0"),
        ("x-frame-options", "DENY"),
        ("x-xss-protection", "1; mode=block"),
    ];
    let headers = headers.map(|(name, value)| (name, value.to_owned()));
    response.headers.extend(headers);
    response
}
