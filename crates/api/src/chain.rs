//! The response of `GET /gateway/apis/{apiID}/chain`: the links between a client and an upstream of one API, in order.
//! Not part of the specification.

use serde::{Deserialize, Serialize};

/// When a link of the chain acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkPhase {
    /// On the way to the upstream.
    Request,
    /// On the way back to the client.
    Response,
    /// On both ways.
    Both,
}

/// One link of the chain of an API.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// Its name, as in the steps of `POST /gateway/debug`.
    pub name: String,
    /// Its display name.
    pub title: String,
    /// When it acts.
    pub phase: LinkPhase,
    /// The version of the API it belongs to, if requests are for several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// JSON Pointers (RFC 6901) to the members of the definition that require it; empty for a link that every chain
    /// has.
    pub pointers: Vec<String>,
    /// What it does here, in a few words, such as `2 rules`.
    pub detail: String,
}

/// The chain of an API as loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chain {
    /// The API's id.
    pub api_id: String,
    /// Its links, in the order in which a request passes them; the versions of an API follow one another.
    pub links: Vec<Link>,
}
