//! Checks whether an OpenAPI document can be an API or an MCP proxy, and if not, how the administration responds
//! (reference 1.4, 1.5, 6.3, 6.4).
//!
//! One pass produces two things: the text that users of the reference know, in the words and the order of the libraries
//! behind it, and issues with pointers, positions and remedies. The checks run in the same sequence as there, and the
//! first one that finds something is the last one that runs:
//!
//! 1. *Loading*: JSON, types of the document's own members, references that lead somewhere; `request malformed`
//! 2. the extension is there, and the version is known
//! 3. the *schema* of document and extension: all violations, one per line
//! 4. the *document*: what no schema can express; the first violation
//! 5. *security*, and the requirements of MCP proxies; the first violation
//!
//! The rules of the derived definition (reference 6.1) follow when it is compiled and validated. The time this takes is
//! at most linear in the length of the document.

mod advice;
mod components;
mod document;
mod load;
mod parts;
mod refusal;
mod schema;
mod security;
mod targets;

use super::administered::EXTENSION;
use super::{DocumentKind, EXTENSIONS};
use crate::issue::IssueCode;
use crate::json::pointer::Path;
use crate::json::{Member, Value, parse};
use crate::shape::oas::{self, Table, Version};
pub use advice::advice;
pub use refusal::Refused;
use refusal::{Reason, Text, one};

/// The input of all steps.
struct Input<'l> {
    text: &'l str,
    kind: DocumentKind,
    version: Version,
    document: &'l Value<'l>,
    extension: Option<&'l Member<'l>>,
    table: &'l Table<'static>,
    targets: &'l targets::Targets<'l>,
}

/// Checks an OpenAPI document that contains the vendor extension.
///
/// # Errors
/// The text of the reference, and issues that name the remedies.
pub fn check(document: &str, kind: DocumentKind) -> Result<(), Refused> {
    run(document, kind, true)
}

/// Checks an OpenAPI document that has no extension yet, as for an import: everything that [`check`] examines except
/// the extension.
///
/// # Errors
/// As [`check`].
pub fn check_plain(document: &str, kind: DocumentKind) -> Result<(), Refused> {
    run(document, kind, false)
}

fn run(text: &str, kind: DocumentKind, extended: bool) -> Result<(), Refused> {
    let document = parse(text).map_err(Refused::malformed)?;
    if !matches!(document.kind, crate::json::Kind::Object(_)) {
        let reason = Reason::new(IssueCode::Type, "an OpenAPI document is an object");
        let message = "request malformed";
        return Err(one(text, message, &document, &Path::Root, reason));
    }
    let version = version_of(document.str("openapi").unwrap_or_default(), kind);
    // A document of an unknown version is still loaded as the reference loads it.
    let table = oas::table(version.clone().unwrap_or(Version::V3_0), kind);
    let targets = targets::Targets::new(&document);
    load::load(text, &document, &table, &targets)?;
    let extension = extension(&document).filter(|_| extended);
    if extended && extension.is_none() {
        let reason = Reason::new(
            IssueCode::Required,
            "the extension \"x-gateway-api-gateway\" is missing; add it with \"info\", \"upstream\" and \"server\"",
        );
        let message = "the payload should contain x-gateway-api-gateway";
        let path = &Path::Root.member(EXTENSION);
        return Err(one(text, message, &document, path, reason));
    }
    let version = version.map_err(|message| {
        let value = document.get("openapi").unwrap_or(&document);
        let remedy = "only versions 3.0 and 3.1 of OpenAPI are known; convert the document";
        let reason = Reason::new(IssueCode::Format, remedy);
        one(text, &message, value, &Path::Root.member("openapi"), reason)
    })?;
    let input = Input {
        text,
        kind,
        version,
        document: &document,
        extension,
        table: &table,
        targets: &targets,
    };
    schema::check(&input)?;
    document::check(&input)?;
    security::check(&input)
}

/// Returns the extension, in either spelling.
fn extension<'v>(document: &'v Value<'v>) -> Option<&'v Member<'v>> {
    let named = |name| {
        document
            .member(name)
            .filter(|member| !member.value.is_null())
    };
    EXTENSIONS.into_iter().find_map(named)
}

/// Returns the OpenAPI version that a text names, by its first two numbers. An absent version is read as 3.0, whose
/// schema then requires it.
///
/// # Errors
/// The text of the reference for a version it has no schema for.
pub fn version_of(text: &str, kind: DocumentKind) -> Result<Version, String> {
    if text.is_empty() {
        return Ok(Version::V3_0);
    }
    let plain = text.split(['-', '+']).next().unwrap_or_default();
    let plain = plain.strip_prefix('v').unwrap_or(plain);
    let number = |digits: &str| digits.parse::<u32>().ok();
    let numbers: Option<Vec<u32>> = plain.split('.').map(number).collect();
    let Some(numbers) = numbers else {
        return Err(format!("malformed version: {text}"));
    };
    match (numbers.first(), numbers.get(1)) {
        (Some(3), Some(0) | None) => Ok(Version::V3_0),
        (Some(3), Some(1)) => Ok(Version::V3_1),
        _ => Err(match kind {
            DocumentKind::Oas => Text::new("Schema not found for version ").quoted(text).0,
            DocumentKind::Mcp => Text::new("schema not found for version ").quoted(text).0,
        }),
    }
}

#[cfg(test)]
mod member_tests;
#[cfg(test)]
mod tests;
