//! The dashboard API: one function per endpoint. Those that all kinds of documents have are in
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

/// What it means that there is no answer to a GET of one document. A webhook that isn't there is answered
/// with 400 (reference 1.11).
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
    /// The document in it keeps every byte.
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
    /// Brings a deleted ruleset back.
    ///
    /// # Errors
    /// [`ApiError::NotAuthorised`] if the token is refused, [`ApiError::Refused`] with 403 if it may not
    /// do so, as for all calls below; [`ApiError::Missing`] if there never was one, [`ApiError::Taken`] if its name is meanwhile.
    pub async fn undelete_ruleset(self, id: &str) -> Result<(), ApiError> {
        let path = format!("{}/restore", Group::Rulesets.at(id));
        self.send(Call::post(path)).await.map(drop)
    }

    /// The categories of the organisation's APIs.
    ///
    /// # Errors
    /// As all calls here.
    pub async fn categories(self) -> Result<Vec<String>, ApiError> {
        let answer = self.send(Call::get("/api/apis/categories")).await?;
        answer.read::<Categories>().map(|found| found.0)
    }

    /// What a merge patch of the mappings of a client identity provider would do, with what its author
    /// should know of it.
    ///
    /// # Errors
    /// [`ApiError::Stale`] if something else than `etag` is stored.
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

    /// Merge-patches the mappings of a client identity provider, provided that `etag` is still what is
    /// stored. Answers the document that was stored.
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
