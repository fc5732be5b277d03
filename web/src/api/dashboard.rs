//! The dashboard API: one function per endpoint. Endpoints common to all kinds of documents are in
//! [`group`](super::group).

#[cfg(all(test, target_arch = "wasm32"))]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod agreement;
pub mod credentials;
pub mod hooks;
pub mod notices;
mod read;
pub mod trail;
pub mod types;

use gatewright_model::json::parse;
use gloo_net::http::Method;

use super::read::Read;
use super::{Answer, Api, ApiError, Call, Document};
use types::Categories;

pub use super::group::{Created, Group, Listed, Page};
pub(super) use read::refusal;
pub use types::{ClientIdp, Preview, Ruleset};

/// Classifies the failure of a GET of one document. A missing webhook is reported with 400 (reference 1.11).
pub(super) fn absent(path: &str, error: ApiError) -> ApiError {
    match error {
        ApiError::Refused(refused)
            if refused.status == 400 && path.starts_with(Group::Hooks.path()) =>
        {
            ApiError::Missing(refused)
        }
        error => error,
    }
}

impl Answer {
    /// Reads a preview. Its document is a slice of the body, byte for byte.
    fn preview(&self) -> Result<Preview, ApiError> {
        let missing = |what: &str| ApiError::Unreadable {
            what: format!("{what} is missing"),
            request_id: self.request_id.clone(),
        };
        let value = parse(&self.text).map_err(|_| missing("JSON"))?;
        let mut preview = Preview::read(&value).map_err(missing)?;
        let document = value.get("document").ok_or_else(|| missing("document"))?;
        preview.document = document.span.of(&self.text).to_owned();
        Ok(preview)
    }
}

impl Api {
    /// Restores a deleted ruleset.
    ///
    /// # Errors
    /// [`ApiError::NotAuthorised`] if the token is refused, [`ApiError::Refused`] with 403 if it lacks the permission,
    /// as for all calls below; [`ApiError::Missing`] if there never was such a ruleset, [`ApiError::Taken`] if its name
    /// is in use by now.
    pub async fn undelete_ruleset(self, id: &str) -> Result<(), ApiError> {
        let path = format!("{}/restore", Group::Rulesets.at(id));
        self.send(Call::post(path)).await.map(drop)
    }

    /// Returns the categories of the organisation's APIs.
    ///
    /// # Errors
    /// As for all calls here.
    pub async fn categories(self) -> Result<Vec<String>, ApiError> {
        let answer = self.send(Call::get("/api/apis/categories")).await?;
        answer.read::<Categories>().map(|found| found.0)
    }

    /// Previews a merge patch of the mappings of a client identity provider, with warnings.
    ///
    /// # Errors
    /// [`ApiError::Stale`] if something other than `etag` is stored.
    pub async fn try_mappings(
        self,
        id: &str,
        patch: &str,
        etag: &str,
    ) -> Result<Preview, ApiError> {
        self.send(mappings(id, "?dry_run=true", patch, etag))
            .await?
            .preview()
    }

    /// Merge-patches the mappings of a client identity provider, provided that `etag` matches what is stored. Returns
    /// the document that was stored.
    ///
    /// # Errors
    /// [`ApiError::Stale`] if something else is stored.
    pub async fn patch_mappings(
        self,
        id: &str,
        patch: &str,
        etag: &str,
    ) -> Result<Document, ApiError> {
        Ok(self.send(mappings(id, "", patch, etag)).await?.document())
    }
}

fn mappings(id: &str, query: &str, patch: &str, etag: &str) -> Call {
    let path = format!("{}/mappings{query}", Group::ClientIdps.at(id));
    let mut call = Call::new(Method::PATCH, path)
        .header("If-Match", etag)
        .header("Content-Type", "application/merge-patch+json");
    call.body = Some(patch.to_owned());
    call
}
