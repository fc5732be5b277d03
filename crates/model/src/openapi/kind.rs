//! The two kinds of stored OpenAPI documents.

use serde::{Deserialize, Serialize};

/// What an OpenAPI document with the vendor extension is administered as (reference 1.4 and 1.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DocumentKind {
    /// An API, `/gateway/apis/oas`.
    Oas,
    /// An MCP proxy, `/gateway/mcps`.
    Mcp,
}

impl DocumentKind {
    /// The kind that a word of the console stands for.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        match word {
            "openapi_api" => Some(Self::Oas),
            "mcp_proxy" => Some(Self::Mcp),
            _ => None,
        }
    }
}
