//! What `POST /gateway/debug` is to do, after validation by the control plane.

use super::Error;
use crate::chain::Settings;
use crate::snapshot::{Api, checksum};
use gatewright_model::json::{self, Value};
use gatewright_protocol::debug::HIDES_VALUES;
use std::rc::Rc;

/// A request to debug, and the API it is for.
pub struct Ask<'a> {
    /// The complete body; positions refer to it.
    pub(super) text: &'a str,
    /// Its member `request`.
    pub(super) request: Value<'a>,
    /// The API.
    pub(super) wanted: Wanted,
    /// The hash of the key to use.
    pub(super) sent_as: Option<String>,
    /// Whether the caller must not see the values that rules set.
    pub(super) hides_values: bool,
}

/// The API to debug.
pub enum Wanted {
    /// The loaded API with this id.
    Loaded(String),
    /// An API sent along.
    Given(Rc<Api>),
}

impl<'a> Ask<'a> {
    /// Reads a body, and the definition that was sent along with it: a classic one that
    /// [`gatewright_protocol::snapshot::check`] has accepted.
    ///
    /// # Errors
    /// If they aren't JSON, or there is no request.
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
            hides_values: value.bool(HIDES_VALUES) == Some(true),
        })
    }
}
