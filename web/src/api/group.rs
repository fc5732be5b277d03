//! Documents of either API that share the same endpoints whatever their kind: list, read, store, delete.

use gatewright_model::Issue;
use gatewright_model::json::{Kind, Value};
use gatewright_model::openapi::DocumentKind;
use gloo_net::http::Method;

use super::read::{Read, list, number, some_text};
use super::{Answer, Api, ApiError, Call, Document, Modified, api_path};

/// The media type of documents in YAML (RFC 9512).
const YAML: &str = "application/yaml";

/// The kinds of documents, each with its own endpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Rulesets.
    Rulesets,
    /// Client identity providers.
    ClientIdps,
    /// Webhooks.
    Hooks,
    /// Sessions of keys, by the hash of their token.
    Keys,
    /// Policies.
    Policies,
    /// Sessions of organisations.
    Organisations,
    /// OpenAPI APIs.
    OpenApis,
    /// MCP proxies.
    McpProxies,
}

impl Group {
    /// Returns the path of its endpoints.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            Self::Rulesets => "/api/rulesets",
            Self::ClientIdps => "/api/clientidps",
            Self::Hooks => "/api/hooks",
            Self::Keys => "/gateway/keys",
            Self::Policies => "/gateway/policies",
            Self::Organisations => "/gateway/org/keys",
            Self::OpenApis => "/gateway/apis/oas",
            Self::McpProxies => "/gateway/mcps",
        }
    }

    /// Returns the member of a list response that holds the documents.
    #[must_use]
    pub const fn list(self) -> &'static str {
        match self {
            Self::Rulesets => "rulesets",
            Self::ClientIdps => "client_idps",
            Self::Hooks => "hooks",
            Self::Policies => "policies",
            Self::Keys | Self::Organisations => "keys",
            Self::OpenApis | Self::McpProxies => "apis",
        }
    }

    /// Returns the path of one document, whose id is already encoded for a path.
    #[must_use]
    pub fn at(self, id: &str) -> String {
        format!("{}/{id}", self.path())
    }

    /// Returns the path that a document's revisions are listed below: an OpenAPI document shares the revisions of its
    /// API.
    #[must_use]
    pub fn past_of(self, id: &str) -> String {
        match self {
            Self::OpenApis | Self::McpProxies => api_path(id),
            _ => self.at(id),
        }
    }

    /// Returns the group that an API is administered in; `None` for a classic definition.
    #[must_use]
    pub const fn of_api(document: Option<DocumentKind>) -> Option<Self> {
        match document {
            Some(DocumentKind::Oas) => Some(Self::OpenApis),
            Some(DocumentKind::Mcp) => Some(Self::McpProxies),
            None => None,
        }
    }

    /// Whether earlier revisions can be read and restored.
    #[must_use]
    pub const fn keeps_revisions(self) -> bool {
        !matches!(self, Self::Keys | Self::Organisations)
    }

    /// Returns the query that reads a document as it was written: a key without what its policies and counters add, a
    /// policy without the members that it lacks.
    #[must_use]
    pub const fn as_written(self) -> &'static str {
        match self {
            Self::Keys => "?applied=false",
            Self::Policies => "?complete=false",
            _ => "",
        }
    }

    /// Returns the query of a replacement: for a key, it keeps the counters from being reset.
    #[must_use]
    pub const fn quietly(self) -> &'static str {
        match self {
            Self::Keys => "?suppress_reset=1",
            _ => "",
        }
    }
}

/// A document as a list shows it.
pub trait Listed: Read {
    /// The kind of document.
    const GROUP: Group;
    /// The query prefix that requests rows for a list, where the endpoint lists something else by default.
    const VIEW: &'static str = "";
}

/// One page of documents.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page<T> {
    /// The documents of this page.
    pub documents: Vec<T>,
    /// The number of this page, starting at 1.
    pub page: u32,
    /// How many pages there are.
    pub pages: u32,
    /// How many documents match in total, on all pages.
    pub total: u64,
}

/// A document that was just created.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Created {
    /// Its internal id; for documents of the administration API, their only one.
    pub id: String,
    /// Warnings about the document.
    pub issues: Vec<Issue>,
    /// The signing secret of a webhook; no later response has it.
    pub secret: Option<String>,
    /// Its entity tag (from the header).
    pub etag: String,
}

impl<T: Listed> Read for Page<T> {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        let name = T::GROUP.list();
        let documents = match value.get(name).map(|member| &member.kind) {
            Some(Kind::Array(items)) => items.iter().map(T::read).collect::<Result<_, _>>()?,
            _ => return Err(name),
        };
        Ok(Self {
            documents,
            page: number(value, "page"),
            pages: number(value, "pages"),
            total: number(value, "total"),
        })
    }
}

impl Read for Created {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        let id = value.str("Meta").or_else(|| value.str("key"));
        Ok(Self {
            id: id.ok_or("Meta")?.to_owned(),
            issues: list(value, "issues")?,
            secret: some_text(value, "signing_secret"),
            etag: String::new(),
        })
    }
}

impl Answer {
    pub(super) fn created(self) -> Result<Created, ApiError> {
        Ok(Created {
            etag: self.etag.clone(),
            ..self.read()?
        })
    }
}

impl Api {
    /// Returns a page of documents; `query` has the endpoint's parameters, encoded.
    ///
    /// # Errors
    /// [`ApiError::NotAuthorised`] or [`ApiError::Forbidden`] if the key of its API is refused, [`ApiError::Refused`]
    /// with 403 if it may not read them; the same goes for all calls below.
    pub async fn listed<T: Listed>(self, query: &str) -> Result<Page<T>, ApiError> {
        self.send(Call::get(format!("{}?{}{query}", T::GROUP.path(), T::VIEW)))
            .await?
            .read()
    }

    /// Returns a stored document.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if there is none.
    pub async fn fetch(self, group: Group, id: &str) -> Result<Document, ApiError> {
        self.stored(&group.at(id)).await
    }

    /// Returns a stored document as it was written: without what the gateway adds when it is read.
    ///
    /// # Errors
    /// As [`Self::fetch`].
    pub async fn written(self, group: Group, id: &str) -> Result<Document, ApiError> {
        let query = group.as_written();
        self.stored(&format!("{}{query}", group.at(id))).await
    }

    /// Stores a new document.
    ///
    /// # Errors
    /// [`ApiError::Taken`] if its stable id, or the name of a ruleset, is in use; [`ApiError::Stale`] if the id of a
    /// policy or an API is.
    pub async fn add(self, group: Group, text: &str) -> Result<Created, ApiError> {
        let mut call = Call::post(group.path());
        if matches!(group, Group::Policies | Group::OpenApis | Group::McpProxies) {
            // These endpoints would otherwise replace an existing document.
            call = call.header("If-None-Match", "*");
        }
        self.send(call.json(text)).await?.created()
    }

    /// Replaces a document, provided that `etag` matches what is stored. Returns the stored document; for webhooks and
    /// the documents of the administration API, an envelope instead.
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
        let path = format!("{}{}", group.at(id), group.quietly());
        let call = Call::new(Method::PUT, path).header("If-Match", etag);
        Ok(self.send(call.json(text)).await?.document())
    }

    /// Returns a stored document as YAML, with its comments if it is stored as YAML.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if there is none.
    pub async fn yaml(self, group: Group, id: &str) -> Result<Document, ApiError> {
        let call = Call::get(group.at(id)).header("Accept", YAML);
        Ok(self.send(call).await?.document())
    }

    /// Replaces a document by one in YAML, provided that `etag` matches what is stored; with `dry_run`, only checks it.
    /// Returns warnings about the document.
    ///
    /// # Errors
    /// [`ApiError::Stale`] if something else is stored, [`ApiError::Refused`] with the positions of what is wrong.
    pub async fn put_yaml(
        self,
        group: Group,
        id: &str,
        text: &str,
        etag: &str,
        dry_run: bool,
    ) -> Result<Modified, ApiError> {
        let path = format!("{}?dry_run={dry_run}", group.at(id));
        let call = Call::new(Method::PUT, path).header("If-Match", etag);
        let mut call = call.header("Content-Type", YAML);
        call.body = Some(text.to_owned());
        self.send(call).await?.modified()
    }

    /// Deletes a document, provided that `etag` matches what is stored.
    ///
    /// # Errors
    /// [`ApiError::Stale`] if something else is stored.
    pub async fn remove(self, group: Group, id: &str, etag: &str) -> Result<(), ApiError> {
        let call = Call::new(Method::DELETE, group.at(id)).header("If-Match", etag);
        self.send(call).await.map(drop)
    }
}
