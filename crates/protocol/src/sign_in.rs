//! Sign-ins: a browser presents a secret once, and from then on a cookie.

use crate::caller::Caller;
use gatewright_api::dashboard::Permissions;
use serde::{Deserialize, Serialize};

/// What a sign-in was made with. A secret is never stored, only its hash together with the cookie's text, which is not
/// stored either; so nobody can guess secrets from what is stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// The keyed hash of the gateway secret.
    pub gateway: Option<String>,
    /// The keyed hash of `DASHBOARD_TOKEN`.
    pub root: Option<String>,
    /// SHA-256 of the token of a credential, in hexadecimal digits.
    pub token: Option<String>,
}

/// What to do with a sign-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignInAct {
    /// Store it.
    Begin,
    /// Return its owner, which counts as using it.
    Look,
    /// End it.
    End,
    /// End it and every other one made with the same secret or token.
    EndAll,
    /// Return the owner of the token that was presented.
    Admit,
}

/// A command about a sign-in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignInAsk {
    /// What to do.
    pub act: SignInAct,
    /// SHA-256 of the cookie's text, in hexadecimal digits.
    pub hash: String,
    /// What it is made with; for the other acts, the hashes of the current secrets.
    pub shown: Shown,
    /// The host of a sign-in or sign-out, for the audit trail; empty for anything else, such as one sign-in replacing
    /// another.
    #[serde(default)]
    pub console: String,
}

impl SignedIn {
    /// Returns the actor in the audit trail for calls of the administration API: the name of a credential; `None` for a
    /// holder of only the gateway secret.
    #[must_use]
    pub fn actor(&self) -> Option<&str> {
        matches!(self.dashboard, Some(Caller::Hash(_))).then_some(self.name.as_str())
    }
}

/// The owner of a sign-in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedIn {
    /// SHA-256 of the cookie's text; not transferred, because the caller has it.
    #[serde(skip)]
    pub hash: String,
    /// Whether it holds the gateway secret.
    pub gateway: bool,
    /// The caller that it is at the dashboard API.
    pub dashboard: Option<Caller>,
    /// The display name of that caller.
    pub name: String,
    /// The organisation that it is limited to.
    pub org: String,
    /// Its permissions in the dashboard API, and in the administration API.
    pub permissions: Permissions,
    /// When it was made, RFC 3339.
    pub begun_at: String,
    /// When it ends even if it is in use, RFC 3339.
    pub ends_at: String,
    /// After how many seconds without a request it ends.
    pub idle_seconds: u64,
}
