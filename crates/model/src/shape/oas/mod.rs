//! The shape of OpenAPI documents and of their vendor extension, as data.
//!
//! These are some 700 members, of which the edge needs names and kinds only. A table of constants would cost each
//! module that checks documents some 20 kB; here they are texts, one line per type or member, which are parsed when a
//! document is checked. A type may be followed by:
//!
//! - `closed`: no other members except those that start with `x-`; `shut`: none at all
//! - `least=1`: how many members it needs
//! - `each~path=PathItem`: the kind of members whose names have that format
//! - `any=A,B`, `one=A,B`, `all=A,B`, `not=A`: other types that it has to match; `choice`: it is nothing else than these
//!
//! The line of a member starts with a space. Its name may end with `!` (required; in the document around the extension
//! an empty text counts as missing), `!!` (required, but may be empty), `?` (if missing, it counts as null) or `+` (if
//! missing, it counts as the empty text, as the reference writes it). Then follows its kind:
//!
//! - `any`, `boolean`, `true`, `integer`, `number`, `object`, `reference`; `integer:1:65535` in a range
//! - `string`, `string~hms` (a pattern), `string@uri` (a format), `=a|b` (one of these texts)
//! - `[kind]`, `[kind,..]` (a list of which the reference only checks the first element), `{kind}`
//! - a type; `Type/` or a reference to one, `Type/boolean` or a boolean; `kind?` or null

mod api;
mod auth;
#[cfg(feature = "docs")]
mod docs;
mod document;
#[cfg(feature = "docs")]
mod fields;
mod form;
mod mcp;
mod middleware;
mod table;
mod upstream;

#[cfg(feature = "docs")]
pub(crate) use docs::doc;
#[cfg(feature = "docs")]
pub(crate) use fields::shape;
pub use form::Form;
#[cfg(feature = "docs")]
pub(crate) use table::Member;
pub(crate) use table::{Fill, Kind, Others, Range, Table, Type};

use crate::openapi::DocumentKind;

/// The name of the type of the extension.
pub(crate) const EXTENSION: &str = "Extension";

/// The name of the type of a document.
pub(crate) const DOCUMENT: &str = "Document";

/// The name of the type of `x-gateway-mcp-server`.
pub(crate) const MCP_SERVER: &str = "MCPServer";

/// A version of OpenAPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// 3.0
    V3_0,
    /// 3.1
    V3_1,
}

impl Version {
    /// All versions.
    pub const ALL: [Self; 2] = [Self::V3_0, Self::V3_1];

    /// Returns its first two numbers.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::V3_0 => "3.0",
            Self::V3_1 => "3.1",
        }
    }
}

/// Returns the types of documents of a version and kind. If several types have one name, the first one counts.
pub(crate) fn table(version: Version, kind: DocumentKind) -> Table<'static> {
    let mut texts: Vec<(&'static str, bool)> = Vec::new();
    if kind == DocumentKind::Mcp {
        texts.push((mcp::TYPES, false));
        texts.push((mcp::SERVER_TYPES, false));
    }
    texts.extend([
        (api::TYPES, false),
        (auth::TYPES, false),
        (upstream::TYPES, false),
        (middleware::TYPES, false),
    ]);
    let own = match version {
        Version::V3_0 => document::TYPES_3_0,
        Version::V3_1 => document::TYPES_3_1,
    };
    texts.extend([(own, true), (document::TYPES, true)]);
    Table::read(&texts)
}

#[cfg(test)]
mod tests;
