//! What is stored about the versions of an API.

use futures_util::future::join_all;
use gatewright_model::openapi::DocumentKind;

use crate::api::group::Group;
use crate::api::versions::ApiVersion;
use crate::api::{Api, ApiError, Summary};
use crate::pages::find_api::summary;
use crate::state::versions::Chooser;

/// The versions of an API.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// The id of the base.
    pub(super) base: String,
    /// How a version is chosen; `None` while there is only one.
    pub(super) chooser: Option<Chooser>,
    /// The versions, the base first.
    pub(super) members: Vec<Member>,
}

/// One version.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) version: ApiVersion,
    /// Its state; `None` if it could not be fetched.
    pub(super) summary: Option<Summary>,
    /// Its document or definition, or why it could not be fetched.
    pub(super) text: Result<String, ApiError>,
}

impl Member {
    /// Returns its name among the versions.
    pub(super) fn called(&self) -> &str {
        match self.version.version_name.as_str() {
            "" => "The base",
            name => name,
        }
    }

    pub(super) fn kind(&self) -> Option<DocumentKind> {
        self.summary.as_ref().and_then(|summary| summary.document)
    }

    /// Returns the OpenAPI document that it is administered as.
    pub(super) fn document(&self) -> Option<&str> {
        let is_document = self.kind() == Some(DocumentKind::Oas);
        self.text.as_deref().ok().filter(|_| is_document)
    }
}

impl Found {
    pub(super) fn title(&self) -> String {
        let base = self
            .members
            .first()
            .map(|member| member.version.name.as_str());
        match base {
            Some(name) if !name.is_empty() => format!("Versions of {name}"),
            _ => "Versions".to_owned(),
        }
    }

    /// Returns the index of the first version that can be copied.
    pub(super) fn source(&self) -> Option<usize> {
        self.members
            .iter()
            .position(|member| member.document().is_some())
    }
}

/// Finds the versions of an API by its id, or by the id of one of its versions.
pub(super) async fn find(api: Api, id: &str) -> Result<Found, ApiError> {
    let document = api.document(id).await?;
    let base = document.base_api.unwrap_or_else(|| id.to_owned());
    let versions = api.versions(&base).await?;
    let members = join_all(versions.into_iter().map(|version| member(api, version))).await;
    let first = members
        .first()
        .and_then(|member| member.text.as_deref().ok());
    Ok(Found {
        chooser: first.and_then(Chooser::of),
        base,
        members,
    })
}

async fn member(api: Api, version: ApiVersion) -> Member {
    let (summary, text) = match summary(api, &version.id).await {
        Err(error) => (None, Err(error)),
        Ok(found) => {
            let document = found.as_ref().and_then(|found| found.document);
            let text = match Group::of_api(document) {
                Some(group) => api.fetch(group, &version.id).await,
                None => api.document(&version.id).await,
            };
            (found, text.map(|document| document.text))
        }
    };
    Member {
        version,
        summary,
        text,
    }
}
