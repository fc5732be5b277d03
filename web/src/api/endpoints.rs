//! One function per endpoint of the administration API.

use gloo_net::http::Method;

use gatewright_model::json::quote;

use super::dashboard::absent;
use super::{
    Api, ApiError, BatchAnswer, Call, Document, Fetched, Modified, PastGenerations, ReloadStatus,
    Revisions, SECRET_HEADER, SummaryPage,
};

/// The path at which the console signs in and out.
const SESSION: &str = "/console/session";

/// Returns the path of an API's definition.
#[must_use]
pub fn api_path(id: &str) -> String {
    format!("/gateway/apis/{id}")
}

/// Returns the path that yields an API's definition as it was written, without the members that it lacks.
#[must_use]
pub fn written_path(id: &str) -> String {
    format!("/gateway/apis/{id}?complete=false")
}

impl Api {
    /// Signs in with the secret, a dashboard token, or both, in addition to what is signed in already.
    ///
    /// # Errors
    /// [`ApiError::Forbidden`] if the secret is wrong, [`ApiError::NotAuthorised`] if the token is; nothing has changed
    /// then. Otherwise as for every call.
    pub async fn sign_in(self, secret: Option<&str>, token: Option<&str>) -> Result<(), ApiError> {
        let mut call = Call::post(SESSION);
        if let Some(secret) = secret {
            call = call.header(SECRET_HEADER, secret);
        }
        if let Some(token) = token {
            call = call.header("Authorization", &format!("Bearer {token}"));
        }
        match self.send_anyway(call).await {
            Ok(answer) => {
                self.session.accept(&answer.text);
                Ok(())
            }
            Err(ApiError::Refused(refused)) if refused.status == 401 => {
                Err(ApiError::NotAuthorised)
            }
            // The token is not a valid header value.
            Err(ApiError::Forbidden) if secret.is_none() => Err(ApiError::NotAuthorised),
            Err(error) => Err(error),
        }
    }

    /// Signs out this browser or, with `everywhere`, every session with the same secret or token.
    ///
    /// # Errors
    /// As for every call.
    pub async fn sign_out(self, everywhere: bool) -> Result<(), ApiError> {
        let query = if everywhere { "?everywhere=true" } else { "" };
        let call = Call::new(Method::DELETE, format!("{SESSION}{query}"));
        self.send_anyway(call).await.map(drop)
    }

    /// Returns one page of the list of APIs; `query` is the output of `Filters::to_request`.
    ///
    /// # Errors
    /// See [`ApiError`]; the same goes for all calls below.
    pub async fn summaries(self, query: &str) -> Result<SummaryPage, ApiError> {
        self.send(Call::get(format!("/gateway/apis?{query}")))
            .await?
            .read()
    }

    /// Returns the stored definition of an API, as it was written.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if there is none.
    pub async fn document(self, id: &str) -> Result<Document, ApiError> {
        self.stored(&written_path(id)).await
    }

    /// Stores a new API.
    ///
    /// # Errors
    /// [`ApiError::Stale`] if its id is in use, [`ApiError::Taken`] if its route is.
    pub async fn create(self, text: &str) -> Result<Modified, ApiError> {
        self.send(
            Call::post("/gateway/apis")
                .header("If-None-Match", "*")
                .json(text),
        )
        .await?
        .modified()
    }

    /// Replaces a definition, provided that `etag` matches what is stored.
    ///
    /// # Errors
    /// [`ApiError::Stale`] if it does not, [`ApiError::Taken`] if the route belongs to another API.
    pub async fn replace(self, id: &str, text: &str, etag: &str) -> Result<Modified, ApiError> {
        let call = Call::new(Method::PUT, format!("/gateway/apis/{id}")).header("If-Match", etag);
        self.send(call.json(text)).await?.modified()
    }

    /// Deletes an API, provided that `etag` matches what is stored.
    ///
    /// # Errors
    /// [`ApiError::Stale`] if it does not.
    pub async fn delete(self, id: &str, etag: &str) -> Result<Modified, ApiError> {
        let call = Call::new(Method::DELETE, api_path(id)).header("If-Match", etag);
        self.send(call).await?.modified()
    }

    /// Returns the document at a path of either API.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if there is none.
    pub async fn stored(self, path: &str) -> Result<Document, ApiError> {
        let stored = self.send(Call::get(path)).await;
        Ok(stored.map_err(|error| absent(path, error))?.document())
    }

    /// Returns the text at a path that requires no key.
    ///
    /// # Errors
    /// [`ApiError::Unreachable`] without a response.
    pub async fn public(self, path: &str) -> Result<String, ApiError> {
        Ok(self.send_anyway(Call::get(path)).await?.text)
    }

    /// Returns up to 100 revisions of the document at a path, newest first; with `before`, only older ones than that.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if the document never existed.
    pub async fn revisions(self, path: &str, before: Option<u64>) -> Result<Revisions, ApiError> {
        let before = before
            .map(|revision| format!("&before={revision}"))
            .unwrap_or_default();
        self.send(Call::get(format!("{path}/revisions?limit=100{before}")))
            .await?
            .read()
    }

    /// Returns the text of one revision of the document at a path.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if there is no such revision.
    pub async fn revision(self, path: &str, revision: u64) -> Result<Document, ApiError> {
        self.stored(&format!("{path}/revisions/{revision}")).await
    }

    /// Restores an older revision of the document at a path; `etag` guards the write if the caller knows what is
    /// stored. Returns the new entity tag.
    ///
    /// # Errors
    /// [`ApiError::Stale`] if something else is stored, [`ApiError::Taken`] if the route belongs to another API by now.
    pub async fn restore(
        self,
        path: &str,
        revision: u64,
        etag: Option<&str>,
    ) -> Result<String, ApiError> {
        let mut call = Call::post(format!("{path}/revisions/{revision}/restore"));
        if let Some(etag) = etag {
            call = call.header("If-Match", etag);
        }
        Ok(self.send(call).await?.etag)
    }

    /// Returns what is loaded, skipped and pending.
    ///
    /// # Errors
    /// See [`ApiError`].
    pub async fn reload_status(self) -> Result<ReloadStatus, ApiError> {
        self.send(Call::get("/gateway/reload/status?loaded=false"))
            .await?
            .read()
    }

    /// Loads everything that is stored, and returns when that is done.
    ///
    /// # Errors
    /// [`ApiError::Refused`] if it failed; what was loaded before stays loaded.
    pub async fn reload(self) -> Result<(), ApiError> {
        self.send(Call::post("/gateway/reload?block=true"))
            .await
            .map(drop)
    }

    /// Publishes a part of what is stored, or an earlier generation again (`{"generation": 7}`), and returns when that
    /// is done.
    ///
    /// # Errors
    /// [`ApiError::Refused`] if it can't be published or failed; what was loaded before stays loaded.
    pub async fn reload_selected(self, selection: &str) -> Result<(), ApiError> {
        self.send(Call::post("/gateway/reload?block=true").json(selection))
            .await
            .map(drop)
    }

    /// Returns the generations that can be published again.
    ///
    /// # Errors
    /// See [`ApiError`].
    pub async fn generations(self) -> Result<PastGenerations, ApiError> {
        let call = Call::get("/gateway/reload/generations");
        self.send(call).await?.read()
    }

    /// Returns what publishing a generation again would change: a status with only its number and `pending`.
    ///
    /// # Errors
    /// [`ApiError::Missing`] or [`ApiError::Refused`] if it is no longer kept.
    pub async fn generation_plan(self, generation: u64) -> Result<ReloadStatus, ApiError> {
        let path = format!("/gateway/reload/generations/{generation}");
        self.send(Call::get(path)).await?.read()
    }

    /// Runs a batch through a loaded API.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if the API isn't loaded, [`ApiError::Refused`] if it doesn't accept batches.
    pub async fn batch(self, id: &str, body: &str) -> Result<Vec<BatchAnswer>, ApiError> {
        self.send(Call::post(format!("/gateway/apis/{id}/batch")).json(body))
            .await?
            .read()
    }

    /// Makes the gateway fetch a document: the console itself may not call other origins.
    ///
    /// # Errors
    /// [`ApiError::Refused`] with a sentence about the address or the response from there.
    pub async fn fetch_document(self, url: &str) -> Result<Fetched, ApiError> {
        let body = format!("{{\"url\":{}}}", quote(url));
        self.send(Call::post("/gateway/openapi/fetch").json(&body))
            .await?
            .read()
    }
}
