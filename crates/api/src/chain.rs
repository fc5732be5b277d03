//! The answer of `GET /gateway/apis/{apiID}/chain`: what stands between a client and an upstream for
//! one API, in order. Beyond the specification.

use serde::{Deserialize, Serialize};

/// When a link of the chain acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkPhase {
    /// On the way to the upstream.
    Request,
    /// On the way back.
    Response,
    /// On both ways.
    Both,
}

/// One link of the chain of an API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Which one, as the steps of `POST /gateway/debug` call it.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// When it acts.
    pub phase: LinkPhase,
    /// Of which version of the API it is, if requests are of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// JSON Pointers (RFC 6901) to the members of the definition that made it; none for a link that
    /// is there without being asked for.
    pub pointers: Vec<String>,
    /// What it does here, in a few words: `2 rules`.
    pub detail: String,
}

/// The chain of an API as it is loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chain {
    /// The API's id.
    pub api_id: String,
    /// Its links, in the order in which a request passes them; of an API with several versions, those of one
    /// version after those of another.
    pub links: Vec<Link>,
}
