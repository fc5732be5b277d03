//! The versions of a base API: listing them, and adding one.

use gatewright_model::json::Value;

use super::group::{Created, Group};
use super::read::{Read, flag, list, text};
use super::{Api, ApiError, Call, api_path};
use crate::state::query_string::encode;

/// A version of an API; the first in a list is the base itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApiVersion {
    /// The id of the API that serves it.
    pub id: String,
    /// The name of that API.
    pub name: String,
    /// The version's name in requests; empty as long as the base has no name for itself.
    pub version_name: String,
    /// Whether that API has no address of its own.
    pub internal: bool,
    /// When it expires, as written in the definition; empty for never.
    pub expires: String,
    /// Whether it serves requests that name no version.
    pub is_default: bool,
}

impl Read for ApiVersion {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            id: value.str("id").ok_or("id")?.to_owned(),
            name: text(value, "name"),
            version_name: text(value, "versionName"),
            internal: flag(value, "internal"),
            expires: text(value, "expirationDate"),
            is_default: flag(value, "isDefaultVersion"),
        })
    }
}

/// All versions; an empty list is written as `null`.
pub(super) struct Versions(pub(super) Vec<ApiVersion>);

impl Read for Versions {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        list(value, "apis").map(Self)
    }
}

/// A new version, and its entry in the base.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewVersion {
    /// The id of the base.
    pub base: String,
    /// The new version's name in requests.
    pub name: String,
    /// The base's own name in requests, which it needs as soon as there is another version.
    pub base_name: String,
    /// Whether the new version serves requests that name none.
    pub is_default: bool,
}

impl Api {
    /// Returns the versions of a base API: the base first, the others by name.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if there is no such API.
    pub async fn versions(self, base: &str) -> Result<Vec<ApiVersion>, ApiError> {
        let path = format!("{}/versions", api_path(base));
        let answer = self.send(Call::get(path)).await?;
        answer.read::<Versions>().map(|found| found.0)
    }

    /// Stores a new OpenAPI API as a version of another API, which lists it from then on.
    ///
    /// # Errors
    /// [`ApiError::Taken`] if its listen path is in use, [`ApiError::Refused`] with a sentence about its name or its
    /// base.
    pub async fn add_version(self, text: &str, new: &NewVersion) -> Result<Created, ApiError> {
        let path = format!(
            "{}?base_api_id={}&new_version_name={}&base_api_version_name={}&set_default={}",
            Group::OpenApis.path(),
            encode(&new.base),
            encode(&new.name),
            encode(&new.base_name),
            new.is_default,
        );
        let call = Call::post(path).header("If-None-Match", "*");
        self.send(call.json(text)).await?.created()
    }
}
