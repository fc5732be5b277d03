//! Who calls the dashboard API, and what an endpoint asks of its caller.

use gatewright_api::dashboard::{Access, Group};
use serde::{Deserialize, Serialize};

/// Who calls the dashboard API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Caller {
    /// Whoever holds `DASHBOARD_TOKEN`: everything in the default organisation.
    Root,
    /// Whoever holds the gateway secret: the gateway's own documents.
    Gateway,
    /// Whoever holds the token with this SHA-256, in hexadecimal digits.
    Hash(String),
    /// Whoever the sign-in with this hash is of, as long as it lasts.
    SignIn(String),
}

/// What an endpoint asks of its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Need {
    /// Access to one group; without one, reading access to any.
    pub group: Option<Group>,
    /// How much.
    pub access: Access,
}
