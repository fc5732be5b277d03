//! Who calls the dashboard API, and what an endpoint requires of its caller.

use gatewright_api::dashboard::{Access, Group};
use serde::{Deserialize, Serialize};

/// A caller of the dashboard API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Caller {
    /// The holder of `DASHBOARD_TOKEN`, who may do everything in the default organisation.
    Root,
    /// The holder of the gateway secret, who may use the gateway's own documents.
    Gateway,
    /// The holder of the token with this SHA-256, in hexadecimal digits.
    Hash(String),
    /// The holder of the sign-in with this hash, while it lasts.
    SignIn(String),
}

/// What an endpoint requires of its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Need {
    /// The group the caller needs access to; `None` means read access to any group.
    pub group: Option<Group>,
    /// The level of access.
    pub access: Access,
}
