//! The two kinds of stored OpenAPI documents.

use serde::{Deserialize, Serialize};

/// The kind of resource that an OpenAPI document with the vendor extension is (reference 1.4 and 1.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentKind {
    /// An API, `/gateway/apis/oas`.
    Oas,
    /// An MCP proxy, `/gateway/mcps`.
    Mcp,
}

impl DocumentKind {
    /// Returns the kind for a name used by the console.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "openapi_api" => Some(Self::Oas),
            "mcp_proxy" => Some(Self::Mcp),
            _ => None,
        }
    }
}
