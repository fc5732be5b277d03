//! What `POST /gateway/debug` asks, once the administration has let it pass.

use super::Error;
use crate::chain::Settings;
use crate::snapshot::{Api, checksum};
use gatewright_model::json::{self, Value};
use std::rc::Rc;

/// One request, and the API it is for.
pub struct Ask<'a> {
    /// The whole body; positions are those in it.
    pub(super) text: &'a str,
    /// Its member `request`.
    pub(super) request: Value<'a>,
    /// The API.
    pub(super) wanted: Wanted,
    /// The hash of the key to send it as.
    pub(super) sent_as: Option<String>,
}

/// Which API.
pub enum Wanted {
    /// The loaded one of this id.
    Loaded(String),
    /// One that was sent along.
    Given(Rc<Api>),
}

impl<'a> Ask<'a> {
    /// Reads a body, and the definition that was sent along with it: a classic one that
    /// [`gatewright_protocol::snapshot::check`] has let pass.
    ///
    /// # Errors
    /// If they are no JSON, or there is no request.
    pub fn read(
        text: &'a str,
        definition: Option<&str>,
        settings: &Settings,
    ) -> Result<Self, Error> {
        let value = json::parse(text).map_err(Error::Malformed)?;
        let request = value.get("request").cloned();
        let wanted = match definition {
            Some(definition) => {
                let text = definition;
                let definition = json::parse(text).map_err(Error::Malformed)?;
                let mut api = Api::read(&definition, 0, settings);
                api.checksum = checksum(text);
                Wanted::Given(Rc::new(api))
            }
            None => Wanted::Loaded(value.str("api_id").unwrap_or_default().to_owned()),
        };
        let hash = value.str("key_hash").filter(|hash| !hash.is_empty());
        Ok(Self {
            text,
            request: request.ok_or_else(|| Error::Malformed(Vec::new()))?,
            wanted,
            sent_as: hash.map(str::to_owned),
        })
    }
}
