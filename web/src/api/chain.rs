//! The chain of an API, as far as the console reads it.

use gatewright_model::json::Value;

use super::read::{Read, needed, text, texts};
use super::{Api, ApiError, Call};

/// One link of the chain of an API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// Its name, as in the steps of a traced request.
    pub name: String,
    /// Its display name.
    pub title: String,
    /// `request`, `response` or `both`.
    pub phase: String,
    /// The version of the API it belongs to, if there are several.
    pub version: String,
    /// JSON Pointers to the members that configure it.
    pub pointers: Vec<String>,
    /// What it does in this chain, in a few words.
    pub detail: String,
}

/// The chain of an API as it is loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chain {
    /// Its links, in the order in which a request passes them.
    pub links: Vec<Link>,
}

impl Read for Link {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            name: value.str("name").ok_or("name")?.to_owned(),
            title: text(value, "title"),
            phase: text(value, "phase"),
            version: text(value, "version"),
            pointers: texts(value.get("pointers")),
            detail: text(value, "detail"),
        })
    }
}

impl Read for Chain {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            links: needed(value, "links")?,
        })
    }
}

impl Api {
    /// Returns the chain of an API as the gateway has loaded it.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if it is not loaded.
    pub async fn chain(self, id: &str) -> Result<Chain, ApiError> {
        let call = Call::get(format!("/gateway/apis/{id}/chain"));
        self.send(call).await?.read()
    }
}
