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
