//! Versions of the newer style: other APIs.

use super::Selector;
use crate::failure::Failure;

/// The name by which an API lists itself among its versions.
const SELF: &str = "self";

/// The versions of the newer style.
pub(super) struct Children<'v> {
    pub(super) name: &'v str,
    pub(super) ids: &'v [(String, String)],
    pub(super) loaded: &'v dyn Fn(&str) -> bool,
}

impl Children<'_> {
    /// Name and id of the API that serves a version; `Some(None)` for the base itself, `None` if no API does.
    pub(super) fn of(&self, version: &str) -> Option<Option<(String, String)>> {
        if version == SELF || version == self.name {
            return Some(None);
        }
        let named = self.ids.iter().find(|(name, _)| name == version);
        let named = named.filter(|(_, id)| (self.loaded)(id));
        named.map(|found| Some(found.clone()))
    }

    /// The API that serves a request for a version; `None` for the base itself.
    pub(super) fn choose(
        &self,
        selector: &Selector,
        asked: Option<&str>,
    ) -> Result<Option<(String, String)>, Failure> {
        match asked {
            // If neither a default nor the base has a name, the unnamed version is the base.
            None if selector.default.is_empty() && !self.name.is_empty() => {
                Err(Failure::VersionMissing)
            }
            None => self.of(&selector.default).ok_or(Failure::VersionUnknown),
            Some(version) => match self.of(version) {
                Some(found) => Ok(found),
                None if selector.falls_back => {
                    self.of(&selector.default).ok_or(Failure::FallbackBroken)
                }
                None => Err(Failure::VersionUnknown),
            },
        }
    }
}
