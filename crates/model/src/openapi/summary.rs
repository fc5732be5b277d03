//! A summary of a document, for people who look at it before importing it.

use serde::{Deserialize, Serialize};

use super::Importer;
use super::operations::operations;
use crate::json::Value;

/// A summary of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// The version of OpenAPI it uses.
    pub openapi: String,
    /// Its own version, as given by its author.
    pub version: String,
    /// The number of paths.
    pub paths: usize,
    /// The number of operations.
    pub operations: usize,
    /// Its servers, in order.
    pub servers: Vec<Server>,
    /// The names of the security schemes that it or one of its operations requires.
    pub schemes: Vec<String>,
}

/// One server of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Server {
    /// The upstream it becomes; empty if it can't be one.
    pub url: String,
    /// Its URL as written in the document.
    pub written: String,
    /// The author's description of it.
    pub description: String,
}

impl Importer<'_, '_> {
    pub(super) fn summary(&self) -> Summary {
        let text = |pointer: &str| {
            let value = self.document.pointer(pointer).and_then(Value::as_str);
            value.unwrap_or_default().to_owned()
        };
        let server = |server: &Value<'_>| Server {
            url: self.upstream_of(server).unwrap_or_default(),
            written: server.str("url").unwrap_or_default().to_owned(),
            description: server.str("description").unwrap_or_default().to_owned(),
        };
        let paths = self.document.get("paths").map(Value::members);
        Summary {
            openapi: text("/openapi"),
            version: text("/info/version"),
            paths: paths
                .unwrap_or_default()
                .iter()
                .filter(|path| path.name.starts_with('/'))
                .count(),
            operations: operations(self.document).len(),
            servers: self.servers().iter().map(server).collect(),
            schemes: self.required_schemes(),
        }
    }
}
