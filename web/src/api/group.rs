//! Documents of either API that have the same endpoints, whatever their kind: list, read, store, delete.

use gatewright_model::Issue;
use gatewright_model::json::{Kind, Value};
use gatewright_model::openapi::DocumentKind;
use gloo_net::http::Method;

use super::read::{Read, list, number, some_text};
use super::{Answer, Api, ApiError, Call, Document, Modified, api_path};

/// The media type of documents in YAML (RFC 9512).
const YAML: &str = "application/yaml";

/// The kinds of documents, each with endpoints of its own.
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
    /// The path of its endpoints.
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

    /// The member of a list that holds the documents.
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

    /// The path of one document, by its id as it stands in a path.
    #[must_use]
    pub fn at(self, id: &str) -> String {
        format!("{}/{id}", self.path())
    }

    /// The path that the revisions of a document lie below: OpenAPI documents have those of their API.
    #[must_use]
    pub fn past_of(self, id: &str) -> String {
        match self {
            Self::OpenApis | Self::McpProxies => api_path(id),
            _ => self.at(id),
        }
    }

    /// The group of what an API is administered as; none for a classic definition.
    #[must_use]
    pub const fn of_api(document: Option<DocumentKind>) -> Option<Self> {
        match document {
            Some(DocumentKind::Oas) => Some(Self::OpenApis),
            Some(DocumentKind::Mcp) => Some(Self::McpProxies),
            None => None,
        }
    }

    /// Whether what was stored before can be read and stored again.
    #[must_use]
    pub const fn keeps_revisions(self) -> bool {
        matches!(
            self,
            Self::Rulesets
                | Self::ClientIdps
                | Self::Hooks
                | Self::Policies
                | Self::OpenApis
                | Self::McpProxies
        )
    }

    /// What is behind the path of a replacement: the counters of a key go on, unless somebody asks for
    /// more.
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
    /// What asks for a page of what lists show, where the list is something else without it.
    const VIEW: &'static str = "";
}

/// One page of documents.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page<T> {
    /// The documents of this page.
    pub documents: Vec<T>,
    /// The page, first is 1.
    pub page: u32,
    /// How many pages there are.
    pub pages: u32,
    /// How many documents match, on all pages.
    pub total: u64,
}

/// A document that was stored for the first time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Created {
    /// Its internal id; that of the administration API's documents is the only one they have.
    pub id: String,
    /// What its author should know of it.
    pub issues: Vec<Issue>,
    /// The signing secret of a webhook, which is shown only now.
    pub secret: Option<String>,
    /// The entity tag of what was stored (from the header).
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
    /// A page of documents; `query` as in the address, see the endpoint's parameters.
    ///
    /// # Errors
    /// [`ApiError::NotAuthorised`] or [`ApiError::Forbidden`] if the key of its API is refused,
    /// [`ApiError::Refused`] with 403 if it may not read them; so for all calls below.
    pub async fn listed<T: Listed>(self, query: &str) -> Result<Page<T>, ApiError> {
        self.send(Call::get(format!("{}?{}{query}", T::GROUP.path(), T::VIEW)))
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

    /// A stored document as it was written: a key without what its policies give it.
    ///
    /// # Errors
    /// As [`Self::fetch`].
    pub async fn written(self, group: Group, id: &str) -> Result<Document, ApiError> {
        let query = if group == Group::Keys {
            "?applied=false"
        } else {
            ""
        };
        self.stored(&format!("{}{query}", group.at(id))).await
    }

    /// Stores a new document.
    ///
    /// # Errors
    /// [`ApiError::Taken`] if its stable id, or the name of a ruleset, is; [`ApiError::Stale`] if the id
    /// of a policy or an API is.
    pub async fn add(self, group: Group, text: &str) -> Result<Created, ApiError> {
        let mut call = Call::post(group.path());
        if matches!(group, Group::Policies | Group::OpenApis | Group::McpProxies) {
            // To add one is to replace it, unless that is forbidden.
            call = call.header("If-None-Match", "*");
        }
        self.send(call.json(text)).await?.created()
    }

    /// Replaces a document, provided that `etag` is still what is stored. Answers the document that was
    /// stored; webhooks and the documents of the administration API answer an envelope instead.
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

    /// A stored document as YAML, with its comments where it is kept as YAML.
    ///
    /// # Errors
    /// [`ApiError::Missing`] if there is none.
    pub async fn yaml(self, group: Group, id: &str) -> Result<Document, ApiError> {
        let call = Call::get(group.at(id)).header("Accept", YAML);
        Ok(self.send(call).await?.document())
    }

    /// Replaces a document by one in YAML, provided that `etag` is still what is stored, or says what a replacement
    /// would come to. Answers what its author should know of it.
    ///
    /// # Errors
    /// [`ApiError::Stale`] if something else is stored, [`ApiError::Refused`] with the places of what is wrong.
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

    /// Deletes a document, provided that `etag` is still what is stored.
    ///
    /// # Errors
    /// [`ApiError::Stale`] if something else is stored.
    pub async fn remove(self, group: Group, id: &str, etag: &str) -> Result<(), ApiError> {
        let call = Call::new(Method::DELETE, group.at(id)).header("If-Match", etag);
        self.send(call).await.map(drop)
    }
}
