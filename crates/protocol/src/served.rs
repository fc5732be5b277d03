//! What the administration may know about the set that an isolate serves.

use crate::events::Handlers;
use std::collections::BTreeMap;

/// An API that is served.
#[derive(Clone, Copy, Debug)]
pub struct ServedApi<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its organisation, empty for the default one.
    pub org_id: &'a str,
    /// Who hears of its events.
    pub handlers: &'a Handlers,
}

/// The set of APIs that an isolate serves, as the administration looks at it.
pub trait Served {
    /// The API of this id.
    fn api(&self, api_id: &str) -> Option<ServedApi<'_>>;
    /// The texts of the policies, by both of their ids.
    fn policies(&self) -> &BTreeMap<String, String>;
    /// True if any API has a handler that hears of what happens to keys.
    fn hears_of_tokens(&self) -> bool;
}
