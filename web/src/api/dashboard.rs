//! The dashboard API: one function per endpoint, generic over the three kinds of documents where their
//! endpoints are the same.

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

pub(super) use read::refusal;
pub use types::{ClientIdp, Created, Listed, Page, Preview, Ruleset};

/// The kinds of documents, each with endpoints of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Rulesets.
    Rulesets,
    /// Client identity providers.
    ClientIdps,
    /// Webhooks.
    Hooks,
}

impl Group {
    /// The path of its endpoints.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            Self::Rulesets => "/api/rulesets",
            Self::ClientIdps => "/api/clientidps",
            Self::Hooks => "/api/hooks",
        }
    }

    /// The member of a list that holds the documents.
    #[must_use]
    pub const fn list(self) -> &'static str {
        match self {
            Self::Rulesets => "rulesets",
            Self::ClientIdps => "client_idps",
            Self::Hooks => "hooks",
        }
    }

    /// The path of one document.
    #[must_use]
    pub fn at(self, id: &str) -> String {
        format!("{}/{id}", self.path())
    }
}

/// What it means that there is no answer to a GET of one document. A webhook that isn't there is answered
/// with 400 (reference 1.11).
pub(super) fn absent(place: &str, error: ApiError) -> ApiError {
    match error {
        ApiError::Refused(refused)
            if refused.status == 400 && place.starts_with(Group::Hooks.path()) =>
        {
            ApiError::Missing(refused)
        }
        error => error,
    }
}

impl Answer {
    fn created(self) -> Result<Created, ApiError> {
        Ok(Created {
            etag: self.etag.clone(),
            ..self.read()?
        })
    }

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
    /// A page of documents; `query` as in the address, see the endpoint's parameters.
    ///
    /// # Errors
    /// [`ApiError::NotAuthorised`] if the token is refused, [`ApiError::Refused`] with 403 if it may not
    /// read them; so for all calls below.
    pub async fn listed<T: Listed>(self, query: &str) -> Result<Page<T>, ApiError> {
        self.send(Call::get(format!("{}?{query}", T::GROUP.path())))
            .await?
            .read()
    }

    /// A stored document.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if there is none.
    pub async fn fetch(self, group: Group, id: &str) -> Result<Document, ApiError> {
        self.stored(&group.at(id)).await
    }

    /// Stores a new document.
    ///
    /// # Errors
    /// [`ApiError::Taken`] if its stable id, or the name of a ruleset, is.
    pub async fn add(self, group: Group, text: &str) -> Result<Created, ApiError> {
        self.send(Call::post(group.path()).json(text))
            .await?
            .created()
    }

    /// Replaces a document, provided that `etag` is still what is stored. Answers the document that was
    /// stored; webhooks answer an envelope instead.
    ///
    /// # Errors
    /// [`ApiError::Stale`] if something else is stored.
    pub async fn put(
        self,
        group: Group,
        id: &str,
        text: &str,
        etag: &str,
    ) -> Result<Document, ApiError> {
        let call = Call::new(Method::PUT, group.at(id)).header("If-Match", etag);
        Ok(self.send(call.json(text)).await?.document())
    }

    /// Deletes a document, provided that `etag` is still what is stored.
    ///
    /// # Errors
    /// [`ApiError::Stale`] if something else is stored.
    pub async fn remove(self, group: Group, id: &str, etag: &str) -> Result<(), ApiError> {
        let call = Call::new(Method::DELETE, group.at(id)).header("If-Match", etag);
        self.send(call).await.map(drop)
    }

    /// Brings a deleted ruleset back.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if there never was one, [`ApiError::Taken`] if its name is meanwhile.
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
