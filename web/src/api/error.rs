//! Why a call failed, in the categories that pages treat differently.

use std::fmt;

use gatewright_model::Issue;

use crate::state::session::Key;

/// Why a call failed.
#[derive(Clone, Debug, PartialEq)]
pub enum ApiError {
    /// No response: the browser is offline, or the gateway isn't running.
    Unreachable,
    /// The gateway took the request, but sent no response in time.
    Silent,
    /// 403 of the administration API: the secret is missing or wrong.
    Forbidden,
    /// 401 of the dashboard API: the token is missing, wrong, expired or revoked.
    NotAuthorised,
    /// 404: there is no such document or revision.
    Missing(Refused),
    /// 409: a route or an id belongs to something else; the message says to what.
    Taken(Refused),
    /// 412: something other than the caller expected is stored.
    Stale(Refused),
    /// Any other refusal.
    Refused(Refused),
    /// A response that violates the contract.
    Unreadable {
        /// What could not be read.
        what: String,
        /// The id under which the gateway logged the request.
        request_id: Option<String>,
    },
}

/// A refusal with the gateway's explanation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Refused {
    /// The status.
    pub status: u16,
    /// The gateway's message.
    pub message: String,
    /// What is wrong with the document.
    pub issues: Vec<Issue>,
    /// The id under which the gateway logged the request.
    pub request_id: Option<String>,
}

/// The administration API's message for a missing or wrong secret (specification, *Authentication*).
const FORBIDDEN: &str = "Attempted administrative access with invalid or missing key!";

impl Refused {
    /// Whether a 403 of the administration API is about the secret. Certificates are refused with 403 as well, but with
    /// another message (reference 1.8). The message may go on to name the header that is expected.
    fn is_of_secret(&self) -> bool {
        self.message.is_empty() || self.message.starts_with(FORBIDDEN)
    }
}

impl ApiError {
    /// Classifies an unsuccessful response of the API that requires `key`.
    #[must_use]
    pub fn of(key: Key, refused: Refused) -> Self {
        match refused.status {
            403 if key == Key::Secret && refused.is_of_secret() => Self::Forbidden,
            401 if key == Key::Token => Self::NotAuthorised,
            404 => Self::Missing(refused),
            409 => Self::Taken(refused),
            412 => Self::Stale(refused),
            _ => Self::Refused(refused),
        }
    }

    fn refused(&self) -> Option<&Refused> {
        match self {
            Self::Missing(refused)
            | Self::Taken(refused)
            | Self::Stale(refused)
            | Self::Refused(refused) => Some(refused),
            Self::Unreachable
            | Self::Silent
            | Self::Forbidden
            | Self::NotAuthorised
            | Self::Unreadable { .. } => None,
        }
    }

    /// Whether there was no response at all, so that the same request may succeed once the connection is back.
    #[must_use]
    pub const fn is_of_connection(&self) -> bool {
        matches!(self, Self::Unreachable | Self::Silent)
    }

    /// Returns the error for a key that is missing or can't be sent in a header.
    #[must_use]
    pub fn without(key: Key) -> Self {
        match key {
            Key::Secret => Self::Forbidden,
            Key::Token => Self::NotAuthorised,
        }
    }

    /// Returns the issues that the gateway found in the document.
    #[must_use]
    pub fn issues(&self) -> &[Issue] {
        self.refused().map_or(&[], |refused| &refused.issues)
    }

    /// Returns the request's id in the gateway's log.
    #[must_use]
    pub fn request_id(&self) -> Option<&str> {
        match self {
            Self::Unreadable { request_id, .. } => request_id.as_deref(),
            _ => self
                .refused()
                .and_then(|refused| refused.request_id.as_deref()),
        }
    }

    /// Returns a one-sentence description for the user.
    #[must_use]
    pub fn title(&self) -> &'static str {
        match self {
            Self::Unreachable => "The gateway can't be reached",
            Self::Silent => "The gateway does not respond",
            Self::Forbidden => "The secret was refused",
            Self::NotAuthorised => "The token was refused",
            Self::Missing(_) => "Not found",
            Self::Taken(_) => "Already taken",
            Self::Stale(_) => "Changed by somebody else",
            Self::Refused(refused) if refused.status >= 500 => "The gateway failed",
            Self::Refused(refused) if refused.status == 403 => "Not permitted",
            Self::Refused(_) => "Refused",
            Self::Unreadable { .. } => "Unexpected answer",
        }
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable => {
                f.write_str("No answer. Check that you are online and that the gateway is running.")
            }
            Self::Silent => write!(
                f,
                "It has not answered for {} seconds. It may be starting, or busy.",
                super::PATIENCE_MS / 1000
            ),
            Self::Forbidden => f.write_str("The gateway no longer accepts this secret."),
            Self::NotAuthorised => f.write_str("The dashboard API no longer accepts this token."),
            Self::Unreadable { what, .. } => write!(f, "The answer could not be read: {what}."),
            Self::Missing(refused)
            | Self::Taken(refused)
            | Self::Stale(refused)
            | Self::Refused(refused) => {
                if refused.message.is_empty() {
                    write!(f, "The gateway answered with status {}.", refused.status)
                } else {
                    f.write_str(&refused.message)
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn only_errors_about_the_secret_invalidate_it() {
        let of = |message: &str| {
            let refused = Refused {
                status: 403,
                message: message.to_owned(),
                ..Refused::default()
            };
            ApiError::of(Key::Secret, refused)
        };
        assert_eq!(FORBIDDEN, gatewright_api::message::FORBIDDEN);
        let wanted = gatewright_api::message::SECRET_WANTED;
        for message in ["", FORBIDDEN, &format!("{FORBIDDEN}: {wanted}")] {
            assert_eq!(of(message), ApiError::Forbidden);
        }
        assert!(matches!(of("No certificate"), ApiError::Refused(_)));
    }
}
