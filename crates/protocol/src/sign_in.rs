//! Sign-ins: what a browser has shown once, and goes by from then on with a cookie.

use crate::caller::Caller;
use gatewright_api::dashboard::Permissions;
use serde::{Deserialize, Serialize};

/// What a sign-in was made with. A secret is never stored: what stands for it is a hash of it together with the
/// cookie's text, which is not stored either, so nobody can try secrets on what is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shown {
    /// What stands for the gateway secret.
    pub gateway: Option<String>,
    /// What stands for `DASHBOARD_TOKEN`.
    pub root: Option<String>,
    /// SHA-256 of the token of a credential, in hexadecimal digits.
    pub token: Option<String>,
}

/// What is to be done about a sign-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SignInAct {
    /// Store one.
    Begin,
    /// Say whose it is, which counts as using it.
    Look,
    /// End it.
    End,
    /// End it and every other one that was made with the same secret, or the same token.
    EndAll,
    /// Say whose the token is that was shown.
    Admit,
}

/// A command about a sign-in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignInAsk {
    /// What to do.
    pub act: SignInAct,
    /// SHA-256 of the cookie's text, in hexadecimal digits.
    pub hash: String,
    /// What it is made with; for the other acts what would stand for the secrets of now.
    pub shown: Shown,
    /// At which host somebody signs in or out, for the audit trail; empty where nobody does, as where a sign-in takes
    /// the place of another one.
    #[serde(default)]
    pub console: String,
}

impl SignedIn {
    /// What the audit trail calls whoever it is at the administration API: the name of a credential; empty for whoever
    /// goes by the gateway secret alone.
    #[must_use]
    pub fn actor(&self) -> &str {
        match self.dashboard {
            Some(Caller::Hash(_)) => &self.name,
            _ => "",
        }
    }
}

/// Whose a sign-in is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SignedIn {
    /// SHA-256 of the cookie's text; does not travel, whoever asks has it.
    #[serde(skip)]
    pub hash: String,
    /// Whether it holds the gateway secret.
    pub gateway: bool,
    /// As whom it calls the dashboard API.
    pub dashboard: Option<Caller>,
    /// What people call that caller.
    pub name: String,
    /// The organisation that it is confined to.
    pub org: String,
    /// What it may do in the dashboard API, and in the administration API.
    pub permissions: Permissions,
    /// When it was made, RFC 3339.
    pub begun_at: String,
    /// When it ends even if it is used, RFC 3339.
    pub ends_at: String,
    /// After how many seconds without a request it ends.
    pub idle_seconds: u64,
}
