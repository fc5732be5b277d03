//! Values and rules of Gatewright: what a definition is, what is wrong with one, and how two differ.
//!
//! Everything here is a pure function of its input: no I/O, no clock, no randomness, no JavaScript types. The console
//! calls it while somebody types and the edge calls it on saving, so both give the same result. Nothing panics,
//! whatever the text.
//!
//! - [`json`]: text in, a borrowed tree with byte spans out, and edits that leave the other bytes alone
//! - [`issue`]: what is wrong, where (pointer, line, column) and how badly
//! - [`id`]: which identifiers are safe as part of a path, a key or a file name
//! - [`shape`]: the one table of types and members, and the checker that reads it
//! - [`text`]: texts with a grammar of their own: regular expressions, templates
//! - [`definition`]: the typed view of an API definition, and the rules no table can express
//! - [`document`]: every other kind of document, checked the same way
//! - [`session`], [`policy`]: what a key may do, and how policies combine; [`amount`]: their numbers
//! - [`ruleset`]: the linting rules inside a ruleset
//! - [`docs`]: the support table and the field reference
//! - [`openapi`]: definitions from OpenAPI documents; [`mcp`]: what MCP proxies let through
//! - [`schema`]: JSON Schemas of every document; [`form`]: sections and fields of a form
//! - [`assist`]: completion, explanations and quick fixes while somebody types
//! - [`certificate`]: the contents of a certificate
//! - [`mask`]: documents and differences with their secrets masked
//! - [`merge`], [`diff`], [`lines`]: merge patch, list of changes, comparison line by line
//! - [`order`]: one sort for everything; [`compiled`]: what texts compile to, kept for the next request
//!
//! The feature `docs` (on by default) adds the descriptions of the members, and what depends on them: [`docs`],
//! [`schema`], [`form`], [`assist`]. The edge is built without it. The feature `yaml` adds `yaml`, for the module that
//! handles OpenAPI documents; `certificates` adds the reading of certificates, for the module that checks credentials.
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects,
        reason = "a test may fail loudly"
    )
)]

pub mod amount;
#[cfg(feature = "docs")]
pub mod assist;
pub mod certificate;
pub mod compiled;
pub mod definition;
pub mod diff;
#[cfg(feature = "docs")]
pub mod docs;
pub mod document;
mod findings;
#[cfg(feature = "docs")]
pub mod form;
pub mod id;
pub mod issue;
pub mod json;
pub mod json_schema;
pub mod lines;
pub mod mappings;
pub mod mask;
pub mod mcp;
pub mod merge;
pub mod openapi;
pub mod order;
mod patch;
pub mod policy;
pub mod ruleset;
#[cfg(feature = "docs")]
pub mod schema;
pub mod scopes;
pub mod session;
pub mod shape;
pub mod text;
pub mod words;
#[cfg(feature = "yaml")]
pub mod yaml;

pub use definition::{ApiDefinition, validate, validate_value};
pub use issue::{Issue, IssueCode, Position, Severity};
