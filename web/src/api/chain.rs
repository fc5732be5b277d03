//! The chain of an API: what the console reads of its links.

use gatewright_model::json::Value;

use super::read::{Read, needed, text, texts};
use super::{Api, ApiError, Call};

/// One link of the chain of an API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// Which one, as the steps of a tried request call it.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// request, response or both.
    pub phase: String,
    /// Of which version of the API, if it has several.
    pub version: String,
    /// JSON Pointers to the members that made it.
    pub pointers: Vec<String>,
    /// What it does here.
    pub detail: String,
}

/// The chain of an API as it is loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chain {
    /// Its links in the order in which a request passes them.
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
    /// The chain of an API as the gateway has loaded it.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if it is not loaded.
    pub async fn chain(self, id: &str) -> Result<Chain, ApiError> {
        let call = Call::get(format!("/gateway/apis/{id}/chain"));
        self.send(call).await?.read()
    }
}
